//! Errors as they cross a process: a stable code, a sentence, a hint.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a tool did not do what was asked.
#[derive(
    Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, schemars::JsonSchema,
)]
#[error("{message}")]
pub struct ToolError {
    /// For programs.
    pub code: Code,
    /// For people and models.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl ToolError {
    /// An error without a hint.
    pub fn new(code: Code, message: impl Into<String>) -> ToolError {
        ToolError { code, message: message.into(), hint: None }
    }

    /// An argument that cannot be used.
    pub fn invalid(message: impl Into<String>) -> ToolError {
        ToolError::new(Code::InvalidInput, message)
    }

    /// The same error with what to do about it.
    pub fn with_hint(self, hint: impl Into<String>) -> ToolError {
        ToolError { hint: Some(hint.into()), ..self }
    }

    /// The error as a model reads it: sentence and hint, after the code.
    pub fn told(&self) -> String {
        let hint = self.hint.as_ref().map(|hint| format!("\nHint: {hint}")).unwrap_or_default();
        format!("{}: {}{hint}", self.code, self.message)
    }
}

macro_rules! codes {
    ($($(#[$about:meta])* $name:ident = $text:literal $(, $sidecar:literal)?;)*) => {
        /// What went wrong, for programs. Codes are never renamed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum Code {
            $($(#[$about])* #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The code as it is written.
            pub fn text(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// The code as the sidecar writes it: `ERR_…`.
            pub fn sidecar(self) -> String {
                match self {
                    $($(Code::$name => $sidecar.to_owned(),)?)*
                    other => format!("ERR_{}", other.text().to_uppercase()),
                }
            }
        }
    };
}

codes! {
    /// No Chrome was found.
    BrowserNotFound = "browser_not_found", "ERR_BROWSER_NOT_FOUND";
    /// No sidecar was found.
    SidecarNotFound = "sidecar_not_found", "ERR_SIDECAR_NOT_FOUND";
    /// The sidecar ended, or does not speak as it should.
    SidecarFailed = "sidecar_failed";
    /// Chrome did not start.
    LaunchFailed = "launch_failed";
    /// Another process holds the profile.
    ProfileInUse = "profile_in_use";
    /// The browser ended.
    BrowserCrashed = "browser_crashed";
    /// The page's process ended.
    PageCrashed = "page_crashed";
    /// The tab was closed.
    PageClosed = "page_closed";
    /// A frame went away.
    FrameGone = "frame_gone";
    /// The session was closed.
    SessionClosed = "session_closed";
    /// A deadline passed.
    Timeout = "timeout", "ERR_TIMEOUT";
    /// The page could not be loaded.
    NavigationFailed = "navigation_failed", "ERR_NAVIGATION_FAILED";
    /// Nothing matches.
    NotFound = "not_found", "ERR_SELECTOR_NOT_FOUND";
    /// Several things match.
    Ambiguous = "ambiguous_target";
    /// A ref's element is gone.
    StaleRef = "stale_ref";
    /// The element cannot be acted on.
    NotActionable = "not_actionable";
    /// Another element received the event.
    Intercepted = "intercepted";
    /// The field holds something else than what was entered.
    ValueDiffers = "value_differs";
    /// A dialog blocks the page.
    DialogOpen = "dialog_open";
    /// Selector syntax that is not known.
    UnsupportedSelector = "unsupported_selector";
    /// A selector that is not valid.
    InvalidSelector = "invalid_selector";
    /// Arguments that cannot be used.
    InvalidInput = "invalid_input";
    /// No such tool.
    UnknownTool = "unknown_tool";
    /// JavaScript threw.
    ScriptError = "script_error";
    /// A file cannot be read or written.
    FileError = "file_error";
    /// The browser refused.
    ProtocolError = "protocol_error";
    /// Policy does not allow it.
    Denied = "denied";
    /// The caller gave up.
    Cancelled = "cancelled";
    /// A step of a batch did not do what it said.
    StepFailed = "step_failed";
    /// A defect of this program.
    Internal = "internal_error";
}

impl Code {
    /// The code of that text.
    pub fn parse(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.text() == text || code.sidecar() == text)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }
}
