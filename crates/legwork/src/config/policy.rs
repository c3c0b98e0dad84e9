//! Which policy is in force: a preset by its name, or a file.

use std::path::{Path, PathBuf};

use legwork_tools::{PolicyError, Preset, Rules};
use toml::de::DeValue;

use super::value::{Setting, UNSET, quoted, string};
use super::whole_path;

/// Which policy was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Policy {
    /// None: the usual file if it is there, else what is open.
    #[default]
    Unsaid,
    /// A preset.
    Preset(Preset),
    /// A file.
    File(PathBuf),
}

impl Policy {
    /// Reads a preset's name, or a path as seen from a folder.
    fn read(text: &str, base: &Path) -> Result<Policy, String> {
        if let Some(preset) = Preset::named(text) {
            return Ok(Policy::Preset(preset));
        }
        match text.contains('/') || text.ends_with(".toml") {
            true => Ok(Policy::File(whole_path(text, base))),
            false => Err(format!(
                "there is no preset {text:?}; the presets are {}, and a file is written with its path: \
                 \"./{text}\"",
                Preset::names()
            )),
        }
    }

    /// The rules, all of them or none: what cannot be read is an error.
    pub(super) fn rules(&self) -> Result<Rules, PolicyError> {
        match self {
            Policy::Unsaid => Ok(Rules::default()),
            Policy::Preset(preset) => Ok(preset.rules()),
            Policy::File(path) => Rules::read(path),
        }
    }

    /// As a flag would say it.
    pub fn told(&self) -> Option<String> {
        match self {
            Policy::Unsaid => None,
            Policy::Preset(preset) => Some(preset.name.to_owned()),
            Policy::File(path) => Some(path.display().to_string()),
        }
    }
}

impl Setting for Policy {
    fn from_text(text: &str) -> Result<Self, String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        Policy::read(text, &here)
    }

    fn from_toml(value: &DeValue<'_>, base: &Path) -> Result<Self, String> {
        Policy::read(string(value, "the name of a preset or a path in quotes")?, base)
    }

    fn show(&self) -> String {
        self.told().map_or(UNSET.to_owned(), |text| quoted(&text))
    }
}
