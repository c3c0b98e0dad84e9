//! What a text stands for: escapes of URLs, HTML and JSON undone, however they are nested, and for every
//! byte of it where in the text it was read.

use std::ops::Range;

use base64::Engine as _;
use zeroize::{Zeroize, Zeroizing};

/// A text as it is read, with the places it was read from.
#[derive(Default)]
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    places: Vec<(u32, u32)>,
    /// The text's own ellipses: what stands before one was cut off.
    cuts: Vec<usize>,
}

/// Escapes inside escapes inside escapes are followed this far.
const DEPTH: usize = 4;

/// The longest escape that is known, in bytes.
const LONGEST_ESCAPE: usize = 14;

impl View {
    /// The text as words: without escapes, in small letters, spaces and signs for them made one. And as
    /// letters of base64.
    pub(super) fn of(text: &str) -> (View, View) {
        let mut view = View::plain(text);
        for _ in 0..DEPTH {
            match view.decoded() {
                Some(next) => view = next,
                None => break,
            }
        }
        (view.even(), view.letters())
    }

    fn plain(text: &str) -> View {
        let mut view = View::default();
        for (at, letter) in text.char_indices() {
            let place = (at as u32, (at + letter.len_utf8()) as u32);
            view.push(letter, place);
        }
        view
    }

    fn push(&mut self, letter: char, place: (u32, u32)) {
        let mut buffer = [0; 4];
        for byte in letter.encode_utf8(&mut buffer).bytes() {
            self.byte(byte, place);
        }
    }

    fn byte(&mut self, byte: u8, place: (u32, u32)) {
        self.bytes.push(byte);
        self.places.push(place);
    }

