//! Arguments for moving between pages: addresses, history, tabs, dialogs, the window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::{Observe, Span};

/// Opens a URL, waits until it is loaded and shows the page. Starts the browser if need be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Navigate {
    /// URL to navigate to
    pub url: String,
    /// Default 15s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
}

macro_rules! history {
    ($($(#[$about:meta])* $name:ident;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Default 15s
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(skip)]
            pub timeout: Option<Span>,
            /// Default change
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub observe: Option<Observe>,
        }
    )*};
}

history! {
    /// Goes back in the tab's history.
    Back;
    /// Goes forward in the tab's history.
    Forward;
    /// Loads the page again.
    Reload;
}

/// Lists, opens, switches to or closes tabs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tabs {
    /// Default list
    #[serde(default)]
    pub action: TabAction,
    /// Its number, for select and close
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<usize>,
    /// Address for new
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// After new or select
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
}

/// What to do with tabs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TabAction {
    /// Lists them.
    #[default]
    List,
    /// Opens one.
    New,
    /// Brings one to the front.
    Select,
    /// Closes one.
    Close,
}

/// Answers the open alert, confirm, prompt or "leave page?" dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandleDialog {
    /// OK or Cancel
    pub accept: bool,
    /// Text for a prompt
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
}

/// Sets the viewport's size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resize {
    /// Viewport width in pixels
    pub width: i64,
    /// Viewport height in pixels
    pub height: i64,
    /// Device pixels per CSS pixel
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Default 15s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}
