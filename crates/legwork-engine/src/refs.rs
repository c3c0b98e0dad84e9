//! Which document a ref belongs to. Numbers are handed out in ranges, never twice, across all frames
//! and documents of a session's tab; the walker of a document keeps the nodes themselves.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::Error;

/// A ref as a model reads it: `e12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref(pub u64);

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

impl FromStr for Ref {
    type Err = Error;

    fn from_str(text: &str) -> Result<Ref, Error> {
        let number =
            text.trim().trim_start_matches('[').trim_end_matches(']').strip_prefix(['e', 'E']);
        number
            .and_then(|digits| digits.parse().ok())
            .map(Ref)
            .ok_or_else(|| Error::Invalid(format!("{text:?} is not a ref such as e12")))
    }
}

/// Hands out the numbers of a session, to one document at a time, so that no two get the same.
#[derive(Clone)]
pub(crate) struct Numbers(Arc<tokio::sync::Mutex<u64>>);

impl Default for Numbers {
    fn default() -> Self {
        Numbers(Arc::new(tokio::sync::Mutex::new(1)))
    }
}

impl Numbers {
    pub(crate) async fn turn(&self) -> Turn {
        Turn { next: self.0.clone().lock_owned().await, told: true }
    }
}

/// A document's turn to give out numbers.
pub(crate) struct Turn {
    next: tokio::sync::OwnedMutexGuard<u64>,
    told: bool,
}

/// Numbers left free for a document that was asked and did not get to say how many it used.
const UNKNOWN: u64 = 1000;

impl Turn {
    /// The first number that is free. Until it says how many, the document may have used any.
    pub(crate) fn lend(&mut self) -> u64 {
        self.told = false;
        *self.next
    }

    /// The document has used the numbers before this one.
    pub(crate) fn used(&mut self, next: Option<u64>) {
        self.told = true;
        *self.next = (*self.next).max(next.unwrap_or(0));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.told {
            *self.next += UNKNOWN;
        }
    }
}

struct Range {
    first: u64,
    end: u64,
    world: String,
}

/// What a document last showed.
struct View {
    world: String,
    /// Its address.
    url: String,
    text: Arc<str>,
}

/// The ranges given out so far.
#[derive(Default)]
pub(crate) struct Refs {
    ranges: Vec<Range>,
    /// The last text in which each document showed its refs, to recognise things after a reload.
    shown: Vec<View>,
}

impl Refs {
    /// Notes that a document has used the numbers up to `end`.
    pub(crate) fn used(&mut self, world: &str, first: u64, end: u64) {
        if end <= first {
            return;
        }
        match self.ranges.last_mut() {
            Some(last) if last.world == world && last.end == first => last.end = end,
            _ => self.ranges.push(Range { first, end, world: world.to_owned() }),
        }
    }

    /// The document that gave out the ref, whether or not it is still there.
    pub(crate) fn world_of(&self, reference: Ref) -> Option<&str> {
        self.ranges
            .iter()
            .rev()
            .find(|range| (range.first..range.end).contains(&reference.0))
            .map(|range| range.world.as_str())
    }

    /// Keeps what a document last showed; the last few documents are enough.
    pub(crate) fn showed(&mut self, world: &str, url: &str, text: Arc<str>) {
        self.shown.retain(|view| view.world != world);
        if self.shown.len() == 8 {
            self.shown.remove(0);
        }
        let (world, url) = (world.to_owned(), url.to_owned());
        self.shown.push(View { world, url, text });
    }

    /// How a ref was last shown at that address. Other questions have other answers: a link among the
    /// results of one search is not the link of the same name among those of another.
    pub(crate) fn last_shown(&self, reference: Ref, url: &str) -> Option<Shown> {
        let here = self.shown.iter().rev().filter(|view| place(&view.url) == place(url));
        here.filter_map(|view| Some((view, Shown::find(&view.text, reference)?)))
            .find(|(view, shown)| shown.role != "link" || asked(&view.url) == asked(url))
            .map(|(_, shown)| shown)
    }
}

