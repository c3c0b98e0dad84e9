//! The folder of the record: only its user can enter it, and nobody can put another in its place.

use std::path::Path;

use super::store::Error;

/// A file that only its user can read, made if it is not there.
pub(super) fn private_file(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes the folder, and refuses one that others can look into: it may have been put there by them.
pub(super) fn make_private(folder: &Path) -> Result<(), Error> {
    let failed = |reason: String| Error::Folder { path: folder.to_owned(), reason };
    let mut maker = std::fs::DirBuilder::new();
    maker.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
    maker.create(folder).map_err(|error| failed(error.to_string()))?;
    #[cfg(unix)]
    check_private(folder).map_err(failed)?;
    Ok(())
}

/// Says why a folder is not the user's own: what it is, and who could put another in its place.
#[cfg(unix)]
fn check_private(folder: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let about = folder.symlink_metadata().map_err(|error| error.to_string())?;
    let user = rustix::process::geteuid().as_raw();
    if !about.is_dir() {
        return Err("this is a link and no folder; name the folder itself".to_owned());
    }
    if about.uid() != user {
        return Err(format!("the folder belongs to another user ({})", about.uid()));
    }
    if about.mode() & 0o077 != 0 {
        return Err(format!("others can look into it; chmod 700 {}", folder.display()));
    }
    let Some(above) = folder.parent().and_then(|above| above.metadata().ok()) else {
        return Ok(());
    };
    // In a folder like /tmp everybody may write, but not rename what belongs to others.
    let open = above.mode() & 0o1002 == 0o002;
    match above.uid() {
        owner if owner != user && owner != 0 => {
            Err(format!("the folder above it belongs to another user ({owner})"))
        }
        _ if open => Err("everybody can write to the folder above it".to_owned()),
        _ => Ok(()),
    }
}
