//! Runs: a task list is done, task by task, saved at each step.
//!
//! - [`Assistant`] begins, resumes, stops and watches runs.
//! - `worker` is a run under way: what is next, what came of it.
//! - `assess` looks before each task and after the last, and sees when a person is needed.
//! - [`direct`] does exact work without a model; `crate::think` does the rest.
//! - `resume` finds out whether what a killed run had begun was done.
//! - `vain` is what becomes of what changed nothing.
//! - `remark` is what a person says in between.
//! - `store` is what survives.

mod assess;
mod assistant;
pub mod direct;
mod end;
mod error;
mod hands;
mod line;
mod page;
mod read;
mod remark;
mod results;
mod resume;
mod step;
mod stopwatch;
mod store;
mod vain;
mod worker;

use std::pin::Pin;
use std::time::Duration;

use legwork_protocol::assistant::{AssistanceRequest, Reaction};
use legwork_protocol::{Reply, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use assistant::{Assistant, Settings};
pub use direct::LOOK_AGAIN;
pub(crate) use direct::what_was_read;
pub use error::RunError;
pub(crate) use page::viewport;
pub(crate) use results::named as results_named;
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

    /// What the person said they like, oldest first: it may settle which of several things is meant.
    fn liked(&self) -> Vec<String> {
        Vec::new()
    }

    /// Tells watchers what is under way.
    fn doing(&mut self, what: &str);

    /// Whether the model may be asked once more. An error says which limit it was.
    fn may_ask(&self) -> Result<(), Spent> {
        Ok(())
    }

    /// How long may still be worked, if that is limited.
    fn time_left(&self) -> Option<Duration> {
        None
    }

    /// Counts a turn of the model. An error says which limit it was.
    fn spend(&mut self, tokens: Tokens) -> Result<(), Spent>;

    /// What was done of this task before, if it is resumed.
    fn before(&self) -> &[Step];

    /// What was found out for this task before, oldest first.
    fn recalled(&self) -> Vec<Recalled> {
        Vec::new()
    }

    /// Keeps what the model noted, should the task be interrupted.
    fn note(&mut self, _text: &str) {}
}

/// What was found out for a task and no page shows: it is not asked for again if the task is interrupted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recalled {
    /// A person was asked, and answered.
    Answered {
        /// What.
        question: String,
        /// How.
        answer: Reaction,
        /// What was said is one of the choices that were offered, so perhaps the words of a page. Runs of
        /// older versions do not say.
        #[serde(default)]
        chosen: bool,
    },
    /// The model noted this.
    Noted(String),
}

/// A limit was reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the run may not cost more: {limit}")]
pub struct Spent {
    /// Which, in words: `60 turns`, `15 minutes`.
    pub limit: String,
}

/// Looks at the page as it is now.
pub(crate) async fn look(hands: &mut dyn Hands) -> Result<Reply, ToolError> {
    hands.call("browser_snapshot", Map::new()).await
}

/// A new name: a letter and eight bytes that nobody guesses.
pub(crate) fn id(letter: &str) -> String {
    let mut bytes = [0_u8; 8];
    if getrandom::fill(&mut bytes).is_err() {
        // Without randomness time has to do: these names only have to differ.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let nanos = now.unwrap_or_default().as_nanos();
        bytes = u64::try_from(nanos & u128::from(u64::MAX)).unwrap_or_default().to_be_bytes();
    }
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{letter}{digits}")
}
