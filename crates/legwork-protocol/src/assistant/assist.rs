//! When a person is needed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A request for help. The run waits; what it has done stays done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistanceRequest {
    /// Names it.
    pub id: String,
    /// What kind of help.
    #[serde(rename = "type")]
    pub kind: AssistanceKind,
    /// What to do, in a sentence.
    pub message: String,
    /// Where and why.
    pub context: String,
    /// Answers to choose from, if it is a question with choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Seconds that an answer is waited for; as long as it takes if none are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

/// What kind of help is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssistanceKind {
    /// A riddle for people.
    Captcha,
    /// A sign-in.
    Login,
    /// A second factor.
    TwoFactor,
    /// Anything else: most often a question.
    Custom,
}

/// What a person answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserResponse {
    /// The request.
    pub request_id: String,
    /// The answer.
    pub response: Reaction,
    /// When it was given, as RFC 3339 in UTC.
    pub timestamp: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    /// Done in the browser; look again.
    Done,
    /// In words, or one of the choices.
    Said(String),
    /// Leave this task out and go on.
    Skip,
    /// End the run.
    Stop,
}
