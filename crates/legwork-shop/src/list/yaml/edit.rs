//! A mark, written into the text of a YAML list. Only letters are added, except where a value is replaced, and
//! where what an earlier run said of an item that is done now is taken away; and the result is read again: if anything but the item says something else, nothing is written.

mod clear;

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::document::{Document, Entry, Found, Place, Text, column, listed, tags_of};
use crate::item::Tag;
use crate::list::Mark;

/// How much of a reason is kept.
const LONGEST: usize = 500;

/// What is written in the place of what.
type Splice = (Range<usize>, String);

/// The text with a mark on one of its items.
pub(super) fn marked(
    text: &str,
    document: &Document,
    at: usize,
    mark: Mark,
) -> Result<String, String> {
    let fields = fields(&document.entries[at], mark);
    match written(text, document, at, &fields) {
        // What cannot be taken away without changing more stays.
        Err(_) if fields.clears => written(text, document, at, &Fields { clears: false, ..fields }),
        written => written,
    }
}

fn written(text: &str, document: &Document, at: usize, fields: &Fields) -> Result<String, String> {
    let entry = &document.entries[at];
    let mut splices = match &entry.place {
        Place::Word(word) => from_word(text, entry, word, fields),
        Place::Fields { .. } => into_fields(text, entry, fields),
    };
    // What is added where something is taken away comes before it.
    splices.sort_by_key(|(range, _)| (range.start, range.end));
    let mut after = text.to_owned();
    splices.iter().rev().for_each(|(range, new)| after.replace_range(range.clone(), new));
    check(document, at, fields, &after)?;
    Ok(after)
}

/// What a mark says of an item: fields and their new values.
struct Fields {
    status: Option<&'static str>,
    tag: Option<&'static str>,
    explanation: Option<String>,
    /// What an earlier run said of it goes.
    clears: bool,
}

fn fields(entry: &Entry, mark: Mark) -> Fields {
    let Some((tag, why)) = mark.tag() else {
        let clears = clear::is_due(entry);
        return Fields { status: Some("completed"), tag: None, explanation: None, clears };
    };
    let there = match &entry.place {
        Place::Fields { tags, .. } => tags_of(tags).contains(&tag),
        Place::Word(_) => false,
    };
    let word = if tag == Tag::NotFound { "#404" } else { tag.word() };
    let tag = (!there).then_some(word);
    let explanation = Some(one_line(why)).filter(|why| !why.is_empty());
    Fields { status: None, tag, explanation, clears: false }
}

/// A word becomes a mapping with the word as its name.
fn from_word(text: &str, entry: &Entry, word: &Text, fields: &Fields) -> Vec<Splice> {
    let spelt = &text[word.at.clone()];
    let plain = match clear::name_left(&word.says).filter(|_| fields.clears) {
        Some(left) => quoted(&left),
        None if spelt.contains(['\n', '\r']) => quoted(&word.says),
        None => spelt.to_owned(),
    };
    let lines = new_lines(fields, |_| true);
    if entry.in_flow {
        let inside = [vec![format!("name: {plain}")], lines].concat().join(", ");
        return vec![(word.at.clone(), format!("{{{inside}}}"))];
    }
    let end = word.at.start + spelt.trim_end().len();
    let below = below(text, end, column(text, word.at.start), &lines);
    vec![(word.at.start..end, format!("name: {plain}")), below]
}

/// Fields that are there get their value; the others follow the name.
fn into_fields(text: &str, entry: &Entry, fields: &Fields) -> Vec<Splice> {
    let Place::Fields { name, status, tags, explanation, column } = &entry.place else {
        return Vec::new();
    };
    let mut splices = Vec::new();
    if let (Some(status), Some(value)) = (status, fields.status) {
        splices.push(set(text, status, value.to_owned()));
    }
    if let (Some(explanation), Some(value)) = (explanation, &fields.explanation) {
        splices.push(set(text, explanation, quoted(value)));
    }
    if let (Some(tags), Some(tag)) = (tags, fields.tag) {
        splices.push(add(text, tags, &quoted(tag)));
    }
    if fields.clears {
        splices.extend(clear::splices(text, entry.in_flow, tags.as_ref(), explanation.as_ref()));
        let left = clear::name_left(&name.says);
        splices.extend(left.map(|left| (trimmed(text, &name.at), quoted(&left))));
    }
    let lines = new_lines(fields, |key| match key {
        "status" => status.is_none(),
        "tags" => tags.is_none(),
        _ => explanation.is_none(),
    });
    if lines.is_empty() {
        return splices;
    }
    let end = name.at.start + text[name.at.clone()].trim_end().len();
    splices.push(match entry.in_flow {
        true => (end..end, format!(", {}", lines.join(", "))),
        false => below(text, end, *column, &lines),
    });
    splices
}

