//! The beginning of a run: what it is done in, what the instruction means, and whether the person agrees.

use legwork_protocol::assistant::{
    AssistanceRequest, Finished, Navigate, Reaction, RunStatus, Task, TaskContext, TaskList,
    TaskStatus, Work,
};
use serde_json::Value;

use super::direct::question;
use super::worker::Worker;
use super::{clock, id};
use crate::interpret::{self, Understood};

const GO: &str = "Go ahead";
const CANCEL: &str = "Cancel";

impl Worker {
    /// Turns the instruction into tasks, asking what it does not say. `false` if it comes to nothing.
    pub(super) async fn understand(&mut self) -> bool {
        if let Some(list) = &self.record.state.tasks {
            if list.context.session_id.is_empty() {
                self.give_context().await;
            }
            return true;
        }
        self.set_status(RunStatus::Interpreting);
        let context = self.context().await;
        loop {
            match self.interpreted(&context) {
                Understood::Tasks(list) if !list.tasks.is_empty() => {
                    self.record.state.tasks = Some(TaskList { context, ..list });
                    self.publish();
                    return true;
                }
                Understood::Tasks(_) => return self.not_understood("it says nothing to do"),
                Understood::Question(request) => match self.inquire(request).await {
                    Some(answer) => self.record.answers.push(answer),
                    None => return false,
                },
                Understood::Beyond { part, hint } => {
                    return self.not_understood(&format!("{part:?} is not understood. {hint}"));
                }
            }
        }
    }

    fn interpreted(&self, context: &TaskContext) -> Understood {
        let mut instruction = self.record.execute.instruction.clone();
        for answer in &self.record.answers {
            instruction += &format!(" ({answer})");
        }
        match interpret::by_grammar(&instruction, context) {
            Understood::Beyond { .. } if self.desk.settings.model.is_some() => {
                Understood::Tasks(one_task(instruction, context))
            }
            understood => understood,
        }
    }

    fn not_understood(&mut self, why: &str) -> bool {
        let summary = format!("Nothing was done: {why}");
        self.record.state.finished = Some(Finished { summary, results: vec![], undone: vec![] });
        self.record.state.status = RunStatus::Failed;
        false
    }

    async fn inquire(&mut self, request: AssistanceRequest) -> Option<String> {
        match self.put(request, RunStatus::Waiting).await {
            Reaction::Said(answer) => Some(answer),
            Reaction::Done => Some(String::new()),
            Reaction::Skip | Reaction::Stop => None,
        }
    }

    /// What the instruction is understood in: the session's past and preferences, and the page.
    async fn context(&mut self) -> TaskContext {
        let session = self.record.state.session_id.clone();
        let mut context = TaskContext { session_id: session.clone(), ..Default::default() };
        match (self.desk.store.past(&session), self.desk.store.preferences(&session)) {
            (Ok(past), Ok(preferences)) => {
                context.previous_tasks = past;
                context.user_preferences = preferences;
            }
            (Err(error), _) | (_, Err(error)) => {
                self.broken.get_or_insert(error);
            }
        }
        // A browser that cannot be looked at will be told of by the first task that needs it.
        if let Ok(seen) = super::look(self).await {
            let text = |name: &str| {
                seen.data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            context.current_url = text("url");
            context.browser_state.url = text("url");
            context.browser_state.title = text("title");
        }
        context
    }

    /// Tasks that were understood elsewhere get what they are done in.
    async fn give_context(&mut self) {
        let context = self.context().await;
        if let Some(list) = self.list() {
            list.context = context;
        }
        self.publish();
    }

    /// Shows the tasks first, if that is wanted. What the person says of them changes them.
    pub(super) async fn agree(&mut self) -> bool {
        while self.record.execute.plan_first && !self.record.agreed {
            let count = self.tasks().len();
            let message = format!("Begin with these {count} tasks?");
            let about = self.record.execute.instruction.clone();
            let choices = vec![GO.to_owned(), CANCEL.to_owned()];
            match self.put(question(message, about, choices), RunStatus::Planned).await {
                Reaction::Done => self.record.agreed = true,
                Reaction::Said(said) if said.trim().eq_ignore_ascii_case(GO) => {
                    self.record.agreed = true;
                }
                Reaction::Said(said) if !said.trim().eq_ignore_ascii_case(CANCEL) => {
                    self.line.say(said);
                    if self.hear() {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
}

/// The whole instruction as one task for a model.
fn one_task(instruction: String, context: &TaskContext) -> TaskList {
    let task = Task {
        id: "t1".into(),
        description: instruction,
        work: Work::Navigate(Navigate::Open),
        status: TaskStatus::Pending,
        dependencies: Vec::new(),
        outcome: None,
    };
    TaskList { id: id("l"), tasks: vec![task], context: context.clone(), created_at: clock::now() }
}
