//! The command line. Each command becomes a tool call with the tool's own typed arguments, sent to the
//! daemon; no command means anything of its own.

mod act;
mod approve;
mod assist;
mod audit;
mod authenticate;
mod batch;
mod call;
mod chat;
mod demo;
mod develop;
mod doctor;
mod failure;
mod follow;
mod go;
mod install;
mod keyboard;
mod level;
mod manage;
mod output;
mod panel;
mod player;
mod policy;
mod recipe;
mod record;
mod replay;
mod run;
mod runs;
mod secret;
mod see;
mod shop;
mod shopping;
mod show;
mod site;
mod stop;
mod undo;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};
use legwork_protocol::{Action, Reply, Span};

use crate::config::{Config, Flags};
use crate::daemon::link::{Link, Starting};
use crate::daemon::{self, Place};
use call::{Call, Shared, patience, span, too_late};
use failure::{Exit, Failure};
pub use level::Level;

/// What every command can be told.
#[derive(Debug, Args)]
pub struct Globals {
    /// Session to use, each with cookies and tabs of its own [env: LEGWORK_SESSION] [default: default]
    #[arg(long, global = true, value_name = "NAME", help_heading = "Global options")]
    session: Option<String>,
    /// Prints the whole reply as JSON
    #[arg(long, global = true, help_heading = "Global options")]
    json: bool,
    /// With --json: pictures inside, as base64
    #[arg(long, global = true, help_heading = "Global options")]
    pictures: bool,
    /// Configuration file
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub config: Option<PathBuf>,
    /// What may be reached and done: a preset (open, local, web, guarded) or a policy file
    #[arg(long, global = true, value_name = "PRESET|FILE", help_heading = "Global options")]
    pub policy: Option<String>,
    /// Shows the browser's window, for `open`, `run`, `chat`, `replay`, `shop` and `doctor`
    #[arg(long, global = true, help_heading = "Global options")]
    pub headed: bool,
    /// Folder for the record of every call, or off
    #[arg(long, global = true, value_name = "FOLDER", help_heading = "Global options")]
    audit: Option<String>,
    /// What to log to standard error: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL", value_enum, env = "LEGWORK_LOG")]
    #[arg(help_heading = "Global options", hide_env_values = true, hide_possible_values = true)]
    pub log: Option<Level>,
    /// Longest time to wait, such as 500ms, 15s or 2m
    #[arg(long, global = true, value_name = "SPAN", value_parser = span, help_heading = "Global options")]
    timeout: Option<Span>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Commands that are one tool call.
    #[command(flatten)]
    Tool(ToolCommand),
    /// Commands of the assistant.
    #[command(flatten)]
    Assist(assist::Command),
    /// Commands of the shopper.
    #[command(flatten)]
    Shopping(shopping::Command),
    /// Does several steps in one call; stops at the first that does not do what it says
    #[command(
        after_help = "Example:\n  printf 'open http://localhost:3000\\nclick \"Log in\"\\n' | legwork batch\n  legwork batch steps.json\n\nSteps are commands, one a line, JSON lines, or a JSON array: [{\"tool\": \"browser_click\", \"target\": \"e5\"}]"
    )]
    Batch {
        /// File with the steps; - is standard input
        #[arg(default_value = "-")]
        file: PathBuf,
    },
    /// Shows the daemon, its sessions, the policy and the guard in force
    #[command(after_help = "Example:\n  legwork status")]
    Status,
    /// Lists the open sessions
    #[command(after_help = "Example:\n  legwork sessions")]
    Sessions,
    /// Lists the tools, or what one takes
    #[command(after_help = "Example:\n  legwork tools\n  legwork tools browser_click")]
    Tools(manage::Tools),
    /// Finds and tests the browser; says what is wrong and how to mend it
    #[command(after_help = "Example:\n  legwork doctor")]
    Doctor,
    /// Gets a browser, by the system's package manager where it can
    #[command(after_help = "Example:\n  legwork install --yes")]
    Install(install::Arguments),
    /// Answers what calls ask before they do something, at a terminal
    #[command(
        after_help = "Example:\n  legwork approve --list\n  legwork approve 3f9c01ab22de\n  legwork approve --watch"
    )]
    Approve(approve::Arguments),
    /// Prints the completions of a shell
    #[command(
        after_help = "Example:\n  legwork completions bash > ~/.local/share/bash-completion/completions/legwork"
    )]
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Shows the configuration in force and where each value came from
    #[command(after_help = "Example:\n  legwork config")]
    Config,
    /// Lists what was done in the session, newest last, and what of it can be undone
    #[command(after_help = "Example:\n  legwork history")]
    History,
    /// Takes back the last actions of the session; says what cannot be taken back and why
    #[command(after_help = "Example:\n  legwork undo\n  legwork undo 3")]
    Undo {
        /// How many
        #[arg(default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=50))]
        count: u64,
    },
    /// Stops whatever runs in the session; the page stays as it is
    #[command(after_help = "Example:\n  legwork stop\n  legwork stop --all")]
    Stop {
        /// In every session, also of MCP servers and sidecars
        #[arg(long)]
        all: bool,
    },
    /// Shows and checks the record of every call
    #[command(after_help = "Example:\n  legwork audit list --since 1h\n  legwork audit verify")]
    Audit {
        /// What to do with it
        #[command(subcommand)]
        action: audit::Command,
    },
    /// Tries policies out, shows the rules in force, explains what they say of an action
    #[command(
        after_help = "Example:\n  legwork policy explain 'click \"Pay now\" on https://shop.example' --policy web"
    )]
    Policy {
        /// What to do with them
        #[command(subcommand)]
        action: policy::Policy,
    },
    /// Lists and checks the secrets that calls may name; never shows them
    #[command(after_help = "Example:\n  legwork secret list\n  legwork secret check shop-password")]
    Secret {
        /// What to do with them
        #[command(subcommand)]
        action: secret::Command,
    },
    /// Shows or ends the daemon that holds the sessions
    #[command(after_help = "Example:\n  legwork daemon status\n  legwork daemon stop")]
    Daemon {
        /// What to do with it
        #[command(subcommand)]
        action: manage::Daemon,
    },
}

