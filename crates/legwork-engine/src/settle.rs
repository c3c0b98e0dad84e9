//! Waits for the consequences of an action by the events that announce them. What has begun is
//! waited for within bounds; if nothing has begun, the first effect is waited for, shortly.

use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::FrameId;
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
    /// For what the action set in motion on the page.
    pub motion: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            first_effect: Duration::from_millis(150),
            requests: Duration::from_secs(4),
            load: Duration::from_secs(10),
            motion: Duration::from_millis(700),
        }
    }
}

/// The moment before an action, from which its consequences count.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) sequence: u64,
    pub(crate) at: Instant,
    pub(crate) url: String,
    /// As long as it is held, what happens is not told as a person's doing.
    _own: Option<Arc<()>>,
}

impl Mark {
    pub(crate) fn now(tab: &Tab) -> Mark {
        let own = tab.context.upgrade().map(|context| context.own());
        let state = tab.state();
        let url = state.url().to_owned();
        Mark { sequence: state.sequence(), at: Instant::now(), url, _own: own }
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
        let stage = {
            let state = tab.state();
            assess(&state, mark, bounds, Seen::since(&state, mark))
        };
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

/// Whether an effect that has been seen by now is all there is to wait for.
pub(crate) fn is_nothing_under_way(tab: &Tab, mark: &Mark, bounds: &Bounds) -> bool {
    let state = tab.state();
    let seen = Seen { effect: Some(u64::MAX), ..Seen::since(&state, mark) };
    matches!(assess(&state, mark, bounds, seen), Stage::Over)
}

fn assess(state: &State, mark: &Mark, bounds: &Bounds, seen: Seen<'_>) -> Stage {
    if state.dialog.is_some() && seen.dialog {
        return Stage::Over;
    }
    if let Some(at) = seen.wanted {
        return Stage::Busy(at + START_OF_NAVIGATION);
    }
    if let Some((at, main)) = seen.navigating
        && let Some(stage) = loading(state, at, main, bounds)
    {
        return stage;
    }
    if state.network.under_way_since(mark.sequence) > 0 {
        return Stage::Busy(mark.at + bounds.requests);
    }
    if let Some((at, _)) = seen.moving {
        return Stage::Busy(at + bounds.motion);
    }
    match seen.effect {
        Some(sequence) if sequence > seen.cause.0 => Stage::Over,
        // Something has shown already; what the last answer brings follows at once or not at all.
        Some(_) => Stage::Open(seen.cause.1 + bounds.first_effect / 3),
        None => Stage::Open(seen.cause.1 + bounds.first_effect),
    }
}

/// A navigation that was asked for begins in this time, or was prevented.
const START_OF_NAVIGATION: Duration = Duration::from_secs(1);

/// What the journal tells of an action.
struct Seen<'a> {
    /// The last thing that effects may follow from: the action itself, or an answer that came.
    cause: (u64, Instant),
    /// The last thing that can be observed.
    effect: Option<u64>,
    wanted: Option<Instant>,
    navigating: Option<(Instant, bool)>,
    /// What moves, and in which frame; it is told there when it is at rest.
    moving: Option<(Instant, &'a FrameId)>,
    dialog: bool,
}

impl<'a> Seen<'a> {
    fn since(state: &'a State, mark: &Mark) -> Seen<'a> {
        let mut seen = Seen {
            cause: (mark.sequence, mark.at),
            effect: None,
            wanted: None,
            navigating: None,
            moving: None,
            dialog: false,
        };
        let mut arrived = false;
        for (sequence, at, happening) in state.since(mark.sequence) {
            match happening {
                Happening::WantsToNavigate => seen.wanted = Some(*at),
                Happening::Navigating { main } => {
                    seen.wanted = None;
                    seen.navigating = Some((*at, *main));
                }
                Happening::Moving { frame } => seen.moving = Some((*at, frame)),
                Happening::RequestEnded | Happening::DialogClosed => seen.cause = (*sequence, *at),
                Happening::RequestBegan | Happening::Errored(_) | Happening::Blocked(_) => {}
                Happening::Loaded => {
                    seen.navigating = seen.navigating.filter(|(_, main)| !main);
                    // Without a new document the navigation turned into something else: a download.
                    if !arrived {
                        seen.cause = (*sequence, *at);
                        continue;
                    }
                    seen.effect = Some(*sequence);
                }
                other => {
                    arrived |= matches!(other, Happening::Navigated { main: true });
                    seen.dialog |= matches!(other, Happening::Dialog(_));
                    match other {
                        Happening::Pulsed { frame } => {
                            seen.moving = seen.moving.filter(|(_, moving)| *moving != frame);
                        }
                        Happening::Navigated { .. } => seen.moving = None,
                        _ => seen.wanted = None,
                    }
                    seen.effect = Some(*sequence);
                }
            }
        }
        seen
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
