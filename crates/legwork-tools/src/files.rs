//! Where pictures and long outputs are kept: a private folder, one file each, never overwritten. And copies
//! of files that a page is given, as long as its session lasts.

mod jail;

use std::io::Write;
use std::path::PathBuf;

use legwork_local::folder::make_private;
use legwork_local::process;
use legwork_protocol::{Code, ToolError};
use tempfile::TempDir;

pub use jail::Jail;
pub(crate) use jail::Opened;

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
        Files { root: std::env::temp_dir().join(format!("legwork-{}", process::user())) }
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

    /// Writes data that is too long for a reply.
    pub fn keep_data(&self, data: &serde_json::Value) -> Result<PathBuf, ToolError> {
        self.keep("outputs", "json", data.to_string().as_bytes())
    }

    /// Copies a file that was opened, under its own name, into a folder that goes away with what is
    /// returned. The browser opens files by their paths, and later: only of a copy is it sure what it gets.
    pub(crate) fn stage(&self, mut opened: Opened) -> Result<(PathBuf, TempDir), ToolError> {
        let folder = self.root.join("uploads");
        let failed = |error: std::io::Error| {
            ToolError::new(Code::FileError, format!("{}: {error}", opened.path.display()))
        };
        make_private(&folder).map_err(failed)?;
        let own =
            tempfile::Builder::new().prefix("legwork-").tempdir_in(&folder).map_err(failed)?;
        let name = opened.path.file_name().unwrap_or("file".as_ref());
        let path = own.path().join(name);
        let mut copy = std::fs::File::create_new(&path).map_err(failed)?;
        // A file that grows meanwhile does not grow beyond what was allowed.
        let mut source = std::io::Read::take(&mut opened.file, opened.size);
        std::io::copy(&mut source, &mut copy).map_err(failed)?;
        Ok((path, own))
    }
}
