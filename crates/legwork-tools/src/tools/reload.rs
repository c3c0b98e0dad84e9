//! `browser_reload`.

use legwork_protocol::{Reload, Reply, ToolError};

use super::navigate::arrived;
use super::{Execute, patience};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Reload {
    async fn run(permitted: Permitted<Reload>, desk: &Desk) -> Result<Reply, ToolError> {
        let (reload, bound) = permitted.into_parts();
        let page = bound.page(desk).await?;
        let outcome = page.reload(patience(reload.timeout)).await.map_err(from_engine)?;
        desk.history.cannot(&page, "loaded the page again", "what was on it before is gone");
        arrived(desk, &page, outcome, reload.observe).await
    }
}
