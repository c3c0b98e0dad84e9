//! The program: one subcommand for each door.

#[allow(dead_code)]
mod config;
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
    /// JSON-RPC on standard input and output, one object a line
    Sidecar(sidecar::Arguments),
}

fn main() -> ExitCode {
    let program = Program::parse();
    let done = match program.command {
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
