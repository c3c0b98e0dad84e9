//! `legwork authenticate`: signs in to a shop once, in the profile that `legwork shop` uses. By hand, in a
//! window in which nothing is read or typed by us; or with the credentials of the environment.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use legwork_protocol::{Code, Span};
use legwork_shop::errand::Trouble;
use legwork_shop::sign_in::{Credentials, Door, Manual};
use legwork_shop::site::Site;
use legwork_shop::trip::SESSION;

use super::call::span;
use super::failure::{Exit, Failure};
use super::run::threads;
use super::shop::{unruled, unusable};
use super::{Globals, show};
use crate::approve;
use crate::shop::{self, Folder, chosen_site};

/// Where to sign in.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The shop: a name or the file of a description; the configured one if nothing is said
    #[arg(long, value_name = "NAME|FILE", value_hint = clap::ValueHint::AnyPath)]
    site: Option<String>,
    /// Folder of the browser's profile, if not the usual one
    #[arg(long, value_name = "FOLDER")]
    profile: Option<PathBuf>,
    /// Signs in with the variables that the shop's description names, without a window
    #[arg(long)]
    with_credentials: bool,
    /// How long you may take in the window [default: 10m]
    #[arg(long, value_name = "SPAN", value_parser = span)]
    patience: Option<Span>,
}

pub(super) fn run(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    unruled(globals)?;
    threads()?.block_on(whole(globals, arguments))
}

async fn whole(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    let folder = Folder::usual().map_err(unusable)?;
    let configured = folder.config().map_err(|error| unusable(error.into()))?;
    let site = chosen_site(&folder, arguments.site.as_deref(), configured.site.as_deref());
    let site = site.and_then(|found| found.site()).map_err(unusable)?;
    if !arguments.with_credentials {
        Manual::ready(&site).map_err(|trouble| refused(trouble, &site))?;
    }
    let config = globals.load(true)?;
    let with = if arguments.profile.is_some() { " with the same --profile" } else { "" };
    let profile = arguments.profile.or(configured.profile);
    let profile = profile.unwrap_or_else(|| folder.profile(&site.name));
    let profile = std::path::absolute(profile).map_err(|error| unusable(error.into()))?;
    shop::browser_is_there(&config)?;
    let host = shop::host(&config, &site, &profile).map_err(unusable)?;
    let patience = arguments.patience.map_or(Duration::from_secs(600), |Span(time)| time);
    let door: Box<dyn Door> = match arguments.with_credentials {
        true => Box::new(Credentials),
        false => Box::new(Manual { patience }),
    };
    if !arguments.with_credentials {
        tell(&site, patience);
    }
    let entered = tokio::select! {
        entered = door.enter(&host, SESSION, &site) => entered.map_err(|trouble| refused(trouble, &site)),
        () = approve::until_stopped(&host) => Err(interrupted()),
    };
    // The profile is whole when the browser has ended.
    host.close().await;
    entered?;
    match globals.json {
        true => show::line(&serde_json::json!({ "signed_in": site.name }).to_string()),
        false => {
            let name = &site.name;
            show::line(&format!("signed in to {name}; `legwork shop` uses it from now on{with}"))
        }
    }
}

/// What the person is to do.
fn tell(site: &Site, patience: Duration) {
    let patience = match patience.as_secs() {
        seconds @ ..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    };
    eprintln!(
        "A window opens at {}. Sign in there as you always do; nothing you type is read or kept by\n\
         Legwork. This ends by itself once the shop shows that you are signed in, or after {patience}.",
        site.name
    );
}

fn refused(trouble: Trouble, site: &Site) -> Failure {
    if let Trouble::NoBrowser(error) = trouble {
        return Failure::from(error);
    }
    let (code, message, hint) = match &trouble {
        Trouble::SignedOut => (
            "signed_out",
            format!("{} does not show that you are signed in", site.name),
            "if you were, the [signed_in] of its description does not fit: docs/sites.md",
        ),
        Trouble::Network(_) => ("navigation_failed", trouble.to_string(), "try again"),
        _ => (
            "sign_in_failed",
            trouble.to_string(),
            "docs/shopping.md shows both ways to sign in, docs/sites.md what a description has to say",
        ),
    };
    Failure::new(Exit::Tool, code, message).with_hint(hint)
}

fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, Code::Cancelled.text(), "interrupted")
        .with_hint("what the shop has let in so far stays in the profile")
}
