//! Actions with the pointer and the keyboard. Each prepares its element, sends the browser's own
//! input, waits for what follows, and says what happened.

use std::time::Duration;

use legwork_cdp::FrameId;
use legwork_cdp::input::{DispatchDragEvent, DragData, SetInterceptDrags};
use serde::Deserialize;
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::field::Caret;
use crate::input::{self, Button, Mouse, Sent};
use crate::keys::{self, Modifier};
use crate::outcome::{Effect, Outcome, Settled, Verdict};
use crate::page::{ACTION, Page};
use crate::prepare::{Field, Need, Point, Prepared};
use crate::settle::{Mark, settle};
use crate::snapshot::Change;
use crate::tab::Happening;
use crate::target::Target;

/// How to act: the deadline, and whether the change of the page is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Acting {
    /// For the element to become ready and the action to be sent.
    pub timeout: Duration,
    /// Tells the change of the page in the outcome.
    pub observe: bool,
}

impl Default for Acting {
    fn default() -> Self {
        Acting { timeout: ACTION, observe: true }
    }
}

impl Acting {
    pub(crate) fn need(&self, need: Need) -> Need {
        Need { observe: self.observe, ..need }
    }

    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}

/// How to click.
#[derive(Debug, Clone, Default)]
pub struct Click {
    /// Which button.
    pub button: Button,
    /// Twice for a double click.
    pub count: Count,
    /// Keys held meanwhile.
    pub modifiers: Vec<Modifier>,
    /// Where in the element, from its top left corner; where it can be reached otherwise.
    pub position: Option<Point>,
    /// Deadline and observation.
    pub acting: Acting,
}

/// How often to click.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Count {
    /// Once.
    #[default]
    Single,
    /// A double click.
    Double,
    /// A triple click, which selects a paragraph.
    Triple,
}

/// What the walker saw of an action.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Collected {
    delivered: Option<bool>,
    receiver: Option<String>,
    field: Option<Field>,
    #[serde(default)]
    invalid: Vec<InvalidField>,
    focused: Option<String>,
    #[serde(default)]
    drag: bool,
}

#[derive(Debug, Deserialize)]
struct InvalidField {
    field: String,
    message: String,
}

impl Page {
    /// Clicks an element.
    pub async fn click(&self, target: &Target, click: &Click) -> Result<Outcome> {
        let deadline = click.acting.deadline();
        let count = match click.count {
            Count::Single => 1,
            Count::Double => 2,
            Count::Triple => 3,
        };
        let need = Need { releases: count, ..click.acting.need(Need::POINTER) };
        let prepared = self.prepare(target, need, click.position, deadline).await?;
        let mark = Mark::now(&self.tab);
        let modifiers = click.modifiers.iter().map(|modifier| i64::from(modifier.bit())).sum();
        let mouse = Mouse { session: &self.tab.session, modifiers };
        let sent = mouse.click(prepared.point, click.button, count.into());
        self.finish(&mark, target, prepared, sent, &click.acting).await
    }

    /// Moves the pointer over an element.
    pub async fn hover(&self, target: &Target, acting: &Acting) -> Result<Outcome> {
        let need = Need { enabled: false, ..acting.need(Need::POINTER) };
        let prepared = self.prepare(target, need, None, acting.deadline()).await?;
        let mark = Mark::now(&self.tab);
        let mouse = Mouse { session: &self.tab.session, modifiers: 0 };
        let sent = vec![mouse.moves(prepared.point, None)];
        self.finish(&mark, target, prepared, sent, acting).await
    }

    /// Presses a key or chord, in the element given or wherever the focus is.
    pub async fn press(
        &self,
        target: Option<&Target>,
        chord: &str,
        acting: &Acting,
    ) -> Result<Outcome> {
        let chord = keys::parse_chord(chord).map_err(|error| Error::Invalid(error.to_string()))?;
        let deadline = acting.deadline();
        let prepared = match target {
            Some(target) => {
                let need = Need { point: false, field: true, ..acting.need(Need::POINTER) };
                let prepared = self.prepare(target, need, None, deadline).await?;
                self.focus(&prepared, Caret::Kept, deadline).await?;
                prepared
            }
            None => self.focused(acting, deadline).await?,
        };
        let mark = Mark::now(&self.tab);
        let sent = input::press(&self.tab.session, &chord);
        let given = target.cloned().unwrap_or(Target::Css(":focus".into()));
        self.finish(&mark, &given, prepared, sent, acting).await
    }

