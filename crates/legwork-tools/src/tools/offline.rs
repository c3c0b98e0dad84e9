//! `browser_set_offline` (P10).

use legwork_protocol::{Reply, SetOffline, ToolError};

use super::Execute;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for SetOffline {
    async fn run(permitted: Permitted<SetOffline>, desk: &Desk) -> Result<Reply, ToolError> {
        let offline = permitted.into_action().offline;
        desk.page().await?.set_offline(offline).await.map_err(from_engine)?;
        Ok(Reply::text(if offline { "done: offline" } else { "done: online" }))
    }
}
