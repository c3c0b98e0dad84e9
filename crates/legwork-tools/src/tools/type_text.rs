//! `browser_type`.

use legwork_engine::Outcome;
use legwork_protocol::{Reply, ToolError, Type};

use super::{Execute, acting};
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;
use crate::secrets;

impl Execute for Type {
    async fn run(permitted: Permitted<Type>, desk: &Desk) -> Result<Reply, ToolError> {
        let (typed, bound) = permitted.into_parts();
        if typed.text.contains('\t') {
            let error = ToolError::invalid("the text holds a tab, which would leave the field");
            return Err(error.with_hint("type the parts into their fields"));
        }
        let page = desk.page().await?;
        let how = acting(typed.timeout, typed.observe);
        let target = bound.target(&typed.target)?;
        let text = (typed.text.as_str(), typed.clear);
        let outcome = match secrets::enter(&desk.vault, &page, &target, text, &how).await? {
            Some(outcome) => outcome,
            None => page.type_text(&target, text.0, text.1, &how).await.map_err(from_engine)?,
        };
        if !typed.submit {
            return answer::of(desk, &page, "typed into", outcome, typed.observe).await;
        }
        let field = outcome.acted_on.clone();
        let sent = page.press(Some(&target), "Enter", &how).await.map_err(from_engine)?;
        let sent = Outcome { acted_on: field, ..sent };
        answer::of(desk, &page, "typed and pressed Enter in", sent, typed.observe).await
    }
}
