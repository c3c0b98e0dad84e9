//! The way to the daemon: found or started, greeted, and called through the client of the protocol. Two
//! who start it at once get one, a socket that nobody listens on is cleared away, and one of another
//! version is replaced when it holds no session.

mod reach;
mod start;

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use legwork_protocol::client::{
    CallOptions, Client, Error, Events, Failure, Options, Session, Version,
};
use legwork_protocol::{Code, Reply, ToolCall, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

use super::Place;
pub use reach::Reach;

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

/// A daemon that listens, and was not spoken to yet.
pub struct Listening {
    stream: UnixStream,
}

/// A daemon that said who it is.
pub struct Link {
    client: Client,
    version: Version,
    process: Option<i32>,
}

fn failed(message: impl Into<String>) -> ToolError {
    ToolError::new(Code::SidecarFailed, message)
}

impl Listening {
    /// The daemon at this socket, if one listens.
    pub async fn at(socket: &Path) -> Result<Option<Listening>, ToolError> {
        match UnixStream::connect(socket).await {
            Ok(stream) => Ok(Some(Listening { stream })),
            Err(error) if nobody_listens(error.kind()) => Ok(None),
            Err(error) => Err(failed(format!("{}: {error}", socket.display()))),
        }
    }

    /// The daemon's process, as the system knows it.
    fn process(&self) -> Option<i32> {
        self.stream.peer_cred().ok()?.pid()
    }

    /// Asks who the daemon is. Nothing is there if it hung up, as one does that is just ending.
    pub async fn greet(self) -> Result<Option<Link>, ToolError> {
        self.greet_hearing(None).await
    }

    async fn greet_hearing(self, events: Option<Events>) -> Result<Option<Link>, ToolError> {
        let process = self.process();
        let (reader, writer) = self.stream.into_split();
        let (timeout, start_timeout) = (Duration::MAX, GREETING);
        let options = Options { timeout, start_timeout, events, ..Options::default() };
        let client = match Client::connect(reader, writer, options).await {
            Ok(client) => client,
            Err(Failure::Died(_)) => return Ok(None),
            Err(failure) => return Err(unlike_ours(&failure)),
        };
        Ok(client.greeted().map(|version| Link { client, version, process }))
    }

    /// Ends the daemon with its sessions and waits until it is gone.
    pub async fn stop(mut self) -> Result<(), ToolError> {
        let process = self.process().and_then(rustix::process::Pid::from_raw);
        let process = process.ok_or_else(|| failed("the daemon's process is not known"))?;
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        // Its end of the connection closes when it ends.
        let mut rest = Vec::new();
        let gone = self.stream.read_to_end(&mut rest);
        if tokio::time::timeout(PATIENCE, gone).await.is_ok() {
            return Ok(());
        }
        let hint = format!("kill -9 {}", process.as_raw_nonzero());
        Err(failed("the daemon does not end").with_hint(hint))
    }
}

impl Link {
    /// The daemon at this place if one runs, of whichever version.
    pub async fn running(place: &Place) -> Result<Option<Link>, ToolError> {
        match Listening::at(&place.socket).await? {
            Some(listening) => listening.greet().await,
            None => Ok(None),
        }
    }

    /// The daemon at this place, started if there is none.
    pub async fn open(place: &Place, starting: &Starting) -> Result<Link, ToolError> {
        // One that is just ending hangs up before it has said who it is; then there is another try.
        for _ in 0..3 {
            let listening = match Listening::at(&place.socket).await? {
                Some(listening) => listening,
                None => start::once(place, starting).await?,
            };
            let Some(link) = listening.greet().await? else { continue };
            if link.version.version == env!("CARGO_PKG_VERSION") {
                return Ok(link);
            }
            link.make_way(place).await?;
        }
        Err(failed("the daemon hangs up").with_hint(format!("its log is {}", place.log.display())))
    }

    /// The daemon at this place, started if there is none; `events` hears what happens in its sessions.
    pub async fn hearing(
        place: &Place,
        starting: &Starting,
        events: Events,
    ) -> Result<Link, ToolError> {
        // The first one makes sure that there is a daemon, and that it is ours.
        let _first = Link::open(place, starting).await?;
        let again = match Listening::at(&place.socket).await? {
            Some(listening) => listening.greet_hearing(Some(events)).await?,
            None => None,
        };
        again.ok_or_else(|| failed("the daemon hangs up"))
    }

    /// Ends a daemon of another version, unless it holds a session.
    async fn make_way(self, place: &Place) -> Result<(), ToolError> {
        let (theirs, ours) = (&self.version.version, env!("CARGO_PKG_VERSION"));
        let open = self.sessions().await?.len();
        if open > 0 {
            let held = if open == 1 { "a session" } else { "sessions" };
            let message =
                format!("a daemon of version {theirs} holds {held}, and this is version {ours}");
            return Err(failed(message).with_hint(
                "end it and its sessions with `legwork daemon stop`, or use the older program",
            ));
        }
        eprintln!("note: an idle daemon of version {theirs} makes way for {ours}");
        match Listening::at(&place.socket).await? {
            Some(listening) => listening.stop().await,
            None => Ok(()),
        }
    }

    /// Who the daemon is.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// The daemon's process, as the system knows it.
    pub fn process(&self) -> Option<i32> {
        self.process
    }

    /// The sessions that are open.
    pub async fn sessions(&self) -> Result<Vec<Session>, ToolError> {
        self.client.sessions().await.map_err(ended)
    }

    /// What was not let through: host, kind, page and rule.
    pub async fn blocked(&self) -> Result<Vec<Blocked>, ToolError> {
        let asked = self.client.request("browser.blocked", Map::new(), CallOptions::default());
        let answer = asked.await.map_err(ended)?;
        let list = serde_json::from_value::<BlockedList>(answer);
        list.map(|answer| answer.blocked).map_err(|error| failed(error.to_string()))
    }

    /// Stops what runs in a session, or in all; how many calls that were.
    pub async fn stop_calls(&self, session: Option<&str>) -> Result<usize, ToolError> {
        let params = match session {
            Some(session) => ("session".to_owned(), session.into()),
            None => ("all".to_owned(), true.into()),
        };
        let asked =
            self.client.request("browser.stop", Map::from_iter([params]), CallOptions::default());
        let answer = asked.await.map_err(ended)?;
        let stopped = serde_json::from_value::<Stopped>(answer);
        stopped.map(|answer| answer.stopped).map_err(|error| failed(error.to_string()))
    }

    /// Calls a tool for as long as it takes. Dropping the link cancels the call.
    pub async fn call(
        &self,
        session: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Reply, ToolError> {
        let options = CallOptions { session: Some(session.to_owned()), ..CallOptions::default() };
        self.client.call_tool(tool, arguments, options).await.map_err(ended)
    }
}

impl Link {
    /// Tells what a person does in a session from now on, or no more; in a window, if the session is opened
    /// for it.
    pub async fn record(&self, session: &str, on: bool, window: bool) -> Result<(), ToolError> {
        let params = [("on".to_owned(), on.into()), ("window".to_owned(), window.into())];
        let options = CallOptions { session: Some(session.to_owned()), ..CallOptions::default() };
        let asked = self.client.request("browser.record", Map::from_iter(params), options);
        asked.await.map(drop).map_err(ended)
    }

    /// Runs a call and passes its progress on. Dropping it cancels the call, and leaves the session.
    pub async fn run(&self, call: ToolCall) -> Result<Reply, ToolError> {
        let (tool, arguments, options) = CallOptions::of(call);
        self.client.call_tool(&tool, arguments, options).await.map_err(ended)
    }
}

/// A request that was not let through.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Blocked {
    pub host: String,
    pub kind: String,
    pub page: Option<String>,
    pub rule: String,
}

#[derive(Deserialize)]
struct BlockedList {
    blocked: Vec<Blocked>,
}

#[derive(Deserialize)]
struct Stopped {
    stopped: usize,
}

/// Why the daemon cannot be spoken to.
fn unlike_ours(failure: &Failure) -> ToolError {
    let message = match failure {
        Failure::TimedOut { .. } => "the daemon does not answer".to_owned(),
        other => format!("the daemon cannot be spoken to: {other}"),
    };
    failed(message).with_hint("legwork daemon stop")
}

/// Why a call has no answer.
fn ended(error: Error) -> ToolError {
    match error {
        Error::Tool(error) => with_display(error, |name| std::env::var_os(name).is_some()),
        Error::Sidecar(Failure::Died(_)) => failed("the daemon ended during the call")
            .with_hint("what it was doing may have been done; look before you repeat it"),
        Error::Sidecar(failure) => failed(format!("the daemon's answer is none: {failure}")),
    }
}

/// A daemon keeps the display that it was started with. Who has one, and is told that there is none, is told that.
fn with_display(error: ToolError, is_set: impl Fn(&str) -> bool) -> ToolError {
    let none = error.hint.as_deref().is_some_and(|hint| hint.starts_with("there is no display"));
    if error.code != Code::LaunchFailed
        || !none
        || !["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| is_set(name))
    {
        return error;
    }
    error.with_hint(
        "the daemon was started without the display that is here: `legwork daemon stop` ends it and its \
         sessions, and the next command starts one that has it",
    )
}

fn nobody_listens(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::ConnectionRefused)
}
