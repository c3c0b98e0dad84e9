//! Starts a Chrome of our own and sees to it that nothing of it is left behind. It knows processes
//! and directories, not pages.
//!
//! Chrome talks over a pipe and ends by itself when the pipe closes, so it does not outlive its host
//! even if the host is killed. A small shell supervisor waits for Chrome and then removes the temporary
//! profile and the download folders that stayed empty, which nobody else could do after a SIGKILL of
//! the host.

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use command_fds::{CommandFdExt, FdMapping};
use legwork_cdp::Transport;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::error::{Error, Result};
use crate::extensions;
use crate::find::{self, Found, Kind, Prefer};
use crate::folders::Folders;
use crate::guard::flags;

/// How a browser is started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Launch {
    /// The executable, by path or by name in `PATH`; looked for when absent.
    pub browser: Option<String>,
    /// Shows a window.
    pub headed: bool,
    /// Asks for full Chrome where a headless shell would do.
    pub full: bool,
    /// A profile directory that outlives the browser. Holds cookies and passwords.
    pub user_data_dir: Option<PathBuf>,
    /// Further command-line arguments. `--load-extension=FOLDER` loads an extension, in full Chrome.
    pub args: Vec<String>,
    /// For guarded sessions: it finds nothing on the network but their proxies. The engine sets it.
    pub guarded: bool,
}

/// A Chrome process we started.
#[derive(Debug)]
pub(crate) struct Process {
    supervisor: Child,
    /// Of Chrome, all its children and the supervisor.
    group: Option<rustix::process::Pid>,
    profile: Profile,
    executable: PathBuf,
    said: Said,
}

/// The last lines Chrome printed, and the task that reads them.
#[derive(Debug, Default)]
struct Said {
    lines: Arc<Mutex<VecDeque<String>>>,
    reader: Option<tokio::task::JoinHandle<()>>,
}

const SUPERVISOR: &str = r#"dir=$1; saved=$2; parent=$3; shift 3
"$@" & pid=$!
exec 3<&- 4>&-
trap : TERM INT HUP
while kill -0 $pid 2>/dev/null; do wait $pid; done
# Full Chrome keeps a socket beside the profile and forgets it when its pipe closes.
socket=$(readlink "$dir/SingletonSocket" 2>/dev/null)
if [ -n "$dir" ] && [ -n "$socket" ]; then
  rm -f -- "$socket" "${socket%/*}/SingletonCookie"; rmdir -- "${socket%/*}" 2>/dev/null
fi
n=0
while [ -n "$dir" ] && [ $n -lt 50 ]; do
  rm -rf -- "$dir" 2>/dev/null
  [ -e "$dir" ] || break
  n=$((n+1)); sleep 0.1
done
rmdir -- "$saved"* 2>/dev/null
[ -n "$parent" ] && rmdir -- "$parent" 2>/dev/null"#;

