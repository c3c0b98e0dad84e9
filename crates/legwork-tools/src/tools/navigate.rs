//! `browser_navigate` (P3): answers `done`, then what the page is.

use legwork_engine::{Effect, Outcome, Page};
use legwork_protocol::{Navigate, Observe, Reply, ToolError};
use serde_json::json;

use super::{Execute, patience};
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;
use crate::undo::Way;

impl Execute for Navigate {
    async fn run(permitted: Permitted<Navigate>, desk: &Desk) -> Result<Reply, ToolError> {
        let navigate = permitted.into_action();
        let page = desk.page().await?;
        let outcome = page.navigate(&navigate.url, patience(navigate.timeout)).await;
        let outcome = outcome.map_err(from_engine)?;
        desk.history.note_move(&page, "went to", Way::Back, &outcome);
        arrived(desk, &page, outcome, navigate.observe).await
    }
}

/// The reply to a navigation: `done`, where it led, and the page.
pub(super) async fn arrived(
    desk: &Desk,
    page: &Page,
    outcome: Outcome,
    observe: Option<Observe>,
) -> Result<Reply, ToolError> {
    desk.note_navigation(answer::moved_on(&outcome));
    let mut lines = vec!["done".to_owned()];
    let mut data = json!({ "url": page.url() });
    for effect in &outcome.effects {
        match effect {
            Effect::Navigated { to, status, .. } => {
                data["status"] = json!(status);
                let to = answer::shortened(to, answer::URL);
                lines.push(match status {
                    None | Some(200) => to,
                    Some(status) => format!("{to} ({status})"),
                });
            }
            other => lines.extend(answer::effect_line(other)),
        }
    }
    if let Some(dialog) = outcome.dialog() {
        data["dialog"] = dialog.kind.clone().into();
    }
    let loaded = outcome
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Navigated { .. } | Effect::Routed { .. }));
    let looks = observe.unwrap_or_default() != Observe::None && outcome.dialog().is_none();
    if loaded && looks {
        let seen = answer::look(desk, page, None).await?;
        data["page"] = seen.clone().into();
        lines.push(seen);
    }
    Ok(Reply::text(lines.join("\n")).with_data(data))
}
