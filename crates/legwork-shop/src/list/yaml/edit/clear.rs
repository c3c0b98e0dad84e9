//! What an earlier run said of an item that is done now: its tags and the explanation go, where they stand as
//! runs write them.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Splice, trimmed};
use crate::item::Tag;
use crate::list::yaml::document::{Entry, Found, Place, Text, tag_of, tags_of};

/// Whether a tag says that an item was not bought.
fn is_outdated(tag: Tag) -> bool {
    matches!(tag, Tag::NotFound | Tag::OutOfStock | Tag::Failed)
}

fn says_so(word: &str) -> bool {
    tag_of(word).is_some_and(is_outdated)
}

/// Whether there is something to take away. An explanation without such a tag is somebody else's.
pub(super) fn is_due(entry: &Entry) -> bool {
    match &entry.place {
        Place::Fields { name, tags, .. } => {
            name_left(&name.says).is_some() || tags_of(tags).into_iter().any(is_outdated)
        }
        Place::Word(word) => name_left(&word.says).is_some(),
    }
}

/// A name without the tags that somebody wrote into it; `None` if it has none of these.
pub(super) fn name_left(name: &str) -> Option<String> {
    let says_so = |piece: &&str| Tag::read(piece).is_some_and(is_outdated);
    let pieces = || name.trim().split_inclusive(char::is_whitespace);
    pieces().find(says_so)?;
    let left: String = pieces().filter(|piece| !says_so(piece)).collect();
    Some(left.trim().to_owned())
}

/// The fields of an item without it.
pub(super) fn content(item: &mut Map<String, Value>) {
    item.remove("explanation");
    if let Some(left) = item.get("name").and_then(Value::as_str).and_then(name_left) {
        item.insert("name".into(), Value::String(left));
    }
    let outdated = |tag: &Value| tag.as_str().is_some_and(says_so);
    let left = match item.get_mut("tags") {
        Some(Value::Array(tags)) => {
            tags.retain(|tag| !outdated(tag));
            !tags.is_empty()
        }
        Some(word) => !outdated(word),
        None => true,
    };
    if !left {
        item.remove("tags");
    }
}

/// How the text loses it.
pub(super) fn splices(
    text: &str,
    in_flow: bool,
    tags: Option<&Found>,
    explanation: Option<&Found>,
) -> Vec<Splice> {
    let field = |found: &Found, key| field(text, in_flow, found, key);
    let mut splices: Vec<Splice> =
        explanation.and_then(|found| field(found, "explanation")).into_iter().collect();
    match tags {
        Some(Found::List { at, elements, in_flow: brackets }) => {
            let is_left = |element: &&Text| !says_so(&element.says);
            let left: Vec<&Text> = elements.iter().filter(is_left).collect();
            let spelt = |element: &Text| text[element.at.clone()].trim_end();
            if left.is_empty() {
                splices.extend(tags.and_then(|found| field(found, "tags")));
            } else if *brackets {
                let inside: Vec<_> = left.into_iter().map(spelt).collect();
                splices.push((trimmed(text, at), format!("[{}]", inside.join(", "))));
            } else {
                let gone = elements.iter().filter(|element| !is_left(element));
                splices.extend(gone.filter_map(|element| line(text, "- ", &element.at)));
            }
        }
        Some(found) => splices.extend(field(found, "tags")),
        None => {}
    }
    splices
}

/// A field with its key.
fn field(text: &str, in_flow: bool, found: &Found, key: &str) -> Option<Splice> {
    let (Found::Text(Text { at, .. }) | Found::List { at, .. }) = found else { return None };
    let value = trimmed(text, at);
    let start = text[..value.start].rfind(key)?;
    if !in_flow {
        return line(text, "", &(start..value.end));
    }
    let comma = text[..start].trim_end().strip_suffix(',')?.len();
    Some((comma..value.end, String::new()))
}

/// Something with the line it stands on, if nothing else does but what introduces it.
fn line(text: &str, introduced: &str, at: &Range<usize>) -> Option<Splice> {
    let at = trimmed(text, at);
    let before = text[..at.start].strip_suffix(introduced)?.trim_end_matches(' ');
    let before = before.strip_suffix('\n')?;
    let before = before.strip_suffix('\r').unwrap_or(before);
    let after = text[at.end..].trim_start_matches([' ', '\t']);
    let ends = after.is_empty() || after.starts_with(['\n', '\r']);
    ends.then(|| (before.len()..text.len() - after.len(), String::new()))
}
