//! Waits for the consequences of an action by the events that announce them. What has begun is
//! waited for within bounds; if nothing has begun, the first effect is waited for, shortly.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::Result;
use crate::outcome::Settled;
use crate::tab::{Happening, State, Tab};

/// How long consequences are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// For the first sign of an effect.
    pub first_effect: Duration,
    /// For requests the action began.
    pub requests: Duration,
    /// For a document the action began to load.
    pub load: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            first_effect: Duration::from_millis(150),
            requests: Duration::from_secs(4),
            load: Duration::from_secs(10),
        }
    }
}

/// The moment before an action, from which its consequences count.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) sequence: u64,
    pub(crate) at: Instant,
    pub(crate) url: String,
}

impl Mark {
    pub(crate) fn now(tab: &Tab) -> Mark {
        let state = tab.state();
        Mark { sequence: state.sequence(), at: Instant::now(), url: state.url().to_owned() }
    }
}

/// What the tab is at, as far as an action is concerned.
enum Stage {
    /// Done, or blocked by a dialog.
    Over,
    /// Something is under way until then at most.
    Busy(Instant),
    /// Nothing is under way; an effect may still come until then.
    Open(Instant),
}

/// Returns when the consequences are there.
pub(crate) async fn settle(tab: &Tab, mark: &Mark, bounds: &Bounds) -> Result<Settled> {
    loop {
        let stage = assess(&tab.state(), mark, bounds);
        let (deadline, busy) = match stage {
            Stage::Over => return Ok(Settled::Quiet),
            Stage::Busy(deadline) => (deadline, true),
            Stage::Open(deadline) => (deadline, false),
        };
        if Instant::now() >= deadline {
            return Ok(if busy { Settled::AtBound } else { Settled::Quiet });
        }
        let seen = tab.state().sequence();
        let moved = tab.until(deadline, |state| (state.sequence() > seen).then_some(())).await?;
        if moved.is_none() {
            return Ok(if busy { Settled::AtBound } else { Settled::Quiet });
        }
    }
}

fn assess(state: &State, mark: &Mark, bounds: &Bounds) -> Stage {
    let mut cause = (mark.sequence, mark.at);
    let mut effect = None;
    let mut navigating = None;
    for (sequence, at, happening) in state.since(mark.sequence) {
        match happening {
            Happening::Dialog(_) if state.dialog.is_some() => return Stage::Over,
            Happening::Navigating { main } => navigating = Some((*at, *main)),
            Happening::RequestEnded => cause = (*sequence, *at),
            Happening::RequestBegan | Happening::Errored(_) => {}
            Happening::Loaded => {
                effect = Some(*sequence);
                navigating = navigating.filter(|(_, main)| !main);
            }
            _ => effect = Some(*sequence),
        }
    }
    if let Some((at, main)) = navigating
        && let Some(stage) = loading(state, at, main, bounds)
    {
        return stage;
    }
    if state.network.under_way_since(mark.sequence) > 0 {
        return Stage::Busy(mark.at + bounds.requests);
    }
    match effect {
        Some(sequence) if sequence > cause.0 => Stage::Over,
        // Something has shown already; what the last answer brings follows at once or not at all.
        Some(_) => Stage::Open(cause.1 + bounds.first_effect / 3),
        None => Stage::Open(cause.1 + bounds.first_effect),
    }
}

/// A document on its way; `None` when it is there, or when it turned out to be a download.
fn loading(state: &State, began: Instant, main: bool, bounds: &Bounds) -> Option<Stage> {
    let downloaded = state
        .since(0)
        .rev()
        .any(|(_, at, h)| *at >= began && matches!(h, Happening::Download { .. }));
    if downloaded {
        return None;
    }
    let busy = if main {
        state.frames.root().is_some_and(|frame| !frame.loaded)
    } else {
        state.frames.iter().any(|frame| frame.parent.is_some() && !frame.loaded)
    };
    let bound = if main { bounds.load } else { bounds.requests };
    busy.then(|| Stage::Busy(began + bound))
}
