//! Arguments for looking: the snapshot, queries, extracts, pictures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::Span;

/// The page as text: one line per thing, refs (e12) on what can be acted on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Only this part
    #[serde(default, alias = "selector", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Only what can be acted on
    #[serde(default)]
    pub interactive: bool,
    /// Also where links lead
    #[serde(default)]
    pub links: bool,
    /// Also what is behind a dialog
    #[serde(default)]
    pub behind: bool,
    /// Levels below the target
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Default 3800
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Handle of a cut-off reply's rest
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
}

/// Finds something by its words and shows the row, card or dialog around it with its controls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Find {
    /// Visible words, ref, CSS or XPath
    #[serde(alias = "selector", alias = "text")]
    pub target: String,
    /// Only in: dialog, main
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// Counts the elements that match and gives text, attributes, state and box of the first ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// CSS, XPath, words or role=button[name="Save"]
    #[serde(alias = "selector")]
    pub target: String,
    /// Elements to describe; default 10
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The page's content as Markdown, HTML, text or picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extract {
    /// Default markdown
    #[serde(default)]
    pub format: ExtractFormat,
    /// The whole page, not its article
    #[serde(default)]
    pub whole: bool,
    /// Default 3800
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
}

/// What a page is extracted as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtractFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// HTML.
    Html,
    /// Plain text.
    Text,
    /// A PNG picture.
    ScreenshotBase64,
}

/// Takes a picture of the window, an element or the whole page; secrets are masked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeScreenshot {
    /// Element, instead of the window
    #[serde(default, alias = "selector", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The whole page
    #[serde(default)]
    pub full_page: bool,
    /// Draws the refs on it
    #[serde(default)]
    pub boxes: bool,
    /// Default png
    #[serde(default)]
    pub format: ImageFormat,
    /// Default 15s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
}

/// How a picture is encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// PNG.
    #[default]
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
}
