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
    let mut out = String::with_capacity(line.len() + 8);
    let mut letters = line.chars().take(LONGEST).peekable();
    while let Some(letter) = letters.next() {
        if is_markup(letter, &out, letters.peek().copied()) {
            out.push('\\');
        }
        out.push(letter);
    }
    if line.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
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

/// Whether a letter could begin or end something, after what is written already and before what follows. Brackets
/// without square ones before them, quotation marks and most colons are left as people read them.
fn is_markup(letter: char, before: &str, next: Option<char>) -> bool {
    match letter {
        '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '|' | '~' | '@' => true,
        '-' | '+' | '=' | '#' => before.is_empty(),
        // `&amp;` and `&#91;` are other letters.
        '&' => next.is_some_and(|next| next == '#' || next.is_ascii_alphabetic()),
        // `https://` begins a link, and so does `www.`; `1.` and `1)` at the beginning a list.
        ':' => next == Some('/'),
        '.' | ')' if is_number(before) => true,
        '.' => before.ends_with(['w', 'W']),
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_digit())
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
