//! Asking a person. An approval is for one action on one element, is used once, expires, and cannot be
//! given by whoever made the call: the answer comes through a channel that tools do not hold.

mod hook;
mod remembered;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use legwork_protocol::{Answer, Code, Person, Question, ToolError};
use tokio::sync::{oneshot, watch};

use sha2::{Digest as _, Sha256};
use url::Url;

use crate::answer::shortened;
use crate::policy::{Decision, Facts, Kind, Stance};

pub use remembered::Remembered;

/// The questions that wait for an answer, and the answers that count for longer than once.
pub struct Approvals {
    pending: Mutex<Vec<Pending>>,
    /// Who looks at what is pending: at a session's, or at everything.
    attending: Mutex<Vec<(u64, Option<String>)>>,
    /// Counts questions that came or went.
    changes: watch::Sender<u64>,
    remembered: Option<PathBuf>,
}

struct Pending {
    question: Question,
    answer: oneshot::Sender<Answer>,
}

/// A person said yes to exactly this action, just now; or nobody had to be asked.
#[derive(Debug)]
pub(crate) struct Approval {
    /// Who said so, for the record.
    pub(crate) by: String,
}

/// How questions are put.
pub(crate) struct Asking<'a> {
    /// Everything that is asked about.
    pub(crate) facts: &'a [Facts],
    /// The arguments of the call, without secrets.
    pub(crate) arguments: &'a str,
    pub(crate) decision: &'a Decision,
    /// The door the call came through.
    pub(crate) door: &'a str,
    /// The person behind the door, if it has one.
    pub(crate) person: Option<&'a Arc<dyn Person>>,
    /// After this time the answer is no.
    pub(crate) expires: Duration,
    /// What counts where nobody can be asked.
    pub(crate) unanswered: Stance,
    /// A command that answers.
    pub(crate) hook: Option<&'a [String]>,
}

/// Somebody looks at what is pending, as long as this lives.
pub struct Attendance {
    approvals: Arc<Approvals>,
    number: u64,
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.approvals.attending().retain(|(number, _)| *number != self.number);
    }
}

impl Approvals {
    /// Approvals that remember in this file what is always allowed; without one, always is this once.
    pub fn new(remembered: Option<PathBuf>) -> Approvals {
        let (pending, attending, changes) = Default::default();
        Approvals { pending, attending, changes, remembered }
    }

    fn list(&self) -> MutexGuard<'_, Vec<Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What waits for an answer now, oldest first.
    pub fn pending(&self) -> Vec<Question> {
        self.list().iter().map(|pending| pending.question.clone()).collect()
    }

    /// Tells when questions come or go.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Somebody is there who can be asked, about one session or about all.
    pub fn attend(self: &Arc<Self>, session: Option<String>) -> Attendance {
        let mut attending = self.attending();
        let number = attending.last().map_or(0, |(number, _)| number + 1);
        attending.push((number, session));
        drop(attending);
        Attendance { approvals: self.clone(), number }
    }

    fn attending(&self) -> MutexGuard<'_, Vec<(u64, Option<String>)>> {
        self.attending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anybody looks at what is pending for a session.
    pub fn is_attended(&self, session: &str) -> bool {
        let looks = |whose: &Option<String>| whose.as_deref().is_none_or(|whose| whose == session);
        self.attending().iter().any(|(_, whose)| looks(whose))
    }

    /// Answers a question. Each can be answered once.
    pub fn answer(&self, id: &str, answer: Answer) -> Result<Question, ToolError> {
        let found = {
            let mut list = self.list();
            let at = list.iter().position(|pending| pending.question.id == id);
            at.map(|at| list.remove(at))
        };
        let gone = || {
            let message = format!("no question {id:?} waits for an answer");
            let hint = "it was answered, expired, or its caller gave up";
            ToolError::new(Code::NotFound, message).with_hint(hint)
        };
        let pending = found.ok_or_else(gone)?;
        pending.answer.send(answer).map_err(|_| gone())?;
        Ok(pending.question)
    }

