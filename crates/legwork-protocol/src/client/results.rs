//! Results, read into types and so checked.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Failure;
use crate::reply::{Image, Reply};

/// Who the sidecar is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its version.
    pub version: String,
    /// The protocol that is spoken.
    pub protocol_version: u32,
}

/// A session with a page in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The session, for the calls that follow. The client remembers it.
    pub session_id: String,
    /// Where the page is.
    pub url: String,
    /// What there is to see, for a model.
    #[serde(default)]
    pub text: String,
}

/// A session that is open in the sidecar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its name.
    pub session_id: String,
    /// The address of its page.
    pub url: Option<String>,
    /// How many tabs it has.
    pub tabs: usize,
    /// What keeps it from places it may not reach, where that is told.
    #[serde(default)]
    pub guard: Option<String>,
    /// Whether its browser is known to have no window.
    #[serde(default)]
    pub headless: bool,
}

/// What was extracted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// Its format, as asked for.
    pub format: String,
    /// The document, or a picture in base64.
    pub content: String,
}

/// A tool that the sidecar offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
}

#[derive(Deserialize)]
pub(super) struct Tools {
    pub(super) tools: Vec<Listed>,
}

#[derive(Deserialize)]
pub(super) struct Sessions {
    pub(super) sessions: Vec<Session>,
}

/// Reads a result.
pub(super) fn read<T: DeserializeOwned>(method: &str, result: Value) -> Result<T, Failure> {
    serde_json::from_value(result).map_err(|error| Failure::Malformed(format!("{method}: {error}")))
}

/// Reads the result of a tool: its text, its pictures, and all else as data.
pub(super) fn reply(method: &str, result: Value) -> Result<Reply, Failure> {
    #[derive(Deserialize)]
    struct Fields {
        text: String,
        #[serde(default)]
        images: Vec<Image>,
        #[serde(flatten)]
        data: Map<String, Value>,
    }
    let Fields { text, images, data } = read(method, result)?;
    let data = if data.is_empty() { Value::Null } else { Value::Object(data) };
    Ok(Reply { text, images, data })
}

/// An object's fields.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
