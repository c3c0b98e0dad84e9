//! Browser semantics in plain Rust types.
