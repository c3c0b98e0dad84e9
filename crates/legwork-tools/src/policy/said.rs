//! A value of a policy and who said it: the preset, or the file on top of it.

use serde::Deserialize;

use super::decision::Verdict;

/// Allowed or not; nobody is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// Yes.
    Allow,
    /// No.
    Refuse,
}

impl Stance {
    /// The word for it in a policy file.
    pub fn word(self) -> &'static str {
        match self {
            Stance::Allow => "allow",
            Stance::Refuse => "refuse",
        }
    }
}

impl Verdict {
    /// The word for it in a policy file.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Refuse => "refuse",
        }
    }
}

impl<'de> Deserialize<'de> for Verdict {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Verdict, D::Error> {
        let word = String::deserialize(reader)?;
        let all = [Verdict::Allow, Verdict::Ask, Verdict::Refuse];
        let found = all.into_iter().find(|verdict| verdict.word() == word);
        found.ok_or_else(|| {
            serde::de::Error::custom(format!("expected allow, ask or refuse, found {word:?}"))
        })
    }
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The preset of this name.
    Preset(&'static str),
    /// The policy file.
    File,
}

/// A value and who said it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Said<T> {
    pub(super) value: T,
    pub(super) source: Source,
}

impl<T> Said<T> {
    /// The rule as it is told: as it stands in the file, or with the preset it stands in.
    pub(super) fn rule(&self, rule: String) -> String {
        self.source.rule(rule)
    }
}

impl Source {
    pub(super) fn rule(self, rule: String) -> String {
        match self {
            Source::Preset(name) => format!("{rule} (preset {name})"),
            Source::File => rule,
        }
    }
}

/// A rule that is broken, and the sentence about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) rule: String,
    pub(super) because: String,
}

impl Broken {
    pub(super) fn new(rule: String, because: String) -> Broken {
        Broken { rule, because }
    }
}
