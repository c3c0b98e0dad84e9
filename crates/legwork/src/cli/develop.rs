//! Commands that look under the page: scripts, console, network, downloads, and any tool by its name.

use std::io::Read;

use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use legwork_protocol as tool;

use super::call::{Call, Prints, Shared};

/// Commands for those who build pages.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs JavaScript in the page and prints its value as JSON
    #[command(
        after_help = "Example:\n  legwork eval \"document.title\"\n  legwork eval - < script.js"
    )]
    Eval {
        /// JavaScript, or - to read it from standard input
        #[arg(allow_hyphen_values = true)]
        expression: String,
    },
    /// Prints the last console messages and errors
    #[command(after_help = "Example:\n  legwork console --limit 20\n  legwork console --clear")]
    Console {
        /// How many
        #[arg(long)]
        limit: Option<usize>,
        /// Empties the buffer instead
        #[arg(long, conflicts_with = "limit")]
        clear: bool,
    },
    /// Shows where the page's resources came from
    #[command(after_help = "Example:\n  legwork network --url /api/")]
    Network {
        /// How many
        #[arg(long)]
        limit: Option<usize>,
        /// Only addresses that contain this
        #[arg(long)]
        url: Option<String>,
    },
    /// Lists the files the page has downloaded
    #[command(after_help = "Example:\n  legwork downloads")]
    Downloads,
    /// Takes the page off the network, or back on it
    #[command(after_help = "Example:\n  legwork offline on\n  legwork offline off")]
    Offline {
        /// Off the network or on it
        #[arg(value_enum)]
        state: Switch,
    },
    /// Calls any tool with JSON arguments
    #[command(
        after_help = "Example:\n  legwork call browser_act '{\"action\": \"click\", \"selector\": \"#go\"}'"
    )]
    Call {
        /// Name, with or without browser_
        tool: String,
        /// Arguments as a JSON object, or - to read them from standard input
        #[arg(default_value = "{}")]
        arguments: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

impl Command {
    pub(super) fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        match self {
            Command::Eval { expression } => {
                let expression = or_standard_input(expression)?;
                let arguments =
                    tool::Eval { expression, timeout: shared.timeout, await_promise: None };
                Ok(Call { prints: Prints::Value, ..Call::of("browser_eval", arguments)? })
            }
            Command::Console { clear: true, .. } => {
                Call::of("browser_clear_console_logs", tool::ClearConsoleLogs {})
            }
            Command::Console { limit, .. } => {
                Call::of("browser_recent_console_logs", tool::RecentConsoleLogs { limit })
            }
            Command::Network { limit, url } => {
                Call::of("browser_get_network_sources", tool::GetNetworkSources { limit, url })
            }
            Command::Downloads => Call::of("browser_downloads", tool::Downloads {}),
            Command::Offline { state } => {
                let offline = state == Switch::On;
                Call::of("browser_set_offline", tool::SetOffline { offline })
            }
            Command::Call { tool, arguments } => {
                let arguments = or_standard_input(arguments)?;
                let arguments = serde_json::from_str(&arguments)
                    .context("the arguments are not a JSON object")?;
                Ok(Call::new(tool, arguments))
            }
        }
    }
}

/// The text itself, or standard input where it is `-`.
pub(super) fn or_standard_input(text: String) -> anyhow::Result<String> {
    if text != "-" {
        return Ok(text);
    }
    let mut read = String::new();
    std::io::stdin().read_to_string(&mut read).context("standard input cannot be read")?;
    Ok(read)
}
