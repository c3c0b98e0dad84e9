//! Notices when thinking goes in circles: the same call, or the same kind of call on the same element, again
//! and again without effect.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use legwork_protocol::Action;
use serde_json::Value;

/// What a call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// The page is another one, or looks otherwise.
    Changed,
    /// It was done, and nothing changed.
    Nothing,
    /// It was not done.
    Failed,
    /// It only looked, and this is what it saw.
    Looked(u64),
}

impl Effect {
    /// A look that saw this.
    pub(super) fn looked(text: &str) -> Effect {
        let mut hash = DefaultHasher::new();
        text.hash(&mut hash);
        Effect::Looked(hash.finish())
    }
}

/// After so many times without effect the model is told, and after so many it ends.
pub(super) const TOLD: u32 = 2;
pub(super) const ENDS: u32 = 4;

/// What was tried since something last changed.
#[derive(Debug, Default)]
pub(super) struct Watch {
    tries: BTreeMap<(String, String), Tries>,
}

#[derive(Debug, Default)]
struct Tries {
    vain: u32,
    seen: Option<u64>,
}

impl Watch {
    /// Notes what a call did; gives how often it was in vain by now.
    pub(super) fn note(&mut self, action: &Action, effect: Effect) -> u32 {
        if effect == Effect::Changed {
            self.tries.clear();
            return 0;
        }
        let tries = self.tries.entry((action.tool().to_owned(), element(action))).or_default();
        match effect {
            Effect::Looked(seen) if tries.seen != Some(seen) => {
                *tries = Tries { vain: 0, seen: Some(seen) };
            }
            _ => tries.vain += 1,
        }
        tries.vain
    }

    /// Notes a call that could not be read.
    pub(super) fn malformed(&mut self, name: &str) -> u32 {
        let key = (name.chars().take(60).collect(), "(cannot be read)".to_owned());
        let tries = self.tries.entry(key).or_default();
        tries.vain += 1;
        tries.vain
    }

    /// A new beginning: somebody helped.
    pub(super) fn forget(&mut self) {
        self.tries.clear();
    }

    /// What was tried in vain, for a person.
    pub(super) fn tried(&self) -> String {
        let vain = self.tries.iter().filter(|(_, tries)| tries.vain > 0);
        let one = |((tool, on), tries): (&(String, String), &Tries)| {
            let on: String = on.chars().take(80).collect();
            format!("{} {on} ({} times)", tool.trim_start_matches("browser_"), tries.vain)
        };
        vain.map(one).collect::<Vec<_>>().join("; ")
    }
}

/// What a call is about: its target, or else all of its arguments.
fn element(action: &Action) -> String {
    let arguments = action.arguments();
    let plain = |text: &str| text.trim().to_lowercase();
    match arguments.get("target") {
        Some(Value::String(target)) => plain(target),
        _ => plain(&arguments.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(tool: &str, json: &str) -> Action {
        Action::parse(tool, serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn the_same_on_the_same_element_is_counted_until_something_changes() {
        let mut watch = Watch::default();
        let click = action("click", r#"{"target": "e5"}"#);
        let double = action("click", r#"{"target": "E5 ", "count": 2}"#);
        let other = action("click", r#"{"target": "e6"}"#);
        assert_eq!(watch.note(&click, Effect::Nothing), 1);
        assert_eq!(watch.note(&other, Effect::Nothing), 1);
        assert_eq!(watch.note(&double, Effect::Failed), 2);
        assert!(watch.tried().contains("click e5 (2 times)"), "{}", watch.tried());
        assert_eq!(watch.note(&other, Effect::Changed), 0);
        assert_eq!(watch.note(&click, Effect::Nothing), 1);
    }

    #[test]
    fn looking_again_is_in_vain_only_if_it_shows_the_same() {
        let mut watch = Watch::default();
        let look = action("snapshot", "{}");
        assert_eq!(watch.note(&look, Effect::looked("a")), 0);
        assert_eq!(watch.note(&look, Effect::looked("a")), 1);
        assert_eq!(watch.note(&look, Effect::looked("b")), 0);
        assert_eq!(watch.note(&look, Effect::looked("b")), 1);
    }
}
