//! Extensions that a browser of ours is started with. Chrome does not take them by its argument any more: they
//! are asked for over the pipe, and work in the contexts of sessions as well.

use std::path::{Path, PathBuf};

use legwork_cdp::{Connection, extensions};

use crate::error::{Error, Result};

const ARGUMENT: &str = "--load-extension=";

/// The folders that arguments name.
fn folders(args: &[String]) -> impl Iterator<Item = &Path> {
    args.iter()
        .filter_map(|arg| arg.strip_prefix(ARGUMENT))
        .flat_map(|all| all.split(','))
        .map(Path::new)
}

/// Whether any is to be loaded.
pub(crate) fn wanted(args: &[String]) -> bool {
    folders(args).next().is_some()
}

/// The arguments as Chrome takes them.
pub(crate) fn arguments(args: &[String]) -> impl Iterator<Item = String> {
    let asking = wanted(args).then(|| "--enable-unsafe-extension-debugging".to_owned());
    args.iter().filter(|arg| !arg.starts_with(ARGUMENT)).cloned().chain(asking)
}

/// Loads them, before there is a page.
pub(crate) async fn load(connection: &Connection, args: &[String]) -> Result<()> {
    for folder in folders(args) {
        let failed = |reason: String| Error::File { path: folder.to_owned(), reason };
        let path: PathBuf =
            std::path::absolute(folder).map_err(|error| failed(error.to_string()))?;
        let path = path.display().to_string();
        let load = extensions::LoadUnpacked { path, enable_in_incognito: Some(true) };
        let loaded = connection.root().send(&load).await;
        loaded.map_err(|error| failed(format!("it is no extension that Chrome loads: {error}")))?;
    }
    Ok(())
}