/// Commands that are one tool call, and may be steps of a batch.
#[derive(Debug, Subcommand)]
pub enum ToolCommand {
    /// Moving.
    #[command(flatten)]
    Go(go::Command),
    /// Looking.
    #[command(flatten)]
    See(see::Command),
    /// Acting.
    #[command(flatten)]
    Act(act::Command),
    /// Looking under the page.
    #[command(flatten)]
    Develop(develop::Command),
}

impl ToolCommand {
    fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        match self {
            ToolCommand::Go(command) => command.call(shared),
            ToolCommand::See(command) => command.call(shared),
            ToolCommand::Act(command) => command.call(shared),
            ToolCommand::Develop(command) => command.call(shared),
        }
    }
}

/// Runs a command. `program` is what completions are made of.
pub fn run(globals: Globals, command: Command, program: clap::Command) -> ExitCode {
    let json = globals.json;
    match dispatch(globals, command, program) {
        Ok(()) => ExitCode::from(Exit::Done as u8),
        Err(failure) => failure.tell(json),
    }
}

fn dispatch(globals: Globals, command: Command, mut program: clap::Command) -> Result<(), Failure> {
    match command {
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut program, "legwork", &mut script);
            show::bytes(&script)
        }
        Command::Assist(command) => command.run(&globals),
        Command::Shopping(command) => command.run(&globals),
        Command::Tools(tools) => tools.show(globals.json),
        Command::Config => manage::config(&globals.load(true)?, globals.json),
        Command::Approve(arguments) => {
            let config = globals.load(false)?;
            finish(runtime()?, approve::run(arguments, &config, globals.json))
        }
        Command::History => globals.send(&undo::history()),
        Command::Undo { count } => globals.send(&undo::undo(count)),
        Command::Policy { action } => policy::run(action, &globals),
        Command::Stop { all } => runtime()?.block_on(stop::run(&globals, all)),
        Command::Audit { action } => action.run(&globals),
        Command::Secret { action } => {
            let config = globals.load(false)?;
            runtime()?.block_on(secret::run(action, &config.vault, globals.json))
        }
        Command::Doctor => runtime()?.block_on(doctor::run(&globals)),
        Command::Install(arguments) => install::run(&arguments, &globals.load(false)?),
        Command::Daemon { action: manage::Daemon::Run { socket } } => {
            let config = globals.load(false)?;
            let runtime = tokio::runtime::Runtime::new().context("no async runtime");
            let ran = runtime.and_then(|runtime| runtime.block_on(daemon::run(&config, &socket)));
            ran.map_err(|error| Failure::daemon(&error))
        }
        Command::Daemon { action } => {
            let (config, place) = (globals.load(false)?, globals.place()?);
            runtime()?.block_on(manage::daemon(action, &config, &place, globals.json))
        }
        Command::Status => {
            let config = globals.load(false)?;
            let place = globals.place()?;
            runtime()?.block_on(manage::status(&config, &place, globals.json))
        }
        Command::Sessions => {
            let place = globals.place()?;
            runtime()?.block_on(manage::sessions(&place, globals.json))
        }
        Command::Batch { file } => {
            let call = batch::call(&file, &globals.shared());
            globals.call(call.map_err(|error| Failure::usage(&error))?)
        }
        Command::Tool(command) => {
            let call = command.call(&globals.shared());
            globals.call(call.map_err(|error| Failure::usage(&error))?)
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("no async runtime").map_err(|error| Failure::daemon(&error))
}

