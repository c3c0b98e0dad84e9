//! A command as a tool call: a name and arguments, made from the tools' own types.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use legwork_protocol::{Code, Observe, Span, ToolError};
use serde::Serialize;
use serde_json::{Map, Value};

/// What all commands are told.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    pub(super) timeout: Option<Span>,
    pub(super) headed: bool,
}

/// A tool call, and where its picture goes.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    /// The file that was asked for.
    pub(super) picture: Option<PathBuf>,
    pub(super) prints: Prints,
}

/// What is printed of a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Prints {
    /// All of its text.
    #[default]
    Text,
    /// The value of a script as such, for the next program; tools wrap it for models.
    Value,
}

impl Call {
    pub(super) fn new(tool: impl Into<String>, arguments: Map<String, Value>) -> Call {
        Call { tool: tool.into(), arguments, picture: None, prints: Prints::Text }
    }

    /// A call of a tool with its typed arguments.
    pub(super) fn of(tool: &'static str, arguments: impl Serialize) -> anyhow::Result<Call> {
        match serde_json::to_value(arguments)? {
            Value::Object(arguments) => Ok(Call::new(tool, arguments)),
            other => anyhow::bail!("the arguments of {tool} are no object: {other}"),
        }
    }
}

/// What an action shows of the page afterwards.
#[derive(Debug, Args)]
pub struct Observing {
    /// What to show of the page afterwards; default change
    #[arg(long, value_enum)]
    observe: Option<Shown>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shown {
    None,
    Change,
    Full,
}

impl Observing {
    pub(super) fn observe(&self) -> Option<Observe> {
        self.observe.map(|shown| match shown {
            Shown::None => Observe::None,
            Shown::Change => Observe::Change,
            Shown::Full => Observe::Full,
        })
    }
}

/// A span of time on the command line.
pub(super) fn span(text: &str) -> Result<Span, String> {
    Span::parse(text)
}

/// A path that means the same to the daemon, which is not where we are.
pub(super) fn absolute(path: &Path) -> anyhow::Result<String> {
    let path = std::path::absolute(path)
        .with_context(|| format!("{} cannot be made a whole path", path.display()))?;
    path.into_os_string().into_string().map_err(|path| {
        anyhow::anyhow!("{} is not Unicode, which tools cannot be told", path.display())
    })
}

/// Tools that take a time-out keep it themselves and say what they waited for; the others are given up.
pub(super) async fn patience(timeout: Option<Span>, call: &Call) {
    let Some(Span(timeout)) = timeout else { return std::future::pending().await };
    let own = call.arguments.contains_key("timeout");
    let spare = if own { std::time::Duration::from_secs(10) } else { Default::default() };
    tokio::time::sleep(timeout + spare).await;
}

/// The call took longer than was asked for.
pub(super) fn too_late(timeout: Option<Span>) -> ToolError {
    let timeout = timeout.map(|span| span.0).unwrap_or_default();
    ToolError::new(Code::Timeout, format!("there was no answer within {timeout:?}"))
        .with_hint("the call was cancelled; the session can be used on")
}
