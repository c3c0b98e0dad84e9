//! What comes in: a request, a notification, or a batch of them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::{Error, Response, VERSION};
use crate::error::ToolError;

/// What the caller calls a request. It is given back as it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// Nothing: what could not be read has no name.
    Null,
}

impl From<u64> for Id {
    fn from(number: u64) -> Id {
        Id::Number(number.into())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => number.fmt(out),
            Id::Text(text) => write!(out, "{text:?}"),
            Id::Null => out.write_str("null"),
        }
    }
}

/// A request, or a notification if it has no id.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its name. Without one nobody wants an answer.
    pub id: Option<Id>,
    /// What is asked for.
    pub method: String,
    /// With what.
    pub params: Params,
}

/// Parameters of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Params {
    /// By name; none are given by giving none.
    Named(Map<String, Value>),
    /// By position, which no method here takes.
    Positional(Vec<Value>),
}

impl Params {
    /// The parameters by name.
    pub fn named(self) -> Result<Map<String, Value>, ToolError> {
        match self {
            Params::Named(map) => Ok(map),
            Params::Positional(list) if list.is_empty() => Ok(Map::new()),
            Params::Positional(_) => Err(ToolError::invalid("params is a list")
                .with_hint("give parameters by name, in an object")),
        }
    }
}

/// A line that was read. What is no request is its own answer already.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// One request, answered by one response.
    One(Result<Request, Response>),
    /// Several, answered by one list of responses.
    Batch(Vec<Result<Request, Response>>),
}

/// Reads a line.
pub fn read(line: &[u8]) -> Incoming {
    let unreadable = |error: Error| Incoming::One(Err(Response::failed(Id::Null, error)));
    match serde_json::from_slice(line) {
        Ok(Value::Array(list)) if list.is_empty() => {
            unreadable(Error::invalid_request("the batch is empty"))
        }
        Ok(Value::Array(list)) => Incoming::Batch(list.into_iter().map(request).collect()),
        Ok(one) => Incoming::One(request(one)),
        Err(error) => unreadable(Error::parse(format!("this line is no JSON: {error}"))),
    }
}

fn request(value: Value) -> Result<Request, Response> {
    let refuse = |id: Id, why: &str| Err(Response::failed(id, Error::invalid_request(why)));
    let Value::Object(mut map) = value else {
        return refuse(Id::Null, "a request is an object");
    };
    let id = match map.remove("id") {
        None => None,
        Some(Value::Number(number)) => Some(Id::Number(number)),
        Some(Value::String(text)) => Some(Id::Text(text)),
        Some(Value::Null) => Some(Id::Null),
        Some(_) => return refuse(Id::Null, "the id is neither a number nor a text"),
    };
    let named = id.clone().unwrap_or(Id::Null);
    if map.get("jsonrpc").and_then(Value::as_str) != Some(VERSION) {
        return refuse(named, "a request carries \"jsonrpc\": \"2.0\"");
    }
    let Some(Value::String(method)) = map.remove("method") else {
        return refuse(named, "a request names its method, a text");
    };
    let params = match map.remove("params") {
        None | Some(Value::Null) => Params::Named(Map::new()),
        Some(Value::Object(map)) => Params::Named(map),
        Some(Value::Array(list)) => Params::Positional(list),
        Some(_) => return refuse(named, "params is neither an object nor a list"),
    };
    Ok(Request { id, method, params })
}

impl Serialize for Request {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            jsonrpc: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: &'a Option<Id>,
            method: &'a str,
            params: &'a Params,
        }
        let Request { id, method, params } = self;
        Written { jsonrpc: VERSION, id, method, params }.serialize(serializer)
    }
}

impl Serialize for Params {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Params::Named(map) => map.serialize(serializer),
            Params::Positional(list) => list.serialize(serializer),
        }
    }
}
