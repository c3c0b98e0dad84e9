//! `browser_back`, `browser_forward`, `browser_reload`.

use legwork_protocol::{Back, Forward, Reload, Reply, ToolError};

use super::navigate::arrived;
use super::{Execute, patience};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;
use crate::undo::Way;

impl Execute for Back {
    async fn run(permitted: Permitted<Back>, desk: &Desk) -> Result<Reply, ToolError> {
        let (back, bound) = permitted.into_parts();
        let page = bound.page(desk).await?;
        let outcome = page.back(patience(back.timeout)).await.map_err(from_engine)?;
        desk.history.note_move(&page, "went back to", Way::Forward, &outcome);
        arrived(desk, &page, outcome, back.observe).await
    }
}

impl Execute for Forward {
    async fn run(permitted: Permitted<Forward>, desk: &Desk) -> Result<Reply, ToolError> {
        let (forward, bound) = permitted.into_parts();
        let page = bound.page(desk).await?;
        let outcome = page.forward(patience(forward.timeout)).await.map_err(from_engine)?;
        desk.history.note_move(&page, "went forward to", Way::Back, &outcome);
        arrived(desk, &page, outcome, forward.observe).await
    }
}

impl Execute for Reload {
    async fn run(permitted: Permitted<Reload>, desk: &Desk) -> Result<Reply, ToolError> {
        let (reload, bound) = permitted.into_parts();
        let page = bound.page(desk).await?;
        let outcome = page.reload(patience(reload.timeout)).await.map_err(from_engine)?;
        desk.history.cannot(&page, "loaded the page again", "what was on it before is gone");
        arrived(desk, &page, outcome, reload.observe).await
    }
}
