//! The grammar as it is written in `english.toml`, read once.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

use super::pattern::Pattern;

/// The language: its words, and the rules of what can be said.
#[derive(Debug)]
pub struct English {
    /// Word lists by name.
    words: BTreeMap<String, Vec<String>>,
    /// Words of one kind, by what they are.
    alike: BTreeMap<String, Vec<String>>,
    /// What kinds of controls are called, longest first, and what tools call them.
    pub kinds: Vec<(Vec<String>, String)>,
    /// Kinds that are only meant when nothing else is said.
    pub bare: BTreeMap<String, String>,
    /// What such a kind is where something is only read.
    pub shown: BTreeMap<String, String>,
    /// Keys as people call them.
    pub keys: BTreeMap<String, String>,
    /// Keys that are held.
    pub modifiers: BTreeMap<String, String>,
    /// Spans of time that are said without a number, and how tools write them.
    pub spans: BTreeMap<String, String>,
    /// What a number of a span counts, in milliseconds.
    pub units: BTreeMap<String, u32>,
    twofold: Vec<String>,
    /// What can be said.
    pub rules: Vec<Rule>,
    starters: HashSet<String>,
}

/// What can be said for one sense.
#[derive(Debug)]
pub struct Rule {
    /// What it means.
    pub sense: Sense,
    /// An example.
    pub like: String,
    /// How it is said.
    pub patterns: Vec<Pattern>,
}

/// What a clause may mean. [`super::mean`] says what is done for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    Go,
    GoName,
    Back,
    Forward,
    Reload,
    Tab,
    Key,
    Double,
    Right,
    Hover,
    Click,
    Until,
    UntilGone,
    Submit,
    Close,
    Type,
    Upper,
    Lower,
    TypeOn,
    FillWhat,
    Clear,
    Choose,
    Nothing,
    Pick,
    Tick,
    Untick,
    Upload,
    Drag,
    ScrollDown,
    ScrollUp,
    ScrollBottom,
    ScrollTop,
    ScrollTo,
    WaitTime,
    WaitQuiet,
    WaitUrl,
    WaitGone,
    WaitFor,
    Picture,
    Read,
    ReadFrom,
    ReadPage,
    Ask,
    Search,
    SearchAt,
    LogIn,
    LogInAt,
    Paste,
    Find,
    Scope,
    Prefer,
    Again,
    AgainWith,
    AgainAt,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    words: BTreeMap<String, Vec<String>>,
    alike: BTreeMap<String, Vec<String>>,
    kinds: BTreeMap<String, String>,
    bare: BTreeMap<String, String>,
    shown: BTreeMap<String, String>,
    keys: BTreeMap<String, String>,
    modifiers: BTreeMap<String, String>,
    spans: BTreeMap<String, String>,
    units: BTreeMap<String, u32>,
    twofold: Twofold,
    verbs: BTreeMap<String, Vec<String>>,
    rule: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Twofold {
    keys: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    sense: Sense,
    like: String,
    say: Vec<String>,
}

impl English {
    /// The language.
    pub fn get() -> &'static English {
        static ENGLISH: OnceLock<English> = OnceLock::new();
        ENGLISH.get_or_init(|| {
            English::read(include_str!("english.toml")).expect("a test reads english.toml")
        })
    }

    fn read(text: &str) -> Result<English, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let rules = file.rule.into_iter().map(|said| {
            let patterns = said.say.iter().map(|text| Pattern::read(text, &file.verbs));
            let patterns = patterns.collect::<Result<Vec<_>, String>>()?;
            Ok(Rule { sense: said.sense, like: said.like, patterns })
        });
        let rules = rules.collect::<Result<Vec<Rule>, String>>()?;
        let starters = rules.iter().flat_map(|rule| &rule.patterns).flat_map(Pattern::starts);
        let starters = starters.collect();
        let split = |name: &str| name.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut kinds: Vec<_> =
            file.kinds.iter().map(|(said, kind)| (split(said), kind.clone())).collect();
        kinds.sort_by_key(|(said, _)| std::cmp::Reverse(said.len()));
        let (keys, modifiers, twofold) = (file.keys, file.modifiers, file.twofold.keys);
        let File { words, alike, bare, shown, spans, units, .. } = file;
        Ok(English {
            words,
            alike,
            kinds,
            bare,
            shown,
            keys,
            modifiers,
            spans,
            units,
            twofold,
            rules,
            starters,
        })
    }

    /// A list of words.
    pub fn list(&self, name: &str) -> &[String] {
        self.words.get(name).map_or(&[], Vec::as_slice)
    }

    /// The words of the kind that this one is of.
    pub fn alike(&self, word: &str) -> Option<&[String]> {
        let mut kinds = self.alike.values().map(Vec::as_slice);
        kinds.find(|kind| kind.iter().any(|one| one == word))
    }

    /// Whether a list has this word or these words.
    pub fn has(&self, list: &str, word: &str) -> bool {
        self.list(list).iter().any(|one| one == word)
    }

    /// Whether a full stop behind this word ends no sentence.
    pub fn abbreviation(&self, word: &str) -> bool {
        self.has("abbreviations", &word.to_lowercase())
    }

    /// Whether something that can be said begins with this word.
    pub fn starter(&self, word: &str) -> bool {
        self.starters.contains(word)
    }

    /// Whether buttons have this name, too.
    pub fn twofold(&self, key: &str) -> bool {
        self.twofold.iter().any(|one| one == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_can_be_read() {
        let english = English::read(include_str!("english.toml")).unwrap();
        assert!(english.rules.len() > 40);
        assert!(english.starter("click") && !english.starter("frobnicate"));
    }

    #[test]
    fn every_list_that_is_asked_for_is_there() {
        let english = English::get();
        let lists = "months days negations empty stops more leads ordinals skips upcoming refusals rather \
                     instead rectified rejected before_names changes becomes obliges controls fillers describing \
                     clicks asks";
        for list in lists.split_whitespace() {
            assert!(!english.list(list).is_empty(), "{list}");
        }
        assert!(english.alike("red").is_some_and(|kind| kind.contains(&"blue".to_owned())));
        assert!(english.alike("table").is_none());
    }

    #[test]
    fn a_rule_that_names_what_is_not_there_is_refused() {
        let base = include_str!("english.toml");
        for wrong in ["<nothing> {target}", "click {unknown}", "click [on {target}"] {
            let text =
                format!("{base}\n[[rule]]\nsense = \"click\"\nlike = \"\"\nsay = ['{wrong}']\n");
            assert!(English::read(&text).is_err(), "{wrong}");
        }
    }
}
