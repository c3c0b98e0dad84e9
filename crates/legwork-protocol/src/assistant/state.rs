//! How a run is going.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::assist::AssistanceRequest;
use super::task::TaskList;

/// A run as it is now: whole each time, so that who comes late or misses one knows as much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateUpdate {
    /// The run.
    pub run_id: String,
    /// The session it acts in.
    pub session_id: String,
    /// The instruction as it was given.
    pub instruction: String,
    /// How it is going.
    pub status: RunStatus,
    /// What it does, as far as it is understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TaskList>,
    /// What is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
    /// What a person is needed for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assistance: Option<AssistanceRequest>,
    /// What it has cost.
    pub usage: Usage,
    /// How it ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Finished>,
}

/// How a run is going.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The instruction is being read.
    Interpreting,
    /// The tasks are known, and a person is to agree to them.
    Planned,
    /// At work.
    Running,
    /// Waits for a person.
    Waiting,
    /// Every task is completed.
    Completed,
    /// Over, and something was not done.
    Failed,
    /// A person stopped it.
    Stopped,
}

impl RunStatus {
    /// Whether nothing more will come of it, unless it is resumed.
    pub fn is_final(self) -> bool {
        matches!(self, RunStatus::Completed | RunStatus::Failed | RunStatus::Stopped)
    }
}

/// What is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// In words: `clicking "Log in"`, `thinking`.
    pub doing: String,
}

/// What a run has cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Turns of a model.
    pub turns: u32,
    /// Calls of tools.
    pub actions: u32,
    /// Tokens that a model read.
    pub input_tokens: u64,
    /// Of these, tokens that cost less because they were read before.
    pub cached_tokens: u64,
    /// Tokens that a model wrote.
    pub output_tokens: u64,
    /// Millionths of a US dollar; nothing is said where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
    /// Milliseconds at work, without waiting for people.
    pub elapsed_ms: u64,
}

/// What a run may cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Turns of a model.
    pub turns: u32,
    /// Seconds at work.
    pub seconds: u64,
    /// Tokens, read and written.
    pub tokens: u64,
    /// Millionths of a US dollar; no limit if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { turns: 60, seconds: 15 * 60, tokens: 2_000_000, cost_micros: None }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finished {
    /// What was done, in a sentence or a few.
    pub summary: String,
    /// What was read out of pages, one piece for each task that asked for some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
    /// What was not done and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<String>,
}
