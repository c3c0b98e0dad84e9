//! `legwork site`: the descriptions of shops, to check, show, list and draft.

mod new;

use clap::Subcommand;
use legwork_shop::config::near;
use legwork_shop::site::{Phase, Site, SiteError};
use legwork_tools::Rules;
use serde_json::json;

use super::failure::{Exit, Failure};
use super::shop::unusable;
use super::{Globals, show};
use crate::shop::{self, Folder, Found};

/// What to do with descriptions of shops.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Reads a description, tells every mistake in it, and shows the rules that follow
    #[command(
        after_help = "Example:\n  legwork site check corner-shop.toml\n  legwork site check metro\n\nA description with mistakes ends it with exit code 2."
    )]
    Check {
        /// The name, or a file
        #[arg(value_name = "NAME|FILE", value_hint = clap::ValueHint::AnyPath)]
        name: String,
    },
    /// Drafts a description from one visit to a shop, in which nobody signs in and nothing is bought
    #[command(
        after_help = "Example:\n  legwork site new https://shop.example -o shop.toml\n  legwork site check shop.toml\n\nAt a terminal it asks what the visit did not show; elsewhere that is marked in the draft, and said.\nWhat is no shop ends it with exit code 1."
    )]
    New(new::Arguments),
    /// Lists the shops that can be named: your own in the folder `sites`, and those that are built in
    #[command(after_help = "Example:\n  legwork site list")]
    List,
    /// Shows a description, as a beginning for one of your own
    #[command(after_help = "Example:\n  legwork site show metro > my-shop.toml")]
    Show {
        /// The name, or a file
        #[arg(value_name = "NAME|FILE", value_hint = clap::ValueHint::AnyPath)]
        name: String,
    },
}

pub(super) fn run(globals: &Globals, command: Command) -> Result<(), Failure> {
    let folder = Folder::usual().map_err(unusable)?;
    match command {
        Command::Check { name } => {
            check(&shop::site(&folder, &name).map_err(unusable)?, globals.json)
        }
        Command::New(arguments) => new::run(globals, &arguments),
        Command::List => list(&folder, globals.json),
        Command::Show { name } => {
            let found = shop::site(&folder, &name).map_err(unusable)?;
            match globals.json {
                true => show::line(
                    &json!({ "name": found.name, "file": found.file, "text": found.text })
                        .to_string(),
                ),
                false => show::line(&found.text),
            }
        }
    }
}

fn list(folder: &Folder, as_json: bool) -> Result<(), Failure> {
    let all = shop::sites(folder);
    if as_json {
        let one = |found: &Found| {
            let site = found.site();
            let wrong = site.as_ref().err().map(|error| format!("{error:#}"));
            let site = site.ok();
            json!({
                "name": found.name, "file": found.file, "wrong": wrong,
                "shop": site.as_ref().map(|site| &site.name),
                "home": site.as_ref().map(|site| site.home.as_str()),
            })
        };
        let all: Vec<_> = all.iter().map(one).collect();
        return show::line(&json!({ "sites": all }).to_string());
    }
    let line = |found: &Found| match found.site() {
        Ok(site) => format!("{}: {} ({}), {}", found.name, site.name, site.home, found.place()),
        Err(error) => format!("{}: cannot be used: {error:#}", found.name),
    };
    show::line(&all.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn check(found: &Found, as_json: bool) -> Result<(), Failure> {
    let site = match Site::check(&found.text) {
        Ok(site) => site,
        Err(mistakes) => return Err(wrong(mistakes, found, as_json)?),
    };
    for phase in [Phase::Shopping, Phase::SignIn] {
        Rules::parse(&site.policy(phase)).map_err(|error| Failure::policy(&error))?;
    }
    if as_json {
        let [shopping, sign_in] = [Phase::Shopping, Phase::SignIn].map(|phase| site.policy(phase));
        let policy = json!({ "shopping": shopping, "sign_in": sign_in });
        return show::line(
            &json!({ "name": site.name, "mistakes": [], "warnings": site.warnings(), "policy": policy })
                .to_string(),
        );
    }
    show::line(&told(&site, found))
}

/// What a site that can be used comes to.
fn told(site: &Site, found: &Found) -> String {
    let variables = site.sign_in.as_ref().map(|form| {
        let names: Vec<&str> = form.fields.iter().map(|field| field.env.as_str()).collect();
        names.join(" and ")
    });
    let way_in = match (variables, &site.signed_in) {
        (Some(names), Some(_)) => format!("signs in with {names}, or by hand"),
        (Some(names), None) => format!(
            "signs in with {names}; not by hand, since no [signed_in] says how to tell that one is"
        ),
        (None, Some(_)) => "is signed in to by hand: `legwork authenticate`".to_owned(),
        (None, None) => "needs no sign-in, as far as this says".to_owned(),
    };
    let open: String =
        site.warnings().iter().map(|warning| format!("\nwarning: {warning}")).collect();
    format!(
        "ok: {} describes {}, which {way_in}{open}\n\n# While it is shopped, these are the rules:\n{}",
        called(found),
        site.name,
        site.policy(Phase::Shopping)
    )
}

/// What a description is called where it is spoken of.
fn called(found: &Found) -> String {
    found.file.as_ref().map_or_else(|| found.name.clone(), |file| file.display().to_string())
}

/// Tells all mistakes on standard output, and fails.
fn wrong(mistakes: Vec<SiteError>, found: &Found, as_json: bool) -> Result<Failure, Failure> {
    let count = mistakes.len();
    if as_json {
        let one = |mistake: &SiteError| {
            let (line, column) = mistake.place.unwrap_or((1, 1));
            json!({ "line": line, "column": column, "message": mistake.message, "hint": hint(mistake) })
        };
        let all: Vec<_> = mistakes.iter().map(one).collect();
        show::line(&json!({ "mistakes": all }).to_string())?;
    } else {
        for mistake in mistakes {
            let hint = hint(&mistake).map(|hint| format!(" ({hint})")).unwrap_or_default();
            show::line(&format!("{}{hint}", mistake.in_file(called(found).as_ref())))?;
        }
    }
    let number = if count == 1 { "a mistake".to_owned() } else { format!("{count} mistakes") };
    let message = format!("{} has {number}", called(found));
    let hint = "docs/sites.md explains each line; `legwork site show metro` is an example";
    Ok(Failure::new(Exit::Usage, "invalid_site", message).with_hint(hint))
}

/// What was meant by a word that is not known.
fn hint(mistake: &SiteError) -> Option<String> {
    let (_, rest) = mistake.message.split_once("unknown field `")?;
    let (word, rest) = rest.split_once('`')?;
    let known = rest.split('`').skip(1).step_by(2);
    near(word, known).map(|meant| format!("did you mean `{meant}`?"))
}