    /// Whatever has the focus, or the document, so that the page is listened to.
    async fn focused(&self, acting: &Acting, deadline: Instant) -> Result<Prepared> {
        let world = self.main_world(deadline).await?;
        let args = serde_json::json!({ "key": world.key, "observe": acting.observe });
        let focus: Focus = self.call(&world, "listen", &args, deadline).await?;
        Ok(Prepared {
            world,
            reference: focus.reference.unwrap_or_default(),
            description: focus.description.unwrap_or_else(|| "the page".into()),
            kind: String::new(),
            field: focus.field.unwrap_or_default(),
            point: Point { x: 0.0, y: 0.0 },
            releases: 0,
        })
    }

    /// Drags one element onto another, with the pointer, or with HTML drag and drop where the page
    /// starts that.
    pub async fn drag(&self, from: &Target, to: &Target, acting: &Acting) -> Result<Outcome> {
        let deadline = acting.deadline();
        let need = acting.need(Need::POINTER);
        let end = self.prepare(to, Need { enabled: false, ..need }, None, deadline).await?;
        let start = self.prepare(from, need, None, deadline).await?;
        let mark = Mark::now(&self.tab);
        self.tab.state().drag = None;
        let session = &self.tab.session;
        session.send(&SetInterceptDrags { enabled: true }).await?;
        let mouse = Mouse { session, modifiers: 0 };
        let mut sent =
            vec![mouse.moves(start.point, None), mouse.press(start.point, Button::Left, 1)];
        for step in 1..=STEPS {
            sent.push(mouse.moves(between(start.point, end.point, step), Some(Button::Left)));
        }
        self.answered(sent).await?;
        let dropped = match self.drag_data(&start, deadline).await? {
            Some(data) => self.drop_at(end.point, data).await,
            None => Ok(()),
        };
        let released = vec![mouse.release(end.point, Button::Left, 1)];
        session.notify(&SetInterceptDrags { enabled: false });
        dropped?;
        let onto = end.description.clone();
        let mut outcome = self.finish(&mark, from, start, released, acting).await?;
        outcome.acted_on = outcome.acted_on.map(|what| format!("{what} onto {onto}"));
        Ok(outcome)
    }

    /// The data of an HTML drag, if the page started one.
    async fn drag_data(&self, start: &Prepared, deadline: Instant) -> Result<Option<DragData>> {
        let began: Collected =
            self.call(&start.world, "peek", &serde_json::json!({}), deadline).await?;
        if !began.drag {
            return Ok(None);
        }
        let soon = deadline.min(Instant::now() + Duration::from_secs(1));
        self.tab.until(soon, |state| state.drag.take()).await
    }

    async fn drop_at(&self, at: Point, data: DragData) -> Result<()> {
        let events = ["dragEnter", "dragOver", "drop"].map(|kind| {
            self.tab.session.send(&DispatchDragEvent {
                kind: kind.into(),
                x: at.x,
                y: at.y,
                data: data.clone(),
                modifiers: None,
            })
        });
        self.answered(events.into()).await
    }

