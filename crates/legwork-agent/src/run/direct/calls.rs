//! Exact work in calls of tools. Pure: what is called, in what order, with what.

use legwork_protocol::assistant::{
    Click, Drag, Extract, ExtractAs, Gesture, Input, InputValue, Navigate, Scroll, ScrollBy, Wait,
    WaitFor, Work,
};
use serde_json::{Map, Value, json};

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planned {
    /// The tool.
    pub(crate) tool: &'static str,
    /// Its arguments.
    pub(crate) arguments: Map<String, Value>,
    /// Where in the arguments the element is named, if one is.
    pub(crate) place: Option<Place>,
}

/// Where in the arguments an element is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// As this argument.
    Argument(&'static str),
    /// As the only key of `fields`.
    Field,
}

impl Planned {
    fn new(tool: &'static str, arguments: Value) -> Planned {
        let Value::Object(arguments) = arguments else { unreachable!("arguments are an object") };
        Planned { tool, arguments, place: None }
    }

    fn at(self, argument: &'static str) -> Planned {
        Planned { place: Some(Place::Argument(argument)), ..self }
    }

    /// The element as it is named.
    pub(crate) fn target(&self) -> Option<&str> {
        match self.place? {
            Place::Argument(name) => self.arguments.get(name)?.as_str(),
            Place::Field => {
                let fields = self.arguments.get("fields")?.as_object()?;
                fields.keys().next().map(String::as_str)
            }
        }
    }

    /// The same call with its element named otherwise.
    pub(crate) fn aimed_at(&self, target: &str) -> Planned {
        let mut other = self.clone();
        match self.place {
            Some(Place::Argument(name)) => {
                other.arguments.insert(name.into(), target.into());
            }
            Some(Place::Field) => {
                let value = self.arguments.get("fields").and_then(Value::as_object);
                let value = value.and_then(|fields| fields.values().next().cloned());
                let fields = json!({ target: value.unwrap_or_default() });
                other.arguments.insert("fields".into(), fields);
            }
            None => {}
        }
        other
    }
}

/// The calls that exact work comes to, in order; none if something is not known yet.
pub(crate) fn planned(work: &Work) -> Vec<Planned> {
    if !work.is_exact() {
        return Vec::new();
    }
    match work {
        Work::Click(click) => pointing(click).into_iter().collect(),
        Work::Input(input) => entering(input),
        Work::Scroll(scroll) => vec![scrolling(scroll)],
        Work::Navigate(to) => going(to).into_iter().collect(),
        Work::Wait(wait) => waiting(wait).into_iter().collect(),
        Work::Extract(extract) => vec![reading(extract)],
        Work::Drag(drag) => dragging(drag).into_iter().collect(),
    }
}

fn pointing(click: &Click) -> Option<Planned> {
    let target = click.target.as_deref()?;
    let planned = match click.gesture {
        Gesture::Click => Planned::new("browser_click", json!({ "target": target })),
        Gesture::Double => Planned::new("browser_click", json!({ "target": target, "count": 2 })),
        Gesture::Right => {
            Planned::new("browser_click", json!({ "target": target, "button": "right" }))
        }
        Gesture::Hover => Planned::new("browser_hover", json!({ "target": target })),
    };
    Some(planned.at("target"))
}

fn entering(input: &Input) -> Vec<Planned> {
    let target = input.target.as_deref();
    let Some(value) = &input.value else { return Vec::new() };
    let first = match (value, target) {
        (InputValue::Key(key), None) => Planned::new("browser_press_key", json!({ "key": key })),
        (InputValue::Key(key), Some(target)) => {
            Planned::new("browser_press_key", json!({ "key": key, "target": target })).at("target")
        }
        (_, None) => return Vec::new(),
        // Typing and sending is one call, so that nothing comes between.
        (InputValue::Text(text), Some(target)) => {
            let mut typed = json!({ "target": target, "text": text, "clear": true });
            if input.submit {
                typed["submit"] = true.into();
            }
            return vec![Planned::new("browser_type", typed).at("target")];
        }
        (InputValue::Options(options), Some(target)) => {
            Planned::new("browser_select", json!({ "target": target, "option": options }))
                .at("target")
        }
        (InputValue::Checked(checked), Some(target)) => {
            let fields = json!({ "fields": { target: checked } });
            Planned { place: Some(Place::Field), ..Planned::new("browser_fill_form", fields) }
        }
        (InputValue::Files(files), Some(target)) => {
            Planned::new("browser_upload", json!({ "target": target, "paths": files })).at("target")
        }
    };
    let enter = input.submit.then(|| Planned::new("browser_press_key", json!({ "key": "Enter" })));
    [first].into_iter().chain(enter).collect()
}

