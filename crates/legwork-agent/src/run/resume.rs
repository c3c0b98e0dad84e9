//! What a killed run had begun: was it done? What is safe to repeat is repeated. Of the rest, the page is
//! asked, and where it does not say, the person. Nothing is done twice on a guess.

use legwork_protocol::assistant::{Reaction, Task, TaskStatus, Work};
use legwork_protocol::find;
use serde_json::{Map, Value, json};
use url::Url;

use super::direct::{calls, doing_of, question};
use super::hands::About;
use super::store::Reach;
use super::worker::Worker;
use super::{Hands, Step, StepState};
use crate::assist::{Seen, recognise};
use crate::think::Achieved;

pub(super) const DONE: &str = "Done";
pub(super) const AGAIN: &str = "Do it again";
const STOP: &str = "Stop";

/// Whether a step only looked.
pub(crate) fn is_look(step: &Step) -> bool {
    find(&step.tool).is_some_and(|spec| spec.hints_of(&step.arguments).read_only)
}

/// Whether a call done twice is the same as done once: by what is true of its tool, or because of how it
/// is called.
pub(crate) fn is_safe_to_repeat(tool: &str, arguments: &Map<String, Value>) -> bool {
    let Some(spec) = find(tool) else { return false };
    let is = |name: &str| arguments.get(name) == Some(&Value::Bool(true));
    let sends = || arguments.get("submit").is_some_and(|submit| *submit != Value::Bool(false));
    let hints = spec.hints_of(arguments);
    hints.read_only
        || hints.idempotent
        || match spec.name {
            // What is in the field is replaced by the same. A line break in it is the Enter key.
            "browser_type" => is("clear") && !sends() && !has_line_break(arguments.get("text")),
            // A text may be chosen by clicks in a list of the page's own making, as with browser_select.
            "browser_fill_form" => !sends() && only_ticks(arguments.get("fields")),
            "browser_scroll" => !arguments.contains_key("dx") && !arguments.contains_key("dy"),
            "browser_tabs" => arguments.get("action").and_then(Value::as_str) == Some("select"),
            _ => false,
        }
}

fn has_line_break(text: Option<&Value>) -> bool {
    text.and_then(Value::as_str).is_some_and(|text| text.contains(['\n', '\r']))
}

fn only_ticks(fields: Option<&Value>) -> bool {
    let Some(fields) = fields else { return true };
    fields.as_object().is_some_and(|fields| fields.values().all(Value::is_boolean))
}

/// Whether a browser that shows this was just started.
fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank"
}

/// A run goes on in the browser it was in. If that is gone and the run had only gone to addresses, the last
/// one is opened again; else the person says whether to go on. `false` ends the run.
pub(super) async fn find_browser(worker: &mut Worker) -> bool {
    let Some(list) = &worker.record.state.tasks else { return true };
    let was = list.context.current_url.clone();
    let Ok(seen) = super::look(worker).await else { return true };
    let is = seen.data.get("url").and_then(Value::as_str).unwrap_or_default();
    if !is_blank(is) || is_blank(&was) {
        return true;
    }
    let acts = |step: &Step| {
        let moves = is_look(step) || step.tool == "browser_navigate";
        !moves && step.state != StepState::Failed
    };
    if worker.steps.iter().any(acts) {
        let open = format!("Open {was} and go on");
        let message = format!(
            "The browser of this run is gone, and with it what was on the page. It was at {was}."
        );
        let about = "the run is resumed in a new browser".to_owned();
        let choices = vec![open.clone(), STOP.to_owned()];
        match worker.put(question(message, about, choices), About::Interruption).await {
            Reaction::Said(said) if said == open => {}
            Reaction::Done | Reaction::Skip => return true,
            _ => return false,
        }
    }
    let to = Map::from_iter([("url".to_owned(), was.into())]);
    worker.call("browser_navigate", to).await.ok();
    true
}

/// Finds out what came of the call that the task under way was interrupted in, if it was. An outcome ends
/// the task; otherwise it goes on, and what was done is in what was done before.
pub(super) async fn settle(worker: &mut Worker) -> Option<Achieved> {
    let begun = unsettled(&worker.before)?.clone();
    if is_safe_to_repeat(&begun.tool, &begun.arguments) {
        close(worker, begun, StepState::Failed, "interrupted; it is safe to do it again");
        return None;
    }
    match happened(worker, &begun).await {
        Happened::Yes(how) => close(worker, begun, StepState::Done, &how),
        Happened::No => close(worker, begun, StepState::Failed, "interrupted before it was done"),
        Happened::Unknown => return ask(worker, begun).await,
    }
    None
}

/// The call that nobody knows the end of: the last act of a task, if it has no answer.
pub(super) fn unsettled(steps: &[Step]) -> Option<&Step> {
    let safe = |step: &Step| is_safe_to_repeat(&step.tool, &step.arguments);
    let last_act = steps.iter().rev().find(|step| !is_look(step));
    let interrupted = steps.last().filter(|step| safe(step));
    let begun = |step: &&Step| step.state == StepState::Begun;
    last_act.filter(begun).or(interrupted.filter(begun))
}

