//! Exact work is done without thinking: it becomes calls of tools, is verified by what they say happened,
//! and what stands in the way is got around as far as that needs no guess. Where it does, the person is
//! asked.

pub(crate) mod calls;
mod elements;
mod repeat;
mod tell;
pub(crate) mod words;

use std::time::Duration;

use legwork_protocol::assistant::{AssistanceKind, AssistanceRequest, Click, Reaction, Work};
use legwork_protocol::{Code, Reply, ToolError};
use serde_json::{Map, Value, json};

use super::{Hands, Step, StepState, id};
use crate::think::Achieved;
use calls::Planned;
pub(super) use tell::doing_of;
pub(crate) use tell::what_was_read;
use tell::{doing, verified};
use words::Naming;

/// The choice of a person who has changed the page: what was missed may be there now.
pub const LOOK_AGAIN: &str = "Look again";

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
    let done = |step: &&Step| step.state == StepState::Done && !super::resume::is_look(step);
    let mut before: Vec<Step> = hands.before().iter().filter(done).cloned().collect();
    if let Work::Click(Click { until: Some(until), .. }) = work {
        return repeat::until(planned, until, before.len(), hands).await;
    }
    let mut told = Vec::new();
    for one in planned {
        if let Some(at) = before.iter().position(|step| step.tool == one.tool) {
            let Step { told: text, data, .. } = before.remove(at);
            told.push(verified(&Reply { text, data, images: Vec::new() }, work));
            continue;
        }
        match one_call(one, hands).await {
            Ok(reply) => told.push(verified(&reply, work)),
            Err(ended) => return ended,
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
    /// Something else gets what is meant for the element: the person moves it away.
    Astray,
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
    others: Vec<Naming>,
    tries: u32,
    questions: usize,
}

/// Makes a call, in other ways where the first is barred. Where none is left, the error is what the task
/// ends with.
async fn one_call(planned: Planned, hands: &mut dyn Hands) -> Result<Reply, Achieved> {
    hands.doing(&doing(&planned));
    let others = planned.target().map(words::alternatives).unwrap_or_default();
    let mut attempts = Attempts { planned, others, tries: 0, questions: 0 };
    loop {
        let Planned { tool, arguments, .. } = &attempts.planned;
        let error = match checked(hands.call(tool, arguments.clone()).await, &attempts.planned) {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        attempts.tries += 1;
        attempts.turn_to(&error);
        let missing = matches!(error.code, Code::NotFound | Code::StaleRef);
        if missing && attempts.another(hands).await {
            continue;
        }
        let ended = match way(&error, &attempts) {
            Way::Again(help) => {
                help_along(help, &attempts, hands).await;
                None
            }
            Way::Which(choices) => which(&error, choices, &mut attempts, hands).await,
            Way::Astray => astray(&error, &mut attempts, hands).await,
            Way::Dialog => dialog(&error, hands).await,
            Way::No => Some(failed(&error)),
        };
        if let Some(ended) = ended {
            return Err(ended);
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

    /// Aims at what was chosen.
    fn aim_at(&mut self, choice: &str) {
        let reads = self.planned.tool == "browser_query";
        let reference = elements::reference(choice).filter(|_| reads);
        self.planned = self.planned.aimed_at(reference.unwrap_or(choice));
    }

    /// Names the element in another way, if one fits what is there now.
    async fn another(&mut self, hands: &mut dyn Hands) -> bool {
        for index in 0..self.others.len() {
            if fits(&self.others[index], hands).await {
                let way = self.others.remove(index);
                self.planned = self.planned.aimed_at(&way.words);
                return true;
            }
        }
        false
    }
}

/// Whether something is called this. A way that says less has to be the whole name of one element, or it
/// might be another's.
async fn fits(way: &Naming, hands: &mut dyn Hands) -> bool {
    let query = Map::from_iter([("target".to_owned(), way.words.as_str().into())]);
    let Ok(reply) = hands.call("browser_query", query).await else { return false };
    let items = reply.data.get("items").and_then(Value::as_array);
    let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_lowercase);
    let whole = |item: &&Value| name(item).as_deref() == Some(way.words.to_lowercase().as_str());
    items.is_some_and(|items| match way.says_less {
        true => items.iter().filter(whole).count() == 1,
        false => !items.is_empty(),
    })
}

/// A call that did not find what it should have, or a server that failed, has not done what it should.
fn checked(answer: Result<Reply, ToolError>, planned: &Planned) -> Result<Reply, ToolError> {
    let reply = answer?;
    if planned.tool == "browser_query" {
        return elements::readable(reply, planned.target().unwrap_or_default());
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
        Code::NotFound | Code::StaleRef if asks => match words::named(&error.message) {
            choices if !choices.is_empty() => Way::Which(choices),
            _ if first => Way::Again(Help::Look("1s")),
            _ => Way::No,
        },
        Code::Ambiguous if asks => match words::named(&error.message) {
            choices if choices.is_empty() => Way::No,
            choices => Way::Which(choices),
        },
        Code::StaleRef if first => Way::Again(Help::Look("1s")),
        Code::NotActionable if first && error.message.contains("is disabled") => {
            Way::Again(Help::Enabled)
        }
        Code::NotActionable if first => Way::Again(Help::Scroll),
        // It is told only of what the element did not get: doing it again is doing it once.
        Code::Intercepted if first => Way::Again(Help::Look("1s")),
        Code::Intercepted if asks => Way::Astray,
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
    let mut liked = hands.liked().into_iter().rev();
    let liked = liked.find_map(|said| words::preferred(&said, &choices).cloned());
    if let Some(liked) = liked {
        attempts.aim_at(&liked);
        return None;
    }
    attempts.questions += 1;
    let message = match error.code {
        Code::Ambiguous => format!("Which one is meant by {target:?}?"),
        _ => format!("{target:?} is not there. Is one of these meant?"),
    };
    let is_missing = error.code != Code::Ambiguous;
    let mut offered = choices.clone();
    offered.extend(is_missing.then(|| LOOK_AGAIN.to_owned()));
    match hands.ask(question(message, doing(&attempts.planned), offered)).await {
        Reaction::Done if is_missing => None,
        Reaction::Said(said) if is_missing && said.trim().eq_ignore_ascii_case(LOOK_AGAIN) => None,
        Reaction::Said(said) => {
            let aim = words::chosen(&said, &choices).cloned();
            // What is not meant is no name of what is: the question is put again.
            if aim.is_none() && words::is_negated(&said) {
                return None;
            }
            let aim = aim.unwrap_or_else(|| words::narrowed(&target, &said));
            attempts.aim_at(&aim);
            attempts.others.clear();
            None
        }
        other => Some(without_words(other)),
    }
}

/// Asks for what got in the way to be moved, and tries again.
async fn astray(
    error: &ToolError,
    attempts: &mut Attempts,
    hands: &mut dyn Hands,
) -> Option<Achieved> {
    attempts.questions += 1;
    let told = error.message.lines().next().unwrap_or_default().trim_end_matches('.');
    let message = format!("{told}. Move away what is in the way, then look again.");
    let choices = vec![LOOK_AGAIN.to_owned()];
    match hands.ask(question(message, doing(&attempts.planned), choices)).await {
        Reaction::Said(said) if words::is_negated(&said) => Some(failed(error)),
        Reaction::Done | Reaction::Said(_) => None,
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
