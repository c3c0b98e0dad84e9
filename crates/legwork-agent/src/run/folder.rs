//! A folder that only its user can look into: runs tell what was done on whose pages.

use std::path::Path;

/// A file that only its user can read, made if it is not there.
pub(super) fn private_file(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes the folder, and refuses one that others can look into: it may have been put there by them.
pub(super) fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut maker = std::fs::DirBuilder::new();
    maker.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
    maker.create(folder)?;
    #[cfg(unix)]
    check(folder)?;
    Ok(())
}

#[cfg(unix)]
fn check(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let about = folder.symlink_metadata()?;
    let refused = |reason: String| Err(std::io::Error::other(reason));
    if !about.is_dir() {
        return refused("this is a link and no folder; name the folder itself".to_owned());
    }
    if about.uid() != rustix::process::geteuid().as_raw() {
        return refused(format!("the folder belongs to another user ({})", about.uid()));
    }
    if about.mode() & 0o077 != 0 {
        return refused(format!("others can look into it; chmod 700 {}", folder.display()));
    }
    Ok(())
}
