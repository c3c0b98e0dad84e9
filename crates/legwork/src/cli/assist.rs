//! The commands of the assistant: plain language in, finished work out.

use clap::Subcommand;

use super::failure::Failure;
use super::{Globals, chat, panel, record, replay, run, runs};

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Does what is said in plain language, and shows how it goes
    #[command(
        after_help = "Example:\n  legwork run \"go to localhost:3000, type admin@test.com into Email, press Log in, wait for Dashboard\"\n  legwork run --plan --model anthropic:claude-sonnet-5 \"find the cheapest flight to Oslo in June\"\n  legwork run --resume\n\nImperatives such as these are understood without a model; the rest is asked of the one that is named or\nconfigured. The result goes to standard output, all else to standard error. While it runs, what you type is\nheard; Ctrl-C stops it, and --resume goes on. With --json every message is a line, and answers are read from\nstandard input in the same form."
    )]
    Run(run::Arguments),
    /// Talks: one instruction after the other in one session
    #[command(
        after_help = "Example:\n  legwork chat\n  printf 'go to localhost:3000\\nread the heading\\n' | legwork chat"
    )]
    Chat(chat::Arguments),
    /// Lists the runs there were, shows one with its steps, saves one as a recipe, or deletes them
    #[command(
        after_help = "Example:\n  legwork runs\n  legwork runs r3f9c01ab22de7788\n  legwork runs save r3f9c01ab22de7788 order.toml\n  legwork runs prune --keep 20\n\nThe latest 1000 are kept; beyond that, the oldest that are over go by themselves."
    )]
    Runs(runs::Arguments),
    /// Records what a person does in a visible browser, as a recipe
    #[command(
        after_help = "Example:\n  legwork record errand.toml http://localhost:3000\n  legwork record order.toml --parameter Item"
    )]
    Record(record::Arguments),
    /// Does a recipe again, without a model, and verifies each step
    #[command(
        after_help = "Example:\n  legwork replay order.toml item='Rye bread'\n  legwork replay order.toml --heal --model ollama:qwen3 --update"
    )]
    Replay(replay::Arguments),
    /// The assistant over a WebSocket on this machine, for a console or an extension
    #[command(
        after_help = "Example:\n  legwork panel --port 7412\n\nThe address and the token are printed, and stand in panel.json in the private folder of the daemon\nfor as long as it is served."
    )]
    Panel(panel::Arguments),
}

impl Command {
    pub(super) fn run(self, globals: &Globals) -> Result<(), Failure> {
        match self {
            Command::Run(arguments) => run::run(globals, arguments),
            Command::Chat(arguments) => chat::run(globals, arguments),
            Command::Runs(arguments) => runs::run(globals, &arguments),
            Command::Record(arguments) => record::run(globals, arguments),
            Command::Replay(arguments) => replay::run(globals, &arguments),
            Command::Panel(arguments) => panel::run(globals, arguments),
        }
    }
}
