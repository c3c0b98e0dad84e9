//! The agent through the one guarded path, in a real Chrome.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod local_model;
mod support;
mod vendors;