fn scrolling(scroll: &Scroll) -> Planned {
    let mut arguments = Map::new();
    let end = match scroll.by {
        ScrollBy::IntoView => None,
        ScrollBy::Top => Some(("to", json!("top"))),
        ScrollBy::Bottom => Some(("to", json!("bottom"))),
        ScrollBy::Pixels(pixels) => Some(("dy", json!(pixels))),
    };
    if let Some(target) = &scroll.target {
        arguments.insert("target".into(), target.as_str().into());
    }
    // The page is always in view; who scrolls it without saying how far scrolls on by a screen.
    let end = end.or_else(|| scroll.target.is_none().then(|| ("dy", json!(600))));
    arguments.extend(end.map(|(name, value)| (name.to_owned(), value)));
    let planned = Planned::new("browser_scroll", Value::Object(arguments));
    if scroll.target.is_some() { planned.at("target") } else { planned }
}

fn going(to: &Navigate) -> Option<Planned> {
    Some(match to {
        Navigate::Url(url) => Planned::new("browser_navigate", json!({ "url": url })),
        Navigate::Back => Planned::new("browser_back", json!({})),
        Navigate::Forward => Planned::new("browser_forward", json!({})),
        Navigate::Reload => Planned::new("browser_reload", json!({})),
        Navigate::Tab(number) => {
            Planned::new("browser_tabs", json!({ "action": "select", "tab": number }))
        }
        Navigate::Open => return None,
    })
}

pub(super) fn waiting(wait: &Wait) -> Option<Planned> {
    let mut arguments = match wait.until.as_ref()? {
        WaitFor::Visible(target) => json!({ "target": target, "state": "visible" }),
        WaitFor::Gone(target) => json!({ "target": target, "state": "hidden" }),
        WaitFor::Url(part) => json!({ "url": part }),
        WaitFor::Quiet => json!({ "event": "network_quiet" }),
        WaitFor::Time(time) => json!({ "time": time }),
    };
    if let (Some(timeout), false) = (&wait.timeout, matches!(wait.until, Some(WaitFor::Time(_)))) {
        arguments["timeout"] = timeout.as_str().into();
    }
    Some(Planned::new("browser_wait", arguments))
}

fn reading(extract: &Extract) -> Planned {
    match (&extract.target, extract.form) {
        (Some(target), ExtractAs::Picture) => {
            Planned::new("browser_take_screenshot", json!({ "target": target })).at("target")
        }
        (None, ExtractAs::Picture) => Planned::new("browser_take_screenshot", json!({})),
        (Some(target), _) => {
            Planned::new("browser_query", json!({ "target": target, "limit": 100 })).at("target")
        }
        (None, ExtractAs::Text) => Planned::new("browser_extract", json!({ "format": "text" })),
        (None, ExtractAs::Markdown | ExtractAs::Data) => {
            Planned::new("browser_extract", json!({ "format": "markdown" }))
        }
    }
}

fn dragging(drag: &Drag) -> Option<Planned> {
    let (from, to) = (drag.from.as_deref()?, drag.to.as_deref()?);
    Some(Planned::new("browser_drag", json!({ "from": from, "to": to })).at("from"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(work: Work) -> Vec<(&'static str, Value)> {
        let calls = planned(&work).into_iter();
        calls.map(|one| (one.tool, Value::Object(one.arguments))).collect()
    }

    fn input(target: Option<&str>, value: InputValue, submit: bool) -> Work {
        Work::Input(Input { target: target.map(str::to_owned), value: Some(value), submit })
    }

    #[test]
    fn exact_work_becomes_the_calls_that_do_it() {
        let text = InputValue::Text("a@b.c".into());
        let named = |target: &str| Some(target.to_owned());
        for (work, expected) in [
            (
                Work::Click(Click {
                    target: named("Log in"),
                    gesture: Gesture::Double,
                    until: None,
                }),
                vec![("browser_click", r#"{"count":2,"target":"Log in"}"#)],
            ),
            (
                input(Some("Email"), text, true),
                vec![(
                    "browser_type",
                    r#"{"clear":true,"submit":true,"target":"Email","text":"a@b.c"}"#,
                )],
            ),
            (
                input(Some("Terms"), InputValue::Checked(true), true),
                vec![
                    ("browser_fill_form", r#"{"fields":{"Terms":true}}"#),
                    ("browser_press_key", r#"{"key":"Enter"}"#),
                ],
            ),
            (
                input(None, InputValue::Key("Escape".into()), false),
                vec![("browser_press_key", r#"{"key":"Escape"}"#)],
            ),
            (
                Work::Wait(Wait {
                    until: Some(WaitFor::Visible("Dashboard".into())),
                    timeout: named("3s"),
                }),
                vec![(
                    "browser_wait",
                    r#"{"state":"visible","target":"Dashboard","timeout":"3s"}"#,
                )],
            ),
            (Work::Navigate(Navigate::Open), vec![]),
        ] {
            let read = |(tool, text)| (tool, serde_json::from_str(text).unwrap());
            let expected: Vec<(&str, Value)> = expected.into_iter().map(read).collect();
            assert_eq!(calls(work), expected);
        }
    }

    #[test]
    fn a_call_can_be_aimed_at_another_element() {
        let boxed = planned(&input(Some("Terms"), InputValue::Checked(true), false)).remove(0);
        assert_eq!(boxed.target(), Some("Terms"));
        assert_eq!(boxed.aimed_at("e5").arguments["fields"], json!({ "e5": true }));
    }
}
