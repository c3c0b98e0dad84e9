//! The beginning of a run: what it is done in, what the instruction means, and whether the person agrees.

use legwork_protocol::assistant::{
    Finished, Preferences, Reaction, RunStatus, TaskContext, TaskList,
};

use super::direct::question;
use super::error::RunError;
use super::hands::About;
use super::worker::Worker;
use super::{Hands, page};
use crate::interpret::{Interpreter, Understood};

pub(super) const GO: &str = "Go ahead";
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
        let interpreter = Interpreter::new(self.desk.settings.model.clone());
        loop {
            let instruction = self.record.execute.instruction.clone();
            let answers = self.record.answers.clone();
            let understood = interpreter.interpret(&instruction, &context, &answers, self).await;
            let understood = match understood {
                Ok(understood) => understood,
                Err(error) => {
                    self.note_trouble(&error);
                    return self.not_understood(&error.to_string());
                }
            };
            match understood {
                Understood::Tasks(list) => return self.adopt(list, &context),
                Understood::Question(request) => match self.put(request, About::Meaning).await {
                    Reaction::Said(_) | Reaction::Done => {}
                    Reaction::Skip | Reaction::Stop => return false,
                },
                Understood::Beyond { part, hint } => {
                    return self.not_understood(&format!("{part:?} is not understood: {hint}"));
                }
            }
        }
    }

    /// Takes the tasks on, and notes what the instruction said of likes.
    fn adopt(&mut self, list: TaskList, context: &TaskContext) -> bool {
        let user_preferences = list.context.user_preferences.clone();
        let is_noted = user_preferences != context.user_preferences;
        self.note_preferences(&user_preferences);
        let mut context = TaskContext { user_preferences, ..context.clone() };
        // What is on the page changes with the first task, and is much to be told each time.
        context.browser_state.elements.clear();
        if list.tasks.is_empty() {
            let summary = match is_noted {
                true => "Noted for what follows; there was nothing to do.",
                false => "There was nothing to do.",
            };
            self.record.state.finished =
                Some(Finished { summary: summary.into(), results: vec![], undone: vec![] });
        }
        self.record.state.tasks = Some(TaskList { context, ..list });
        self.publish();
        true
    }

    /// Keeps what the session's person likes.
    pub(super) fn note_preferences(&mut self, preferences: &Preferences) {
        let session = &self.record.state.session_id;
        for (topic, words) in &preferences.0 {
            if let Err(error) = self.desk.store.prefer(session, topic, words) {
                self.broken.get_or_insert(error);
            }
        }
    }

    pub(super) fn not_understood(&mut self, why: &str) -> bool {
        let summary = format!("Nothing was done: {why}");
        self.record.state.finished = Some(Finished { summary, results: vec![], undone: vec![] });
        self.record.state.status = RunStatus::Failed;
        false
    }

    /// What the instruction is understood in: the session's past and preferences, and the page.
    async fn context(&mut self) -> TaskContext {
        let session = self.record.state.session_id.clone();
        let mut context = TaskContext { session_id: session.clone(), ..Default::default() };
        if let Err(error) = self.recall(&session, &mut context) {
            self.broken.get_or_insert(error);
        }
        // A browser that cannot be looked at will be told of by the first task that needs it.
        if let Ok(seen) = super::look(self).await
            && let Ok(found) = self.call("browser_query", page::query()).await
            && let Ok(state) = page::state(seen.data, found.data)
        {
            context.current_url.clone_from(&state.url);
            context.browser_state = state;
        }
        context
    }

    /// What a session remembers.
    fn recall(&self, session: &str, context: &mut TaskContext) -> Result<(), RunError> {
        let store = &self.desk.store;
        context.previous_tasks = store.past(session)?;
        context.previous_tasks_left_out = store.forgotten(session)?;
        context.user_preferences = store.preferences(session)?;
        Ok(())
    }

    /// Tasks that were understood elsewhere get what they are done in.
    async fn give_context(&mut self) {
        let mut context = self.context().await;
        context.browser_state.elements.clear();
        if let Some(list) = self.list() {
            list.context = context;
        }
        self.publish();
    }

    /// Shows the tasks first, if that is wanted. What the person says of them changes them.
    pub(super) async fn agree(&mut self) -> bool {
        while self.record.execute.plan_first && !self.record.agreed {
            let message = match self.tasks().len() {
                1 => "Begin with this task?".to_owned(),
                count => format!("Begin with these {count} tasks?"),
            };
            let about = self.record.execute.instruction.clone();
            let choices = vec![GO.to_owned(), CANCEL.to_owned()];
            match self.put(question(message, about, choices), About::Plan).await {
                _ if self.record.agreed => {}
                Reaction::Said(said) if !said.trim().eq_ignore_ascii_case(CANCEL) => {
                    if self.hear_this(said) || self.clear_up().await {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
}
