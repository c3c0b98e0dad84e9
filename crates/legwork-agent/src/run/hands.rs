//! The hands of a run: every call is saved before it is made and after it has answered; every question is
//! put to whoever watches, and waited for.

use std::sync::Arc;
use std::time::Duration;

use legwork_protocol::assistant::{AssistanceRequest, Budget, Reaction, RunStatus, TaskStatus};
use legwork_protocol::{Code, Progress, Reply, ToolCall, ToolError};
use serde_json::{Map, Value};

use super::read::GO;
use super::store::Reach;
use super::worker::Worker;
use super::{Boxed, Hands, Recalled, Spent, Step, StepState, resume};
use crate::interpret::{Answered, chosen};
use crate::model::{Price, Tokens};

impl Hands for Worker {
    fn call<'a>(
        &'a mut self,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> Boxed<'a, Result<Reply, ToolError>> {
        Box::pin(self.make_call(tool, arguments))
    }

    fn ask(&mut self, request: AssistanceRequest) -> Boxed<'_, Reaction> {
        Box::pin(self.put(request, About::Task))
    }

    fn remarks(&mut self) -> Vec<String> {
        // What it says of the tasks to come is seen to first: they may need no model. Who ends the run is
        // heard at once, and not here.
        self.hear();
        std::mem::take(&mut self.record.remarks)
    }

    fn liked(&self) -> Vec<String> {
        let context = self.record.state.tasks.as_ref().map(|list| &list.context);
        let liked = context.into_iter().flat_map(|context| context.user_preferences.0.values());
        liked.flat_map(|words| words.lines()).map(str::to_owned).collect()
    }

    fn doing(&mut self, what: &str) {
        self.say_doing(what);
    }

    fn may_ask(&self) -> Result<(), Spent> {
        self.spent(Next::Ask).map_or(Ok(()), Err)
    }

    fn time_left(&self) -> Option<Duration> {
        Some(self.time().saturating_sub(self.watch.elapsed()))
    }

    fn spend(&mut self, tokens: Tokens) -> Result<(), Spent> {
        let price = self.price();
        let usage = &mut self.record.state.usage;
        usage.turns += 1;
        usage.input_tokens += tokens.input;
        usage.cached_tokens += tokens.cached;
        usage.output_tokens += tokens.output;
        if let Some(price) = price {
            usage.cost_micros = Some(usage.cost_micros.unwrap_or(0) + price.cost(tokens));
        }
        self.publish();
        self.spent(Next::Act).map_or(Ok(()), Err)
    }

    fn before(&self) -> &[Step] {
        &self.before
    }

    fn recalled(&self) -> Vec<Recalled> {
        let task = self.task_id();
        let own = self.record.recalled.iter().filter(|(id, _)| *id == task);
        own.map(|(_, what)| what.clone()).collect()
    }

    fn note(&mut self, text: &str) {
        self.record.recalled.push((self.task_id(), Recalled::Noted(text.to_owned())));
        self.publish();
    }
}

/// What a question is about, and so what becomes of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// What the instruction means.
    Meaning,
    /// Whether to begin with the tasks.
    Plan,
    /// The task under way.
    Task,
    /// What an interruption left open. The answer holds for that one time.
    Interruption,
}

/// What a limit is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A call, which costs nothing: what was paid for is used.
    Act,
    /// A question to the model.
    Ask,
}

/// How progress of a call begins that waits for something.
const WAITING: &str = "waiting ";

/// Whether an error leaves open if something was done before it.
fn is_vague(error: &ToolError) -> bool {
    matches!(
        error.code,
        Code::Timeout
            | Code::Internal
            | Code::Cancelled
            | Code::SidecarFailed
            | Code::BrowserCrashed
            | Code::PageCrashed
            | Code::PageClosed
            | Code::FrameGone
            | Code::SessionClosed
            | Code::ProtocolError
    )
}

/// The choice that was meant, also by its number, in the words that were offered.
fn by_choice(reaction: Reaction, choices: &[String]) -> Reaction {
    match &reaction {
        Reaction::Said(said) => match chosen(choices, said) {
            Some(choice) => Reaction::Said(choice.clone()),
            None => reaction,
        },
        _ => reaction,
    }
}

