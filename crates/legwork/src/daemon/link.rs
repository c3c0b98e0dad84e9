//! The way to the daemon: found or started, greeted, called, and ended. Two who start it at once get one,
//! a socket that nobody listens on is cleared away, and one of another version is replaced when it holds
//! no session.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use legwork_protocol::rpc::{Id, Message, Params, Request};
use legwork_protocol::{Code, ToolError};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::Command;

use super::{Place, READY};

/// How long a daemon may take to start or to end, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a daemon may take to say who it is.
const GREETING: Duration = Duration::from_secs(5);

/// How the daemon is started.
#[derive(Debug, Clone, Default)]
pub struct Starting {
    /// Arguments that lead it to the same configuration.
    pub arguments: Vec<String>,
}

/// A connection to the daemon.
pub struct Link {
    stream: BufReader<UnixStream>,
    calls: u64,
}

/// Who the daemon is.
#[derive(Debug, Deserialize)]
pub struct Version {
    /// Of the program.
    pub version: String,
}

/// An open session.
#[derive(Debug, Deserialize)]
pub struct Session {
    /// Its name.
    pub session_id: String,
    /// The address of its page.
    pub url: Option<String>,
    /// How many tabs it has.
    pub tabs: usize,
}

#[derive(Deserialize)]
struct Sessions {
    sessions: Vec<Session>,
}

fn failed(message: impl Into<String>) -> ToolError {
    ToolError::new(Code::SidecarFailed, message)
}

impl Link {
    /// The daemon at this place, started if there is none.
    pub async fn open(place: &Place, starting: &Starting) -> Result<Link, ToolError> {
        // One that is just ending hangs up before it has said who it is; then there is another try.
        for _ in 0..3 {
            let link = match Link::to(&place.socket).await? {
                Some(link) => link,
                None => start_once(place, starting).await?,
            };
            if let Some(link) = link.greeted(place).await? {
                return Ok(link);
            }
        }
        Err(failed("the daemon hangs up").with_hint(format!("its log is {}", place.log.display())))
    }

    /// The daemon at this socket, if one listens.
    pub async fn to(socket: &Path) -> Result<Option<Link>, ToolError> {
        match UnixStream::connect(socket).await {
            Ok(stream) => Ok(Some(Link { stream: BufReader::new(stream), calls: 0 })),
            Err(error) if nobody_listens(error.kind()) => Ok(None),
            Err(error) => Err(failed(format!("{}: {error}", socket.display()))),
        }
    }

    /// The link, if the daemon is of our version; nothing if it hung up or was replaced.
    async fn greeted(mut self, place: &Place) -> Result<Option<Link>, ToolError> {
        let Some(theirs) = self.version().await? else { return Ok(None) };
        let ours = env!("CARGO_PKG_VERSION");
        if theirs.version == ours {
            return Ok(Some(self));
        }
        let open = self.sessions().await?.len();
        if open > 0 {
            let held = if open == 1 { "a session" } else { "sessions" };
            let message = format!(
                "a daemon of version {} holds {held}, and this is version {ours}",
                theirs.version
            );
            return Err(failed(message).with_hint(
                "end it and its sessions with `legwork daemon stop`, or use the older program",
            ));
        }
        eprintln!("note: an idle daemon of version {} makes way for {ours}", theirs.version);
        self.stop().await?;
        let _ = std::fs::remove_file(&place.socket);
        Ok(None)
    }

    /// Who the daemon is, or nothing if it hung up.
    pub async fn version(&mut self) -> Result<Option<Version>, ToolError> {
        let asked = self.request("browser.version", Map::new());
        match tokio::time::timeout(GREETING, asked).await {
            Err(_) => Err(failed("the daemon does not answer").with_hint("legwork daemon stop")),
            Ok(Err(Ended::HungUp)) => Ok(None),
            Ok(Err(Ended::Failed(error))) => Err(error),
            Ok(Ok(value)) => read(value).map(Some),
        }
    }

    /// The sessions that are open.
    pub async fn sessions(&mut self) -> Result<Vec<Session>, ToolError> {
        let value = self.call("browser.sessions", Map::new()).await?;
        read(value).map(|Sessions { sessions }| sessions)
    }

