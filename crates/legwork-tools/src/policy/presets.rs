//! The policies that come with the program, each a file of the same format. A policy file starts from
//! one of them.

use std::path::Path;

use super::error::PolicyError;
use super::file::File;
use super::rules::Rules;

/// A policy that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it says, as a policy file.
    pub text: &'static str,
}

/// All of them, the widest first.
pub const PRESETS: &[Preset] = &[
    Preset { name: "open", text: include_str!("presets/open.toml") },
    Preset { name: "local", text: include_str!("presets/local.toml") },
    Preset { name: "web", text: include_str!("presets/web.toml") },
    Preset { name: "guarded", text: include_str!("presets/guarded.toml") },
];

impl Preset {
    /// The one of this name.
    pub fn named(name: &str) -> Option<Preset> {
        PRESETS.iter().copied().find(|preset| preset.name == name)
    }

    /// The names, for a sentence.
    pub fn names() -> String {
        PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ")
    }

    /// Its rules.
    pub fn rules(self) -> Rules {
        super::layers::rules(self, File::default(), Path::new(""))
    }

    pub(super) fn unknown(name: &str) -> PolicyError {
        PolicyError::new(format!(
            "there is no preset {name:?}; the presets are {}",
            Preset::names()
        ))
    }
}
