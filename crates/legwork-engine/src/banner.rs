//! The banner: a line at the top of every page of a session, for the person who looks on. The walker draws
//! it (`walker/banner.js`) in its own world, before the page's scripts run; no page can reach it there.

use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::{ScriptId, page};

use crate::tab::Tab;
use crate::walker;

/// A page that is stopped, by a dialog say, shows it when it goes on.
const PATIENCE: Duration = Duration::from_secs(2);

/// Shows a text in the document of a tab, and in every one that comes after it. The command is on its way
/// when this returns.
pub(crate) fn show(tab: &Arc<Tab>, text: &str) -> impl Future<Output = ()> + Send + use<> {
    // JSON is a part of JavaScript.
    let text = serde_json::Value::from(text);
    // A document without the walker has no such function, and may have an element that is called so.
    let add = page::AddScriptToEvaluateOnNewDocument {
        source: format!(
            "Object.hasOwn(globalThis, \"legwork\") && window.setCurrentShoppingItem({text})"
        ),
        world_name: Some(walker::WORLD.to_owned()),
        run_immediately: Some(true),
        ..Default::default()
    };
    let (sent, tab) = (tab.session.send(&add).within(PATIENCE), tab.clone());
    async move {
        let Ok(added) = sent.await else { return };
        let outdated = tab.update(|state| {
            let before = state.banner.replace(added.identifier)?;
            // Chrome counts them: two that were sent at once may be heard of in either order.
            let number = |id: &ScriptId| id.as_str().parse::<u64>().unwrap_or_default();
            let now = state.banner.as_mut()?;
            Some(if number(&before) > number(now) {
                std::mem::replace(now, before)
            } else {
                before
            })
        });
        if let Some(identifier) = outdated {
            tab.session.notify(&page::RemoveScriptToEvaluateOnNewDocument { identifier });
        }
    }
}