    /// Asks whoever can be asked, and waits for the first answer.
    pub(crate) async fn ask(&self, asking: &Asking<'_>) -> Result<Approval, ToolError> {
        let question = question(asking);
        if let Some(known) = remembered::find(self.remembered.as_deref(), &question) {
            return Ok(Approval { by: format!("always allowed since {}", known.since) });
        }
        // Who is asked after this call is not waited for during it; who looks at what is pending is.
        let later = asking.person.filter(|person| person.is_asked_later());
        let waits = (asking.unanswered != Stance::Allow && later.is_none())
            || self.is_attended(&question.session);
        if asking.person.is_none() && asking.hook.is_none() && !waits {
            return Ok(Approval { by: "nobody could be asked".into() });
        }
        match tokio::time::timeout(asking.expires, self.answered(asking, &question, waits)).await {
            Ok(Some((by, Answer::Approve))) => Ok(Approval { by: format!("approved: {by}") }),
            Ok(Some((by, Answer::Always))) => {
                remembered::add(self.remembered.as_deref(), &question)?;
                Ok(Approval { by: format!("always allowed: {by}") })
            }
            Ok(Some((by, Answer::Deny))) => Err(refused(&question, &format!("denied: {by}"))),
            Ok(None) | Err(_) if let Some(person) = later => {
                person.ask_later(&question);
                Err(refused(&question, "the person at the door is asked first")
                    .with_hint("call again with what they answered; the client is told how"))
            }
            // Somebody was to be asked and could not be: that is no yes.
            Ok(None) => Err(refused(&question, "nobody could be asked")),
            Err(_) => Err(refused(&question, "nobody answered in time").with_hint(
                "a person can answer with `legwork approve` while the call waits; then call again",
            )),
        }
    }

    /// The first answer of any channel; `None` if none has one.
    async fn answered(
        &self,
        asking: &Asking<'_>,
        question: &Question,
        waits: bool,
    ) -> Option<(&'static str, Answer)> {
        let mut channels = FuturesUnordered::new();
        if let Some(person) = asking.person {
            channels.push(named("the person at the door", person.ask(question)));
        }
        if let Some(command) = asking.hook {
            channels.push(named("the hook", Box::pin(hook::ask(command, question))));
        }
        if waits {
            channels.push(named("legwork approve", Box::pin(self.posted(question))));
        }
        while let Some((by, answer)) = channels.next().await {
            if let Some(answer) = answer {
                return Some((by, answer));
            }
        }
        None
    }

    /// Posts the question where people look, and takes it back when this is dropped.
    async fn posted(&self, question: &Question) -> Option<Answer> {
        let (answer, told) = oneshot::channel();
        self.list().push(Pending { question: question.clone(), answer });
        self.changes.send_modify(|count| *count += 1);
        let _taken_back = TakenBack { approvals: self, id: &question.id };
        told.await.ok()
    }

    /// What is always allowed.
    pub fn remembered(&self) -> Result<Vec<Remembered>, ToolError> {
        remembered::list(self.remembered.as_deref())
    }

    /// Asks again from now on.
    pub fn forget(&self, id: &str) -> Result<Remembered, ToolError> {
        remembered::forget(self.remembered.as_deref(), id)
    }
}

struct TakenBack<'a> {
    approvals: &'a Approvals,
    id: &'a str,
}

impl Drop for TakenBack<'_> {
    fn drop(&mut self) {
        self.approvals.list().retain(|pending| pending.question.id != self.id);
        self.approvals.changes.send_modify(|count| *count += 1);
    }
}

