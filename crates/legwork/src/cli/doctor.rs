//! `doctor`: finds the browser, starts it and loads a page, without the daemon; says what is wrong and
//! how to mend it.

use std::time::{Duration, Instant};

use legwork_protocol::{Code, ToolCall, ToolError, ToolHost};
use legwork_tools::Host;
use legwork_tools::engine::find::{self, HostSystem, Prefer, Request};
use serde_json::json;

use super::failure::{Exit, Failure};
use super::{Globals, install, show};
use crate::config::Config;
use crate::daemon::Place;
use crate::daemon::link::Listening;

/// How long a sick browser is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Examines everything a call needs.
pub(super) async fn run(globals: &Globals) -> Result<(), Failure> {
    let config = globals.load(true)?;
    let file = config.file.as_ref().map_or("none".to_owned(), |file| file.display().to_string());
    good("configuration", &format!("file {file}"))?;
    match &config.values.attach {
        Some(url) => good("browser", &format!("attached to {url}"))?,
        None => browser(&config)?,
    }
    page(&config).await?;
    sandbox()?;
    daemon(globals).await?;
    show::line("all is well")
}

fn good(what: &str, said: &str) -> Result<(), Failure> {
    show::line(&format!("ok    {what}: {said}"))
}

fn bad(what: &str, failure: Failure) -> Failure {
    let _ = show::line(&format!("wrong {what}"));
    failure
}

fn browser(config: &Config) -> Result<(), Failure> {
    let prefer = if config.values.headed { Prefer::Full } else { Prefer::HeadlessShell };
    let request = Request { explicit: config.values.browser.clone(), prefer };
    let found = find::find(&request, &HostSystem).map_err(|missing| {
        let said = missing.to_string();
        let said = said.split(" Hint: ").next().unwrap_or(&said).to_owned();
        bad(
            "browser",
            Failure::new(Exit::NoBrowser, Code::BrowserNotFound.text(), said).with_hint(format!(
                "legwork install (which runs: {}); or {}",
                install::install_hint(),
                missing.hint()
            )),
        )
    })?;
    let version = std::process::Command::new(&found.path).arg("--version").output();
    let version = version.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned());
    let version = version.ok().filter(|version| !version.is_empty());
    let version = version.unwrap_or_else(|| "version unknown".to_owned());
    good("browser", &format!("{} ({version}, by {:?})", found.path.display(), found.how))
}

async fn page(config: &Config) -> Result<(), Failure> {
    let host = Host::new(config.settings());
    let began = Instant::now();
    let url = "data:text/html,<title>Doctor</title><h1>Well</h1>";
    let arguments = [("url".to_owned(), json!(url))].into_iter().collect();
    let call = host.call(ToolCall::new("doctor", "browser_navigate", arguments));
    let loaded = tokio::time::timeout(PATIENCE, call).await;
    let took = began.elapsed();
    host.close().await;
    let late = || ToolError::new(Code::Timeout, "the browser did not load a page in time");
    match loaded.unwrap_or_else(|_| Err(late())) {
        Ok(reply) if reply.text.contains("Well") => {
            good("page", &format!("started and loaded a page in {} ms", took.as_millis()))
        }
        Ok(reply) => Err(bad(
            "page",
            Failure::new(
                Exit::Tool,
                Code::Internal.text(),
                format!("the page does not say what it should: {}", reply.text),
            ),
        )),
        Err(error) => {
            let hint = error.hint.clone().unwrap_or_else(|| cure(&error).to_owned());
            Err(bad("page", Failure::from(error.with_hint(hint))))
        }
    }
}

/// What usually helps.
fn cure(error: &ToolError) -> &'static str {
    match error.code {
        Code::LaunchFailed if error.message.contains("shared libraries") => {
            "libraries are missing; install the browser with the package manager: legwork install"
        }
        Code::LaunchFailed if error.message.to_lowercase().contains("sandbox") => {
            "Chrome's sandbox cannot start here; see docs/troubleshooting.md"
        }
        Code::ProfileInUse => "close the other browser, or set user_data_dir to another folder",
        _ => "run it again with --log debug, and see docs/troubleshooting.md",
    }
}

fn sandbox() -> Result<(), Failure> {
    match rustix::process::geteuid().is_root() {
        true => show::line(
            "note  sandbox: off, since this is root; use another user for pages you do not trust",
        ),
        false => good("sandbox", "on"),
    }
}

async fn daemon(globals: &Globals) -> Result<(), Failure> {
    let place: Place = globals.place().map_err(|failure| bad("daemon", failure))?;
    let said = match Listening::at(&place.socket).await {
        Ok(Some(_)) => "running",
        Ok(None) => "not running; the first call starts it",
        Err(error) => return Err(bad("daemon", Failure::from(error))),
    };
    good("daemon", said)
}
