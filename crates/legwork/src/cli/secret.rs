//! Secrets by name: which there are, and whether they can be read. Never what they are.

use clap::Subcommand;
use legwork_tools::{SecretRule, Vault};
use serde_json::json;

use super::failure::Failure;
use super::{Globals, show};

/// What to do with secrets.
#[derive(Debug, Subcommand)]
pub enum Command {
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

pub(super) async fn run(command: Command, globals: &Globals) -> Result<(), Failure> {
    let vault = globals.load(true)?.vault;
    match command {
        Command::List => list(&vault, globals.json),
        Command::Check { name } => {
            let told = vault.check(&name).await.map_err(Failure::from)?;
            match globals.json {
                true => show::line(&json!({ "name": name, "usable": true }).to_string()),
                false => show::line(&told),
            }
        }
    }
}

fn list(vault: &Vault, as_json: bool) -> Result<(), Failure> {
    let rules = vault.rules().iter();
    if as_json {
        let one = |(name, rule): (&String, &SecretRule)| {
            json!({
                "name": name, "from": rule.from.to_string(), "totp": rule.totp,
                "origins": rule.origins(),
            })
        };
        return show::line(&json!({ "secrets": rules.map(one).collect::<Vec<_>>() }).to_string());
    }
    let one = |(name, rule): (&String, &SecretRule)| {
        let kind = if rule.totp { "codes, " } else { "" };
        format!("{name}: {kind}from {}, for {}", rule.from, rule.origins().join(", "))
    };
    let lines: Vec<String> = rules.map(one).collect();
    match lines.is_empty() {
        true => show::line("The policy has no secrets."),
        false => show::line(&lines.join("\n")),
    }
}
