//! What OpenAI's computer tool does, as calls of our tools. It points at places in the last picture it was shown.
//! <https://platform.openai.com/docs/guides/tools-computer-use>

use serde::Deserialize;
use serde_json::{Map, Value, json};

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

/// How many CSS pixels a pixel of the picture is, across and down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale(pub(super) f64, pub(super) f64);

/// The tool that takes pictures.
pub(super) const PICTURE: &str = "browser_take_screenshot";

/// One of our calls: the tool and its arguments.
pub(super) type OurCall = (&'static str, Map<String, Value>);

/// The call of ours that does what an action says. An error is a sentence for the model.
pub(super) fn call(action: &Value, scale: Scale) -> Result<OurCall, String> {
    let action = Action::deserialize(action)
        .map_err(|error| format!("This action is not known here ({error}); nothing was done."))?;
    let point = |x: f64, y: f64| {
        format!("point={},{}", (x * scale.0).round().max(0.0), (y * scale.1).round().max(0.0))
    };
    let (tool, arguments) = match action {
        Action::Click { button: Button::Back, .. } => ("browser_back", json!({})),
        Action::Click { button: Button::Forward, .. } => ("browser_forward", json!({})),
        Action::Click { button, x, y, keys } => {
            let button = match button {
                Button::Right => "right",
                Button::Wheel => "middle",
                _ => "left",
            };
            let modifiers = modifiers(keys)?;
            (
                "browser_click",
                json!({ "target": point(x, y), "button": button, "modifiers": modifiers }),
            )
        }
        Action::DoubleClick { x, y, keys } => {
            let modifiers = modifiers(keys)?;
            ("browser_click", json!({ "target": point(x, y), "count": 2, "modifiers": modifiers }))
        }
        Action::Drag { path } => match (path.first(), path.last()) {
            (Some(from), Some(to)) if path.len() > 1 => {
                ("browser_drag", json!({ "from": point(from.x, from.y), "to": point(to.x, to.y) }))
            }
            _ => return Err("A drag needs two places; nothing was done.".into()),
        },
        Action::Keypress { keys } => ("browser_press_key", json!({ "key": chord(&keys) })),
        Action::Move { x, y } => ("browser_hover", json!({ "target": point(x, y) })),
        Action::Screenshot => (PICTURE, json!({})),
        Action::Scroll { x, y, scroll_x, scroll_y } => {
            let (dx, dy) = (scroll_x * scale.0, scroll_y * scale.1);
            ("browser_scroll", json!({ "target": point(x, y), "dx": dx, "dy": dy }))
        }
        // What has the focus, wherever it is: an element with a frame in focus has it too.
        Action::Type { text } => {
            ("browser_type", json!({ "target": ":focus:not(iframe)", "text": text }))
        }
        Action::Wait => ("browser_wait", json!({ "time": "2s" })),
    };
    let Value::Object(arguments) = arguments else { return Err("Nothing was done.".into()) };
    Ok((tool, arguments))
}

/// The keys held while something is done.
fn modifiers(keys: Option<Vec<String>>) -> Result<Vec<&'static str>, String> {
    let held = keys.unwrap_or_default();
    let modifier = |key: &String| match key_name(key).as_str() {
        "Control" => Ok("Control"),
        "Alt" => Ok("Alt"),
        "Shift" => Ok("Shift"),
        "Meta" => Ok("Meta"),
        _ => Err(format!("{key} cannot be held; nothing was done.")),
    };
    held.iter().map(modifier).collect()
}

/// The keys as one chord: what is held first, then the key.
fn chord(keys: &[String]) -> String {
    let mut names: Vec<String> = keys.iter().map(|key| key_name(key)).collect();
    let held = |name: &String| ["Control", "Alt", "Shift", "Meta"].contains(&name.as_str());
    names.sort_by_key(|name| !held(name));
    names.join("+")
}

/// Our name of a key of theirs; ours are read in any case.
fn key_name(key: &str) -> String {
    let name = match key.to_ascii_lowercase().as_str() {
        "ctrl" | "control" => "Control",
        "alt" | "option" => "Alt",
        "shift" => "Shift",
        "cmd" | "command" | "meta" | "super" | "win" => "Meta",
        "esc" => "Escape",
        "return" => "Enter",
        "up" => "ArrowUp",
        "down" => "ArrowDown",
        "left" => "ArrowLeft",
        "right" => "ArrowRight",
        "pgup" | "page_up" => "PageUp",
        "pgdn" | "page_down" => "PageDown",
        "del" => "Delete",
        " " | "spacebar" => "Space",
        _ => key,
    };
    name.into()
}

#[cfg(test)]
mod tests {
    use legwork_protocol::Action as Ours;

    use super::*;

    #[test]
    fn every_action_becomes_a_call_that_our_tools_accept() {
        let check = |action: Value, tool: &str, arguments: Value| {
            let (name, made) = call(&action, Scale(2.0, 0.5)).unwrap();
            assert_eq!((name, &Value::Object(made.clone())), (tool, &arguments), "{action}");
            let read = Ours::parse(name, made);
            assert!(read.is_ok(), "{action}: {:?}", read.err());
        };
        let click = json!({ "type": "click", "button": "left", "x": 10, "y": 20 });
        let clicked = json!({ "target": "point=20,10", "button": "left", "modifiers": [] });
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
        let twice = json!({ "target": "point=2,1", "count": 2, "modifiers": [] });
        check(
            json!({ "type": "double_click", "x": 1, "y": 2, "keys": null }),
            "browser_click",
            twice,
        );
        let path = json!([{ "x": 1, "y": 2 }, { "x": 5, "y": 5 }, { "x": 10, "y": 20 }]);
        let dragged = json!({ "from": "point=2,1", "to": "point=20,10" });
        check(json!({ "type": "drag", "path": path }), "browser_drag", dragged);
        let pressed = json!({ "key": "Control+a" });
        check(json!({ "type": "keypress", "keys": ["a", "CTRL"] }), "browser_press_key", pressed);
        check(
            json!({ "type": "keypress", "keys": ["ESC"] }),
            "browser_press_key",
            json!({ "key": "Escape" }),
        );
        check(
            json!({ "type": "move", "x": 3, "y": 4 }),
            "browser_hover",
            json!({ "target": "point=6,2" }),
        );
        check(json!({ "type": "screenshot" }), PICTURE, json!({}));
        let scroll = json!({ "type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 100 });
        check(scroll, "browser_scroll", json!({ "target": "point=2,1", "dx": 0.0, "dy": 50.0 }));
        let typed = json!({ "target": ":focus:not(iframe)", "text": "Ada" });
        check(json!({ "type": "type", "text": "Ada" }), "browser_type", typed);
        check(json!({ "type": "wait" }), "browser_wait", json!({ "time": "2s" }));
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
