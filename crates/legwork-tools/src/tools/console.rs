//! `browser_recent_console_logs` (P6, P10).

use legwork_engine::{Entry, Origin};
use legwork_protocol::{RecentConsoleLogs, Reply, ToolError};
use serde_json::{Value, json};

use super::Execute;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for RecentConsoleLogs {
    async fn run(permitted: Permitted<RecentConsoleLogs>, desk: &Desk) -> Result<Reply, ToolError> {
        let limit = permitted.into_action().limit.unwrap_or(100);
        let page = desk.page().await?;
        let entries = page.console(limit).await.map_err(from_engine)?;
        let list: Value = entries.iter().map(entry_data).collect::<Vec<_>>().into();
        let reply = desk.inline_or_file("The console", "json", list.to_string(), str::to_owned)?;
        Ok(match reply.data.is_null() {
            true => reply.with_data(json!({ "entries": list })),
            false => reply,
        })
    }
}

fn entry_data(entry: &Entry) -> Value {
    let by_value = |arg: &String| {
        serde_json::from_str::<Value>(arg).unwrap_or_else(|_| Value::String(arg.clone()))
    };
    let mut data = json!({
        "type": entry.kind,
        "args": entry.args.iter().map(by_value).collect::<Vec<_>>(),
        "timestamp": entry.timestamp,
        "source": match entry.origin {
            Origin::Page => "page",
            Origin::ServiceWorker => "service worker",
            Origin::Worker => "worker",
        },
    });
    if let Some(location) = &entry.location {
        data["location"] = location.clone().into();
    }
    data
}
