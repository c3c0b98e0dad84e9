//! `browser_handle_dialog`.

use legwork_protocol::{HandleDialog, Reply, ToolError};

use super::Execute;
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for HandleDialog {
    async fn run(permitted: Permitted<HandleDialog>, desk: &Desk) -> Result<Reply, ToolError> {
        let answered = permitted.into_action();
        let page = desk.page().await?;
        let outcome = page.answer_dialog(answered.accept, answered.text.as_deref()).await;
        let verb = if answered.accept { "accepted" } else { "dismissed" };
        answer::of(desk, &page, verb, outcome.map_err(from_engine)?, None).await
    }
}
