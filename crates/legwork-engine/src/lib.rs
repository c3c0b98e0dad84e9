//! Browser semantics in plain Rust types.

pub mod extract;
pub mod find;
pub mod keys;
pub mod picture;
