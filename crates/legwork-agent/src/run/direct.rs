//! Exact work is done without thinking: it becomes calls of tools, is verified by what they say happened,
//! and what stands in the way is got around as far as that needs no guess. Where it does, the person is
//! asked.

pub(crate) mod calls;
pub(crate) mod words;

use std::time::Duration;

use legwork_protocol::assistant::{
    AssistanceKind, AssistanceRequest, Reaction, Wait, WaitFor, Work,
};
use legwork_protocol::{Code, Reply, ToolError};
use serde_json::{Map, Value, json};

use super::{Hands, Step, StepState, id};
use crate::think::Achieved;
use calls::Planned;

/// How often a question about the same thing is put.
const QUESTIONS: usize = 3;

/// How long is waited before the first retry of what failed on its way; each further takes twice as long.
const BACKOFF: Duration = Duration::from_millis(250);

/// Retries of what failed on its way.
const RETRIES: u32 = 3;

/// Does exact work. What is not exact fails, and says so.
pub async fn carry_out(work: &Work, hands: &mut dyn Hands) -> Achieved {
    let planned = calls::planned(work);
    if planned.is_empty() {
        return Achieved::Failed(
            "what exactly to do is not known, and no model thinks of it".into(),
        );
    }
    // What was done before an interruption is not done again, and what it said still holds.
    let done = |step: &&Step| step.state == StepState::Done && !super::resume::is_look(&step.tool);
    let mut before: Vec<Step> = hands.before().iter().filter(done).cloned().collect();
    let mut told = Vec::new();
    for one in planned {
        if let Some(at) = before.iter().position(|step| step.tool == one.tool) {
            let Step { told: text, data, .. } = before.remove(at);
            told.push(verified(&Reply { text, data, images: Vec::new() }, work));
            continue;
        }
        match one_call(one, work, hands).await {
            Achieved::Done(what) => told.push(what),
            other => return other,
        }
    }
    Achieved::Done(told.join("; "))
}

/// What stands in the way of a call, and what may help.
enum Way {
    /// The same call once more, after this.
    Again(Help),
    /// The person says which element is meant.
    Which(Vec<String>),
    /// A dialog blocks the page.
    Dialog,
    /// It cannot be helped here.
    No,
}

/// What may help before a call is made again.
enum Help {
    /// A look at the page as it is now, and time for the element to appear.
    Look(&'static str),
    /// The element is brought into view.
    Scroll,
    /// The element gets time to become usable.
    Enabled,
    /// A pause, longer each time.
    Pause,
}

/// What was tried of one call.
struct Attempts {
    planned: Planned,
    /// Other ways to name its element that are left.
    others: Vec<String>,
    tries: u32,
    questions: usize,
}

async fn one_call(planned: Planned, work: &Work, hands: &mut dyn Hands) -> Achieved {
    hands.doing(&doing(&planned));
    let others = planned.target().map(words::alternatives).unwrap_or_default();
    let mut attempts = Attempts { planned, others, tries: 0, questions: 0 };
    loop {
        let Planned { tool, arguments, .. } = &attempts.planned;
        let error = match checked(hands.call(tool, arguments.clone()).await, &attempts.planned) {
            Ok(reply) => return Achieved::Done(verified(&reply, work)),
            Err(error) => error,
        };
        attempts.tries += 1;
        attempts.turn_to(&error);
        let ended = match way(&error, &attempts) {
            Way::Again(help) => {
                help_along(help, &attempts, hands).await;
                None
            }
            Way::Which(choices) => which(&error, choices, &mut attempts, hands).await,
            Way::Dialog => dialog(&error, hands).await,
            Way::No => attempts.another().then_some(()).map_or(Some(failed(&error)), |()| None),
        };
        if let Some(ended) = ended {
            return ended;
        }
    }
}

impl Attempts {
    /// Of a call that names two elements, the one that the error is about is named otherwise.
    fn turn_to(&mut self, error: &ToolError) {
        let to = self.planned.arguments.get("to").and_then(Value::as_str);
        let Some(to) = to.filter(|_| self.planned.tool == "browser_drag") else { return };
        if self.planned.target() != Some(to) && error.message.contains(&format!("{to:?}")) {
            self.others = words::alternatives(to);
            self.planned.place = Some(calls::Place::Argument("to"));
        }
    }

