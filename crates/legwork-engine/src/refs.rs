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
        let number = text.trim().trim_start_matches('[').trim_end_matches(']').strip_prefix('e');
        number
            .and_then(|digits| digits.parse().ok())
            .map(Ref)
            .ok_or_else(|| Error::Invalid(format!("{text:?} is not a ref such as e12")))
    }
}

struct Range {
    first: u64,
    end: u64,
    world: String,
}

/// The ranges given out so far.
pub(crate) struct Refs {
    ranges: Vec<Range>,
    next: u64,
    /// The last text in which each document showed its refs, to recognise things after a reload.
    shown: Vec<(String, Arc<str>)>,
}

impl Default for Refs {
    fn default() -> Self {
        Refs { ranges: Vec::new(), next: 1, shown: Vec::new() }
    }
}

impl Refs {
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Notes that a document has used the numbers up to `end`.
    pub(crate) fn used(&mut self, world: &str, first: u64, end: u64) {
        if end <= first {
            return;
        }
        self.next = self.next.max(end);
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
    pub(crate) fn showed(&mut self, world: &str, text: Arc<str>) {
        self.shown.retain(|(of, _)| of != world);
        if self.shown.len() == 8 {
            self.shown.remove(0);
        }
        self.shown.push((world.to_owned(), text));
    }

    /// Role and name under which a ref was last shown.
    pub(crate) fn last_shown(&self, reference: Ref) -> Option<Shown> {
        self.shown.iter().rev().find_map(|(_, text)| Shown::find(text, reference))
    }
}

/// How a ref read when it was last shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) role: String,
    pub(crate) name: String,
}

impl Shown {
    fn find(text: &str, reference: Ref) -> Option<Shown> {
        let needle = reference.to_string();
        let mut from = 0;
        while let Some(at) = text[from..].find(&needle).map(|at| at + from) {
            let end = at + needle.len();
            let whole = !text[end..].starts_with(|c: char| c.is_ascii_digit());
            if whole && text[..at].ends_with(' ') {
                let line_start = text[..at].rfind('\n').map_or(0, |i| i + 1);
                let open = text[line_start..at].rfind(['[', '<'])? + line_start;
                return Some(Shown::parse(&text[open..at]));
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
        Shown { role: role.to_owned(), name: name.trim_matches('"').to_owned() }
    }
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
        assert_eq!(refs.next(), 13);
    }

    #[test]
    fn a_ref_is_remembered_by_the_role_and_name_it_was_shown_with() {
        let mut refs = Refs::default();
        let text = "Oat milk [Add e2] <Docs e3>\n [textbox Email e12 = \"x\"] [checkbox e1]";
        refs.showed("a", text.into());
        let shown = |n| refs.last_shown(Ref(n)).map(|s| (s.role, s.name));
        let of = |role: &str, name: &str| Some((role.to_owned(), name.to_owned()));
        assert_eq!(shown(2), of("button", "Add"));
        assert_eq!(shown(3), of("link", "Docs"));
        assert_eq!(shown(12), of("textbox", "Email"));
        assert_eq!(shown(1), of("checkbox", ""));
        assert_eq!(shown(4), None);
    }

    #[test]
    fn refs_are_read_with_or_without_brackets() {
        assert_eq!("e12".parse::<Ref>().unwrap(), Ref(12));
        assert_eq!("[e12]".parse::<Ref>().unwrap(), Ref(12));
        assert!("12".parse::<Ref>().is_err());
    }
}
