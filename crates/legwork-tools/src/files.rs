//! Where pictures and long outputs are kept: a private folder, one file each, never overwritten.

use std::io::Write;
use std::path::{Path, PathBuf};

use legwork_protocol::{Code, ToolError};

/// A folder for what replies do not hold.
#[derive(Debug, Clone)]
pub struct Files {
    root: PathBuf,
}

impl Files {
    /// Files in this folder, which is made when the first is written.
    pub fn in_folder(root: impl Into<PathBuf>) -> Files {
        Files { root: root.into() }
    }

    /// Files in a folder of the user's own below the system's temporary one.
    pub fn temporary() -> Files {
        Files { root: std::env::temp_dir().join(format!("legwork-{}", user())) }
    }

    /// Writes a new file, such as `eval-x7Yz.json` in the folder `outputs`.
    pub(crate) fn keep(
        &self,
        folder: &str,
        extension: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, ToolError> {
        let folder = self.root.join(folder);
        let failed = |error: std::io::Error| {
            ToolError::new(Code::FileError, format!("{}: {error}", folder.display()))
        };
        make_private(&folder).map_err(failed)?;
        let suffix = format!(".{extension}");
        let mut file = tempfile::Builder::new()
            .prefix("legwork-")
            .suffix(&suffix)
            .tempfile_in(&folder)
            .map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        let (_, path) = file.keep().map_err(|error| failed(error.error))?;
        Ok(path)
    }
}

#[cfg(unix)]
fn user() -> String {
    rustix::process::getuid().as_raw().to_string()
}

#[cfg(not(unix))]
fn user() -> String {
    std::env::var("USERNAME").unwrap_or_default()
}

/// Makes the folder so that nobody else can look into it, and refuses one that somebody else made.
#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let owner = std::fs::symlink_metadata(folder)?.uid();
    if owner != rustix::process::getuid().as_raw() {
        return Err(std::io::Error::other(format!("the folder belongs to another user ({owner})")));
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}
