//! Tools of a goal's own, by which a model says what came of it.

use std::ops::ControlFlow::{self, Break};

use legwork_protocol::{Code, ToolError};
use serde_json::{Map, Value};

use super::Achieved;
use super::mind::{Came, Mind};
use super::offer::{self, Command};
use crate::model::{Call, Tool};

/// How a goal is reported where words alone do not do. What a report says is checked by whoever set the goal.
pub trait Reports: Send {
    /// The tools that are offered.
    fn tools(&self) -> Vec<Tool>;

    /// Takes a report, and gives what was achieved in words; or an error, which goes back to the model.
    fn report(&mut self, tool: &str, arguments: Map<String, Value>) -> Result<String, ToolError>;
}

impl Mind<'_> {
    /// Reads a call, with the goal's own tools in mind.
    pub(super) fn read(&self, call: &Call) -> Result<Command, ToolError> {
        let reports = self.reports.as_ref().map(|reports| reports.tools()).unwrap_or_default();
        let names: Vec<String> = reports.into_iter().map(|tool| tool.name).collect();
        match call.name.as_str() {
            name if names.iter().any(|own| own == name) => {
                let arguments = offer::arguments(call)?;
                Ok(Command::Report(name.to_owned(), arguments))
            }
            "done" if !names.is_empty() => {
                let error =
                    ToolError::new(Code::UnknownTool, "there is no tool done for this task");
                Err(error.with_hint(format!("say what came of it with {}", names.join(" or "))))
            }
            _ => offer::read(call),
        }
    }

    /// Hands a report to whoever set the goal.
    pub(super) async fn report(
        &mut self,
        call: &Call,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> ControlFlow<Achieved, Came> {
        let unknown = || Err(ToolError::new(Code::UnknownTool, "this goal has no reports"));
        match self.reports.as_mut().map_or_else(unknown, |it| it.report(tool, arguments)) {
            Ok(achieved) => Break(Achieved::Done(achieved)),
            Err(error) => self.malformed(call, &error).await,
        }
    }
}
