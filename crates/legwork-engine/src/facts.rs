//! What is known about an element before anything is done to it.

use serde::Deserialize;

/// What an element is, and what acting on it would do.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ElementFacts {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its role.
    pub role: String,
    /// Its name, as a person reads it.
    pub name: String,
    /// Role, name and ref, as replies tell them.
    pub description: String,
    /// The kind of field, or the element's own name: `password`, `submit`, `select`, `a` …
    pub kind: String,
    /// Its value is never shown.
    pub secret: bool,
    /// Where a link leads.
    pub link: Option<String>,
    /// Acting on it sends the form it belongs to.
    pub submits: bool,
    /// The form it belongs to.
    pub form: Option<FormFacts>,
    /// The title of the dialog or section it stands in.
    pub around: String,
    /// The address of its document.
    pub document: String,
    /// Stands for all of the above: another element, or the same one changed, has another.
    pub seal: String,
}

/// A form.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FormFacts {
    /// Where it is sent.
    pub action: String,
    /// How it is sent.
    pub method: String,
    /// Its name, as a person reads it.
    pub name: String,
    /// What its fields are for: autocomplete words and kinds, such as `cc-number` or `new-password`.
    pub fields: Vec<String>,
    /// Something was entered that was not sent.
    pub dirty: bool,
}
