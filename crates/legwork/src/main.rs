//! The program: one subcommand for each door.

mod mcp;
mod rpc;
mod sidecar;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A browser for AI agents.
#[derive(Parser)]
#[command(name = "legwork", version, about)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// MCP on standard input and output; `mcp install` sets up a client
    Mcp(mcp::Arguments),
    /// MCP over HTTP on this machine
    Serve(mcp::ServeArguments),
    /// JSON-RPC on standard input and output, one object a line
    Sidecar(sidecar::Arguments),
}

fn main() -> ExitCode {
    let program = Program::parse_from(sidecar::arguments(std::env::args_os()));
    let done = match program.command {
        Command::Mcp(arguments) => mcp::run(arguments),
        Command::Serve(arguments) => mcp::serve(arguments),
        Command::Sidecar(arguments) => sidecar::run(arguments),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("legwork: {error:#}");
            ExitCode::FAILURE
        }
    }
}
