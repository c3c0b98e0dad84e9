//! Key names, chords and characters as the fields of a DevTools key event, on a US keyboard.
//!
//! Pure: nothing here sends anything, and nothing here knows what a page does with a key.

mod layout;
mod names;

use crate::find::Platform;

/// A key as the browser's key events describe it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// What the key means, as in `KeyboardEvent.key`.
    pub key: String,
    /// Which key it is, as in `KeyboardEvent.code`.
    pub code: String,
    /// The Windows virtual key code, which pages read as `keyCode`.
    pub key_code: u16,
    /// What the key types, if it types anything.
    pub text: Option<String>,
    /// Where the key is: 0 for the only one, 1 left, 2 right, 3 on the number pad.
    pub location: u8,
    /// Whether a US keyboard needs Shift for it, so that the event has to say that Shift is held.
    pub shift: bool,
}

/// A key that changes the meaning of others while it is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modifier {
    /// Alt, or Option.
    Alt,
    /// Control.
    Control,
    /// Meta: Command, or the Windows key.
    Meta,
    /// Shift.
    Shift,
}

impl Modifier {
    /// Its bit in the `modifiers` field of an input event.
    pub fn bit(self) -> u8 {
        match self {
            Modifier::Alt => 1,
            Modifier::Control => 2,
            Modifier::Meta => 4,
            Modifier::Shift => 8,
        }
    }

    /// The left one of the two keys that are this modifier.
    pub fn key(self) -> Key {
        let name = match self {
            Modifier::Alt => "alt",
            Modifier::Control => "control",
            Modifier::Meta => "meta",
            Modifier::Shift => "shift",
        };
        layout::named(name).expect("the layout has every modifier")
    }
}

/// A key pressed while modifiers are held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    /// The modifiers to press first and release last, in the order they were named.
    pub held: Vec<Modifier>,
    /// The key to press and release. It has no text where a held modifier makes it a command.
    pub key: Key,
}

impl Chord {
    /// The `modifiers` field of the key's events.
    pub fn modifiers(&self) -> u8 {
        let shift = if self.key.shift { Modifier::Shift.bit() } else { 0 };
        self.held.iter().fold(shift, |bits, modifier| bits | modifier.bit())
    }
}

/// Why a text is no chord.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No key has this name.
    #[error("There is no key named `{name}`.{}", suggestion(.near))]
    Unknown {
        /// The name as it was given.
        name: String,
        /// The names of keys that are spelled much like it, nearest first.
        near: Vec<String>,
    },
    /// A key that is no modifier stands before a `+`.
    #[error(
        "`{name}` cannot be held: only Alt, Control, Meta and Shift can. \
         Press keys one after the other instead."
    )]
    NotAModifier {
        /// The name as it was given.
        name: String,
    },
    /// There is no key at all, or none after the last `+`.
    #[error("The key is missing. Write for example `Enter`, `Control+A` or `Control++`.")]
    Missing,
}

fn suggestion(near: &[String]) -> String {
    if near.is_empty() {
        return " Write a character, or a name such as Enter, ArrowDown or F5.".to_owned();
    }
    format!(" Did you mean {}?", near.join(" or "))
}

/// Reads a key or a chord (`a`, `Enter`, `Control+Shift+T`, `ControlOrMeta+A`, `Control++`) for a
/// browser on the platform this program runs on.
pub fn parse_chord(text: &str) -> Result<Chord, KeyError> {
    let mac = cfg!(target_os = "macos");
    parse_chord_on(text, if mac { Platform::MacOs } else { Platform::Linux })
}

/// Reads a key or a chord for a browser on the given platform, which decides whether
/// `ControlOrMeta` is Control or Meta.
pub fn parse_chord_on(text: &str, platform: Platform) -> Result<Chord, KeyError> {
    let (before, last) = split(text)?;
    let mut held: Vec<Modifier> = Vec::new();
    for name in before {
        let modifier = match names::modifier(name, platform) {
            Some(modifier) => modifier,
            None if lookup(name, platform).is_some() => {
                return Err(KeyError::NotAModifier { name: name.to_owned() });
            }
            None => return Err(unknown(name)),
        };
        if !held.contains(&modifier) {
            held.push(modifier);
        }
    }
    let key = lookup(last, platform).ok_or_else(|| unknown(last))?;
    Ok(Chord { key: under(&held, key), held })
}

/// The key that types a character. None where no key of a US keyboard does: such characters are
/// inserted as text.
pub fn for_char(letter: char) -> Option<Key> {
    match letter {
        '\n' | '\r' => layout::named("enter"),
        '\t' => layout::named("tab"),
        other => layout::printable(other),
    }
}

/// The names before the last `+`, and the key after it. A `+` at the end is itself the key.
fn split(text: &str) -> Result<(Vec<&str>, &str), KeyError> {
    if text == " " {
        return Ok((Vec::new(), " "));
    }
    let text = text.trim();
    let (before, last) = match text.strip_suffix('+') {
        Some("") => return Ok((Vec::new(), "+")),
        Some(before) => match before.trim_end().strip_suffix('+') {
            Some(before) => (Some(before), "+"),
            None => return Err(KeyError::Missing),
        },
        None => text.rsplit_once('+').map_or((None, text), |(a, b)| (Some(a), b.trim())),
    };
    if last.is_empty() {
        return Err(KeyError::Missing);
    }
    let before: Vec<&str> = before.into_iter().flat_map(|b| b.split('+')).map(str::trim).collect();
    if before.contains(&"") {
        return Err(KeyError::Missing);
    }
    Ok((before, last))
}

fn lookup(name: &str, platform: Platform) -> Option<Key> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return for_char(letter);
    }
    if let Some(modifier) = names::modifier(name, platform) {
        return Some(modifier.key());
    }
    layout::named(&names::normal(name))
}

/// What a key becomes under the modifiers that are held: Shift gives its upper variant, and the
/// others make it a command, which types nothing and whose letter is the lower one.
fn under(held: &[Modifier], key: Key) -> Key {
    let shift = held.contains(&Modifier::Shift);
    let command = held.iter().any(|modifier| *modifier != Modifier::Shift);
    let key = match (shift, command) {
        (true, _) => layout::shifted(key),
        (false, true) => layout::lower_letter(key),
        (false, false) => key,
    };
    Key { text: key.text.filter(|_| !command), ..key }
}

fn unknown(name: &str) -> KeyError {
    KeyError::Unknown { name: name.to_owned(), near: names::near(name) }
}

#[cfg(test)]
mod tests;
