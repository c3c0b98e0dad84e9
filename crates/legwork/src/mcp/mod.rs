//! The MCP door: `legwork mcp` on standard input and output, `legwork serve` over HTTP. It frames and
//! unframes messages; what a tool does and whether it may is decided behind [`ToolHost`].
//!
//! [`ToolHost`]: legwork_protocol::ToolHost

mod call;
mod clients;
mod http;
mod install;
mod offer;
mod person;
mod resources;
mod server;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, Subcommand};
use legwork_tools::Host;
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::stdio_pipes;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
pub use http::{Arguments as ServeArguments, run as serve};
use offer::Offer;
use server::{Door, Server, Structured};

/// How long the browsers may take to end before the program ends without them; they follow by themselves
/// when their pipes close.
const ENDING: Duration = Duration::from_secs(5);

/// How MCP is served to one client.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    tools: Tools,
}

#[derive(Subcommand)]
enum Command {
    /// Show or write the configuration of a client
    #[command(
        after_help = "Example:\n  legwork mcp install\n  legwork mcp install cursor --tools core,devtools --write"
    )]
    Install(install::Arguments),
}

/// Which tools are listed, and how they answer.
#[derive(Args)]
pub struct Tools {
    /// Sets (core, devtools, sidecar, assistant, all) or tools to list, separated by commas; default core
    #[arg(long, value_name = "SET", value_parser = Offer::parse)]
    tools: Option<Offer>,
    /// Send replies as data beside the text; auto leaves it out for clients that would then hide the
    /// text from the model
    #[arg(long, value_enum, default_value_t)]
    structured: Structured,
}

impl Tools {
    /// What was asked for, or what the configuration says.
    fn offer(&self, config: &Config) -> anyhow::Result<Offer> {
        match &self.tools {
            Some(offer) => Ok(offer.clone()),
            None => Offer::parse(&config.values.tools.0).map_err(anyhow::Error::msg),
        }
    }
}

/// Serves one client until standard input closes, or shows how to configure one.
pub fn run(arguments: Arguments, config: &Config) -> anyhow::Result<ExitCode> {
    if let Some(Command::Install(arguments)) = arguments.command {
        return install::run(arguments);
    }
    // One thread: requests are then taken up in the order they came, and nothing waits for another
    // thread to wake.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(converse(arguments.tools, config));
    // A read of standard input that is still waiting must not keep the program.
    runtime.shutdown_background();
    ended.map(|()| ExitCode::SUCCESS)
}

async fn converse(tools: Tools, config: &Config) -> anyhow::Result<()> {
    let host = Host::new(config.settings());
    let _answers = crate::approve::listen(&host);
    let stop = CancellationToken::new();
    let server = Server::new(Door::new(host.clone(), tools.offer(config)?, tools.structured));
    let serving = async {
        match serve_server_with_ct(server, stdio_pipes(), stop.clone()).await {
            Ok(running) => running.waiting().await.map(drop).context("the server failed"),
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(error).context("no conversation was begun"),
        }
    };
    let ended = tokio::select! {
        ended = serving => ended,
        () = asked_to_end() => {
            stop.cancel();
            Ok(())
        }
    };
    let _ = tokio::time::timeout(ENDING, host.close()).await;
    ended
}

/// Waits until the system or the terminal asks this process to end.
#[cfg(unix)]
pub async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = async |kind: SignalKind| match signal(kind) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::hangup()) => {}
    }
}

#[cfg(not(unix))]
pub async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
