//! `browser_back`.

use legwork_protocol::{Back, Reply, ToolError};

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
