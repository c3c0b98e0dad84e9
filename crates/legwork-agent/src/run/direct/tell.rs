//! What was done, in words: what a reply shows, what was read, what is under way.

use legwork_protocol::Reply;
use legwork_protocol::assistant::{Wait, WaitFor, Work};
use serde_json::Value;

use super::calls::Planned;

/// What a reply shows to have happened, or what was read.
pub(super) fn verified(reply: &Reply, work: &Work) -> String {
    if let Work::Extract(_) = work {
        return read(reply);
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

fn waited(until: &WaitFor) -> String {
    match until {
        WaitFor::Visible(target) => format!("{target:?} is there"),
        WaitFor::Gone(target) => format!("{target:?} is gone"),
        WaitFor::Url(part) => format!("the address contains {part:?}"),
        WaitFor::Quiet => "nothing loads any more".to_owned(),
        WaitFor::Time(time) => format!("{time} have passed"),
    }
}

/// What was read: the content, the texts or values of the elements, or where the picture is.
fn read(reply: &Reply) -> String {
    let text = |name: &str| reply.data.get(name).and_then(Value::as_str);
    if let Some(content) = text("content") {
        return content.to_owned();
    }
    let Some(items) = reply.data.get("items").and_then(Value::as_array) else {
        return reply.text.clone();
    };
    let one = |item: &Value| {
        let part = |name: &str| item.get(name).and_then(Value::as_str).filter(|it| !it.is_empty());
        part("value").or(part("text")).or(part("name")).unwrap_or_default().to_owned()
    };
    items.iter().map(one).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A call in words, for watchers.
pub(super) fn doing(planned: &Planned) -> String {
    let target = planned.target().map(|target| format!(" {target:?}")).unwrap_or_default();
    let text = |name: &str| {
        planned.arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    match planned.tool {
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
