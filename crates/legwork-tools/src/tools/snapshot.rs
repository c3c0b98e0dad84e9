//! `browser_snapshot`.

use legwork_engine::SnapshotOptions;
use legwork_protocol::{Reply, Snapshot, ToolError, tokens};
use serde_json::json;

use super::{Execute, target};
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Snapshot {
    async fn run(permitted: Permitted<Snapshot>, desk: &Desk) -> Result<Reply, ToolError> {
        let wanted = permitted.into_action();
        if let Some(handle) = &wanted.more {
            let Some(rest) = desk.rest(handle) else {
                let error = ToolError::invalid(format!("there is no rest behind {handle:?}"));
                return Err(error.with_hint("take a new snapshot; the last replies are kept only"));
            };
            return Ok(Reply::text(desk.within(&rest, wanted.max_tokens)));
        }
        let page = desk.page().await?;
        let options = SnapshotOptions {
            scope: wanted.target.as_deref().map(target).transpose()?,
            depth: wanted.depth,
            interactive: wanted.interactive,
            links: wanted.links,
            behind: wanted.behind,
            ..Default::default()
        };
        let snapshot = page.snapshot(&options).await.map_err(from_engine)?;
        let url = match snapshot.url.is_empty() {
            true => "about:blank".to_owned(),
            false => answer::shortened(&snapshot.url, answer::URL),
        };
        let title = answer::shortened(&snapshot.title, answer::VALUE);
        // In quotation marks, so that no title passes for a line of ours.
        let about = match title.is_empty() {
            true => url.clone(),
            false => format!("\"{}\" ({url})", title.replace('\\', r"\\").replace('"', "\\\"")),
        };
        // What stands above the page shares the budget, unless the page was given one of its own.
        let left = desk.limits.tokens.saturating_sub(tokens::count(&about));
        let text = match snapshot.text.is_empty() {
            true => answer::EMPTY.to_owned(),
            false => desk.within(&snapshot.text, wanted.max_tokens.or(Some(left))),
        };
        let data = json!({ "url": url, "title": title, "page": text });
        Ok(Reply::text(format!("{about}\n{text}")).with_data(data))
    }
}
