//! What was done, in words: what a reply shows, what was read, what is under way.

use legwork_protocol::Reply;
use legwork_protocol::assistant::{Wait, WaitFor, Work};
use serde_json::{Map, Value};

use super::calls::Planned;
use super::elements;
use crate::run::Step;

/// What a reply shows to have happened, or what was read.
pub(super) fn verified(reply: &Reply, work: &Work) -> String {
    if let Work::Extract(_) = work {
        return what_was_read(reply);
    }
    let first = reply.text.lines().next().unwrap_or_default();
    let url = reply.data.get("url").and_then(Value::as_str);
    if let ("done", Work::Navigate(_), Some(url)) = (first, work, url) {
        let status = reply.data.get("status").and_then(Value::as_u64);
        let note = status.filter(|status| *status >= 400);
        let note = note.map(|status| format!(" (the site answers {status})")).unwrap_or_default();
        return format!("at {url}{note}");
    }
    if let ("done", Work::Wait(Wait { until: Some(until), .. })) = (first, work) {
        return waited(until);
    }
    let effects = reply.data.get("effects").and_then(Value::as_array);
    let effects = effects.into_iter().flatten().filter_map(Value::as_str).take(3);
    [first].into_iter().chain(effects).collect::<Vec<_>>().join("; ")
}

pub(super) fn waited(until: &WaitFor) -> String {
    match until {
        WaitFor::Visible(target) => format!("{target:?} is there"),
        WaitFor::Gone(target) => format!("{target:?} is gone"),
        WaitFor::Url(part) => format!("the address contains {part:?}"),
        WaitFor::Quiet => "nothing loads any more".to_owned(),
        WaitFor::Time(time) => format!("{time} have passed"),
    }
}

/// What was read: the content, the texts or values of the elements, or where the picture is.
pub(crate) fn what_was_read(reply: &Reply) -> String {
    let text = |name: &str| reply.data.get(name).and_then(Value::as_str);
    if let Some(content) = text("content") {
        return content.to_owned();
    }
    match reply.data.get("items") {
        Some(_) => elements::lines(&reply.data).join("\n"),
        None => reply.text.clone(),
    }
}

/// A call in words, for watchers.
pub(super) fn doing(planned: &Planned) -> String {
    let target = planned.target().map(|target| format!("{target:?}"));
    in_words(planned.tool, &planned.arguments, target)
}

/// A call that a model made, in words. A ref says nothing to a person: the page tells what it was.
pub(in crate::run) fn doing_of(step: &Step, page: &str) -> String {
    let target = step.arguments.get("target").and_then(Value::as_str);
    let fields = step.arguments.get("fields").and_then(Value::as_object);
    let named =
        target.into_iter().chain(fields.into_iter().flat_map(Map::keys).map(String::as_str));
    let shown = |name: &str| bracket(name, page).unwrap_or_else(|| format!("{name:?}"));
    let named: Vec<String> = named.map(shown).collect();
    in_words(&step.tool, &step.arguments, (!named.is_empty()).then(|| named.join(", ")))
}

/// The element of a ref as the page shows it: `[Log in e5]`. Brackets are the snapshot's own.
fn bracket(reference: &str, page: &str) -> Option<String> {
    reference.strip_prefix('e')?.parse::<u32>().ok()?;
    let inside = page.split('[').skip(1).filter_map(|rest| Some(rest.split_once(']')?.0));
    let mut inside = inside.filter(|text| text.split(' ').any(|word| word == reference));
    inside.next().map(|text| format!("[{text}]"))
}

fn in_words(tool: &str, arguments: &Map<String, Value>, target: Option<String>) -> String {
    let target = target.map(|target| format!(" {target}")).unwrap_or_default();
    let text =
        |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match tool {
        "browser_click" => format!("clicking{target}"),
        "browser_hover" => format!("pointing at{target}"),
        "browser_type" => format!("typing into{target}"),
        "browser_select" => format!("choosing in{target}"),
        "browser_fill_form" => format!("setting{target}"),
        "browser_upload" => format!("giving files to{target}"),
        "browser_press_key" => format!("pressing {}", text("key")),
        "browser_scroll" => {
            format!("scrolling{}", if target.is_empty() { target } else { format!(" to{target}") })
        }
        "browser_drag" => format!("dragging{target} to {:?}", text("to")),
        "browser_navigate" => format!("opening {}", text("url")),
        "browser_wait" => "waiting".to_owned(),
        "browser_query" | "browser_extract" => format!("reading{target}"),
        "browser_take_screenshot" => "taking a picture".to_owned(),
        other => other.trim_start_matches("browser_").replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::run::StepState;

    #[test]
    fn a_call_of_a_model_is_told_by_what_the_page_shows_for_its_ref() {
        let page = "# Times\n[Morning e8] [Evening e9]\n[Note: textbox e10]";
        for (tool, arguments, told) in [
            ("browser_click", json!({ "target": "e9" }), "clicking [Evening e9]"),
            ("browser_click", json!({ "target": "Evening" }), "clicking \"Evening\""),
            ("browser_click", json!({ "target": "e1" }), "clicking \"e1\""),
            ("browser_type", json!({ "target": "e10" }), "typing into [Note: textbox e10]"),
            ("browser_press_key", json!({ "key": "Enter" }), "pressing Enter"),
            (
                "browser_fill_form",
                json!({ "fields": { "e10": "a", "Name": "b" } }),
                "setting [Note: textbox e10], \"Name\"",
            ),
        ] {
            let Value::Object(arguments) = arguments else { unreachable!() };
            let step = Step {
                task: "t1".into(),
                number: 1,
                tool: tool.into(),
                arguments,
                state: StepState::Begun,
                told: String::new(),
                data: Value::Null,
            };
            assert_eq!(doing_of(&step, page), told);
        }
    }
}
