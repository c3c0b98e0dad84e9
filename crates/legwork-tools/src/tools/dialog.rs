//! `browser_handle_dialog`.

use std::time::Duration;

use legwork_protocol::{HandleDialog, Observe, Reply, ToolError};
use secrecy::ExposeSecret as _;

use super::Execute;
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;
use crate::secrets;

/// For the page to tell what the answer changed.
const PATIENCE: Duration = Duration::from_secs(5);

impl Execute for HandleDialog {
    async fn run(permitted: Permitted<HandleDialog>, desk: &Desk) -> Result<Reply, ToolError> {
        let (answered, bound) = permitted.into_parts();
        let page = bound.page_that_asks(desk).await?;
        let given = answered.text.as_deref();
        let secret = match given {
            Some(text) => secrets::for_dialog(&desk.vault(), page.dialog().as_ref(), text).await?,
            None => None,
        };
        let text = secret.as_ref().map(|secret| secret.expose_secret()).or(given);
        let outcome = page.answer_dialog(answered.accept, text).await;
        let mut outcome = outcome.map_err(from_engine)?;
        let asked = answered.observe != Some(Observe::None);
        if asked && !answer::moved_on(&outcome) && page.dialog().is_none() {
            outcome.change = page.change(PATIENCE).await.map_err(from_engine)?.text;
        }
        let verb = if answered.accept { "accepted" } else { "dismissed" };
        answer::of(desk, &page, verb, outcome, answered.observe).await
    }
}
