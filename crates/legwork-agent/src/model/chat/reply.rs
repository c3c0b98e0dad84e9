//! What Chat Completions answers, at once or in fragments, and what servers make of it.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::RAW;
use crate::model::arguments;
use crate::model::http::{Fault, Reader};
use crate::model::stream::Event;
use crate::model::{Answer, Call, Delta, Heard, Stop, Tokens};

/// An answer on its way.
#[derive(Default)]
pub(super) struct Completion {
    text: String,
    refusal: String,
    calls: Vec<Fragment>,
    finish: Option<String>,
    usage: Option<Usage>,
    /// The server said that this was all.
    done: bool,
}

/// A call as far as it has come.
#[derive(Default)]
struct Fragment {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// What a gateway wants back with the call, such as the signature of a thought.
    extra: Map<String, Value>,
}

/// The whole answer, or a chunk of it.
#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default, alias = "message")]
    delta: Piece,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Piece {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Part>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<TextPart>),
}

#[derive(Debug, Deserialize)]
struct TextPart {
    #[serde(default)]
    text: String,
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Function,
    #[serde(default, rename = "type")]
    _kind: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
struct Function {
    #[serde(default)]
    name: Option<String>,
    /// A string of JSON, or, at some servers, the object itself.
    #[serde(default)]
    arguments: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<Cached>,
}

#[derive(Debug, Clone, Deserialize)]
struct Cached {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl Reader for Completion {
    fn event(&mut self, event: Event, heard: &Heard) -> Result<ControlFlow<()>, Fault> {
        if event.data.trim() == "[DONE]" {
            self.done = true;
            return Ok(ControlFlow::Break(()));
        }
        self.take(serde_json::from_str(&event.data).map_err(unreadable)?, heard)?;
        Ok(ControlFlow::Continue(()))
    }

    fn end(self) -> Result<Answer, Fault> {
        // Some servers end with the connection instead of a word; then a reason has to have come.
        if !self.done && self.finish.is_none() {
            return Err(Fault::Cut("it broke off".into()));
        }
        Ok(self.answer())
    }

    fn whole(mut self, body: &[u8]) -> Result<Answer, Fault> {
        let chunk: Chunk = serde_json::from_slice(body).map_err(unreadable)?;
        if chunk.choices.is_empty() && chunk.error.is_none() {
            return Err(Fault::Garbled("there is no choice in it".into()));
        }
        self.take(chunk, &|_| {})?;
        Ok(self.answer())
    }
}

impl Completion {
    fn take(&mut self, chunk: Chunk, heard: &Heard) -> Result<(), Fault> {
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(complaint(&error));
        }
        if chunk.usage.is_some() {
            self.usage = chunk.usage;
        }
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(()) };
        let Piece { content, refusal, tool_calls } = choice.delta;
        let text = match content {
            Some(Content::Text(text)) => text,
            Some(Content::Parts(parts)) => parts.into_iter().map(|part| part.text).collect(),
            None => String::new(),
        };
        let refusal = refusal.unwrap_or_default();
        for said in [&text, &refusal].into_iter().filter(|said| !said.is_empty()) {
            heard(Delta::Text(said.clone()));
        }
        self.text += &text;
        self.refusal += &refusal;
        for part in tool_calls.unwrap_or_default() {
            self.call(part, heard);
        }
        if choice.finish_reason.is_some() {
            self.finish = choice.finish_reason;
        }
        Ok(())
    }

    /// Adds a piece of a call to the call it belongs to. Some servers number no calls, or all of them 0: a new id
    /// or, without ids, a new name begins a new call.
    fn call(&mut self, part: Part, heard: &Heard) {
        let Part { index, id, function, extra, .. } = part;
        let id = id.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let mine = |call: &Fragment| {
            let numbered = index.is_none() || call.index == index;
            let new =
                if id.is_empty() { index.is_none() && !name.is_empty() } else { id != call.id };
            numbered && !new
        };
        let at = match self.calls.iter().rposition(mine) {
            Some(at) => at,
            None => {
                self.calls.push(Fragment { index, id, ..Fragment::default() });
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[at];
        if call.name.is_empty() && !name.is_empty() {
            heard(Delta::Calling(name.clone()));
            call.name = name;
        }
        match function.arguments {
            Some(Value::String(more)) => call.arguments += &more,
            Some(Value::Null) | None => {}
            Some(whole) => call.arguments = whole.to_string(),
        }
        call.extra.extend(extra);
    }

    fn answer(mut self) -> Answer {
        for call in self.calls.iter_mut().filter(|call| call.id.is_empty()) {
            call.id = format!("call_{:08x}", getrandom::u32().unwrap_or_default());
        }
        let calls: Vec<Call> = self.calls.iter().map(Fragment::call).collect();
        let stop = match self.finish.as_deref() {
            Some("content_filter") => Stop::Refused,
            _ if !self.refusal.is_empty() => Stop::Refused,
            Some("length") => Stop::Length,
            _ if !calls.is_empty() => Stop::Calls,
            _ => Stop::Done,
        };
        let mut message = json!({ "role": "assistant", "content": self.text });
        if !calls.is_empty() {
            message["tool_calls"] = self.calls.iter().map(Fragment::raw).collect();
        }
        let text = if self.refusal.is_empty() { self.text } else { self.refusal };
        let usage = self.usage.map(tokens).unwrap_or_default();
        Answer { text, calls, stop, usage, raw: Some(Arc::new(json!({ RAW: message }))) }
    }
}

impl Fragment {
    fn call(&self) -> Call {
        let arguments = arguments::read(&self.arguments);
        Call { id: self.id.clone(), name: self.name.clone(), arguments, safety: None }
    }

    /// The call as it goes back. Servers that put the conversation into a template fail on arguments that are no
    /// object; what was wrong with them is in the result.
    fn raw(&self) -> Value {
        let fine = arguments::read(&self.arguments).is_ok() && !self.arguments.trim().is_empty();
        let arguments = if fine { &self.arguments } else { "{}" };
        let function = json!({ "name": self.name, "arguments": arguments });
        let mut call = json!({ "id": self.id, "type": "function", "function": function });
        if let Some(call) = call.as_object_mut() {
            call.extend(self.extra.clone());
        }
        call
    }
}

fn tokens(usage: Usage) -> Tokens {
    let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens);
    let (input, output) = (usage.prompt_tokens, usage.completion_tokens);
    Tokens { input, cached: cached.unwrap_or_default(), output }
}

/// An error that comes after the server had said yes.
fn complaint(error: &Value) -> Fault {
    let words = error["message"].as_str().or(error.as_str()).unwrap_or("it does not say why");
    let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    match code {
        Some(status @ 400..=428) => Fault::Refused { status, message: words.into() },
        _ => Fault::passing(words.into()),
    }
}

fn unreadable(error: serde_json::Error) -> Fault {
    Fault::Garbled(error.to_string())
}

#[cfg(test)]
mod tests;
