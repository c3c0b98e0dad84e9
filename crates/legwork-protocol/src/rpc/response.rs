//! What goes out: the answer to a request, or a notification of how far it is.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Error, Id, VERSION};

/// The answer to a request: a result or an error, never both.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The request's name.
    pub id: Id,
    /// How it ended.
    pub outcome: Result<Value, Error>,
}

impl Response {
    /// An answer with an error.
    pub fn failed(id: Id, error: Error) -> Response {
        Response { id, outcome: Err(error) }
    }
}

/// What nobody answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// What it is about.
    pub method: String,
    /// What is told.
    pub params: Value,
}

/// What a sidecar sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// The answer to one request.
    Response(Response),
    /// The answers to a batch.
    Batch(Vec<Response>),
    /// News of a call.
    Notification(Notification),
}

impl Message {
    /// Reads a line as a client does, and says what is wrong with it.
    pub fn read(line: &[u8]) -> Result<Message, String> {
        let value: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if let Value::Array(list) = value {
            let answers = list.into_iter().map(serde_json::from_value).collect::<Result<_, _>>();
            return answers.map(Message::Batch).map_err(|error| error.to_string());
        }
        if value.get("method").is_some() {
            let wrong = |error: serde_json::Error| error.to_string();
            let note: Notified = serde_json::from_value(value).map_err(wrong)?;
            let Notified { method, params } = note;
            return Ok(Message::Notification(Notification { method, params }));
        }
        serde_json::from_value(value).map(Message::Response).map_err(|error| error.to_string())
    }
}

#[derive(Deserialize)]
struct Notified {
    method: String,
    #[serde(default)]
    params: Value,
}

#[derive(Serialize)]
struct Written<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Error>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a Value>,
}

const NOTHING: Written<'_> =
    Written { jsonrpc: VERSION, id: None, result: None, error: None, method: None, params: None };

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let id = Some(&self.id);
        match &self.outcome {
            Ok(result) => Written { id, result: Some(result), ..NOTHING },
            Err(error) => Written { id, error: Some(error), ..NOTHING },
        }
        .serialize(serializer)
    }
}

impl Serialize for Notification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (method, params) = (Some(self.method.as_str()), Some(&self.params));
        Written { method, params, ..NOTHING }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Response, D::Error> {
        use serde::de::Error as _;
        #[derive(Deserialize)]
        struct Fields {
            jsonrpc: String,
            id: Id,
            /// A result of null is a result: only its absence is none.
            #[serde(default, deserialize_with = "present")]
            result: Option<Value>,
            #[serde(default)]
            error: Option<Error>,
        }
        let fields = Fields::deserialize(deserializer)?;
        if fields.jsonrpc != VERSION {
            return Err(D::Error::custom("an answer carries \"jsonrpc\": \"2.0\""));
        }
        let outcome = match (fields.result, fields.error) {
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(error),
            (Some(_), Some(_)) => return Err(D::Error::custom("both a result and an error")),
            (None, None) => return Err(D::Error::custom("neither a result nor an error")),
        };
        Ok(Response { id: fields.id, outcome })
    }
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
