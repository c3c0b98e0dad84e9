//! How an element that was acted on can be found again: what programs are told beside the text of a reply.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An element, by what lasts longer than its ref.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Known {
    /// Its role.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Its name, or its text where it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The kind of field, if it is one: `text`, `password`, `select` …
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// A field for a password or a code. What it holds is never told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// Targets that lead to it, the steadiest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub find: Vec<String>,
}
