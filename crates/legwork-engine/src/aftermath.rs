//! What followed an action, told as an [`Outcome`]. Most pages answer a click while it is handled, so
//! one question behind it brings all there is to tell; only what is still under way is settled and
//! asked again. Once input was sent there are no errors any more, only outcomes that say how sure
//! they are.

use std::time::Duration;

use legwork_cdp::FrameId;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::act::Acting;
use crate::error::{Error, Result};
use crate::input::{Last, Sent};
use crate::outcome::{Effect, Outcome, Settled, Verdict};
use crate::page::Page;
use crate::prepare::{Field, Prepared};
use crate::refs::Turn;
use crate::settle::{self, Mark, settle};
use crate::snapshot::{Change, FrameChange};
use crate::tab::Happening;
use crate::target::Target;
use crate::walker::World;

/// An action that has been sent to the browser.
pub(crate) struct Sending<'a> {
    pub(crate) mark: Mark,
    /// The target as the caller gave it.
    pub(crate) target: Option<&'a Target>,
    pub(crate) prepared: Prepared,
    pub(crate) acting: &'a Acting,
    /// What the field should hold afterwards.
    pub(crate) expect: Option<String>,
}

#[derive(Serialize)]
struct Asked<'a> {
    observe: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Last>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<&'a str>,
}

#[derive(Default, Deserialize)]
struct Early {
    seen: Option<Collected>,
    change: Option<FrameChange>,
}

/// What the walker saw of an action.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Collected {
    delivered: Option<bool>,
    receiver: Option<String>,
    /// What got the click, where the element was pressed and something else let go of.
    strayed: Option<String>,
    /// The element had moved away by then; it was not merely covered, as by a menu that opens on press.
    #[serde(default)]
    displaced: bool,
    field: Option<Field>,
    holds: Option<bool>,
    #[serde(default)]
    invalid: Vec<InvalidField>,
    focused: Option<String>,
    #[serde(default)]
    pub(crate) drag: bool,
    /// Something changed that may show in nothing else.
    #[serde(default)]
    moved: bool,
}

#[derive(Debug, Deserialize)]
struct InvalidField {
    field: String,
    message: String,
}

type Told = (Collected, Change);

impl Page {
    /// Waits for what follows and tells it.
    pub(crate) async fn finish(&self, mut sending: Sending<'_>, sent: Sent) -> Result<Outcome> {
        let patience = sending.acting.timeout.max(Duration::from_secs(1));
        let answered = self.answered(sent.calls, patience);
        let telling = sending.prepared.telling.take();
        let (answered, early) = match sent.last {
            Some(_) => tokio::join!(answered, self.early(&sending, sent.last, telling)),
            // No event ends it, so that the question could overtake the rest of it.
            None => match answered.await {
                Ok(()) => (Ok(()), self.early(&sending, None, None).await),
                failed => (failed, None),
            },
        };
        let settled = match (answered, early) {
            (Ok(()), Some(told)) => Ok((Settled::Quiet, Some(told))),
            (Ok(()), None) => {
                settle(&self.tab, &sending.mark, &self.bounds).await.map(|settled| (settled, None))
            }
            (Err(error), _) => Err(error),
        };
        let told = match settled {
            Ok((settled, Some(told))) => self.tell(&sending, settled, told),
            Ok((settled, None)) => match self.collect(&sending).await {
                Ok(told) => self.tell(&sending, settled, told),
                Err(error) => self.tell_unchecked(&sending, error).await?,
            },
            Err(error) => self.tell_unchecked(&sending, error).await?,
        };
        self.hush(&sending.prepared);
        Ok(told)
    }

    /// What there is to tell at once, if nothing is under way; `None` if the page has to settle first.
    async fn early(
        &self,
        sending: &Sending<'_>,
        after: Option<Last>,
        telling: Option<Turn>,
    ) -> Option<Told> {
        let Sending { mark, prepared, acting, .. } = sending;
        let soon = Instant::now() + self.bounds.first_effect;
        let answer = match telling {
            Some(turn) => self.hear(&prepared.world, turn, soon).await,
            None => {
                // The walker gives up by itself before that.
                let soon = soon + self.bounds.first_effect;
                let expect = sending.expect.as_deref();
                let asked = Asked { observe: acting.observe, after, expect };
                self.call(&prepared.world, "aftermath", &asked, soon).await
            }
        };
        if let Ok(Early { seen: Some(seen), change }) = answer {
            let change = change.unwrap_or_default();
            let whole = change.is_whole() && self.is_alone(mark, prepared);
            if whole && settle::is_nothing_under_way(&self.tab, mark, &self.bounds) {
                let text = change.text.trim_end().to_owned();
                return Some((
                    seen,
                    Change { text, shown: change.shown, by_itself: change.itself },
                ));
            }
        }
        // Something is under way, or the page is busy: what it may have told is taken back.
        self.notify(&prepared.world, "() => legwork.resume()");
        None
    }

