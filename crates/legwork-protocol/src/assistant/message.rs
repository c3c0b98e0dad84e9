//! The four messages. Each way they look the same: a type, a payload, and the id of the request that it is
//! or answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::assist::{AssistanceRequest, UserResponse};
use super::browser::BrowserState;
use super::state::{Budget, StateUpdate};
use crate::error::ToolError;

/// A message to or from the assistant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The request it is, or that it came of.
    pub request_id: String,
    /// What it says. On the wire: `type` and `payload`.
    #[serde(flatten)]
    pub payload: Payload,
}

/// What a message says. The inner kinds say which way it goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "payload", rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(clippy::large_enum_variant, reason = "it is read or written, and kept by nobody")]
pub enum Payload {
    /// To the assistant: do this.
    ExecuteTask(Execute),
    /// Both ways: asks for the page, and is answered with it.
    GetDom(GetDom),
    /// Both ways: a person is needed, and what the person says, unasked too.
    UserAssistance(Feedback),
    /// From the assistant: how a run is going.
    StateUpdate(StateUpdate),
    /// From the assistant: the request cannot be done.
    Error(ToolError),
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Execute {
    /// The instruction, in plain language.
    pub instruction: String,
    /// The session to do it in; the usual one if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Shows the tasks first and begins when a person agrees.
    #[serde(default)]
    pub plan_first: bool,
    /// What it may cost; as configured if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// A page, asked for or given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GetDom {
    /// The page of this session is wanted.
    Wanted {
        /// The session.
        #[serde(rename = "sessionId")]
        session_id: String,
    },
    /// This is the page.
    Page(BrowserState),
}

/// Help: asked for, given, or a word in between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// A person is needed.
    Request(AssistanceRequest),
    /// What the person answered.
    Response(UserResponse),
    /// What a person says of a run while it goes on: "no, the blue one".
    Remark {
        /// The run.
        #[serde(rename = "runId")]
        run_id: String,
        /// The words.
        text: String,
    },
    /// Stop a run.
    Stop {
        /// The run.
        #[serde(rename = "runId")]
        run_id: String,
    },
    /// Go on with a run that was put aside because nobody answered, or was stopped, killed or failed.
    Resume {
        /// The run.
        #[serde(rename = "runId")]
        run_id: String,
    },
}