    /// One layer of escapes undone; `None` if there is none.
    fn decoded(&self) -> Option<View> {
        memchr::memchr3(b'%', b'&', b'\\', &self.bytes)?;
        let mut view = View::default();
        let mut at = 0;
        let mut any = false;
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            match escape(rest) {
                Some((meant, length)) => {
                    any = true;
                    let place = (self.places[at].0, self.places[at + length - 1].1);
                    match meant {
                        Meant::Byte(byte) => view.byte(byte, place),
                        Meant::Letter(letter) => view.push(letter, place),
                        Meant::Nothing => {}
                    }
                    at += length;
                }
                None => {
                    view.byte(self.bytes[at], self.places[at]);
                    at += 1;
                }
            }
        }
        any.then_some(view)
    }

    /// Small letters, one `+` for any space, nothing that cannot be printed.
    fn even(&self) -> View {
        let mut view = View::default();
        let mut at = 0;
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            let (kind, length) = kind_of(rest);
            let place = (self.places[at].0, self.places[at + length - 1].1);
            match kind {
                Letter::Unseen => {}
                Letter::Space if view.bytes.last() == Some(&b'+') => {
                    if let Some(last) = view.places.last_mut() {
                        last.1 = place.1;
                    }
                }
                Letter::Space => view.byte(b'+', place),
                Letter::Cut => {
                    view.cuts.push(view.bytes.len());
                    rest[..length].iter().for_each(|byte| view.byte(*byte, place));
                }
                Letter::Other => view.byte(rest[0].to_ascii_lowercase(), place),
            }
            at += length;
        }
        view
    }

    /// The letters of base64 in either alphabet as those of the usual one.
    fn letters(&self) -> View {
        let letter = |byte: &u8| match byte {
            b'-' | b' ' => b'+',
            b'_' => b'/',
            other => *other,
        };
        let bytes = self.bytes.iter().map(letter).collect();
        let cuts = memchr::memmem::find_iter(&self.bytes, "…".as_bytes()).collect();
        View { bytes, places: self.places.clone(), cuts }
    }

    /// The part of the text that was read as these bytes.
    pub(super) fn span(&self, read: Range<usize>) -> Range<usize> {
        self.places[read.start].0 as usize..self.places[read.end - 1].1 as usize
    }

    /// The same with neighbours that hold some bits of it.
    pub(super) fn span_of_letters(
        &self,
        read: Range<usize>,
        before: usize,
        behind: usize,
    ) -> Range<usize> {
        let is_letter = |at: usize| {
            let byte = self.bytes.get(at);
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte))
        };
        let (mut start, mut end) = (read.start, read.end);
        if before > 0 && start > 0 && is_letter(start - 1) {
            start -= 1;
        }
        if behind > 0 && is_letter(end) {
            end += 1;
        }
        self.span(start..end)
    }

    /// Where the beginning of a value stands before an ellipsis that cut it off, in an escape perhaps.
    pub(super) fn cut_off(&self, value: &[u8]) -> Vec<Range<usize>> {
        let least = (value.len() / 2).clamp(super::SHORTEST, 8);
        let before = |end: usize| {
            let longest = value.len().min(end);
            let fits = |length: &usize| self.bytes[..end].ends_with(&value[..*length]);
            (least..longest).rev().find(fits).map(|length| end - length)
        };
        // What is left of an escape that was cut itself stands in between.
        let cut = |end: &usize| {
            let ends = (end.saturating_sub(LONGEST_ESCAPE)..=*end).rev();
            Some(self.span(ends.filter_map(before).next()?..*end))
        };
        self.cuts.iter().filter_map(cut).collect()
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

enum Letter {
    Space,
    Unseen,
    Cut,
    Other,
}

/// What the next letter is to a reader, and how many bytes it has, as far as that matters.
fn kind_of(rest: &[u8]) -> (Letter, usize) {
    match rest {
        [b' ' | b'+' | b'\t' | b'\n' | b'\r', ..] => (Letter::Space, 1),
        [0..=0x1f | 0x7f, ..] => (Letter::Unseen, 1),
        [0xc2, 0xa0, ..] => (Letter::Space, 2),
        [0xc2, 0x80..=0x9f, ..] => (Letter::Unseen, 2),
        [0xe2, 0x80, 0xa6, ..] => (Letter::Cut, 3),
        [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] => (Letter::Space, 3),
        [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..] => (Letter::Unseen, 3),
        [0xe2, 0x81, 0xa6..=0xa9, ..] => (Letter::Unseen, 3),
        _ => (Letter::Other, 1),
    }
}

enum Meant {
    Byte(u8),
    Letter(char),
    Nothing,
}

/// The escape at the beginning, and its length.
fn escape(rest: &[u8]) -> Option<(Meant, usize)> {
    match rest {
        [b'%', b'u' | b'U', digits @ ..] => {
            let code = number(digits.get(..4)?, 16)?;
            Some((Meant::Letter(char::from_u32(code)?), 6))
        }
        [b'%', digits @ ..] => {
            let code = number(digits.get(..2)?, 16)?;
            Some((Meant::Byte(u8::try_from(code).ok()?), 3))
        }
        [b'&', entity @ ..] => {
            let end = entity.iter().take(12).position(|byte| *byte == b';')?;
            Some((Meant::Letter(entity_letter(&entity[..end])?), end + 2))
        }
        [b'\\', escaped @ ..] => Some(backslash(escaped)),
        _ => None,
    }
}

/// What a backslash and what follows mean in JSON, JavaScript and Rust; the letter itself where nothing.
fn backslash(escaped: &[u8]) -> (Meant, usize) {
    let short = match escaped {
        [b'n', ..] => Some('\n'),
        [b'r', ..] => Some('\r'),
        [b't', ..] => Some('\t'),
        [b'b' | b'f' | b'v' | b'0', ..] => Some('\0'),
        _ => None,
    };
    if let Some(letter) = short {
        return (Meant::Letter(letter), 2);
    }
    let long = match escaped {
        [b'u', b'{', rest @ ..] => rest
            .iter()
            .take(7)
            .position(|byte| *byte == b'}')
            .and_then(|end| Some((char::from_u32(number(&rest[..end], 16)?)?, end + 4))),
        [b'u', rest @ ..] => utf16(rest),
        [b'x', rest @ ..] => rest
            .get(..2)
            .and_then(|digits| number(digits, 16))
            .and_then(|code| Some((char::from_u32(code)?, 4))),
        _ => None,
    };
    match long {
        Some((letter, length)) => (Meant::Letter(letter), length),
        // The letter behind is read by itself, and is no escape: it comes next, unless it is one more
        // backslash.
        None if escaped.first() == Some(&b'\\') => (Meant::Byte(b'\\'), 2),
        None => (Meant::Nothing, 1),
    }
}

/// Four digits, or two times four for a letter of the higher planes.
fn utf16(rest: &[u8]) -> Option<(char, usize)> {
    let high = number(rest.get(..4)?, 16)?;
    if let Some(letter) = char::from_u32(high) {
        return Some((letter, 6));
    }
    let low = match rest.get(4..10)? {
        [b'\\', b'u', digits @ ..] => number(digits, 16)?,
        _ => return None,
    };
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let letter = char::decode_utf16(units).next()?.ok()?;
    Some((letter, 12))
}

fn number(digits: &[u8], base: u32) -> Option<u32> {
    if digits.is_empty() || digits[0] == b'+' {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok()
}

fn entity_letter(entity: &[u8]) -> Option<char> {
    let code = match entity {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16)?,
        [b'#', digits @ ..] => number(digits, 10)?,
        named => return named_letter(std::str::from_utf8(named).ok()?),
    };
    char::from_u32(code)
}

/// Names of ASCII signs, and those of Latin-1 from the no-break space on.
const SIGNS: &str = "amp& lt< gt> quot\" apos' excl! num# dollar$ percnt% lpar( rpar) ast* plus+ comma, period. \
    sol/ colon: semi; equals= quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ grave` lcub{ lbrace{ \
    verbar| vert| rcub} rbrace} hyphen- AMP& LT< GT> QUOT\"";
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn \
    sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde \
    Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde \
    Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil \
    egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave \
    uacute ucirc uuml yacute thorn yuml";

fn named_letter(name: &str) -> Option<char> {
    let sign = SIGNS.split_ascii_whitespace().find_map(|one| {
        let rest = one.strip_prefix(name)?;
        (rest.len() == 1).then(|| rest.chars().next()).flatten()
    });
    let latin = || LATIN.split_ascii_whitespace().position(|one| one == name);
    sign.or_else(|| char::from_u32(0xa0 + u32::try_from(latin()?).ok()?))
}

/// A value as it is looked for.
pub(super) fn folded(value: &[u8]) -> Vec<u8> {
    let mut view = View::default();
    value.iter().for_each(|byte| view.byte(*byte, (0, 0)));
    for _ in 0..DEPTH {
        match view.decoded() {
            Some(next) => view = next,
            None => break,
        }
    }
    std::mem::take(&mut view.even().bytes)
}

/// A value in a one-byte encoding, where that is something else.
pub(super) fn latin(value: &str) -> Option<Vec<u8>> {
    if value.is_ascii() {
        return None;
    }
    value.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect()
}

pub(super) fn hex(value: &[u8]) -> Vec<u8> {
    value.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}

/// What base64 surely contains where the value stands in what was encoded, for each way it can be
/// aligned; and whether the letters around hold some bits of it.
pub(super) fn base64_parts(value: &[u8]) -> Vec<(Zeroizing<Vec<u8>>, usize, usize)> {
    let part = |shift: usize| {
        let mut bytes = Zeroizing::new(vec![0; shift]);
        bytes.extend_from_slice(value);
        let mut letters = base64::engine::general_purpose::STANDARD_NO_PAD.encode(&bytes[..]);
        let bits = (shift * 8, (shift + value.len()) * 8);
        let (first, last) = (bits.0.div_ceil(6), bits.1 / 6);
        let kept = Zeroizing::new(letters.as_bytes()[first..last].to_vec());
        letters.zeroize();
        (kept, bits.0 % 6, bits.1 % 6)
    };
    (0..3).map(part).filter(|(letters, ..)| letters.len() >= super::SHORTEST).collect()
}
