//! Stopping what runs in a session, from another terminal. A daemon that does not run has nothing to stop.

use serde::Deserialize;
use serde_json::{Map, json};

use super::failure::Failure;
use super::{Globals, show};
use crate::daemon::link::Link;

#[derive(Deserialize)]
struct Answer {
    stopped: usize,
}

/// Stops the calls of a session, or of all.
pub(super) async fn run(globals: &Globals, all: bool) -> Result<(), Failure> {
    let (place, json) = (globals.place()?, globals.json);
    let stopped = match Link::to(&place.socket).await? {
        Some(mut link) => {
            let params = match all {
                false => ("session".to_owned(), globals.session().into()),
                true => ("all".to_owned(), true.into()),
            };
            let answer = link.call("browser.stop", Map::from_iter([params])).await?;
            serde_json::from_value(answer).map_or(0, |Answer { stopped }| stopped)
        }
        None => 0,
    };
    show::line(&match stopped {
        _ if json => json!({ "stopped": stopped }).to_string(),
        0 => "nothing was running".to_owned(),
        1 => "stopped 1 call".to_owned(),
        more => format!("stopped {more} calls"),
    })
}
