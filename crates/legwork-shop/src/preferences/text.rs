//! The file of the choices as text: what it says, where it says it, and the text with one choice more, less
//! or other. The new text is read again: if anything else said something else, it is not taken.

use std::collections::BTreeMap;
use std::ops::Range;

use yaml_edit::{Mapping, MappingEntry, YamlFile, YamlNode};

use super::{Preference, Remembered};

/// A mistake: line and column, and what is wrong.
pub(super) type Mistake = (Option<(usize, usize)>, String);

/// What the file says: per shop, per item.
type Shops = BTreeMap<String, Option<BTreeMap<String, Preference>>>;

/// The file, read.
pub(super) struct Document {
    shops: Shops,
    comments: Vec<String>,
    /// Where each shop stands.
    places: Vec<Place>,
}

/// Where a key and all below it stand.
struct Place {
    key: String,
    /// From the key to the end of its last value.
    at: Range<usize>,
    /// Where the key begins, in bytes from the beginning of its line.
    column: usize,
    /// Its value, if that is neither nothing nor a mapping.
    value: Option<Range<usize>>,
    below: Vec<Place>,
    /// Between `{` and `}`.
    in_flow: bool,
}

impl Document {
    pub(super) fn read(text: &str) -> Result<Document, Mistake> {
        let nothing = text.lines().all(|line| line.trim().is_empty() || line.starts_with('#'));
        let shops: Option<Shops> = match nothing {
            true => None,
            false => serde_saphyr::from_str(text).map_err(unreadable)?,
        };
        let file = YamlFile::parse(text).tree();
        let comments = file.comments().map(|comment| comment.text().to_owned()).collect();
        let top = file.document().and_then(|document| document.as_mapping());
        let places = top.map_or(Vec::new(), |top| places(text, &top));
        let shops = shops.unwrap_or_default();
        let same = places.iter().all(|place| shops.contains_key(&place.key));
        if !same || places.len() != shops.len() {
            return Err((None, "it is written in a way that is not understood".to_owned()));
        }
        Ok(Document { shops, comments, places })
    }

    /// The choices in the order of the file.
    pub(super) fn all(&self) -> Vec<Remembered> {
        let of_shop = |shop: &Place| {
            let items = self.shops.get(&shop.key).and_then(Option::as_ref);
            let one = |item: &Place| {
                let preference = items?.get(&item.key)?.clone();
                Some(Remembered { shop: shop.key.clone(), item: item.key.clone(), preference })
            };
            shop.below.iter().filter_map(one).collect::<Vec<_>>()
        };
        self.places.iter().flat_map(of_shop).collect()
    }

    /// The text with a choice, in the place of the one that was made for the item before.
    pub(super) fn with(
        &self,
        text: &str,
        shop: &str,
        item: &str,
        preference: &Preference,
    ) -> Result<String, String> {
        let place = self.places.iter().find(|place| place.key == shop);
        let there = place.and_then(|shop| shop.below.iter().find(|place| place.key == item));
        let after = match (place, there) {
            (Some(shop), _) if shop.in_flow => return Err(IN_BRACES.to_owned()),
            (_, Some(there)) if there.in_flow => return Err(IN_BRACES.to_owned()),
            (_, Some(there)) => changed(text, there, preference),
            (Some(shop), None) => {
                let column = shop.below.first().map_or(shop.column + 2, |item| item.column);
                below(text, shop.at.end, &block(item, preference, column))
            }
            (None, _) => {
                let mut lines = vec![format!("{}:", spelt(shop))];
                lines.extend(block(item, preference, 2));
                let at = text.trim_end().len();
                let gap = if self.places.is_empty() { Vec::new() } else { vec![String::new()] };
                below(text, at, &[gap, lines].concat())
            }
        };
        let mut expected = self.shops.clone();
        let items = expected.entry(shop.to_owned()).or_default().get_or_insert_default();
        items.insert(item.to_owned(), preference.clone());
        check(&after, &expected, &self.comments)?;
        Ok(after)
    }

    /// The text without a choice, and without its shop if that was the only one. Comments between its lines
    /// go with it.
    pub(super) fn without(&self, text: &str, shop: &str, item: &str) -> Result<String, String> {
        let mut expected = self.shops.clone();
        let place = self.places.iter().find(|place| place.key == shop).ok_or("it is gone")?;
        let there = place.below.iter().find(|place| place.key == item).ok_or("it is gone")?;
        let removed = if place.below.len() == 1 { place } else { there };
        if place.in_flow {
            return Err(IN_BRACES.to_owned());
        }
        match place.below.len() {
            1 => drop(expected.remove(shop)),
            _ => drop(
                expected.get_mut(shop).and_then(Option::as_mut).and_then(|all| all.remove(item)),
            ),
        }
        let lines = whole_lines(text, &removed.at);
        let mut after = text.to_owned();
        after.replace_range(lines.clone(), "");
        let lost = YamlFile::parse(&text[lines]).tree();
        let lost: Vec<String> = lost.comments().map(|comment| comment.text().to_owned()).collect();
        let mut comments = self.comments.clone();
        for comment in lost {
            if let Some(at) = comments.iter().position(|known| *known == comment) {
                comments.remove(at);
            }
        }
        check(&after, &expected, &comments)?;
        Ok(after)
    }
}

const IN_BRACES: &str = "it is written between braces there; edit it by hand";

fn unreadable(error: serde_saphyr::Error) -> Mistake {
    let place = error.location().map(|at| (at.line() as usize, at.column() as usize));
    let why = error.to_string();
    (place, why.lines().next().unwrap_or("it is not YAML").to_owned())
}

