//! How executors enter a text that names secrets.

use legwork_engine::{Acting, Confidence, Dialog, Error, Outcome, Page, Target};
use legwork_protocol::{Code, ToolError};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::{Vault, has_secret};
use crate::failure::from_engine;

/// Enters a text that names secrets; `None` if it names none and is to be typed like any other. The
/// document is asked whose it is before a value is read, and again by the engine when it is entered.
pub(crate) async fn enter(
    vault: &Vault,
    page: &Page,
    target: &Target,
    (text, clear): (&str, bool),
    how: &Acting,
) -> Result<Option<Outcome>, ToolError> {
    if !has_secret(text) {
        return Ok(None);
    }
    let names = vault.named(text)?;
    let allows = |origin: &str| vault.may_enter(&names, origin);
    let refused = |error: Error| match &error {
        Error::WrongOrigin { target, origin } => elsewhere(vault, &names, target, origin),
        _ => from_engine(error),
    };
    page.whose(target, &allows, how).await.map_err(refused)?;
    let filled = vault.fill(text, &names).await?;
    let confidence = Confidence { text: filled.expose_secret(), allows: &allows, clear };
    page.confide(target, &confidence, how).await.map(Some).map_err(refused)
}

/// The text for a prompt, if the document that asks is one that may have it.
pub(crate) async fn for_dialog(
    vault: &Vault,
    dialog: Option<&Dialog>,
    text: &str,
) -> Result<Option<SecretString>, ToolError> {
    if !has_secret(text) {
        return Ok(None);
    }
    let names = vault.named(text)?;
    let url = dialog.map(|dialog| dialog.url.as_str()).unwrap_or_default();
    let origin = Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    if !vault.may_enter(&names, &origin) {
        return Err(elsewhere(vault, &names, "the dialog", &origin));
    }
    vault.fill(text, &names).await.map(Some)
}

fn elsewhere(vault: &Vault, names: &[String], what: &str, origin: &str) -> ToolError {
    let bound = |name: &String| {
        let origins = vault.rules().get(name).map(|rule| rule.origins().join(", "));
        format!("the secret {name} is bound to {}", origins.unwrap_or_default())
    };
    let bound: Vec<String> = names.iter().map(bound).collect();
    let here = if origin.is_empty() || origin == "null" { "no origin of its own" } else { origin };
    let message = format!("{}, and {what} is of {here}", bound.join(", "));
    ToolError::new(Code::Denied, message)
        .with_hint("nothing was entered; a person can bind it to other origins in the policy")
}
