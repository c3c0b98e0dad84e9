//! Anthropic's Messages API, with its browser toolset. Every request carries the whole conversation, the model's
//! own pieces (its sealed thoughts among them) as it wrote them.
//! <https://platform.claude.com/docs/en/api/messages>

mod reply;
mod request;
mod schema;
mod toolset;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tokio::time::Instant;

use self::reply::Message;
use super::choose::Chosen;
use super::http::Post;
use super::pointing::Scale;
use super::{Abilities, Answer, Asking, Delta, Heard, Model, ModelError, Price, Request, Turn};

/// Where the vendor's pieces are in [`Answer::raw`], so that another adapter's are not taken for ours.
const RAW: &str = "anthropic";
/// What stands beside them where the turn is not over.
const PAUSED: &str = "paused";

/// How often a turn that the server paused is taken up again.
const MOST_PAUSES: u32 = 4;

/// A model of Anthropic's.
pub(crate) struct Anthropic {
    chosen: Chosen,
    /// It said that it cannot be made to call a tool.
    unforced: AtomicBool,
    /// It said that its thoughts do not belong where they were sent back.
    thoughtless: AtomicBool,
}

/// What a request may use. Some models refuse some of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Means {
    /// Makes the model call a tool.
    force: bool,
    /// Sends its thoughts back.
    thoughts: bool,
}

impl Anthropic {
    pub(crate) fn new(chosen: Chosen) -> Anthropic {
        Anthropic { chosen, unforced: AtomicBool::default(), thoughtless: AtomicBool::default() }
    }

    /// Asks, in another way where the server refuses one.
    async fn answer(
        &self,
        request: &Request,
        until: Instant,
        heard: &Heard,
    ) -> Result<Answer, ModelError> {
        let mut means = Means {
            force: !self.unforced.load(Ordering::Relaxed),
            thoughts: !self.thoughtless.load(Ordering::Relaxed),
        };
        loop {
            let error = match self.once(request, means, until, heard).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let Some(other) = means.instead(&error, request) else { return Err(error) };
            self.unforced.fetch_or(!other.force, Ordering::Relaxed);
            self.thoughtless.fetch_or(!other.thoughts, Ordering::Relaxed);
            tracing::debug!(model = self.chosen.name, ?other, "asking the model in another way");
            means = other;
        }
    }

    async fn once(
        &self,
        request: &Request,
        means: Means,
        until: Instant,
        heard: &Heard,
    ) -> Result<Answer, ModelError> {
        let Chosen { wire_name: name, http, streaming, .. } = &self.chosen;
        let body = request::write(request, name, means, *streaming);
        let scale = Scale::of(request);
        let deadline = until.saturating_duration_since(Instant::now());
        let headers = &[("anthropic-version", "2023-06-01")];
        let post = Post { path: "v1/messages", query: &[], headers, body: &body, deadline };
        http.ask(post, heard, || Message::new(scale)).await
    }
}

impl Means {
    /// What to do without after a refusal, if that could help.
    fn instead(self, error: &ModelError, request: &Request) -> Option<Means> {
        let ModelError::Refused { status: 400, message, .. } = error else { return None };
        let message = message.to_ascii_lowercase();
        // Newer models cannot be forced, and their thoughts belong to the very conversation they were had in,
        // from which old pictures may have been dropped since.
        if self.force && request.must_call && message.contains("tool_choice") {
            return Some(Means { force: false, ..self });
        }
        let thought = message.contains("thinking") && has_thoughts(request);
        (self.thoughts && thought).then_some(Means { thoughts: false, ..self })
    }
}

fn has_thoughts(request: &Request) -> bool {
    request.turns.iter().any(|turn| match turn {
        Turn::Model(Answer { raw: Some(raw), .. }) => raw
            .get(RAW)
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(request::is_thought)),
        _ => false,
    })
}

impl Model for Anthropic {
    fn name(&self) -> &str {
        &self.chosen.name
    }

    fn abilities(&self) -> Abilities {
        let family = Family::of(&self.chosen.wire_name);
        Abilities {
            vision: self.chosen.vision.unwrap_or(true),
            computer: family.points,
            schema: family.schema,
            window: self.chosen.window,
        }
    }

    fn price(&self) -> Option<Price> {
        self.chosen.price
    }

    fn ask<'a>(&'a self, request: &'a Request, heard: &'a Heard) -> Asking<'a> {
        Box::pin(async move {
            let until = Instant::now() + request.deadline;
            let mut answer = self.answer(request, until, heard).await?;
            let mut pauses = 0;
            while is_paused(&answer) && pauses < MOST_PAUSES {
                pauses += 1;
                let mut again = request.clone();
                again.turns.push(Turn::Model(answer.clone()));
                let then = self.answer(&again, until, heard).await;
                let then = then.inspect_err(|_| heard(Delta::Wasted(answer.usage)))?;
                answer = joined(answer, then);
            }
            Ok(answer)
        })
    }
}

fn is_paused(answer: &Answer) -> bool {
    answer.raw.as_ref().is_some_and(|raw| raw[PAUSED] == true)
}

/// A turn and how it went on, as one.
fn joined(first: Answer, then: Answer) -> Answer {
    let blocks = |answer: &Answer| {
        let raw = answer.raw.as_ref().and_then(|raw| raw[RAW].as_array().cloned());
        raw.unwrap_or_default()
    };
    let mut all = blocks(&first);
    all.extend(blocks(&then));
    let mut usage = then.usage;
    usage += first.usage;
    Answer {
        raw: Some(Arc::new(json!({ RAW: all, PAUSED: is_paused(&then) }))),
        text: first.text + &then.text,
        calls: first.calls.into_iter().chain(then.calls).collect(),
        stop: then.stop,
        usage,
    }
}

/// What a name tells of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Family {
    /// Knows the browser toolset.
    points: bool,
    /// Keeps to schemas, which came with the 4.5 models.
    schema: bool,
    /// Thinks before it answers, if it likes.
    thinks: bool,
}

impl Family {
    /// A name that is not known is taken for a new model, but not for one that points.
    fn of(name: &str) -> Family {
        let mut parts =
            name.split(['-', '@', '.', ':']).skip_while(|part| *part != "claude").skip(1);
        let family = parts.next().unwrap_or_default();
        // A long number is the day it came out.
        let mut numbers =
            parts.map_while(|part| part.parse::<u32>().ok().filter(|number| *number < 1000));
        let version = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        if family.parse::<u32>().is_ok() {
            return Family { points: false, schema: false, thinks: false };
        }
        let known = version.0 > 0;
        Family {
            points: version >= (5, 0) || (family == "opus" && version >= (4, 8)),
            schema: !known || version >= (4, 5),
            thinks: !known || version >= (4, 6),
        }
    }
}

#[cfg(test)]
mod tests;
