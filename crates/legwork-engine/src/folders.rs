//! The folders that the sessions of one browser save files in. Those that stay empty are removed: by
//! the session that ends, or by the browser's supervisor when nobody else is left to do it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The download folders of one browser.
#[derive(Debug)]
pub(crate) struct Folders {
    parent: PathBuf,
    /// The parent is ours, not one that the user named.
    made: bool,
    /// Tells this browser's folders from those of others in the same parent.
    tag: String,
}

impl Folders {
    /// Below the folder given, or one of our own in the system's temporary folder.
    pub(crate) fn below(parent: Option<&PathBuf>) -> Folders {
        let own = || std::env::temp_dir().join("legwork-downloads");
        let tag = format!("{}-{}", std::process::id(), next());
        Folders { parent: parent.cloned().unwrap_or_else(own), made: parent.is_none(), tag }
    }

    /// Makes the folder of one session.
    pub(crate) fn make(&self) -> Result<PathBuf> {
        let prefix = format!("session-{}-", self.tag);
        let mut tries = 3;
        loop {
            let made = std::fs::create_dir_all(&self.parent)
                .and_then(|()| tempfile::Builder::new().prefix(&prefix).tempdir_in(&self.parent));
            tries -= 1;
            match made {
                Ok(own) => return Ok(own.keep()),
                // Somebody may have removed the parent, which was empty, in between.
                Err(error) if tries > 0 && error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(Error::File {
                        path: self.parent.clone(),
                        reason: error.to_string(),
                    });
                }
            }
        }
    }

    /// Files that were saved stay; an empty folder does not.
    pub(crate) fn remove_if_empty(&self, folder: &Path) {
        let _ = std::fs::remove_dir(folder);
        if self.made {
            let _ = std::fs::remove_dir(&self.parent);
        }
    }

    /// How the paths of this browser's folders begin.
    pub(crate) fn prefix(&self) -> OsString {
        self.parent.join(format!("session-{}-", self.tag)).into_os_string()
    }

    /// The parent, if it is to be removed as well; empty otherwise.
    pub(crate) fn made_parent(&self) -> OsString {
        if self.made { self.parent.clone().into_os_string() } else { OsString::new() }
    }
}

fn next() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}
