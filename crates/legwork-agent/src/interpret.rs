//! An instruction becomes a task list, or a question. Never guesses.
//!
//! The grammar reads first, and needs nobody: `english` is the language as data, `token`, `sentence`,
//! `clause` and `pattern` find out what was said, `phrase`, `value` and `place` what is meant by it, `mean` and
//! `look` what is done for it, and `tasks` in what order. What is beyond it goes to a model if there is one:
//! `plan` asks and checks what it is told. `answer` puts what a person answers into the instruction, `leave` leaves out
//! of it what nobody understands.

mod again;
mod answer;
mod clause;
mod context;
mod describe;
pub(crate) mod english;
mod fault;
mod gap;
mod leave;
mod list;
mod look;
mod mean;
mod pattern;
mod phrase;
mod place;
mod plan;
mod prompt;
mod scene;
mod sentence;
mod tasks;
mod token;
mod value;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use legwork_protocol::assistant::{AssistanceKind, AssistanceRequest, TaskContext, TaskList};

use crate::model::Model;
use crate::run::Hands;
use crate::think::ThinkError;

pub use answer::{Answered, chosen};
pub use context::{remember, update_context};
pub use describe::describe;
pub(crate) use plan::names_file;

use fault::Fault;

/// What was understood.
#[derive(Debug, Clone, PartialEq)]
pub enum Understood {
    /// What to do.
    Tasks(TaskList),
    /// What has to be answered first; the answer goes in with the instruction the next time.
    Question(AssistanceRequest),
    /// Not an imperative that the grammar knows: for a model, or back to the person.
    Beyond {
        /// The part that was not understood.
        part: String,
        /// What could be said instead.
        hint: String,
    },
}

/// Reads an instruction by grammar alone.
pub fn by_grammar(instruction: &str, context: &TaskContext) -> Understood {
    match read(instruction, context) {
        Ok(list) => Understood::Tasks(list),
        Err(Fault::Beyond { part, hint, .. }) => {
            let part = instruction.get(part).map_or(instruction, str::trim).to_owned();
            Understood::Beyond { part, hint }
        }
        Err(Fault::Doubt(doubt)) => {
            Understood::Question(question(doubt.message, instruction, doubt.choices))
        }
    }
}

/// More than that nobody instructs at once.
const LONGEST: usize = 20_000;

fn read(instruction: &str, context: &TaskContext) -> Result<TaskList, Fault> {
    if instruction.len() > LONGEST {
        let hint = format!("say it in fewer than {LONGEST} letters");
        return Err(Fault::whole(0..instruction.len(), hint));
    }
    let tokens = token::tokens(instruction);
    if !sentence::is_instruction(&tokens) {
        return Err(Fault::whole(0..instruction.len(), "say what to do"));
    }
    let scene = scene::Scene::new(context);
    let (works, after) = sentence::read(&tokens, scene)?;
    let user_preferences = after.preferences;
    Ok(tasks::list(works, TaskContext { user_preferences, ..context.clone() }))
}

fn question(message: String, instruction: &str, choices: Vec<String>) -> AssistanceRequest {
    AssistanceRequest {
        id: crate::run::id("a"),
        kind: AssistanceKind::Custom,
        message,
        context: format!("To do: {instruction}"),
        choices,
        timeout: None,
    }
}

/// Reads instructions: by grammar, and what is beyond it with a model if there is one.
#[derive(Clone, Default)]
pub struct Interpreter {
    model: Option<Arc<dyn Model>>,
}

impl Interpreter {
    /// With this model, or without one.
    pub fn new(model: Option<Arc<dyn Model>>) -> Interpreter {
        Interpreter { model }
    }

    /// What an instruction means. `answers` are what the person said to the questions that came of it so
    /// far, in their order. The hands say whether a model may be asked, and are told what it cost.
    pub async fn interpret(
        &self,
        instruction: &str,
        context: &TaskContext,
        answers: &[Answered],
        hands: &mut dyn Hands,
    ) -> Result<Understood, ThinkError> {
        let mut said = instruction.to_owned();
        for answer in answers {
            let understood = by_grammar(&said, context);
            // Beyond the grammar it was the model that asked: it is told the answers as they are.
            if matches!(understood, Understood::Beyond { .. }) && self.model.is_some() {
                break;
            }
            said = answer::put(&said, context, answer.words()).unwrap_or(said);
        }
        match (by_grammar(&said, context), &self.model) {
            (Understood::Beyond { .. }, Some(model)) => {
                // A choice may have a page's words in it, which do not count as instructed.
                let own = answers.iter().all(|answer| answer.own().is_some());
                let said = if own { &said } else { instruction };
                plan::Ask { said, context, answers }.of(model.as_ref(), hands).await
            }
            (Understood::Beyond { part, hint }, None) => {
                let message = format!("\"{part}\" is not understood: {hint}.");
                let choices = leave::out(&said, context).map(|left| left.choice);
                Ok(Understood::Question(question(message, &said, choices.into_iter().collect())))
            }
            (understood, _) => Ok(understood),
        }
    }
}
