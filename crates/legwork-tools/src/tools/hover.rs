//! `browser_hover`.

use legwork_protocol::{Hover, Reply, ToolError};

use super::Execute;
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Hover {
    async fn run(permitted: Permitted<Hover>, desk: &Desk) -> Result<Reply, ToolError> {
        let (hover, bound) = permitted.into_parts();
        let page = bound.page(desk).await?;
        let how = desk.acting(hover.timeout, hover.observe);
        let outcome = page.hover(&bound.target(&hover.target)?, &how).await.map_err(from_engine)?;
        answer::of(desk, &page, "pointed at", outcome, hover.observe).await
    }
}
