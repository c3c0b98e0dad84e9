//! What vendors' computer tools ask for, as calls of our tools. Places are in CSS pixels of the window when they
//! get here; each adapter knows how its vendor counts.

use std::collections::BTreeSet;

use legwork_protocol::{Action, Button, Modifier};
use serde_json::{Map, Value, json};

use super::{Call, Part, Request, Turn, picture};

/// One of our calls: the tool and its arguments.
pub(crate) type OurCall = (&'static str, Map<String, Value>);

/// Something to act on: a place of the window, or an element by its ref.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Spot {
    At(f64, f64),
    Ref(String),
}

impl Spot {
    /// The target that our tools take.
    pub(crate) fn target(&self) -> String {
        match self {
            // The pixel that it is in: rounded up, the last would be outside.
            Spot::At(x, y) => format!("point={},{}", x.max(0.0).floor(), y.max(0.0).floor()),
            Spot::Ref(reference) => reference.clone(),
        }
    }
}

/// Whether there is something to point at: the window's size is known, and the model was shown a picture of it.
pub(crate) fn has_sight(request: &Request) -> bool {
    let pictured = |parts: &[Part]| parts.iter().any(|part| matches!(part, Part::Picture(_)));
    request.viewport.is_some()
        && request.turns.iter().any(|turn| match turn {
            Turn::User(parts) => pictured(parts),
            Turn::Tools(results) => results.iter().any(|result| pictured(&result.parts)),
            Turn::Model(_) => false,
        })
}

/// How many CSS pixels of the window a pixel of the last picture of it is, across and down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale(pub(crate) f64, pub(crate) f64);

impl Scale {
    /// For the last picture of the window that the model was shown. Those of elements and of whole pages are
    /// of other sizes.
    pub(crate) fn of(request: &Request) -> Scale {
        let others = others(request);
        let pictures = request.turns.iter().rev().flat_map(|turn| match turn {
            Turn::User(parts) => parts.iter().rev().collect(),
            Turn::Tools(results) => {
                let of_window = results.iter().rev().filter(|result| !others.contains(&*result.id));
                of_window.flat_map(|result| result.parts.iter().rev()).collect()
            }
            Turn::Model(_) => Vec::new(),
        });
        let mut sizes = pictures.filter_map(|part| match part {
            Part::Picture(image) => picture::size(image),
            Part::Text(_) => None,
        });
        match (request.viewport, sizes.next()) {
            (Some((width, height)), Some((across, down))) if across > 0 && down > 0 => {
                Scale(f64::from(width) / f64::from(across), f64::from(height) / f64::from(down))
            }
            _ => Scale(1.0, 1.0),
        }
    }

    /// A place of the picture as one of the window.
    pub(crate) fn spot(self, x: f64, y: f64) -> Spot {
        Spot::At(x * self.0, y * self.1)
    }
}

