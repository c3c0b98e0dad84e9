//! `legwork demo`: the shopper at work, with no account and no key. A store opens on this machine, `legwork
//! shop` is run there as anybody would run it, and then the store is asked whether all that was said is so.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use legwork_demo::lists::{Answer, ShoppingList, bundled};
use legwork_demo::{
    Faults, Harm, Options, PASSWORD, PASSWORD_VARIABLE, Store, USERNAME, USERNAME_VARIABLE,
};
use legwork_protocol::Code;
use legwork_shop::list::{ShoppingListProvider, TextList};
use tokio::process::Command;

use super::Globals;
use super::failure::{Exit, Failure};
use super::run::threads;
use crate::config;

/// The sign-in expires when the store is searched for the so-manieth time.
const EXPIRES_AT_SEARCH: u32 = 5;

/// What the trip may take, from the shopper's start to its end.
const IN_TIME: Duration = Duration::from_secs(120);

/// How the demonstration is made.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Folder for the list, the summary, the picture and the record [default: a new one]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Keeps the store open in the end, to look at the cart by hand
    #[arg(long)]
    stay: bool,
}

pub(super) fn run(globals: &Globals, arguments: &Arguments) -> Result<(), Failure> {
    let runtime = threads()?;
    let shown = runtime.block_on(async {
        tokio::select! {
            biased;
            shown = show(globals, arguments) => shown.map(Some),
            _ = tokio::signal::ctrl_c() => Ok(None),
        }
    });
    match shown? {
        None => Err(Failure::new(Exit::Interrupted, Code::Cancelled.text(), "interrupted")),
        Some(0) => Ok(()),
        Some(wrong) => {
            let message = format!("{wrong} of what was to be shown is not so");
            Err(Failure::new(Exit::Tool, "demo_failed", message))
        }
    }
}

/// Shows it all; how many things are not as they should be.
async fn show(globals: &Globals, arguments: &Arguments) -> Result<usize, Failure> {
    let began = Instant::now();
    let faults = Faults::one("GET", "/search", EXPIRES_AT_SEARCH, Harm::SignedOut);
    let latency = Duration::from_millis(40);
    let store = Store::start(Options { faults, latency, ..Options::default() }).await;
    let store = store.context("the store cannot open").map_err(|error| failed(&error))?;
    let stage = Stage::set(arguments.folder.as_deref(), &store);
    let stage = stage.map_err(|error| Failure::usage(&error))?;
    let list = bundled();
    eprintln!(
        "A store has opened at {}. On the list:\n\n  {}\n\nNow: legwork shop {} --site {}\n",
        store.origin(),
        list.text().trim_end().replace('\n', "\n  "),
        stage.list().display(),
        stage.site().display()
    );
    let ended = stage.shop(globals).await.map_err(|error| failed(&error))?;
    made(ended.status)?;
    eprintln!("\nTwo items cannot be had, so that is as it should be. What was to be shown:\n");
    let wrong = told(&stage.facts(&store, &list, &ended).await);
    let folder = stage.folder.display();
    eprintln!("\n{:.0} s. The cart's picture: {folder}/cart.png", began.elapsed().as_secs_f32());
    eprintln!("The list as it is now, the summary and the record are beside it.");
    if arguments.stay {
        eprintln!(
            "The store stays open at {} ({USERNAME}, {PASSWORD}); Ctrl-C ends it.",
            store.origin()
        );
        // Whoever ends it has seen it all.
        let _ = tokio::signal::ctrl_c().await;
    }
    Ok(wrong)
}

/// Goes on only if there was a trip. Why there was none, the shopper has told by now.
fn made(ended: ExitStatus) -> Result<(), Failure> {
    let exit = match ended.code() {
        Some(code) if code == Exit::Done as i32 || code == Exit::Incomplete as i32 => return Ok(()),
        Some(code) if code == Exit::NoBrowser as i32 => Exit::NoBrowser,
        Some(code) if code == Exit::Usage as i32 => Exit::Usage,
        _ => Exit::Tool,
    };
    let message = format!("nothing can be shown, the shopper ended with {ended}");
    Err(Failure::new(exit, "demo_failed", message))
}

fn failed(error: &anyhow::Error) -> Failure {
    Failure::new(Exit::Tool, "demo_failed", format!("{error:#}"))
}

/// Something that was to be shown, and whether it is so.
type Fact = (bool, String);

/// Says what is so and what is not; how many are not.
fn told(facts: &[Fact]) -> usize {
    for (so, what) in facts {
        eprintln!("{} {what}", if *so { "yes" } else { " NO" });
    }
    facts.iter().filter(|(so, _)| !so).count()
}

/// How the trip ended, and how long it took.
struct Trip {
    status: ExitStatus,
    took: Duration,
}

/// The folder in which everything happens.
struct Stage {
    folder: PathBuf,
}

