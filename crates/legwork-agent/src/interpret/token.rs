//! The pieces of an instruction: words, quoted texts and marks, each with its place in what was said.

use std::ops::Range;

use super::english::English;

/// A piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its text: of a quoted one, what is between the quotes.
    pub text: String,
    /// The same in small letters.
    pub lower: String,
    /// Where it stands, quotes included.
    pub span: Range<usize>,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word as it stands.
    Word,
    /// Something in quotes, meant to the letter.
    Quoted,
    /// Something in backticks: a selector, meant to the letter.
    Code,
    /// A comma, full stop and so on; a new line is `\n`.
    Mark,
}

impl Token {
    /// Whether it is this word, not quoted, in any case.
    pub fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.lower == word
    }

    /// Whether it is this mark.
    pub fn mark(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }

    /// Whether it is meant to the letter.
    pub fn literal(&self) -> bool {
        matches!(self.kind, Kind::Quoted | Kind::Code)
    }

    /// Whether it begins with a capital letter.
    pub fn capital(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }
}

/// Opening quotes and what closes them.
const QUOTES: &[(char, &[char])] = &[
    ('"', &['"']),
    // Nothing else closes it: a name with other quotes in it is put into these.
    ('“', &['”']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('»', &['«']),
    ('‘', &['’']),
    ('\'', &['\'']),
    ('`', &['`']),
];

/// Marks that end a word and do not belong to it.
const ENDING: &[char] = &[',', '.', ';', '!', '?', ':'];

/// Takes an instruction apart.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if !out.is_empty() {
            out.push(token(Kind::Mark, "\n", offset..offset));
        }
        let skipped = line.len() - bullet(line).len();
        words(text, offset + skipped..offset + line.len(), &mut out);
        offset += line.len();
    }
    out
}

/// The line without the number or dot of a list.
fn bullet(line: &str) -> &str {
    let bare = line.trim_start();
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < bare.len() && bare.len() - digits.len() < 3;
    if numbered && let Some(rest) = digits.strip_prefix(['.', ')']).filter(|rest| spaced(rest)) {
        return rest;
    }
    let dotted = bare.strip_prefix(['-', '*', '•', '–', '—', '·']).filter(|rest| spaced(rest));
    dotted.unwrap_or(bare)
}

fn spaced(rest: &str) -> bool {
    rest.starts_with(char::is_whitespace)
}

fn words(text: &str, range: Range<usize>, out: &mut Vec<Token>) {
    let mut at = range.start;
    while let Some(letter) = text[at..range.end].chars().next() {
        if letter.is_whitespace() {
            at += letter.len_utf8();
        } else if let Some(end) = quoted(text, at, range.end) {
            let close = text[..end].chars().next_back().map_or(1, char::len_utf8);
            let kind = if letter == '`' { Kind::Code } else { Kind::Quoted };
            let inner = &text[at + letter.len_utf8()..end - close];
            out.push(token(kind, inner, at..end));
            at = end;
        } else {
            at = word(text, at, range.end, out);
        }
    }
}

/// Where the quote that opens here ends, if one does. A single quote opens only before a letter and
/// closes only behind one, so that apostrophes are left alone.
fn quoted(text: &str, at: usize, end: usize) -> Option<usize> {
    let open = text[at..end].chars().next()?;
    let (_, closing) = QUOTES.iter().find(|(quote, _)| *quote == open)?;
    let inside = at + open.len_utf8();
    let found = text[inside..end].char_indices().find(|(place, letter)| {
        let after = text[inside + place + letter.len_utf8()..end].chars().next();
        let ends = after.is_none_or(|after| !after.is_alphanumeric());
        closing.contains(letter) && (ends || !matches!(letter, '\'' | '’'))
    });
    found.map(|(place, letter)| inside + place + letter.len_utf8())
}

/// A word up to the next space or quote, and the marks it ends with.
fn word(text: &str, at: usize, end: usize, out: &mut Vec<Token>) -> usize {
    let rest = &text[at..end];
    let stop = rest.char_indices().find(|(place, letter)| {
        letter.is_whitespace() || (*place > 0 && matches!(letter, '"' | '“' | '„' | '«'))
    });
    let stop = at + stop.map_or(rest.len(), |(place, _)| place);
    let whole = &text[at..stop];
    let mut bare = whole.trim_end_matches(ENDING);
    if whole[bare.len()..].starts_with('.') && English::get().abbreviation(bare) {
        bare = &whole[..bare.len() + 1];
    }
    if !bare.is_empty() {
        out.push(token(Kind::Word, bare, at..at + bare.len()));
    }
    let mut place = at + bare.len();
    for letter in whole[bare.len()..].chars() {
        out.push(token(Kind::Mark, &letter.to_string(), place..place + letter.len_utf8()));
        place += letter.len_utf8();
    }
    stop
}

fn token(kind: Kind, text: &str, span: Range<usize>) -> Token {
    Token { kind, text: text.to_owned(), lower: text.to_lowercase(), span }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_lists_and_marks_are_told_apart() {
        for (text, expected) in [
            ("click “Log in”, then", "click|[Log in]|,|then"),
            ("type 'it's so' into X.", "type|[it's so]|into|X|."),
            ("open Kevyn's mail", "open|Kevyn's|mail"),
            (
                "1. Go to localhost:3000.\n2) Click `#save`",
                "Go|to|localhost:3000|.|\\n|Click|[#save]",
            ),
            ("- type a@b.c\n* see Dr. No", "type|a@b.c|\\n|see|Dr.|No"),
            ("link \"quisque.\".", "link|[quisque.]|."),
            ("say \"", "say|\""),
            ("click “a\" b”.", "click|[a\" b]|."),
            ("type \"\" into «Name»", "type|[]|into|[Name]"),
        ] {
            let told = tokens(text).into_iter().map(|token| match token.kind {
                Kind::Quoted | Kind::Code => format!("[{}]", token.text),
                _ => token.text.replace('\n', "\\n"),
            });
            assert_eq!(told.collect::<Vec<_>>().join("|"), expected, "{text}");
        }
    }
}
