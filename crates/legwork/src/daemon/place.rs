//! Where the daemon lives: a folder that only its user can enter, and a log file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use legwork_local::folder;

use crate::config::Config;

/// Where a daemon lives.
#[derive(Debug, Clone)]
pub struct Place {
    /// Where it is called.
    pub socket: PathBuf,
    /// Held by whoever starts it, so that two who do get one.
    pub lock: PathBuf,
    /// What it has to say.
    pub log: PathBuf,
}

impl Place {
    /// The place of the daemon with this configuration. Makes its folders.
    pub fn of(config: &Config) -> anyhow::Result<Place> {
        let name = config.fingerprint();
        let folder = runtime_folder();
        make_private(&folder)?;
        let logs = state_folder();
        std::fs::create_dir_all(&logs).with_context(|| {
            let logs = logs.display();
            format!("the folder {logs} cannot be made; XDG_STATE_HOME says where it is")
        })?;
        Ok(Place {
            socket: folder.join(format!("{name}.sock")),
            lock: folder.join(format!("{name}.lock")),
            log: logs.join(format!("daemon-{name}.log")),
        })
    }

    /// The sockets of all daemons of this user.
    pub fn all() -> Vec<PathBuf> {
        let entries = std::fs::read_dir(runtime_folder()).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut sockets: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|ending| ending == "sock")).collect();
        sockets.sort();
        sockets
    }
}

/// The folder of what runs now, which only this user can enter.
pub fn private_folder() -> anyhow::Result<PathBuf> {
    let folder = runtime_folder();
    make_private(&folder)?;
    Ok(folder)
}

/// The folder in which questions are answered, which only this user can enter.
pub fn approvals_folder() -> anyhow::Result<PathBuf> {
    let folder = private_folder()?.join("approvals");
    make_private(&folder)?;
    Ok(folder)
}

/// The file of what is always allowed.
pub fn always_file() -> PathBuf {
    state_folder().join("always-allowed.json")
}

fn absolute_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn runtime_folder() -> PathBuf {
    match absolute_variable("XDG_RUNTIME_DIR").filter(|folder| folder.is_dir()) {
        Some(folder) => folder.join("legwork"),
        None => {
            let user = rustix::process::geteuid().as_raw();
            std::env::temp_dir().join(format!("legwork-run-{user}"))
        }
    }
}

/// Where the program keeps what should outlive it.
pub fn state_folder() -> PathBuf {
    let home = || Some(absolute_variable("HOME")?.join(".local/state"));
    let state = absolute_variable("XDG_STATE_HOME").or_else(home);
    state.map_or_else(runtime_folder, |state| state.join("legwork"))
}

/// Checks the folder of a socket before anything is put into it.
pub(super) fn check_folder_of(socket: &Path) -> anyhow::Result<()> {
    let folder = socket.parent().context("the socket has no folder")?;
    folder::check_private(folder)
        .with_context(|| format!("the folder {} cannot be used", folder.display()))
}

fn make_private(folder: &Path) -> anyhow::Result<()> {
    folder::make_private(folder)
        .with_context(|| format!("the folder {} cannot be used", folder.display()))
}
