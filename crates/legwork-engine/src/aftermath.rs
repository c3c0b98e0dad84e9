//! What followed an action at once. Most pages answer a click while it is handled, so one question
//! after it brings all there is to tell; only what is still under way is settled and asked again.

use legwork_cdp::FrameId;
use serde::Deserialize;
use tokio::time::Instant;

use crate::act::{Acting, Collected};
use crate::error::{Error, Result};
use crate::page::Page;
use crate::prepare::Prepared;
use crate::settle::{self, Mark};
use crate::snapshot::{Change, FrameChange};

#[derive(Default, Deserialize)]
struct Aftermath {
    seen: Option<Collected>,
    change: Option<FrameChange>,
}

impl Page {
    /// Input is acknowledged before the page's own messages about it have come. One question to the
    /// page brings them: its answer is behind them. It brings what the walker saw, too, if that is
    /// all: something moved, and nothing is under way.
    pub(crate) async fn aftermath(
        &self,
        mark: &Mark,
        prepared: &Prepared,
        acting: &Acting,
    ) -> Result<Option<(Collected, Change)>> {
        let soon = Instant::now() + self.bounds.first_effect;
        let args = serde_json::json!({ "observe": acting.observe });
        let answer = match self.call(&prepared.world, "aftermath", &args, soon).await {
            Ok(answer) => answer,
            Err(Error::BrowserCrashed(reason)) => return Err(Error::BrowserCrashed(reason)),
            // A dialog, a new document, a busy page: settling deals with each of them.
            Err(_) => Aftermath { seen: Some(Collected::default()), change: None },
        };
        let Aftermath { seen: Some(seen), change } = answer else { return Ok(None) };
        let change = change.unwrap_or_default();
        let whole = change.is_whole() && self.is_alone(mark, prepared);
        if whole && settle::is_over(&self.tab, mark, &self.bounds) {
            let change = Change { text: change.text.trim_end().to_owned(), shown: change.shown };
            return Ok(Some((seen, change)));
        }
        self.tell(&prepared.world, "() => legwork.resume()", &[], None);
        Ok(None)
    }

    /// Whether the action touched the main frame only, and brought it no new ones.
    fn is_alone(&self, mark: &Mark, prepared: &Prepared) -> bool {
        let frames: Vec<FrameId> = self.frames_pulsed(mark, prepared);
        let state = self.tab.state();
        let known = |of: &str| of == prepared.world.id.unique;
        let children = state.frames.children(&prepared.world.frame);
        frames.len() == 1
            && children.iter().all(|child| child.adopted_by.as_deref().is_some_and(known))
    }
}
