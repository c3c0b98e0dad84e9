//! What the Messages API answers, at once or as events.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{PAUSED, RAW, toolset};
use crate::model::arguments;
use crate::model::http::{Fault, Reader};
use crate::model::pointing::Scale;
use crate::model::stream::Event;
use crate::model::{Answer, Call, Delta, Heard, Stop, Tokens};

/// An answer on its way.
pub(super) struct Message {
    scale: Scale,
    /// By their place.
    blocks: BTreeMap<u64, Growing>,
    usage: Usage,
    stop: Option<String>,
    details: Option<Details>,
    over: bool,
}

/// A block and what came of its arguments.
struct Growing {
    block: Value,
    arguments: String,
    complete: bool,
}

#[derive(Debug, Deserialize)]
struct Whole {
    #[serde(default)]
    content: Vec<Value>,
    stop_reason: Option<String>,
    #[serde(default)]
    stop_details: Option<Details>,
    #[serde(default)]
    usage: Usage,
}

/// Why the model will not.
#[derive(Debug, Clone, Deserialize)]
struct Details {
    #[serde(default)]
    explanation: Option<String>,
    #[serde(default)]
    category: Option<String>,
}

#[derive(Debug, Default, Clone, Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Happening {
    MessageStart {
        message: Whole,
    },
    ContentBlockStart {
        index: u64,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u64,
        delta: Value,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: Ending,
        #[serde(default)]
        usage: Usage,
    },
    MessageStop,
    Error {
        error: Complaint,
    },
    /// Pings, and what is new.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct Ending {
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    stop_details: Option<Details>,
}

#[derive(Debug, Deserialize)]
struct Complaint {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
}

impl Message {
    pub(super) fn new(scale: Scale) -> Message {
        Message {
            scale,
            blocks: BTreeMap::new(),
            usage: Usage::default(),
            stop: None,
            details: None,
            over: false,
        }
    }

    fn grow(&mut self, index: u64, delta: &Value, heard: &Heard) -> Result<(), Fault> {
        let Some(growing) = self.blocks.get_mut(&index) else {
            return Err(Fault::Garbled(format!("block {index} never began")));
        };
        let part = |name: &str| delta[name].as_str().unwrap_or_default();
        match delta["type"].as_str() {
            Some("text_delta") => {
                append(&mut growing.block, "text", part("text"));
                heard(Delta::Text(part("text").into()));
            }
            Some("thinking_delta") => append(&mut growing.block, "thinking", part("thinking")),
            Some("signature_delta") => append(&mut growing.block, "signature", part("signature")),
            Some("input_json_delta") => growing.arguments += part("partial_json"),
            Some("citations_delta") => {
                if let Some(block) = growing.block.as_object_mut() {
                    let all = block.entry("citations").or_insert_with(|| json!([]));
                    match all.as_array_mut() {
                        Some(all) => all.push(delta["citation"].clone()),
                        None => *all = json!([delta["citation"]]),
                    }
                }
            }
            // What is not known changes nothing that is.
            _ => {}
        }
        Ok(())
    }

    fn answer(self) -> Result<Answer, Fault> {
        let cut_short =
            matches!(self.stop.as_deref(), Some("max_tokens" | "model_context_window_exceeded"));
        let mut answer = Answer { usage: self.usage.tokens(), ..Answer::default() };
        let mut raw = Vec::new();
        for growing in self.blocks.into_values() {
            let Growing { mut block, arguments, complete } = growing;
            match block["type"].as_str() {
                Some("text") => answer.text += block["text"].as_str().unwrap_or_default(),
                Some("tool_use") => {
                    let unfinished = cut_short && !complete;
                    let read = input(&mut block, &arguments, unfinished);
                    answer.calls.push(call(&block, read, self.scale)?);
                }
                _ => {}
            }
            // The API takes no words back that are only spaces.
            let blank = block["type"] == "text"
                && block["text"].as_str().unwrap_or_default().trim().is_empty();
            if !blank {
                raw.push(block);
            }
        }
        answer.stop = match self.stop.as_deref() {
            Some("refusal") => Stop::Refused,
            _ if cut_short => Stop::Length,
            _ if !answer.calls.is_empty() => Stop::Calls,
            _ => Stop::Done,
        };
        if answer.stop == Stop::Refused && answer.text.is_empty() {
            answer.text = self.details.and_then(Details::words).unwrap_or_default();
        }
        let paused = self.stop.as_deref() == Some("pause_turn");
        answer.raw = Some(Arc::new(json!({ RAW: raw, PAUSED: paused })));
        Ok(answer)
    }
}

