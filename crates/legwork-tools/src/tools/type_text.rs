//! `browser_type`.

use legwork_engine::{Acting, Outcome, Page, Target};
use legwork_protocol::{Code, Reply, ToolError, Type};

use super::{Execute, is_focus};
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
        let page = bound.page(desk).await?;
        let how = desk.acting(typed.timeout, typed.observe);
        let (focus, named) = (is_focus(&typed.target), typed.target.as_str());
        // Where a line break or `submit` presses Enter, the button that it presses was judged, too.
        let entered = match focus {
            true => bound.enter_on(&page).await?,
            false => Some(bound.entered(named)?),
        };
        let target = match (focus, typed.text.contains(['\n', '\r'])) {
            (_, true) if entered.is_some() => entered.clone(),
            (true, _) => bound.focus_on(&page).await?,
            (false, _) => Some(bound.target(named)?),
        };
        let outcome = fill(desk, &page, &typed, target.as_ref(), &how).await?;
        if !typed.submit {
            return answer::of(desk, &page, "typed into", outcome, typed.observe).await;
        }
        let field = outcome.acted_on.clone();
        let enter = entered.or(target);
        let sent = page.press(enter.as_ref(), "Enter", &how).await.map_err(|error| {
            let error = from_engine(error);
            let message = format!("typed into it; Enter was not pressed: {}", error.message);
            ToolError { message, ..error }
        })?;
        let sent = Outcome { acted_on: field, ..sent };
        answer::of(desk, &page, "typed and pressed Enter in", sent, typed.observe).await
    }
}

async fn fill(
    desk: &Desk,
    page: &Page,
    typed: &Type,
    target: Option<&Target>,
    how: &Acting,
) -> Result<Outcome, ToolError> {
    let text = (typed.text.as_str(), typed.clear);
    let secret = secrets::has_secret(text.0);
    let done = match target {
        Some(target) if secret => {
            let entered = secrets::enter(&desk.vault(), page, target, text, how).await?;
            return entered.ok_or_else(|| ToolError::invalid("the text names no secret"));
        }
        None if secret || typed.clear => {
            let error = ToolError::new(Code::NotFound, "nothing has the focus");
            return Err(error.with_hint("click the field first, or name it"));
        }
        Some(target) if typed.clear || !is_focus(&typed.target) => {
            page.type_text(target, text.0, text.1, how).await
        }
        target => page.type_at_focus(target, text.0, how).await,
    };
    done.map_err(from_engine)
}
