//! Runs: a task list is done, task by task, saved at each step.

mod step;

use std::pin::Pin;

use legwork_protocol::assistant::{AssistanceRequest, Reaction};
use legwork_protocol::{Reply, ToolError};
use serde_json::{Map, Value};

pub use step::{Step, StepState};

use crate::model::Tokens;

/// Something on its way.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a task is done with: the only way from thinking to the browser and to the person. Every call is
/// saved before it is made and after it has answered.
pub trait Hands: Send {
    /// Calls a tool of the session.
    fn call<'a>(
        &'a mut self,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> Boxed<'a, Result<Reply, ToolError>>;

    /// Asks the person and waits. Time waited is not counted.
    fn ask(&mut self, request: AssistanceRequest) -> Boxed<'_, Reaction>;

    /// What the person said meanwhile and was not heard yet.
    fn remarks(&mut self) -> Vec<String>;

    /// Tells watchers what is under way.
    fn doing(&mut self, what: &str);

    /// Counts a turn of the model. An error says which limit it was.
    fn spend(&mut self, tokens: Tokens) -> Result<(), Spent>;

    /// What was done of this task before, if it is resumed.
    fn before(&self) -> &[Step];
}

/// A limit was reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the run may not cost more: {limit}")]
pub struct Spent {
    /// Which, in words: `60 turns`, `15 minutes`.
    pub limit: String,
}
