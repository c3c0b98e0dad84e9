//! Arguments for acting on elements: pointer, keyboard, lists, files, scrolling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::{Observe, OneOrMany, Span};

/// Clicks an element and says what happened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Click {
    /// Ref (e12), words ("Remove in the row with Oat milk"), CSS, XPath, role=button[name="Save"] or point=X,Y
    #[serde(alias = "selector")]
    pub target: String,
    /// Default left
    #[serde(default)]
    pub button: Button,
    /// 2 for a double click
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// For a long press: 1s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Span>,
    /// Keys held meanwhile
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<Modifier>,
    /// Where in the element, from its top left
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// Default 5s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}

/// A mouse button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Button {
    /// The usual one.
    #[default]
    Left,
    /// For context menus.
    Right,
    /// The wheel.
    Middle,
}

/// A key that is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Modifier {
    /// Alt.
    Alt,
    /// Control.
    Control,
    /// Command or Windows.
    Meta,
    /// Shift.
    Shift,
}

/// A place in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// From the left
    pub x: f64,
    /// From the top
    pub y: f64,
}

/// Types text into a field with real key events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Type {
    /// Field: ref, label words, CSS, XPath, or :focus
    #[serde(alias = "selector")]
    pub target: String,
    /// Text
    #[serde(alias = "value")]
    pub text: String,
    /// Empties the field first
    #[serde(default)]
    pub clear: bool,
    /// Then presses Enter
    #[serde(default)]
    pub submit: bool,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// Default 5s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}

/// Presses a key or chord: Enter, Escape, Control+A.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressKey {
    /// Key or chord
    pub key: String,
    /// Element; default the focused one
    #[serde(default, alias = "selector", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// Default 5s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}

/// Chooses in a native or custom dropdown or listbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// The dropdown
    #[serde(alias = "selector")]
    pub target: String,
    /// Option or options
    #[serde(alias = "value", alias = "values", alias = "options")]
    pub option: OneOrMany,
    /// Default label
    #[serde(default)]
    pub by: SelectBy,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// Default 5s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}

/// How an option is named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SelectBy {
    /// By what a person reads.
    #[default]
    Label,
    /// By the form's value.
    Value,
    /// By position, from 0.
    Index,
}

/// Moves the pointer over an element.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hover {
    /// Ref, words, CSS or XPath
    #[serde(alias = "selector")]
    pub target: String,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// Default 5s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}

/// Scrolls to an element, by pixels, or to an end. Clicks scroll by themselves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scroll {
    /// What to bring into view or, with to or dy, to scroll
    #[serde(default, alias = "selector", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// An end
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<ScrollTo>,
    /// Pixels to the right
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dx: Option<f64>,
    /// Pixels down
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dy: Option<f64>,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
}

/// An end of the page or box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScrollTo {
    /// The top.
    Top,
    /// The bottom.
    Bottom,
}

/// Drags one element onto another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// What is dragged
    pub from: String,
    /// Where it is dropped
    pub to: String,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// Default 5s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}

/// Puts files into a file field, or through the button that asks for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Upload {
    /// File field or button
    #[serde(alias = "selector")]
    pub target: String,
    /// Files
    #[serde(alias = "path", alias = "files")]
    pub paths: OneOrMany,
    /// Default change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// Default 5s
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub timeout: Option<Span>,
}
