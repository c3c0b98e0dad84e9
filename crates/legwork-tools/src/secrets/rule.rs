//! What the policy says of a secret: where its value is, and which origins may have it.

use std::path::PathBuf;

use serde::Deserialize;
use url::Url;

/// One `[secrets.NAME]` of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct SecretRule {
    /// Where the value is.
    pub from: SecretSource,
    /// The value is the seed of one-time codes, and a code is what is entered.
    pub totp: bool,
    /// As browsers write them: `https://example.com`; there is at least one.
    origins: Vec<String>,
}

/// Where a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// A variable of the environment.
    Env(String),
    /// A file that only its owner can read.
    File(PathBuf),
    /// What a program prints.
    Command(Vec<String>),
    /// The keyring of the operating system.
    Keyring(String),
}

impl SecretSource {
    fn is_empty(&self) -> bool {
        match self {
            SecretSource::Env(name) | SecretSource::Keyring(name) => name.is_empty(),
            SecretSource::File(path) => path.as_os_str().is_empty(),
            SecretSource::Command(argv) => argv.first().is_none_or(String::is_empty),
        }
    }
}

/// A rule as it is written in a policy file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    env: Option<String>,
    file: Option<PathBuf>,
    command: Option<Vec<String>>,
    keyring: Option<String>,
    #[serde(default)]
    totp: bool,
    origins: Vec<String>,
}

impl TryFrom<Written> for SecretRule {
    type Error = String;

    fn try_from(written: Written) -> Result<SecretRule, String> {
        let Written { env, file, command, keyring, totp, origins } = written;
        let given = [
            env.map(SecretSource::Env),
            file.map(SecretSource::File),
            command.map(SecretSource::Command),
            keyring.map(SecretSource::Keyring),
        ];
        let mut given = given.into_iter().flatten();
        let (Some(from), None) = (given.next(), given.next()) else {
            return Err("give exactly one of env, file, command and keyring".to_owned());
        };
        if from.is_empty() {
            return Err("where its value is, is not said".to_owned());
        }
        SecretRule::new(from, totp, &origins)
    }
}

impl SecretRule {
    /// A secret for these origins.
    pub fn new(from: SecretSource, totp: bool, origins: &[String]) -> Result<SecretRule, String> {
        if origins.is_empty() {
            return Err("origins is empty: a secret is bound to one at least".to_owned());
        }
        let origins = origins.iter().map(|written| origin_of(written)).collect::<Result<_, _>>()?;
        Ok(SecretRule { from, totp, origins })
    }

    /// Whether it may be entered in a document of this address.
    pub fn may_enter(&self, document: &Url) -> bool {
        self.origins.contains(&document.origin().ascii_serialization())
    }

    /// The origins, as they are written.
    pub fn origins(&self) -> Vec<&str> {
        self.origins.iter().map(String::as_str).collect()
    }
}

/// An origin as browsers write it.
fn origin_of(written: &str) -> Result<String, String> {
    let wrong =
        |what: &str| format!("{written:?} is no origin such as https://example.com: {what}");
    let url = Url::parse(written).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it begins with https:// or http://"));
    }
    let more = !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some();
    if more || !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("it has scheme, host and port only"));
    }
    // A star is a letter of a host to the parser, and would bind to a host of that very name.
    if url.host_str().is_some_and(|host| host.contains('*')) {
        return Err(wrong("it names one host, without *"));
    }
    Ok(url.origin().ascii_serialization())
}
