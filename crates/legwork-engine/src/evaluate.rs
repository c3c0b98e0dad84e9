//! Runs JavaScript in the page's own world and gives back its value as JSON.

use std::time::Duration;

use legwork_cdp::runtime;

use crate::error::{Error, Result};
use crate::page::Page;
use crate::running::Running;

/// How an expression is evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Evaluate {
    /// Waits for a promise.
    pub await_promise: bool,
    /// Gives up after this time.
    pub timeout: Duration,
}

impl Default for Evaluate {
    fn default() -> Self {
        Evaluate { await_promise: true, timeout: Duration::from_secs(15) }
    }
}

impl Page {
    /// The value of an expression as JSON text, or `undefined`.
    pub async fn evaluate(&self, expression: &str, options: Evaluate) -> Result<String> {
        let reply = self.run(expression, options, false).await?;
        let details = match reply.exception_details {
            None => return Ok(shown(reply.result)),
            Some(details) => details,
        };
        // Nothing has run when the text does not parse, so it may be read in another way.
        let message = early_error(&details).unwrap_or_default();
        let reply = if message.contains("already been declared") {
            // In a block of its own a name may be declared again.
            self.run(&format!("{{{expression}\n}}"), options, false).await?
        } else if message.contains("await") {
            // As a console reads it, `await` may stand at the top.
            self.run(expression, options, true).await?
        } else {
            return Err(script_error(details));
        };
        match reply.exception_details {
            None => Ok(shown(reply.result)),
            Some(details) => Err(script_error(details)),
        }
    }

    async fn run(
        &self,
        expression: &str,
        options: Evaluate,
        as_console: bool,
    ) -> Result<runtime::EvaluateReply> {
        let command = runtime::Evaluate {
            expression: expression.to_owned(),
            await_promise: Some(options.await_promise),
            return_by_value: Some(true),
            user_gesture: Some(true),
            repl_mode: Some(as_console),
            ..Default::default()
        };
        match self.run_while_awaited(&command, options.timeout).await {
            Err(Error::Timeout { .. }) => {
                self.unhang().await?;
                Err(Error::Timeout { what: "the expression".into(), after: options.timeout })
            }
            Err(Error::Protocol(message)) if message.contains("too long") => {
                Err(Error::Invalid("the value is too large or nested too deeply".into()))
            }
            other => other,
        }
    }

    /// Sends the script. Whoever gives it up while it runs ends it.
    async fn run_while_awaited(
        &self,
        command: &runtime::Evaluate,
        timeout: Duration,
    ) -> Result<runtime::EvaluateReply> {
        let mut running = Running::begin(&self.tab);
        let sent = self.tab.session.send(command).within(timeout);
        let ended = self.tab.unless_blocked(async {
            tokio::select! {
                biased;
                reply = sent => reply,
                never = running.watch() => match never {},
            }
        });
        let ended = ended.await;
        running.over();
        ended
    }
}

/// The message of a syntax error found before anything ran. One that a running script throws has the
/// place it was thrown at, or comes from a promise.
fn early_error(details: &runtime::ExceptionDetails) -> Option<&str> {
    let thrown = details.exception.as_ref()?;
    let ran = details.stack_trace.as_ref().is_some_and(|stack| !stack.call_frames.is_empty());
    if ran || details.text != "Uncaught" {
        return None;
    }
    (thrown.class_name.as_deref() == Some("SyntaxError")).then_some(thrown.description.as_deref()?)
}

fn shown(object: runtime::RemoteObject) -> String {
    match (object.value, object.unserializable_value) {
        (Some(value), _) => value.get().to_owned(),
        (None, Some(text)) => text,
        (None, None) if object.kind == "undefined" => "undefined".to_owned(),
        (None, None) => object.description.unwrap_or(object.kind),
    }
}

fn script_error(details: runtime::ExceptionDetails) -> Error {
    let description = details.exception.and_then(|thrown| {
        thrown.description.or_else(|| thrown.value.map(|value| value.get().to_owned()))
    });
    let message = description.unwrap_or(details.text);
    // The position inside the evaluated text is in the details; the stack below repeats it.
    let first = message.lines().next().unwrap_or_default();
    Error::Script {
        message: first.to_owned(),
        line: details.line_number + 1,
        column: details.column_number + 1,
    }
}
