//! Where a secret comes from and where it may be entered: `[secrets.NAME]`. Holds no value.

use std::path::PathBuf;

use serde::Deserialize;
use url::Url;

use super::hosts::HostPattern;
use super::place::Place;

/// A secret, by its source.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct SecretRule {
    /// Where its value comes from.
    pub from: SecretSource,
    /// The value is a seed, and what is entered is the code of the moment.
    pub totp: bool,
    /// The origins whose fields it may be entered in; there is at least one.
    origins: Vec<HostPattern>,
}

/// Where the value of a secret comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// An environment variable.
    Env(String),
    /// A file; a relative path counts from the policy file.
    File(PathBuf),
    /// What a program prints.
    Command(Vec<String>),
    /// An entry of the system's keyring.
    Keyring(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    env: Option<String>,
    file: Option<PathBuf>,
    command: Option<Vec<String>>,
    keyring: Option<String>,
    #[serde(default)]
    totp: bool,
    origins: Vec<HostPattern>,
}

impl TryFrom<Written> for SecretRule {
    type Error = String;

    fn try_from(written: Written) -> Result<SecretRule, String> {
        let Written { env, file, command, keyring, totp, origins } = written;
        let sources = [
            env.map(SecretSource::Env),
            file.map(SecretSource::File),
            command.map(SecretSource::Command),
            keyring.map(SecretSource::Keyring),
        ];
        let mut sources = sources.into_iter().flatten();
        let (Some(from), None) = (sources.next(), sources.next()) else {
            return Err("a secret has exactly one of env, file, command and keyring".into());
        };
        if from.is_empty() {
            return Err("the source of a secret is empty".into());
        }
        if origins.is_empty() {
            return Err(
                "a secret names the origins it may be entered on: origins = [\"https://…\"]".into(),
            );
        }
        if let Some(origin) = origins.iter().find(|origin| origin.scheme().is_none()) {
            let origin = origin.text();
            return Err(format!("{origin:?} is no origin; write \"https://{origin}\""));
        }
        Ok(SecretRule { from, totp, origins })
    }
}

impl SecretSource {
    fn is_empty(&self) -> bool {
        match self {
            SecretSource::Env(text) | SecretSource::Keyring(text) => text.is_empty(),
            SecretSource::File(path) => path.as_os_str().is_empty(),
            SecretSource::Command(words) => words.first().is_none_or(String::is_empty),
        }
    }
}

impl SecretRule {
    /// Whether it may be entered in a document of this address.
    pub fn may_enter(&self, document: &Url) -> bool {
        // A document that somebody's script made has its origin, and is not their page.
        let plain = matches!(document.scheme(), "http" | "https");
        let place = Place::of(document).filter(|_| plain);
        place.is_some_and(|place| self.origins.iter().any(|origin| origin.covers(&place)))
    }

    /// The origins, as they are written.
    pub fn origins(&self) -> Vec<&str> {
        self.origins.iter().map(HostPattern::text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_one_source_and_an_origin() {
        for (text, error) in [
            ("env = \"A\"", "missing field `origins`"),
            ("env = \"A\"\norigins = []", "names the origins"),
            ("origins = [\"https://a.com\"]", "exactly one"),
            ("env = \"A\"\nfile = \"b\"\norigins = [\"https://a.com\"]", "exactly one"),
            ("env = \"\"\norigins = [\"https://a.com\"]", "is empty"),
            ("command = []\norigins = [\"https://a.com\"]", "is empty"),
            ("env = \"A\"\norigins = [\"a.com\"]", "write \"https://a.com\""),
            ("value = \"A\"\norigins = [\"https://a.com\"]", "unknown field `value`"),
        ] {
            let found = toml::from_str::<SecretRule>(text).unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
    }

    #[test]
    fn it_is_entered_on_its_origins_only() {
        let rule: SecretRule = toml::from_str(
            "env = \"A\"\ntotp = true\norigins = [\"https://a.com\", \"https://*.b.com:8443\"]",
        )
        .unwrap();
        assert!(rule.totp);
        for (url, may) in [
            ("https://a.com/login", true),
            ("https://a.com:443/", true),
            ("https://A.com./", true),
            ("http://a.com/", false),
            ("https://a.com:444/", false),
            ("https://www.a.com/", false),
            ("https://a.com.evil.com/", false),
            ("https://a.com@evil.com/", false),
            ("https://x.b.com:8443/", true),
            ("https://x.b.com/", false),
            ("blob:https://a.com/1", false),
            ("data:text/html,x", false),
        ] {
            assert_eq!(rule.may_enter(&url.parse().unwrap()), may, "{url}");
        }
    }
}
