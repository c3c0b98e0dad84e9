//! The many names people and models give to the same key.

use super::{Modifier, layout};
use crate::find::Platform;
use strsim::osa_distance;

/// Other spellings, in the form that [`normal`] gives them, and the name the layout knows.
const ALIASES: &[(&str, &str)] = &[
    ("esc", "escape"),
    ("return", "enter"),
    ("del", "delete"),
    ("ins", "insert"),
    ("spacebar", "space"),
    ("up", "arrowup"),
    ("down", "arrowdown"),
    ("left", "arrowleft"),
    ("right", "arrowright"),
    ("pgup", "pageup"),
    ("pgdn", "pagedown"),
    ("pgdown", "pagedown"),
    ("prior", "pageup"),
    ("next", "pagedown"),
    ("caps", "capslock"),
    ("print", "printscreen"),
    ("break", "pause"),
    ("menu", "contextmenu"),
    ("apps", "contextmenu"),
    ("altgr", "altgraph"),
    ("kpenter", "numpadenter"),
    ("plus", "numpadadd"),
    ("dot", "period"),
    ("hyphen", "minus"),
    ("equals", "equal"),
    ("apostrophe", "quote"),
    ("grave", "backquote"),
    ("backtick", "backquote"),
];

const MODIFIERS: &[(&str, Modifier)] = &[
    ("alt", Modifier::Alt),
    ("option", Modifier::Alt),
    ("opt", Modifier::Alt),
    ("control", Modifier::Control),
    ("ctrl", Modifier::Control),
    ("meta", Modifier::Meta),
    ("cmd", Modifier::Meta),
    ("command", Modifier::Meta),
    ("super", Modifier::Meta),
    ("win", Modifier::Meta),
    ("windows", Modifier::Meta),
    ("shift", Modifier::Shift),
];

const EITHER: &[&str] =
    &["controlormeta", "ctrlormeta", "controlorcommand", "commandorcontrol", "cmdorctrl", "mod"];

/// The modifier of this name.
pub(super) fn modifier(name: &str, platform: Platform) -> Option<Modifier> {
    let name = plain(name);
    if EITHER.contains(&name.as_str()) {
        let mac = platform == Platform::MacOs;
        return Some(if mac { Modifier::Meta } else { Modifier::Control });
    }
    MODIFIERS.iter().find(|(known, _)| *known == name).map(|(_, modifier)| *modifier)
}

/// The name that the layout knows for this one.
pub(super) fn normal(name: &str) -> String {
    let name = plain(name);
    let alias = ALIASES.iter().find(|(known, _)| *known == name);
    alias.map_or(name, |(_, known)| (*known).to_owned())
}

/// Up to three names that are spelled much like this one, nearest first.
pub(super) fn near(name: &str) -> Vec<String> {
    let name = plain(name);
    let limit = if name.len() < 5 { 1 } else { 2 };
    let known = layout::every_name().chain(["Control", "ControlOrMeta", "Shift", "Alt", "Meta"]);
    let known = known.filter(|known| known.len() > 1);
    let mut near: Vec<(usize, &str)> = known
        .map(|known| (closeness(&name, &known.to_ascii_lowercase()), known))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_by_key(|(distance, known)| (*distance, known.len(), *known));
    near.dedup();
    near.into_iter().take(3).map(|(_, known)| known.to_owned()).collect()
}

/// Lower case, and without the marks some people put between words: `Page_Down`, `page-down`.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' '));
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The number of letters to change or to swap, where a name that begins like another counts as one off.
fn closeness(name: &str, known: &str) -> usize {
    let begins = name.len() >= 3 && known.starts_with(name);
    if begins { 1 } else { osa_distance(name, known) }
}
