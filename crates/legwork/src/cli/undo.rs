//! What was done in a session, and taking it back.

use serde_json::Map;

use super::call::Call;

/// Asks what was done.
pub(super) fn history() -> Call {
    Call::new("browser.history", Map::new())
}

/// Asks to take the last so many actions back.
pub(super) fn undo(count: u64) -> Call {
    Call::new("browser.undo", Map::from_iter([("count".to_owned(), count.into())]))
}
