//! Text of others within our Markdown.

use url::Url;

use crate::visible::is_unseen;

/// How much of one text is shown.
const LONGEST: usize = 300;

/// The text on one line, in which nothing is Markdown: no line, heading, link, picture or HTML, and nothing
/// that changes the direction of what is read.
pub(super) fn text(text: &str) -> String {
    let shown: String = text.chars().map(visible).collect();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(end, _)| end);
    let mut out = String::with_capacity(line.len() + 8);
    for (at, letter) in line[..end].char_indices() {
        let behind = &line[at + letter.len_utf8()..end];
        if is_markup(letter, &out, behind) {
            out.push('\\');
        }
        out.push(letter);
    }
    if end < line.len() {
        out.push('…');
    }
    out
}

/// An address that is to be read and not to be followed, as code: nothing in it is Markdown.
pub(super) fn code(address: &str) -> String {
    let shown: String = address.chars().map(visible).collect();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "%60");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}

/// Controls, invisible letters and those that turn the direction of writing become spaces.
fn visible(letter: char) -> char {
    if is_unseen(letter) || letter.is_control() { ' ' } else { letter }
}

/// JSON in which no control stands as such: a terminal may show it. Inside its texts an escape means the same,
/// and outside of them there is none.
pub(super) fn json(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '\n' => letter.to_string(),
        control if control.is_control() => format!("\\u{:04x}", u32::from(control)),
        letter => letter.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Whether a letter could begin or end something, after what is written already and before what is behind it. A
/// backslash is also read where nothing renders Markdown, so what is harmless is left as people read it: `1.5 L`,
/// `M&Ms`, `Dairy > Milk`, brackets without square ones before them, and `|`, since a table needs a second line.
fn is_markup(letter: char, before: &str, behind: &str) -> bool {
    let ends = behind.is_empty() || behind.starts_with(' ');
    let next = behind.chars().next();
    match letter {
        '\\' | '`' | '*' | '{' | '}' | '[' | ']' | '<' | '~' => true,
        '>' | '-' | '+' | '=' | '#' => before.is_empty(),
        // Within a word, as in `sign_in`, it emphasises nothing.
        '_' => {
            !(before.ends_with(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric))
        }
        // Somebody's name or mail address, and not `3 @ $2`.
        '@' => next.is_some_and(char::is_alphanumeric),
        '&' => is_entity(behind),
        // `https://` begins a link, and so does `www.`; `1. ` and `1) ` at the beginning a list.
        ':' => next == Some('/'),
        '.' => is_www(before) || ends && is_number(before),
        ')' => ends && is_number(before),
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
}

fn is_www(text: &str) -> bool {
    let start = text.len().checked_sub(3).and_then(|start| text.get(start..));
    start.is_some_and(|word| word.eq_ignore_ascii_case("www"))
}

/// Whether this, behind a `&`, makes another letter of it: `amp;`, `#91;`.
fn is_entity(behind: &str) -> bool {
    let name =
        behind.trim_start_matches(|letter: char| letter == '#' || letter.is_ascii_alphanumeric());
    name.len() < behind.len() && name.starts_with(';')
}

/// An address that stays within the angle brackets it is put in.
pub(super) fn url(url: &Url) -> String {
    let encoded = |letter: char| match letter {
        '<' => "%3C".into(),
        '>' => "%3E".into(),
        '\\' => "%5C".into(),
        letter => letter.to_string(),
    };
    url.as_str().chars().map(encoded).collect()
}
