//! A list in a plain text file: an item a line, with a bullet, a number or a box before it or without.
//! Lines that begin with `#` and a space are headings and comments; empty ones are nothing.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use super::file::ListFile;
use super::{ListError, Listed, Mark, ShoppingListProvider};
use crate::item::{Item, ItemId, Status};
use crate::summary::Summary;

/// A list in a text file.
pub struct TextList {
    file: ListFile,
}

impl TextList {
    /// Opens a list.
    pub fn open(path: &Path) -> Result<TextList, ListError> {
        let list = TextList { file: ListFile::new(path)? };
        list.file.read()?;
        Ok(list)
    }
}

impl ShoppingListProvider for TextList {
    fn get_uncompleted_items(&self) -> Listed<'_, Vec<Item>> {
        Box::pin(async {
            let lines = read(&self.file.read()?);
            let items = lines.into_iter().map(|line| line.item);
            Ok(items.filter(|item| item.status == Status::NeedsAction).collect())
        })
    }

    fn mark<'a>(&'a self, item: &'a ItemId, mark: Mark<'a>) -> Listed<'a, ()> {
        Box::pin(async move { self.file.change(|text| marked(text, item, mark)) })
    }

    fn send_summary<'a>(&'a self, summary: &'a Summary) -> Listed<'a, ()> {
        Box::pin(async move { self.file.send_summary(summary) })
    }
}

/// An item, and where its line has what.
struct Line {
    item: Item,
    /// The letter in the box, where there is a box; else the empty place where one belongs.
    state: Range<usize>,
    /// The name with its tags.
    written: Range<usize>,
}

/// The items in a text.
pub(super) fn items(text: &str) -> Vec<Item> {
    read(text).into_iter().map(|line| line.item).collect()
}

fn read(text: &str) -> Vec<Line> {
    let mut ids = HashSet::new();
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.extend(read_line(line, start, &mut ids));
        start += line.len();
    }
    lines
}

/// The item on a line that begins at a byte of the text.
fn read_line(line: &str, start: usize, ids: &mut HashSet<String>) -> Option<Line> {
    let rest = line.trim_start_matches('\u{feff}').trim_start();
    if rest.is_empty() || rest.starts_with("# ") || rest.starts_with("##") || rest.trim_end() == "#"
    {
        return None;
    }
    let rest = after_bullet(rest);
    let place = |part: &str| start + line.len() - part.len();
    let (state, completed, rest) = match boxed(rest) {
        Some((letter, after)) => (place(rest) + 1..place(rest) + 2, letter != ' ', after),
        None => (place(rest)..place(rest), false, rest),
    };
    let status = if completed { Status::Completed } else { Status::NeedsAction };
    let written = rest.trim_end();
    let item = Item::read(ItemId::new(""), written, status)?;
    let id = numbered(&item.name, ids);
    let at = place(rest);
    Some(Line { item: Item { id, ..item }, state, written: at..at + written.len() })
}

/// What follows `- `, `* `, `+ `, `• `, `1. ` or `1) `.
fn after_bullet(line: &str) -> &str {
    let digits = line.len() - line.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let marks: &[char] = if digits > 0 { &['.', ')'] } else { &['-', '*', '+', '•'] };
    let after = line[digits..].strip_prefix(marks);
    after.filter(|after| is_parted(after)).map_or(line, str::trim_start)
}

/// The letter in the box that a text begins with, and what follows.
fn boxed(text: &str) -> Option<(char, &str)> {
    let inside = text.strip_prefix('[')?;
    let letter = inside.chars().next().filter(|letter| matches!(letter, ' ' | 'x' | 'X'))?;
    let after = inside[1..].strip_prefix(']')?;
    is_parted(after).then(|| (letter, after.trim_start()))
}

/// Whether a text is parted from what stands before it.
fn is_parted(text: &str) -> bool {
    text.is_empty() || text.starts_with(char::is_whitespace)
}

/// The name of an item, with a number where the name is taken. Tags are no part of it, so that marking an
/// item does not change what it is called.
fn numbered(name: &str, ids: &mut HashSet<String>) -> ItemId {
    let all =
        std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}~{number}")));
    let id = all.into_iter().find(|id| !ids.contains(id)).unwrap_or_default();
    ids.insert(id.clone());
    ItemId::new(id)
}

