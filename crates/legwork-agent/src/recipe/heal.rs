//! A step that no longer fits, handed to a model if one is allowed; and what the model did, written down.

use std::time::Duration;

use legwork_protocol::assistant::{AssistanceRequest, BrowserState, Reaction, TaskContext};
use legwork_protocol::{Reply, ToolError};
use serde_json::{Map, Value};

use super::replay::{Difference, Doing, Done, End, Healed, Remedy};
use super::verify::{Mismatch, verify};
use super::{Recipe, Step, Tool, from_run};
use crate::model::{Model, Tokens};
use crate::run::{self, Boxed, Hands, Spent, StepState};
use crate::think::{self, Achieved, Goal};

/// Lets a model do the step, and verifies what came of it. A step that may have been done is not handed to
/// a model, unless twice is the same as once: an order would be placed again.
pub(super) async fn by_model(
    doing: &Doing<'_>,
    recipe: &Recipe,
    difference: Difference,
    hands: &mut Watching<'_>,
    healer: Option<&dyn Model>,
) -> Result<Done, End> {
    let Some(model) = healer.filter(|_| !difference.may_be_done) else {
        return Err(End::Differs(difference));
    };
    let viewport = run::viewport(hands).await.unwrap_or_default();
    let browser_state = BrowserState { viewport, ..Default::default() };
    let context = TaskContext { browser_state, ..Default::default() };
    let goal = Goal { context, ..goal(doing, recipe, &difference) };
    hands.watch();
    let told = match think::pursue(&goal, model, hands).await {
        Ok(Achieved::Done(told)) => told,
        Ok(Achieved::Stopped) => return Err(End::Stopped),
        Ok(Achieved::Skipped) => return Ok(Done { skipped: true, ..Done::default() }),
        Ok(Achieved::Failed(why)) => return Err(unhealed(difference, &why)),
        Err(error) => return Err(unhealed(difference, &error.to_string())),
    };
    let steps = hands.steps.take().unwrap_or_default();
    let failed = |error| End::Failed { step: doing.number, error };
    let nothing = Reply::default();
    let expect = super::Expect { change: false, value: None, ..doing.step.expect.clone() };
    if let Some(Mismatch { expected, seen }) =
        verify(&expect, &nothing, None, hands).await.map_err(failed)?
    {
        let may_be_done = !doing.is_safe_to_repeat();
        let difference = doing.difference(expected, seen);
        return Err(End::Differs(Difference { may_be_done, ..difference }));
    }
    let remedy = written(doing, &steps);
    let extracted = (doing.step.tool == Tool::Extract).then(|| told.clone());
    let told = format!("{} did it: {told}", model.name());
    let healed = Some(Healed { step: doing.number, told, remedy });
    Ok(Done { healed, extracted, ..Done::default() })
}

fn unhealed(difference: Difference, why: &str) -> End {
    let seen = format!("{} (the model did not get there either: {why})", difference.seen);
    End::Differs(Difference { seen, ..difference })
}

/// What the model is to do. Names and words of pages are in what was tried, which a model reads as data.
fn goal(doing: &Doing<'_>, recipe: &Recipe, difference: &Difference) -> Goal {
    let about = if recipe.description.is_empty() { &recipe.name } else { &recipe.description };
    let Doing { number, step, .. } = doing;
    let task = format!(
        "do step {number} of the recipe {:?}: {}. How it was recorded is told with what was tried.",
        recipe.name,
        kind(step)
    );
    let mut obstacle = format!("recorded: {}", step.told());
    if let Some(words) = &step.expect.words {
        obstacle += &format!(", so that the page says {words:?}");
    }
    let Difference { expected, seen, .. } = difference;
    obstacle += &format!("\nexpected {expected}; instead: {seen}");
    let context = TaskContext::default();
    Goal { task, instruction: about.clone(), context, obstacle: Some(obstacle) }
}

/// What kind of thing a step does, in our own words: `click a button`.
fn kind(step: &Step) -> String {
    let verb = step.tool.verb();
    let Some(element) = &step.element else { return verb.to_owned() };
    // A role is one of a few words, but the file may say anything.
    let is_word = |role: &str| role.len() <= 20 && role.bytes().all(|b| b.is_ascii_lowercase());
    match element.role.as_str() {
        role if !role.is_empty() && is_word(role) => format!("{verb} a {role}"),
        _ => format!("{verb} an element"),
    }
}

/// What the model did, as steps of a recipe with the same parameters.
fn written(doing: &Doing<'_>, steps: &[run::Step]) -> Remedy {
    let made = from_run::drafts(&[], steps)
        .and_then(|drafts| super::draft::steps(drafts, &doing.filler.values()));
    match made {
        Ok(mut steps) => {
            // What has to come of it in the end is what had to before.
            if let Some(last) = steps.last_mut() {
                let before = doing.filler.values().expect(&doing.step.expect);
                last.expect.address = before.address.or(last.expect.address.take());
                last.expect.words = before.words.or(last.expect.words.take());
            }
            Remedy::Steps(steps)
        }
        Err(_) => Remedy::Unknown,
    }
}

/// Hands that remember what was done with them.
pub(super) struct Watching<'a> {
    hands: &'a mut dyn Hands,
    /// What was done since somebody wanted to know.
    steps: Option<Vec<run::Step>>,
    tokens: Tokens,
}

impl<'a> Watching<'a> {
    pub(super) fn new(hands: &'a mut dyn Hands) -> Watching<'a> {
        Watching { hands, steps: None, tokens: Tokens::default() }
    }

    pub(super) fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Remembers what is done from now on.
    fn watch(&mut self) {
        self.steps = Some(Vec::new());
    }

    fn note(
        &mut self,
        tool: &str,
        arguments: Map<String, Value>,
        ended: &Result<Reply, ToolError>,
    ) {
        let Some(steps) = &mut self.steps else { return };
        let (state, told, data) = match ended {
            Ok(reply) => (StepState::Done, reply.text.clone(), reply.data.clone()),
            Err(error) => (StepState::Failed, error.told(), Value::Null),
        };
        let number = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        let (task, tool) = (String::new(), tool.to_owned());
        steps.push(run::Step { task, number, tool, arguments, state, told, data });
    }
}

impl Hands for Watching<'_> {
    fn call<'b>(
        &'b mut self,
        tool: &'b str,
        arguments: Map<String, Value>,
    ) -> Boxed<'b, Result<Reply, ToolError>> {
        Box::pin(async move {
            let ended = self.hands.call(tool, arguments.clone()).await;
            self.note(tool, arguments, &ended);
            ended
        })
    }

    fn ask(&mut self, request: AssistanceRequest) -> Boxed<'_, Reaction> {
        self.hands.ask(request)
    }

    fn remarks(&mut self) -> Vec<String> {
        self.hands.remarks()
    }

    fn doing(&mut self, what: &str) {
        self.hands.doing(what);
    }

    fn may_ask(&self) -> Result<(), Spent> {
        self.hands.may_ask()
    }

    fn time_left(&self) -> Option<Duration> {
        self.hands.time_left()
    }

    fn spend(&mut self, tokens: Tokens) -> Result<(), Spent> {
        self.tokens += tokens;
        self.hands.spend(tokens)
    }

    fn before(&self) -> &[run::Step] {
        self.hands.before()
    }
}
