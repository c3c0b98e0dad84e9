//! Browser semantics in plain Rust types.

pub mod find;
pub mod keys;
