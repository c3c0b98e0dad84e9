//! The beginning of a run: what it is done in, what the instruction means, and whether the person agrees.

use legwork_protocol::assistant::{
    AssistanceRequest, Finished, Navigate, Reaction, RunStatus, Task, TaskContext, TaskList,
    TaskStatus, Work,
};
use serde_json::Value;

use super::direct::question;
use super::worker::Worker;
use super::{Hands as _, clock, id, page};
use crate::interpret::{Interpreter, Understood};
use crate::model::Tokens;

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
        let seen = self.with_elements(&context).await;
        loop {
            match self.interpreted(&seen).await {
                // What is only said for later needs no task.
                Understood::Tasks(list)
                    if !list.tasks.is_empty() || self.liked_anew(&list, &context) =>
                {
                    self.note_likes(&list, &context);
                    // The elements were needed to understand; with every state they would be too much.
                    let user_preferences = list.context.user_preferences;
                    let context = TaskContext { user_preferences, ..context };
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

    async fn interpreted(&mut self, context: &TaskContext) -> Understood {
        let interpreter = Interpreter::new(self.desk.settings.model.clone());
        let instruction = self.record.execute.instruction.clone();
        let answers = self.record.answers.clone();
        match interpreter.interpret(&instruction, context, &answers).await {
            Ok((understood, tokens)) => {
                if tokens != Tokens::default() {
                    // Who may not spend more is told so by the first task.
                    self.spend(tokens).ok();
                }
                understood
            }
            // A model that cannot plan may still find its way step by step.
            Err(_) => Understood::Tasks(one_task(instruction, context)),
        }
    }

    fn liked_anew(&self, list: &TaskList, before: &TaskContext) -> bool {
        list.context.user_preferences != before.user_preferences
    }

    /// What the instruction says of likes holds for the session.
    fn note_likes(&mut self, list: &TaskList, before: &TaskContext) {
        let session = self.record.state.session_id.clone();
        for (topic, words) in &list.context.user_preferences.0 {
            if before.user_preferences.0.get(topic) != Some(words)
                && let Err(error) = self.desk.store.prefer(&session, topic, words)
            {
                self.broken.get_or_insert(error);
            }
        }
    }

    /// The context with what is on the page, for names and choices.
    async fn with_elements(&self, context: &TaskContext) -> TaskContext {
        let (host, door) = (self.desk.host.as_ref(), self.desk.settings.door);
        match page::look(host, &context.session_id, door).await {
            Ok(browser_state) => TaskContext { browser_state, ..context.clone() },
            Err(_) => context.clone(),
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
