//! The tools through the one path, in a real Chrome.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod again;
mod approvals;
mod between;
#[path = "../../../legwork/tests/conformance/mod.rs"]
mod conformance;
mod files;
mod govern;
mod injection;
mod late;
mod pipeline;
mod point;
mod record;
mod records;
mod secrets;
mod site;
mod sources;
mod spellings;
mod stop;
mod table;
mod undo;
