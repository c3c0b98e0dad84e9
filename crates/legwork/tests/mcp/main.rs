//! The MCP door, from outside: the real program, a real Chrome, and the clients that people use.

#![allow(clippy::unwrap_used, missing_docs)]

mod asking;
mod clients;
mod cost;
mod ending;
mod http;
mod o200k;
mod stdio;
mod support;
mod tokens;
