//! Secrets by name: which there are, and whether they can be read. Never what they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use legwork_tools::{SecretRule, Vault};
use serde::Deserialize;
use serde_json::json;

use super::failure::{Exit, Failure};
use super::show;

/// Which policy, and what to do.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Policy file whose [secrets.NAME] are meant
    #[arg(long, value_name = "FILE", env = "LEGWORK_POLICY", default_value = "policy.toml")]
    policy: PathBuf,
    #[command(subcommand)]
    action: Command,
}

/// What to do with secrets.
#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the secrets: where each comes from, and the origins it is bound to
    #[command(after_help = "Example:\n  legwork secret list")]
    List,
    /// Reads a secret and says whether it could be used; asks whoever has to be asked for it
    #[command(after_help = "Example:\n  legwork secret check shop-password")]
    Check {
        /// Its name
        name: String,
    },
}

/// The part of a policy that is about secrets.
#[derive(Deserialize)]
struct Policy {
    #[serde(default)]
    secrets: BTreeMap<String, SecretRule>,
}

pub(super) async fn run(arguments: Arguments, as_json: bool) -> Result<(), Failure> {
    let vault = vault(&arguments.policy)?;
    match arguments.action {
        Command::List if as_json => {
            let one = |(name, rule): (&String, &SecretRule)| {
                json!({
                    "name": name, "from": rule.from.to_string(), "totp": rule.totp,
                    "origins": rule.origins(),
                })
            };
            let all: Vec<_> = vault.rules().iter().map(one).collect();
            show::line(&json!({ "secrets": all }).to_string())
        }
        Command::List if vault.rules().is_empty() => show::line("The policy has no secrets."),
        Command::List => {
            let one = |(name, rule): (&String, &SecretRule)| {
                let kind = if rule.totp { "codes, " } else { "" };
                let origins = rule.origins().join(", ");
                format!("{name}: {kind}from {}, for {origins}", rule.from)
            };
            let lines: Vec<String> = vault.rules().iter().map(one).collect();
            show::line(&lines.join("\n"))
        }
        Command::Check { name } => {
            let told = vault.check(&name).await.map_err(Failure::from)?;
            match as_json {
                true => show::line(&json!({ "name": name, "usable": true }).to_string()),
                false => show::line(&told),
            }
        }
    }
}

fn vault(path: &Path) -> Result<Vault, Failure> {
    let wrong = |reason: String| {
        Failure::new(Exit::Usage, "invalid_policy", format!("{}: {reason}", path.display()))
            .with_hint("docs/secrets.md shows how secrets are written")
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let policy: Policy = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    Vault::new(policy.secrets).map_err(wrong)
}
