//! Who runs tools. Doors call it, agents call it; only it reaches the browser.

use std::pin::Pin;
use std::sync::Arc;

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
    /// Who hears of progress, if anybody does.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
}

impl ToolCall {
    /// A call that nobody follows.
    pub fn new(session: &str, tool: &str, arguments: Map<String, Value>) -> ToolCall {
        ToolCall { tool: tool.into(), arguments, session: session.into(), progress: None }
    }

    /// Tells of progress, if anybody listens.
    pub fn report(&self, progress: Progress) {
        if let Some(listener) = &self.progress {
            listener(progress);
        }
    }
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