fn place(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

/// The address with its question.
fn asked(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// How a ref read when it was last shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) role: String,
    pub(crate) name: String,
    /// What stands before it in its row, without refs.
    pub(crate) before: String,
}

impl Shown {
    pub(crate) fn find(text: &str, reference: Ref) -> Option<Shown> {
        let needle = reference.to_string();
        let mut from = 0;
        while let Some(at) = text[from..].find(&needle).map(|at| at + from) {
            let end = at + needle.len();
            let whole = !text[end..].starts_with(|c: char| c.is_ascii_digit());
            if whole && text[..at].ends_with(' ') {
                let line_start = text[..at].rfind('\n').map_or(0, |i| i + 1);
                let open = text[line_start..at].rfind(['[', '<'])? + line_start;
                let before = without_refs(&text[line_start..open]);
                return Some(Shown { before, ..Shown::parse(&text[open..at]) });
            }
            from = end;
        }
        None
    }

    fn parse(item: &str) -> Shown {
        let link = item.starts_with('<');
        let inner = item[1..].trim();
        let (role, name) = match inner.split_once(' ') {
            _ if link => ("link", inner),
            Some((word, rest)) if ROLES.contains(&word) => (word, rest),
            _ if ROLES.contains(&inner) => (inner, ""),
            _ => ("button", inner),
        };
        let name = name.trim_matches('"').to_owned();
        Shown { role: role.to_owned(), name, before: String::new() }
    }
}

fn without_refs(line: &str) -> String {
    let is_ref = |word: &str| {
        let bare = word.trim_end_matches([']', '>', ')']);
        bare.strip_prefix('e')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    line.split_whitespace().filter(|word| !is_ref(word)).collect::<Vec<_>>().join(" ")
}

const ROLES: &[&str] = &[
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "switch",
    "slider",
    "spinbutton",
    "tab",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "listbox",
    "treeitem",
    "clickable",
    "gridcell",
    "row",
    "link",
    "img",
    "scrollable",
    "draggable",
    "date",
    "file",
    "color",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_belongs_to_the_document_that_gave_it_out() {
        let mut refs = Refs::default();
        refs.used("a", 1, 10);
        refs.used("b", 10, 12);
        refs.used("a", 12, 13);
        assert_eq!(refs.world_of(Ref(9)), Some("a"));
        assert_eq!(refs.world_of(Ref(11)), Some("b"));
        assert_eq!(refs.world_of(Ref(12)), Some("a"));
        assert_eq!(refs.world_of(Ref(13)), None);
    }

    #[test]
    fn a_ref_is_remembered_by_the_role_and_name_it_was_shown_with() {
        let mut refs = Refs::default();
        let text = "Oat milk [Add e2] <Docs e3>\n [textbox Email e12 = \"x\"] [checkbox e1]";
        refs.showed("a", "http://x/y?z", text.into());
        let shown = |n| refs.last_shown(Ref(n), "http://x/y?z#w").map(|s| (s.role, s.name));
        assert_eq!(refs.last_shown(Ref(3), "http://x/y?z#v").unwrap().before, "Oat milk [Add");
        assert_eq!(refs.last_shown(Ref(3), "http://x/other"), None);
        assert_eq!(refs.last_shown(Ref(3), "http://x/y?other"), None);
        let of = |role: &str, name: &str| Some((role.to_owned(), name.to_owned()));
        assert_eq!(shown(2), of("button", "Add"));
        assert!(refs.last_shown(Ref(2), "http://x/y?other").is_some());
        assert_eq!(shown(3), of("link", "Docs"));
        assert_eq!(shown(12), of("textbox", "Email"));
        assert_eq!(shown(1), of("checkbox", ""));
        assert_eq!(shown(4), None);
    }

    #[tokio::test]
    async fn numbers_that_may_have_been_used_are_not_given_out_again() {
        let numbers = Numbers::default();
        let mut turn = numbers.turn().await;
        assert_eq!(turn.lend(), 1);
        turn.used(Some(7));
        assert_eq!(turn.lend(), 7);
        drop(turn);
        let mut turn = numbers.turn().await;
        assert_eq!(turn.lend(), 7 + UNKNOWN);
    }

    #[test]
    fn refs_are_read_with_or_without_brackets() {
        assert_eq!("e12".parse::<Ref>().unwrap(), Ref(12));
        assert_eq!("[e12]".parse::<Ref>().unwrap(), Ref(12));
        assert_eq!("E12".parse::<Ref>().unwrap(), Ref(12));
        assert!("12".parse::<Ref>().is_err());
    }
}
