//! `policy`: tries a policy file out, shows the rules in force, and explains what they say of an action.
//! Needs no daemon and no browser.

mod sentence;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Subcommand;
use legwork_tools::{Decision, Facts, PolicyError, Rules, Verdict};
use serde_json::{Value, json};

use super::failure::{Exit, Failure};
use super::{Globals, show};
use crate::approve::Asker;
use crate::daemon::link::Link;

/// What to do with policies.
#[derive(Debug, Subcommand)]
pub enum Policy {
    /// Reads a policy file and tells what is wrong with it
    #[command(after_help = "Example:\n  legwork policy check policy.toml")]
    Check {
        /// The file
        file: PathBuf,
    },
    /// Says what the policy makes of an action, and by which rule
    #[command(
        after_help = "Example:\n  legwork policy explain 'click \"Pay now\" on https://shop.example/cart'\n  \
                      legwork policy explain 'click \"Terms\" link on https://a.example to https://b.example' --policy web\n  \
                      legwork policy explain 'open http://169.254.169.254' --policy guarded\n\n\
                      An action is its kind (read, navigate, click, type, press, move, upload, eval, dialog, session or\n\
                      file), then, each if it has one: the \"name\" of what is acted on and its role, in \"the dialog around\n\
                      it\", on the page's address, to where it leads, secret NAME, file PATH."
    )]
    Explain {
        /// The action
        action: Vec<String>,
    },
    /// Shows the rules in force and where each comes from
    #[command(after_help = "Example:\n  legwork policy show\n  legwork policy show --policy web")]
    Show,
    /// Turns what was blocked into lines to allow it, for you to read
    #[command(after_help = "Example:\n  legwork policy suggest")]
    Suggest,
}

pub(super) fn run(policy: Policy, globals: &Globals) -> Result<(), Failure> {
    match policy {
        Policy::Check { file } => check(&file, globals.json),
        Policy::Explain { action } => {
            let facts = sentence::read(&action.join(" "))
                .map_err(|message| Failure::new(Exit::Usage, "invalid_input", message))?;
            explain(&globals.load(true)?.rules, &facts, globals.json)
        }
        Policy::Show => rules(globals),
        Policy::Suggest => super::runtime()?.block_on(suggest(globals)),
    }
}

/// Hosts that were blocked, with who wanted them and why not; nothing is written anywhere.
async fn suggest(globals: &Globals) -> Result<(), Failure> {
    let (daemon, mut blocked) = match Link::running(&globals.place()?).await? {
        Some(link) => (link.process(), link.blocked().await?),
        None => (None, Vec::new()),
    };
    for mut process in Asker::but(daemon).await.map_err(|error| Failure::daemon(&error))? {
        // One that ends just now is not waited for.
        blocked.extend(process.blocked().await.unwrap_or_default());
    }
    if globals.json {
        return show::line(&json!(blocked).to_string());
    }
    let mut hosts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    // To allow a host does not help where a path is forbidden.
    let (paths, blocked): (Vec<_>, Vec<_>) =
        blocked.into_iter().partition(|one| is_of_paths(&one.rule));
    let mut rules: Vec<String> =
        paths.iter().map(|one| format!("# {} blocks {}", one.rule, one.host)).collect();
    rules.dedup();
    for one in &blocked {
        let page = one.page.as_deref().unwrap_or("a page that is not known");
        let told = format!("    # {} for {page}, by {}", one.kind, one.rule);
        let known = hosts.entry(&one.host).or_default();
        if !known.contains(&told) {
            known.push(told);
        }
    }
    if hosts.is_empty() && rules.is_empty() {
        return show::line("nothing was blocked in what runs now");
    }
    let line = |(host, told): (&&str, &Vec<String>)| format!("{}\n    {host:?},", told.join("\n"));
    let lines: Vec<String> = hosts.iter().map(line).collect();
    if !lines.is_empty() {
        rules.push(format!("# Keep what you trust:\n[hosts]\nallow = [\n{}\n]", lines.join("\n")));
    }
    show::line(&rules.join("\n"))
}

/// Whether it forbids a path, everywhere or of one site.
fn is_of_paths(rule: &str) -> bool {
    let of_site = rule.strip_prefix("site \"").and_then(|rest| rest.split_once("\" "));
    of_site.map_or(rule, |(_, own)| own).starts_with("paths.")
}

fn check(file: &std::path::Path, json: bool) -> Result<(), Failure> {
    let rules = Rules::read(file).map_err(|error| Failure::policy(&error))?;
    let preset = rules.starts_from().name;
    match json {
        true => show::line(&json!({ "file": rules.file(), "preset": preset }).to_string()),
        false => show::line(&format!("ok: {} starts from the preset {preset}", file.display())),
    }
}

fn explain(rules: &Rules, facts: &Facts, json: bool) -> Result<(), Failure> {
    let Decision { verdict, rule, because } = rules.decide(facts);
    let meanings: Vec<&str> = facts.meanings.iter().map(|meaning| meaning.word()).collect();
    let unanswered = rules.approvals().unanswered.word();
    if json {
        let mut told = json!({
            "verdict": verdict.word(), "rule": rule, "because": because, "meanings": meanings,
        });
        if verdict == Verdict::Ask {
            told["unanswered"] = unanswered.into();
        }
        return show::line(&told.to_string());
    }
    let mut lines = vec![format!("{}: {because}", verdict.word()), format!("rule: {rule}")];
    if !meanings.is_empty() {
        lines.push(format!("means: {}", meanings.join(", ")));
    }
    if verdict == Verdict::Ask {
        lines.push(format!("where nobody can be asked: {unanswered} (approvals.unanswered)"));
    }
    show::line(&lines.join("\n"))
}

/// Shows the rules in force.
fn rules(globals: &Globals) -> Result<(), Failure> {
    let config = globals.load(true)?;
    let rules = &config.rules;
    let preset = rules.starts_from().name;
    let said_by = config.origin("policy").to_string();
    if globals.json {
        let lines = rules.lines().into_iter();
        let lines: Vec<Value> = lines
            .map(|line| json!({ "line": line.text, "from": line.source.map(|source| source.told()) }))
            .collect();
        let told =
            json!({ "preset": preset, "file": rules.file(), "from": said_by, "lines": lines });
        return show::line(&told.to_string());
    }
    let file = rules.file().map_or("none".to_owned(), |file| file.display().to_string());
    let mut lines = vec![format!("# file: {file} ({said_by})"), format!("preset = {preset:?}")];
    for line in rules.lines() {
        lines.push(match line.source {
            Some(source) => format!("{:<36} # {}", line.text, source.told()),
            None if line.text.starts_with('[') => format!("\n{}", line.text),
            None => line.text,
        });
    }
    show::line(&lines.join("\n"))
}

impl Failure {
    /// A policy that cannot be used.
    pub(super) fn policy(error: &PolicyError) -> Failure {
        Failure::new(Exit::Usage, "invalid_policy", error.to_string()).with_hint(error.hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_paths_is_one_wherever_it_stands() {
        for (rule, is) in [
            ("paths.block \"/checkout\"", true),
            ("site \"bank.example\" paths.block \"/wire\"", true),
            ("hosts.block \"paths.example\"", false),
            ("site \"x paths.example\" hosts.allow", false),
        ] {
            assert_eq!(is_of_paths(rule), is, "{rule}");
        }
    }
}
