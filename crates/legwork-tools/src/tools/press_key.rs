//! `browser_press_key`.

use legwork_protocol::{PressKey, Reply, ToolError};

use super::Execute;
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for PressKey {
    async fn run(permitted: Permitted<PressKey>, desk: &Desk) -> Result<Reply, ToolError> {
        let (press, bound) = permitted.into_parts();
        let page = bound.page(desk).await?;
        let how = desk.acting(press.timeout, press.observe);
        let target = match press.target.as_deref() {
            Some(text) => Some(bound.entered(text)?),
            None => bound.enter_on(&page).await?,
        };
        let outcome = page.press(target.as_ref(), &press.key, &how).await.map_err(from_engine)?;
        let verb = format!("pressed {} in", press.key);
        answer::of(desk, &page, &verb, outcome, press.observe).await
    }
}
