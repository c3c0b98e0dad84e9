//! Folders and files that only their user can look into, and that nobody can put another in the place of.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Error, Result};
use std::path::Path;

/// A file that only its user can read, made if it is not there.
pub fn private_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes the folder so that only its user can look into it. One that is there stays as it is.
pub fn make(folder: &Path) -> Result<()> {
    let mut maker = DirBuilder::new();
    maker.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
    maker.create(folder)
}

/// Makes the folder, and refuses one that others can look into: it may have been put there by them.
pub fn make_private(folder: &Path) -> Result<()> {
    make(folder)?;
    check_private(folder)
}

/// Says why a folder is not the user's own: what it is, and who could put another in its place.
#[cfg(unix)]
pub fn check_private(folder: &Path) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let about = folder.symlink_metadata()?;
    let user = rustix::process::geteuid().as_raw();
    let refused = |reason: String| Err(Error::other(reason));
    if !about.is_dir() {
        return refused("this is a link and no folder; name the folder itself".to_owned());
    }
    if about.uid() != user {
        return refused(format!("the folder belongs to another user ({})", about.uid()));
    }
    if about.mode() & 0o077 != 0 {
        return refused(format!("others can look into it; chmod 700 {}", folder.display()));
    }
    let Some(above) = folder.parent().and_then(|above| above.metadata().ok()) else {
        return Ok(());
    };
    // In a folder like /tmp everybody may write, but not rename what belongs to others.
    let open = above.mode() & 0o1002 == 0o002;
    match above.uid() {
        owner if owner != user && owner != 0 => {
            refused(format!("the folder above it belongs to another user ({owner})"))
        }
        _ if open => refused("everybody can write to the folder above it".to_owned()),
        _ => Ok(()),
    }
}

/// Where a folder has no mode, its place decides who can look into it.
#[cfg(not(unix))]
pub fn check_private(folder: &Path) -> Result<()> {
    if folder.is_dir() { Ok(()) } else { Err(Error::other("this is no folder")) }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn a_folder_that_others_can_enter_or_exchange_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let own = parent.path().join("own");
        make_private(&own).unwrap();
        make_private(&own).unwrap();
        assert_eq!(own.metadata().unwrap().mode() & 0o777, 0o700);

        let open = parent.path().join("open");
        DirBuilder::new().mode(0o755).create(&open).unwrap();
        let link = parent.path().join("link");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        let shared = parent.path().join("shared");
        DirBuilder::new().mode(0o700).create(&shared).unwrap();
        std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o777)).unwrap();
        for (folder, reason) in [
            (open, "chmod 700"),
            (link, "a link and no folder"),
            (shared.join("own"), "everybody can write to the folder above it"),
        ] {
            let error = make_private(&folder).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_private_file_keeps_what_it_holds() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("file");
        std::io::Write::write_all(&mut private_file(&path).unwrap(), b"kept").unwrap();
        private_file(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"kept");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
    }
}
