//! A call: its deadline, what of it may be repeated, and what is told of it.

use std::pin::Pin;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::link::Listener;
use super::results::{self, Extracted, Listed, Opened, Session, Sessions, Tools, Version};
use super::{Client, Error, Failure};
use crate::args::common::Span;
use crate::args::see::ExtractFormat;
use crate::args::sidecar::{Act, Open};
use crate::catalogue::find;
use crate::error::{Code, ToolError};
use crate::host::{Called, ToolCall, ToolHost};
use crate::reply::Reply;

/// What is told of every call when it has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEvent {
    /// What was asked for.
    pub method: String,
    /// How long it took, repetitions and the start of a sidecar included.
    pub latency: Duration,
    /// How often it was sent or tried to be.
    pub attempts: u32,
    /// What went wrong, if something did.
    pub error: Option<Code>,
    /// Whether it is the sidecar that failed, and not a tool.
    pub sidecar_failed: bool,
}

/// What one call wants for itself.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// The session it is for.
    pub session: Option<String>,
    /// Who hears of its progress.
    pub progress: Option<Listener>,
    /// Whether it is told how what was acted on can be found again.
    pub describe: bool,
    /// Whether a run of the assistant makes it.
    pub of_run: bool,
}

impl CallOptions {
    /// A call's tool and arguments, and the rest of it as options.
    pub fn of(call: ToolCall) -> (String, Map<String, Value>, CallOptions) {
        let ToolCall { tool, arguments, session, progress, describe, of_run, .. } = call;
        let session = Some(session);
        (tool, arguments, CallOptions { session, progress, describe, of_run, timeout: None })
    }
}

/// What a call that names its own time-out gets on top of it.
const SLACK: Duration = Duration::from_secs(30);

impl Client {
    /// Who the sidecar is.
    pub async fn version(&self) -> Result<Version, Error> {
        let ours = results::object(json!({ "protocol_version": crate::rpc::PROTOCOL }));
        let result = self.request("browser.version", ours, CallOptions::default()).await?;
        Ok(results::read("browser.version", result)?)
    }

    /// The tools of a set, for a host to register.
    pub async fn tools(&self, set: &str) -> Result<Vec<Listed>, Error> {
        let Tools { tools } = self.typed("tools.list", json!({ "set": set })).await?;
        Ok(tools)
    }

    /// The sessions that are open.
    pub async fn sessions(&self) -> Result<Vec<Session>, Error> {
        let Sessions { sessions } = self.typed("browser.sessions", json!({})).await?;
        Ok(sessions)
    }

    /// Opens a page. The calls that follow are for its session.
    pub async fn open(&self, open: &Open) -> Result<Opened, Error> {
        let opened: Opened = self.typed("browser.open", json!(open)).await?;
        self.state().session = Some(opened.session_id.clone());
        Ok(opened)
    }

    /// Does one thing on the page.
    pub async fn act(&self, act: &Act) -> Result<Reply, Error> {
        let params = results::object(json!(act));
        let result = self.request("browser.act", params, CallOptions::default()).await?;
        Ok(results::reply("browser.act", result)?)
    }

    /// The page as a document or a picture.
    pub async fn extract(&self, format: ExtractFormat) -> Result<Extracted, Error> {
        self.typed("browser.extract", json!({ "format": format })).await
    }

    /// Closes the session; to be called when a run ends or is cancelled. The sidecar stays.
    pub async fn close(&self) -> Result<(), Error> {
        // Without a sidecar there is nothing to close, and no reason to start one.
        if self.live().is_some() {
            self.request("browser.close", Map::new(), CallOptions::default()).await?;
        }
        let mut state = self.state();
        state.in_use = false;
        state.session = self.inner.options.session.clone();
        Ok(())
    }

    /// Calls a tool by its name.
    pub async fn call_tool(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        options: CallOptions,
    ) -> Result<Reply, Error> {
        let result = self.request(tool, arguments, options).await?;
        Ok(results::reply(tool, result)?)
    }

    async fn typed<T: serde::de::DeserializeOwned>(
        &self,
        method: &str,
        params: Value,
    ) -> Result<T, Error> {
        let result = self.request(method, results::object(params), CallOptions::default()).await?;
        Ok(results::read(method, result)?)
    }

