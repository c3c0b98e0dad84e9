//! A list in a file. It is read again before every change, changed by one function of its text, written
//! beside and renamed; whatever happens on the way, the file is whole, before or after.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::ListError;
use crate::summary::Summary;

/// How often a change is begun anew because somebody else wrote the file meanwhile.
const ATTEMPTS: usize = 20;

/// A file with a list, and the right to change it.
pub(crate) struct ListFile {
    path: PathBuf,
    /// One change at a time: two would each rename their own text over the other's.
    turn: Mutex<()>,
}

impl ListFile {
    /// The list at a path. A link is followed once, so that the link stays one.
    pub(crate) fn new(path: &Path) -> Result<ListFile, ListError> {
        let path = fs::canonicalize(path)
            .map_err(|error| ListError::Read { path: path.to_owned(), error })?;
        Ok(ListFile { path, turn: Mutex::new(()) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The text as it is now.
    pub(crate) fn read(&self) -> Result<String, ListError> {
        fs::read_to_string(&self.path)
            .map_err(|error| ListError::Read { path: self.path.clone(), error })
    }

    /// Changes the text as it is at this moment. `change` may be asked again if somebody else is writing.
    pub(crate) fn change(
        &self,
        change: impl Fn(&str) -> Result<String, ListError>,
    ) -> Result<(), ListError> {
        let _turn = self.turn.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for _ in 0..ATTEMPTS {
            let before = self.read()?;
            let after = change(&before)?;
            if after == before || self.replace(&before, &after)? {
                return Ok(());
            }
        }
        Err(self.unwritten("somebody else keeps writing it"))
    }

    /// Puts a text in the place of another one; `false` if that is no longer what the file says.
    fn replace(&self, before: &str, after: &str) -> Result<bool, ListError> {
        let failed = |error: std::io::Error| self.unwritten(&error.to_string());
        let beside = beside(&self.path, after).map_err(failed)?;
        let permissions = fs::metadata(&self.path).map_err(failed)?.permissions();
        beside.as_file().set_permissions(permissions).map_err(failed)?;
        if self.read()? != before {
            return Ok(false);
        }
        beside.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(true)
    }

    fn unwritten(&self, why: &str) -> ListError {
        ListError::Write { path: self.path.clone(), why: why.to_owned() }
    }

    /// Leaves the summary beside the list.
    pub(super) fn send_summary(&self, summary: &Summary) -> Result<(), ListError> {
        write(&self.path.with_file_name("last_shopping_summary.txt"), &summary.markdown())
    }
}

/// Writes a file whole, in the place of what was there.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), ListError> {
    let failed = |why: String| ListError::Write { path: path.to_owned(), why };
    let beside = beside(path, text).map_err(|error| failed(error.to_string()))?;
    beside.persist(path).map_err(|error| failed(error.error.to_string()))?;
    Ok(())
}

/// A file in the same folder with this text, safely on the disk.
fn beside(path: &Path, text: &str) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut beside = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().sync_all()?;
    Ok(beside)
}
