//! A language model to ask. One trait, whoever serves the model; what is on the wire is each adapter's own.

mod anthropic;
mod arguments;
mod chat;
mod choose;
mod gemini;
mod http;
mod openai;
mod picture;
mod pointing;
mod price;
mod retry;
mod schema;
mod stream;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use legwork_protocol::{Image, ToolError};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub use choose::{Calls, Environment, ModelSettings, choose};
pub use price::prices_listed_on;

/// A model that can be asked. Asking is cancelled by dropping the answer on its way.
pub trait Model: Send + Sync {
    /// Its name as it was chosen: `anthropic:claude-…`.
    fn name(&self) -> &str;

    /// What it can do.
    fn abilities(&self) -> Abilities;

    /// What so many tokens cost, if the price is known.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Asks. `heard` is told what comes while it comes. Retries what is worth it, within the deadline.
    fn ask<'a>(&'a self, request: &'a Request, heard: &'a Heard) -> Asking<'a>;
}

/// An answer on its way.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<Answer, ModelError>> + Send + 'a>>;

/// Who hears what a model says while it says it.
pub type Heard = dyn Fn(Delta) + Send + Sync;

/// What a model can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Reads pictures.
    pub vision: bool,
    /// Points at places in pictures with a tool of its vendor's, which the adapter turns into ours.
    pub computer: bool,
    /// Keeps to a JSON Schema.
    pub schema: bool,
    /// Tokens that fit, where known.
    pub window: Option<u64>,
}

/// Millionths of a US dollar for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Read.
    pub input: u64,
    /// Read again.
    pub cached: u64,
    /// Written.
    pub output: u64,
}

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Who the model is and what holds for the whole run.
    pub system: String,
    /// What was said so far, the last by a person or by tools.
    pub turns: Vec<Turn>,
    /// What it may call.
    pub tools: Vec<Tool>,
    /// Whether it has to call one.
    pub must_call: bool,
    /// What its text has to look like, for an answer without tools: name and JSON Schema.
    pub schema: Option<(String, Map<String, Value>)>,
    /// The most it may write.
    pub max_output: u32,
    /// How long the answer may take in all, retries included.
    pub deadline: Duration,
    /// The page's size in CSS pixels, for those that point at places.
    pub viewport: Option<(u32, u32)>,
}

/// Something a model may call.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub about: String,
    /// The JSON Schema of its arguments.
    pub schema: Map<String, Value>,
}

impl Tool {
    /// A tool whose arguments are these properties and no others.
    pub fn new(name: &str, about: &str, properties: Value, required: &[&str]) -> Tool {
        let schema = Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), properties),
            ("required".to_owned(), json!(required)),
            ("additionalProperties".to_owned(), json!(false)),
        ]);
        Tool { name: name.into(), about: about.into(), schema }
    }

    /// The arguments of a call to it. What is wrong with them goes back to the model, with what it takes.
    pub fn read<T: DeserializeOwned>(&self, arguments: Map<String, Value>) -> Result<T, ToolError> {
        let name = &self.name;
        serde_json::from_value(Value::Object(arguments)).map_err(|wrong| {
            let properties = self.schema.get("properties").and_then(Value::as_object);
            let takes: Vec<&str> =
                properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
            ToolError::invalid(format!("{name}: {wrong}"))
                .with_hint(format!("{name}({})", takes.join(", ")))
        })
    }
}

/// One turn of what was said.
#[derive(Debug, Clone)]
pub enum Turn {
    /// By a person, or by us for them.
    User(Vec<Part>),
    /// By the model: as it was answered, so that a vendor's own pieces go back unchanged.
    Model(Answer),
    /// By tools, one result for each call of the turn before.
    Tools(Vec<ToolResult>),
}

/// A piece of what a person says or a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture.
    Picture(Image),
}

/// What a call came to.
#[derive(Debug, Clone)]
pub struct ToolResult {
    /// The call.
    pub id: String,
    /// Its tool, as the call named it.
    pub name: String,
    /// What it answered.
    pub parts: Vec<Part>,
    /// Whether it failed.
    pub failed: bool,
    /// Where the browser is now, which some vendors want beside each result.
    pub url: Option<String>,
    /// A safety check that a person agreed to.
    pub acknowledged: bool,
}

/// What a model answered.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Its words.
    pub text: String,
    /// What it calls, in order.
    pub calls: Vec<Call>,
    /// Why it stopped.
    pub stop: Stop,
    /// What it cost.
    pub usage: Tokens,
    /// The turn as the vendor wrote it, to be sent back as it is; only its own adapter reads it.
    pub raw: Option<Arc<Value>>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Names it, for its result.
    pub id: String,
    /// The tool: one of those offered, or one of ours that the adapter made of its vendor's.
    pub name: String,
    /// Its arguments; an error says what is wrong with them, to be told to the model.
    pub arguments: Result<Map<String, Value>, String>,
    /// What a person has to agree to first, in the vendor's words.
    pub safety: Option<String>,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stop {
    /// It had said what it wanted.
    #[default]
    Done,
    /// It calls tools.
    Calls,
    /// It wrote as much as it may.
    Length,
    /// It will not.
    Refused,
}

/// Tokens of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Read, those that were cached included.
    pub input: u64,
    /// Of these, read from a cache.
    pub cached: u64,
    /// Written.
    pub output: u64,
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, more: Tokens) {
        self.input = self.input.saturating_add(more.input);
        self.cached = self.cached.saturating_add(more.cached);
        self.output = self.output.saturating_add(more.output);
    }
}

/// What comes while it comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// More of its words.
    Text(String),
    /// It begins to call this tool.
    Calling(String),
    /// It is asked again after this long, for this reason.
    Retrying(Duration, String),
    /// An answer cannot be used and cost this all the same.
    Wasted(Tokens),
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// `--model` names nothing that is known.
    #[error("{0}")]
    Unknown(String),
    /// There is no key, or it is not accepted.
    #[error("{model}: {message}")]
    Key {
        /// The model.
        model: String,
        /// What is wrong and where a key is looked for.
        message: String,
    },
    /// The server refused the request as it is.
    #[error("{model}: the request was refused ({status}): {message}")]
    Refused {
        /// The model.
        model: String,
        /// HTTP.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// Too many requests or a failing server, also after retries.
    #[error("{model}: no answer after {tries} tries: {message}")]
    Unavailable {
        /// The model.
        model: String,
        /// How often it was asked.
        tries: u32,
        /// The last reason.
        message: String,
    },
    /// No answer in time.
    #[error("{model}: no answer within {0:?}", limit)]
    TimedOut {
        /// The model.
        model: String,
        /// The deadline.
        limit: Duration,
    },
    /// The answer broke off or cannot be read.
    #[error("{model}: the answer cannot be read: {message}")]
    Garbled {
        /// The model.
        model: String,
        /// What is wrong with it.
        message: String,
    },
}
