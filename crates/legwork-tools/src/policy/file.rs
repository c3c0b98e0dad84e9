//! The policy file: TOML, in which every word has to be known.

use std::collections::BTreeMap;

use legwork_protocol::Span;
use serde::Deserialize;
use toml::Spanned;

use super::actions::Word;
use super::decision::Verdict;
use super::error::PolicyError;
use super::hosts::HostPattern;
use super::hours::Hours;
use super::paths::PathPattern;
use super::permissions::Permissions;
use super::said::Stance;
use super::targets::Target;
use super::transfer::{Downloads, Uploads};
use crate::secrets::SecretRule;

/// A policy file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct File {
    pub(super) preset: Option<Spanned<String>>,
    pub(super) hosts: HostsTable,
    pub(super) paths: PathsTable,
    pub(super) actions: BTreeMap<Word, Verdict>,
    pub(super) target: Vec<Target>,
    pub(super) site: Vec<SiteTable>,
    pub(super) downloads: Downloads,
    pub(super) uploads: Uploads,
    pub(super) rate: RateTable,
    pub(super) approvals: ApprovalsTable,
    pub(super) secrets: BTreeMap<SecretName, SecretRule>,
    pub(super) permissions: Permissions,
    pub(super) hours: Option<Hours>,
}

impl File {
    /// Reads a text; the first mistake is told with its place.
    pub(super) fn parse(text: &str) -> Result<File, PolicyError> {
        toml::from_str(text).map_err(|error| PolicyError::read(text, &error))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct HostsTable {
    pub(super) allow: Vec<Spanned<HostPattern>>,
    pub(super) block: Vec<HostPattern>,
    pub(super) public: Option<Stance>,
    pub(super) private: Option<Stance>,
    pub(super) metadata: Option<Stance>,
    pub(super) schemes: Option<Vec<Scheme>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PathsTable {
    pub(super) allow: Vec<PathPattern>,
    pub(super) block: Vec<PathPattern>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SiteTable {
    pub(super) hosts: SiteHosts,
    #[serde(default)]
    pub(super) actions: BTreeMap<Word, Verdict>,
    #[serde(default)]
    pub(super) paths: PathsTable,
    pub(super) per_minute: Option<PerMinute>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RateTable {
    pub(super) per_minute: Option<PerMinute>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ApprovalsTable {
    pub(super) expires: Option<Span>,
    pub(super) unanswered: Option<Stance>,
    pub(super) hook: Option<Hook>,
}

/// The hosts of a site; at least one.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<HostPattern>")]
pub(super) struct SiteHosts(pub(super) Vec<HostPattern>);

impl TryFrom<Vec<HostPattern>> for SiteHosts {
    type Error = &'static str;

    fn try_from(hosts: Vec<HostPattern>) -> Result<SiteHosts, &'static str> {
        let some = Some(hosts).filter(|hosts| !hosts.is_empty());
        some.map(SiteHosts).ok_or("a site has at least one host")
    }
}

/// A program and its arguments, run without a shell.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub(super) struct Hook(pub(super) Vec<String>);

impl TryFrom<Vec<String>> for Hook {
    type Error = &'static str;

    fn try_from(words: Vec<String>) -> Result<Hook, &'static str> {
        let named = words.first().is_some_and(|program| !program.is_empty());
        Some(Hook(words))
            .filter(|_| named)
            .ok_or("a hook is a program: hook = [\"program\", \"argument\"]")
    }
}

/// A number of actions in a minute.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct PerMinute(pub(super) u32);

impl TryFrom<u32> for PerMinute {
    type Error = &'static str;

    fn try_from(number: u32) -> Result<PerMinute, &'static str> {
        let some = Some(number).filter(|number| *number > 0);
        some.map(PerMinute).ok_or("at least 1 a minute; to refuse actions there is [actions]")
    }
}

/// The scheme of an address: `https`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Scheme(pub(super) String);

impl TryFrom<String> for Scheme {
    type Error = String;

    fn try_from(text: String) -> Result<Scheme, String> {
        let scheme = text.trim().trim_end_matches(':').to_ascii_lowercase();
        let scheme = match scheme.as_str() {
            "ws" => "http",
            "wss" => "https",
            // What these hold inside is judged.
            "blob" | "filesystem" | "view-source" | "about" => {
                return Err(format!("{text:?} needs no permission: it is judged by what it holds"));
            }
            other => other,
        };
        let known = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
        match known {
            true => Ok(Scheme(scheme.to_owned())),
            false => Err(format!("{text:?} is no scheme; write \"https\"")),
        }
    }
}

/// The name of a secret, as calls write it: `{{secret:NAME}}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct SecretName(pub(super) String);

impl TryFrom<String> for SecretName {
    type Error = String;

    fn try_from(name: String) -> Result<SecretName, String> {
        let known = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        match !name.is_empty() && name.chars().all(known) {
            true => Ok(SecretName(name)),
            false => Err(format!("{name:?} is no name of a secret: letters, digits, - _ and .")),
        }
    }
}
