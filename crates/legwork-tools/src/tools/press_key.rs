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
        let page = desk.page().await?;
        let how = desk.acting(press.timeout, press.observe);
        let named = press.target.as_deref().map(|text| bound.target(text)).transpose()?;
        let target = named.or_else(|| bound.focus());
        let outcome = page.press(target.as_ref(), &press.key, &how).await.map_err(from_engine)?;
        let verb = format!("pressed {} in", press.key);
        answer::of(desk, &page, &verb, outcome, press.observe).await
    }
}