    /// Calls a method. Dropping the link cancels the call.
    pub async fn call(
        &mut self,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<Value, ToolError> {
        self.request(method, params).await.map_err(|ended| match ended {
            Ended::Failed(error) => error,
            Ended::HungUp => failed("the daemon ended during the call")
                .with_hint("what it was doing may have been done; look before you repeat it"),
        })
    }

    async fn request(&mut self, method: &str, params: Map<String, Value>) -> Result<Value, Ended> {
        self.calls += 1;
        let id = Id::from(self.calls);
        let params = Params::Named(params);
        let request = Request { id: Some(id.clone()), method: method.to_owned(), params };
        let mut line = serde_json::to_vec(&request)
            .map_err(|error| Ended::Failed(ToolError::invalid(error.to_string())))?;
        line.push(b'\n');
        self.stream.write_all(&line).await.map_err(|_| Ended::HungUp)?;
        loop {
            let mut line = Vec::new();
            let read = self.stream.read_until(b'\n', &mut line).await;
            if !matches!(read, Ok(1..)) {
                return Err(Ended::HungUp);
            }
            let message = Message::read(&line)
                .map_err(|error| Ended::Failed(failed(format!("the daemon says: {error}"))))?;
            if let Message::Response(response) = message
                && response.id == id
            {
                let failed =
                    |error| Ended::Failed(legwork_protocol::rpc::Error::into_tool_error(error));
                return response.outcome.map_err(failed);
            }
        }
    }

    /// The daemon's process, as the system knows it.
    pub fn process(&self) -> Option<i32> {
        self.stream.get_ref().peer_cred().ok()?.pid()
    }

    /// Ends the daemon with its sessions and waits until it is gone.
    pub async fn stop(mut self) -> Result<(), ToolError> {
        let process = self.process().and_then(rustix::process::Pid::from_raw);
        let process = process.ok_or_else(|| failed("the daemon's process is not known"))?;
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        // Its end of the connection closes when it ends.
        let mut rest = Vec::new();
        let gone = tokio::io::AsyncReadExt::read_to_end(&mut self.stream, &mut rest);
        if tokio::time::timeout(PATIENCE, gone).await.is_ok() {
            return Ok(());
        }
        let hint = format!("kill -9 {}", process.as_raw_nonzero());
        Err(failed("the daemon does not end").with_hint(hint))
    }
}

/// Why a request has no answer.
enum Ended {
    HungUp,
    Failed(ToolError),
}

fn read<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, ToolError> {
    serde_json::from_value(value).map_err(|error| failed(format!("the daemon says: {error}")))
}

fn nobody_listens(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::ConnectionRefused)
}

/// Starts the daemon, unless somebody else has done so while we waited for our turn.
async fn start_once(place: &Place, starting: &Starting) -> Result<Link, ToolError> {
    let _turn = turn(place).await?;
    if let Some(link) = Link::to(&place.socket).await? {
        return Ok(link);
    }
    let _ = std::fs::remove_file(&place.socket);
    start(place, starting).await?;
    let link = Link::to(&place.socket).await?;
    link.ok_or_else(|| failed("the daemon ended as soon as it was started"))
}

/// The lock of those who start the daemon. Its holder holds it for as long as a start takes.
async fn turn(place: &Place) -> Result<File, ToolError> {
    let path = place.lock.clone();
    let taken = tokio::task::spawn_blocking(move || {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        file.lock().map(|()| file)
    });
    let taken = tokio::time::timeout(PATIENCE * 2, taken).await;
    let taken =
        taken.map_err(|_| failed("another program is starting the daemon and does not end"))?;
    let taken = taken.map_err(|error| failed(error.to_string()))?;
    taken.map_err(|error| failed(format!("{}: {error}", place.lock.display())))
}

async fn start(place: &Place, starting: &Starting) -> Result<(), ToolError> {
    let see_log = format!("its log is {}", place.log.display());
    let cannot = |error: std::io::Error| failed(format!("the daemon cannot be started: {error}"));
    let log = File::create(&place.log).map_err(cannot)?;
    let program = std::env::current_exe().map_err(cannot)?;
    let mut daemon = Command::new(program)
        .args(["daemon", "run", "--socket"])
        .arg(&place.socket)
        .args(&starting.arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(cannot)?;
    let mut said = String::new();
    if let Some(out) = daemon.stdout.take() {
        let mut out = BufReader::new(out);
        let _ = tokio::time::timeout(PATIENCE, out.read_line(&mut said)).await;
    }
    if said.trim() == READY {
        return Ok(());
    }
    let _ = daemon.start_kill();
    let log = std::fs::read_to_string(&place.log).unwrap_or_default();
    let last = log.lines().last().unwrap_or("it said nothing");
    Err(failed(format!("the daemon did not start: {last}")).with_hint(see_log))
}
