//! `browser_clear_console_logs` (P6, P10).

use legwork_protocol::{ClearConsoleLogs, Reply, ToolError};
use serde_json::json;

use super::Execute;
use crate::desk::Desk;
use crate::policy::Permitted;

impl Execute for ClearConsoleLogs {
    async fn run(_: Permitted<ClearConsoleLogs>, desk: &Desk) -> Result<Reply, ToolError> {
        let cleared = desk.page().await?.clear_console();
        let text = format!("Cleared {cleared} console log entries.");
        Ok(Reply::text(text).with_data(json!({ "cleared": cleared })))
    }
}
