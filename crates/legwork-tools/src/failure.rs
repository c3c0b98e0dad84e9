//! The engine's errors in the words of the protocol.

use legwork_engine::Error;
use legwork_protocol::{Code, ToolError};

/// What an engine's error is to a caller of tools.
pub(crate) fn from_engine(error: Error) -> ToolError {
    let code = match &error {
        Error::BrowserNotFound(_) => Code::BrowserNotFound,
        other => Code::parse(other.code()).unwrap_or(Code::Internal),
    };
    let hint = hint(&error);
    let error = ToolError::new(code, error.to_string());
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

fn hint(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::DialogOpen { .. } => "answer it with browser_handle_dialog",
        Error::NotFound { near, .. } if near.is_empty() => {
            "look with browser_snapshot or browser_find, or use browser_wait"
        }
        Error::StaleRef { .. } | Error::Changed(_) => {
            "browser_snapshot shows the page as it is now"
        }
        Error::SessionClosed => "the next call starts a new session",
        other => return other.hint(),
    })
}
