//! The client of a sidecar: starts it when a call needs it, keeps one connection, gives every call a
//! deadline, and tells what a tool refused from what the sidecar failed at.
//!
//! A call is repeated only where nothing can have happened twice and nothing was lost: see
//! [`Client::request`].

mod call;
mod failure;
mod link;
mod provider;
mod results;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::rpc::SessionEvent;
use link::Link;

pub use call::{CallEvent, CallOptions};
pub use failure::{Error, Failure};
pub use provider::{Process, Running, Sidecar, SidecarProvider, Starting};
pub use results::{Extracted, Listed, Opened, Session, Version};

/// Who hears of every call.
pub type Telemetry = Arc<dyn Fn(&CallEvent) + Send + Sync>;

/// Who hears of what the browser does unasked.
pub type Events = Arc<dyn Fn(&SessionEvent) + Send + Sync>;

/// How a client behaves.
#[derive(Clone)]
pub struct Options {
    /// How long a call may take that does not say; one that names a time-out gets half a minute more
    /// than that, so that the sidecar's answer is the one that is heard.
    pub timeout: Duration,
    /// How long a sidecar may take to start and say its version.
    pub start_timeout: Duration,
    /// How often a call is repeated, where that is safe.
    pub retries: u32,
    /// The session of all calls, until one was opened. Without it, the sidecar's own.
    pub session: Option<String>,
    /// Who hears of every call.
    pub telemetry: Option<Telemetry>,
    /// Who hears of dialogs, downloads, windows, navigations and crashes, in every session, as they
    /// happen. It is called where answers are read, so it must not wait. Every sidecar is asked for them
    /// when it is connected, also one that replaces another.
    pub events: Option<Events>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            timeout: Duration::from_secs(60),
            start_timeout: Duration::from_secs(15),
            retries: 1,
            session: None,
            telemetry: None,
            events: None,
        }
    }
}

/// A sidecar to call. Cheap to clone; all clones share one connection and one session.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    provider: Option<Box<dyn SidecarProvider>>,
    options: Options,
    state: Mutex<State>,
    /// Held while a sidecar is started, so that two callers do not start two.
    starting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    link: Option<Arc<Link>>,
    /// The session that was opened, for the calls that follow.
    session: Option<String>,
    /// There is a page that would be lost with the sidecar.
    in_use: bool,
    /// Who greeted us last.
    greeted: Option<Version>,
}

impl Client {
    /// A client that starts its sidecar when the first call needs it, and again when it died.
    pub fn new(provider: impl SidecarProvider + 'static, options: Options) -> Client {
        Client::with(Some(Box::new(provider)), options)
    }

    /// A client whose sidecar runs already: it was found, started, and speaks our protocol.
    pub async fn start(
        provider: impl SidecarProvider + 'static,
        options: Options,
    ) -> Result<Client, Failure> {
        let client = Client::new(provider, options);
        client.link().await?;
        Ok(client)
    }

    /// A client of a sidecar that is reached by these streams, such as a socket's. It is not started
    /// again when the connection ends.
    pub async fn connect(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        options: Options,
    ) -> Result<Client, Failure> {
        let client = Client::with(None, options);
        let link = Link::new(Sidecar::streams(reader, writer), client.inner.options.events.clone());
        client.greet(&link).await?;
        client.state().link = Some(Arc::new(link));
        Ok(client)
    }

    fn with(provider: Option<Box<dyn SidecarProvider>>, options: Options) -> Client {
        let state = State { session: options.session.clone(), ..State::default() };
        let inner = Inner { provider, options, state: state.into(), starting: Default::default() };
        Client { inner: Arc::new(inner) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who the sidecar said it is when it was connected; nothing before that.
    pub fn greeted(&self) -> Option<Version> {
        self.state().greeted.clone()
    }

    /// The session of calls that name none.
    pub fn session_id(&self) -> Option<String> {
        self.state().session.clone()
    }

    /// The connection, a new one if there is none or the last has ended.
    async fn link(&self) -> Result<Arc<Link>, Failure> {
        if let Some(link) = self.live() {
            return Ok(link);
        }
        let _starting = self.inner.starting.lock().await;
        if let Some(link) = self.live() {
            return Ok(link);
        }
        let old = self.state().link.take();
        let Some(provider) = &self.inner.provider else {
            return Err(old.map_or_else(Failure::ended, |link| link.why()));
        };
        let link = Link::new(provider.start().await?, self.inner.options.events.clone());
        self.greet(&link).await?;
        let link = Arc::new(link);
        self.state().link = Some(link.clone());
        Ok(link)
    }

    fn live(&self) -> Option<Arc<Link>> {
        self.state().link.clone().filter(|link| link.is_open())
    }

    /// Asks who is there, and whether we speak the same protocol.
    async fn greet(&self, link: &Link) -> Result<(), Failure> {
        let limit = self.inner.options.start_timeout;
        let ours = serde_json::json!({ "protocol_version": crate::rpc::PROTOCOL });
        let asked = link.ask("browser.version", results::object(ours), None);
        let answer = match tokio::time::timeout(limit, asked).await {
            Ok(answer) => answer?,
            Err(_) => return Err(Failure::timed_out("browser.version", limit)),
        };
        let version = answer.map_err(|error| Failure::Protocol(error.message))?;
        let version: Version = results::read("browser.version", version)?;
        match crate::rpc::negotiate(version.protocol_version) {
            Some(spoken) if spoken == version.protocol_version => {
                self.state().greeted = Some(version);
                self.subscribe(link).await
            }
            _ => Err(Failure::Protocol(format!(
                "the sidecar speaks protocol {}, and this host {}",
                version.protocol_version,
                crate::rpc::PROTOCOL
            ))),
        }
    }

    /// Asks to be told what happens, if somebody here wants to know.
    async fn subscribe(&self, link: &Link) -> Result<(), Failure> {
        if self.inner.options.events.is_none() {
            return Ok(());
        }
        let limit = self.inner.options.start_timeout;
        let asked = link.ask("browser.subscribe", Default::default(), None);
        match tokio::time::timeout(limit, asked).await {
            Ok(answer) => answer?.map(drop).map_err(|error| Failure::Protocol(error.message)),
            Err(_) => Err(Failure::timed_out("browser.subscribe", limit)),
        }
    }

    /// Ends the sidecar and waits until it is gone; it closes its browsers first. The next call starts
    /// another.
    pub async fn stop(&self) {
        let link = {
            let mut state = self.state();
            state.in_use = false;
            state.session = self.inner.options.session.clone();
            state.link.take()
        };
        if let Some(link) = link {
            link.stop().await;
        }
    }
}

#[cfg(test)]
mod tests;
