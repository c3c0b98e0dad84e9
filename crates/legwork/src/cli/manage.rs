//! Commands about the program itself: tools, configuration, sessions, daemon.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use legwork_protocol::client::Session;
use legwork_protocol::{Code, Set, Spec, find};
use serde_json::{Value, json};

use super::failure::{Exit, Failure};
use super::show;
use crate::approve::Asker;
use crate::config::{Config, KEYS};
use crate::daemon::Place;
use crate::daemon::link::{Link, Listening};

/// Which tools to list.
#[derive(Debug, Args)]
pub struct Tools {
    /// Only this one, with its arguments
    tool: Option<String>,
    /// Only those of a set: core, devtools, sidecar, assistant or all
    #[arg(long, value_name = "NAME", default_value = "all")]
    set: String,
}

/// What to do with the daemon.
#[derive(Debug, Subcommand)]
pub enum Daemon {
    /// Says whether it runs and what it holds
    #[command(after_help = "Example:\n  legwork daemon status")]
    Status,
    /// Ends it with its sessions
    #[command(after_help = "Example:\n  legwork daemon stop\n  legwork daemon stop --all")]
    Stop {
        /// Also those of other configurations
        #[arg(long)]
        all: bool,
    },
    /// Is the daemon
    #[command(
        hide = true,
        after_help = "Example:\n  legwork daemon run --socket /run/user/1000/legwork/d.sock"
    )]
    Run {
        /// Where it is called
        #[arg(long)]
        socket: PathBuf,
    },
}

impl Tools {
    pub(super) fn show(&self, json: bool) -> Result<(), Failure> {
        let tools = match &self.tool {
            Some(name) => vec![find(name).ok_or_else(|| {
                Failure::new(
                    Exit::Usage,
                    Code::UnknownTool.text(),
                    format!("there is no tool {name:?}"),
                )
                .with_hint("`legwork tools` lists them")
            })?],
            None => Set::tools(&self.set).ok_or_else(|| {
                let message = format!("there is no set {:?}", self.set);
                Failure::new(Exit::Usage, Code::InvalidInput.text(), message)
                    .with_hint(format!("the sets are {}", Set::NAMES.join(", ")))
            })?,
        };
        if json {
            let all: Vec<Value> = tools.iter().map(|tool| described(tool)).collect();
            return show::line(&Value::from(all).to_string());
        }
        let one = |tool: &&Spec| match self.tool {
            Some(_) => in_full(tool),
            None => format!("{:<28} {}", tool.name, tool.about),
        };
        show::line(&tools.iter().map(one).collect::<Vec<_>>().join("\n"))
    }
}

fn described(tool: &Spec) -> Value {
    json!({ "name": tool.name, "about": tool.about, "arguments": tool.schema })
}

fn in_full(tool: &Spec) -> String {
    let mut lines = vec![format!("{}: {}", tool.name, tool.about)];
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    let required = tool.schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| {
        required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
    };
    for name in properties.into_iter().flatten().map(|(name, _)| name) {
        let about = tool.about_argument(name);
        let mark = if is_required(name) { "" } else { "?" };
        lines.push(format!("  {:<14} {about}", format!("{name}{mark}")));
    }
    lines.join("\n")
}

/// Shows the configuration in force.
pub(super) fn config(config: &Config, json: bool) -> Result<(), Failure> {
    if json {
        let keys = KEYS.iter().map(|key| {
            let value = json!({
                "value": config.values.show(key.name), "from": config.origin(key.name).to_string(),
                "about": key.about,
            });
            (key.name.to_owned(), value)
        });
        let keys: serde_json::Map<String, Value> = keys.collect();
        return show::line(&json!({ "file": config.file, "keys": keys }).to_string());
    }
    let file = match &config.file {
        Some(file) => format!("# file: {}", file.display()),
        None => "# file: none".to_owned(),
    };
    let line = |key: &crate::config::Key| {
        let value = format!("{} = {}", key.name, config.values.show(key.name));
        format!("{value:<36} # {}", config.origin(key.name))
    };
    let lines: Vec<String> = std::iter::once(file).chain(KEYS.iter().map(line)).collect();
    show::line(&lines.join("\n"))
}

/// Lists the open sessions. Without a daemon there are none.
pub(super) async fn sessions(place: &Place, json: bool) -> Result<(), Failure> {
    let open = match Link::running(place).await? {
        Some(link) => link.sessions().await?,
        None => Vec::new(),
    };
    if json {
        return show::line(&json!({ "sessions": listed(&open) }).to_string());
    }
    if open.is_empty() {
        return show::line("no session is open");
    }
    show::line(&open.iter().map(session).collect::<Vec<_>>().join("\n"))
}

