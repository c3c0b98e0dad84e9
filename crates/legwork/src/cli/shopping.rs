//! The commands of the shopper: a list in, a filled cart out, and nothing ordered.

use clap::Subcommand;

use super::failure::Failure;
use super::{Globals, authenticate, demo, shop, site};

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fills the cart of a shop from a list; orders and pays nothing
    #[command(
        after_help = "Example:\n  legwork shop list.yaml --site metro\n  printf 'milk\\n2x eggs\\n' | legwork shop - --site corner-shop.toml --concurrency 3\n  legwork shop --home-assistant todo.groceries\n  legwork shop list.yaml --dry-run\n\nThe list is changed after each item. The summary goes to standard output, all else to standard error.\nCtrl-C stops; the next run goes on where this one was, and adds nothing twice.\n\nExit codes: 0 everything is in the cart, 6 something was not found or failed, 1 nothing could be done,\n2 usage, configuration or list, 3 no browser, 130 interrupted"
    )]
    Shop(Box<shop::Arguments>),
    /// Signs in to a shop once, in a window, for `legwork shop`
    #[command(
        after_help = "Example:\n  legwork authenticate --site metro\n  LEGWORK_SHOP_USER=… LEGWORK_SHOP_PASSWORD=… legwork authenticate --site shop.toml --with-credentials\n\nExit codes: 0 signed in, 1 not signed in, 2 usage, configuration or site, 3 no browser, 130 interrupted"
    )]
    Authenticate(authenticate::Arguments),
    /// Checks, drafts, shows and lists the descriptions of shops
    #[command(
        after_help = "Example:\n  legwork site list\n  legwork site new https://shop.example -o shop.toml\n  legwork site check shop.toml"
    )]
    Site {
        /// What to do with them
        #[command(subcommand)]
        action: site::Command,
    },
    /// Shows the shopper at work in a store on this machine; needs no account and no key
    #[command(after_help = "Example:\n  legwork demo\n  legwork demo --headed --stay")]
    Demo(demo::Arguments),
}

impl Command {
    pub(super) fn run(self, globals: &Globals) -> Result<(), Failure> {
        match self {
            Command::Shop(arguments) => shop::run(globals, *arguments),
            Command::Authenticate(arguments) => authenticate::run(globals, arguments),
            Command::Site { action } => site::run(globals, action),
            Command::Demo(arguments) => demo::run(globals, &arguments),
        }
    }
}
