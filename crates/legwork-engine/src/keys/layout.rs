//! The keys of a US keyboard: what each types, and the keys that have a name.

use super::Key;

/// A key that types: its two characters, which key it is, its virtual key code.
type Typing = (char, char, &'static str, u16);

/// The keys that type something other than a letter, with and without Shift.
const TYPING: &[Typing] = &[
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    (';', ':', "Semicolon", 186),
    ('=', '+', "Equal", 187),
    (',', '<', "Comma", 188),
    ('-', '_', "Minus", 189),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('`', '~', "Backquote", 192),
    ('[', '{', "BracketLeft", 219),
    ('\\', '|', "Backslash", 220),
    (']', '}', "BracketRight", 221),
    ('\'', '"', "Quote", 222),
];

/// A key with a name: `key`, `code`, virtual key code, text, location.
type Named = (&'static str, &'static str, u16, &'static str, u8);

const NAMED: &[Named] = &[
    ("Backspace", "Backspace", 8, "", 0),
    ("Tab", "Tab", 9, "", 0),
    ("Enter", "Enter", 13, "\r", 0),
    ("Shift", "ShiftLeft", 16, "", 1),
    ("Shift", "ShiftRight", 16, "", 2),
    ("Control", "ControlLeft", 17, "", 1),
    ("Control", "ControlRight", 17, "", 2),
    ("Alt", "AltLeft", 18, "", 1),
    ("Alt", "AltRight", 18, "", 2),
    ("AltGraph", "AltRight", 18, "", 2),
    ("Meta", "MetaLeft", 91, "", 1),
    ("Meta", "MetaRight", 92, "", 2),
    ("Pause", "Pause", 19, "", 0),
    ("CapsLock", "CapsLock", 20, "", 0),
    ("Escape", "Escape", 27, "", 0),
    (" ", "Space", 32, " ", 0),
    ("PageUp", "PageUp", 33, "", 0),
    ("PageDown", "PageDown", 34, "", 0),
    ("End", "End", 35, "", 0),
    ("Home", "Home", 36, "", 0),
    ("ArrowLeft", "ArrowLeft", 37, "", 0),
    ("ArrowUp", "ArrowUp", 38, "", 0),
    ("ArrowRight", "ArrowRight", 39, "", 0),
    ("ArrowDown", "ArrowDown", 40, "", 0),
    ("PrintScreen", "PrintScreen", 44, "", 0),
    ("Insert", "Insert", 45, "", 0),
    ("Delete", "Delete", 46, "", 0),
    ("Help", "Help", 47, "", 0),
    ("ContextMenu", "ContextMenu", 93, "", 0),
    ("0", "Numpad0", 96, "0", 3),
    ("1", "Numpad1", 97, "1", 3),
    ("2", "Numpad2", 98, "2", 3),
    ("3", "Numpad3", 99, "3", 3),
    ("4", "Numpad4", 100, "4", 3),
    ("5", "Numpad5", 101, "5", 3),
    ("6", "Numpad6", 102, "6", 3),
    ("7", "Numpad7", 103, "7", 3),
    ("8", "Numpad8", 104, "8", 3),
    ("9", "Numpad9", 105, "9", 3),
    ("*", "NumpadMultiply", 106, "*", 3),
    ("+", "NumpadAdd", 107, "+", 3),
    ("-", "NumpadSubtract", 109, "-", 3),
    (".", "NumpadDecimal", 110, ".", 3),
    ("/", "NumpadDivide", 111, "/", 3),
    ("Enter", "NumpadEnter", 13, "\r", 3),
    ("F1", "F1", 112, "", 0),
    ("F2", "F2", 113, "", 0),
    ("F3", "F3", 114, "", 0),
    ("F4", "F4", 115, "", 0),
    ("F5", "F5", 116, "", 0),
    ("F6", "F6", 117, "", 0),
    ("F7", "F7", 118, "", 0),
    ("F8", "F8", 119, "", 0),
    ("F9", "F9", 120, "", 0),
    ("F10", "F10", 121, "", 0),
    ("F11", "F11", 122, "", 0),
    ("F12", "F12", 123, "", 0),
    ("NumLock", "NumLock", 144, "", 0),
    ("ScrollLock", "ScrollLock", 145, "", 0),
    ("BrowserBack", "BrowserBack", 166, "", 0),
    ("BrowserForward", "BrowserForward", 167, "", 0),
    ("AudioVolumeMute", "AudioVolumeMute", 173, "", 0),
    ("AudioVolumeDown", "AudioVolumeDown", 174, "", 0),
    ("AudioVolumeUp", "AudioVolumeUp", 175, "", 0),
    ("MediaTrackNext", "MediaTrackNext", 176, "", 0),
    ("MediaTrackPrevious", "MediaTrackPrevious", 177, "", 0),
    ("MediaStop", "MediaStop", 178, "", 0),
    ("MediaPlayPause", "MediaPlayPause", 179, "", 0),
];

/// The key that types a printable ASCII character.
pub(super) fn printable(letter: char) -> Option<Key> {
    if letter == ' ' {
        return named("space");
    }
    if letter.is_ascii_alphabetic() {
        let upper = letter.to_ascii_uppercase();
        let key_code = u16::try_from(u32::from(upper)).ok()?;
        return Some(typing(letter, format!("Key{upper}"), key_code, letter == upper));
    }
    let &(_, upper, code, key_code) =
        TYPING.iter().find(|(lower, upper, ..)| *lower == letter || *upper == letter)?;
    Some(typing(letter, code.to_owned(), key_code, letter == upper))
}

/// The key with this `code` or `key`, in lower case.
pub(super) fn named(name: &str) -> Option<Key> {
    let by_code = |entry: &&Named| entry.1.eq_ignore_ascii_case(name);
    let by_key = |entry: &&Named| entry.0.eq_ignore_ascii_case(name);
    let named = NAMED.iter().find(by_code).or_else(|| NAMED.iter().find(by_key));
    if let Some(&(key, code, key_code, text, location)) = named {
        let text = Some(text.to_owned()).filter(|text| !text.is_empty());
        let (key, code) = (key.to_owned(), code.to_owned());
        return Some(Key { key, code, key_code, text, location, shift: false });
    }
    typing_by_code(name)
}

/// What the key means while Shift is held.
pub(super) fn shifted(key: Key) -> Key {
    if let Some(letter) = key.code.strip_prefix("Key") {
        let letter = letter.to_owned();
        return Key { key: letter.clone(), text: Some(letter), shift: true, ..key };
    }
    match TYPING.iter().find(|(_, _, code, _)| *code == key.code) {
        Some(&(_, upper, code, key_code)) => typing(upper, code.to_owned(), key_code, true),
        None => key,
    }
}

/// A letter without Shift: `Control+A` is what somebody means who holds Control and presses `a`.
pub(super) fn lower_letter(key: Key) -> Key {
    if !key.code.starts_with("Key") {
        return key;
    }
    let lower = key.key.to_ascii_lowercase();
    Key { key: lower.clone(), text: Some(lower), shift: false, ..key }
}

/// Every name that a key goes by in this layout.
pub(super) fn every_name() -> impl Iterator<Item = &'static str> {
    let named = NAMED.iter().flat_map(|(key, code, ..)| [*key, *code]);
    named.chain(TYPING.iter().map(|(_, _, code, _)| *code))
}

fn typing_by_code(name: &str) -> Option<Key> {
    if let Some(&(lower, _, code, key_code)) =
        TYPING.iter().find(|(_, _, code, _)| code.eq_ignore_ascii_case(name))
    {
        return Some(typing(lower, code.to_owned(), key_code, false));
    }
    let mut letters = name.strip_prefix("key")?.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => printable(letter),
        _ => None,
    }
}

fn typing(letter: char, code: String, key_code: u16, shift: bool) -> Key {
    let text = Some(letter.to_string());
    Key { key: letter.to_string(), code, key_code, text, location: 0, shift }
}
