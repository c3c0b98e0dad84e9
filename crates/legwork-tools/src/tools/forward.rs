//! `browser_forward`.

use legwork_protocol::{Forward, Reply, ToolError};

use super::navigate::arrived;
use super::{Execute, patience};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;
use crate::undo::Way;

impl Execute for Forward {
    async fn run(permitted: Permitted<Forward>, desk: &Desk) -> Result<Reply, ToolError> {
        let (forward, bound) = permitted.into_parts();
        let page = bound.page(desk).await?;
        let outcome = page.forward(patience(forward.timeout)).await.map_err(from_engine)?;
        desk.history.note_move(&page, "went forward to", Way::Back, &outcome);
        arrived(desk, &page, outcome, forward.observe).await
    }
}
