//! Stopping what runs in a session, from another terminal. A daemon that does not run has nothing to stop.
//! All sessions are those of every process that runs tools: daemons, MCP servers and sidecars.

use serde_json::json;

use super::failure::Failure;
use super::{Globals, show};
use crate::approve::Asker;
use crate::daemon::link::Link;

/// Stops the calls of a session, or of all.
pub(super) async fn run(globals: &Globals, all: bool) -> Result<(), Failure> {
    let (place, json) = (globals.place()?, globals.json);
    let stopped = match Link::running(&place).await? {
        _ if all => everywhere().await.map_err(|error| Failure::daemon(&error))?,
        Some(link) => link.stop_calls(Some(&globals.session())).await?,
        None => 0,
    };
    show::line(&match stopped {
        _ if json => json!({ "stopped": stopped }).to_string(),
        0 => "nothing was running".to_owned(),
        1 => "stopped 1 call".to_owned(),
        more => format!("stopped {more} calls"),
    })
}

async fn everywhere() -> anyhow::Result<usize> {
    let mut stopped = 0;
    for mut process in Asker::all().await? {
        // One that ends just now has nothing more to stop.
        stopped += process.stop().await.unwrap_or_default();
    }
    Ok(stopped)
}