/// Starts Chrome and gives the pipe to talk to it.
pub(crate) async fn start(launch: &Launch, folders: &Folders) -> Result<(Process, Transport)> {
    let found = locate(launch)?;
    let profile = Profile::take(launch).await?;
    let (ours_write, ours_read, mappings) = pipes().map_err(|e| launch_error(&found, e))?;
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", SUPERVISOR, "legwork-supervisor"])
        .arg(profile.to_remove())
        .args([folders.prefix(), folders.made_parent()])
        .arg(&found.path)
        .args(arguments(launch, &found, profile.path()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .fd_mappings(mappings)
        .map_err(|e| launch_error(&found, std::io::Error::other(e)))?;
    let mut supervisor = command.spawn().map_err(|e| launch_error(&found, e))?;
    // The child's ends of the pipe live in `command`; they must close here for us to see its end.
    drop(command);
    let said = read_stderr(&mut supervisor);
    let transport = Transport::pipe(ours_write, ours_read).map_err(|e| launch_error(&found, e))?;
    let group = supervisor.id().and_then(|id| rustix::process::Pid::from_raw(id as i32));
    let executable = found.path;
    Ok((Process { supervisor, group, profile: profile.entrust(), executable, said }, transport))
}

impl Process {
    /// Waits until Chrome and its temporary profile are gone; kills it when that takes too long.
    pub(crate) async fn end(&mut self, patience: Duration) {
        if tokio::time::timeout(patience, self.supervisor.wait()).await.is_err() {
            self.kill();
            let _ = tokio::time::timeout(Duration::from_secs(6), self.supervisor.wait()).await;
        }
        self.clear().await;
    }

    /// Ends Chrome at once, with its children and the supervisor.
    pub(crate) fn kill(&self) {
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    /// Removes the profile in the stead of a supervisor that was killed with Chrome. What is dying
    /// may still write to it and tells nobody when it is dead, so it is tried again for a while.
    async fn clear(&self) {
        let Profile::Entrusted(dir) = &self.profile else { return };
        let give_up = tokio::time::Instant::now() + Duration::from_secs(5);
        let dead_by = tokio::time::Instant::now() + Duration::from_secs(1);
        while dir.exists() {
            let now = tokio::time::Instant::now();
            let dead = self
                .group
                .is_none_or(|group| rustix::process::test_kill_process_group(group).is_err());
            if (dead || now >= dead_by) && std::fs::remove_dir_all(dir).is_ok() {
                return;
            }
            if now >= give_up {
                tracing::warn!("cannot remove the temporary profile {}", dir.display());
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Why Chrome did not come up: the executable, and the last lines it printed. It has ended.
    pub(crate) async fn failure(&mut self, reason: &str) -> Error {
        if let Some(reader) = self.said.reader.take() {
            let _ = tokio::time::timeout(Duration::from_secs(1), reader).await;
        }
        let lines = self.said.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let printed: Vec<&str> = lines.iter().map(String::as_str).collect();
        let printed = match &printed[..] {
            [] => "it printed nothing".to_owned(),
            lines => format!("its last lines:\n{}", lines.join("\n")),
        };
        Error::Launch { path: self.executable.clone(), reason: format!("{reason}; {printed}") }
    }

    /// The id of the process group.
    pub(crate) fn id(&self) -> Option<u32> {
        self.supervisor.id()
    }
}

fn locate(launch: &Launch) -> Result<Found> {
    let request = find::Request { explicit: launch.browser.clone(), prefer: prefer(launch) };
    find::find(&request, &find::HostSystem).map_err(Error::BrowserNotFound)
}

/// A headless shell has neither windows nor extensions. It keeps a profile as well as full Chrome does.
fn prefer(launch: &Launch) -> Prefer {
    if launch.headed || launch.full || extensions::wanted(&launch.args) {
        Prefer::Full
    } else if launch.user_data_dir.is_some() {
        Prefer::FullFirst
    } else {
        Prefer::HeadlessShell
    }
}

fn launch_error(found: &Found, error: std::io::Error) -> Error {
    Error::Launch { path: found.path.clone(), reason: error.to_string() }
}

type Pipes = (std::os::fd::OwnedFd, std::os::fd::OwnedFd, Vec<FdMapping>);

fn pipes() -> std::io::Result<Pipes> {
    let (theirs_read, ours_write) = std::io::pipe()?;
    let (ours_read, theirs_write) = std::io::pipe()?;
    let mappings = vec![
        FdMapping { parent_fd: theirs_read.into(), child_fd: 3 },
        FdMapping { parent_fd: theirs_write.into(), child_fd: 4 },
    ];
    Ok((ours_write.into(), ours_read.into(), mappings))
}

/// How many of Chrome's messages are kept.
const KEPT_LINES: usize = 20;

/// Reads Chrome's messages until it ends. The task ends with the pipe, which Chrome holds.
fn read_stderr(supervisor: &mut Child) -> Said {
    let Some(stderr) = supervisor.stderr.take() else { return Said::default() };
    let lines = Arc::new(Mutex::new(VecDeque::new()));
    let kept = lines.clone();
    let reader = tokio::spawn(async move {
        let mut lines = BufReader::new(stderr).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            tracing::debug!(target: "legwork::chrome", "{line}");
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() == KEPT_LINES {
                kept.pop_front();
            }
            kept.push_back(line.chars().take(500).collect());
        }
    });
    Said { lines, reader: Some(reader) }
}

#[derive(Debug)]
enum Profile {
    /// Ours to remove until the supervisor runs.
    Temporary(tempfile::TempDir),
    /// The supervisor's to remove.
    Entrusted(PathBuf),
    /// The user's, with our lock on it.
    Lasting(PathBuf, #[expect(dead_code, reason = "held, not read")] File),
}

impl Profile {
    async fn take(launch: &Launch) -> Result<Profile> {
        if let Some(dir) = &launch.user_data_dir {
            let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
            let lock = hold(&dir).await?;
            return Ok(Profile::Lasting(dir, lock));
        }
        let made = tempfile::Builder::new().prefix("legwork-profile-").tempdir();
        made.map(Profile::Temporary).map_err(|e| Error::File {
            path: std::env::temp_dir(),
            reason: format!("cannot make a temporary profile: {e}"),
        })
    }

    fn path(&self) -> &Path {
        match self {
            Profile::Temporary(dir) => dir.path(),
            Profile::Entrusted(dir) | Profile::Lasting(dir, _) => dir,
        }
    }

    fn to_remove(&self) -> &std::ffi::OsStr {
        match self {
            Profile::Lasting(..) => "".as_ref(),
            _ => self.path().as_os_str(),
        }
    }

    /// Leaves removal to the supervisor, which is running now.
    fn entrust(self) -> Profile {
        match self {
            Profile::Temporary(dir) => Profile::Entrusted(dir.keep()),
            other => other,
        }
    }
}

/// Takes the profile for us, or says who has it.
async fn hold(dir: &Path) -> Result<File> {
    let failed = |e: std::io::Error| Error::File { path: dir.to_owned(), reason: e.to_string() };
    std::fs::create_dir_all(dir).map_err(failed)?;
    let path = dir.join("legwork.lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(failed)?;
    if file.try_lock().is_err() {
        let pid = std::fs::read_to_string(&path).unwrap_or_default();
        return Err(Error::ProfileInUse { dir: dir.to_owned(), holder: holder(pid.trim()) });
    }
    wait_for_chrome_to_leave(dir).await?;
    std::fs::write(&path, std::process::id().to_string()).map_err(failed)?;
    Ok(file)
}

/// Chrome marks a profile in use by a link named after its host and process. One that is just
/// ending gets two seconds, since nothing tells us when it has.
async fn wait_for_chrome_to_leave(dir: &Path) -> Result<()> {
    let link = dir.join("SingletonLock");
    let give_up = tokio::time::Instant::now() + Duration::from_secs(2);
    loop {
        let Some(pid) = std::fs::read_link(&link).ok().and_then(|t| living_pid(&t)) else {
            return Ok(());
        };
        if tokio::time::Instant::now() >= give_up {
            return Err(Error::ProfileInUse { dir: dir.to_owned(), holder: holder(&pid) });
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

fn living_pid(target: &Path) -> Option<String> {
    let (_, pid) = target.to_str()?.rsplit_once('-')?;
    let raw = rustix::process::Pid::from_raw(pid.parse().ok()?)?;
    rustix::process::test_kill_process(raw).is_ok().then(|| pid.to_owned())
}

fn holder(pid: &str) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    match (pid, name.trim()) {
        ("", _) => "another process".to_owned(),
        (pid, "") => format!("process {pid}"),
        (pid, name) => format!("{name} (process {pid})"),
    }
}

fn arguments(launch: &Launch, found: &Found, profile: &Path) -> Vec<String> {
    let mut args: Vec<String> = FIXED.iter().map(|&a| a.to_owned()).collect();
    args.push(format!("--user-data-dir={}", profile.display()));
    if launch.headed {
        args.push("--window-size=1296,840".to_owned());
    } else {
        if found.kind == Kind::Full {
            args.push("--headless=new".to_owned());
        }
        args.extend(HEADLESS.iter().map(|&a| a.to_owned()));
    }
    if rustix::process::geteuid().is_root() {
        sandbox_notice();
        args.push("--no-sandbox".to_owned());
    }
    args.extend(extensions::arguments(&launch.args));
    if launch.guarded {
        flags::guard(&mut args);
    }
    args
}

fn sandbox_notice() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        tracing::warn!(
            "running as root: Chrome's sandbox is off, since it refuses to start with it"
        );
    });
}

const FIXED: &[&str] = &[
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--no-startup-window",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AcceptCHFrame,DialMediaRouteProvider,PaintHolding,DeferRendererTasksAfterInput",
    "--force-color-profile=srgb",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
];

const HEADLESS: &[&str] =
    &["--hide-scrollbars", "--mute-audio", "--disable-gpu", "--window-size=1280,720"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_chrome_is_asked_for_where_a_headless_shell_would_not_do() {
        let kept = || Launch { user_data_dir: Some("profile".into()), ..Default::default() };
        let extended = vec!["--mute-audio".into(), "--load-extension=/there".into()];
        for (launch, expected) in [
            (Launch::default(), Prefer::HeadlessShell),
            (
                Launch { args: vec!["--mute-audio".into()], ..Default::default() },
                Prefer::HeadlessShell,
            ),
            (Launch { headed: true, ..Default::default() }, Prefer::Full),
            (Launch { full: true, ..Default::default() }, Prefer::Full),
            (Launch { args: extended, ..Default::default() }, Prefer::Full),
            (kept(), Prefer::FullFirst),
            (Launch { headed: true, ..kept() }, Prefer::Full),
        ] {
            assert_eq!(prefer(&launch), expected, "{launch:?}");
        }
    }
}
