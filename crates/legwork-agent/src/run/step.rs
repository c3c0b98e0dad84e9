//! A step: one call of a tool, as it is saved.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One call of a tool within a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The task it belongs to.
    pub task: String,
    /// Counts up within the run.
    pub number: u32,
    /// The tool.
    pub tool: String,
    /// Its arguments as they were sent. Secrets are in them by name only.
    pub arguments: Map<String, Value>,
    /// How far it came.
    pub state: StepState,
    /// The reply's text, or the error's.
    pub told: String,
    /// The reply's data.
    pub data: Value,
}

/// How far a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Sent; whether it was done is not known if nothing more is saved.
    Begun,
    /// Answered.
    Done,
    /// Refused or failed.
    Failed,
}
