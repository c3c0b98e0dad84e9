//! The sidecar: JSON-RPC 2.0 on standard input and output.

use std::process::ExitCode;

use clap::Args;

/// How the sidecar is started.
#[derive(Args)]
pub struct Arguments {}

/// Serves until standard input closes.
pub fn run(_: Arguments) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
