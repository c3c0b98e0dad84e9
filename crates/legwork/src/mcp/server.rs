//! The server a client talks to: what it says about itself, which browser session a request is for, and
//! who answers it.

#![expect(deprecated, reason = "logging leaves the protocol; the clients of today still use it")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use clap::ValueEnum;
use legwork_protocol::ToolHost;
use legwork_tools::Host;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, InitializeRequestParams,
    InitializeResult, ListPromptsRequestMethod, ListPromptsResult, ListResourcesResult,
    ListToolsResult, LoggingLevel, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestParams, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::call;
use super::http::Caller;
use super::offer::{Offer, Sessions};
use super::person::Posed;
use super::resources::{self, Shots};

/// What a model reads about all tools before it reads the tools.
const INSTRUCTIONS: &str = "\
A real browser. Act on things by ref (e12, from a snapshot or reply) or by visible words \
(\"Remove in the row with Oat milk\"); every reply says what happened and what changed, so there is no \
need to look again. Do several steps in one call with browser_batch, and forms with browser_fill_form. \
Look for something with browser_find rather than reading a whole browser_snapshot.";

/// What is said beside it where a call may name its session.
const NAMED: &str = " A call may name a session: each has pages, cookies and tabs of its own.";

/// The one session of a conversation over standard input and output.
const CONVERSATION: &str = "mcp";

/// The session of requests that name none, where there are no conversations.
const DEFAULT: &str = "default";

/// What all conversations share.
pub struct Door {
    pub host: Host,
    pub shots: Shots,
    pub structured: Structured,
    /// Questions that clients were asked to put to their users.
    pub posed: Posed,
    implied: Vec<Tool>,
    named: Vec<Tool>,
    leases: AtomicU64,
}

/// Whether replies are sent as data beside the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Structured {
    /// Where the model still gets to see the text.
    #[default]
    Auto,
    Always,
    Never,
}

impl Door {
    pub fn new(host: Host, offer: Offer, structured: Structured) -> Arc<Door> {
        let (implied, named) = (offer.list(Sessions::Implied), offer.list(Sessions::Named));
        let (shots, posed, leases) = Default::default();
        Arc::new(Door { host, shots, structured, posed, implied, named, leases })
    }
}

/// The server of one conversation, or of one request where there are no conversations.
pub struct Server {
    pub door: Arc<Door>,
    place: Place,
    level: Mutex<Option<LoggingLevel>>,
}

/// What a request belongs to.
enum Place {
    /// The process is the conversation.
    Process,
    /// A conversation with a client over HTTP, from its `initialize` on; without one, a request names
    /// its session or takes its caller's.
    Network(OnceLock<Lease>),
}

/// A session that ends with its conversation.
struct Lease {
    door: Arc<Door>,
    caller: Caller,
    session: String,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.door.shots.forget(&self.session);
        let (door, session) = (self.door.clone(), std::mem::take(&mut self.session));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { door.host.end(&session).await });
        }
    }
}

impl Server {
    /// The server of the one client at standard input and output.
    pub fn new(door: Arc<Door>) -> Server {
        Server { door, place: Place::Process, level: Mutex::default() }
    }

    /// A server for a client, or a request, over HTTP.
    pub fn on_network(door: Arc<Door>) -> Server {
        Server { door, place: Place::Network(OnceLock::new()), level: Mutex::default() }
    }

    /// How requests find their session.
    pub fn sessions(&self) -> Sessions {
        match &self.place {
            Place::Network(lease) if lease.get().is_none() => Sessions::Named,
            _ => Sessions::Implied,
        }
    }

    /// The session of a request, which may have named one.
    pub fn session(
        &self,
        context: &RequestContext<RoleServer>,
        named: Option<&str>,
    ) -> Result<String, ErrorData> {
        let Place::Network(lease) = &self.place else { return Ok(CONVERSATION.to_owned()) };
        let caller = Caller::of(context)?;
        match lease.get() {
            Some(lease) if lease.caller == caller => Ok(lease.session.clone()),
            Some(_) => {
                Err(ErrorData::invalid_request("this session belongs to another token", None))
            }
            None => Ok(caller.session(named.unwrap_or(DEFAULT))),
        }
    }

    /// The caller's open sessions that go by names of their own.
    async fn named_sessions(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<String>, ErrorData> {
        if self.sessions() == Sessions::Implied {
            return Ok(Vec::new());
        }
        let caller = Caller::of(context)?;
        let open = self.door.host.sessions().await;
        let own = open.iter().filter_map(|session| caller.name_of(&session.name));
        // Those with a number belong to conversations.
        let named = own.filter(|name| *name != DEFAULT && !name.starts_with('#'));
        Ok(named.map(str::to_owned).collect())
    }

    /// The least that a client wants to hear of, if it wants to hear anything.
    pub fn level(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        let set = *self.level.lock().unwrap_or_else(PoisonError::into_inner);
        context.meta.log_level().or(set)
    }

    /// Takes a session for the conversation that begins.
    fn begin(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let Place::Network(lease) = &self.place else { return Ok(()) };
        let caller = Caller::of(context)?;
        let number = self.door.leases.fetch_add(1, Ordering::Relaxed);
        let session = caller.session(&format!("#{number}"));
        lease.get_or_init(|| Lease { door: self.door.clone(), caller, session });
        Ok(())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder();
        let can = can.enable_tools().enable_resources().enable_logging().build();
        ServerConfig::new(can)
            .with_server_info(Implementation::new("legwork", env!("CARGO_PKG_VERSION")))
            .with_instructions(match self.sessions() {
                Sessions::Implied => INSTRUCTIONS.to_owned(),
                Sessions::Named => format!("{INSTRUCTIONS}{NAMED}"),
            })
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.begin(&context)?;
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = match self.sessions() {
            Sessions::Implied => &self.door.implied,
            Sessions::Named => &self.door.named,
        };
        Ok(ListToolsResult::with_all_items(tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call::answer(self, request, context).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = resources::list(&self.door.shots, &self.session(&context, None)?, None);
        for named in self.named_sessions(&context).await? {
            let session = self.session(&context, Some(&named))?;
            listed.extend(resources::list(&self.door.shots, &session, Some(&named)));
        }
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (named, resource) = match self.sessions() {
            Sessions::Named => resources::scope(&request.uri),
            Sessions::Implied => (None, request.uri.clone()),
        };
        let session = self.session(&context, named.as_deref())?;
        let read = resources::read(&self.door, &session, &resource, &request.uri).await;
        read.map(Into::into)
    }

    /// There are none, and we do not say that there are.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
        Ok(())
    }
}
