//! From a target to one element that can be acted on now: found in one frame, visible, at rest,
//! enabled, and reached by a click at the point given. Nothing is done to it here.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::error::{Error, Obstacle, Result};
use crate::facts::{ElementFacts, Known};
use crate::input::Last;
use crate::locate::{Refusal, missing, refused};
use crate::page::Page;
use crate::refs::Turn;
use crate::target::{Target, Wire};
use crate::walker::World;

/// What must be true of the element.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Need {
    pub(crate) visible: bool,
    pub(crate) enabled: bool,
    pub(crate) editable: bool,
    /// The target may be a label or wrapper of the field meant.
    pub(crate) field: bool,
    /// A point that a click reaches.
    pub(crate) point: bool,
    /// The change of the page will be asked for.
    pub(crate) observe: bool,
    /// What acting on it would do is asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) facts: bool,
    /// How the element can be found again is asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) known: bool,
    /// The walker is to tell by itself what followed the last event of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tell: Option<Last>,
}

impl Need {
    pub(crate) const POINTER: Need = Need {
        visible: true,
        enabled: true,
        editable: false,
        field: false,
        point: true,
        observe: true,
        facts: false,
        known: false,
        tell: None,
    };
    pub(crate) const FIELD: Need =
        Need { editable: true, field: true, point: false, ..Need::POINTER };
    /// Only that it is there.
    pub(crate) const PRESENT: Need = Need {
        visible: false,
        enabled: false,
        editable: false,
        field: false,
        point: false,
        observe: false,
        facts: false,
        known: false,
        tell: None,
    };
}

/// A point in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// The state of a field, as the walker tells it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct Field {
    pub(crate) value: Option<String>,
    pub(crate) checked: Option<bool>,
    pub(crate) expanded: Option<bool>,
    pub(crate) invalid: Option<String>,
    #[serde(default)]
    pub(crate) secret: bool,
    /// Takes several files.
    #[serde(default)]
    pub(crate) multiple: bool,
}

/// An element ready to be acted on.
pub(crate) struct Prepared {
    pub(crate) world: World,
    pub(crate) reference: String,
    pub(crate) description: String,
    pub(crate) kind: String,
    pub(crate) field: Field,
    /// In the window of the whole page; the origin where no point was needed.
    pub(crate) point: Point,
    pub(crate) facts: Option<Box<ElementFacts>>,
    /// How it can be found again.
    pub(crate) known: Option<Box<Known>>,
    /// It is an entry of a menu or the like, which may mind how the pointer comes.
    pub(crate) floats: bool,
    /// The page takes the pointer to be over it.
    pub(crate) hovered: bool,
    /// The turn in which the walker tells by itself what follows.
    pub(crate) telling: Option<Turn>,
}

#[derive(Serialize)]
struct PrepareArgs<'a> {
    target: Wire<'a>,
    need: Need,
    key: u32,
    listen: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Point>,
}

#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
enum Answer {
    Ok(Found),
    Blocked(Blocked),
    Missing {
        near: Vec<String>,
    },
    Many {
        count: usize,
        candidates: Vec<String>,
    },
    Error {
        error: Refusal,
        #[serde(default)]
        near: Vec<String>,
    },
}

#[derive(Deserialize)]
struct Found {
    #[serde(rename = "ref")]
    reference: String,
    description: String,
    kind: String,
    field: Field,
    point: Option<Point>,
    facts: Option<Box<ElementFacts>>,
    known: Option<Box<Known>>,
    #[serde(default)]
    floats: bool,
    #[serde(default)]
    hovered: bool,
}

#[derive(Deserialize)]
struct Blocked {
    description: String,
    code: String,
    #[serde(default)]
    detail: String,
}

/// How long an element that is not there yet is waited for on a page at rest (W5).
const APPEAR: Duration = Duration::from_secs(1);

impl Page {
    /// Waits until the one element meant can be acted on, and listens to what follows.
    pub(crate) async fn prepare(
        &self,
        target: &Target,
        need: Need,
        position: Option<Point>,
        deadline: Instant,
    ) -> Result<Prepared> {
        let began = Instant::now();
        let mut known: Option<Error> = None;
        loop {
            let document = self.shown_document();
            let error = match self.try_prepare(target, need, position, deadline).await {
                Ok(prepared) => return Ok(prepared),
                // What was in the way before says more than that there was no time to look again.
                Err(error @ Error::Timeout { .. }) => return Err(known.unwrap_or(error)),
                Err(error) => error,
            };
            // Nobody may have looked into what is closed.
            let missing = matches!(error, Error::NotFound { .. });
            if missing && matches!(self.reveal(deadline).await, Ok(true)) {
                continue;
            }
            let until = match &error {
                Error::NotFound { .. } if self.at_rest() => deadline.min(began + APPEAR),
                Error::NotFound { .. } => deadline,
                Error::NotActionable { obstacle, .. } if may_pass(obstacle) => deadline,
                // Another document is coming, or has come while this one was asked.
                Error::Protocol(_)
                    if self.between_documents() || self.shown_document() != document =>
                {
                    deadline
                }
                _ => return Err(error),
            };
            if Instant::now() >= until {
                return Err(self.offering(target, error).await);
            }
            self.next_change(until).await?;
            known = Some(error);
        }
    }

