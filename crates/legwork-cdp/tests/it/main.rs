//! The transports, against real browsers and against peers that behave oddly.

// What tests call is part of the tests.
#![allow(clippy::unwrap_used)]

mod browser;
mod chrome;
mod large;
mod websocket;

use legwork_cdp::{Handler, RawEvent};

/// A handler that looks at nothing.
struct Deaf;

impl Handler for Deaf {
    fn event(&self, _: RawEvent<'_>) {}
}
