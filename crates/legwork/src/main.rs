//! The program: one subcommand for each door.

mod approve;
mod assistant;
mod cli;
mod config;
mod daemon;
mod fit;
mod mcp;
mod panel;
mod rpc;
mod shop;
mod sidecar;
mod token;
mod trace;
mod view;

use std::process::ExitCode;

use anyhow::Context;
use clap::{CommandFactory, Parser, Subcommand};

use config::Config;

/// A browser for AI agents.
#[derive(Parser)]
#[command(name = "legwork", version, about, after_help = AFTER)]
struct Program {
    #[command(flatten)]
    globals: cli::Globals,
    #[command(subcommand)]
    command: Command,
}

const AFTER: &str = "Example:
  legwork open http://localhost:3000
  legwork fill Email=admin@test.com Password=secret --submit
  legwork run \"go to localhost:3000, press Log in, wait for Dashboard, take a screenshot\"

Exit codes: 0 done, 1 the tool did not do it, 2 usage or configuration, 3 no browser,
4 daemon or sidecar failed, 5 timeout, 6 shopping left something out, 130 interrupted";

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Cli(cli::Command),
    /// MCP on standard input and output; `mcp install` sets up a client
    #[command(after_help = "Example:\n  legwork mcp install claude-code --write")]
    Mcp(mcp::Arguments),
    /// MCP over HTTP on this machine
    #[command(after_help = "Example:\n  legwork serve --port 8931")]
    Serve(mcp::ServeArguments),
    /// JSON-RPC on standard input and output, one object a line
    #[command(
        after_help = "Example:\n  echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"browser.version\"}' | legwork sidecar"
    )]
    Sidecar(sidecar::Arguments),
}

fn main() -> ExitCode {
    let program = Program::parse_from(sidecar::arguments(std::env::args_os()));
    let _traces = traced(&program);
    // The doors that run tools themselves read the configuration here, and `cli` as it needs it.
    let flags = program.globals.flags();
    let config = || Config::load(&flags).context("the configuration");
    let done = match program.command {
        Command::Cli(command) => return cli::run(program.globals, command, Program::command()),
        Command::Mcp(arguments) => config().and_then(|config| mcp::run(arguments, &config)),
        Command::Serve(arguments) => config().and_then(|config| mcp::serve(arguments, &config)),
        Command::Sidecar(arguments) => config().and_then(|config| sidecar::run(arguments, config)),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("legwork: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn traced(program: &Program) -> trace::Traces {
    let is_daemon = matches!(&program.command, Command::Cli(command) if command.is_daemon());
    let runs_tools = is_daemon || !matches!(program.command, Command::Cli(_));
    let usual = if is_daemon { tracing::Level::INFO } else { tracing::Level::ERROR };
    let level = program.globals.log.map_or(usual, cli::Level::tracing);
    trace::start(level, runs_tools)
}
