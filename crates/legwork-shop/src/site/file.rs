//! The description as it is written: TOML, in which every word has to be known.

use serde::Deserialize;
use toml::Spanned;

use super::error::SiteError;
use crate::money::Currency;

/// A text, and where it stands.
pub(super) type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: Text,
    pub(super) home: Text,
    pub(super) search: Text,
    pub(super) cart: Text,
    pub(super) currency: Currency,
    pub(super) banner: Option<Text>,
    pub(super) per_minute: Option<Spanned<u32>>,
    pub(super) hosts: Hosts,
    pub(super) paths: Paths,
    pub(super) signed_in: Option<Spanned<Locator>>,
    pub(super) sign_in: Option<SignIn>,
    #[serde(default)]
    pub(super) hints: Hints,
}

impl File {
    /// Reads a text; the first mistake is told with its place.
    pub(super) fn parse(text: &str) -> Result<File, SiteError> {
        toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            SiteError::new(error.message()).at(text, start)
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hosts {
    pub(super) required: Vec<Text>,
    #[serde(default)]
    pub(super) optional: Vec<Optional>,
    #[serde(default)]
    pub(super) blocked: Vec<Blocked>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Optional {
    pub(super) hosts: Vec<Text>,
    pub(super) why: String,
    #[serde(default = "yes")]
    pub(super) allow: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Blocked {
    pub(super) hosts: Vec<Text>,
    pub(super) why: Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Paths {
    /// Required, so that a shop without a blocked checkout has said so.
    pub(super) blocked: Spanned<Vec<Text>>,
    #[serde(default)]
    pub(super) sign_in: Vec<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Locator {
    pub(super) label: Option<String>,
    pub(super) selector: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignIn {
    pub(super) url: Text,
    #[serde(default)]
    pub(super) hosts: Vec<Text>,
    pub(super) fields: Spanned<Vec<Spanned<Field>>>,
    pub(super) submit: Spanned<Locator>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Field {
    pub(super) label: Option<String>,
    pub(super) selector: Option<String>,
    pub(super) secret: Text,
    pub(super) env: Text,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Hints {
    pub(super) add: Vec<Text>,
    pub(super) sold_out: Vec<Text>,
    pub(super) model: Vec<String>,
}