/// Does the work, and ends its runtime at once: a read of the keyboard cannot be cancelled, so it is not
/// waited for.
fn finish<T>(runtime: tokio::runtime::Runtime, work: impl Future<Output = T>) -> T {
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done
}

impl Globals {
    /// What was said of the configuration.
    pub fn flags(&self) -> Flags {
        Flags {
            config: self.config.clone(),
            headed: self.headed,
            audit: self.audit.clone(),
            policy: self.policy.clone(),
        }
    }

    /// The session that was named, or the usual one.
    fn session(&self) -> String {
        self.named_session().unwrap_or_else(|| "default".to_owned())
    }

    /// The session, if one was named.
    fn named_session(&self) -> Option<String> {
        let said = self.session.clone().or_else(|| std::env::var("LEGWORK_SESSION").ok());
        said.filter(|name| !name.is_empty())
    }

    /// The configuration. A window is asked for when a session is opened, not of the daemon.
    fn load(&self, with_flags: bool) -> Result<Config, Failure> {
        let headed = self.headed && with_flags;
        Config::load(&Flags { headed, ..self.flags() }).map_err(Failure::config)
    }

    fn place(&self) -> Result<Place, Failure> {
        Place::of(&self.load(false)?).map_err(|error| Failure::daemon(&error))
    }

    fn shared(&self) -> Shared {
        Shared { timeout: self.timeout, headed: self.headed }
    }

    fn starting(&self) -> Result<Starting, Failure> {
        let mut arguments = Vec::new();
        if let Some(file) = &self.config {
            let file = call::absolute(file).map_err(|error| Failure::usage(&error))?;
            arguments.extend(["--config".to_owned(), file]);
        }
        if let Some(audit) = &self.audit {
            let audit = match audit.as_str() {
                "off" => audit.clone(),
                folder => {
                    call::absolute(folder.as_ref()).map_err(|error| Failure::usage(&error))?
                }
            };
            arguments.extend(["--audit".to_owned(), audit]);
        }
        // Said as it was understood here: a relative path may mean another file to the daemon.
        if let Some(policy) = self.load(false)?.values.policy.told() {
            arguments.extend(["--policy".to_owned(), policy]);
        }
        Ok(Starting { arguments })
    }

    fn call(&self, call: Call) -> Result<(), Failure> {
        // What cannot be read is a slip of the keyboard, and needs no daemon.
        Action::parse(&call.tool, call.arguments.clone()).map_err(Failure::unreadable)?;
        self.send(&call)
    }

    /// Sends a call to the daemon and shows what it answers.
    fn send(&self, call: &Call) -> Result<(), Failure> {
        let place = self.place()?;
        let starting = self.starting()?;
        let reply = finish(runtime()?, self.answered(&place, &starting, call))?;
        let how = match self.json {
            true => show::How::Json { pictures: self.pictures, files: self.load(false)?.files() },
            false => show::How::Text,
        };
        show::reply(reply, call, how)
    }

    /// Sends the call. An interrupt or a time-out hangs up, which cancels it.
    async fn answered(
        &self,
        place: &Place,
        starting: &Starting,
        call: &Call,
    ) -> Result<Reply, Failure> {
        let sent = async {
            let link = Link::open(place, starting).await?;
            let session = self.session();
            let person = approve::Here::attend(&session).await;
            tokio::select! {
                answer = link.call(&session, &call.tool, call.arguments.clone()) => answer,
                () = approve::answer(person) => std::future::pending().await,
            }
        };
        tokio::select! {
            answer = sent => answer.map_err(Failure::from),
            _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
            () = patience(self.timeout, call) => Err(Failure::from(too_late(self.timeout))),
        }
    }
}

impl Command {
    /// Whether this is the daemon itself, which logs more than others.
    pub fn is_daemon(&self) -> bool {
        matches!(self, Command::Daemon { action: manage::Daemon::Run { .. } })
    }
}