    /// What the walker tells by itself. A dialog or another document keeps it from that.
    async fn hear(&self, world: &World, mut turn: Turn, soon: Instant) -> Result<Early> {
        let heard = self.tab.until(soon, |state| {
            if let Some(said) = state.told.take() {
                return Some(Ok(said));
            }
            let frame = state.frames.get(&world.frame);
            let now = frame.and_then(|frame| frame.world.as_ref());
            let there = now.is_some_and(|now| now.unique == world.id.unique);
            let gone = (!there).then_some(Error::FrameGone);
            gone.or_else(|| state.dialog_error()).map(Err)
        });
        match heard.await? {
            Some(Ok(said)) => self.read(&mut turn, world, &said),
            Some(Err(Error::FrameGone)) => {
                turn.used(None);
                Err(Error::FrameGone)
            }
            Some(Err(error)) => Err(error),
            None => Ok(Early::default()),
        }
    }

    /// Whether the action touched the main frame only, and brought it no new ones.
    fn is_alone(&self, mark: &Mark, prepared: &Prepared) -> bool {
        let frames = self.frames_pulsed(mark, prepared);
        let state = self.tab.state();
        let known = |of: &str| of == prepared.world.id.unique;
        let children = state.frames.children(&prepared.world.frame);
        frames.len() == 1
            && children.iter().all(|child| child.adopted_by.as_deref().is_some_and(known))
    }

    /// What the walker saw of the action, and what changed wherever something moved.
    async fn collect(&self, sending: &Sending<'_>) -> Result<Told> {
        let Sending { mark, prepared, acting, .. } = sending;
        let moved_on = self.effects_since(mark).iter().any(moves_on);
        if moved_on {
            return Ok(Told::default());
        }
        let deadline = Instant::now() + Duration::from_secs(5);
        let expect = sending.expect.as_deref();
        let asked = Asked { observe: acting.observe, after: None, expect };
        let collected = self.call(&prepared.world, "collect", &asked, deadline).await?;
        if !acting.observe {
            return Ok((collected, Change::default()));
        }
        let frames = self.frames_pulsed(mark, prepared);
        Ok((collected, self.change_in(&frames, deadline).await?))
    }

    /// The outcome of an action whose consequences are known.
    fn tell(&self, sending: &Sending<'_>, settled: Settled, told: Told) -> Outcome {
        let (seen, change) = told;
        let mut outcome = self.begun(sending);
        outcome.settled = settled;
        outcome.effects.extend(rematched(sending));
        if outcome.effects.iter().any(moves_on) {
            return outcome;
        }
        let intercepted = seen.receiver.filter(|_| seen.delivered == Some(false));
        let changed = |field: &Field| field_effects(&sending.prepared.field, field);
        let own = seen.field.as_ref().map(changed).unwrap_or_default();
        // What else changed may be why it moved; a change of its own is its answer to the press.
        let lost = seen.displaced && own.is_empty();
        outcome.effects.extend(own);
        let invalid =
            |one: InvalidField| Effect::Invalid { field: one.field, message: one.message };
        outcome.effects.extend(seen.invalid.into_iter().map(invalid));
        let shown = change.shown.into_iter().filter(|_| !change.by_itself);
        outcome.effects.extend(shown.map(|one| Effect::Shown { kind: one.kind, text: one.text }));
        outcome.change = change.text;
        let is_silent = |outcome: &Outcome| {
            outcome.effects.is_empty() && (change.by_itself || outcome.change.is_empty())
        };
        if is_silent(&outcome) {
            outcome.effects.extend(seen.focused.map(Effect::Focused));
        }
        let stirred = seen.moved || self.pulsed(&sending.mark);
        // Where nobody looked, what stirred may be what the press was for.
        let vain = is_silent(&outcome) && (sending.acting.observe || !stirred);
        let strayed = seen.strayed.filter(|_| vain || lost);
        if is_silent(&outcome) && stirred {
            outcome.effects.push(Effect::Redrawn);
        }
        let holds = seen.field.and_then(|field| field.value).unwrap_or_default();
        outcome.verdict = match intercepted.or(strayed) {
            Some(receiver) => Verdict::Intercepted(receiver),
            None if seen.holds == Some(false) => Verdict::Differs(holds),
            None if seen.holds == Some(true) => Verdict::Done,
            None if is_silent(&outcome) => Verdict::NothingChanged,
            None => Verdict::Done,
        };
        // Where requests were waited for, it took longer, and the bound says nothing.
        let bound = self.bounds.first_effect;
        if outcome.verdict == Verdict::NothingChanged && sending.mark.at.elapsed() < bound * 2 {
            outcome.in_vain = Some(bound);
        }
        outcome
    }

