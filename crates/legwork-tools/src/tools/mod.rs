//! The tools, one a file. Each takes a [`Permitted`] action and nothing else.

mod back;
pub(crate) mod batch;
mod clear_console;
mod click;
mod close;
mod console;
mod dialog;
mod downloads;
mod drag;
mod eval;
mod extract;
pub(crate) mod fields;
mod fill_form;
mod find;
mod forward;
mod hover;
mod navigate;
mod network;
mod offline;
mod open;
mod press_key;
mod query;
mod read_image;
mod reload;
mod resize;
mod screenshot;
mod scroll;
mod select;
mod snapshot;
mod tabs;
mod type_text;
mod upload;
mod wait;
mod workers;

mod act;

use std::time::Duration;

use legwork_engine::Target;
use legwork_protocol::{Action, Reply, Span, ToolError};

use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

/// A tool: how its arguments are carried out.
pub(crate) trait Execute: Sized {
    fn run(
        permitted: Permitted<Self>,
        desk: &Desk,
    ) -> impl Future<Output = Result<Reply, ToolError>> + Send;
}

/// The action in its one spelling: what `browser_act` asks for is another tool's work, and is judged as
/// such.
pub(crate) fn canonical(action: Action, desk: &Desk) -> Result<Action, ToolError> {
    match action {
        Action::Act(act) => act::meaning(act, desk),
        other => Ok(other),
    }
}

macro_rules! dispatch {
    ($permitted:ident, $desk:ident, $($kind:ident)*) => {
        match $permitted.action() {
            $(Action::$kind(_) => {
                let inside = $permitted.narrow(|action| match action {
                    Action::$kind(arguments) => arguments,
                    _ => unreachable!("matched above"),
                });
                Execute::run(inside, $desk).await
            })*
            Action::Act(_) | Action::Batch(_) => {
                Err(ToolError::invalid("a batch cannot hold another batch"))
            }
        }
    };
}

/// Carries out an action that may be done.
pub(crate) async fn execute(desk: &Desk, permitted: Permitted<Action>) -> Result<Reply, ToolError> {
    dispatch!(
        permitted, desk,
        Navigate Snapshot Find Query Click Type FillForm PressKey Select Hover Scroll Drag Upload
        Wait Eval Extract TakeScreenshot HandleDialog Tabs Back Forward Reload Resize
        RecentConsoleLogs ClearConsoleLogs GetNetworkSources GetServiceWorkers SetOffline Downloads
        ReadImage Open Close
    )
}

/// No name of anything on a page is longer.
const LONGEST_TARGET: usize = 2000;

/// Whether a target is whatever has the focus.
pub(crate) fn is_focus(target: &str) -> bool {
    target.trim() == ":focus"
}

/// What a target means to the engine.
pub(crate) fn target(text: &str) -> Result<Target, ToolError> {
    if text.trim().is_empty() {
        let error = ToolError::invalid("the target is empty");
        return Err(error.with_hint("give a ref such as e12, visible words, CSS or XPath"));
    }
    if text.len() > LONGEST_TARGET {
        return Err(ToolError::invalid(format!("the target has {} characters", text.len())));
    }
    Ok(Target::parse(text))
}

/// Does something that has no time-out of its own within the one that was asked for, or 15 seconds.
async fn in_time<T>(
    timeout: Option<Span>,
    what: &str,
    doing: impl Future<Output = Result<T, ToolError>>,
) -> Result<T, ToolError> {
    let patience = patience(timeout);
    tokio::time::timeout(patience, doing).await.unwrap_or_else(|_| {
        Err(from_engine(legwork_engine::Error::Timeout { what: what.to_owned(), after: patience }))
    })
}

/// A time-out that was asked for, or 15 seconds.
pub(crate) fn patience(timeout: Option<Span>) -> Duration {
    timeout.map_or(Duration::from_secs(15), |span| span.0)
}
