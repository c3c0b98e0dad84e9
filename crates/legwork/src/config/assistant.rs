//! What runs of the assistant are told: which model, where its key is, and what a run may cost. A key is
//! named by its place, is read when a model is asked for, and is never shown.

use std::path::{Path, PathBuf};

use legwork_protocol::assistant::Budget;
use legwork_tools::SecretSource;
use toml::de::DeValue;

use super::value::{Setting, UNSET, quoted, string};
use super::{Config, whole_path};
use crate::daemon::state_folder;

/// Where the key of a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySource(pub SecretSource);

impl KeySource {
    /// Reads a place; what is relative is relative to a folder.
    pub fn read(text: &str, base: &Path) -> Result<KeySource, String> {
        // What was written may be a key, so it is not repeated.
        let wrong = || {
            "expected the place of a key: env:NAME, file:PATH, keyring:NAME or command:PROGRAM ARGUMENTS"
                .to_owned()
        };
        let (kind, place) = text.trim().split_once(':').ok_or_else(wrong)?;
        let place = place.trim();
        if place.is_empty() {
            return Err(wrong());
        }
        Ok(KeySource(match kind {
            "env" => SecretSource::Env(place.to_owned()),
            "file" => SecretSource::File(whole_path(place, base)),
            "keyring" => SecretSource::Keyring(place.to_owned()),
            "command" => SecretSource::Command(shell_words::split(place).map_err(|_| wrong())?),
            _ => return Err(wrong()),
        }))
    }

    fn written(&self) -> String {
        match &self.0 {
            SecretSource::Env(name) => format!("env:{name}"),
            SecretSource::File(path) => format!("file:{}", path.display()),
            SecretSource::Keyring(name) => format!("keyring:{name}"),
            // Arguments may be secrets of their own.
            SecretSource::Command(words) => match words.as_slice() {
                [program] => format!("command:{program}"),
                [program, ..] => format!("command:{program} …"),
                [] => "command:".to_owned(),
            },
        }
    }
}

impl Setting for Option<KeySource> {
    fn from_text(text: &str) -> Result<Self, String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        KeySource::read(text, &here).map(Some)
    }

    fn from_toml(value: &DeValue<'_>, base: &Path) -> Result<Self, String> {
        let text = value.as_str().unwrap_or_default();
        KeySource::read(text, base).map(Some)
    }

    fn show(&self) -> String {
        self.as_ref().map_or(UNSET.to_owned(), |source| quoted(&source.written()))
    }
}

/// An amount of money, in millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dollars(pub u64);

impl Dollars {
    /// Reads `0.50`, also with a `$` in front.
    pub fn parse(text: &str) -> Result<Dollars, String> {
        let wrong = || format!("expected US dollars such as \"0.50\", found {text:?}");
        let amount: f64 = text.trim().trim_start_matches('$').parse().map_err(|_| wrong())?;
        // Past a million, an amount is a slip of the keyboard.
        match (0.000_001..=1_000_000.0).contains(&amount) {
            true => Ok(Dollars((amount * 1e6).round() as u64)),
            false => Err(wrong()),
        }
    }
}

impl Setting for Option<Dollars> {
    fn from_text(text: &str) -> Result<Self, String> {
        Dollars::parse(text).map(Some)
    }

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Result<Self, String> {
        Dollars::parse(string(value, "US dollars in quotes, such as \"0.50\"")?).map(Some)
    }

    fn show(&self) -> String {
        let shown = |Dollars(micros): &Dollars| {
            let written = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
            quoted(written.trim_end_matches('0').trim_end_matches('.'))
        };
        self.as_ref().map_or(UNSET.to_owned(), shown)
    }
}

impl Config {
    /// What a run may cost that says nothing of it.
    pub fn budget(&self) -> Budget {
        let values = &self.values;
        Budget {
            turns: values.max_turns,
            seconds: values.time_budget.as_secs().max(1),
            tokens: values.max_tokens as u64,
            cost_micros: values.max_cost.map(|Dollars(micros)| micros),
        }
    }

    /// Where runs are saved.
    pub fn runs_folder(&self) -> PathBuf {
        state_folder().join("runs")
    }
}
