//! The doors, as programs that were started, with a real Chrome behind them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod assistant;
#[path = "../conformance/mod.rs"]
mod conformance;
mod doors;
mod events;
mod sidecar;
mod support;
#[cfg(feature = "otel")]
mod traces;
