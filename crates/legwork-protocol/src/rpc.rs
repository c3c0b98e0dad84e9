//! JSON-RPC 2.0 as it crosses a process: requests read, answers written, one object or one batch a line.
//! Never reads a tool's arguments, and needs no async runtime.

mod deed;
mod error;
mod event;
mod request;
mod response;

pub use deed::{Deed, UserAct};
pub use error::{Details, Error};
pub use event::{BrowserEvent, Saving, SavingState, SessionEvent, Subscribe};
pub use request::{Id, Incoming, Params, Request, read};
pub use response::{Message, Notification, Response};

/// The sidecar's protocol, counted up when something is changed that callers rely on.
pub const PROTOCOL: u32 = 1;

/// The oldest protocol that is still spoken.
pub const OLDEST_PROTOCOL: u32 = 1;

/// The longest line that is read, in bytes.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// The protocol both sides speak, if there is one: the caller's newest or ours, whichever is older.
pub fn negotiate(callers: u32) -> Option<u32> {
    (callers >= OLDEST_PROTOCOL).then(|| callers.min(PROTOCOL))
}

/// The version every message carries.
const VERSION: &str = "2.0";

#[cfg(test)]
mod tests;
