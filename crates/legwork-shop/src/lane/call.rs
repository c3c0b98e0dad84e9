//! The one way to a tool: for a lane, for a sign-in, and for a visit to a shop that is not known yet.

use legwork_protocol::{Reply, ToolCall, ToolError, ToolHost};
use serde::Serialize;
use serde_json::Value;

/// Calls the tools of a session.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) host: &'a dyn ToolHost,
    pub(crate) session: &'a str,
    /// Who calls, as the record of calls has it.
    pub(crate) door: &'static str,
}

impl Caller<'_> {
    /// Calls a tool with arguments that are an object.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Result<Reply, ToolError> {
        let unusable = |why: &str| ToolError::invalid(format!("the arguments of {tool}: {why}"));
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) => return Err(unusable("they are not named")),
            Err(error) => return Err(unusable(&error.to_string())),
        };
        let call = ToolCall { door: self.door, ..ToolCall::new(self.session, tool, arguments) };
        self.host.call(call).await
    }
}