fn session(session: &Session) -> String {
    let tabs = if session.tabs == 1 { "tab" } else { "tabs" };
    let url = session.url.as_deref().unwrap_or("no page yet");
    let guard = session.guard.as_deref().unwrap_or("not told");
    format!("{}: {url} ({} {tabs}, guard: {guard})", session.session_id, session.tabs)
}

fn listed(sessions: &[Session]) -> Vec<Value> {
    let one = |session: &Session| {
        let Session { session_id, url, tabs, guard, headless } = session;
        json!({ "session": session_id, "url": url, "tabs": tabs, "guard": guard, "headless": headless })
    };
    sessions.iter().map(one).collect()
}

/// Shows or ends the daemon.
pub(super) async fn daemon(
    action: Daemon,
    config: &Config,
    place: &Place,
    json: bool,
) -> Result<(), Failure> {
    match action {
        Daemon::Stop { all } => stop(place, all).await,
        _ => status(config, place, json).await,
    }
}

/// The policy in force, the daemon with its sessions and their guards, and the sessions of other processes.
pub(super) async fn status(config: &Config, place: &Place, json: bool) -> Result<(), Failure> {
    let log = place.log.display().to_string();
    let (preset, file) = (config.rules.starts_from().name, config.rules.file());
    let told = json!({ "preset": preset, "file": file });
    let from = file.map(|file| format!(" and {}", file.display())).unwrap_or_default();
    let unsaid = match config.values.policy.told() {
        None => {
            " (no policy is set: every site may be reached; `legwork config --help` tells how to name one)"
        }
        Some(_) => "",
    };
    let policy = format!("policy: preset {preset}{from}{unsaid}");
    let Some(link) = Link::running(place).await? else {
        let others = Others::but(None).await?;
        let none = json!({
            "running": false, "policy": told, "socket": place.socket, "log": log,
            "elsewhere": others.data(),
        });
        let plain = format!("{policy}\nno daemon is running; the first call starts one{others}");
        return show::line(&if json { none.to_string() } else { plain });
    };
    let (version, process, sessions) = (link.version(), link.process(), link.sessions().await?);
    let others = Others::but(process).await?;
    if json {
        let status = json!({
            "running": true, "policy": told, "version": version.version, "process": process,
            "sessions": listed(&sessions), "socket": place.socket, "log": log,
            "elsewhere": others.data(),
        });
        return show::line(&status.to_string());
    }
    let process = process.map_or("unknown".to_owned(), |process| process.to_string());
    let sessions: String = sessions.iter().map(|one| format!("\n  {}", session(one))).collect();
    let socket = place.socket.display();
    let head = format!("{policy}\nrunning: version {}, process {process}", version.version);
    show::line(&format!(
        "{head}\nsocket: {socket}\nlog: {log}\nsessions:{}{others}",
        match sessions.as_str() {
            "" => " none",
            some => some,
        }
    ))
}

/// Processes other than this daemon that hold sessions: MCP servers, sidecars, daemons of other configurations.
struct Others(Vec<(Option<u32>, Vec<Session>)>);

impl Others {
    async fn but(daemon: Option<i32>) -> Result<Others, Failure> {
        let all = Asker::but(daemon).await.map_err(|error| Failure::daemon(&error))?;
        let mut others = Vec::new();
        for mut process in all {
            // One that ends just now holds nothing.
            others.push((process.process, process.sessions().await.unwrap_or_default()));
        }
        others.retain(|(_, sessions)| !sessions.is_empty());
        Ok(Others(others))
    }

    fn data(&self) -> Vec<Value> {
        let one = |(process, sessions): &(Option<u32>, Vec<Session>)| json!({ "process": process, "sessions": listed(sessions) });
        self.0.iter().map(one).collect()
    }
}

impl std::fmt::Display for Others {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (process, sessions) in &self.0 {
            write!(f, "\nsessions of process {}:", process.unwrap_or_default())?;
            sessions.iter().try_for_each(|one| write!(f, "\n  {}", session(one)))?;
        }
        Ok(())
    }
}

async fn stop(place: &Place, all: bool) -> Result<(), Failure> {
    let sockets = if all { Place::all() } else { vec![place.socket.clone()] };
    let mut stopped = 0;
    for socket in sockets {
        match Listening::at(&socket).await? {
            Some(listening) => {
                listening.stop().await?;
                stopped += 1;
            }
            // Nobody listens any more.
            None => drop(std::fs::remove_file(&socket)),
        }
    }
    show::line(match stopped {
        0 => "no daemon was running",
        _ => "done",
    })
}