/// The fields that a mark sets and that are to be written anew.
fn new_lines(fields: &Fields, missing: impl Fn(&str) -> bool) -> Vec<String> {
    let status = fields.status.map(|status| format!("status: {status}"));
    let tag = fields.tag.map(|tag| format!("tags: [{}]", quoted(tag)));
    let why = fields.explanation.as_ref().map(|why| format!("explanation: {}", quoted(why)));
    let all = [("status", status), ("tags", tag), ("explanation", why)];
    all.into_iter().filter(|(key, _)| missing(key)).filter_map(|(_, line)| line).collect()
}

/// Lines below the one that a byte is on; a comment at its end stays where it is.
fn below(text: &str, byte: usize, column: usize, lines: &[String]) -> Splice {
    let end = text[byte..].find('\n').map_or(text.len(), |at| byte + at);
    let (end, newline) =
        if text[..end].ends_with('\r') && end > byte { (end - 1, "\r\n") } else { (end, "\n") };
    let indent = " ".repeat(column);
    let added: Vec<_> = lines.iter().map(|line| format!("{newline}{indent}{line}")).collect();
    (end..end, added.concat())
}

/// A value in the place of another.
fn set(text: &str, found: &Found, value: String) -> Splice {
    match found {
        Found::Nothing(at) => (*at..*at, format!(" {value}")),
        Found::Text(Text { at, .. }) | Found::List { at, .. } => (trimmed(text, at), value),
    }
}

/// A tag beside those that are there.
fn add(text: &str, found: &Found, tag: &str) -> Splice {
    match found {
        Found::Nothing(_) => set(text, found, format!("[{tag}]")),
        Found::Text(word) if word.says.trim().is_empty() => set(text, found, format!("[{tag}]")),
        Found::Text(word) => set(text, found, format!("[{}, {tag}]", quoted(&word.says))),
        Found::List { at, elements, in_flow } => match (elements.last(), in_flow) {
            (None, _) => (trimmed(text, at), format!("[{tag}]")),
            (Some(last), true) => (last.at.end..last.at.end, format!(", {tag}")),
            (Some(last), false) => {
                let end = trimmed(text, &last.at).end;
                below(text, end, column(text, at.start), &[format!("- {tag}")])
            }
        },
    }
}

/// A range without the white space at its end.
fn trimmed(text: &str, range: &Range<usize>) -> Range<usize> {
    range.start..range.start + text[range.clone()].trim_end().len()
}

/// Whether the new text says what it is to say: the item with its mark, and all else as it was.
fn check(before: &Document, at: usize, fields: &Fields, after: &str) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("the mark cannot be added without changing more ({why})"));
    let Ok(read) = Document::read(after) else { return refuse("it could not be read again") };
    if read.comments != before.comments {
        return refuse("a comment would be lost");
    }
    let expected = expected(&before.content, at, fields);
    if expected.as_ref() != Some(&read.content) {
        return refuse("something else would say something else");
    }
    Ok(())
}

/// The content with the mark on an item.
fn expected(content: &Value, at: usize, fields: &Fields) -> Option<Value> {
    let mut content = content.clone();
    let was = listed(&content)?.get(at)?.clone();
    let mut item = match was {
        Value::Object(item) => item,
        word => Map::from_iter([("name".to_owned(), word)]),
    };
    if let Some(status) = fields.status {
        item.insert("status".into(), json!(status));
    }
    if let Some(why) = &fields.explanation {
        item.insert("explanation".into(), json!(why));
    }
    if let Some(tag) = fields.tag {
        let mut tags = match item.remove("tags") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(tags)) => tags,
            Some(Value::String(word)) if word.trim().is_empty() => Vec::new(),
            // A word that reads as a number is a word once it is quoted.
            Some(Value::String(word)) => vec![json!(word)],
            Some(word) => vec![json!(word.to_string())],
        };
        tags.push(json!(tag));
        item.insert("tags".into(), Value::Array(tags));
    }
    if fields.clears {
        clear::content(&mut item);
    }
    let list = if content.is_array() { &mut content } else { content.get_mut("items")? };
    *list.get_mut(at)? = Value::Object(item);
    Some(content)
}

/// Somebody else's text on one line, not too long, with nothing that cannot be printed.
fn one_line(text: &str) -> String {
    let printable = |letter: char| match letter {
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => ' ',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    let shown: String = text.chars().map(printable).collect();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}

/// A double-quoted scalar.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", escaped.replace('\t', "\\t"))
}
