//! Patterns of what people say: without its lead, `A instead of B`, `the field should be X`.

use crate::interpret::english::English;

/// In lower case, without what only leads in or closes.
pub(super) fn bare(text: &str) -> String {
    let lower = text.trim().trim_end_matches(['.', '!', ',']).to_lowercase();
    let mut rest = lower.as_str();
    let leads = English::get().list("leads");
    let behind = |text, lead: &String| str::strip_prefix(text, lead.as_str())?.strip_prefix(' ');
    while let Some(next) = leads.iter().find_map(|lead| behind(rest, lead)) {
        rest = next.trim_start();
    }
    rest.trim_end_matches(" please").trim().to_owned()
}

/// What follows one of the words of a list that a text begins with.
pub(super) fn behind<'t>(text: &'t str, list: &str) -> Option<&'t str> {
    let words = English::get().list(list).iter();
    { words }.find_map(|word| text.strip_prefix(word.as_str())?.strip_prefix(' '))
}

/// Whether a text in lower case says a word of its own.
pub(super) fn says(text: &str, word: &str) -> bool {
    swapped(text, word, "").is_some()
}

/// Where a text in lower case says one of the words of a list first, and how long that is with its blanks.
fn joint(lower: &str, list: &str) -> Option<(usize, usize)> {
    let words = English::get().list(list).iter();
    { words }.find_map(|word| {
        // A comma stands at the word before it.
        let blank = if word.starts_with(',') { "" } else { " " };
        let joint = format!("{blank}{word} ");
        Some((lower.find(&joint)?, joint.len()))
    })
}

/// An order that is about another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order<'t> {
    /// `type Oslo into City instead`.
    Rather(&'t str),
    /// `do not click Save`.
    Not(&'t str),
}

/// The order in what was said, as it was written.
pub(super) fn ordered(text: &str) -> Option<Order<'_>> {
    let said = bare(text);
    // Letters that change their length in lower case are not cut at all.
    let written = |part: &str| {
        let at = text.to_lowercase().find(part)?;
        text.get(at..at + part.len())
    };
    let rather = English::get().list("rather").iter();
    let before = |word: &String| said.strip_suffix(word.as_str())?.strip_suffix(' ');
    if let Some(order) = { rather }.find_map(before) {
        return written(order).map(Order::Rather);
    }
    written(behind(&said, "refusals")?).map(Order::Not)
}

/// `use A instead of B`, `A, not B`, `not B but A`: A and B.
pub(super) fn instead(text: &str) -> Option<(String, String)> {
    let text = text.trim().trim_end_matches(['.', '!']);
    let lower = text.to_lowercase();
    // Cut where the lower-case text says; letters that change their length there are not cut at all.
    let cut = |(at, length): (usize, usize)| {
        Some((text.get(..at)?.to_owned(), text.get(at + length..)?.to_owned()))
    };
    let rejects = behind(&bare(text), "rejected").is_some();
    let rectified = joint(&lower, "rectified").filter(|_| rejects).and_then(cut);
    let (new, old) = match rectified {
        Some((old, new)) => (new, old),
        None => joint(&lower, "instead").and_then(cut)?,
    };
    let clean = |part: &str| {
        let mut part = part.trim();
        loop {
            let lower = part.to_lowercase();
            let led = ["leads", "before_names"].iter().find_map(|list| behind(&lower, list));
            let Some(rest) = led else { break };
            part = part.get(lower.len() - rest.len()..).unwrap_or_default().trim_start();
        }
        let part = part.trim_end_matches(" one");
        part.trim_matches(['"', '\'', '“', '”']).to_owned()
    };
    let (new, old) = (clean(&new), clean(&old));
    (!new.is_empty() && !old.is_empty()).then_some((new, old))
}

/// The text with whole words replaced, whatever their case; nothing if they are not in it.
pub(super) fn swapped(text: &str, old: &str, new: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return text.contains(old).then(|| text.replace(old, new));
    }
    let old = old.to_lowercase();
    let edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    let at = lower.match_indices(&old).map(|(at, _)| at).find(|at| {
        edge(lower[..*at].chars().next_back()) && edge(lower[at + old.len()..].chars().next())
    })?;
    Some(format!("{}{new}{}", &text[..at], &text[at + old.len()..]))
}

/// `the quantity should be 3`, `change Email to x`, `set Size to L`: field and value.
pub(super) fn assigned(text: &str) -> Option<(String, String)> {
    let text = text.trim().trim_end_matches(['.', '!']);
    let lower = text.to_lowercase();
    let cut = |from: usize, list: &str| {
        let (at, length) = joint(lower.get(from..)?, list)?;
        let at = from + at;
        Some((text.get(from..at)?.to_owned(), text.get(at + length..)?.to_owned()))
    };
    let led = behind(&lower, "changes").map(|rest| lower.len() - rest.len());
    let (field, value) = match led {
        Some(from) => cut(from, "becomes")?,
        None => cut(0, "obliges")?,
    };
    let plain = |part: &str| part.trim().trim_matches(['"', '\'', '“', '”']).to_owned();
    let field = plain(&field);
    let field =
        field.strip_prefix("the ").or(field.strip_prefix("The ")).unwrap_or(&field).to_owned();
    Some((field, plain(&value))).filter(|(field, value)| !field.is_empty() && !value.is_empty())
}
