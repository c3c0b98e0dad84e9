//! Why a policy cannot be used. There is no half of a policy: what cannot be read in full is not used.

use std::fmt;
use std::path::{Path, PathBuf};

/// A policy that cannot be used, and where it goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyError {
    /// The file, where it is one.
    pub path: Option<PathBuf>,
    /// Line and column, from 1, in characters.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// Where the format is explained.
pub(super) const FORMAT: &str =
    "docs/policy.md explains the format; `legwork policy check FILE` tries a file out";

impl PolicyError {
    pub(super) fn new(message: impl Into<String>) -> PolicyError {
        PolicyError { path: None, place: None, message: message.into(), hint: FORMAT }
    }

    /// The mistake at a byte of the text.
    pub(super) fn at(self, text: &str, byte: usize) -> PolicyError {
        PolicyError { place: Some(place(text, byte)), ..self }
    }

    pub(super) fn with_hint(self, hint: &'static str) -> PolicyError {
        PolicyError { hint, ..self }
    }

    pub(super) fn in_file(self, path: &Path) -> PolicyError {
        PolicyError { path: Some(path.to_owned()), ..self }
    }

    /// What the TOML reader found.
    pub(super) fn read(text: &str, error: &toml::de::Error) -> PolicyError {
        let span = error.span().unwrap_or(0..0);
        // Of a list, the reader knows where it begins; which item is wrong stands in our own sentence.
        let item = error.message().strip_prefix('"').and_then(|rest| rest.split('"').next());
        let within = text.get(span.clone()).unwrap_or_default();
        let inside = item.and_then(|item| within.find(&format!("\"{item}\""))).unwrap_or(0);
        PolicyError::new(error.message()).at(text, span.start + inside)
    }
}

impl std::error::Error for PolicyError {}

impl fmt::Display for PolicyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.as_ref().map_or("policy".into(), |path| path.to_string_lossy());
        out.write_str(&path)?;
        if let Some((line, column)) = self.place {
            write!(out, ":{line}:{column}")?;
        }
        write!(out, ": {}", self.message)
    }
}

/// Line and column of a byte, from 1, in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}