/// The calls that took a picture of something else than the window.
fn others(request: &Request) -> BTreeSet<&str> {
    let calls = request.turns.iter().flat_map(|turn| match turn {
        Turn::Model(answer) => answer.calls.as_slice(),
        Turn::User(_) | Turn::Tools(_) => &[],
    });
    let other = |call: &&Call| {
        let arguments = call.arguments.clone().unwrap_or_default();
        let read = Action::parse(&call.name, arguments);
        matches!(read, Ok(Action::TakeScreenshot(taken)) if taken.target.is_some() || taken.full_page)
    };
    calls.filter(other).map(|call| call.id.as_str()).collect()
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pointing {
    Click {
        on: Spot,
        button: Button,
        count: u32,
        held: Vec<Modifier>,
    },
    Move(Spot),
    Drag {
        from: Spot,
        to: Spot,
    },
    /// By so many pixels, where the pointer is said to be, or the page.
    Scroll {
        on: Option<Spot>,
        right: f64,
        down: f64,
    },
    Reveal(Spot),
    /// Into something, or wherever the focus is.
    Type {
        into: Option<Spot>,
        text: String,
        clear: bool,
        enter: bool,
    },
    /// Keys or chords, one after the other.
    Press(Vec<String>),
    /// Seconds.
    Wait(f64),
    Navigate(String),
    Back,
    Forward,
    Reload,
    Screenshot,
}

/// The tool that takes pictures.
pub(crate) const PICTURE: &str = "browser_take_screenshot";

/// The longest that is waited for a vendor's tool.
const LONGEST: f64 = 30.0;

impl Pointing {
    /// The call of ours that does it.
    pub(crate) fn call(&self) -> OurCall {
        let (tool, arguments) = match self {
            Pointing::Click { on, button, count, held } => {
                return click(on, *button, *count, held);
            }
            Pointing::Move(on) => ("browser_hover", json!({ "target": on.target() })),
            Pointing::Drag { from, to } => {
                ("browser_drag", json!({ "from": from.target(), "to": to.target() }))
            }
            Pointing::Scroll { on, right, down } => {
                let mut scroll = json!({ "dx": right, "dy": down });
                if let Some(on) = on {
                    scroll["target"] = json!(on.target());
                }
                ("browser_scroll", scroll)
            }
            Pointing::Reveal(on) => ("browser_scroll", json!({ "target": on.target() })),
            Pointing::Type { into, text, clear, enter } => {
                let target = into.as_ref().map_or(":focus".into(), Spot::target);
                let typed =
                    json!({ "target": target, "text": text, "clear": clear, "submit": enter });
                ("browser_type", typed)
            }
            Pointing::Press(chords) => return press(chords),
            Pointing::Wait(seconds) => {
                let milliseconds = (seconds.clamp(0.0, LONGEST) * 1000.0).round();
                ("browser_wait", json!({ "time": format!("{milliseconds}ms") }))
            }
            Pointing::Navigate(url) => ("browser_navigate", json!({ "url": url })),
            Pointing::Back => ("browser_back", json!({})),
            Pointing::Forward => ("browser_forward", json!({})),
            Pointing::Reload => ("browser_reload", json!({})),
            Pointing::Screenshot => (PICTURE, json!({})),
        };
        (tool, object(arguments))
    }
}

fn click(on: &Spot, button: Button, count: u32, held: &[Modifier]) -> OurCall {
    let mut click = json!({ "target": on.target(), "button": button });
    if count > 1 {
        click["count"] = json!(count);
    }
    if !held.is_empty() {
        click["modifiers"] = json!(held);
    }
    ("browser_click", object(click))
}

/// Several calls as one that stops at the first that fails.
pub(crate) fn batch(calls: Vec<OurCall>) -> OurCall {
    let step = |(tool, arguments)| json!({ "tool": tool, "arguments": arguments });
    let steps: Vec<Value> = calls.into_iter().map(step).collect();
    ("browser_batch", object(json!({ "steps": steps })))
}

fn press(chords: &[String]) -> OurCall {
    let one = |chord: &String| ("browser_press_key", object(json!({ "key": chord })));
    match chords {
        [chord] => one(chord),
        chords => batch(chords.iter().map(one).collect()),
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The keys of a list as one chord: what is held first, then the key.
pub(crate) fn chord(keys: &[String]) -> String {
    let name = |key: &str| if key == " " { "Space".into() } else { key.trim().to_string() };
    let mut keys: Vec<String> = keys.iter().map(|key| name(key)).collect();
    keys.sort_by_key(|key| modifier(key).is_none());
    keys.join("+")
}

/// The keys that are held, written as one chord: `ctrl+shift`.
pub(crate) fn held(chord: &str) -> Result<Vec<Modifier>, String> {
    let names = chord.split('+').map(str::trim).filter(|name| !name.is_empty());
    let known = |name: &str| {
        modifier(name).ok_or_else(|| format!("{name} cannot be held; nothing was done."))
    };
    names.map(known).collect()
}

fn modifier(name: &str) -> Option<Modifier> {
    match name.to_ascii_lowercase().as_str() {
        "alt" | "option" => Some(Modifier::Alt),
        "ctrl" | "control" => Some(Modifier::Control),
        "cmd" | "command" | "meta" | "super" | "win" | "windows" => Some(Modifier::Meta),
        "shift" => Some(Modifier::Shift),
        _ => None,
    }
}

/// So many pixels in a direction, right and down.
pub(crate) fn towards(direction: &str, pixels: f64) -> Result<(f64, f64), String> {
    match direction.to_ascii_lowercase().as_str() {
        "up" => Ok((0.0, -pixels)),
        "down" => Ok((0.0, pixels)),
        "left" => Ok((-pixels, 0.0)),
        "right" => Ok((pixels, 0.0)),
        other => {
            Err(format!("{other} is no direction: up, down, left or right; nothing was done."))
        }
    }
}

#[cfg(test)]
mod tests {
    use legwork_protocol::Image;

    use super::*;
    use crate::model::{Answer, ToolResult};

    /// A call that takes a picture, and a picture of 1 x 1 pixels.
    fn taken(id: &str, arguments: Value) -> [Turn; 2] {
        let arguments = Ok(object(arguments));
        let call = Call { id: id.into(), name: PICTURE.into(), arguments, safety: None };
        let data = picture::NONE.strip_prefix("data:image/png;base64,").unwrap();
        let result = ToolResult {
            id: id.into(),
            name: PICTURE.into(),
            parts: vec![Part::Picture(Image::new("image/png", data))],
            failed: false,
            url: None,
            acknowledged: false,
        };
        [Turn::Model(Answer { calls: vec![call], ..Answer::default() }), Turn::Tools(vec![result])]
    }

    #[test]
    fn a_picture_of_something_else_than_the_window_does_not_set_the_scale() {
        for (arguments, scale) in [
            (json!({}), Scale(800.0, 600.0)),
            (json!({ "boxes": true }), Scale(800.0, 600.0)),
            (json!({ "target": "Map" }), Scale(1.0, 1.0)),
            (json!({ "selector": "#map" }), Scale(1.0, 1.0)),
            (json!({ "full_page": true }), Scale(1.0, 1.0)),
        ] {
            let turns = taken("c1", arguments.clone()).into();
            let request = Request { turns, viewport: Some((800, 600)), ..Request::default() };
            assert_eq!(Scale::of(&request), scale, "{arguments}");
        }
        let turns = [taken("c1", json!({})), taken("c2", json!({ "full_page": true }))].concat();
        let request = Request { turns, viewport: Some((800, 600)), ..Request::default() };
        assert_eq!(Scale::of(&request), Scale(800.0, 600.0), "the one before it counts");
    }

    fn check(what: Pointing, tool: &str, arguments: Value) {
        let (called, given) = what.call();
        assert_eq!((called, &Value::Object(given.clone())), (tool, &arguments), "{what:?}");
        // What our own tools do not take would only be noticed when a model asks for it.
        Action::parse(called, given).unwrap_or_else(|error| panic!("{what:?}: {error:?}"));
    }

    #[test]
    fn everything_a_vendor_asks_for_is_a_call_that_our_tools_take() {
        let at = Spot::At(640.4, 359.6);
        let click = |count, button, held| Pointing::Click { on: at.clone(), button, count, held };
        check(
            click(1, Button::Left, vec![]),
            "browser_click",
            json!({ "target": "point=640,359", "button": "left" }),
        );
        check(
            click(2, Button::Right, vec![Modifier::Shift]),
            "browser_click",
            json!({ "target": "point=640,359", "button": "right", "count": 2, "modifiers": ["Shift"] }),
        );
        check(Pointing::Move(Spot::Ref("e7".into())), "browser_hover", json!({ "target": "e7" }));
        let drag = Pointing::Drag { from: Spot::At(1.0, 2.0), to: Spot::At(3.0, 4.0) };
        check(drag, "browser_drag", json!({ "from": "point=1,2", "to": "point=3,4" }));
        let scroll = |on| Pointing::Scroll { on, right: 0.0, down: 300.0 };
        check(scroll(None), "browser_scroll", json!({ "dx": 0.0, "dy": 300.0 }));
        let there = json!({ "dx": 0.0, "dy": 300.0, "target": "point=640,359" });
        check(scroll(Some(at.clone())), "browser_scroll", there);
        check(
            Pointing::Reveal(Spot::Ref("e7".into())),
            "browser_scroll",
            json!({ "target": "e7" }),
        );
        let typed = |into| Pointing::Type { into, text: "Bern".into(), clear: true, enter: true };
        let field =
            json!({ "target": "point=640,359", "text": "Bern", "clear": true, "submit": true });
        check(typed(Some(at)), "browser_type", field);
        let focus = json!({ "target": ":focus", "text": "Bern", "clear": true, "submit": true });
        check(typed(None), "browser_type", focus);
        check(
            Pointing::Press(vec!["ctrl+a".into()]),
            "browser_press_key",
            json!({ "key": "ctrl+a" }),
        );
        check(
            Pointing::Press(vec!["Tab".into(), "Return".into()]),
            "browser_batch",
            json!({ "steps": [
                { "tool": "browser_press_key", "arguments": { "key": "Tab" } },
                { "tool": "browser_press_key", "arguments": { "key": "Return" } },
            ] }),
        );
        check(Pointing::Wait(1.5), "browser_wait", json!({ "time": "1500ms" }));
        check(Pointing::Wait(900.0), "browser_wait", json!({ "time": "30000ms" }));
        check(
            Pointing::Navigate("example.com".into()),
            "browser_navigate",
            json!({ "url": "example.com" }),
        );
        check(Pointing::Back, "browser_back", json!({}));
        check(Pointing::Forward, "browser_forward", json!({}));
        check(Pointing::Reload, "browser_reload", json!({}));
        check(Pointing::Screenshot, "browser_take_screenshot", json!({}));
    }

    #[test]
    fn what_is_held_comes_before_the_key() {
        let keys = |keys: &[&str]| chord(&keys.iter().map(|key| (*key).into()).collect::<Vec<_>>());
        assert_eq!(keys(&["A", "CTRL"]), "CTRL+A");
        assert_eq!(keys(&["control", "shift", "t"]), "control+shift+t");
        assert_eq!(keys(&[" "]), "Space");
        assert_eq!(held("ctrl+shift"), Ok(vec![Modifier::Control, Modifier::Shift]));
        assert_eq!(held(""), Ok(vec![]));
        assert!(held("ctrl+a").unwrap_err().contains("a cannot be held"));
        assert_eq!(towards("LEFT", 5.0), Ok((-5.0, 0.0)));
        assert!(towards("away", 5.0).is_err());
    }
}
