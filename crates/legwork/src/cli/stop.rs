//! Stopping what runs in a session, from another terminal. A daemon that does not run has nothing to stop.

use serde_json::json;

use super::failure::Failure;
use super::{Globals, show};
use crate::daemon::link::Link;

/// Stops the calls of a session, or of all.
pub(super) async fn run(globals: &Globals, all: bool) -> Result<(), Failure> {
    let (place, json) = (globals.place()?, globals.json);
    let session = (!all).then(|| globals.session());
    let stopped = match Link::running(&place).await? {
        Some(link) => link.stop_calls(session.as_deref()).await?,
        None => 0,
    };
    show::line(&match stopped {
        _ if json => json!({ "stopped": stopped }).to_string(),
        0 => "nothing was running".to_owned(),
        1 => "stopped 1 call".to_owned(),
        more => format!("stopped {more} calls"),
    })
}
