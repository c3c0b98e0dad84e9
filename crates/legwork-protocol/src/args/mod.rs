//! The arguments of the tools. Their doc comments are what a model reads, so each is short and exact.

pub mod act;
pub mod batch;
pub mod common;
pub mod developer;
pub mod form;
pub mod navigate;
pub mod see;
pub mod sidecar;
pub mod wait;
