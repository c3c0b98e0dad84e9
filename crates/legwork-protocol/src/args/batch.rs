//! Arguments for several actions in one call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Does several steps in one call; stops at the first that does not do what it says. Refs stay valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Each {"tool": "browser_click", "target": "e5"} with that tool's arguments
    pub steps: Vec<Step>,
}

/// One step: a tool and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Tool's name
    pub tool: String,
    /// Its arguments, read when the batch is.
    #[serde(flatten)]
    #[schemars(skip)]
    pub arguments: Map<String, Value>,
}
