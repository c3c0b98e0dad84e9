//! Who runs tools. Doors call it, agents call it; only it reaches the browser.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ToolError;
use crate::reply::Reply;

/// A call as it came in.
#[derive(Clone)]
pub struct ToolCall {
    /// The tool's name or alias.
    pub tool: String,
    /// Its arguments, not read yet.
    pub arguments: Map<String, Value>,
    /// The session it is for.
    pub session: String,
    /// The door it came through, for the record: `cli`, `mcp`, `sidecar` …
    pub door: &'static str,
    /// What the program that calls says it is, with its version, where its door asks: its own word for it.
    pub client: Option<String>,
    /// The person behind the call, if the door can put a question to one.
    pub person: Option<Arc<dyn Person>>,
    /// Who hears of progress, if anybody does.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Whether the reply says how what was acted on can be found again, as recipes keep it, and all of what was
    /// read of elements.
    pub describe: bool,
    /// Whether a run of the assistant makes it: what a run does is held to a rate also where no policy says one.
    pub of_run: bool,
}

impl ToolCall {
    /// A call that nobody follows.
    pub fn new(session: &str, tool: &str, arguments: Map<String, Value>) -> ToolCall {
        ToolCall {
            tool: tool.into(),
            arguments,
            session: session.into(),
            door: "library",
            client: None,
            person: None,
            progress: None,
            describe: false,
            of_run: false,
        }
    }

    /// Tells of progress, if anybody listens.
    pub fn report(&self, progress: Progress) {
        if let Some(listener) = &self.progress {
            listener(progress);
        }
    }
}

/// A question to the person for whom something is done: may it be done?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Names it.
    pub id: String,
    /// The session it would be done in.
    pub session: String,
    /// The door the call came through.
    pub door: String,
    /// What would be done, in a sentence: the action and the element.
    pub action: String,
    /// The site it would be done on.
    pub site: String,
    /// Why it is asked.
    pub because: String,
    /// Stands for the session, the very elements and the arguments: an answer counts for nothing else.
    #[serde(default)]
    pub digest: String,
    /// Until when an answer counts.
    pub expires: Duration,
}

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Do it, this once.
    Approve,
    /// Do it, and do not ask again for this action on this site.
    Always,
    /// Do not.
    Deny,
}

impl Question {
    /// The question as a person reads it.
    pub fn told(&self) -> String {
        let Question { session, action, site, because, .. } = self;
        format!(
            "May this be done? {action}, on {site} (session {session:?}). Why you are asked: {because}."
        )
    }
}

/// The answer to a question, on its way; `None` if nobody could be asked. Dropping it takes the question
/// back.
pub type Asked<'a> = Pin<Box<dyn Future<Output = Option<Answer>> + Send + 'a>>;

/// A person who can be asked, through a channel that whoever makes the calls does not hold.
pub trait Person: Send + Sync {
    /// Asks.
    fn ask<'a>(&'a self, question: &'a Question) -> Asked<'a>;

    /// Whether the question can only be put after this call, to be answered before the next: then nobody waits
    /// for who may never come.
    fn is_asked_later(&self) -> bool {
        false
    }

    /// Puts the question for the next call, since nobody has answered it during this one.
    fn ask_later(&self, _question: &Question) {}
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub done: u64,
    /// Steps in all, where known.
    pub total: Option<u64>,
    /// What is being done.
    pub message: String,
}

/// The answer to a call, on its way. Dropping it cancels the call; the session stays usable.
pub type Called<'a> = Pin<Box<dyn Future<Output = Result<Reply, ToolError>> + Send + 'a>>;

/// Runs tools.
pub trait ToolHost: Send + Sync {
    /// Runs one. Calls of one session run one after the other, in the order they came.
    fn call(&self, call: ToolCall) -> Called<'_>;

    /// Ends a session and what belongs to it; nothing happens if there is none of that name.
    fn end<'a>(&'a self, session: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

/// Something on its way.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A host as those see it who set an agent to work. They choose the rules; the agent, which is handed the
/// [`ToolHost`] alone, cannot.
pub trait Warden: ToolHost {
    /// From now on this policy holds, as the text of a `policy.toml`, and none before it. Calls that run are
    /// stopped and every page is left first, so that nothing of one phase is there in the next. Cookies
    /// stay. If the policy cannot be read, the one before it stays in force.
    fn govern<'a>(&'a self, policy: &'a str) -> Boxed<'a, Result<(), ToolError>>;

    /// Makes a session beside another: tabs of its own in the same browser, signed in as the other is. It
    /// ends with the other.
    fn beside<'a>(&'a self, session: &'a str, of: &'a str) -> Boxed<'a, Result<(), ToolError>>;

    /// What every page of a session shows at its top from now on, for the person who looks on. No page can
    /// take it away, nobody who looks at the page through tools sees it, and it covers nothing.
    fn banner<'a>(&'a self, session: &'a str, text: &'a str) -> Boxed<'a, Result<(), ToolError>>;

    /// What was not let through since this was last asked, oldest first.
    fn blocked(&self) -> Vec<Blocked>;
}

/// A request that was not let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// The host, with its port where it is not the usual one.
    pub host: String,
    /// The whole address, where it was seen.
    pub url: Option<String>,
    /// What it was for: `Document`, `Script`, `connection` …
    pub kind: String,
    /// The page that wanted it, where known.
    pub page: Option<String>,
    /// The rule that says no.
    pub rule: String,
}
