//! A headless Chromium for one test, killed with its handle.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use command_fds::{CommandFdExt, FdMapping};
use legwork_cdp::Transport;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A running browser.
pub struct Chrome {
    process: Child,
    _profile: TempDir,
}

impl Drop for Chrome {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Chrome {
    /// Starts one that is spoken to over a pipe.
    pub fn on_a_pipe() -> (Chrome, Transport) {
        let (its_read, our_write) = std::io::pipe().unwrap();
        let (our_read, its_write) = std::io::pipe().unwrap();
        let (mut command, profile) = command();
        command.arg("--remote-debugging-pipe");
        let mapping = |parent_fd: OwnedFd, child_fd| FdMapping { parent_fd, child_fd };
        command
            .fd_mappings(vec![mapping(its_read.into(), 3), mapping(its_write.into(), 4)])
            .unwrap();
        let process = command.spawn().unwrap();
        let transport = Transport::pipe(our_write.into(), our_read.into()).unwrap();
        (Chrome { process, _profile: profile }, transport)
    }

    /// Starts one that listens on a port, and gives its WebSocket URL.
    pub async fn on_a_port() -> (Chrome, String) {
        let (mut command, profile) = command();
        command.arg("--remote-debugging-port=0").stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            if let Some(url) = line.strip_prefix("DevTools listening on ") {
                return (Chrome { process, _profile: profile }, url.to_owned());
            }
        }
        panic!("the browser did not say where it listens");
    }

    /// Kills it with all its processes: what was started may be a wrapper script around it.
    pub fn kill(&self) {
        let group = self.process.id().and_then(|id| Pid::from_raw(id.try_into().unwrap()));
        if let Some(group) = group {
            kill_process_group(group, Signal::KILL).unwrap();
        }
    }
}

/// The browser that `LEGWORK_TEST_CHROME` names, or the first of the usual ones in `PATH`.
fn program() -> OsString {
    if let Some(named) = std::env::var_os("LEGWORK_TEST_CHROME") {
        return named;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "google-chrome"];
    let found = names.iter().find_map(|name| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    });
    found.unwrap_or_else(|| panic!("none of {names:?} is in PATH")).into_os_string()
}

fn command() -> (Command, TempDir) {
    let profile = tempfile::tempdir().unwrap();
    let mut command = Command::new(program());
    command
        .args(["--no-sandbox", "--disable-gpu", "--no-first-run", "--headless"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    (command, profile)
}