enum Happened {
    Yes(String),
    No,
    Unknown,
}

/// What the page says: it is let come to rest, looked at twice, and compared with how it was before.
async fn happened(worker: &mut Worker, begun: &Step) -> Happened {
    let quiet = json!({ "event": "network_quiet", "timeout": "5s", "observe": "none" });
    if let Value::Object(quiet) = quiet {
        worker.call("browser_wait", quiet).await.ok();
    }
    let (Ok(one), Ok(two)) = (super::look(worker).await, super::look(worker).await) else {
        return Happened::Unknown;
    };
    let Some((was_at, was)) = seen_before(&worker.steps, begun.number) else {
        return Happened::Unknown;
    };
    let text = |data: &Value, name: &str| {
        data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let (at, now) = (text(&two.data, "url"), text(&two.data, "page"));
    if text(&one.data, "page") != now {
        return Happened::Unknown;
    }
    let instruction = worker.record.execute.instruction.clone();
    let barred = Seen::of(&two, &instruction).is_none_or(|seen| recognise(&seen).is_some());
    if barred || is_replaced(&worker.steps, begun.number) || !is_same_site(&was_at, &at) {
        return Happened::Unknown;
    }
    let moved = at != was_at;
    let harmless =
        find(&begun.tool).is_some_and(|spec| !spec.hints_of(&begun.arguments).destructive);
    if !moved && now == was {
        return if harmless { Happened::No } else { Happened::Unknown };
    }
    match next_target(worker) {
        // An address changes for many reasons: that something was sent does not follow from it.
        None if moved && harmless => {
            Happened::Yes(format!("done before the interruption: the page is at {at}"))
        }
        None => Happened::Unknown,
        Some(target) => {
            let known = was.to_lowercase().contains(&target.to_lowercase());
            let new = !known || moved && harmless;
            match new && is_there(worker, &target).await {
                true => Happened::Yes(format!("done before the interruption: {target:?} is there")),
                false => Happened::Unknown,
            }
        }
    }
}

/// Whether another browser took the place of the one that a step began in: it was seen to be blank since.
fn is_replaced(steps: &[Step], number: u32) -> bool {
    let since = steps.iter().filter(|step| step.number > number);
    let shown = since.filter_map(|step| step.data.get("url").and_then(Value::as_str));
    shown.into_iter().any(is_blank)
}

/// Whether the browser is still on the site it was on. Error pages of the browser are of no site.
fn is_same_site(was: &str, is: &str) -> bool {
    if is_blank(is) || is.starts_with("chrome-error:") {
        return false;
    }
    let origin = |url: &str| Url::parse(url).ok().map(|url| url.origin());
    was == is || origin(was).is_some_and(|was| origin(is) == Some(was))
}

/// Address and page as they were when a step began; unknown if something was done since they were seen.
fn seen_before(steps: &[Step], number: u32) -> Option<(String, String)> {
    for step in steps.iter().rev().filter(|step| step.number < number) {
        let text = |name: &str| step.data.get(name).and_then(Value::as_str).map(str::to_owned);
        if step.state == StepState::Done
            && let (Some(url), Some(page)) = (text("url"), text("page"))
        {
            return Some((url, page));
        }
        if !is_look(step) && step.state != StepState::Failed {
            return None;
        }
    }
    None
}

/// The element that the next task needs: that it is there tells that this one was done.
fn next_target(worker: &Worker) -> Option<String> {
    let index = worker.current?;
    let following = worker.tasks().iter().skip(index + 1);
    let pending = |task: &&Task| task.status == TaskStatus::Pending;
    let next = following.clone().find(pending)?;
    if let Work::Wait(wait) = &next.work {
        return match wait.until.as_ref()? {
            legwork_protocol::assistant::WaitFor::Visible(target) => Some(target.clone()),
            _ => None,
        };
    }
    calls::planned(&next.work).first()?.target().map(str::to_owned)
}

async fn is_there(worker: &mut Worker, target: &str) -> bool {
    let query = Map::from_iter([("target".to_owned(), target.into())]);
    let found = worker.call("browser_query", query).await;
    let count = found.ok().and_then(|reply| reply.data.get("count").and_then(Value::as_u64));
    count.is_some_and(|count| count > 0)
}

async fn ask(worker: &mut Worker, begun: Step) -> Option<Achieved> {
    let what = what(worker, &begun);
    let message = format!("This was interrupted and may have been done: {what}. Look at the page.");
    let about = "it is not safe to do it twice".to_owned();
    let choices = [DONE, AGAIN, STOP].map(str::to_owned).to_vec();
    match worker.put(question(message, about, choices), About::Interruption).await {
        Reaction::Done => close(worker, begun, StepState::Done, "done, as you said"),
        Reaction::Said(said) if said.trim().eq_ignore_ascii_case(DONE) => {
            close(worker, begun, StepState::Done, "done, as you said");
        }
        Reaction::Said(said) if said.trim().eq_ignore_ascii_case(AGAIN) => {
            close(worker, begun, StepState::Failed, "not done, as you said");
        }
        Reaction::Skip => return Some(Achieved::Skipped),
        // Anything else is no leave to do it again.
        Reaction::Said(_) | Reaction::Stop => return Some(Achieved::Stopped),
    }
    None
}

/// What was interrupted, in words. A task that a model works at is done by several calls: of which one it is
/// not known whether it was done has to be said, or the wrong one would be done again.
fn what(worker: &Worker, begun: &Step) -> String {
    let task = worker.current.and_then(|index| worker.tasks().get(index));
    let Some(task) = task else { return begun.tool.clone() };
    if !worker.record.thought_of.contains(&task.id) {
        return task.description.clone();
    }
    // Refs are never given twice: whatever showed this one last says what it is.
    let earlier = worker.steps.iter().rev().filter(|step| step.number < begun.number);
    let shown = earlier.flat_map(|step| {
        let page = step.data.get("page").and_then(Value::as_str).unwrap_or_default();
        [step.told.as_str(), page]
    });
    let shown = shown.collect::<Vec<_>>().join("\n");
    format!("{}, for: {}", doing_of(begun, &shown), task.description)
}

/// Writes down what came of the step that was interrupted.
fn close(worker: &mut Worker, step: Step, state: StepState, told: &str) {
    let step = Step { state, told: told.to_owned(), ..step };
    if let Some(one) = worker.before.iter_mut().find(|one| one.number == step.number) {
        *one = step.clone();
    }
    worker.save_step(step, Reach::Disk);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_the_same_is_safe_to_repeat() {
        for (tool, arguments, safe) in [
            ("browser_snapshot", json!({}), true),
            ("browser_navigate", json!({ "url": "http://a/" }), true),
            ("browser_type", json!({ "target": "a", "text": "b", "clear": true }), true),
            ("browser_type", json!({ "target": "a", "text": "b" }), false),
            ("browser_type", json!({ "text": "b", "clear": true, "submit": true }), false),
            ("browser_type", json!({ "text": "b\n", "clear": true }), false),
            ("browser_type", json!({ "text": "a\rb", "clear": true }), false),
            ("browser_select", json!({ "target": "a", "option": "b" }), false),
            ("browser_fill_form", json!({ "fields": { "a": true } }), true),
            ("browser_fill_form", json!({ "fields": { "a": "b" } }), false),
            ("browser_fill_form", json!({ "fields": {}, "submit": "Send" }), false),
            ("browser_fill_form", json!({ "fields": {}, "submit": false }), true),
            ("browser_click", json!({ "target": "a" }), false),
            ("browser_press_key", json!({ "key": "Enter" }), false),
            ("browser_wait", json!({ "text": "Saved" }), true),
            ("browser_wait", json!({ "expression": "order()" }), false),
            ("browser_scroll", json!({ "to": "top" }), true),
            ("browser_scroll", json!({ "dy": 300 }), false),
            ("nothing_known", json!({}), false),
        ] {
            let Value::Object(map) = arguments else { unreachable!() };
            assert_eq!(is_safe_to_repeat(tool, &map), safe, "{tool} {map:?}");
        }
    }

    #[test]
    fn another_site_or_another_browser_tells_nothing() {
        for (was, is, same) in [
            ("http://a.test/order", "http://a.test/thanks?n=1", true),
            ("data:text/html,x", "data:text/html,x", true),
            ("data:text/html,x", "data:text/html,y", false),
            ("http://a.test/", "http://b.test/", false),
            ("http://a.test/", "https://a.test/", false),
            ("http://a.test/", "about:blank", false),
            ("about:blank", "about:blank", false),
            ("http://a.test/", "chrome-error://chromewebdata/", false),
        ] {
            assert_eq!(is_same_site(was, is), same, "{was} {is}");
        }
        let step = |number: u32, url: &str| Step {
            task: String::new(),
            number,
            tool: "browser_snapshot".into(),
            arguments: Map::new(),
            state: StepState::Done,
            told: String::new(),
            data: json!({ "url": url }),
        };
        let steps = [step(1, "about:blank"), step(2, "http://a.test/")];
        assert!(!is_replaced(&steps, 2));
        let steps = [step(2, "http://a.test/"), step(3, "about:blank"), step(4, "http://a.test/")];
        assert!(is_replaced(&steps, 2));
    }

    #[test]
    fn the_page_before_is_known_unless_something_was_done_since() {
        let step = |number: u32, tool: &str, state: StepState, data: Value| Step {
            task: "t1".into(),
            number,
            tool: tool.into(),
            arguments: Map::new(),
            state,
            told: String::new(),
            data,
        };
        let seen = json!({ "url": "http://a/", "page": "Hello" });
        let looked = step(1, "browser_snapshot", StepState::Done, seen);
        let begun = step(3, "browser_click", StepState::Begun, Value::Null);
        let refused = step(2, "browser_click", StepState::Failed, Value::Null);
        let acted = step(2, "browser_click", StepState::Done, json!({ "url": "http://a/" }));
        let known = seen_before(&[looked.clone(), refused, begun.clone()], 3);
        assert_eq!(known, Some(("http://a/".into(), "Hello".into())));
        assert_eq!(seen_before(&[looked, acted, begun], 3), None);
    }
}
