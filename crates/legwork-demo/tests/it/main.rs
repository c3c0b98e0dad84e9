//! The store as its customers see it, over real connections.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod customer;
mod faults;
mod hostile;
mod shopping;
