//! `install`: gets a browser by the system's package manager, or says exactly what to do.

use std::io::{IsTerminal, Write};
use std::process::Command;

use clap::Args;
use legwork_protocol::Code;
use legwork_tools::engine::find::{self, HostSystem, Prefer, Request};

use super::failure::{Exit, Failure};
use super::show;
use crate::config::Config;

/// How a browser is installed.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Does not ask first
    #[arg(long, short)]
    yes: bool,
    /// Only prints the command
    #[arg(long, conflicts_with = "yes")]
    print: bool,
}

/// Installs a browser, unless there is one.
pub(super) fn run(arguments: &Arguments, config: &Config) -> Result<(), Failure> {
    let wanted = Request { explicit: config.values.browser.clone(), prefer: Prefer::HeadlessShell };
    let system_command = command(&install_hint(), rustix::process::geteuid().is_root());
    if arguments.print {
        return show::line(&system_command.unwrap_or_else(|instructions| instructions));
    }
    if let Ok(found) = find::find(&wanted, &HostSystem) {
        return show::line(&format!("there is a browser already: {}", found.path.display()));
    }
    let command = system_command.map_err(|instructions| {
        failed("this system's package manager is not known").with_hint(instructions)
    })?;
    if !arguments.yes && !confirmed(&command) {
        return Err(failed("nothing was installed")
            .with_hint(format!("run `{command}`, or `legwork install --yes`")));
    }
    let command = if arguments.yes { unasked(&command) } else { command };
    let ended = Command::new("/bin/sh").args(["-c", &command]).status();
    let done = ended.is_ok_and(|status| status.success());
    match find::find(&wanted, &HostSystem) {
        Ok(found) => show::line(&format!("installed: {}", found.path.display())),
        Err(_) if !done => {
            Err(failed(format!("`{command}` failed"))
                .with_hint("mend what it says, then try again"))
        }
        Err(missing) => Err(failed(missing.to_string())),
    }
}

fn failed(message: impl Into<String>) -> Failure {
    Failure::new(Exit::NoBrowser, Code::BrowserNotFound.text(), message)
}

/// What the engine tells a user of this system who has no browser.
pub(super) fn install_hint() -> String {
    let nobody = Request { explicit: Some("/nowhere".to_owned()), prefer: Prefer::HeadlessShell };
    match find::find(&nobody, &HostSystem) {
        Err(missing) => missing.install,
        Ok(_) => String::new(),
    }
}

/// The command to run, or instructions where there is none.
fn command(hint: &str, is_root: bool) -> Result<String, String> {
    if hint.is_empty() || hint.starts_with("install the package") {
        return Err(hint.to_owned());
    }
    // Root needs no sudo, and small systems have none.
    Ok(if is_root { hint.replace("sudo ", "") } else { hint.to_owned() })
}

/// The command with its own questions answered.
fn unasked(command: &str) -> String {
    const ASK: &[(&str, &str)] = &[
        ("apt-get install", "apt-get install -y"),
        ("dnf install", "dnf install -y"),
        ("pacman -S", "pacman -S --noconfirm"),
        ("zypper install", "zypper --non-interactive install"),
        ("xbps-install", "xbps-install -y"),
    ];
    ASK.iter().fold(command.to_owned(), |command, (asks, silent)| command.replace(asks, silent))
}

/// Asks at the terminal; where there is none, the answer is no.
fn confirmed(command: &str) -> bool {
    if !std::io::stdin().is_terminal() {
        return false;
    }
    eprint!("run `{command}`? [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_fits_the_user_and_asks_nothing_when_told_so() {
        for (hint, is_root, expected) in [
            ("sudo apt-get install chromium", false, Ok("sudo apt-get install -y chromium")),
            ("sudo apt-get install chromium", true, Ok("apt-get install -y chromium")),
            ("sudo pacman -S chromium", true, Ok("pacman -S --noconfirm chromium")),
            ("brew install --cask google-chrome", false, Ok("brew install --cask google-chrome")),
            ("install the package `chromium`", true, Err("install the package `chromium`")),
        ] {
            let made = command(hint, is_root).map(|command| unasked(&command));
            assert_eq!(made.as_deref().map_err(|hint| hint.as_str()), expected, "{hint}");
        }
    }
}
