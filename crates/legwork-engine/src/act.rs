//! Actions with the pointer and the keyboard. Each prepares its element, sends the browser's own
//! input, waits for what follows, and says what happened.

use std::time::Duration;

use legwork_cdp::input::{DispatchDragEvent, SetInterceptDrags};
use legwork_cdp::{Call, Empty};
use serde::Deserialize;
use tokio::time::Instant;

use crate::aftermath::{Collected, Sending};
use crate::error::{Error, Result};
use crate::facts::Known;
use crate::field::Caret;
use crate::input::{self, Button, Last, Mouse, Way};
use crate::keys::{self, Modifier};
use crate::outcome::Outcome;
use crate::page::{ACTION, Page};
use crate::prepare::{Field, Need, Point, Prepared};
use crate::settle::Mark;
use crate::target::Target;

/// How to act: the deadline, and what is wanted beside what happened.
#[derive(Debug, Clone, Copy)]
pub struct Acting {
    /// For the element to become ready and the action to be sent.
    pub timeout: Duration,
    /// Tells the change of the page in the outcome.
    pub observe: bool,
    /// Tells how the element can be found again on another day, which takes time to find out.
    pub known: bool,
}

impl Default for Acting {
    fn default() -> Self {
        Acting { timeout: ACTION, observe: true, known: false }
    }
}

impl Acting {
    pub(crate) fn need(&self, need: Need) -> Need {
        Need { observe: self.observe, known: self.known, ..need }
    }

    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// The same with what is left of the time.
    pub(crate) fn until(&self, deadline: Instant) -> Acting {
        let left = deadline.saturating_duration_since(Instant::now());
        Acting { timeout: left.max(Duration::from_millis(50)), ..*self }
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
    /// How long the button is held down, for a long press; half a minute at most.
    pub hold: Option<Duration>,
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

impl Page {
    /// Clicks an element.
    pub async fn click(&self, target: &Target, click: &Click) -> Result<Outcome> {
        let acting = &click.acting;
        let count = match click.count {
            Count::Single => 1,
            Count::Double => 2,
            Count::Triple => 3,
        };
        let tell = self.telling(Last::mouse_up(count)).filter(|_| click.hold.is_none());
        let need = Need { tell, ..acting.need(Need::POINTER) };
        let prepared = self.prepare(target, need, click.position, acting.deadline()).await?;
        let modifiers = click.modifiers.iter().map(|modifier| i64::from(modifier.bit())).sum();
        let mouse = Mouse { tab: &self.tab, modifiers };
        let mut sending = self.sending(Some(target), prepared, acting).await;
        self.approach(&sending.prepared, &mouse).await?;
        let point = sending.prepared.point;
        // A hand that rests where it clicked before does not move to click again.
        let rests = sending.prepared.hovered && mouse.is_at(point);
        let way = if rests { Way::Rests } else { Way::Moves };
        let sent = match click.hold {
            None => mouse.click(point, click.button, count, way),
            Some(hold) => {
                let pressed = mouse.down(point, click.button, count, way);
                let held = Held { mouse: &mouse, point, button: click.button, count };
                self.answered(pressed, ACTION).await?;
                tokio::time::sleep(hold.min(LONGEST_HOLD)).await;
                std::mem::forget(held);
                sending.mark.at = Instant::now();
                mouse.up(point, click.button, count)
            }
        };
        self.finish(sending, sent).await
    }

    /// Moves the pointer over an element.
    pub async fn hover(&self, target: &Target, acting: &Acting) -> Result<Outcome> {
        let need = Need { enabled: false, ..acting.need(Need::POINTER) };
        let prepared = self.prepare(target, need, None, acting.deadline()).await?;
        let mouse = Mouse { tab: &self.tab, modifiers: 0 };
        let sending = self.sending(Some(target), prepared, acting).await;
        let moves = 1 + usize::from(self.approach(&sending.prepared, &mouse).await?);
        let sent = mouse.hover(sending.prepared.point, moves);
        self.finish(sending, sent).await
    }

    /// Moves the pointer close to where it is going, if that makes a difference. Two movements that are sent
    /// together may arrive as one, so that this one is waited for.
    async fn approach(&self, prepared: &Prepared, mouse: &Mouse<'_>) -> Result<bool> {
        if prepared.floats {
            let Point { x, y } = prepared.point;
            self.answered(vec![mouse.moves(Point { x: x - 1.0, y }, None)], ACTION).await?;
        }
        Ok(prepared.floats)
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
        let sending = self.sending(target, prepared, acting).await;
        let sent = input::press(&self.tab.session, &chord);
        self.finish(sending, sent).await
    }

    /// Has the walker tell what follows, where the browser lets it do so at once and nobody is shown the
    /// element first.
    fn telling(&self, after: Last) -> Option<Last> {
        let ours = self.tab.context.upgrade().is_some_and(|context| context.ours);
        (ours && self.session.highlight().is_zero()).then_some(after)
    }

    /// An action about to be sent, from whose moment its consequences count.
    pub(crate) async fn sending<'a>(
        &self,
        target: Option<&'a Target>,
        prepared: Prepared,
        acting: &'a Acting,
    ) -> Sending<'a> {
        self.highlight(&prepared).await;
        self.listen_elsewhere(&prepared);
        Sending { mark: Mark::now(&self.tab), target, prepared, acting, expect: None }
    }

