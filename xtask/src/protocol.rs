//! `cargo xtask protocol`: what legwork-cdp declares against the published protocol.
//!
//! A field of ours must exist, be as optional as it is there and have a fitting type. What is
//! published but not declared here is nobody's concern, apart from required parameters.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use compare::{Names, Place, Way};
use legwork_cdp::describe::{DOMAINS, Domain, Item, Kind};
use published::Published;

mod compare;
mod published;

/// What the check found.
#[derive(Debug)]
pub struct Report {
    /// How many commands, events and types were compared.
    pub compared: usize,
    /// Every disagreement, each in a sentence.
    pub disagreements: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for disagreement in &self.disagreements {
            writeln!(out, "{disagreement}")?;
        }
        write!(out, "{} items compared, ", self.compared)?;
        write!(out, "{} disagreements with the published protocol", self.disagreements.len())
    }
}

/// Runs the check as the command line asks for it, and fails when there is a disagreement.
pub fn run(arguments: &[String]) -> anyhow::Result<()> {
    let json_dir = match arguments {
        [] => installed(&repository()?)?,
        [flag, dir] if flag == "--json-dir" => PathBuf::from(dir),
        _ => bail!("usage: cargo xtask protocol [--json-dir DIR]"),
    };
    let report = check(&json_dir)?;
    eprintln!("{report}");
    ensure!(report.disagreements.is_empty(), "legwork-cdp and the published protocol disagree");
    Ok(())
}

/// Compares what legwork-cdp declares with the two protocol files in `json_dir`.
pub fn check(json_dir: &Path) -> anyhow::Result<Report> {
    Ok(compare_all(DOMAINS, &Published::read(json_dir)?))
}

/// The `json` directory of the npm package `devtools-protocol`, which is installed if need be.
fn installed(repository: &Path) -> anyhow::Result<PathBuf> {
    let prefix = repository.join(".cache/npm");
    let json_dir = prefix.join("node_modules/devtools-protocol/json");
    if !json_dir.is_dir() {
        let package = format!("devtools-protocol@{}", pinned(repository)?);
        std::fs::create_dir_all(&prefix)?;
        let status = Command::new("npm")
            .args(["install", "--no-save", "--prefix"])
            .arg(&prefix)
            .arg(&package)
            .status()
            .context("npm cannot be started")?;
        ensure!(status.success(), "npm install {package} ended with {status}");
    }
    Ok(json_dir)
}

/// The version that `scripts/setup` installs, which is the one to compare with.
fn pinned(repository: &Path) -> anyhow::Result<String> {
    let setup = std::fs::read_to_string(repository.join("scripts/setup"))?;
    let version = setup.lines().find_map(|line| line.strip_prefix("PROTOCOL_VERSION="));
    Ok(version.context("scripts/setup names no PROTOCOL_VERSION")?.to_owned())
}

fn repository() -> anyhow::Result<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(own.parent().context("xtask lies in the repository")?.to_owned())
}

fn compare_all(domains: &[Domain], published: &Published) -> Report {
    let names = Names::new(domains);
    let mut report = Report { compared: 0, disagreements: Vec::new() };
    for domain in domains {
        let Some(theirs) = published.domain(domain.name) else {
            report.disagreements.push(format!("The domain {} does not exist.", domain.name));
            continue;
        };
        let place = Place { names: &names, published, domain: domain.name };
        for item in domain.items.iter().filter(|item| item.kind != Kind::Shape) {
            report.compared += 1;
            report.disagreements.extend(compare_item(&place, item, theirs));
        }
    }
    report
}

fn compare_item(place: &Place<'_>, item: &Item, theirs: &published::Domain) -> Vec<String> {
    let name = format!("{}.{}", place.domain, item.name);
    let missing = |kind: &str| vec![format!("The {kind} {name} does not exist.")];
    match item.kind {
        Kind::Command => {
            let Some(command) = theirs.command(item.name) else { return missing("command") };
            let reply = format!("{name} (answer)");
            let mut found = place.compare(&name, item.fields, &command.parameters, Way::Sent);
            found.extend(place.compare(&reply, item.reply, &command.returns, Way::Received));
            found
        }
        Kind::Event => {
            let Some(event) = theirs.event(item.name) else { return missing("event") };
            place.compare(&name, item.fields, &event.parameters, Way::Received)
        }
        Kind::Type => {
            let Some(schema) = theirs.r#type(item.name) else { return missing("type") };
            let sent = place.names.is_sent(place.domain, item.rust);
            let way = if sent { Way::Both } else { Way::Received };
            place.compare(&name, item.fields, &schema.properties, way)
        }
        Kind::Shape => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
