//! Follows a run to its end at this terminal: shows it, puts questions to whoever is here, and hands on what
//! they say.

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use legwork_agent::run::{Assistant, Boxed, RunError};
use legwork_protocol::assistant::{
    AssistanceRequest, Message, Payload, Reaction, RunStatus, StateUpdate, TaskStatus,
};
use legwork_protocol::{Code, Question, ToolError};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::approve::{self, Here};
use super::failure::{Exit, Failure};
use super::keyboard::{Keyboard, Who};
use super::output::{Output, TURN};
use crate::assistant::{answered, no_message};
use crate::view::{clean, reaction};

/// How long a run that is interrupted may take to say that it has stopped. Together with the rest it stays
/// below 200 ms.
const STOPPING: std::time::Duration = std::time::Duration::from_millis(80);

/// Answers what is said while a run works. It shows in the tasks what came of it.
const HEARD: &str = "Heard.";

/// Answers `/skip` where nothing is asked.
const NOT_ASKED: &str =
    "Nothing is asked now. \"skip the next task\" leaves out the next one, /stop ends the run.";

/// Answers what looks like a command and is none.
const NO_COMMAND: &str =
    "There is no such command: /stop ends the run, and words without / are heard.";

/// A run that is followed here.
pub(super) struct Follow<'a> {
    pub(super) assistant: &'a Assistant,
    pub(super) output: &'a mut Output,
    pub(super) keyboard: &'a mut Keyboard,
    pub(super) here: &'a mut Option<Here>,
    /// What the policy wants to know, and who asks.
    asked: Option<(Question, usize)>,
    /// What a person was needed for when there was none.
    missed: Option<AssistanceRequest>,
    /// What programs asked for and is not done yet. Looking at a page may take long.
    requests: FuturesUnordered<Boxed<'a, ()>>,
}

/// How a run that was followed came to an end.
pub(super) enum Ended {
    /// Nobody works at it any more.
    Over(StateUpdate),
    /// The person interrupted it.
    Interrupted(StateUpdate),
    /// A person was needed and there was none.
    Unattended(StateUpdate, AssistanceRequest),
}

impl<'a> Follow<'a> {
    pub(super) fn new(
        assistant: &'a Assistant,
        output: &'a mut Output,
        keyboard: &'a mut Keyboard,
        here: &'a mut Option<Here>,
    ) -> Follow<'a> {
        Follow {
            assistant,
            output,
            keyboard,
            here,
            asked: None,
            missed: None,
            requests: FuturesUnordered::new(),
        }
    }

    /// Follows the run until nobody works at it any more. `told` has to be older than the run.
    pub(super) async fn run(
        mut self,
        run: &str,
        mut told: Receiver<Message>,
    ) -> Result<Ended, Failure> {
        self.output.anew();
        let assistant = self.assistant;
        let mut over = std::pin::pin!(assistant.wait(run));
        let mut interrupt = std::pin::pin!(tokio::signal::ctrl_c());
        let mut turn = tokio::time::interval(TURN);
        turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let moves = self.output.moves() && self.asked.is_none();
            tokio::select! {
                biased;
                _ = &mut interrupt => return self.interrupted(run, over).await,
                message = told.recv() => self.told(run, message),
                state = &mut over => return self.over(run, state, told),
                line = self.keyboard.line(), if self.keyboard.who != Who::Nobody => {
                    self.said(run, line).await;
                }
                question = next(self.here), if self.asked.is_none() => {
                    self.output.note(&approve::asked(&question.0));
                    self.asked = Some(question);
                }
                Some(()) = self.requests.next() => {}
                _ = turn.tick(), if moves => self.output.turn(),
            }
        }
    }

    /// Shows what is told of this run.
    fn told(&mut self, run: &str, message: Result<Message, RecvError>) {
        // A state is whole: who missed one knows as much after the next.
        let Ok(message) = message else { return };
        let update = match &message.payload {
            Payload::StateUpdate(update) if update.run_id != run => return,
            Payload::StateUpdate(update) => Some(update),
            Payload::Error(error) => {
                self.output.note(&error.told());
                None
            }
            _ => None,
        };
        self.output.told(&message);
        if let Some(asked) = update.and_then(|update| update.assistance.as_ref()) {
            self.unattended(asked);
        }
    }

    /// Without a person nothing is gained by waiting: the run ends here and can be resumed.
    fn unattended(&mut self, asked: &AssistanceRequest) {
        if self.keyboard.who == Who::Nobody && self.missed.as_ref() != Some(asked) {
            self.missed = Some(asked.clone());
            // One that was answered otherwise by now needs no answer.
            let _ = self.assistant.answer(answered(&asked.id, Reaction::Stop));
        }
    }

    /// Hands on a line, from whoever types.
    async fn said(&mut self, run: &str, line: Option<String>) {
        let asked = self.output.last().and_then(|update| update.assistance.clone());
        let Some(line) = line else {
            if let Some(asked) = asked {
                self.unattended(&asked);
            }
            return;
        };
        if self.keyboard.who == Who::Program {
            return self.message(&line);
        }
        self.output.typed();
        if let (Some(question), Some(here)) = (&self.asked, self.here.as_mut()) {
            match here.reply(question, &line).await {
                Some(told) => {
                    self.asked = None;
                    self.output.note(&told);
                }
                None => self.output.note(&approve::asked(&question.0)),
            }
            return;
        }
        let handed = match asked {
            Some(asked) => match reaction(&asked, &line) {
                Some(reaction) => self.assistant.answer(answered(&asked.id, reaction)),
                None => return self.output.note("This is none of the choices."),
            },
            None if line.trim().is_empty() => return,
            None if matches!(line.trim(), "/stop" | "/quit") => self.assistant.stop(run),
            None if line.trim() == "/skip" => return self.output.note(NOT_ASKED),
            None if line.trim().starts_with('/') => return self.output.note(NO_COMMAND),
            None => {
                let heard = self.assistant.remark(run, line.trim());
                heard.inspect(|()| self.output.note(HEARD))
            }
        };
        if let Err(error) = handed {
            self.output.note(&ToolError::from(error).told());
        }
    }

    /// A message from a program.
    fn message(&mut self, line: &str) {
        match serde_json::from_str::<Message>(line) {
            Ok(message) => self.requests.push(Box::pin(self.assistant.receive(message))),
            Err(error) => self.output.told(&no_message(line, &error)),
        }
    }

    /// Shows what was told before the end and not seen yet.
    fn over(
        &mut self,
        run: &str,
        state: Result<StateUpdate, RunError>,
        mut told: Receiver<Message>,
    ) -> Result<Ended, Failure> {
        while let Ok(message) = told.try_recv() {
            self.told(run, Ok(message));
        }
        let state = state.map_err(|error| Failure::from(ToolError::from(error)))?;
        Ok(match self.missed.take() {
            Some(asked) if state.status != RunStatus::Completed => Ended::Unattended(state, asked),
            _ => Ended::Over(state),
        })
    }

    /// Stops the run, and does not wait long for it: what it had saved stays saved.
    async fn interrupted(
        &mut self,
        run: &str,
        over: impl Future<Output = Result<StateUpdate, RunError>>,
    ) -> Result<Ended, Failure> {
        let _ = self.assistant.stop(run);
        let stopped = tokio::time::timeout(STOPPING, over).await;
        let state = match (stopped, self.output.last()) {
            (Ok(Ok(state)), _) => state,
            (_, Some(last)) => StateUpdate { status: RunStatus::Stopped, ..last.clone() },
            (_, None) => return Err(Failure::interrupted()),
        };
        Ok(Ended::Interrupted(state))
    }
}