    /// Whatever has the focus, in whichever frame, or the document, so that the page is listened to.
    pub(crate) async fn focused(&self, acting: &Acting, deadline: Instant) -> Result<Prepared> {
        let mut world = self.main_world(deadline).await?;
        loop {
            let args = serde_json::json!({ "key": world.key, "observe": acting.observe, "known": acting.known });
            let focus: Focus = self.call(&world, "listen", &args, deadline).await?;
            if let Some(inner) = focus.frame.and_then(|key| self.child_world(&world, key)) {
                world = inner;
                continue;
            }
            return Ok(Prepared {
                world,
                reference: focus.reference.unwrap_or_default(),
                description: focus.description.unwrap_or_else(|| "the page".into()),
                // Of a frame that nobody can look into, no more is known than that it is one.
                kind: focus.frame.map_or(String::new(), |_| FRAME.to_owned()),
                field: focus.field.unwrap_or_default(),
                point: Point { x: 0.0, y: 0.0 },
                facts: None,
                known: focus.known,
                floats: false,
                hovered: false,
                telling: None,
            });
        }
    }

    /// Drags one element onto another, with the pointer, or with HTML drag and drop where the page
    /// starts that.
    pub async fn drag(&self, from: &Target, to: &Target, acting: &Acting) -> Result<Outcome> {
        let deadline = acting.deadline();
        let need = acting.need(Need::POINTER);
        // Each may scroll the other: the second look at the end finds both where they are now.
        self.prepare(to, Need { enabled: false, ..need }, None, deadline).await?;
        self.prepare(from, need, None, deadline).await?;
        let end = self.prepare(to, Need { enabled: false, ..need }, None, deadline).await?;
        let start = self.prepare(from, need, None, deadline).await?;
        let (onto, end_known) = (end.description.clone(), end.known.clone());
        let sending = self.sending(Some(from), start, acting).await;
        let session = &self.tab.session;
        session.send(&SetInterceptDrags { enabled: true }).await?;
        let dragged = self.carry(&sending.prepared, end.point, deadline).await;
        let mouse = Mouse { tab: &self.tab, modifiers: 0 };
        let released = mouse.up(end.point, Button::Left, 1);
        session.notify(&SetInterceptDrags { enabled: false });
        dragged?;
        let mut outcome = self.finish(sending, released).await?;
        outcome.acted_on = outcome.acted_on.map(|what| format!("{what} onto {onto}"));
        outcome.onto = end_known;
        Ok(outcome)
    }

    /// Presses at the start and moves to the end, with whatever an HTML drag carries.
    async fn carry(&self, start: &Prepared, end: Point, deadline: Instant) -> Result<()> {
        self.tab.state().drag = None;
        let mouse = Mouse { tab: &self.tab, modifiers: 0 };
        let from = start.point;
        let mut sent = vec![mouse.moves(from, None), mouse.press(from, Button::Left, 1)];
        for step in 1..=STEPS {
            sent.push(mouse.moves(between(from, end, step), Some(Button::Left)));
        }
        self.answered(sent, ACTION).await?;
        let nothing = serde_json::json!({});
        let began: Collected = self.call(&start.world, "peek", &nothing, deadline).await?;
        if !began.drag {
            return Ok(());
        }
        let soon = deadline.min(Instant::now() + Duration::from_secs(1));
        let Some(data) = self.tab.until(soon, |state| state.drag.take()).await? else {
            return Ok(());
        };
        let events = ["dragEnter", "dragOver", "drop"].map(|kind| {
            self.tab.session.send(&DispatchDragEvent {
                kind: kind.into(),
                x: end.x,
                y: end.y,
                data: data.clone(),
                modifiers: None,
            })
        });
        self.answered(events.into(), ACTION).await
    }

    /// Waits until the input is processed. A dialog or a new document may keep the answer back; that
    /// is an outcome, not an error.
    pub(crate) async fn answered(&self, sent: Vec<Call<Empty>>, patience: Duration) -> Result<()> {
        // Input is processed in the order it was sent: the last answer stands for all of them.
        let Some(last) = sent.into_iter().last() else { return Ok(()) };
        match self.tab.unless_blocked(last.within(patience)).await {
            Ok(_) | Err(Error::DialogOpen { .. }) => Ok(()),
            Err(Error::Protocol(message)) => {
                tracing::debug!("input: {message}");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

/// A button that is held down, and let go of also where nobody waits for that any more.
struct Held<'a> {
    mouse: &'a Mouse<'a>,
    point: Point,
    button: Button,
    count: usize,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        drop(self.mouse.release(self.point, self.button, self.count as i64));
    }
}

#[derive(Deserialize)]
struct Focus {
    /// The focus is in this child frame.
    frame: Option<u32>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    description: Option<String>,
    field: Option<Field>,
    known: Option<Box<Known>>,
}

/// The kind of what has the focus where that is a frame.
pub(crate) const FRAME: &str = "iframe";

/// The longest that a button is held down.
pub const LONGEST_HOLD: Duration = Duration::from_secs(30);

/// Moves in a drag: pages that follow the pointer need to see it pass.
const STEPS: u32 = 6;

fn between(from: Point, to: Point, step: u32) -> Point {
    let part = f64::from(step) / f64::from(STEPS);
    Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}
