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
        let user = std::env::var("USER").or_else(|_| std::env::var("USERNAME")).unwrap_or_default();
        let user: String = user.chars().filter(char::is_ascii_alphanumeric).collect();
        Files { root: std::env::temp_dir().join(format!("legwork-{user}")) }
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

/// Makes the folder so that nobody else can look into it.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
