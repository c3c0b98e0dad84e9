//! The agent through the one guarded path, in a real Chrome.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod local_model;
mod asked;
mod assist;
mod context;
mod fence;
mod help;
mod scripted;
mod errand;
mod miniwob_grammar;
mod run_direct;
mod run_flow;
#[cfg(unix)]
mod run_kill;
mod run_people;
mod run_properties;
mod run_world;
mod miniwob_replay;
mod recipe;
mod support;
mod think;
mod vendors;
mod vision;
