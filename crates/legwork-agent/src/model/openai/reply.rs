//! What the Responses API answers, at once or as events.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::computer::{self, Scale};
use super::request::Check;
use super::{PART, RAW};
use crate::model::arguments;
use crate::model::http::{Fault, Reader};
use crate::model::stream::Event;
use crate::model::{Answer, Call, Delta, Heard, Stop, Tokens};

/// An answer on its way.
pub(super) struct Response {
    scale: Scale,
    /// Items that are complete, by their place.
    items: BTreeMap<u64, Value>,
    end: Option<End>,
}

/// The whole response, which is also the last event of a stream.
#[derive(Debug, Deserialize)]
struct End {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    output: Vec<Value>,
    #[serde(default)]
    error: Option<Complaint>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
struct Complaint {
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    message: String,
}

#[derive(Debug, Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Usage {
    input_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<Cached>,
    output_tokens: u64,
}

#[derive(Debug, Deserialize)]
struct Cached {
    #[serde(default)]
    cached_tokens: u64,
}

/// The events that matter here; the others repeat what these say.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Told {
    #[serde(rename = "response.output_text.delta", alias = "response.refusal.delta")]
    Text { delta: String },
    #[serde(rename = "response.output_item.added")]
    Added { item: Value },
    #[serde(rename = "response.output_item.done")]
    Done { output_index: u64, item: Value },
    #[serde(
        rename = "response.completed",
        alias = "response.incomplete",
        alias = "response.failed",
        alias = "response.cancelled"
    )]
    End { response: End },
    #[serde(rename = "error")]
    Error(Complaint),
    #[serde(other)]
    Other,
}

/// A piece of what the model answered.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item {
    Message {
        #[serde(default)]
        content: Vec<Said>,
    },
    FunctionCall {
        call_id: String,
        name: String,
        #[serde(default)]
        arguments: String,
    },
    ComputerCall {
        call_id: String,
        #[serde(default)]
        action: Option<Value>,
        #[serde(default)]
        actions: Option<Vec<Value>>,
        #[serde(default)]
        pending_safety_checks: Vec<Check>,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    OutputText {
        text: String,
    },
    Refusal {
        refusal: String,
    },
    #[serde(other)]
    Other,
}

impl Response {
    pub(super) fn new(scale: Scale) -> Response {
        Response { scale, items: BTreeMap::new(), end: None }
    }
}

impl Reader for Response {
    fn event(&mut self, event: Event, heard: &Heard) -> Result<ControlFlow<()>, Fault> {
        if event.data == "[DONE]" {
            return Ok(ControlFlow::Continue(()));
        }
        match serde_json::from_str(&event.data).map_err(unreadable)? {
            Told::Text { delta } => heard(Delta::Text(delta)),
            Told::Added { item } => match (item["type"].as_str(), item["name"].as_str()) {
                (Some("function_call"), Some(name)) => heard(Delta::Calling(name.into())),
                (Some("computer_call"), _) => heard(Delta::Calling("computer".into())),
                _ => {}
            },
            Told::Done { output_index, item } => {
                self.items.insert(output_index, item);
            }
            Told::End { response } => {
                self.end = Some(response);
                return Ok(ControlFlow::Break(()));
            }
            Told::Error(complaint) => return Err(fault(complaint)),
            Told::Other => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(self) -> Result<Answer, Fault> {
        let Some(mut end) = self.end else {
            return Err(Fault::Cut("it broke off".into()));
        };
        // A finished item is the one to send back: in the last event its reasoning may lack the seal.
        if !self.items.is_empty() {
            end.output = self.items.into_values().collect();
        }
        answer(end, self.scale)
    }

    fn whole(self, body: &[u8]) -> Result<Answer, Fault> {
        answer(serde_json::from_slice(body).map_err(unreadable)?, self.scale)
    }
}

fn answer(end: End, scale: Scale) -> Result<Answer, Fault> {
    if let Some(complaint) = end.error {
        return Err(fault(complaint));
    }
    let mut answer = Answer::default();
    let mut refused = false;
    for item in &end.output {
        match Item::deserialize(item).map_err(unreadable)? {
            Item::Message { content } => refused |= read(content, &mut answer.text),
            Item::FunctionCall { call_id, name, arguments } => answer.calls.push(Call {
                id: call_id,
                name,
                arguments: arguments::read(&arguments),
                safety: None,
            }),
            Item::ComputerCall { call_id, action, actions, pending_safety_checks } => {
                let actions = actions.unwrap_or_else(|| action.into_iter().collect());
                let safety = safety(&pending_safety_checks);
                answer.calls.extend(computer_calls(&call_id, &actions, scale, safety.as_deref()));
            }
            Item::Other => {}
        }
    }
    let reason = end.incomplete_details.and_then(|incomplete| incomplete.reason);
    answer.stop = match (end.status.as_deref(), reason.as_deref()) {
        (_, Some("content_filter")) => Stop::Refused,
        (_, Some(_)) | (Some("incomplete"), None) => Stop::Length,
        (Some("failed" | "cancelled"), None) => {
            return Err(Fault::Garbled("the server gave it up without saying why".into()));
        }
        _ if refused => Stop::Refused,
        _ if !answer.calls.is_empty() => Stop::Calls,
        _ => Stop::Done,
    };
    answer.usage = end.usage.map(tokens).unwrap_or_default();
    answer.raw = Some(Arc::new(json!({ RAW: end.output })));
    Ok(answer)
}

/// Adds what was said, and tells whether it is a refusal.
fn read(content: Vec<Said>, text: &mut String) -> bool {
    let mut refused = false;
    for said in content {
        match said {
            Said::OutputText { text: more } => text.push_str(&more),
            Said::Refusal { refusal } => {
                refused = true;
                text.push_str(&refusal);
            }
            Said::Other => {}
        }
    }
    refused
}

/// One call of ours for each action, and a picture at the end, which the vendor's tool always answers with. A
/// safety check holds for every one of them: none may be done before a person agreed.
fn computer_calls<'a>(
    call_id: &'a str,
    actions: &'a [Value],
    scale: Scale,
    safety: Option<&'a str>,
) -> impl Iterator<Item = Call> + 'a {
    let made = actions.iter().map(move |action| computer::call(action, scale));
    let pictured = actions.last().is_some_and(|action| action["type"] == "screenshot");
    let picture = (!pictured).then(|| Ok((computer::PICTURE, Default::default())));
    made.chain(picture).enumerate().map(move |(number, made)| {
        let (name, arguments) = match made {
            Ok((name, arguments)) => (name, Ok(arguments)),
            Err(sentence) => (computer::PICTURE, Err(sentence)),
        };
        let id = format!("{call_id}{PART}{number}");
        Call { id, name: name.into(), arguments, safety: safety.map(str::to_string) }
    })
}

fn safety(checks: &[Check]) -> Option<String> {
    let words: Vec<_> = checks.iter().map(Check::words).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn tokens(usage: Usage) -> Tokens {
    let cached = usage.input_tokens_details.map_or(0, |details| details.cached_tokens);
    Tokens { input: usage.input_tokens, cached, output: usage.output_tokens }
}

fn fault(complaint: Complaint) -> Fault {
    let Complaint { code, message } = complaint;
    match code.as_deref() {
        Some("server_error" | "rate_limit_exceeded" | "vector_store_timeout") | None => {
            Fault::Passing { message, wished: None }
        }
        Some(code) => Fault::Refused { status: 200, message: format!("{message} [{code}]") },
    }
}

fn unreadable(error: serde_json::Error) -> Fault {
    Fault::Garbled(error.to_string())
}
