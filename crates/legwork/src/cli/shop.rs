//! `legwork shop`: a list in, a filled cart out. Nothing is ordered or paid. What it is told is read here
//! and put together elsewhere; the trip itself is followed in `trip`.

mod asking;
mod attend;
mod dry;
mod prefs;
mod trip;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use legwork_shop::config::{MOST_AT_A_TIME, budget};
use legwork_shop::list::ListError;

use super::Globals;
use super::failure::{Exit, Failure};
use super::run::threads;
use crate::shop::{Folder, Plan, Said};

/// What to shop for, or what to do with what was chosen before.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    shop: Shop,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Shows and changes what was chosen for items before
    #[command(
        after_help = "Example:\n  legwork shop prefs\n  legwork shop prefs set \"oat milk\" --product \"Oat 1 L\" --url https://shop.example/p/1 --price-ceiling 5.00\n  legwork shop prefs forget \"oat milk\""
    )]
    Prefs(prefs::Arguments),
}

/// What to shop for, and how.
#[derive(Debug, Args)]
struct Shop {
    /// The list: a file (.yaml, .csv, or text with an item a line), or - for standard input
    #[arg(value_name = "LIST")]
    list: Option<PathBuf>,
    /// The list, said as a flag
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    shopping_list: Option<PathBuf>,
    /// Shops from Home Assistant: from this list, such as todo.groceries, or the configured one
    #[arg(long, value_name = "LIST", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with_all = ["list", "shopping_list"])]
    home_assistant: Option<String>,
    /// The shop: a name (see `legwork site list`) or the file of a description
    #[arg(long, value_name = "NAME|FILE")]
    site: Option<String>,
    /// Leaves alone what did not work before
    #[arg(long)]
    no_retry: bool,
    /// Begins a list that cannot be written back (a table, standard input) from its beginning
    #[arg(long)]
    afresh: bool,
    /// Items to shop for at a time, each in a tab of its own
    #[arg(long, value_name = "NUMBER", value_parser = at_a_time)]
    concurrency: Option<NonZeroUsize>,
    /// Time that an item may take, such as 5m, 300s or 1h [default: 5m]
    #[arg(long, value_name = "SPAN", value_parser = budget)]
    time_budget: Option<Duration>,
    /// Turns of a model that an item may take [default: 40]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: Option<u32>,
    /// Lets a model shop from the start: provider:name
    #[arg(long, value_name = "PROVIDER:NAME")]
    model: Option<String>,
    /// Asks nobody: what is not clear counts as not found
    #[arg(long, visible_alias = "yes")]
    no_ask: bool,
    /// Remembers also what was chosen without asking
    #[arg(long)]
    remember: bool,
    /// Folder of the browser's profile, which keeps the sign-in
    #[arg(long, value_name = "FOLDER")]
    profile: Option<PathBuf>,
    /// Leaves a picture of the cart here in the end
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Leaves the summary here in the end, too
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Only says what would be bought; opens no browser and changes nothing
    #[arg(long)]
    dry_run: bool,
}

/// How many items at a time.
fn at_a_time(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().and_then(NonZeroUsize::new);
    let possible = number.filter(|number| number.get() <= MOST_AT_A_TIME);
    possible.ok_or_else(|| format!("expected 1 to {MOST_AT_A_TIME}"))
}

impl Shop {
    fn said(self) -> Said {
        Said {
            list: self.list.or(self.shopping_list),
            home_assistant: self.home_assistant,
            site: self.site,
            no_retry: self.no_retry,
            concurrency: self.concurrency,
            time_budget: self.time_budget,
            max_turns: self.max_turns,
            model: self.model,
            no_ask: self.no_ask,
            remember: self.remember,
            profile: self.profile,
            picture: self.picture,
            summary: self.summary,
        }
    }
}

pub(super) fn run(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    if let Some(Action::Prefs(arguments)) = arguments.action {
        return prefs::run(globals, arguments);
    }
    unruled(globals)?;
    let folder = Folder::usual().map_err(unusable)?;
    let (dry_run, afresh) = (arguments.shop.dry_run, arguments.shop.afresh);
    let plan = Plan::of(arguments.shop.said(), &folder).map_err(unusable)?;
    let runtime = threads()?;
    let done = match dry_run {
        true => runtime.block_on(dry::run(&plan, &folder, afresh, globals.json)),
        false => runtime.block_on(trip::run(globals, &plan, &folder, afresh)),
    };
    // A read of the keyboard cannot be cancelled, so it is not waited for.
    runtime.shutdown_background();
    done
}

/// A shop is visited under the rules of its site. Another policy would loosen them, or break the shop.
pub(super) fn unruled(globals: &Globals) -> Result<(), Failure> {
    match globals.policy {
        None => Ok(()),
        Some(_) => Err(Failure::new(
            Exit::Usage,
            "invalid_input",
            "--policy is not for shopping: the site's description says what may be reached and done",
        )
        .with_hint("`legwork site show NAME` shows the rules that follow from it")),
    }
}

/// What was said or is configured cannot be used; or the list cannot.
pub(super) fn unusable(error: anyhow::Error) -> Failure {
    let (exit, code) = match error.downcast_ref::<ListError>() {
        Some(ListError::Refused { .. }) => (Exit::Tool, "refused"),
        Some(ListError::Service { .. }) => (Exit::Tool, "list_unreachable"),
        Some(ListError::Write { .. } | ListError::Gone { .. }) => (Exit::Tool, "file_error"),
        _ => (Exit::Usage, "invalid_input"),
    };
    Failure::new(exit, code, format!("{error:#}"))
        .with_hint("docs/shopping.md shows the way from a list to a cart")
}
