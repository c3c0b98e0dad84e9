//! The page as watchers see it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The page in front.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrowserState {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// How far it is loaded.
    pub ready_state: ReadyState,
    /// What can be acted on.
    pub elements: Vec<ElementSnapshot>,
    /// What is in view.
    pub viewport: ViewportInfo,
}

/// How far a page is loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadyState {
    /// Coming.
    #[default]
    Loading,
    /// Read, and its pictures coming.
    Interactive,
    /// All there.
    Complete,
}

/// An element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ElementSnapshot {
    /// A target that any tool takes, most often a ref such as `e12`.
    pub selector: String,
    /// Its id in the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its tag, in lower case.
    pub tag_name: String,
    /// Its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its attributes; never a password's or a code's value.
    pub attributes: BTreeMap<String, String>,
    /// Where it is, in CSS pixels.
    pub bounding_box: Bounds,
    /// Whether it can be seen.
    pub visible: bool,
}

/// A box.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Bounds {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// What is in view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names say it")]
pub struct ViewportInfo {
    pub width: f64,
    pub height: f64,
    pub scroll_x: f64,
    pub scroll_y: f64,
}
