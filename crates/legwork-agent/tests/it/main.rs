//! The agent through the one guarded path, in a real Chrome.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod asked;
mod assist;
mod backoff;
mod context;
mod errand;
mod fence;
mod help;
mod kinds;
mod local_model;
mod miniwob_grammar;
mod miniwob_replay;
#[path = "../../../legwork/tests/mcp/o200k.rs"]
mod o200k;
mod recipe;
mod reports;
mod run_budget;
mod run_direct;
mod run_flow;
#[cfg(unix)]
mod run_kill;
mod run_memory;
mod run_model;
mod run_people;
mod run_properties;
mod run_world;
mod scripted;
mod support;
mod think;
mod vendors;
mod vision;
