//! Scrolling the page or a box in it, and saying where it is now.

use serde::Deserialize;
use tokio::time::Instant;

use crate::act::Acting;
use crate::error::{Error, Result};
use crate::input::Mouse;
use crate::outcome::{Effect, Outcome, Verdict};
use crate::page::{ACTION, Page};
use crate::prepare::{Need, Point, Prepared};
use crate::query::Area;
use crate::settle::{Mark, settle};
use crate::target::Target;
use crate::walker::World;

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
    #[serde(default)]
    by: (i64, i64),
}

/// The wheel, turned at a point.
struct Turn<'a> {
    target: &'a Target,
    at: Point,
    by: (f64, f64),
}

impl Turn<'_> {
    fn of(target: &Target, scroll: Scroll) -> Option<Turn<'_>> {
        match (target.at(), scroll) {
            (Some(at), Scroll::By(dx, dy)) => Some(Turn { target, at, by: (dx, dy) }),
            _ => None,
        }
    }
}

impl Scrolled {
    fn effect(&self) -> Effect {
        Effect::Scrolled { y: self.y, bottom: self.bottom, moved: self.by }
    }
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
        let turn = target.and_then(|target| Turn::of(target, scroll));
        let mut known = None;
        let (world, reference, described) = match target {
            Some(target) => {
                let need = acting.need(Need::PRESENT);
                let prepared = self.prepare(target, need, None, deadline).await?;
                if let Some(turn) = turn.as_ref().filter(|_| prepared.kind == "canvas") {
                    return self.turn_wheel(turn, prepared, acting).await;
                }
                known = prepared.known;
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
        let scrolled = self.scroll_in(&world, reference.as_deref(), scroll, deadline).await?;
        if let Some(turn) = turn.filter(|_| !scrolled.moved) {
            let need = acting.need(Need::PRESENT);
            let prepared = self.prepare(turn.target, need, None, deadline).await?;
            return self.turn_wheel(&turn, prepared, acting).await;
        }
        let outcome =
            Outcome { acted_on: described, field: reference, known, ..Default::default() };
        self.scrolled(outcome, &scrolled, &mark, (world, deadline), acting.observe).await
    }

    /// Waits for what scrolling brought, and tells it.
    async fn scrolled(
        &self,
        mut outcome: Outcome,
        scrolled: &Scrolled,
        mark: &Mark,
        (world, deadline): (World, Instant),
        observe: bool,
    ) -> Result<Outcome> {
        if !scrolled.moved {
            outcome.verdict = Verdict::NothingChanged;
        }
        outcome.effects.push(scrolled.effect());
        if scrolled.moved {
            outcome.settled = settle(&self.tab, mark, &self.bounds).await?;
            if observe {
                // Settling may have taken the time that the scrolling had.
                let deadline = deadline.max(Instant::now() + ACTION);
                outcome.change = self.change_in(&[world.frame], deadline).await?.text;
            }
        }
        Ok(outcome)
    }

    /// Turns the wheel where nothing scrolls by itself: a map, a drawing, a list that moves its rows.
    async fn turn_wheel(
        &self,
        turn: &Turn<'_>,
        prepared: Prepared,
        acting: &Acting,
    ) -> Result<Outcome> {
        let mouse = Mouse { tab: &self.tab, modifiers: 0 };
        let sending = self.sending(Some(turn.target), prepared, acting).await;
        self.finish(sending, mouse.wheel(turn.at, turn.by)).await
    }

    async fn scroll_in(
        &self,
        world: &World,
        reference: Option<&str>,
        scroll: Scroll,
        deadline: Instant,
    ) -> Result<Scrolled> {
        let (to, dx, dy) = match scroll {
            Scroll::IntoView => ("view", 0.0, 0.0),
            Scroll::Top => ("top", 0.0, 0.0),
            Scroll::Bottom => ("bottom", 0.0, 0.0),
            Scroll::By(dx, dy) => ("by", dx, dy),
        };
        let args = serde_json::json!({ "ref": reference, "to": to, "dx": dx, "dy": dy });
        let (Scroll::IntoView, Some(reference)) = (scroll, reference) else {
            return self.call(world, "scrollPage", &args, deadline).await;
        };
        let before = self.place_of(world, reference, deadline).await?;
        let scrolled: Scrolled = self.call(world, "scrollPage", &args, deadline).await?;
        let moved = before != self.place_of(world, reference, deadline).await?;
        Ok(Scrolled { moved, ..scrolled })
    }

    /// Where the element is in its window: scrolling into view moves it, or was not needed.
    async fn place_of(
        &self,
        world: &World,
        reference: &str,
        deadline: Instant,
    ) -> Result<Option<Area>> {
        #[derive(Deserialize)]
        struct Placed {
            #[serde(rename = "box")]
            area: Area,
        }
        #[derive(Deserialize)]
        struct Answer {
            #[serde(default)]
            items: Vec<Placed>,
        }
        let target = Target::parse(reference);
        let args = serde_json::json!({ "target": target.wire(), "limit": 1 });
        let answer: Answer = self.call(world, "query", &args, deadline).await?;
        Ok(answer.items.first().map(|item| item.area))
    }
}
