//! Doing a recipe again: each step finds its element, acts, and verifies what came of it. No model is
//! asked unless one is given, and then only for a step that no longer fits.

use std::collections::BTreeMap;

use legwork_protocol::{Code, Known, Reply, ToolError, find};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::draft::{Data, as_text};
use super::heal::{self, Watching};
use super::parameters::{self, Filler};
use super::seek::{self, Found};
use super::verify::{Mismatch, arguments, verify};
use super::{Element, Expect, Recipe, RecipeError, Step, Tool};
use crate::model::{Model, Tokens};
use crate::run::{Hands, what_was_read};

/// What came of a replay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// Steps that were done and verified.
    pub done: usize,
    /// Steps that the person left out, from 1.
    pub skipped: Vec<usize>,
    /// Steps that did not fit any more and were done all the same.
    pub healed: Vec<Healed>,
    /// Clicks that changed nothing and of which nothing is expected, from 1: what a person clicked says nothing
    /// of what should come of it.
    pub idle: Vec<usize>,
    /// What was read out of pages, in order.
    pub extracted: Vec<String>,
    /// What a model cost; nothing if none was asked.
    pub tokens: Tokens,
    /// How it ended.
    pub end: End,
}

/// How a replay ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum End {
    /// Every step was done, and came to what it should.
    #[default]
    Finished,
    /// It went on to the last step, but the person left steps out.
    Skipped,
    /// Something is not as it was.
    Differs(Difference),
    /// A call was refused or failed for a reason that is not the recipe's: policy, a browser that is gone.
    Failed {
        /// The step, from 1.
        step: usize,
        /// Why.
        error: ToolError,
    },
    /// The person ended it.
    Stopped,
}

/// What is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("step {step} ({what}): expected {expected}; instead: {seen}")]
pub struct Difference {
    /// The step, from 1.
    pub step: usize,
    /// What it does.
    pub what: String,
    /// What was expected.
    pub expected: String,
    /// What there is: the page's nearest things.
    pub seen: String,
    /// The step was done or may have been, and twice is not the same as once.
    pub may_be_done: bool,
}

/// A step that was done in spite of a difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Healed {
    /// The step, from 1.
    pub step: usize,
    /// What was done about it, in words.
    pub told: String,
    /// What the recipe should say from now on.
    pub remedy: Remedy,
}

/// What a recipe should say instead.
#[derive(Debug, Clone, PartialEq)]
pub enum Remedy {
    /// The element is found like this now.
    Element(Element),
    /// These steps do it now.
    Steps(Vec<Step>),
    /// It was done by a model in a way that cannot be written down.
    Unknown,
}

/// Does a recipe again, with these values for its parameters. Without a healer, a step that no longer fits
/// and that its other ways do not heal ends the replay.
pub async fn replay(
    recipe: &Recipe,
    values: &BTreeMap<String, String>,
    hands: &mut dyn Hands,
    healer: Option<&dyn Model>,
) -> Result<Replayed, RecipeError> {
    let filler = parameters::settle(recipe, values)?;
    let mut hands = Watching::new(hands);
    let mut replayed = Replayed::default();
    for (index, written) in recipe.steps.iter().enumerate() {
        let doing = Doing { number: index + 1, step: filler.step(written), filler: &filler };
        hands.doing(&doing.step.told());
        let ended = match doing.attempt(&mut hands).await {
            Ok(Attempt::Done(done)) => Ok(done),
            Ok(Attempt::Differs(difference)) => {
                heal::by_model(&doing, recipe, difference, &mut hands, healer).await
            }
            Err(error) => Err(End::Failed { step: doing.number, error }),
        };
        match ended {
            Ok(done) => replayed.count(doing.number, done),
            Err(end) => {
                replayed.end = end;
                break;
            }
        }
    }
    replayed.tokens = hands.tokens();
    Ok(replayed)
}

impl Replayed {
    fn count(&mut self, step: usize, done: Done) {
        if done.skipped {
            self.skipped.push(step);
            self.end = End::Skipped;
            return;
        }
        self.done += 1;
        self.idle.extend(done.idle.then_some(step));
        self.healed.extend(done.healed);
        self.extracted.extend(done.extracted);
    }
}

