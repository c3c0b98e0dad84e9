//! What is said of a trip on the command line: the flags of `legwork shop`. Whatever is not said is configured,
//! or as it usually is, which `plan` puts together.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use legwork_shop::config::{MOST_AT_A_TIME, budget};

/// What was said on the command line.
#[derive(Debug, Args)]
pub struct Said {
    /// The list: a file (.yaml, .csv, or text with an item a line), or - for standard input
    #[arg(value_name = "LIST")]
    pub list: Option<PathBuf>,
    /// The list, said as a flag
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub shopping_list: Option<PathBuf>,
    /// Shops from Home Assistant: from this list, such as todo.groceries, or the configured one
    #[arg(long, value_name = "LIST", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with_all = ["list", "shopping_list"])]
    pub home_assistant: Option<String>,
    /// The shop: a name (see `legwork site list`) or the file of a description
    #[arg(long, value_name = "NAME|FILE", value_hint = clap::ValueHint::AnyPath)]
    pub site: Option<String>,
    /// Leaves alone what did not work before
    #[arg(long)]
    pub no_retry: bool,
    /// Begins a list that cannot be written back (a table, standard input) from its beginning
    #[arg(long)]
    pub afresh: bool,
    /// Items to shop for at a time, each in a tab of its own
    #[arg(long, value_name = "NUMBER", value_parser = at_a_time)]
    pub concurrency: Option<NonZeroUsize>,
    /// Time that an item may take, such as 5m, 300s or 1h [default: 5m]
    #[arg(long, value_name = "SPAN", value_parser = budget)]
    pub time_budget: Option<Duration>,
    /// Turns of a model that an item may take [default: 40]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: Option<u32>,
    /// Lets a model shop from the start: provider:name
    #[arg(long, value_name = "PROVIDER:NAME")]
    pub model: Option<String>,
    /// Asks nobody: what is not clear counts as not found
    #[arg(long, visible_alias = "yes")]
    pub no_ask: bool,
    /// Remembers also what was chosen without asking
    #[arg(long)]
    pub remember: bool,
    /// Folder of the browser's profile, which keeps the sign-in
    #[arg(long, value_name = "FOLDER")]
    pub profile: Option<PathBuf>,
    /// Leaves a picture of the cart here in the end
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// Leaves the summary here in the end, too
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// Only says what would be bought; opens no browser and changes nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// How many items at a time.
fn at_a_time(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().and_then(NonZeroUsize::new);
    let possible = number.filter(|number| number.get() <= MOST_AT_A_TIME);
    possible.ok_or_else(|| format!("expected 1 to {MOST_AT_A_TIME}"))
}
