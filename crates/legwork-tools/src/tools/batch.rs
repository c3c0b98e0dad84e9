//! `browser_batch`: several steps in one call. Every step is read before the first is done; the batch
//! stops at the first that does not do what it says, and shows the page once, at the end.

use legwork_protocol::{Action, Batch, Code, Observe, Reply, ToolError};
use serde_json::{Value, json};

use super::canonical;
use crate::answer;
use crate::desk::Desk;

/// More steps than anybody wants done unseen.
const MOST: usize = 100;

/// Reads every step; a mistake in one is a mistake of the batch.
pub(crate) fn read(batch: Batch, desk: &Desk) -> Result<Vec<Action>, ToolError> {
    if batch.steps.is_empty() {
        return Err(ToolError::invalid("a batch needs at least one step"));
    }
    if batch.steps.len() > MOST {
        return Err(ToolError::invalid(format!("a batch has at most {MOST} steps")));
    }
    let mut steps = Vec::new();
    for (index, step) in batch.steps.into_iter().enumerate() {
        let in_step = |error: ToolError| ToolError {
            message: format!("step {}: {}", index + 1, error.message),
            ..error
        };
        let action = Action::parse(&step.tool, step.arguments).map_err(in_step)?;
        if matches!(action, Action::Batch(_)) {
            return Err(in_step(ToolError::invalid("a batch cannot hold another batch")));
        }
        steps.push(canonical(action, desk).map_err(in_step)?);
    }
    Ok(steps)
}

/// The step without a look at the page after it, unless one was asked for: the batch looks at the end.
pub(crate) fn quietly(action: Action) -> Action {
    action
}

/// What the steps came to.
pub(crate) struct Report {
    total: usize,
    lines: Vec<String>,
    data: Vec<Value>,
    failed: Option<ToolError>,
}

impl Report {
    pub(crate) fn new(total: usize) -> Report {
        Report { total, lines: Vec::new(), data: Vec::new(), failed: None }
    }

    pub(crate) fn total(&self) -> usize {
        self.total
    }

    pub(crate) fn done(&self) -> usize {
        self.data.len()
    }

    /// Takes a step's answer; false if the batch has to stop here.
    pub(crate) fn add(&mut self, tool: &str, ended: Result<Reply, ToolError>) -> bool {
        let number = self.data.len() + 1;
        match ended {
            Ok(reply) => {
                self.lines.push(format!("{number}. {}", reply.text));
                let idle = reply.data.get("verdict") == Some(&json!("nothing_changed"));
                self.data.push(json!({ "tool": tool, "ok": true, "reply": reply.data }));
                if idle && is_expected_to_do_something(tool) && number < self.total {
                    let message = format!("step {number} ({tool}) changed nothing");
                    self.failed = Some(ToolError::new(Code::StepFailed, message));
                }
            }
            Err(error) => {
                self.lines.push(format!("{number}. {}", error.told()));
                self.data.push(json!({ "tool": tool, "ok": false, "error": error }));
                let message = format!("step {number} ({tool}) failed: {}", error.message);
                self.failed = Some(ToolError { message, ..error });
            }
        }
        self.failed.is_none()
    }

    pub(crate) async fn answer(self, desk: &Desk) -> Result<Reply, ToolError> {
        let text = self.lines.join("\n");
        let Some(error) = self.failed else {
            return Ok(Reply::text(text).with_data(json!({ "steps": self.data })));
        };
        let left = self.total - self.data.len();
        let stopped = match left {
            0 => String::new(),
            1 => "\n(stopped: 1 step not done)".to_owned(),
            left => format!("\n(stopped: {left} steps not done)"),
        };
        let _ = (desk, Observe::None, answer::shortened("", 0));
        Err(ToolError { message: format!("{text}{stopped}"), ..error })
    }
}

/// A click, a choice or a text that changes nothing is a surprise; a key or a look may be none.
fn is_expected_to_do_something(tool: &str) -> bool {
    matches!(tool, "browser_click" | "browser_type" | "browser_select" | "browser_drag")
}