/// The next question of the policy; never comes where nobody is here.
async fn next(here: &mut Option<Here>) -> (Question, usize) {
    match here {
        Some(here) => here.next().await,
        None => std::future::pending().await,
    }
}

/// A person is needed, and there is none.
const NEEDS_PERSON: &str = "needs_person";

/// What the end of a run means to whoever started it.
pub(super) fn judged(ended: &Ended, trouble: Option<Failure>) -> Result<(), Failure> {
    let (state, failure) = match ended {
        Ended::Over(state) => (state, over(state, trouble)),
        Ended::Interrupted(state) => (state, Some(Failure::interrupted())),
        Ended::Unattended(state, asked) => {
            let message =
                format!("a person is needed, and nobody is here: {}", clean(&asked.message));
            (state, Some(Failure::new(Exit::Tool, NEEDS_PERSON, message)))
        }
    };
    let Some(failure) = failure else { return Ok(()) };
    let resume = format!("legwork run --resume {}", state.run_id);
    let tasks = state.tasks.iter().flat_map(|list| &list.tasks);
    let some_done = tasks.clone().any(|task| task.status == TaskStatus::Completed);
    let is_vague = state.tasks.is_none() || tasks.clone().any(|task| !task.work.is_exact());
    let hint = match (ended, state.status, failure.hint()) {
        (Ended::Unattended(..), ..) => format!("at a terminal it can be answered: {resume}"),
        (Ended::Over(_), RunStatus::Failed, Some(own)) if !some_done => own.to_owned(),
        (Ended::Over(_), RunStatus::Failed, Some(own)) => format!("{own}; then: {resume}"),
        (Ended::Over(_), RunStatus::Failed, None) if is_vague && state.usage.turns == 0 => {
            VAGUE.to_owned()
        }
        (Ended::Over(_), RunStatus::Failed, None) if !some_done => {
            format!("it is tried again with: {resume}")
        }
        _ => format!("what was done stays done; it goes on with: {resume}"),
    };
    Err(failure.with_hint(hint))
}

/// What helps who asked for something that only a model could make out.
const VAGUE: &str =
    "--model PROVIDER:NAME asks a model; docs/instructions.md has what is understood without one";

/// What went wrong with a run that came to its own end.
fn over(state: &StateUpdate, trouble: Option<Failure>) -> Option<Failure> {
    let undone = state
        .finished
        .as_ref()
        .map(|finished| clean(finished.undone.first().unwrap_or(&finished.summary)));
    Some(match (state.status, trouble) {
        (RunStatus::Completed, _) => return None,
        (RunStatus::Failed, Some(failure)) => failure,
        (RunStatus::Failed, None) => {
            let message = undone.unwrap_or_else(|| "not everything was done".to_owned());
            Failure::new(Exit::Tool, Code::StepFailed.text(), message)
        }
        (RunStatus::Stopped, _) => {
            Failure::new(Exit::Interrupted, Code::Cancelled.text(), "stopped")
        }
        _ => {
            let asked = state.assistance.as_ref().map(|asked| clean(&asked.message));
            let message = format!("nobody answered: {}", asked.unwrap_or_default());
            Failure::new(Exit::Timeout, NEEDS_PERSON, message)
        }
    })
}
