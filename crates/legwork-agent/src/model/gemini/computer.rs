//! What Computer Use asks for, in both of its dialects, as calls of our tools. Places are counted from 0 to 1000
//! across and down, whatever the window's size.
//! <https://ai.google.dev/gemini-api/docs/computer-use>

use legwork_protocol::Button;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::pointing::{OurCall, Pointing, Spot, chord, towards};

/// Which names the actions have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `click_at`, `type_text_at` … of the 2.5 computer-use model and the 3 previews.
    Legacy,
    /// `click`, `type` … since 3.5.
    Current,
}

impl Dialect {
    /// Actions that nothing of ours does. They are not offered.
    pub(super) fn excluded(self) -> &'static [&'static str] {
        match self {
            Dialect::Legacy => &[],
            Dialect::Current => &["mouse_down", "mouse_up", "key_down", "key_up"],
        }
    }
}

/// The window that places are counted in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Grid {
    width: f64,
    height: f64,
}

/// Places are counted up to here.
const WHOLE: f64 = 1000.0;

/// How much of the window a page scrolls by.
const PAGE: f64 = 0.8;

impl Grid {
    pub(super) fn of((width, height): (u32, u32)) -> Grid {
        Grid { width: f64::from(width), height: f64::from(height) }
    }

    fn spot(self, x: f64, y: f64) -> Spot {
        let place =
            |at: f64, size: f64| (at / WHOLE * size).floor().clamp(0.0, (size - 1.0).max(0.0));
        Spot::At(place(x, self.width), place(y, self.height))
    }

    /// A stretch of so many thousandths in this direction, in pixels.
    fn stretch(self, direction: &str, thousandths: f64) -> f64 {
        let across = matches!(direction.to_ascii_lowercase().as_str(), "left" | "right");
        thousandths / WHOLE * if across { self.width } else { self.height }
    }
}

/// The arguments of every action, in both dialects. Beside them stand the model's intent and the safety decision.
#[derive(Debug, Default, Deserialize)]
struct Arguments {
    x: Option<f64>,
    y: Option<f64>,
    #[serde(alias = "end_x")]
    destination_x: Option<f64>,
    #[serde(alias = "end_y")]
    destination_y: Option<f64>,
    start_x: Option<f64>,
    start_y: Option<f64>,
    text: Option<String>,
    press_enter: Option<bool>,
    clear_before_typing: Option<bool>,
    direction: Option<String>,
    magnitude: Option<f64>,
    magnitude_in_pixels: Option<f64>,
    key: Option<String>,
    keys: Option<Keys>,
    seconds: Option<f64>,
    url: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Keys {
    Chord(String),
    List(Vec<String>),
}

/// The call of ours that does what an action says; `None` if it is none of the vendor's. An error is a sentence for
/// the model.
pub(super) fn call(
    name: &str,
    arguments: &Map<String, Value>,
    grid: Grid,
) -> Option<Result<OurCall, String>> {
    if !is_known(name) {
        return None;
    }
    let read = Arguments::deserialize(arguments)
        .map_err(|error| format!("The arguments of {name} are wrong ({error}); nothing was done."));
    Some(
        read.and_then(|arguments| Asked { name, grid, arguments }.pointing())
            .map(|what| what.call()),
    )
}

/// Whether an action is the vendor's own, in whichever dialect.
fn is_known(name: &str) -> bool {
    const ALL: &[&str] = &[
        "click",
        "click_at",
        "double_click",
        "drag_and_drop",
        "go_back",
        "go_forward",
        "hotkey",
        "hover_at",
        "key_combination",
        "key_down",
        "key_up",
        "middle_click",
        "mouse_down",
        "mouse_up",
        "move",
        "navigate",
        "open_web_browser",
        "press_key",
        "right_click",
        "scroll",
        "scroll_at",
        "scroll_document",
        "search",
        "take_screenshot",
        "triple_click",
        "type",
        "type_text_at",
        "wait",
        "wait_5_seconds",
    ];
    ALL.contains(&name)
}

struct Asked<'a> {
    name: &'a str,
    grid: Grid,
    arguments: Arguments,
}

