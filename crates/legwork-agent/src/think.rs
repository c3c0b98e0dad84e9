//! What a model does of a task that is not exact: look, think, act, verify.

mod act;
mod ask;
mod help;
mod history;
mod mind;
mod offer;
mod prompt;
mod recover;
mod report;
mod size;
mod turn;
mod verify;
mod vision;
mod watch;

use std::ops::ControlFlow;

use legwork_protocol::assistant::TaskContext;

pub(crate) use prompt::short;
pub use report::Reports;
pub(crate) use turn::answer;

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
    goal: &Goal,
    model: &dyn Model,
    hands: &mut dyn Hands,
) -> Result<Achieved, ThinkError> {
    go_on(mind::Mind::new(goal, model, hands, None)).await
}

/// Pursues a goal that has tools of its own for saying what came of it: `done` is not offered, and the first
/// report that is taken achieves it.
pub async fn pursue_with(
    goal: &Goal,
    model: &dyn Model,
    hands: &mut dyn Hands,
    reports: &mut dyn Reports,
) -> Result<Achieved, ThinkError> {
    go_on(mind::Mind::new(goal, model, hands, Some(reports))).await
}

async fn go_on(mut mind: mind::Mind<'_>) -> Result<Achieved, ThinkError> {
    if let ControlFlow::Break(end) = mind.begin().await {
        return Ok(end);
    }
    loop {
        let answer = mind.ask().await?;
        if let ControlFlow::Break(end) = mind.follow(answer).await {
            return Ok(end);
        }
    }
}
