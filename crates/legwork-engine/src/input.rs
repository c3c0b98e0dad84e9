//! The browser's own input pipeline: mouse and keyboard events that pages cannot tell from a
//! person's. Events that belong together are sent together, not one after the other's answer.

use legwork_cdp::input::{DispatchKeyEvent, DispatchMouseEvent, InsertText};
use legwork_cdp::{Call, Empty, Session};
use serde::{Deserialize, Serialize};

use crate::keys::{Chord, Key, Modifier};
use crate::prepare::Point;
use crate::tab::Tab;

/// A mouse button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Button {
    /// The usual one.
    #[default]
    Left,
    /// Opens context menus.
    Right,
    /// The wheel.
    Middle,
}

impl Button {
    fn name(self) -> &'static str {
        match self {
            Button::Left => "left",
            Button::Right => "right",
            Button::Middle => "middle",
        }
    }

    fn mask(self) -> i64 {
        match self {
            Button::Left => 1,
            Button::Right => 2,
            Button::Middle => 4,
        }
    }
}

/// What was sent and has not been answered yet.
#[derive(Default)]
pub(crate) struct Sent {
    pub(crate) calls: Vec<Call<Empty>>,
    /// The event that is the last the page sees of it.
    pub(crate) last: Option<Last>,
}

/// The how-manieth event of a kind.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Last {
    kind: &'static str,
    count: usize,
}

impl Last {
    pub(crate) fn mouse_up(count: usize) -> Last {
        Last { kind: "mouseup", count }
    }
}

impl Sent {
    fn ending(calls: Vec<Call<Empty>>, kind: &'static str, count: usize) -> Sent {
        Sent { calls, last: Some(Last { kind, count }) }
    }

    /// This and then that.
    pub(crate) fn then(mut self, next: Sent) -> Sent {
        self.calls.extend(next.calls);
        self.last = match (self.last, next.last) {
            (Some(one), Some(two)) if one.kind == two.kind => {
                Some(Last { kind: one.kind, count: one.count + two.count })
            }
            (_, last) => last,
        };
        self
    }
}

/// How the pointer comes to where it presses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Moves,
    /// It is there already, and the page knows.
    Rests,
}

pub(crate) struct Mouse<'a> {
    pub(crate) tab: &'a Tab,
    pub(crate) modifiers: i64,
}

impl Mouse<'_> {
    pub(crate) fn moves(&self, to: Point, held: Option<Button>) -> Call<Empty> {
        self.tab.state().pointer = Some(to);
        self.tab.session.send(&DispatchMouseEvent {
            kind: "mouseMoved".into(),
            x: to.x,
            y: to.y,
            modifiers: Some(self.modifiers),
            button: held.map(|button| button.name().into()),
            buttons: held.map(Button::mask),
            ..Default::default()
        })
    }

    pub(crate) fn press(&self, at: Point, button: Button, count: i64) -> Call<Empty> {
        self.tab.session.send(&self.event("mousePressed", at, button, count))
    }

    pub(crate) fn release(&self, at: Point, button: Button, count: i64) -> Call<Empty> {
        self.tab.session.send(&self.event("mouseReleased", at, button, count))
    }

    fn event(&self, kind: &str, at: Point, button: Button, count: i64) -> DispatchMouseEvent {
        DispatchMouseEvent {
            kind: kind.into(),
            x: at.x,
            y: at.y,
            modifiers: Some(self.modifiers),
            button: Some(button.name().into()),
            buttons: Some(if kind == "mousePressed" { button.mask() } else { 0 }),
            click_count: Some(count),
            ..Default::default()
        }
    }

    /// Whether the pointer is there already.
    pub(crate) fn is_at(&self, point: Point) -> bool {
        self.tab.state().pointer == Some(point)
    }

    /// Clicks there, once or more.
    pub(crate) fn click(&self, at: Point, button: Button, count: usize, way: Way) -> Sent {
        let mut calls = self.down(at, button, count, way);
        calls.push(self.release(at, button, count as i64));
        Sent { calls, last: Some(Last::mouse_up(count)) }
    }

    /// Clicks there, but does not let go of the last click.
    pub(crate) fn down(
        &self,
        at: Point,
        button: Button,
        count: usize,
        way: Way,
    ) -> Vec<Call<Empty>> {
        let moved = (way == Way::Moves).then(|| self.moves(at, None));
        let mut calls: Vec<_> = moved.into_iter().collect();
        for n in 1..count as i64 {
            calls.push(self.press(at, button, n));
            calls.push(self.release(at, button, n));
        }
        calls.push(self.press(at, button, count as i64));
        calls
    }

    /// Lets go of what is held, or was dragged there.
    pub(crate) fn up(&self, at: Point, button: Button, count: usize) -> Sent {
        Sent::ending(vec![self.release(at, button, count as i64)], "mouseup", count)
    }

    /// Turns the wheel there, by so many pixels to the right and down.
    pub(crate) fn wheel(&self, at: Point, (dx, dy): (f64, f64)) -> Sent {
        let turned = self.tab.session.send(&DispatchMouseEvent {
            kind: "mouseWheel".into(),
            x: at.x,
            y: at.y,
            modifiers: Some(self.modifiers),
            delta_x: Some(dx),
            delta_y: Some(dy),
            ..Default::default()
        });
        Sent { calls: vec![self.moves(at, None), turned], last: None }
    }

    /// Moves there and stays; with this movement there were so many.
    pub(crate) fn hover(&self, at: Point, moves: usize) -> Sent {
        Sent::ending(vec![self.moves(at, None)], "mousemove", moves)
    }
}

