//! Why a description of a site cannot be used.

use std::fmt;
use std::path::{Path, PathBuf};

/// A description that cannot be used, and where it goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteError {
    /// The file, where it is one.
    pub path: Option<PathBuf>,
    /// Line and column, from 1, in characters.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
}

impl SiteError {
    pub(super) fn new(message: impl Into<String>) -> SiteError {
        SiteError { path: None, place: None, message: message.into() }
    }

    /// The mistake at a byte of the text.
    pub(super) fn at(self, text: &str, byte: usize) -> SiteError {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        SiteError { place: Some((line, before[start..].chars().count() + 1)), ..self }
    }

    /// The mistake, in a file.
    pub fn in_file(self, path: &Path) -> SiteError {
        SiteError { path: Some(path.to_owned()), ..self }
    }
}

impl std::error::Error for SiteError {}

impl fmt::Display for SiteError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(out, "{}", path.display())?,
            None => out.write_str("site")?,
        }
        if let Some((line, column)) = self.place {
            write!(out, ":{line}:{column}")?;
        }
        write!(out, ": {}", self.message)
    }
}