    async fn try_prepare(
        &self,
        target: &Target,
        need: Need,
        position: Option<Point>,
        deadline: Instant,
    ) -> Result<Prepared> {
        let at = target.at();
        let (world, target) = self.locate(target, deadline).await?;
        // The frames around another one are asked before it is acted in.
        let main = self.tab.state().frames.root().is_some_and(|root| root.id == world.frame);
        let need = Need { tell: need.tell.filter(|_| main), ..need };
        if need.facts && need.point && at.is_none() {
            // What listens for clicks inside of what was named is a control, as it is at a point.
            self.mark_listeners(&world, None).await?;
        }
        let args =
            PrepareArgs { target: target.wire(), need, key: world.key, listen: true, position };
        let mut turn = self.turn().await?;
        let answer = self.call_in(&mut turn, &world, "prepare", &args, deadline).await?;
        let found = accept(&target, answer)?;
        // From here on the walker tells of this action only.
        self.tab.state().told = None;
        let telling = need.tell.map(|_| {
            turn.lend();
            turn
        });
        let point = match found.point {
            // A click lands at the very spot that was pointed at.
            Some(_) if let Some(at) = at => at,
            Some(point) => self.to_page(&world, point, &found.description, deadline).await?,
            None => Point { x: 0.0, y: 0.0 },
        };
        Ok(Prepared {
            world,
            reference: found.reference,
            description: found.description,
            kind: found.kind,
            field: found.field,
            point,
            facts: found.facts,
            known: found.known,
            floats: found.floats,
            hovered: found.hovered,
            telling,
        })
    }

    /// Turns a point of a frame's window into one of the page's, through every frame around it.
    async fn to_page(
        &self,
        world: &World,
        point: Point,
        description: &str,
        deadline: Instant,
    ) -> Result<Point> {
        let mut point = point;
        let mut frame = world.frame.clone();
        loop {
            let up = {
                let state = self.tab.state();
                state.frames.get(&frame).and_then(|f| Some((f.parent.clone()?, f.key)))
            };
            let Some((parent, key)) = up else { return Ok(point) };
            let outer = self.world(&parent, deadline).await?;
            self.adopt_children(&outer).await?;
            let args = FrameArgs { key, x: point.x, y: point.y };
            let place: Place = self.call(&outer, "throughFrame", &args, deadline).await?;
            if let Some(by) = place.covered {
                return Err(Error::NotActionable {
                    target: description.to_owned(),
                    obstacle: Obstacle::Covered(by),
                });
            }
            point = Point { x: place.x, y: place.y };
            frame = parent;
        }
    }

    /// Whether nothing is loading that could still bring what is looked for.
    fn at_rest(&self) -> bool {
        let state = self.tab.state();
        state.frames.root().is_some_and(|frame| frame.loaded) && state.network.under_way() == 0
    }

    /// Which document the tab shows.
    fn shown_document(&self) -> Option<String> {
        let state = self.tab.state();
        state.frames.root()?.world.as_ref().map(|world| world.unique.clone())
    }

    fn between_documents(&self) -> bool {
        let state = self.tab.state();
        state.frames.root().is_some_and(|frame| frame.world.is_none() || !frame.dom_ready)
    }

    /// Waits for something to change in the page, at most a tenth of a second: not every change
    /// that could free an element announces itself.
    pub(crate) async fn next_change(&self, until: Instant) -> Result<()> {
        let step = Duration::from_millis(100);
        let within = until.saturating_duration_since(Instant::now()).min(step);
        let deadline = Instant::now() + within + step;
        let world = self.main_world(until).await?;
        let args = serde_json::json!({ "within": within.as_millis() as u64 });
        match self.call::<_, serde::de::IgnoredAny>(&world, "nextChange", &args, deadline).await {
            // The document went away: that is a change.
            Ok(_) | Err(Error::Protocol(_)) => Ok(()),
            Err(Error::Timeout { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[derive(Serialize)]
struct FrameArgs {
    key: u32,
    x: f64,
    y: f64,
}

#[derive(Deserialize)]
struct Place {
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    covered: Option<String>,
}

fn accept(target: &Target, answer: Answer) -> Result<Found> {
    match answer {
        Answer::Ok(found) => Ok(found),
        Answer::Blocked(blocked) => Err(Error::NotActionable {
            target: blocked.description.clone(),
            obstacle: obstacle(blocked),
        }),
        Answer::Missing { near } => Err(match target {
            Target::Ref(reference) => {
                Error::StaleRef { reference: reference.to_string(), candidates: near }
            }
            _ => missing(target, near),
        }),
        Answer::Many { count, candidates } => {
            Err(Error::Ambiguous { target: target.to_string(), count, candidates })
        }
        Answer::Error { error, near } => Err(refused(target, error, near)),
    }
}

fn obstacle(blocked: Blocked) -> Obstacle {
    match blocked.code.as_str() {
        "disabled" => Obstacle::Disabled,
        "not_editable" => Obstacle::NotEditable(blocked.detail),
        "covered" => Obstacle::Covered(blocked.detail),
        "moving" => Obstacle::Moving,
        "out_of_view" => Obstacle::OutOfView,
        "framed" => Obstacle::Framed,
        _ => Obstacle::Hidden(blocked.detail),
    }
}

/// Obstacles that time may remove; a disabled control is an answer in itself (W5).
fn may_pass(obstacle: &Obstacle) -> bool {
    matches!(
        obstacle,
        Obstacle::Hidden(_) | Obstacle::Covered(_) | Obstacle::Moving | Obstacle::OutOfView
    )
}
