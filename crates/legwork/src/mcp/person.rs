//! The person at an MCP client, asked by elicitation: while the call runs where client and server hold a
//! conversation, or by a result that says what is to be asked first where each request stands alone. The
//! client puts the question to its user; the model that made the call has no part in it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use legwork_protocol::{Answer, Asked, Person, Question};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult,
};
use rmcp::service::{Peer, RequestContext};
use serde::Deserialize;

/// The question's name among what is to be asked.
const QUESTION: &str = "approval";

/// Who can be asked for a call, if its client can ask anybody.
pub enum Reachable {
    /// The client answers while the call runs.
    Now(Arc<Elicited>),
    /// The client asks between this call and the next.
    Next(Arc<Deferred>),
}

impl Reachable {
    /// Whoever this call's client says it can ask.
    pub fn of(
        context: &RequestContext<RoleServer>,
        request: &CallToolRequestParams,
        posed: &Posed,
    ) -> Option<Reachable> {
        let elicitation = context.client_capabilities()?.elicitation?;
        if elicitation.form.is_none() && elicitation.url.is_some() {
            return None;
        }
        Some(match context.meta.protocol_version().is_some() {
            false => Reachable::Now(Arc::new(Elicited(context.peer.clone()))),
            true => Reachable::Next(Arc::new(Deferred {
                answered: posed.answered(request),
                asked: Mutex::default(),
            })),
        })
    }

    pub fn person(&self) -> Arc<dyn Person> {
        match self {
            Reachable::Now(person) => person.clone(),
            Reachable::Next(person) => person.clone(),
        }
    }

    /// What has to be asked before the call can be answered.
    pub fn input_required(&self, posed: &Posed) -> Option<InputRequiredResult> {
        let Reachable::Next(person) = self else { return None };
        let question = lock(&person.asked).take()?;
        let asked = InputRequest::Elicitation(ElicitRequest::new(form(&question)?));
        let state = question.id.clone();
        posed.keep(question);
        Some(InputRequiredResult::new(Some([(QUESTION.to_owned(), asked)].into()), Some(state)))
    }
}

/// A client that answers while the call runs.
pub struct Elicited(Peer<RoleServer>);

impl Person for Elicited {
    fn ask<'a>(&'a self, question: &'a Question) -> Asked<'a> {
        Box::pin(async move {
            let answer = self.0.create_elicitation(form(question)?).await;
            answer.inspect_err(|error| tracing::warn!("elicitation: {error}")).ok().map(meaning)
        })
    }
}

/// A client that asks between two calls: the first is not done and says what is to be asked, unless somebody
/// else has answered by then.
pub struct Deferred {
    /// The question that was asked before this call, and what the person said.
    answered: Option<(Question, Answer)>,
    asked: Mutex<Option<Question>>,
}

impl Person for Deferred {
    fn ask<'a>(&'a self, question: &'a Question) -> Asked<'a> {
        let terms = |question: &Question| {
            let Question { action, site, digest, .. } = question.clone();
            (action, site, digest)
        };
        let known = self.answered.as_ref().filter(|(asked, _)| terms(asked) == terms(question));
        let answer = known.map(|(_, answer)| *answer);
        Box::pin(async move { answer })
    }

    fn is_asked_later(&self) -> bool {
        true
    }

    fn ask_later(&self, question: &Question) {
        *lock(&self.asked) = Some(question.clone());
    }
}

/// Questions that were put to clients and not answered yet. Each counts once, and not for longer than it
/// says.
#[derive(Default)]
pub struct Posed(Mutex<BTreeMap<String, (Question, Instant)>>);

impl Posed {
    fn keep(&self, question: Question) {
        let mut posed = lock(&self.0);
        posed.retain(|_, (question, asked)| asked.elapsed() < question.expires);
        posed.insert(question.id.clone(), (question, Instant::now()));
    }

    fn answered(&self, request: &CallToolRequestParams) -> Option<(Question, Answer)> {
        let (question, asked) = lock(&self.0).remove(request.request_state.as_deref()?)?;
        let answer = request.input_responses.as_ref()?.get(QUESTION)?;
        let answer: ElicitResult = serde_json::from_value(answer.clone()).ok()?;
        (asked.elapsed() < question.expires).then(|| (question, meaning(answer)))
    }
}

fn lock<T>(kept: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the client shows: the question, and whether the answer counts from now on.
fn form(question: &Question) -> Option<ElicitRequestParams> {
    let schema = ElicitationSchema::builder().optional_bool("always", false).build();
    let requested_schema =
        schema.inspect_err(|error| tracing::error!("the form of a question: {error}")).ok()?;
    let message = question.told();
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

#[derive(Default, Deserialize)]
struct Filled {
    #[serde(default)]
    always: bool,
}

/// Only a clear yes is a yes.
fn meaning(answer: ElicitResult) -> Answer {
    let filled = answer.content.and_then(|content| serde_json::from_value::<Filled>(content).ok());
    match (answer.action, filled.unwrap_or_default().always) {
        (ElicitationAction::Accept, true) => Answer::Always,
        (ElicitationAction::Accept, false) => Answer::Approve,
        _ => Answer::Deny,
    }
}