impl Recipe {
    /// The recipe as it should be from now on: steps that were healed find their elements as they were
    /// found.
    pub fn with_healed(&self, replayed: &Replayed) -> Recipe {
        let mut recipe = self.clone();
        for healed in replayed.healed.iter().rev() {
            let at = healed.step.saturating_sub(1);
            let Some(step) = recipe.steps.get_mut(at) else { continue };
            match &healed.remedy {
                Remedy::Element(element) => step.element = Some(element.clone()),
                Remedy::Steps(steps) => {
                    recipe.steps.splice(at..=at, steps.clone());
                }
                Remedy::Unknown => {}
            }
        }
        recipe
    }
}

/// A step that is being done.
pub(super) struct Doing<'a> {
    pub(super) number: usize,
    /// With its parameters filled in.
    pub(super) step: Step,
    pub(super) filler: &'a Filler,
}

/// What came of a step.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// The person left it out.
    pub(super) skipped: bool,
    /// Nothing came of a click of which nothing is expected.
    pub(super) idle: bool,
    pub(super) healed: Option<Healed>,
    pub(super) extracted: Option<String>,
}

/// What came of trying it as it is written.
pub(super) enum Attempt {
    Done(Done),
    Differs(Difference),
}

impl Doing<'_> {
    async fn attempt(&self, hands: &mut Watching<'_>) -> Result<Attempt, ToolError> {
        // A redraw between finding and acting makes the ref another thing's: it is looked for again, once.
        for again in [true, false] {
            let element = match &self.step.element {
                Some(element) => match seek::seek(element, hands).await? {
                    Some(found) => Some(found),
                    None => return self.missing(element, hands).await,
                },
                None => None,
            };
            let onto = match &self.step.onto {
                Some(onto) => match seek::seek(onto, hands).await? {
                    Some(found) => Some(found.reference),
                    None => return self.missing(onto, hands).await,
                },
                None => None,
            };
            let reference = element.as_ref().map(|found| found.reference.clone());
            let (tool, arguments) = self.call(reference.as_deref(), onto.as_deref());
            match hands.call(tool, arguments).await {
                Ok(reply) => return self.judge(reply, element, hands).await,
                Err(error) if again && error.code == Code::StaleRef => {}
                Err(error) if is_of_the_page(error.code) => {
                    let expected = format!("to {}", self.step.told());
                    let difference = self.difference(expected, error.message);
                    let may_be_done = !is_before_acting(error.code) && !self.is_safe_to_repeat();
                    return Ok(Attempt::Differs(Difference { may_be_done, ..difference }));
                }
                Err(error) => return Err(error),
            }
        }
        let expected = format!("to {}", self.step.told());
        Ok(Attempt::Differs(
            self.difference(expected, "the page is redrawn again and again".into()),
        ))
    }

    /// Verifies what came of it.
    async fn judge(
        &self,
        reply: Reply,
        found: Option<Found>,
        hands: &mut Watching<'_>,
    ) -> Result<Attempt, ToolError> {
        if self.reads_elements() && reply.data["count"] == json!(0) {
            let difference = self.difference(format!("to {}", self.step.told()), "nothing".into());
            return Ok(Attempt::Differs(difference));
        }
        let reference = found.as_ref().map(|found| found.reference.as_str());
        let mismatch = verify(&self.step.expect, &reply, reference, hands).await?;
        if let Some(Mismatch { expected, seen }) = mismatch {
            let may_be_done = !self.is_safe_to_repeat();
            let difference = self.difference(expected, seen);
            return Ok(Attempt::Differs(Difference { may_be_done, ..difference }));
        }
        let healed = found.and_then(|found| found.healed).map(|told| Healed {
            step: self.number,
            told,
            remedy: self.remedy(&reply),
        });
        let idle = self.step.tool == Tool::Click
            && self.step.expect == Expect::default()
            && Data::of(&reply.data).is_idle();
        let extracted = (self.step.tool == Tool::Extract).then(|| match self.reads_elements() {
            true => what_was_read(&reply),
            false => reply.text,
        });
        Ok(Attempt::Done(Done { idle, healed, extracted, ..Done::default() }))
    }

    /// Whether it reads elements, and not the page.
    fn reads_elements(&self) -> bool {
        let Step { tool, element, with, .. } = &self.step;
        *tool == Tool::Extract && (element.is_some() || with.contains_key("target"))
    }

    /// The element as the page knows it now.
    fn remedy(&self, reply: &Reply) -> Remedy {
        let data = match self.step.tool {
            Tool::Fill => &reply.data["fields"][0]["element"],
            _ => &reply.data["element"],
        };
        match Known::deserialize(data) {
            Ok(known) => as_text(&known).map_or(Remedy::Unknown, |known| {
                let Known { role, name, kind, find, .. } = known;
                Remedy::Element(self.filler.values().element(Element { role, name, kind, find }))
            }),
            Err(_) => Remedy::Unknown,
        }
    }

    /// Whether doing it twice is the same as doing it once.
    pub(super) fn is_safe_to_repeat(&self) -> bool {
        let Step { tool, value, with, element, .. } = &self.step;
        let hints = find(tool.call().0).map(|spec| spec.hints_of(with));
        let hints = hints.is_some_and(|hints| hints.read_only || hints.idempotent);
        // A line break is the Enter key.
        let sends = with.contains_key("submit")
            || value.as_ref().is_some_and(|text| text.contains(['\n', '\r']));
        let is_plain_field = element.as_ref().is_some_and(|element| element.role == "textbox");
        let replaces = match tool {
            // Other fields may be lists of the page's own making, in which is clicked.
            Tool::Fill => is_plain_field,
            Tool::Type => with.get("clear") == Some(&Value::Bool(true)),
            _ => false,
        };
        hints || replaces && !sends
    }

    async fn missing(
        &self,
        element: &Element,
        hands: &mut Watching<'_>,
    ) -> Result<Attempt, ToolError> {
        let expected = format!("{}, found by {}", element.told(), element.find.join(" or "));
        let seen = seek::nearest(element, hands).await;
        Ok(Attempt::Differs(self.difference(expected, seen)))
    }

    pub(super) fn difference(&self, expected: String, seen: String) -> Difference {
        let (step, what) = (self.number, self.step.told());
        Difference { step, what, expected, seen, may_be_done: false }
    }

    /// The call that does it.
    fn call(&self, target: Option<&str>, onto: Option<&str>) -> (&'static str, Map<String, Value>) {
        let Step { tool, value, with, .. } = &self.step;
        let (name, takes) = tool.call();
        if *tool == Tool::Fill {
            let field = target.unwrap_or_default();
            return (name, arguments(json!({ "fields": { field: value } })));
        }
        if let (true, Some(aim)) =
            (self.reads_elements(), target.map(Value::from).or_else(|| with.get("target").cloned()))
        {
            return ("browser_query", arguments(json!({ "target": aim, "limit": 100 })));
        }
        let aim = if *tool == Tool::Drag { "from" } else { "target" };
        let mut call = with.clone();
        for (argument, said) in [(aim, target), ("to", onto), (takes, value.as_deref())] {
            if let Some(said) = said.filter(|_| !argument.is_empty()) {
                call.insert(argument.to_owned(), said.into());
            }
        }
        (name, call)
    }
}

/// Failures that say that the step was not done. Others leave that open: a click may have been heard by a
/// page that answered too late.
fn is_before_acting(code: Code) -> bool {
    matches!(
        code,
        Code::NotFound
            | Code::Ambiguous
            | Code::NotActionable
            | Code::Intercepted
            | Code::InvalidInput
    )
}

/// Failures that another way of doing it may get around. Policy is none of them, and neither is a browser
/// that is gone.
fn is_of_the_page(code: Code) -> bool {
    matches!(
        code,
        Code::NotFound
            | Code::Ambiguous
            | Code::NotActionable
            | Code::Intercepted
            | Code::ValueDiffers
            | Code::DialogOpen
            | Code::Timeout
            | Code::InvalidInput
            | Code::ScriptError
            | Code::NavigationFailed
    )
}