impl Asked<'_> {
    fn pointing(self) -> Result<Pointing, String> {
        Ok(match self.name {
            "click" | "click_at" => self.click(Button::Left, 1)?,
            "double_click" => self.click(Button::Left, 2)?,
            "triple_click" => self.click(Button::Left, 3)?,
            "middle_click" => self.click(Button::Middle, 1)?,
            "right_click" => self.click(Button::Right, 1)?,
            "move" | "hover_at" => Pointing::Move(self.spot()?),
            "drag_and_drop" => self.drag()?,
            "type" | "type_text_at" => self.typed()?,
            "scroll" | "scroll_at" => self.scroll()?,
            "scroll_document" => {
                let direction = self.direction()?;
                let (right, down) =
                    towards(&direction, self.grid.stretch(&direction, PAGE * WHOLE))?;
                Pointing::Scroll { on: None, right, down }
            }
            "press_key" | "hotkey" | "key_combination" => Pointing::Press(vec![self.chord()?]),
            "wait" => Pointing::Wait(self.arguments.seconds.unwrap_or(1.0)),
            "wait_5_seconds" => Pointing::Wait(5.0),
            "navigate" => {
                let url = self.arguments.url.as_ref().filter(|url| !url.trim().is_empty());
                Pointing::Navigate(url.cloned().ok_or_else(|| self.needs("url"))?)
            }
            "search" => Pointing::Navigate("https://www.google.com".into()),
            "go_back" => Pointing::Back,
            "go_forward" => Pointing::Forward,
            // The browser is open as soon as it is needed.
            "open_web_browser" | "take_screenshot" => Pointing::Screenshot,
            name => {
                return Err(format!(
                    "{name} cannot be done here; do it another way. Nothing was done."
                ));
            }
        })
    }

    fn click(&self, button: Button, count: u32) -> Result<Pointing, String> {
        Ok(Pointing::Click { on: self.spot()?, button, count, held: Vec::new() })
    }

    fn drag(&self) -> Result<Pointing, String> {
        let Arguments { x, y, start_x, start_y, destination_x, destination_y, .. } =
            &self.arguments;
        let from = (start_x.or(*x)).zip(start_y.or(*y));
        let to = destination_x.zip(*destination_y);
        let (Some(from), Some(to)) = (from, to) else { return Err(self.needs("two places")) };
        Ok(Pointing::Drag { from: self.grid.spot(from.0, from.1), to: self.grid.spot(to.0, to.1) })
    }

    fn typed(&self) -> Result<Pointing, String> {
        let Arguments { text, press_enter, clear_before_typing, x, y, .. } = &self.arguments;
        let into = x.zip(*y).map(|(x, y)| self.grid.spot(x, y));
        let text = text.clone().ok_or_else(|| self.needs("text"))?;
        // The legacy dialect replaces what is in the field, unless it is told not to.
        let clear = clear_before_typing.unwrap_or(self.name == "type_text_at");
        Ok(Pointing::Type { into, text, clear, enter: press_enter.unwrap_or_default() })
    }

    fn scroll(&self) -> Result<Pointing, String> {
        let direction = self.direction()?;
        let Arguments { magnitude, magnitude_in_pixels, .. } = &self.arguments;
        let pixels = match (magnitude_in_pixels, magnitude) {
            (Some(pixels), _) => *pixels,
            (None, Some(thousandths)) => self.grid.stretch(&direction, *thousandths),
            (None, None) if self.name == "scroll_at" => self.grid.stretch(&direction, PAGE * WHOLE),
            (None, None) => 300.0,
        };
        let (right, down) = towards(&direction, pixels)?;
        Ok(Pointing::Scroll { on: Some(self.spot()?), right, down })
    }

    fn chord(&self) -> Result<String, String> {
        let keys = match (&self.arguments.keys, &self.arguments.key) {
            (Some(Keys::List(keys)), _) => chord(keys),
            (Some(Keys::Chord(keys)), _) | (None, Some(keys)) => keys.clone(),
            (None, None) => String::new(),
        };
        if keys.is_empty() { Err(self.needs("a key")) } else { Ok(keys) }
    }

    fn direction(&self) -> Result<String, String> {
        self.arguments.direction.clone().ok_or_else(|| self.needs("a direction"))
    }

    fn spot(&self) -> Result<Spot, String> {
        let place = self.arguments.x.zip(self.arguments.y);
        place.map(|(x, y)| self.grid.spot(x, y)).ok_or_else(|| self.needs("x and y"))
    }

    fn needs(&self, what: &str) -> String {
        format!("{} needs {what}; nothing was done.", self.name)
    }
}

#[cfg(test)]
mod tests {
    use legwork_protocol::Action;
    use serde_json::json;

    use super::*;
    use crate::model::pointing::object;

    fn done(name: &str, arguments: Value) -> Option<Result<OurCall, String>> {
        call(name, &object(arguments), Grid::of((1440, 900)))
    }

    fn check(name: &str, arguments: Value, tool: &str, expected: Value) {
        let (called, given) =
            done(name, arguments).unwrap().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((called, &Value::Object(given.clone())), (tool, &expected), "{name}");
        Action::parse(called, given).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }

    #[test]
    fn the_legacy_dialect_is_spoken() {
        let at = json!({ "x": 500, "y": 100 });
        check("open_web_browser", json!({}), "browser_take_screenshot", json!({}));
        check(
            "click_at",
            at.clone(),
            "browser_click",
            json!({ "target": "point=720,90", "button": "left" }),
        );
        check("hover_at", at, "browser_hover", json!({ "target": "point=720,90" }));
        let typed = json!({ "x": 500, "y": 100, "text": "Bern", "press_enter": true });
        let field =
            json!({ "target": "point=720,90", "text": "Bern", "clear": true, "submit": true });
        check("type_text_at", typed, "browser_type", field);
        let added = json!({ "x": 0, "y": 0, "text": "x", "clear_before_typing": false });
        let field = json!({ "target": "point=0,0", "text": "x", "clear": false, "submit": false });
        check("type_text_at", added, "browser_type", field);
        check(
            "scroll_document",
            json!({ "direction": "down" }),
            "browser_scroll",
            json!({ "dx": 0.0, "dy": 720.0 }),
        );
        let scroll = json!({ "x": 500, "y": 100, "direction": "right", "magnitude": 500 });
        let scrolled = json!({ "target": "point=720,90", "dx": 720.0, "dy": 0.0 });
        check("scroll_at", scroll, "browser_scroll", scrolled);
        check("wait_5_seconds", json!({}), "browser_wait", json!({ "time": "5000ms" }));
        check("go_back", json!({}), "browser_back", json!({}));
        check("go_forward", json!({}), "browser_forward", json!({}));
        check("search", json!({}), "browser_navigate", json!({ "url": "https://www.google.com" }));
        check(
            "navigate",
            json!({ "url": "a.example" }),
            "browser_navigate",
            json!({ "url": "a.example" }),
        );
        check(
            "key_combination",
            json!({ "keys": "control+c" }),
            "browser_press_key",
            json!({ "key": "control+c" }),
        );
        let drag = json!({ "x": 0, "y": 0, "destination_x": 999, "destination_y": 1000 });
        check(
            "drag_and_drop",
            drag,
            "browser_drag",
            json!({ "from": "point=0,0", "to": "point=1438,899" }),
        );
    }

    #[test]
    fn the_current_dialect_is_spoken() {
        let at = json!({ "x": 500, "y": 100, "intent": "Open the menu" });
        let click = |more: Value| {
            let mut click = json!({ "target": "point=720,90", "button": "left" });
            object(more).into_iter().for_each(|(name, value)| click[name] = value);
            click
        };
        check("click", at.clone(), "browser_click", click(json!({})));
        check("double_click", at.clone(), "browser_click", click(json!({ "count": 2 })));
        check("triple_click", at.clone(), "browser_click", click(json!({ "count": 3 })));
        check("middle_click", at.clone(), "browser_click", click(json!({ "button": "middle" })));
        check("right_click", at.clone(), "browser_click", click(json!({ "button": "right" })));
        check("move", at, "browser_hover", json!({ "target": "point=720,90" }));
        let typed = json!({ "target": ":focus", "text": "Bern", "clear": false, "submit": true });
        check("type", json!({ "text": "Bern", "press_enter": true }), "browser_type", typed);
        let drag = json!({ "start_x": 0, "start_y": 0, "end_x": 500, "end_y": 100 });
        check(
            "drag_and_drop",
            drag,
            "browser_drag",
            json!({ "from": "point=0,0", "to": "point=720,90" }),
        );
        check("wait", json!({ "seconds": 2 }), "browser_wait", json!({ "time": "2000ms" }));
        check(
            "press_key",
            json!({ "key": "ENTER" }),
            "browser_press_key",
            json!({ "key": "ENTER" }),
        );
        check(
            "hotkey",
            json!({ "keys": ["A", "CTRL"] }),
            "browser_press_key",
            json!({ "key": "CTRL+A" }),
        );
        check("take_screenshot", json!({}), "browser_take_screenshot", json!({}));
        let scroll = json!({ "x": 500, "y": 100, "direction": "up" });
        let scrolled = json!({ "target": "point=720,90", "dx": 0.0, "dy": -300.0 });
        check("scroll", scroll, "browser_scroll", scrolled);
        let scroll = json!({ "x": 500, "y": 100, "direction": "down", "magnitude_in_pixels": 450 });
        let scrolled = json!({ "target": "point=720,90", "dx": 0.0, "dy": 450.0 });
        check("scroll", scroll, "browser_scroll", scrolled);
    }

    #[test]
    fn what_cannot_be_done_is_a_sentence_and_what_is_ours_is_left_alone() {
        for (name, arguments, says) in [
            ("mouse_down", json!({ "x": 1, "y": 1 }), "mouse_down cannot be done here"),
            ("click", json!({ "x": 5 }), "click needs x and y"),
            ("click", json!({ "x": "left", "y": 1 }), "The arguments of click are wrong"),
            ("drag_and_drop", json!({ "x": 5, "y": 5 }), "needs two places"),
            ("type", json!({}), "type needs text"),
            ("navigate", json!({ "url": " " }), "navigate needs url"),
            ("hotkey", json!({ "keys": [] }), "needs a key"),
            ("scroll", json!({ "x": 1, "y": 1, "direction": "in" }), "no direction"),
        ] {
            let error = done(name, arguments).unwrap().unwrap_err();
            assert!(error.contains(says), "{name}: {error}");
        }
        assert!(done("browser_click", json!({ "target": "e5" })).is_none());
    }
}
