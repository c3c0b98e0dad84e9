//! What followed an action at once. Most pages answer a click while it is handled, so one question
//! after it brings all there is to tell; only what is still under way is settled and asked again.

use std::time::Duration;

use legwork_cdp::FrameId;
use serde::Deserialize;
use tokio::time::Instant;

use crate::act::{Acting, Collected};
use crate::error::{Error, Result};
use crate::input::Sent;
use crate::page::Page;
use crate::prepare::Prepared;
use crate::settle::{self, Mark};
use crate::snapshot::{Change, FRAME_MARK, FrameChange};
use crate::tab::Happening;

#[derive(Default, Deserialize)]
struct Aftermath {
    seen: Option<Collected>,
    change: Option<FrameChange>,
}

/// How long an answer may be behind the acknowledgement of the input it is about.
const BEHIND: Duration = Duration::from_millis(20);

impl Page {
    /// Waits until the input is processed, and for what the walker saw of it, if that is all there
    /// is to tell: something moved, and nothing is under way.
    pub(crate) async fn aftermath(
        &self,
        mark: &Mark,
        prepared: &Prepared,
        sent: Sent,
        acting: &Acting,
    ) -> Result<Option<(Collected, Change)>> {
        let Some(answer) = self.first_answer(prepared, sent, acting).await? else {
            // Whatever the walker tells now, it tells too early.
            self.tell(&prepared.world, "() => legwork.resume()", &[], None);
            return Ok(None);
        };
        let Aftermath { seen: Some(seen), change } = answer else { return Ok(None) };
        let frame = prepared.world.frame.clone();
        self.tab.update(|state| state.note(Happening::Pulsed { frame }));
        let change = change.unwrap_or_default();
        let whole = !change.text.contains(FRAME_MARK) && self.is_alone(mark, prepared);
        if whole && settle::is_over(&self.tab, mark, &self.bounds) {
            let change = Change { text: change.text.trim_end().to_owned(), shown: change.shown };
            return Ok(Some((seen, change)));
        }
        self.tell(&prepared.world, "() => legwork.resume()", &[], None);
        Ok(None)
    }

    /// Input is acknowledged before the page's own messages about it have come. A question to the
    /// page brings them: its answer is behind them. After a click it is asked ahead, when the
    /// button is down, and answered when it is up again; otherwise it is asked when the input is processed. A dialog, a
    /// new document or a busy page keep it back: settling deals with each of them.
    async fn first_answer(
        &self,
        prepared: &Prepared,
        mut sent: Sent,
        acting: &Acting,
    ) -> Result<Option<Aftermath>> {
        let args = serde_json::json!({ "observe": acting.observe });
        let world = &prepared.world;
        if prepared.releases > 0
            && let Some(release) = sent.pop()
        {
            self.answered(sent).await?;
            let far = Instant::now() + Duration::from_secs(10);
            let asked = self.call(world, "afterRelease", &args, far);
            tokio::pin!(asked);
            let acknowledged = self.answered(vec![release]);
            tokio::pin!(acknowledged);
            let ahead = tokio::select! {
                biased;
                done = &mut acknowledged => {
                    done?;
                    tokio::time::timeout(BEHIND, asked).await.ok()
                }
                answer = &mut asked => {
                    acknowledged.await?;
                    Some(answer)
                }
            };
            if let Some(answer) = ahead {
                return told(answer);
            }
        } else {
            self.answered(sent).await?;
        }
        let soon = Instant::now() + self.bounds.first_effect;
        told(self.call(world, "aftermath", &args, soon).await)
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

fn told(answer: Result<Aftermath>) -> Result<Option<Aftermath>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Error::BrowserCrashed(reason)) => Err(Error::BrowserCrashed(reason)),
        Err(_) => Ok(None),
    }
}