impl Worker {
    /// The limit that is passed, or would be by what comes next, if one is.
    pub(super) fn spent(&self, next: Next) -> Option<Spent> {
        let (budget, usage) = (self.budget(), self.record.state.usage);
        // An answer is a turn, and costs a token at least.
        let (turn, more) = match next {
            Next::Act => (0, 0),
            Next::Ask => (1, 1),
        };
        let cost = usage.cost_micros.or(self.price().map(|_| 0));
        let cost = budget.cost_micros.zip(cost);
        let limit = if usage.turns.saturating_add(turn) > budget.turns {
            format!("{} turns of the model", budget.turns)
        } else if self.watch.elapsed() >= self.time() {
            format!("{} seconds at work", budget.seconds)
        } else if usage.input_tokens + usage.output_tokens + more > budget.tokens {
            format!("{} tokens", budget.tokens)
        } else if let Some((most, _)) = cost.filter(|(most, is)| is + more > *most) {
            format!("{}.{:06} US dollars", most / 1_000_000, most % 1_000_000)
        } else {
            return None;
        };
        Some(Spent { limit })
    }

    fn budget(&self) -> Budget {
        self.record.execute.budget.unwrap_or(self.desk.settings.budget)
    }

    /// How long may be worked in all.
    pub(super) fn time(&self) -> Duration {
        Duration::from_secs(self.budget().seconds)
    }

    fn price(&self) -> Option<Price> {
        self.desk.settings.model.as_ref().and_then(|model| model.price())
    }

    /// What the person said next. It counts as heard when the run is saved with what came of it.
    pub(super) fn said(&mut self) -> Option<String> {
        match self.desk.store.said(&self.record.state.run_id, self.record.heard) {
            Ok(said) => said.map(|(number, words)| {
                self.record.heard = number;
                words
            }),
            Err(error) => {
                self.broken.get_or_insert(error);
                None
            }
        }
    }

