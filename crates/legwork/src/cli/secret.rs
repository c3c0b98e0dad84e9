//! Secrets by name: which there are, and whether they can be read. Never what they are.

use clap::Subcommand;
use legwork_tools::{SecretRule, Vault};
use serde_json::json;

use super::failure::Failure;
use super::show;

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

pub(super) async fn run(action: Command, vault: &Vault, as_json: bool) -> Result<(), Failure> {
    match action {
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
