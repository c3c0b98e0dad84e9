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
        let own = || std::env::temp_dir().join(own_name());
        let tag = format!("{}-{}", std::process::id(), next());
        Folders { parent: parent.cloned().unwrap_or_else(own), made: parent.is_none(), tag }
    }

    /// Makes the folder of one session.
    pub(crate) fn make(&self) -> Result<PathBuf> {
        let prefix = format!("session-{}-", self.tag);
        let mut tries = 3;
        loop {
            let made = self
                .make_parent()
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

    /// One of our own is its user's alone: where everybody may write, somebody else may have made it first.
    fn make_parent(&self) -> std::io::Result<()> {
        let mut maker = std::fs::DirBuilder::new();
        maker.recursive(true);
        #[cfg(unix)]
        if self.made {
            std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
        }
        maker.create(&self.parent)?;
        if self.made { check_own(&self.parent) } else { Ok(()) }
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

/// Several users may share the temporary folder.
fn own_name() -> String {
    #[cfg(unix)]
    return format!("legwork-downloads-{}", rustix::process::geteuid().as_raw());
    #[cfg(not(unix))]
    "legwork-downloads".to_owned()
}

/// Refuses a folder that is a link, another user's, or open to others.
#[cfg(unix)]
fn check_own(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let about = folder.symlink_metadata()?;
    let own = about.is_dir() && about.uid() == rustix::process::geteuid().as_raw();
    if own && about.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(std::io::Error::other(
        "others can look into this folder, or made it; name another one as downloads in the configuration",
    ))
}

#[cfg(not(unix))]
fn check_own(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn next() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt};

    use super::*;

    #[test]
    fn downloads_go_into_a_folder_of_the_user_alone_or_nowhere() {
        let temporary = tempfile::tempdir().unwrap();
        let parent = temporary.path().join(own_name());
        let folders = Folders { parent: parent.clone(), made: true, tag: "t".into() };
        let session = folders.make().unwrap();
        assert_eq!(parent.metadata().unwrap().mode() & 0o777, 0o700);
        std::fs::set_permissions(&parent, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(folders.make().unwrap_err().to_string().contains("others can look into"));
        std::fs::set_permissions(&parent, PermissionsExt::from_mode(0o700)).unwrap();
        folders.remove_if_empty(&session);
        std::os::unix::fs::symlink(temporary.path(), &parent).unwrap();
        assert!(folders.make().is_err());
    }
}
