//! How executors enter a text that names secrets.

use legwork_engine::{Acting, Confidence, Dialog, Error, Outcome, Page, Target};
use legwork_protocol::{Code, ToolError};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::{Bound, Vault, has_secret};
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
    let Some(bound) = vault.bound(text)? else { return Ok(None) };
    let refused = |error: Error| match &error {
        Error::WrongOrigin { target, origin } => elsewhere(&bound, target, origin),
        _ => from_engine(error),
    };
    page.whose(target, &bound.origins, how).await.map_err(refused)?;
    let filled = vault.fill(text, bound.clone()).await?;
    let confidence =
        Confidence { text: filled.text.expose_secret(), origins: &filled.bound.origins, clear };
    page.confide(target, &confidence, how).await.map(Some).map_err(refused)
}

/// The text for a prompt, if the document that asks is one that may have it.
pub(crate) async fn for_dialog(
    vault: &Vault,
    dialog: Option<&Dialog>,
    text: &str,
) -> Result<Option<SecretString>, ToolError> {
    let Some(bound) = vault.bound(text)? else { return Ok(None) };
    let url = dialog.map(|dialog| dialog.url.as_str()).unwrap_or_default();
    let origin = Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    if !bound.origins.contains(&origin) {
        return Err(elsewhere(&bound, "the dialog", &origin));
    }
    vault.fill(text, bound).await.map(|filled| Some(filled.text))
}

fn elsewhere(bound: &Bound, what: &str, origin: &str) -> ToolError {
    let (secrets, verb) = match &bound.names[..] {
        [one] => (format!("the secret {one}"), "is"),
        several => (format!("the secrets {}", several.join(", ")), "are"),
    };
    let origins = bound.origins.join(", ");
    let here = if origin.is_empty() || origin == "null" { "no origin of its own" } else { origin };
    let message = format!("{secrets} {verb} bound to {origins}, and {what} is of {here}");
    ToolError::new(Code::Denied, message)
        .with_hint("nothing was entered; a person can bind it to other origins in the policy")
}
