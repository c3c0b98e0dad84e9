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
    /// The file it was written to, if it was taken and kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Image {
    /// A picture that was kept nowhere.
    pub fn new(media_type: impl Into<String>, data: impl Into<String>) -> Image {
        Image { media_type: media_type.into(), data: data.into(), path: None }
    }
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

    /// The data, without the picture where that comes beside it.
    pub fn data_beside_images(&self) -> Value {
        let mut data = self.data.clone();
        let pictured = |content: &Value| self.images.iter().any(|image| *content == image.data);
        if let Value::Object(fields) = &mut data {
            fields.retain(|_, content| !pictured(content));
        }
        data
    }
}
