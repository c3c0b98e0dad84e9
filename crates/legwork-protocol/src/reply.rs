//! What a tool answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool answers: text for a model, pictures, and the same as data for programs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// For a model.
    pub text: String,
    /// Pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// For programs: an object, or nothing.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    /// Base64.
    pub data: String,
}

impl Reply {
    /// Text alone.
    pub fn text(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), ..Default::default() }
    }

    /// The same with data for programs.
    pub fn with_data(self, data: Value) -> Reply {
        Reply { data, ..self }
    }
}
