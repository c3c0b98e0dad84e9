//! Which files of this machine a page may be given, or a caller be shown. A file is opened first, and what
//! was opened is what is looked at and handed on: a path may lead elsewhere a moment later.

use std::fs::{File, Metadata, OpenOptions};
use std::path::{Path, PathBuf};

use legwork_protocol::{Code, ToolError};

use crate::policy::Uploads;

/// Limits to the files that leave this machine. Without any, every plain file may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Jail {
    /// Folders that they have to lie in; anywhere if none is said.
    pub folders: Option<Vec<PathBuf>>,
    /// The largest, in bytes.
    pub max_size: Option<u64>,
    /// Endings of their names; all if none is said.
    pub types: Option<Vec<String>>,
}

impl From<&Uploads> for Jail {
    fn from(said: &Uploads) -> Jail {
        Jail {
            folders: said.folders.clone(),
            max_size: said.max_size.map(|size| size.0),
            types: said.types.as_ref().map(|types| types.endings().to_vec()),
        }
    }
}

/// A file that was opened and may be used.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) file: File,
    /// Where it lies, without links.
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
}

impl Jail {
    /// Whether every plain file may be used.
    pub(crate) fn is_open(&self) -> bool {
        *self == Jail::default()
    }

    /// Opens a file, if it may be used.
    pub(crate) fn open(&self, path: &Path) -> Result<Opened, ToolError> {
        let failed = |reason: &dyn std::fmt::Display| {
            ToolError::new(Code::FileError, format!("{}: {reason}", path.display()))
        };
        let real = std::fs::canonicalize(path).map_err(|error| failed(&error))?;
        self.place(path, &real)?;
        if !self.is_of_type(&real) {
            return Err(denied(path, "is not of a type that may be used").with_hint(self.told()));
        }
        // Looked at before it is opened as well: opening a device may already do something.
        plain(&std::fs::symlink_metadata(&real).map_err(|error| failed(&error))?)
            .map_err(|reason| failed(&reason))?;
        let file = open_plainly(&real).map_err(|error| failed(&error))?;
        let about = file.metadata().map_err(|error| failed(&error))?;
        plain(&about).map_err(|reason| failed(&reason))?;
        // What the path stood for when it was judged may have been replaced before it was opened.
        let again = std::fs::canonicalize(path).map_err(|error| failed(&error))?;
        self.place(path, &again)?;
        let there = std::fs::symlink_metadata(&again).map_err(|error| failed(&error))?;
        if again != real || !is_same(&about, &there) {
            return Err(denied(path, "was replaced while it was opened"));
        }
        let size = about.len();
        if self.max_size.is_some_and(|most| size > most) {
            let reason = format!("has {size} bytes, more than may be used");
            return Err(denied(path, &reason).with_hint(self.told()));
        }
        Ok(Opened { file, path: real, size })
    }

    fn place(&self, path: &Path, real: &Path) -> Result<(), ToolError> {
        let Some(folders) = &self.folders else { return Ok(()) };
        // A folder that is not there holds nothing.
        let real_folders = folders.iter().filter_map(|folder| std::fs::canonicalize(folder).ok());
        match real_folders.into_iter().any(|folder| real != folder && real.starts_with(folder)) {
            true => Ok(()),
            false => {
                Err(denied(path, "is not in a folder that may be used").with_hint(self.told()))
            }
        }
    }

    fn is_of_type(&self, real: &Path) -> bool {
        let Some(types) = &self.types else { return true };
        let name =
            real.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
        // Some systems drop dots and blanks at the end of a name.
        let name = name.trim_end_matches(['.', ' ']);
        types.iter().any(|ending| {
            let ending = ending.trim_start_matches(['*', '.']).to_lowercase();
            let stem = name.strip_suffix(&ending);
            !ending.is_empty() && stem.is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
        })
    }

    fn told(&self) -> String {
        let mut said = Vec::new();
        if let Some(folders) = &self.folders {
            let listed: Vec<String> = folders.iter().map(|one| one.display().to_string()).collect();
            said.push(format!("in {}", listed.join(" or ")));
        }
        if let Some(types) = &self.types {
            said.push(format!("of type {}", types.join(" or ")));
        }
        if let Some(most) = self.max_size {
            said.push(format!("of at most {most} bytes"));
        }
        format!("the policy allows files {}", said.join(", "))
    }
}

fn denied(path: &Path, reason: &str) -> ToolError {
    ToolError::new(Code::Denied, format!("{} {reason}", path.display()))
}

fn plain(about: &Metadata) -> Result<(), &'static str> {
    match (about.is_file(), about.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err("is a directory; give the files in it one by one"),
        _ => Err("is no plain file"),
    }
}

#[cfg(unix)]
fn open_plainly(path: &Path) -> std::io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    // Neither follows a link that was put there just now, nor waits for the other end of a pipe.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_plainly(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len() && one.modified().ok() == other.modified().ok()
}

#[cfg(test)]
mod tests;
