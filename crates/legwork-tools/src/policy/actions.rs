//! What is said of actions, by kind and by meaning.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::decision::Verdict;
use super::facts::{Kind, Meaning};
use super::said::{Said, Source};

/// Stands for every meaning.
pub(super) const DESTRUCTIVE: &str = "destructive";

/// A word for a kind, a meaning, or all meanings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word(pub(super) &'static str);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Word, D::Error> {
        let text = String::deserialize(reader)?;
        let known = words().into_iter().find(|known| *known == text);
        known.map(Word).ok_or_else(|| {
            let all = words().join(", ");
            D::Error::custom(format!("there is no action {text:?}; the actions are {all}"))
        })
    }
}

impl<'de> Deserialize<'de> for Meaning {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Meaning, D::Error> {
        let text = String::deserialize(reader)?;
        Meaning::of(&text).ok_or_else(|| {
            let all: Vec<&str> = Meaning::ALL.iter().map(|meaning| meaning.word()).collect();
            let all = all.join(", ");
            D::Error::custom(format!("there is no meaning {text:?}; the meanings are {all}"))
        })
    }
}

fn words() -> Vec<&'static str> {
    let mut words: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
    words.extend(Meaning::ALL.iter().map(|meaning| meaning.word()));
    words.push(DESTRUCTIVE);
    words.sort_unstable();
    words.dedup();
    words
}

/// What is said, by word.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Actions {
    pub(super) said: BTreeMap<Word, Said<Verdict>>,
}

/// What one place says of an action, and under which word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spoken {
    pub(super) verdict: Verdict,
    pub(super) word: &'static str,
    pub(super) source: Source,
}

impl Actions {
    /// What is said of a word; `destructive` speaks for a meaning that is not named. Naming it with
    /// `allow` takes it out of `destructive`; otherwise the stricter of the two counts.
    pub(super) fn of(&self, word: &'static str, meaning: bool) -> Option<Spoken> {
        let said = |word: &'static str| {
            let said = self.said.get(&Word(word))?;
            Some(Spoken { verdict: said.value, word, source: said.source })
        };
        let (own, all) = (said(word), meaning.then(|| said(DESTRUCTIVE)).flatten());
        match (own, all) {
            (Some(own), _) if own.verdict == Verdict::Allow => Some(own),
            (Some(own), Some(all)) if all.verdict > own.verdict => Some(all),
            (own, all) => own.or(all),
        }
    }

    /// Whether some meaning is refused, or asked about where somebody can be asked.
    pub(super) fn minds_meanings(&self, asks: bool) -> bool {
        let least = if asks { Verdict::Ask } else { Verdict::Refuse };
        Meaning::ALL.iter().any(|meaning| {
            self.of(meaning.word(), true).is_some_and(|spoken| spoken.verdict >= least)
        })
    }
}
