//! `browser_drag`.

use legwork_protocol::{Drag, Reply, ToolError};

use super::Execute;
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Drag {
    async fn run(permitted: Permitted<Drag>, desk: &Desk) -> Result<Reply, ToolError> {
        let (drag, bound) = permitted.into_parts();
        let page = bound.page(desk).await?;
        let how = desk.acting(drag.timeout, drag.observe);
        let (from, to) = (bound.target(&drag.from)?, bound.target(&drag.to)?);
        let outcome = page.drag(&from, &to, &how).await.map_err(from_engine)?;
        answer::of(desk, &page, "dragged", outcome, drag.observe).await
    }
}
