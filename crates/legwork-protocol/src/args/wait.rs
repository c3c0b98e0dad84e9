//! Arguments for waiting.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::{Observe, Span};

/// Waits for one thing: an element, text, address, event, condition or time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// Element
    #[serde(default, alias = "selector", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Default visible
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<WaitState>,
    /// Text to appear
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Text to vanish
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_gone: Option<String>,
    /// Part of the address, or a pattern with *
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Something to happen
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<WaitEvent>,
    /// JavaScript to become true
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// Time to pass
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Span>,
    /// Default 15s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
}

/// What an element should become.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitState {
    /// It can be seen.
    #[default]
    Visible,
    /// It is gone or hidden.
    Hidden,
    /// It can be used.
    Enabled,
    /// It is in the page.
    Attached,
}

/// What may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitEvent {
    /// A new document.
    Navigation,
    /// No requests for half a second.
    NetworkQuiet,
    /// A download ends.
    Download,
}
