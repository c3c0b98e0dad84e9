//! What `generateContent` answers, at once or as events.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::computer::{self, Grid};
use super::request::calls_of;
use super::{IDS, RAW};
use crate::model::http::{Fault, Reader};
use crate::model::stream::Event;
use crate::model::{Answer, Call, Delta, Heard, Stop, Tokens};

/// An answer on its way.
pub(super) struct Response {
    /// The window, if the model points at places in it.
    grid: Option<Grid>,
    parts: Vec<Value>,
    finish: Option<String>,
    message: Option<String>,
    blocked: Option<Feedback>,
    usage: Usage,
}

/// One event, or all of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default)]
    candidates: Vec<Candidate>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(default)]
    usage_metadata: Option<Usage>,
    #[serde(default)]
    error: Option<Complaint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    content: Option<Said>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    finish_message: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Said {
    #[serde(default)]
    parts: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
    #[serde(default)]
    block_reason_message: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Usage {
    prompt_token_count: u64,
    tool_use_prompt_token_count: u64,
    cached_content_token_count: u64,
    candidates_token_count: u64,
    thoughts_token_count: u64,
}

#[derive(Debug, Deserialize)]
struct Complaint {
    #[serde(default)]
    code: u16,
    #[serde(default)]
    message: String,
}

/// What the vendor's safety service says of an action.
#[derive(Debug, Deserialize)]
struct Safety {
    #[serde(default)]
    decision: String,
    #[serde(default)]
    explanation: Option<String>,
}

impl Response {
    pub(super) fn new(grid: Option<Grid>) -> Response {
        Response {
            grid,
            parts: Vec::new(),
            finish: None,
            message: None,
            blocked: None,
            usage: Usage::default(),
        }
    }

    fn take(&mut self, chunk: Chunk, heard: Option<&Heard>) -> Result<(), Fault> {
        if let Some(error) = chunk.error {
            return Err(error.fault());
        }
        self.usage = chunk.usage_metadata.unwrap_or(std::mem::take(&mut self.usage));
        let blocked = |feedback: &Feedback| feedback.block_reason.is_some();
        self.blocked = chunk.prompt_feedback.filter(blocked).or(self.blocked.take());
        let Some(candidate) = chunk.candidates.into_iter().next() else { return Ok(()) };
        self.finish = candidate.finish_reason.or(self.finish.take());
        self.message = candidate.finish_message.or(self.message.take());
        for part in candidate.content.map(|said| said.parts).unwrap_or_default() {
            if let Some(heard) = heard {
                tell(&part, heard);
            }
            self.add(part);
        }
        Ok(())
    }

    /// Words that follow words are one piece; what is signed stays as it is. Words of nothing are not taken back.
    fn add(&mut self, part: Value) {
        if is_plain(&part) && words(&part).is_empty() {
            return;
        }
        if let (Some(last), true) = (self.parts.last_mut(), is_plain(&part))
            && is_plain(last)
            && last["thought"] == part["thought"]
        {
            let joined = words(last).to_string() + words(&part);
            last["text"] = joined.into();
            return;
        }
        self.parts.push(part);
    }

    fn answer(self) -> Result<Answer, Fault> {
        let usage = self.usage.tokens();
        if let Some(blocked) = self.blocked {
            let text = blocked.words();
            return Ok(Answer { text, stop: Stop::Refused, usage, ..Answer::default() });
        }
        let finish = self.finish.as_deref().unwrap_or_default();
        if matches!(
            finish,
            "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" | "UNEXPECTED_TOOL_CALL"
        ) {
            let why = self.message.unwrap_or_default();
            let message = format!("the model wrote a call that cannot be read: {finish} {why}");
            return Err(Fault::Unusable { message, usage });
        }
        let mut content = json!({ "role": "model", "parts": self.parts });
        let calls: Vec<Call> = calls_of(&content).map(|call| read(call, self.grid)).collect();
        mend(&mut content);
        let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        let raw = Some(Arc::new(json!({ RAW: content, IDS: ids })));
        let said = self.parts.iter().filter(|part| part["thought"] != true).map(words);
        let mut text: String = said.collect();
        let stop = stop(finish, !calls.is_empty());
        if finish == "OTHER" && calls.is_empty() && text.is_empty() {
            let message = "the model ended without a word and does not say why".into();
            return Err(Fault::Unusable { message, usage });
        }
        // What is refused is not called either.
        let calls = if stop == Stop::Refused { Vec::new() } else { calls };
        if stop == Stop::Refused && text.is_empty() {
            let why = self.message.map(|message| format!(": {message}")).unwrap_or_default();
            text = format!("the answer was withheld ({finish}){why}");
        }
        Ok(Answer { text, calls, stop, usage, raw })
    }
}

impl Reader for Response {
    fn event(&mut self, event: Event, heard: &Heard) -> Result<ControlFlow<()>, Fault> {
        let unreadable = |error| Fault::Garbled(format!("an event cannot be read: {error}"));
        self.take(serde_json::from_str(&event.data).map_err(unreadable)?, Some(heard))?;
        // Nothing marks the end: usage may still come after the reason to finish.
        Ok(ControlFlow::Continue(()))
    }

    fn end(self) -> Result<Answer, Fault> {
        if self.finish.is_none() && self.blocked.is_none() {
            return Err(Fault::Cut("it broke off before its end".into()));
        }
        self.answer()
    }

    fn whole(mut self, body: &[u8]) -> Result<Answer, Fault> {
        let unreadable = |error| Fault::Garbled(format!("it is no answer: {error}"));
        self.take(serde_json::from_slice(body).map_err(unreadable)?, None)?;
        if self.finish.is_none() && self.blocked.is_none() {
            return Err(Fault::Garbled("it has no candidate that is finished".into()));
        }
        self.answer()
    }
}

impl Usage {
    fn tokens(&self) -> Tokens {
        Tokens {
            input: self.prompt_token_count + self.tool_use_prompt_token_count,
            cached: self.cached_content_token_count,
            output: self.candidates_token_count + self.thoughts_token_count,
        }
    }
}

impl Feedback {
    fn words(self) -> String {
        let reason = self.block_reason.unwrap_or_default();
        let why =
            self.block_reason_message.map(|message| format!(": {message}")).unwrap_or_default();
        format!("the request was blocked ({reason}){why}")
    }
}

impl Complaint {
    fn fault(self) -> Fault {
        let message = format!("{} ({})", self.message, self.code);
        match self.code {
            401 | 403 => Fault::Key { status: self.code, message },
            400 | 404 | 413 => Fault::Refused { status: self.code, message },
            _ => Fault::passing(message),
        }
    }
}

/// Why it ended; what is not known is a refusal.
fn stop(finish: &str, calls: bool) -> Stop {
    match finish {
        "MAX_TOKENS" | "CONTINUATION" => Stop::Length,
        "STOP" | "FINISH_REASON_UNSPECIFIED" | "OTHER" | "TOO_MANY_TOOL_CALLS" if calls => {
            Stop::Calls
        }
        "STOP" | "FINISH_REASON_UNSPECIFIED" | "OTHER" | "TOO_MANY_TOOL_CALLS" => Stop::Done,
        _ => Stop::Refused,
    }
}

fn tell(part: &Value, heard: &Heard) {
    if let Some(name) = part["functionCall"]["name"].as_str() {
        heard(Delta::Calling(name.into()));
    } else if part["thought"] != true && !words(part).is_empty() {
        heard(Delta::Text(words(part).into()));
    }
}

fn words(part: &Value) -> &str {
    part["text"].as_str().unwrap_or_default()
}

/// Nothing but words, thought or said.
fn is_plain(part: &Value) -> bool {
    let plain =
        |part: &Map<String, Value>| part.keys().all(|key| key == "text" || key == "thought");
    part.as_object().is_some_and(plain) && part["text"].is_string()
}

fn read(call: &Value, grid: Option<Grid>) -> Call {
    let name = call["name"].as_str().unwrap_or_default().to_string();
    let id = call["id"].as_str().map_or_else(new_id, String::from);
    let mut arguments = match &call["args"] {
        Value::Object(arguments) => arguments.clone(),
        Value::Null => Map::new(),
        _ => {
            let arguments = Err("The arguments were not an object; nothing was done.".into());
            return Call { id, name, arguments, safety: None };
        }
    };
    let safety = arguments.remove("safety_decision").and_then(|decision| safety(&decision));
    let pointed = grid.and_then(|grid| computer::call(&name, &arguments, grid));
    let (name, arguments) = match pointed {
        Some(Ok((tool, arguments))) => (tool.into(), Ok(arguments)),
        Some(Err(wrong)) => (name, Err(wrong)),
        None => (name, Ok(arguments)),
    };
    Call { id, name, arguments, safety }
}

/// Arguments that are no object are not taken back.
fn mend(content: &mut Value) {
    let parts = content["parts"].as_array_mut().into_iter().flatten();
    for arguments in parts.filter_map(|part| part.get_mut("functionCall")?.get_mut("args")) {
        if !arguments.is_object() {
            *arguments = json!({});
        }
    }
}

/// What a person has to agree to. A decision that is not known is put to them, too.
fn safety(decision: &Value) -> Option<String> {
    let safety = Safety::deserialize(decision)
        .unwrap_or(Safety { decision: String::new(), explanation: None });
    if matches!(safety.decision.as_str(), "regular" | "allowed" | "allow") {
        return None;
    }
    let explanation = safety.explanation.filter(|words| !words.trim().is_empty());
    Some(explanation.unwrap_or_else(|| {
        format!("the model's vendor asks for confirmation ({})", safety.decision)
    }))
}

/// For models that give none: not the same twice, so that results find their calls.
fn new_id() -> String {
    format!("gemini-{:016x}", getrandom::u64().unwrap_or_default())
}