    /// The outcome of an action whose consequences could not be looked at.
    async fn tell_unchecked(&self, sending: &Sending<'_>, error: Error) -> Result<Outcome> {
        let reason = match error {
            Error::BrowserCrashed(_) | Error::SessionClosed => return Err(error),
            Error::PageClosed => "the tab closed".to_owned(),
            Error::FrameGone => "the frame is gone".to_owned(),
            Error::PageCrashed => "the page crashed".to_owned(),
            Error::DialogOpen { .. } => return Ok(self.begun(sending)),
            Error::Timeout { .. } => {
                if !self.effects_since(&sending.mark).iter().any(moves_on) {
                    self.unhang().await?;
                }
                "the page is busy and does not answer".to_owned()
            }
            other => format!("the page changed meanwhile ({other})"),
        };
        let mut outcome = self.begun(sending);
        outcome.verdict = Verdict::Unverified(reason);
        outcome.settled = Settled::AtBound;
        Ok(outcome)
    }

    /// The part that the tab's own journal tells.
    fn begun(&self, sending: &Sending<'_>) -> Outcome {
        let reference = Some(sending.prepared.reference.clone()).filter(|known| !known.is_empty());
        Outcome {
            acted_on: Some(sending.prepared.description.clone()),
            field: reference.clone(),
            reference,
            known: sending.prepared.known.clone(),
            effects: self.effects_since(&sending.mark),
            ..Default::default()
        }
    }

    fn pulsed(&self, mark: &Mark) -> bool {
        let state = self.tab.state();
        state
            .since(mark.sequence)
            .any(|(_, _, h)| matches!(h, Happening::Pulsed { .. } | Happening::Moving { .. }))
    }

    /// The frames in which something moved: the element's own, the main one, and whichever told us.
    fn frames_pulsed(&self, mark: &Mark, prepared: &Prepared) -> Vec<FrameId> {
        let state = self.tab.state();
        let root = state.frames.root().map(|frame| frame.id.clone());
        let mut frames: Vec<FrameId> = root.into_iter().collect();
        let told = state.since(mark.sequence).filter_map(|(_, _, h)| match h {
            Happening::Pulsed { frame } => Some(frame.clone()),
            _ => None,
        });
        for frame in told.chain([prepared.world.frame.clone()]) {
            if !frames.contains(&frame) {
                frames.push(frame);
            }
        }
        frames
    }

    /// Lets every other frame tell when something moves in it.
    pub(crate) fn listen_elsewhere(&self, prepared: &Prepared) {
        for world in self.other_worlds(&prepared.world) {
            let key = world.key;
            self.notify(&world, &format!("() => legwork.arm({{ key: {key}, aimed: false }})"));
        }
    }

    fn hush(&self, prepared: &Prepared) {
        for world in self.other_worlds(&prepared.world) {
            self.notify(&world, "() => legwork.hush()");
        }
    }
}

/// Another document, a failure to load one, or a dialog: what the walker of this one saw no longer
/// matters.
fn moves_on(effect: &Effect) -> bool {
    matches!(effect, Effect::Navigated { .. } | Effect::NavigationFailed { .. } | Effect::Dialog(_))
}

fn rematched(sending: &Sending<'_>) -> Option<Effect> {
    let Some(Target::Ref(given)) = sending.target else { return None };
    let (from, to) = (given.to_string(), sending.prepared.reference.clone());
    (from != to && !to.is_empty()).then_some(Effect::Rematched { from, to })
}

fn field_effects(before: &Field, after: &Field) -> Vec<Effect> {
    let mut effects = Vec::new();
    if before.value != after.value {
        effects.push(Effect::Value {
            before: before.value.clone().unwrap_or_default(),
            after: after.value.clone().unwrap_or_default(),
        });
    }
    if let Some(checked) = after.checked
        && before.checked != after.checked
    {
        effects.push(Effect::Checked(checked));
    }
    if let Some(expanded) = after.expanded
        && before.expanded != after.expanded
    {
        effects.push(Effect::Expanded(expanded));
    }
    effects
}