/// Presses and releases a chord: modifiers down, key down and up, modifiers up.
pub(crate) fn press(session: &Session, chord: &Chord) -> Sent {
    let mut sent = Vec::new();
    let mut held = 0;
    for modifier in &chord.held {
        held |= i64::from(modifier.bit());
        sent.push(session.send(&key_event("rawKeyDown", &modifier.key(), held)));
    }
    let whole = i64::from(chord.modifiers());
    let kind = if chord.key.text.is_some() { "keyDown" } else { "rawKeyDown" };
    sent.push(session.send(&key_event(kind, &chord.key, whole)));
    sent.extend(access_key(chord).map(|event| session.send(&event)));
    sent.push(session.send(&key_event("keyUp", &chord.key, whole)));
    for modifier in chord.held.iter().rev() {
        held &= !i64::from(modifier.bit());
        sent.push(session.send(&key_event("keyUp", &modifier.key(), held)));
    }
    Sent::ending(sent, "keyup", chord.held.len() + 1)
}

/// What a keyboard sends after the key of a chord with Alt, and Chrome presses access keys for.
fn access_key(chord: &Chord) -> Option<DispatchKeyEvent> {
    let letter = Some(&chord.key.key).filter(|key| key.chars().count() == 1)?;
    chord.held.contains(&Modifier::Alt).then(|| DispatchKeyEvent {
        text: Some(letter.clone()),
        unmodified_text: Some(letter.clone()),
        is_system_key: Some(true),
        ..key_event("char", &chord.key, chord.modifiers().into())
    })
}

/// Inserts text in one go, as pasting would.
pub(crate) fn insert(session: &Session, text: &str) -> Sent {
    let text = text.to_owned();
    Sent::ending(vec![session.send(&InsertText { text })], "input", 1)
}

/// Types text key by key; characters no key has are inserted.
pub(crate) fn type_text(session: &Session, text: &str) -> Sent {
    let mut sent = Vec::new();
    let mut keys = 0;
    for character in text.chars() {
        match crate::keys::for_char(character) {
            Some(key) => {
                let shift = if key.shift { 8 } else { 0 };
                sent.push(session.send(&key_event("keyDown", &key, shift)));
                sent.push(session.send(&key_event("keyUp", &key, shift)));
                keys += 1;
            }
            None => sent.push(session.send(&InsertText { text: character.to_string() })),
        }
    }
    if crate::keys::for_char(text.chars().last().unwrap_or(' ')).is_some() {
        return Sent::ending(sent, "keyup", keys);
    }
    Sent { calls: sent, last: None }
}

fn key_event(kind: &str, key: &Key, modifiers: i64) -> DispatchKeyEvent {
    let down = kind == "keyDown";
    DispatchKeyEvent {
        kind: kind.into(),
        modifiers: Some(modifiers),
        text: key.text.clone().filter(|_| down),
        unmodified_text: key.text.clone().filter(|_| down),
        code: Some(key.code.clone()),
        key: Some(key.key.clone()),
        windows_virtual_key_code: Some(key.key_code.into()),
        location: Some(key.location.into()),
        is_keypad: Some(key.location == 3),
        ..Default::default()
    }
}