    /// Names the element in another way, if one is left.
    fn another(&mut self) -> bool {
        if self.others.is_empty() {
            return false;
        }
        self.planned = self.planned.aimed_at(&self.others.remove(0));
        true
    }
}

/// A call that found nothing where it should have, or a server that failed, has not done what it should.
fn checked(answer: Result<Reply, ToolError>, planned: &Planned) -> Result<Reply, ToolError> {
    let reply = answer?;
    let count = reply.data.get("count").and_then(Value::as_u64);
    if planned.tool == "browser_query" && count == Some(0) {
        let target = planned.target().unwrap_or_default();
        return Err(ToolError::new(Code::NotFound, format!("{target:?} not found")));
    }
    let status = reply.data.get("status").and_then(Value::as_u64);
    if let ("browser_navigate", Some(status @ 500..)) = (planned.tool, status) {
        return Err(ToolError::new(Code::NavigationFailed, format!("the site answers {status}")));
    }
    Ok(reply)
}

/// Finds the way around an error. What may already have been done is not done again.
fn way(error: &ToolError, attempts: &Attempts) -> Way {
    let first = attempts.tries <= 1;
    let asks = attempts.questions < QUESTIONS;
    let retries = attempts.tries < RETRIES;
    match error.code {
        Code::NotFound if first => Way::Again(Help::Look("2s")),
        // Something similar is not the same: the person says.
        Code::NotFound | Code::StaleRef | Code::Ambiguous if attempts.others.is_empty() && asks => {
            match words::named(&error.message) {
                choices if !choices.is_empty() => Way::Which(choices),
                _ if first => Way::Again(Help::Look("1s")),
                _ => Way::No,
            }
        }
        Code::Ambiguous if asks => match words::named(&error.message) {
            choices if choices.is_empty() => Way::No,
            choices => Way::Which(choices),
        },
        Code::StaleRef if first => Way::Again(Help::Look("1s")),
        Code::NotActionable if first && error.message.contains("is disabled") => {
            Way::Again(Help::Enabled)
        }
        Code::NotActionable if first => Way::Again(Help::Scroll),
        Code::ValueDiffers if first && repeats(attempts) => Way::Again(Help::Look("1s")),
        Code::NavigationFailed | Code::Timeout if retries && goes(attempts, error) => {
            Way::Again(Help::Pause)
        }
        Code::BrowserCrashed | Code::PageCrashed | Code::SessionClosed | Code::FrameGone
            if first && repeats(attempts) =>
        {
            Way::Again(Help::Pause)
        }
        Code::DialogOpen if asks => Way::Dialog,
        _ => Way::No,
    }
}

/// Whether a navigation failed for a reason that may pass.
fn goes(attempts: &Attempts, error: &ToolError) -> bool {
    const LASTING: &[&str] =
        &["ERR_NAME_NOT_RESOLVED", "ERR_CERT", "ERR_INVALID_URL", "ERR_ABORTED", "ERR_FILE"];
    attempts.planned.tool == "browser_navigate"
        && !LASTING.iter().any(|reason| error.message.contains(reason))
}

/// Whether doing it again is the same as doing it once.
fn repeats(attempts: &Attempts) -> bool {
    super::resume::is_safe_to_repeat(attempts.planned.tool, &attempts.planned.arguments)
}

async fn help_along(help: Help, attempts: &Attempts, hands: &mut dyn Hands) {
    let target = attempts.planned.target().map(str::to_owned);
    let wait = |state: &str, timeout: &str| {
        target.as_ref().map(|target| {
            let wait =
                json!({ "target": target, "state": state, "timeout": timeout, "observe": "none" });
            ("browser_wait", wait)
        })
    };
    let helping = match help {
        Help::Look(timeout) => {
            super::look(hands).await.ok();
            wait("visible", timeout)
        }
        Help::Enabled => wait("enabled", "5s"),
        Help::Scroll => target
            .as_ref()
            .map(|target| ("browser_scroll", json!({ "target": target, "observe": "none" }))),
        Help::Pause => {
            tokio::time::sleep(BACKOFF * 2_u32.pow(attempts.tries.saturating_sub(1))).await;
            None
        }
    };
    if let Some((tool, Value::Object(arguments))) = helping {
        // Whether it helped is seen by the call that follows.
        hands.call(tool, arguments).await.ok();
    }
}

/// Asks which element is meant, and aims at it. Something else that is said is looked for instead.
async fn which(
    error: &ToolError,
    choices: Vec<String>,
    attempts: &mut Attempts,
    hands: &mut dyn Hands,
) -> Option<Achieved> {
    let target = attempts.planned.target().unwrap_or_default().to_owned();
    let liked = hands.liked().iter().rev().find_map(|said| words::chosen(said, &choices).cloned());
    if let Some(liked) = liked {
        attempts.planned = attempts.planned.aimed_at(&liked);
        return None;
    }
    attempts.questions += 1;
    let message = match error.code {
        Code::Ambiguous => format!("Which one is meant by {target:?}?"),
        _ => format!("{target:?} is not there. Is one of these meant?"),
    };
    match hands.ask(question(message, doing(&attempts.planned), choices.clone())).await {
        Reaction::Said(said) => {
            let aim = words::chosen(&said, &choices).cloned().unwrap_or(said);
            attempts.planned = attempts.planned.aimed_at(&aim);
            attempts.others.clear();
            None
        }
        other => Some(without_words(other)),
    }
}

/// Asks what to do about a dialog that blocks the page, and does it.
async fn dialog(error: &ToolError, hands: &mut dyn Hands) -> Option<Achieved> {
    let choices = vec!["OK".to_owned(), "Cancel".to_owned()];
    let request = question(format!("The page asks: {}", error.message), error.told(), choices);
    match hands.ask(request).await {
        Reaction::Said(said) => {
            let accept = said.trim().eq_ignore_ascii_case("ok");
            let answer = Map::from_iter([("accept".to_owned(), accept.into())]);
            match hands.call("browser_handle_dialog", answer).await {
                Ok(_) => None,
                Err(error) => Some(failed(&error)),
            }
        }
        Reaction::Done => None,
        other => Some(without_words(other)),
    }
}

/// A question with choices.
pub(crate) fn question(
    message: String,
    context: String,
    choices: Vec<String>,
) -> AssistanceRequest {
    let kind = AssistanceKind::Custom;
    AssistanceRequest { id: id("a"), kind, message, context, choices, timeout: None }
}

fn without_words(reaction: Reaction) -> Achieved {
    match reaction {
        Reaction::Done | Reaction::Said(_) => Achieved::Done("done by you".into()),
        Reaction::Skip => Achieved::Skipped,
        Reaction::Stop => Achieved::Stopped,
    }
}

fn failed(error: &ToolError) -> Achieved {
    Achieved::Failed(error.told())
}

/// What a reply shows to have happened, or what was read.
fn verified(reply: &Reply, work: &Work) -> String {
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
fn doing(planned: &Planned) -> String {
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