impl Stage {
    fn set(folder: Option<&Path>, store: &Store) -> anyhow::Result<Stage> {
        let folder = match folder {
            Some(folder) => std::path::absolute(folder)?,
            None => tempfile::Builder::new().prefix("legwork-demo-").tempdir()?.keep(),
        };
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let stage = Stage { folder };
        ensure!(!stage.list().exists(), "{} is there already", stage.list().display());
        std::fs::write(stage.list(), bundled().text())?;
        std::fs::write(stage.site(), store.site_toml())?;
        Ok(stage)
    }

    fn list(&self) -> PathBuf {
        self.folder.join("list.txt")
    }

    fn site(&self) -> PathBuf {
        self.folder.join("store.toml")
    }

    fn picture(&self) -> PathBuf {
        self.folder.join("cart.png")
    }

    fn audit(&self) -> PathBuf {
        self.folder.join("audit")
    }

    /// This program again, with what is configured for the browser and none of the user's shops.
    fn program(&self, globals: &Globals) -> anyhow::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        let usual = config::usual_path("config.toml").filter(|path| path.exists());
        if let Some(config) = globals.config.clone().or(usual) {
            command.arg("--config").arg(std::path::absolute(config)?);
        }
        command.arg("--audit").arg(self.audit());
        command.env("XDG_CONFIG_HOME", self.folder.join("config")).kill_on_drop(true);
        Ok(command)
    }

    async fn shop(&self, globals: &Globals) -> anyhow::Result<Trip> {
        let mut command = self.program(globals)?;
        if globals.headed {
            command.arg("--headed");
        }
        command.arg("shop").arg(self.list()).arg("--site").arg(self.site()).arg("--no-ask");
        command.arg("--picture").arg(self.picture());
        command.arg("--summary").arg(self.folder.join("summary.md"));
        command.env(USERNAME_VARIABLE, USERNAME).env(PASSWORD_VARIABLE, PASSWORD);
        let began = Instant::now();
        let status = command.status().await.context("the shopper could not be started")?;
        Ok(Trip { status, took: began.elapsed() })
    }

    /// Everything that was to be shown, as the store and the files have it.
    async fn facts(&self, store: &Store, list: &ShoppingList, ended: &Trip) -> Vec<Fact> {
        let judgement = list.judge(&store.cart(USERNAME));
        let picture =
            std::fs::read(self.picture()).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG"));
        let summary = std::fs::read_to_string(self.folder.join("summary.md")).unwrap_or_default();
        let said = judgement.wrong.iter().chain(&judgement.missing);
        let said: Vec<&str> = said.map(String::as_str).collect();
        vec![
            (
                judgement.is_right(),
                because("the store's own cart is exactly right", &said.join("; ")),
            ),
            (
                ended.status.code() == Some(Exit::Incomplete as i32),
                because(
                    "the shopper says that something was not to be had",
                    &ended.status.to_string(),
                ),
            ),
            (
                summary.contains("dragon fruit") && summary.contains("out of stock"),
                "the summary says what is not sold and what is out of stock".into(),
            ),
            (
                self.left().await == not_bought(list),
                "the list has what could not be bought left".into(),
            ),
            (
                store.faults_done() == 1 && store.count("POST", "/sign-in") == 2,
                "the sign-in expired in the middle, and was done again".into(),
            ),
            (
                !store.reached_checkout(),
                "no page was reached where things are ordered or paid".into(),
            ),
            (
                store.third_party_requests() == 0,
                "nothing arrived at the hosts of others that the pages call".into(),
            ),
            (picture, "there is a picture of the cart".into()),
            self.audit_is_whole().await,
            (
                ended.took < IN_TIME,
                because(
                    "the trip took less than two minutes",
                    &format!("{:.0} s", ended.took.as_secs_f32()),
                ),
            ),
        ]
    }

    /// What the list still asks for.
    async fn left(&self) -> Vec<String> {
        let Ok(list) = TextList::open(&self.list()) else { return Vec::new() };
        let items = list.get_uncompleted_items().await.unwrap_or_default();
        items.into_iter().map(|item| item.name).collect()
    }

    /// Whether there is a record, and it is as it was written.
    async fn audit_is_whole(&self) -> Fact {
        let what = "the record of every call is whole";
        let records = legwork_tools::audit::Records::open(&self.audit());
        if !matches!(records, Ok(Some(_))) {
            return (false, because(what, "there is none"));
        }
        let mut verify = Command::new(std::env::current_exe().unwrap_or_default());
        verify.args(["audit", "verify"]).arg("--audit").arg(self.audit());
        match verify.output().await {
            Ok(said) => {
                let (told, ok) = (said.stdout, said.status.success());
                (ok, because(what, String::from_utf8_lossy(&told).trim()))
            }
            Err(error) => (false, because(what, &error.to_string())),
        }
    }
}

/// A sentence, and what is to be said beside it.
fn because(what: &str, why: &str) -> String {
    if why.is_empty() { what.to_owned() } else { format!("{what} ({why})") }
}

/// What a list still asks for after shopping.
fn not_bought(list: &ShoppingList) -> Vec<String> {
    let left = list.wishes.iter().filter(|wish| !matches!(wish.answer, Answer::Bought { .. }));
    left.map(|wish| wish.written.clone()).collect()
}