impl Reader for Message {
    fn event(&mut self, event: Event, heard: &Heard) -> Result<ControlFlow<()>, Fault> {
        let unreadable = |error| Fault::Garbled(format!("an event cannot be read: {error}"));
        match serde_json::from_str(&event.data).map_err(unreadable)? {
            Happening::MessageStart { message } => self.usage.take(message.usage),
            Happening::ContentBlockStart { index, content_block } => {
                if content_block["type"] == "tool_use"
                    && let Some(name) = content_block["name"].as_str()
                {
                    heard(Delta::Calling(name.into()));
                }
                let growing =
                    Growing { block: content_block, arguments: String::new(), complete: false };
                self.blocks.insert(index, growing);
            }
            Happening::ContentBlockDelta { index, delta } => self.grow(index, &delta, heard)?,
            Happening::ContentBlockStop { index } => {
                if let Some(growing) = self.blocks.get_mut(&index) {
                    growing.complete = true;
                }
            }
            Happening::MessageDelta { delta, usage } => {
                self.usage.take(usage);
                self.stop = delta.stop_reason.or(self.stop.take());
                self.details = delta.stop_details.or(self.details.take());
            }
            Happening::MessageStop => {
                self.over = true;
                return Ok(ControlFlow::Break(()));
            }
            Happening::Error { error } => return Err(error.fault()),
            Happening::Other => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(self) -> Result<Answer, Fault> {
        if !self.over || self.stop.is_none() {
            return Err(Fault::Cut("it broke off before its end".into()));
        }
        self.answer()
    }

    fn whole(mut self, body: &[u8]) -> Result<Answer, Fault> {
        let unreadable = |error| Fault::Garbled(format!("it is no message: {error}"));
        let whole: Whole = serde_json::from_slice(body).map_err(unreadable)?;
        if whole.stop_reason.is_none() {
            return Err(Fault::Garbled("it does not say why it ends".into()));
        }
        let blocks = whole.content.into_iter().zip(0..);
        let grown = |block| Growing { block, arguments: String::new(), complete: true };
        self.blocks = blocks.map(|(block, index)| (index, grown(block))).collect();
        self.usage = whole.usage;
        self.stop = whole.stop_reason;
        self.details = whole.stop_details;
        self.answer()
    }
}

impl Usage {
    /// The later count of each holds.
    fn take(&mut self, later: Usage) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.cache_creation_input_tokens =
            later.cache_creation_input_tokens.or(self.cache_creation_input_tokens);
        self.cache_read_input_tokens =
            later.cache_read_input_tokens.or(self.cache_read_input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
    }

    fn tokens(&self) -> Tokens {
        let cached = self.cache_read_input_tokens.unwrap_or_default();
        let kept = self.cache_creation_input_tokens.unwrap_or_default();
        Tokens {
            // What is written into the cache costs a quarter more than what is only read, and counts as so much.
            input: self.input_tokens.unwrap_or_default() + kept + kept.div_ceil(4) + cached,
            cached,
            output: self.output_tokens.unwrap_or_default(),
        }
    }
}

impl Details {
    fn words(self) -> Option<String> {
        self.explanation.or_else(|| self.category.map(|category| format!("refused: {category}")))
    }
}

impl Complaint {
    fn fault(self) -> Fault {
        let message = format!("{} ({})", self.message, self.kind);
        match self.kind.as_str() {
            "invalid_request_error" | "request_too_large" => {
                Fault::Refused { status: 400, message }
            }
            "authentication_error" | "permission_error" => Fault::Key { status: 401, message },
            // Overloaded, failing, too many requests.
            _ => Fault::passing(message),
        }
    }
}

fn append(block: &mut Value, name: &str, more: &str) {
    let text = block[name].as_str().unwrap_or_default().to_string();
    block[name] = (text + more).into();
}

/// The arguments of a call, put where they belong. What cannot be read does not go back to the server.
fn input(block: &mut Value, text: &str, unfinished: bool) -> Result<Map<String, Value>, String> {
    let read = match (&block["input"], text) {
        _ if unfinished => {
            Err("The call was cut off; nothing was done. Write less at once.".into())
        }
        (Value::Object(given), "") => Ok(given.clone()),
        (Value::Null, "") => Ok(Map::new()),
        (_, "") => Err("The arguments were not a JSON object; nothing was done.".into()),
        (_, text) => arguments::read(text),
    };
    block["input"] = Value::Object(read.clone().unwrap_or_default());
    read
}

fn call(
    block: &Value,
    read: Result<Map<String, Value>, String>,
    scale: Scale,
) -> Result<Call, Fault> {
    let part = |name: &str| {
        let missing = || Fault::Garbled(format!("a call has no {name}"));
        block[name].as_str().map(String::from).ok_or_else(missing)
    };
    let (id, name) = (part("id")?, part("name")?);
    if block["toolset_name"] != toolset::NAME {
        return Ok(Call { id, name, arguments: read, safety: None });
    }
    Ok(match read.and_then(|input| toolset::call(&name, &input, scale)) {
        Ok((tool, arguments)) => {
            Call { id, name: tool.into(), arguments: Ok(arguments), safety: None }
        }
        Err(wrong) => Call { id, name, arguments: Err(wrong), safety: None },
    })
}
