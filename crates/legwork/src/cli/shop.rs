//! `legwork shop`: a list in, a filled cart out. Nothing is ordered or paid. What it is told is read here
//! and put together elsewhere; the trip itself is followed in `trip`.

mod asking;
mod attend;
mod dry;
mod prefs;
mod trip;

use clap::{Args, Subcommand};
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
    shop: Said,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Shows and changes what was chosen for items before
    #[command(
        after_help = "Example:\n  legwork shop prefs\n  legwork shop prefs set \"oat milk\" --product \"Oat 1 L\" --url https://shop.example/p/1 --price-ceiling 5.00\n  legwork shop prefs forget \"oat milk\""
    )]
    Prefs(prefs::Arguments),
}

pub(super) fn run(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    if let Some(Action::Prefs(arguments)) = arguments.action {
        return prefs::run(globals, arguments);
    }
    unruled(globals)?;
    let folder = Folder::usual().map_err(unusable)?;
    let dry_run = arguments.shop.dry_run;
    let plan = Plan::of(arguments.shop, &folder).map_err(unusable)?;
    let runtime = threads()?;
    let done = match dry_run {
        true => runtime.block_on(dry::run(&plan, &folder, globals.json)),
        false => runtime.block_on(trip::run(globals, &plan, &folder)),
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
        .with_hint("`legwork site check NAME` shows the rules that follow from it")),
    }
}

/// What was said or is configured cannot be used; or the list cannot.
pub(super) fn unusable(error: anyhow::Error) -> Failure {
    let list = "docs/shopping.md shows the way from a list to a cart";
    let service = "docs/home-assistant.md shows how a list there is set up";
    let (exit, code, hint) = match error.downcast_ref::<ListError>() {
        Some(ListError::Refused { .. }) => (Exit::Tool, "refused", service),
        Some(ListError::Service { .. }) => (Exit::Tool, "list_unreachable", service),
        Some(ListError::Write { .. } | ListError::Gone { .. }) => (Exit::Tool, "file_error", list),
        _ => (Exit::Usage, "invalid_input", list),
    };
    Failure::new(exit, code, format!("{error:#}")).with_hint(hint)
}
