//! `legwork site new`: a first description of a shop from one visit, in a browser that is thrown away. What the
//! visit does not show is asked of the person who is here, if one is.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use legwork_protocol::Code;
use legwork_shop::site::draft::{self, DraftError, Drafted, Facts};
use legwork_tools::{Host, Jail, Rules, Vault};
use serde_json::json;
use url::Url;

use super::super::approve::at_terminal;
use super::super::failure::{Exit, Failure};
use super::super::keyboard::Keyboard;
use super::super::run::threads;
use super::super::{Globals, show};
use crate::approve;
use crate::config::Config;

/// Which shop, and where the description goes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The shop's first page
    url: String,
    /// The file to write; standard output if none is named
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Asks nobody: what was not found out is only marked
    #[arg(long)]
    no_ask: bool,
}

pub(super) fn run(globals: &Globals, arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { url, output, no_ask } = arguments;
    let whole = if url.contains("://") { url.clone() } else { format!("https://{url}") };
    let url = Url::parse(&whole).map_err(|error| usage(format!("{url:?}: {error}")))?;
    if let Some(file) = output.as_ref().filter(|file| file.exists()) {
        return Err(usage(format!("{} is there already; name another file", file.display())));
    }
    let host = host(globals.load(true)?, &url)?;
    if !globals.json {
        eprintln!("visiting {url}: its first page, a search, the cart and the sign-in");
    }
    let asks = !no_ask && !globals.json && at_terminal();
    let runtime = threads()?;
    let drafted = runtime.block_on(async {
        tokio::select! {
            drafted = drafted(&host, &url, asks) => drafted.map_err(undone),
            () = approve::until_stopped(&host) => {
                host.close().await;
                Err(Failure::interrupted())
            }
        }
    });
    // A read of the keyboard cannot be cancelled, so it is not waited for.
    runtime.shutdown_background();
    told(&drafted?, output.as_deref(), globals.json)
}

/// Visits the shop, and asks whoever is here what could not be found out there.
async fn drafted(host: &Host, url: &Url, asks: bool) -> Result<Drafted, DraftError> {
    let facts = draft::visit(host, "site", url).await;
    host.close().await;
    let mut facts = facts?;
    if asks {
        ask(&mut facts).await;
    }
    facts.drafted()
}

/// Puts every question until it is answered, or left open by an empty line.
async fn ask(facts: &mut Facts) {
    let mut keyboard = Keyboard::new(false);
    for question in facts.questions() {
        eprintln!("\n{question}");
        loop {
            let Some(line) = keyboard.line().await else { return };
            let said = line.trim();
            match said.is_empty() {
                true => break,
                false => match facts.answer(&question, said) {
                    Ok(()) => break,
                    Err(why) => eprintln!("{why}\nOnce more, or nothing to leave it open:"),
                },
            }
        }
    }
    eprintln!();
}

/// A browser for one visit, which may look, search and follow links.
fn host(config: Config, url: &Url) -> Result<Host, Failure> {
    let rules = Rules::parse(&draft::policy(url)).map_err(|error| Failure::policy(&error))?;
    let mut settings = config.settings();
    settings.engine.attach = None;
    settings.engine.launch.user_data_dir = None;
    settings.vault = Arc::new(Vault::default());
    settings.jail = Arc::new(Jail::from(rules.uploads()));
    settings.rules = Arc::new(rules);
    Ok(Host::new(settings))
}

fn told(drafted: &Drafted, output: Option<&Path>, as_json: bool) -> Result<(), Failure> {
    let Drafted { toml, notes, missing } = drafted;
    if let Some(file) = output {
        write(file, toml)?;
    }
    if as_json {
        let all = json!({ "file": output, "text": toml, "notes": notes, "missing": missing });
        return show::line(&all.to_string());
    }
    if output.is_none() {
        show::line(toml)?;
    }
    notes.iter().for_each(|note| eprintln!("note: {note}"));
    if !missing.is_empty() {
        eprintln!("it lacks: {}", missing.join("; "));
    }
    match output {
        Some(file) => {
            let shown = file.display();
            show::line(&format!("{shown} is a draft: read it, then `legwork site check {shown}`"))
        }
        None => Ok(()),
    }
}

/// A file that is there is nobody's to write over.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let made = std::fs::File::create_new(file).and_then(|mut made| made.write_all(text.as_bytes()));
    made.map_err(|error| {
        let message = format!("{}: {error}", file.display());
        Failure::new(Exit::Tool, Code::FileError.text(), message)
    })
}

fn undone(error: DraftError) -> Failure {
    match error {
        DraftError::Closed { error, .. } => Failure::from(*error),
        error => Failure::new(Exit::Tool, "no_draft", error.to_string())
            .with_hint("docs/sites.md shows how to write one by hand"),
    }
}

fn usage(message: String) -> Failure {
    Failure::new(Exit::Usage, Code::InvalidInput.text(), message)
}
