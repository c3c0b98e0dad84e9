//! `browser_get_service_workers` (P10).

use legwork_protocol::{GetServiceWorkers, Reply, ToolError};
use serde_json::{Value, json};

use super::Execute;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for GetServiceWorkers {
    async fn run(_: Permitted<GetServiceWorkers>, desk: &Desk) -> Result<Reply, ToolError> {
        let page = desk.page().await?;
        let workers = page.service_workers().map_err(from_engine)?;
        if workers.is_empty() {
            let data = json!({ "workers": [] });
            return Ok(
                Reply::text("No service worker is registered for this origin.").with_data(data)
            );
        }
        let mut lines = Vec::new();
        let mut data: Vec<Value> = Vec::new();
        for (worker, controls) in workers {
            let controlling = if controls { ", controls this page" } else { "" };
            let (scope, status, running) = (&worker.scope, &worker.status, &worker.running);
            lines.push(format!("{scope}: {status}, {running}{controlling} ({})", worker.script));
            data.push(json!({
                "scope": scope, "script": worker.script, "status": status, "running": running,
                "controlling": controls,
            }));
        }
        let text = desk.within(&lines.join("\n"), None);
        Ok(Reply::text(text).with_data(json!({ "workers": data })))
    }
}