    async fn make_call(
        &mut self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Reply, ToolError> {
        if let Some(spent) = self.spent(Next::Act) {
            return Err(ToolError::new(Code::Cancelled, spent.to_string()));
        }
        let mut step = self.begin(tool, arguments)?;
        let settings = &self.desk.settings;
        let call = ToolCall {
            door: settings.door,
            person: settings.person.clone(),
            describe: true,
            of_run: true,
            ..ToolCall::new(&self.record.state.session_id, tool, step.arguments.clone())
        };
        let answer = self.await_call(call).await;
        match &answer {
            Ok(reply) => {
                step.state = StepState::Done;
                step.told.clone_from(&reply.text);
                step.data.clone_from(&reply.data);
                self.note_page(reply);
            }
            Err(error) => {
                let unknown = !resume::is_safe_to_repeat(tool, &step.arguments) && is_vague(error);
                step.state = if unknown { StepState::Begun } else { StepState::Failed };
                step.told = error.told();
            }
        }
        self.save_step(step, Reach::System);
        self.publish();
        answer
    }

    /// Makes a call. While it waits, for its turn on a site or for a person, that is what is being done.
    async fn await_call(&mut self, mut call: ToolCall) -> Result<Reply, ToolError> {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        call.progress = Some(Arc::new(move |progress: Progress| drop(tell.send(progress.message))));
        let (host, before) = (self.desk.host.clone(), self.record.state.activity.clone());
        let mut answer = host.call(call);
        let mut waits = String::new();
        let answer = loop {
            tokio::select! {
                answer = &mut answer => break answer,
                Some(message) = told.recv() => {
                    // What is said again only counts the seconds, which the view does itself.
                    let again = !waits.is_empty() && message.starts_with(&waits);
                    if message.starts_with(WAITING) && !again {
                        self.say_doing(&message);
                        waits = message;
                    }
                }
            }
        };
        self.record.state.activity = before;
        answer
    }

    /// Saves that a call is about to be made. What cannot be saved is not done.
    fn begin(&mut self, tool: &str, arguments: Map<String, Value>) -> Result<Step, ToolError> {
        let step = Step {
            task: self.task_id(),
            number: self.steps.last().map_or(1, |last| last.number + 1),
            tool: tool.to_owned(),
            arguments,
            state: StepState::Begun,
            told: String::new(),
            data: Value::Null,
        };
        self.record.state.usage.actions += 1;
        let safe = resume::is_safe_to_repeat(tool, &step.arguments);
        self.save_step(step.clone(), if safe { Reach::System } else { Reach::Disk });
        match &self.broken {
            None => Ok(step),
            Some(error) => {
                let message = format!("the run cannot be saved, so nothing was done: {error}");
                Err(ToolError::new(Code::FileError, message))
            }
        }
    }

    /// The task under way; nothing between tasks.
    fn task_id(&self) -> String {
        let task = self.current.and_then(|index| self.tasks().get(index));
        task.map(|task| task.id.clone()).unwrap_or_default()
    }

    pub(super) fn save_step(&mut self, step: Step, reach: Reach) {
        let run = &self.record.state.run_id;
        if let Err(error) = self.desk.store.save_step(run, &step, reach) {
            self.broken.get_or_insert(error);
        }
        match self.steps.iter_mut().rev().find(|one| one.number == step.number) {
            Some(one) => *one = step,
            None => self.steps.push(step),
        }
    }

    /// Puts a question to the person and waits. When nobody answers in time the run is put aside, as it is:
    /// nothing follows from silence.
    pub(super) async fn put(&mut self, request: AssistanceRequest, about: About) -> Reaction {
        let limit = request.timeout.map(Duration::from_secs);
        let limit = limit.or(self.desk.settings.assistance_timeout);
        let request = AssistanceRequest { timeout: limit.map(|it| it.as_secs()), ..request };
        let (answer, question) = (self.line.expect(&request.id), request.message.clone());
        let choices = request.choices.clone();
        self.watch.pause();
        self.record.state.assistance = Some(request);
        self.record.state.status = match about {
            About::Plan => RunStatus::Planned,
            _ => RunStatus::Waiting,
        };
        match self.current {
            Some(index) => self.set_task(index, TaskStatus::RequiresAssistance, None),
            None => self.publish(),
        }
        self.tell_request();
        let answered = match limit {
            None => answer.await.ok(),
            Some(limit) => tokio::time::timeout(limit, answer).await.ok().and_then(Result::ok),
        };
        let Some(reaction) = answered else {
            self.line.aside.cancel();
            return std::future::pending().await;
        };
        let reaction = by_choice(reaction, &choices);
        self.watch.go_on();
        // Saved in one with that it was answered: no kill comes in between, and nobody is asked twice.
        self.note_answer(about, question, &choices, &reaction);
        self.record.state.assistance = None;
        self.record.state.status = match self.record.state.tasks {
            Some(_) => RunStatus::Running,
            None => RunStatus::Interpreting,
        };
        match self.current {
            Some(index) => self.set_task(index, TaskStatus::Executing, None),
            None => self.publish(),
        }
        reaction
    }

    fn note_answer(
        &mut self,
        about: About,
        question: String,
        choices: &[String],
        reaction: &Reaction,
    ) {
        match (about, reaction) {
            (About::Meaning, Reaction::Said(words)) => {
                self.record.answers.push(Answered::of(words.clone(), choices));
            }
            (About::Meaning, Reaction::Done) => {
                self.record.answers.push(Answered::Own(String::new()));
            }
            (About::Plan, Reaction::Done) => self.record.agreed = true,
            (About::Plan, Reaction::Said(words)) => {
                self.record.agreed = words.trim().eq_ignore_ascii_case(GO);
            }
            (About::Task, Reaction::Said(_) | Reaction::Done) => {
                let answer = reaction.clone();
                let chosen = matches!(reaction, Reaction::Said(words) if choices.contains(words));
                let what = Recalled::Answered { question, answer, chosen };
                self.record.recalled.push((self.task_id(), what));
            }
            _ => {}
        }
    }
}