fn places(text: &str, map: &Mapping) -> Vec<Place> {
    map.entries().filter_map(|entry| place(text, &entry, map.is_flow_style())).collect()
}

fn place(text: &str, entry: &MappingEntry, in_flow: bool) -> Option<Place> {
    let YamlNode::Scalar(key) = entry.key_node()? else { return None };
    let range = key.byte_range();
    let start = range.start as usize;
    let colon = text[range.end as usize..].find(':').map_or(0, |at| at + 1);
    let mut end = range.end as usize + colon;
    let (mut below, mut value, mut braces) = (Vec::new(), None, in_flow);
    match entry.value_node() {
        Some(YamlNode::Mapping(map)) => {
            below = places(text, &map);
            braces |= map.is_flow_style();
            end = below.last().map_or(end, |last| last.at.end);
            if map.is_flow_style() {
                end = map.byte_range().end as usize;
            }
        }
        Some(YamlNode::Scalar(scalar)) if !scalar.byte_range().is_empty() => {
            let at = scalar.byte_range();
            let at = at.start as usize..at.end as usize;
            let at = at.start..at.start + text[at.clone()].trim_end().len();
            end = end.max(at.end);
            value = (!at.is_empty()).then_some(at);
        }
        _ => {}
    }
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let key = key.as_string();
    Some(Place { key, at: start..end, column: start - line, value, below, in_flow: braces })
}

/// The fields of a choice that say something.
fn fields(preference: &Preference) -> Vec<(&'static str, Option<&str>)> {
    let Preference { product, url, size, brand, price_ceiling } = preference;
    vec![
        ("product", Some(product)),
        ("url", Some(url.as_str())),
        ("size", size.as_deref()),
        ("brand", brand.as_deref()),
        ("price_ceiling", price_ceiling.as_deref()),
    ]
}

/// The lines of a choice.
fn block(item: &str, preference: &Preference, column: usize) -> Vec<String> {
    let indent = " ".repeat(column);
    let mut lines = vec![format!("{indent}{}:", spelt(item))];
    let said = fields(preference).into_iter().filter_map(|(key, value)| Some((key, value?)));
    lines.extend(said.map(|(key, value)| format!("{indent}  {key}: {}", quoted(value))));
    lines
}

/// A choice with other values: each field keeps its line, what is new comes below, what is gone goes.
fn changed(text: &str, there: &Place, preference: &Preference) -> String {
    let mut splices: Vec<(Range<usize>, String)> = Vec::new();
    let mut new = Vec::new();
    let column = there.below.first().map_or(there.column + 2, |field| field.column);
    for (key, value) in fields(preference) {
        let field = there.below.iter().find(|field| field.key == key);
        match (field, value) {
            (Some(Place { value: Some(at), .. }), Some(value)) => {
                splices.push((at.clone(), quoted(value)));
            }
            (Some(field), Some(value)) => {
                splices.push((field.at.end..field.at.end, format!(" {}", quoted(value))));
            }
            (Some(field), None) => splices.push((whole_lines(text, &field.at), String::new())),
            (None, Some(value)) => {
                new.push(format!("{}{key}: {}", " ".repeat(column), quoted(value)));
            }
            (None, None) => {}
        }
    }
    splices.sort_by_key(|(range, _)| range.start);
    // From the end, so that what comes before stays where it is.
    let mut after = below(text, there.at.end, &new);
    splices.iter().rev().for_each(|(range, value)| after.replace_range(range.clone(), value));
    after
}

/// The text with lines below the one that a byte is on.
fn below(text: &str, byte: usize, lines: &[String]) -> String {
    if lines.is_empty() {
        return text.to_owned();
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let end = text[byte..].find('\n').map_or(text.len(), |at| byte + at + 1);
    let (before, rest) = text.split_at(end);
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { newline };
    format!("{before}{gap}{}{newline}{rest}", lines.join(newline))
}

/// From the beginning of the first line to the end of the last.
fn whole_lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
    start..end
}

/// Whether a text says what it is to say, with all comments.
fn check(text: &str, expected: &Shops, comments: &[String]) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("it cannot be changed without changing more ({why})"));
    let Ok(read) = Document::read(text) else { return refuse("it could not be read again") };
    if read.comments != comments {
        return refuse("a comment would be lost");
    }
    let empty = |(_, items): &(&String, &Option<BTreeMap<String, Preference>>)| items.is_some();
    let says = |shops: &Shops| -> Vec<_> {
        shops.iter().filter(empty).map(|(shop, items)| (shop.clone(), items.clone())).collect()
    };
    match says(&read.shops) == says(expected) {
        true => Ok(()),
        false => refuse("something else would say something else"),
    }
}

/// A key as it can stand: without quotes where none are needed.
fn spelt(key: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || " .-_".contains(letter);
    let begins = key.chars().next().is_some_and(char::is_alphabetic);
    let word = !matches!(key.to_lowercase().as_str(), "true" | "false" | "null" | "yes" | "no");
    let word = word && !matches!(key.to_lowercase().as_str(), "on" | "off" | "y" | "n");
    match begins && word && key.chars().all(plain) && !key.ends_with(' ') {
        true => key.to_owned(),
        false => quoted(key),
    }
}

/// A double-quoted scalar, on one line.
fn quoted(text: &str) -> String {
    let shown = |letter: char| match letter {
        '\u{2028}' | '\u{2029}' | '\u{feff}' => ' ',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    let shown: String = text.chars().map(shown).collect();
    format!("\"{}\"", shown.replace('\\', "\\\\").replace('"', "\\\""))
}
