//! The rules as they are read from `rules.toml`.

use std::sync::LazyLock;

use legwork_protocol::assistant::AssistanceKind;
use serde::Deserialize;

use super::phrase::Phrase;

/// The rules of the program.
pub(super) static RULES: LazyLock<Rules> =
    LazyLock::new(|| toml::from_str(include_str!("rules.toml")).expect("a test reads the rules"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    pub(super) errand: Errand,
    /// The first that holds counts.
    pub(super) rule: Vec<Rule>,
}

/// Words of an instruction that does such a thing itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Errand {
    pub(super) login: Vec<Phrase>,
    pub(super) two_factor: Vec<Phrase>,
}

/// A rule: all that is given has to hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) kind: AssistanceKind,
    /// Why, in words that follow "At the page:".
    pub(super) because: String,
    /// What the person is asked to do; `{site}` is the host.
    pub(super) message: String,
    /// It may go by itself.
    #[serde(default)]
    pub(super) may_pass: bool,
    /// A control that is there.
    pub(super) control: Option<Sought>,
    /// Another one near it.
    pub(super) beside: Option<Sought>,
    /// How many controls away that may be.
    #[serde(default = "near")]
    pub(super) reach: usize,
    /// A control that is not there.
    pub(super) unless: Option<Sought>,
    /// One of these is said.
    #[serde(default)]
    pub(super) says: Vec<Phrase>,
    /// One of these is said in the title, a first heading or a dialog's name.
    #[serde(default)]
    pub(super) titled: Vec<Phrase>,
    /// Where it is said and the control is.
    #[serde(default)]
    pub(super) within: Where,
    /// The most words that the page has.
    pub(super) short: Option<usize>,
    /// The most links that it has.
    pub(super) links: Option<usize>,
}

fn near() -> usize {
    6
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Where {
    #[default]
    Page,
    Frame,
}

/// A control that is looked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sought {
    pub(super) roles: Vec<String>,
    /// One of these is in its name.
    #[serde(default)]
    pub(super) names: Vec<Phrase>,
    /// Or it has none.
    #[serde(default)]
    pub(super) unnamed: bool,
    /// None of these is.
    #[serde(default)]
    pub(super) not_names: Vec<Phrase>,
    /// It is in none of these states.
    #[serde(default)]
    pub(super) not_states: Vec<String>,
    /// How many there are.
    #[serde(default)]
    pub(super) at_least: usize,
}
