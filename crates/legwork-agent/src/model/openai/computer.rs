//! What OpenAI's computer tool does, as calls of our tools. It points at places in the last picture it was shown.
//! <https://platform.openai.com/docs/guides/tools-computer-use>

use legwork_protocol::Button as Ours;
use serde::Deserialize;
use serde_json::Value;

use crate::model::pointing::{OurCall, Pointing, Scale, chord, held};

/// One of the vendor's actions.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Action {
    Click {
        #[serde(default)]
        button: Button,
        x: f64,
        y: f64,
        #[serde(default)]
        keys: Option<Vec<String>>,
    },
    DoubleClick {
        x: f64,
        y: f64,
        #[serde(default)]
        keys: Option<Vec<String>>,
    },
    Drag {
        path: Vec<Place>,
    },
    Keypress {
        keys: Vec<String>,
    },
    Move {
        x: f64,
        y: f64,
    },
    Screenshot,
    Scroll {
        x: f64,
        y: f64,
        #[serde(default)]
        scroll_x: f64,
        #[serde(default)]
        scroll_y: f64,
    },
    Type {
        text: String,
    },
    Wait,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Button {
    #[default]
    Left,
    Right,
    Wheel,
    Back,
    Forward,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Place {
    x: f64,
    y: f64,
}

/// The call of ours that does what an action says. An error is a sentence for the model.
pub(super) fn call(action: &Value, scale: Scale) -> Result<OurCall, String> {
    let action = Action::deserialize(action)
        .map_err(|error| format!("This action is not known here ({error}); nothing was done."))?;
    Ok(action.pointing(scale)?.call())
}

impl Action {
    fn pointing(self, scale: Scale) -> Result<Pointing, String> {
        let held = |keys: Option<Vec<String>>| held(&keys.unwrap_or_default().join("+"));
        Ok(match self {
            Action::Click { button: Button::Back, .. } => Pointing::Back,
            Action::Click { button: Button::Forward, .. } => Pointing::Forward,
            Action::Click { button, x, y, keys } => {
                let button = match button {
                    Button::Right => Ours::Right,
                    Button::Wheel => Ours::Middle,
                    _ => Ours::Left,
                };
                Pointing::Click { on: scale.spot(x, y), button, count: 1, held: held(keys)? }
            }
            Action::DoubleClick { x, y, keys } => {
                let (on, button) = (scale.spot(x, y), Ours::Left);
                Pointing::Click { on, button, count: 2, held: held(keys)? }
            }
            Action::Drag { path } => match (path.first(), path.last()) {
                (Some(from), Some(to)) if path.len() > 1 => {
                    Pointing::Drag { from: scale.spot(from.x, from.y), to: scale.spot(to.x, to.y) }
                }
                _ => return Err("A drag needs two places; nothing was done.".into()),
            },
            Action::Keypress { keys } => Pointing::Press(vec![chord(&keys)]),
            Action::Move { x, y } => Pointing::Move(scale.spot(x, y)),
            Action::Screenshot => Pointing::Screenshot,
            Action::Scroll { x, y, scroll_x, scroll_y } => {
                let (right, down) = (scroll_x * scale.0, scroll_y * scale.1);
                Pointing::Scroll { on: Some(scale.spot(x, y)), right, down }
            }
            Action::Type { text } => {
                Pointing::Type { into: None, text, clear: false, enter: false }
            }
            Action::Wait => Pointing::Wait(2.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use legwork_protocol::Action as Accepted;
    use serde_json::json;

    use super::*;
    use crate::model::pointing::PICTURE;

    #[test]
    fn every_action_becomes_a_call_that_our_tools_accept() {
        let check = |action: Value, tool: &str, arguments: Value| {
            let (name, made) = call(&action, Scale(2.0, 0.5)).unwrap();
            assert_eq!((name, &Value::Object(made.clone())), (tool, &arguments), "{action}");
            let read = Accepted::parse(name, made);
            assert!(read.is_ok(), "{action}: {:?}", read.err());
        };
        let click = json!({ "type": "click", "button": "left", "x": 10, "y": 20 });
        let clicked = json!({ "target": "point=20,10", "button": "left" });
        check(click, "browser_click", clicked);
        let click = json!({ "type": "click", "button": "wheel", "x": 1, "y": 2, "keys": ["CTRL", "SHIFT"] });
        let clicked =
            json!({ "target": "point=2,1", "button": "middle", "modifiers": ["Control", "Shift"] });
        check(click, "browser_click", clicked);
        check(
            json!({ "type": "click", "button": "back", "x": 1, "y": 1 }),
            "browser_back",
            json!({}),
        );
        check(
            json!({ "type": "click", "button": "forward", "x": 1, "y": 1 }),
            "browser_forward",
            json!({}),
        );
        let twice = json!({ "target": "point=2,1", "button": "left", "count": 2 });
        check(
            json!({ "type": "double_click", "x": 1, "y": 2, "keys": null }),
            "browser_click",
            twice,
        );
        let path = json!([{ "x": 1, "y": 2 }, { "x": 5, "y": 5 }, { "x": 10, "y": 20 }]);
        let dragged = json!({ "from": "point=2,1", "to": "point=20,10" });
        check(json!({ "type": "drag", "path": path }), "browser_drag", dragged);
        let pressed = json!({ "key": "CTRL+a" });
        check(json!({ "type": "keypress", "keys": ["a", "CTRL"] }), "browser_press_key", pressed);
        check(
            json!({ "type": "keypress", "keys": ["ESC"] }),
            "browser_press_key",
            json!({ "key": "ESC" }),
        );
        check(
            json!({ "type": "move", "x": 3, "y": 4 }),
            "browser_hover",
            json!({ "target": "point=6,2" }),
        );
        check(json!({ "type": "screenshot" }), PICTURE, json!({}));
        let scroll = json!({ "type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 100 });
        check(scroll, "browser_scroll", json!({ "target": "point=2,1", "dx": 0.0, "dy": 50.0 }));
        let typed = json!({ "target": ":focus", "text": "Ada", "clear": false, "submit": false });
        check(json!({ "type": "type", "text": "Ada" }), "browser_type", typed);
        check(json!({ "type": "wait" }), "browser_wait", json!({ "time": "2000ms" }));
    }

    #[test]
    fn what_is_not_known_is_not_done() {
        for action in [
            json!({ "type": "pinch" }),
            json!({ "type": "click", "x": 1 }),
            json!({ "type": "drag", "path": [{ "x": 1, "y": 1 }] }),
            json!({ "type": "click", "x": 1, "y": 1, "keys": ["Q"] }),
        ] {
            let error = call(&action, Scale(1.0, 1.0)).unwrap_err();
            assert!(error.contains("nothing was done"), "{error}");
        }
    }
}