/// The text with a mark on an item. There is no place for a reason in it; the summary has it.
fn marked(text: &str, id: &ItemId, mark: Mark) -> Result<String, ListError> {
    let lines = read(text);
    let line = lines.iter().find(|line| line.item.id == *id);
    let line = line.ok_or_else(|| ListError::Gone { id: id.clone() })?;
    let mut text = text.to_owned();
    match mark.tag() {
        Some((tag, _)) if line.item.tags.has(tag) => {}
        Some((tag, _)) => {
            let mut item = line.item.clone();
            item.tags.add(tag);
            text.replace_range(line.written.clone(), &item.tagged_name());
        }
        None => {
            // What was noted when it did not work is over now.
            text.replace_range(line.written.clone(), &line.item.name);
            let checked = if line.state.is_empty() { "[x] " } else { "x" };
            text.replace_range(line.state.clone(), checked);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mark(text: &str, id: &str, how: Mark) -> String {
        marked(text, &ItemId::new(id), how).unwrap()
    }

    #[test]
    fn lines_are_read_with_or_without_bullets_and_boxes() {
        let text = "\u{feff}# Groceries\n\nmilk\n- 2x eggs\n* [ ] tea #failed\n  - [x] salt\n[X] rice\n\
                    1. bread\n2) oil\n10 apples\n## Later\n#\n#1 mustard\n- \n-\n[ ]\n- [x]\n7up\r\n-1 thing\n";
        let found: Vec<_> = items(text)
            .into_iter()
            .map(|item| (item.tagged_name(), item.status == Status::Completed))
            .collect();
        let expected = [
            ("milk", false),
            ("2x eggs", false),
            ("tea #failed", false),
            ("salt", true),
            ("rice", true),
            ("bread", false),
            ("oil", false),
            ("10 apples", false),
            ("#1 mustard", false),
            ("7up", false),
            ("-1 thing", false),
        ];
        assert_eq!(found, expected.map(|(name, done)| (name.to_owned(), done)));
    }

    #[test]
    fn a_mark_changes_its_line_alone() {
        let cases = [
            ("milk\ntea\n", Mark::Completed, "[x] milk\ntea\n"),
            ("- milk\r\ntea", Mark::Completed, "- [x] milk\r\ntea"),
            ("  - [ ]  milk  \n", Mark::Completed, "  - [x]  milk  \n"),
            ("- [ ] milk #failed\n", Mark::Completed, "- [x] milk\n"),
            ("1. milk", Mark::NotFound("no"), "1. milk #not_found"),
            ("milk #failed\n", Mark::NotFound("no"), "milk #not_found #failed\n"),
            ("milk #404\n", Mark::NotFound("no"), "milk #404\n"),
            ("* [ ] milk\n", Mark::Duplicate("tea"), "* [ ] milk #dupe\n"),
        ];
        for (before, how, after) in cases {
            assert_eq!(mark(before, "milk", how), after);
        }
        let twice = mark("oat  milk\n", "oat  milk", Mark::Failed("no"));
        assert_eq!(mark(&twice, "oat  milk", Mark::Completed), "[x] oat  milk\n");
        let gone = marked("tea\n", &ItemId::new("milk"), Mark::Completed).unwrap_err();
        assert!(matches!(gone, ListError::Gone { .. }));
    }

    #[test]
    fn the_second_of_two_is_called_so() {
        let text = mark("milk\nmilk\n", "milk~2", Mark::Duplicate("milk"));
        assert_eq!(text, "milk\nmilk #dupe\n");
        assert_eq!(mark(&text, "milk", Mark::Completed), "[x] milk\nmilk #dupe\n");
    }

    proptest! {
        #[test]
        fn no_other_line_is_touched(
            lines in proptest::collection::vec("\\PC{0,12}|- \\[[ x]\\] [a-z]{1,5}( #failed)?|# [a-z]*", 1..8),
            at in 0..8_usize,
            how in 0..3_u8,
        ) {
            let text = lines.join("\n");
            let found = items(&text);
            prop_assume!(!found.is_empty());
            let id = &found[at % found.len()].id;
            let how = [Mark::Completed, Mark::NotFound("x"), Mark::Failed("x")][how as usize];
            let after = marked(&text, id, how).unwrap();
            let changed = after.split('\n').zip(&lines).filter(|(new, old)| new != old).count();
            prop_assert!(changed <= 1);
            prop_assert_eq!(after.split('\n').count(), lines.len());
            let now = items(&after);
            let item = now.iter().find(|item| item.id == *id);
            prop_assert!(item.is_some(), "{:?} is gone from {:?}", id, after);
        }
    }
}
