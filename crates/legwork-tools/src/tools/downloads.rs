//! `browser_downloads`.

use legwork_engine::Progress;
use legwork_protocol::{Downloads, Reply, ToolError};
use serde_json::{Value, json};

use super::Execute;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Downloads {
    async fn run(_: Permitted<Downloads>, desk: &Desk) -> Result<Reply, ToolError> {
        let mut downloads = desk.page().await?.downloads().map_err(from_engine)?;
        downloads.sort_by(|a, b| a.path.cmp(&b.path));
        let data: Vec<Value> = downloads
            .iter()
            .map(|one| {
                json!({
                    "url": one.url, "path": one.path, "received": one.received, "total": one.total,
                    "state": match one.progress {
                        Progress::Running => "running",
                        Progress::Done => "done",
                        Progress::Canceled => "canceled",
                    },
                })
            })
            .collect();
        let lines: Vec<String> = downloads.iter().map(ToString::to_string).collect();
        let text = if lines.is_empty() { "No downloads yet.".to_owned() } else { lines.join("\n") };
        let text = desk.within(&text, None);
        Ok(Reply::text(text).with_data(json!({ "downloads": data })))
    }
}