type Channel<'a> =
    std::pin::Pin<Box<dyn Future<Output = (&'static str, Option<Answer>)> + Send + 'a>>;

fn named<'a>(by: &'static str, asked: legwork_protocol::Asked<'a>) -> Channel<'a> {
    Box::pin(async move { (by, asked.await) })
}

fn refused(question: &Question, why: &str) -> ToolError {
    let Question { action, site, because, .. } = question;
    ToolError::new(Code::Denied, format!("{action} on {site} was not done, {why} ({because})"))
}

fn question(asking: &Asking<'_>) -> Question {
    let Asking { facts, arguments, decision, .. } = asking;
    Question {
        id: id(),
        session: facts.first().map_or_else(String::new, |facts| plain(&facts.session)),
        door: asking.door.to_owned(),
        action: plain(&sentence(facts, arguments)),
        site: facts.first().map_or_else(String::new, site),
        because: plain(&format!("{}: {}", decision.rule, decision.because)),
        digest: digest(&about(facts, arguments)),
        expires: asking.expires,
    }
}

/// A text that a terminal shows as it is: no control characters, nothing that turns its direction.
fn plain(text: &str) -> String {
    let tricks = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|letter| if tricks(letter) { '\u{fffd}' } else { letter }).collect()
}

/// A name that cannot be guessed.
fn id() -> String {
    let mut bytes = [0; 6];
    match getrandom::fill(&mut bytes) {
        Ok(()) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        // Without randomness there is no name that the caller could not guess.
        Err(_) => std::process::abort(),
    }
}

/// The site that something is done on, or leads to if nothing is open yet. A frame without an address of its
/// own is its page's.
pub(crate) fn site(facts: &Facts) -> String {
    let named = |url: &&Url| url.origin().is_tuple() || url.scheme() == "file";
    let all = [facts.frame.as_ref(), facts.page.as_ref(), facts.to.as_ref()];
    let url = all.into_iter().flatten().find(named);
    match url {
        Some(url) if url.scheme() == "file" => format!("file://{}", url.path()),
        Some(url) => url.origin().ascii_serialization(),
        None => "the browser".to_owned(),
    }
}

/// Everything that would be done, in words for a person, with what the call says where that matters.
pub(crate) fn sentence(facts: &[Facts], arguments: &str) -> String {
    let mut said: Vec<String> = Vec::new();
    for one in facts {
        let one = deed(one);
        if !said.contains(&one) {
            said.push(one);
        }
    }
    let clear = |facts: &Facts| {
        matches!(
            facts.kind,
            Kind::Click | Kind::Navigate | Kind::Upload | Kind::Move | Kind::Session
        )
    };
    let said = said.join(", and ");
    if facts.iter().all(clear) {
        return said;
    }
    format!("{said} ({} #{})", shortened(arguments, 300), digest(arguments))
}

/// Everything that an answer is bound to and a sentence does not tell: two rows may have the same button.
fn about(facts: &[Facts], arguments: &str) -> String {
    let one = |facts: &Facts| {
        let element = facts.element.as_ref().map(|one| (&one.reference, &one.seal, &one.terms));
        format!("{:?} {:?} {element:?} {:?}", facts.session, facts.to, facts.dialog)
    };
    let all: Vec<String> = facts.iter().map(one).collect();
    format!("{all:?} {arguments}")
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// One thing that would be done.
fn deed(facts: &Facts) -> String {
    let mut said = match &facts.element {
        Some(element) => {
            let (role, name) = (&element.role, &element.name);
            let what = if role.is_empty() { &element.kind } else { role };
            let around = match element.around.is_empty() {
                true => String::new(),
                false => format!(" in {:?}", element.around),
            };
            format!("{} {what} {name:?}{around}", facts.kind.word())
        }
        None => facts.kind.word().to_owned(),
    };
    if let Some(message) = &facts.dialog {
        said += &format!(" accepting {message:?}");
    }
    if !facts.files.is_empty() {
        let files: Vec<String> = facts.files.iter().map(|f| f.display().to_string()).collect();
        said += &format!(" with {}", files.join(", "));
    }
    if let Some(to) = &facts.to {
        said += &format!(" leading to {}{}", to.origin().ascii_serialization(), to.path());
    }
    let terms = facts.element.iter().flat_map(|element| &element.terms);
    let terms: Vec<&str> = terms.map(String::as_str).collect();
    if !terms.is_empty() {
        said += &format!(", amounts there: {}", terms.join("; "));
    }
    said
}
