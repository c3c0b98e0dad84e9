//! Stopping what runs in a session, from another terminal. A daemon that does not run has nothing to stop.
//! All sessions are those of every process that runs tools: daemons, MCP servers and sidecars.

use serde_json::json;
use tokio::time::error::Elapsed;

use super::failure::{Exit, Failure};
use super::{Globals, show};
use crate::approve::Asker;
use crate::daemon::link::Link;

/// Stops the calls of a session, or of all.
pub(super) async fn run(globals: &Globals, all: bool) -> Result<(), Failure> {
    let mut halted = Vec::new();
    let stopped = if all {
        everywhere(&mut halted).await.map_err(|error| Failure::daemon(&error))?
    } else {
        match Link::running(&globals.place()?).await? {
            Some(link) => link.stop_calls(Some(&globals.session())).await?,
            None => 0,
        }
    };
    show::line(&match stopped {
        _ if globals.json => json!({ "stopped": stopped, "unanswered": halted }).to_string(),
        0 if halted.is_empty() => "nothing was running".to_owned(),
        1 => "stopped 1 call".to_owned(),
        more => format!("stopped {more} calls"),
    })?;
    let Some(first) = halted.first() else { return Ok(()) };
    let numbers = halted.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let text = format!("what these processes run may go on, for they do not answer: {numbers}");
    Err(Failure::new(Exit::Daemon, "not_stopped", text)
        .with_hint(format!("`kill -9 {first}` ends one with its browser")))
}

/// How many calls were stopped; the processes that did not answer are put down.
async fn everywhere(halted: &mut Vec<u32>) -> anyhow::Result<usize> {
    let mut stopped = 0;
    for mut process in Asker::all().await? {
        match process.stop().await {
            Ok(calls) => stopped += calls,
            Err(error) if error.is::<Elapsed>() => halted.extend(process.process),
            // It ends just now, and has nothing more to stop.
            Err(error) => tracing::debug!("{:?}: {error:#}", process.process),
        }
    }
    Ok(stopped)
}
