//! What is done about errors before a model hears of them: what is safe to repeat is repeated, a little later
//! each time, and beside an error about elements stands the page as it is now.

use std::time::Duration;

use legwork_protocol::{Action, Code, Reply, ToolError, find};
use serde_json::{Map, Value};

use super::mind::Mind;

/// How long to wait before each repetition.
const BACKOFF: &[Duration] = &[Duration::from_millis(400), Duration::from_millis(1_600)];

impl Mind<'_> {
    /// Calls a tool, again where that is safe and may help.
    pub(super) async fn call(&mut self, action: &Action) -> Result<Reply, ToolError> {
        let mut waits = BACKOFF.iter();
        loop {
            let answered = self.hands.call(action.tool(), arguments(action)).await;
            let Err(error) = &answered else { return answered };
            let again = is_passing(error.code) && is_repeatable(action);
            let Some(wait) = waits.next().filter(|_| again) else { return answered };
            self.hands.doing(&format!("trying again after {}", error.code));
            tokio::time::sleep(*wait).await;
        }
    }
}

fn arguments(action: &Action) -> Map<String, Value> {
    match action.arguments() {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    }
}

/// Whether an error may be gone in a moment.
fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::FrameGone
            | Code::PageCrashed
            | Code::BrowserCrashed
            | Code::NavigationFailed
            | Code::ProtocolError
            | Code::SidecarFailed
    )
}

/// Whether twice is the same as once. A wait that was in vain is an answer.
fn is_repeatable(action: &Action) -> bool {
    let hints = find(action.tool()).map(|spec| spec.hints);
    hints.is_some_and(|hints| hints.read_only || hints.idempotent)
        && !matches!(action, Action::Wait(_))
}

/// Whether there is no browser to go on with, whatever a model thinks of.
pub(super) fn is_hopeless(code: Code) -> bool {
    matches!(
        code,
        Code::BrowserNotFound | Code::LaunchFailed | Code::ProfileInUse | Code::SidecarNotFound
    )
}

/// Whether the page as it is now belongs beside the error.
pub(super) fn needs_fresh_view(code: Code) -> bool {
    matches!(
        code,
        Code::StaleRef
            | Code::Intercepted
            | Code::NotActionable
            | Code::FrameGone
            | Code::PageCrashed
    )
}

/// What to do about an error, in our words: its own may quote the page.
pub(super) fn advice(code: Code) -> &'static str {
    match code {
        Code::StaleRef | Code::FrameGone => "The page changed: use the refs of the page below.",
        Code::NotFound => {
            "Look for other words, scroll, or wait for it; browser_find shows near matches."
        }
        Code::Ambiguous => {
            "Several match: name one by its ref, or say which row or dialog it is in."
        }
        Code::Intercepted => {
            "Something else got it, which lies over it or slid into its place: look, and deal with that first."
        }
        Code::NotActionable => {
            "It cannot be acted on as it is: see why, and what has to come first."
        }
        Code::ValueDiffers => {
            "The field took something else: see what it holds and what it accepts."
        }
        Code::DialogOpen => "Answer the dialog with browser_handle_dialog.",
        Code::Denied => {
            "This is final: rules or the person decided it. Do not try it in another way; go on without it or \
             give_up."
        }
        Code::Timeout => "It did not come in time: look at what is there instead.",
        Code::NavigationFailed => "The page could not be loaded: check the address.",
        Code::InvalidInput
        | Code::UnknownTool
        | Code::UnsupportedSelector
        | Code::InvalidSelector => "Nothing was done: call it as the tools say.",
        _ => "Nothing can be said of what it did: look before you repeat it.",
    }
}