    /// Sends a request and waits for its result until its deadline.
    ///
    /// Where the sidecar failed, it is repeated if the catalogue says that twice is the same as once. A
    /// tool's error is an answer and never repeated. If a page was open in a sidecar that died, what
    /// looks at or acts on a page is not repeated in the next sidecar either: it would be another page.
    pub async fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
        options: CallOptions,
    ) -> Result<Value, Error> {
        let began = Instant::now();
        let mut attempts = 0;
        let limit = options.timeout.unwrap_or_else(|| self.patience(&params));
        let tried = self.attempts(method, params, &options, &mut attempts);
        let outcome = match tokio::time::timeout(limit, tried).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Failure::timed_out(method, limit).into()),
        };
        if let Some(telemetry) = &self.inner.options.telemetry {
            let error = outcome.as_ref().err();
            telemetry(&CallEvent {
                method: method.to_owned(),
                latency: began.elapsed(),
                attempts,
                error: error.map(Error::code),
                sidecar_failed: matches!(error, Some(Error::Sidecar(_))),
            });
        }
        outcome
    }

    async fn attempts(
        &self,
        method: &str,
        mut params: Map<String, Value>,
        options: &CallOptions,
        attempts: &mut u32,
    ) -> Result<Value, Error> {
        if self.live().is_none() && self.page_was_lost(method) {
            return Err(Failure::Died("the page that was open in it is lost".to_owned()).into());
        }
        let session = options.session.clone().or_else(|| self.session_id());
        if let Some(session) = session
            && !method.starts_with("tools.")
        {
            params.entry("session_id").or_insert(session.into());
        }
        for (name, flag) in [("describe", options.describe), ("of_run", options.of_run)] {
            if flag {
                params.insert(name.to_owned(), true.into());
            }
        }
        loop {
            *attempts += 1;
            let failure = match self.attempt(method, &params, options).await {
                Err(Error::Sidecar(failure)) => failure,
                ended => return ended,
            };
            let ended = matches!(failure, Failure::Died(_) | Failure::Malformed(_));
            let lost = ended && self.page_was_lost(method);
            let again = ended
                && self.inner.provider.is_some()
                && *attempts <= self.inner.options.retries
                && may_repeat(method, &params);
            if lost || !again {
                return Err(failure.into());
            }
        }
    }

    async fn attempt(
        &self,
        method: &str,
        params: &Map<String, Value>,
        options: &CallOptions,
    ) -> Result<Value, Error> {
        let link = self.link().await?;
        let answer = link.ask(method, params.clone(), options.progress.clone()).await?;
        match answer {
            Ok(result) => {
                if let Some(tool) = find(tool_of(method)) {
                    self.state().in_use = tool.name != "browser_close";
                }
                Ok(result)
            }
            Err(error) if error.is_of_the_wire() => Err(Failure::Malformed(error.message).into()),
            Err(error) => Err(error.into_tool_error().into()),
        }
    }

    /// Whether a call needs a page that is gone with its sidecar. That is said once; after it, calls
    /// start anew.
    fn page_was_lost(&self, method: &str) -> bool {
        let mut state = self.state();
        let lost = std::mem::take(&mut state.in_use);
        if lost {
            state.session = self.inner.options.session.clone();
        }
        lost && needs_page(method)
    }

    fn patience(&self, params: &Map<String, Value>) -> Duration {
        let asked = params.get("timeout_ms").or_else(|| params.get("timeout"));
        let asked = asked.and_then(|span| serde_json::from_value::<Span>(span.clone()).ok());
        let patience = self.inner.options.timeout;
        asked.map_or(patience, |span| patience.max(span.0 + SLACK))
    }
}

fn tool_of(method: &str) -> &str {
    method.strip_prefix("browser.").unwrap_or(method)
}

/// Whether twice is the same as once. Of what is no tool, that holds for what only asks.
fn may_repeat(method: &str, params: &Map<String, Value>) -> bool {
    match find(tool_of(method)).map(|tool| tool.hints_of(params)) {
        Some(hints) => hints.read_only || hints.idempotent,
        None => ASKING.contains(&method),
    }
}

/// What is no tool, and changes nothing that is not the same the second time.
const ASKING: [&str; 7] = [
    "browser.version",
    "browser.sessions",
    "browser.blocked",
    "browser.history",
    "browser.subscribe",
    "browser.unsubscribe",
    "tools.list",
];

/// Whether a call is about a page that is open already.
fn needs_page(method: &str) -> bool {
    let starts = ["browser_open", "browser_navigate", "browser_close", "read_image"];
    find(tool_of(method)).is_some_and(|tool| !starts.contains(&tool.name))
}

impl ToolHost for Client {
    fn call(&self, call: ToolCall) -> Called<'_> {
        Box::pin(async move {
            let (tool, arguments, options) = CallOptions::of(call);
            self.call_tool(&tool, arguments, options).await.map_err(ToolError::from)
        })
    }

    fn end<'a>(&'a self, session: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            if self.live().is_some() {
                let options =
                    CallOptions { session: Some(session.to_owned()), ..Default::default() };
                let _ = self.request("browser.close", Map::new(), options).await;
            }
        })
    }
}
