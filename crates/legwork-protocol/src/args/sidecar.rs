//! Arguments in the sidecar's own words: open, act, close.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::Observe;

/// Opens a URL in a session with these settings and returns its session id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// URL to open
    pub url: String,
    /// Default true
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headless: Option<bool>,
    /// Profile that keeps logins. It holds cookies and passwords.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_data_dir: Option<String>,
    /// Default 1280x720
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
}

/// A window's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Viewport {
    /// Pixels
    pub width: i64,
    /// Pixels
    pub height: i64,
}

/// Does one thing on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// What to do
    pub action: ActKind,
    /// CSS, XPath, ref or words
    #[serde(default, alias = "target", skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Text to type, JavaScript to evaluate, or pixels to scroll
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Milliseconds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
}

/// What can be done in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActKind {
    /// Clicks.
    Click,
    /// Types.
    Type,
    /// Scrolls.
    Scroll,
    /// Takes a picture.
    Screenshot,
    /// Runs JavaScript.
    Evaluate,
    /// Waits for an element.
    WaitForSelector,
    /// Waits for another document.
    WaitForNavigation,
}

/// Closes the session: its tabs, cookies and storage are gone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Close {}
