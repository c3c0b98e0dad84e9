//! Scrolling the page or a box in it, and saying where it is now.

use serde::Deserialize;
use tokio::time::Instant;

use crate::act::Acting;
use crate::error::{Error, Result};
use crate::outcome::{Effect, Outcome, Verdict};
use crate::page::{ACTION, Page};
use crate::prepare::Need;
use crate::settle::{Mark, settle};
use crate::target::Target;

/// Where to scroll.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scroll {
    /// Until the target is in view.
    IntoView,
    /// By pixels, right and down.
    By(f64, f64),
    /// To the very top.
    Top,
    /// To the very bottom.
    Bottom,
}

#[derive(Deserialize)]
struct Scrolled {
    y: i64,
    bottom: i64,
    moved: bool,
}

impl Page {
    /// Scrolls the page, or the box that the target is or is in.
    pub async fn scroll(
        &self,
        target: Option<&Target>,
        scroll: Scroll,
        acting: &Acting,
    ) -> Result<Outcome> {
        if target.is_none() && scroll == Scroll::IntoView {
            return Err(Error::Invalid("scrolling into view needs a target".into()));
        }
        let deadline = acting.deadline();
        let (world, reference, described) = match target {
            Some(target) => {
                let need = acting.need(Need::PRESENT);
                let prepared = self.prepare(target, need, None, deadline).await?;
                (prepared.world, Some(prepared.reference), Some(prepared.description))
            }
            None => {
                let world = self.main_world(deadline).await?;
                let args = serde_json::json!({ "key": world.key, "observe": acting.observe });
                let _: serde::de::IgnoredAny = self.call(&world, "listen", &args, deadline).await?;
                (world, None, None)
            }
        };
        let mark = Mark::now(&self.tab);
        let (to, dx, dy) = match scroll {
            Scroll::IntoView => ("view", 0.0, 0.0),
            Scroll::Top => ("top", 0.0, 0.0),
            Scroll::Bottom => ("bottom", 0.0, 0.0),
            Scroll::By(dx, dy) => ("by", dx, dy),
        };
        let args = serde_json::json!({ "ref": reference, "to": to, "dx": dx, "dy": dy });
        let scrolled: Scrolled = self.call(&world, "scrollPage", &args, deadline).await?;
        let mut outcome = Outcome { acted_on: described, ..Default::default() };
        if !scrolled.moved {
            outcome.verdict = Verdict::NothingChanged;
        }
        outcome.effects.push(Effect::Scrolled { y: scrolled.y, bottom: scrolled.bottom });
        if scrolled.moved {
            outcome.settled = settle(&self.tab, &mark, &self.bounds).await?;
            if acting.observe {
                // Settling may have taken the time that the scrolling had.
                let deadline = deadline.max(Instant::now() + ACTION);
                outcome.change = self.change_in(&[world.frame], deadline).await?.text;
            }
        }
        Ok(outcome)
    }
}
