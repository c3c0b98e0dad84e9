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

use crate::policy::{Decision, Facts, Stance};

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
    pub(crate) facts: &'a Facts,
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
        let waits = asking.unanswered != Stance::Allow || self.is_attended(&question.session);
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
            Ok(None) if asking.unanswered == Stance::Allow => {
                Ok(Approval { by: "nobody could be asked".into() })
            }
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
    let Asking { facts, decision, .. } = asking;
    Question {
        id: id(),
        session: facts.session.clone(),
        door: asking.door.to_owned(),
        action: sentence(facts),
        site: site(facts),
        because: format!("{}: {}", decision.rule, decision.because),
        expires: asking.expires,
    }
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

/// The site that something is done on, or leads to if nothing is open yet.
pub(crate) fn site(facts: &Facts) -> String {
    let url = facts.frame.as_ref().or(facts.page.as_ref()).or(facts.to.as_ref());
    url.map_or_else(|| "the browser".to_owned(), |url| url.origin().ascii_serialization())
}

/// What would be done, in words for a person.
pub(crate) fn sentence(facts: &Facts) -> String {
    let mut said = match &facts.element {
        Some(element) => {
            let (role, name) = (&element.role, &element.name);
            let what = if role.is_empty() { &element.kind } else { role };
            format!("{} {what} {name:?}", facts.kind.word())
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
