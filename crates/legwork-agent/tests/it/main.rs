//! The agent through the one guarded path, in a real Chrome.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod assist;
mod context;
mod fence;
mod help;
mod local_model;
mod scripted;
mod support;
mod think;
mod vendors;
mod vision;
