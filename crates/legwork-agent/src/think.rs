//! What a model does of a task that is not exact: look, think, act, verify.

use legwork_protocol::assistant::TaskContext;

use crate::model::{Model, ModelError};
use crate::run::{Hands, Spent};

/// What is to be achieved.
#[derive(Debug, Clone)]
pub struct Goal {
    /// The task in words.
    pub task: String,
    /// The whole instruction it is part of.
    pub instruction: String,
    /// What it is done in.
    pub context: TaskContext,
    /// What a direct attempt failed at, if there was one.
    pub obstacle: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Achieved {
    /// Done; what was verified or read.
    Done(String),
    /// Not done, and why.
    Failed(String),
    /// The person left this task out.
    Skipped,
    /// The person ended the run.
    Stopped,
}

/// Why thinking ended without a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ThinkError {
    /// A limit was reached.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// The model gave no answer.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Pursues a goal with a model until it is achieved, given up, or costs too much.
pub async fn pursue(
    _goal: &Goal,
    _model: &dyn Model,
    _hands: &mut dyn Hands,
) -> Result<Achieved, ThinkError> {
    Ok(Achieved::Failed("nothing thinks here yet".into()))
}