    /// Waits until the input is processed. A dialog or a new document may keep the answer back; that
    /// is an outcome, not an error.
    pub(crate) async fn answered(&self, sent: Sent) -> Result<()> {
        for call in sent {
            match self.tab.unless_blocked(call.within(Duration::from_secs(10))).await {
                Ok(_) => {}
                Err(Error::DialogOpen { .. }) => return Ok(()),
                Err(Error::Protocol(message)) => tracing::debug!("input: {message}"),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits for what follows and tells it.
    pub(crate) async fn finish(
        &self,
        mark: &Mark,
        target: &Target,
        prepared: Prepared,
        sent: Sent,
        acting: &Acting,
    ) -> Result<Outcome> {
        let answered = match self.aftermath(mark, &prepared, sent, acting).await {
            Ok(Some(early)) => Ok((Settled::Quiet, Some(early))),
            Ok(None) => settle(&self.tab, mark, &self.bounds).await.map(|settled| (settled, None)),
            Err(error) => Err(error),
        };
        match answered {
            Ok((settled, early)) => {
                self.tell_outcome(mark, target, prepared, settled, early, acting).await
            }
            // Something came of it, and the page is at it still.
            Err(Error::Timeout { .. }) if !self.effects_since(mark).is_empty() => Ok(Outcome {
                acted_on: Some(prepared.description),
                effects: self.effects_since(mark),
                verdict: Verdict::Unverified("the page is still busy".into()),
                settled: Settled::AtBound,
                ..Default::default()
            }),
            Err(Error::Timeout { after, .. }) => {
                self.unhang().await?;
                let what = format!("the page to handle it (acted on {})", prepared.description);
                Err(Error::Timeout { what, after })
            }
            // The click closed its own tab: that is what it did.
            Err(Error::PageClosed) => Ok(Outcome {
                acted_on: Some(prepared.description),
                verdict: Verdict::Unverified("the tab closed".into()),
                ..Default::default()
            }),
            Err(error) => Err(error),
        }
    }

    async fn tell_outcome(
        &self,
        mark: &Mark,
        target: &Target,
        prepared: Prepared,
        settled: Settled,
        early: Option<(Collected, Change)>,
        acting: &Acting,
    ) -> Result<Outcome> {
        let mut outcome = Outcome {
            acted_on: Some(prepared.description.clone()),
            effects: self.effects_since(mark),
            settled,
            ..Default::default()
        };
        if let Target::Ref(given) = target
            && prepared.reference != given.to_string()
            && !prepared.reference.is_empty()
        {
            let (from, to) = (given.to_string(), prepared.reference.clone());
            outcome.effects.push(Effect::Rematched { from, to });
        }
        if outcome.dialog().is_some() || outcome.navigation().is_some() {
            return Ok(outcome);
        }
        let (collected, change) = match early {
            Some((collected, change)) => (Ok(collected), Ok(change)),
            None => self.collect(mark, &prepared, acting).await,
        };
        match collected {
            Ok(collected) => self.compare(&mut outcome, &prepared, collected)?,
            Err(Error::PageClosed | Error::Protocol(_)) => {
                outcome.verdict = Verdict::Unverified("the frame was replaced".into());
            }
            Err(Error::DialogOpen { .. }) => {
                outcome.effects = self.effects_since(mark);
                return Ok(outcome);
            }
            Err(error) => return Err(error),
        }
        let change = match change {
            Ok(change) => change,
            Err(Error::PageClosed) => Default::default(),
            Err(error) => return Err(error),
        };
        outcome.effects.extend(
            change
                .shown
                .into_iter()
                .map(|shown| Effect::Shown { kind: shown.kind, text: shown.text }),
        );
        outcome.change = change.text;
        let pulsed = self.pulsed(mark);
        let seen = !outcome.effects.is_empty() || !outcome.change.is_empty();
        if outcome.verdict == Verdict::Done && !seen && (acting.observe || !pulsed) {
            outcome.verdict = Verdict::NothingChanged;
        }
        Ok(outcome)
    }

    /// What the walker saw of the action, and what changed wherever something moved.
    async fn collect(
        &self,
        mark: &Mark,
        prepared: &Prepared,
        acting: &Acting,
    ) -> (Result<Collected>, Result<Change>) {
        let deadline = Instant::now() + Duration::from_secs(5);
        let frames = self.frames_pulsed(mark, prepared);
        let nothing = serde_json::json!({});
        tokio::join!(self.call(&prepared.world, "collect", &nothing, deadline), async {
            if !acting.observe {
                return Ok(Change::default());
            }
            self.change_in(&frames, deadline).await
        })
    }

    fn compare(&self, outcome: &mut Outcome, prepared: &Prepared, after: Collected) -> Result<()> {
        if let (Some(false), Some(receiver)) = (after.delivered, after.receiver) {
            return Err(Error::Intercepted { target: prepared.description.clone(), receiver });
        }
        if let Some(field) = after.field {
            outcome.effects.extend(field_effects(&prepared.field, &field));
        }
        for invalid in after.invalid {
            let InvalidField { field, message } = invalid;
            outcome.effects.push(Effect::Invalid { field, message });
        }
        if let Some(focused) = after.focused
            && !focused.ends_with(&format!(" {}", prepared.reference))
            && outcome.effects.is_empty()
        {
            outcome.effects.push(Effect::Focused(focused));
        } else if outcome.effects.is_empty() && is_text_field(&prepared.kind) {
            outcome.effects.push(Effect::Focused(prepared.description.clone()));
        }
        Ok(())
    }

    fn pulsed(&self, mark: &Mark) -> bool {
        let state = self.tab.state();
        state.since(mark.sequence).any(|(_, _, h)| matches!(h, Happening::Pulsed { .. }))
    }

    /// The frames in which something moved: the element's own, the main one, and whichever told us.
    pub(crate) fn frames_pulsed(&self, mark: &Mark, prepared: &Prepared) -> Vec<FrameId> {
        let state = self.tab.state();
        let mut frames: Vec<FrameId> =
            state.frames.root().map(|f| f.id.clone()).into_iter().collect();
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
}

#[derive(Deserialize)]
struct Focus {
    #[serde(rename = "ref")]
    reference: Option<String>,
    description: Option<String>,
    field: Option<Field>,
}

fn is_text_field(kind: &str) -> bool {
    matches!(kind, "text" | "email" | "search" | "tel" | "url" | "password" | "number" | "textarea")
        || kind == "contenteditable"
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

/// Moves in a drag: pages that follow the pointer need to see it pass.
const STEPS: u32 = 6;

fn between(from: Point, to: Point, step: u32) -> Point {
    let part = f64::from(step) / f64::from(STEPS);
    Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}
