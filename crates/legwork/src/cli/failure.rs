//! How a command fails: a code, a sentence and a hint on standard error, and an exit code that never
//! changes its meaning.

use std::process::ExitCode;

use legwork_protocol::{Code, ToolError};
use serde_json::json;

use crate::config;

/// What the exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// It was done.
    Done = 0,
    /// The tool did not do what was asked.
    Tool = 1,
    /// The command or the configuration cannot be read; clap exits with the same.
    Usage = 2,
    /// No browser can be started.
    NoBrowser = 3,
    /// The daemon cannot be reached or ended.
    Daemon = 4,
    /// A deadline passed.
    Timeout = 5,
    /// Shopping came to its end, and something is not in the cart.
    Incomplete = 6,
    /// The user interrupted it: 128 and the number of the signal.
    Interrupted = 130,
}

/// A command that failed.
#[derive(Debug)]
pub(super) struct Failure {
    code: String,
    message: String,
    hint: Option<String>,
    exit: Exit,
}

impl Failure {
    pub(super) fn new(exit: Exit, code: &str, message: impl Into<String>) -> Failure {
        Failure { code: code.to_owned(), message: message.into(), hint: None, exit }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// With one thing more to know.
    pub(super) fn and_hint(self, more: &str) -> Failure {
        let hint = self.hint.map_or_else(|| more.to_owned(), |hint| format!("{hint}; {more}"));
        Failure { hint: Some(hint), ..self }
    }

    /// What may help, as far as it is known.
    pub(super) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Arguments that cannot be used.
    pub(super) fn usage(error: &anyhow::Error) -> Failure {
        Failure::new(Exit::Usage, Code::InvalidInput.text(), format!("{error:#}"))
    }

    /// A call that its tool cannot read.
    pub(super) fn unreadable(error: ToolError) -> Failure {
        Failure { exit: Exit::Usage, ..Failure::from(error) }
    }

    pub(super) fn config(error: config::Error) -> Failure {
        if let config::Error::Policy(error) = &error {
            return Failure::policy(error);
        }
        Failure::new(Exit::Usage, "invalid_config", error.to_string())
            .with_hint("docs/config.md lists the keys; `legwork config` shows what is in force")
    }

    pub(super) fn daemon(error: &anyhow::Error) -> Failure {
        Failure::new(Exit::Daemon, Code::SidecarFailed.text(), format!("{error:#}"))
    }

    /// What this process could not do by itself, without a daemon.
    pub(super) fn internal(error: &anyhow::Error) -> Failure {
        Failure::new(Exit::Tool, Code::Internal.text(), format!("{error:#}"))
    }

    pub(super) fn interrupted() -> Failure {
        Failure::new(Exit::Interrupted, Code::Cancelled.text(), "interrupted")
            .with_hint("the call was cancelled; the session can be used on")
    }

    /// Tells the user, and gives the exit code.
    pub(super) fn tell(&self, json: bool) -> ExitCode {
        if json {
            let error = json!({ "code": self.code, "message": self.message, "hint": self.hint });
            eprintln!("{}", json!({ "error": error }));
        } else {
            eprintln!("error[{}]: {}", self.code, self.message);
            if let Some(hint) = &self.hint {
                eprintln!("hint: {}", commands(hint));
            }
        }
        ExitCode::from(self.exit as u8)
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Failure {
        let exit = match error.code {
            Code::BrowserNotFound | Code::LaunchFailed => Exit::NoBrowser,
            Code::SidecarNotFound | Code::SidecarFailed => Exit::Daemon,
            Code::Timeout => Exit::Timeout,
            Code::Cancelled => Exit::Interrupted,
            _ => Exit::Tool,
        };
        let ToolError { code, message, hint } = error;
        Failure { code: code.text().to_owned(), message, hint, exit }
    }
}

/// Hints are written for whoever calls tools; here tools are commands.
fn commands(hint: &str) -> String {
    const NAMES: &[(&str, &str)] = &[
        ("browser_snapshot(interactive: true)", "`legwork snapshot -i`"),
        ("browser_handle_dialog", "`legwork dialog`"),
        ("browser_snapshot", "`legwork snapshot`"),
        ("browser_find", "`legwork find`"),
        ("browser_wait", "`legwork wait`"),
        ("browser_batch", "`legwork batch`"),
    ];
    NAMES.iter().fold(hint.to_owned(), |hint, (tool, command)| hint.replace(tool, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_follow_from_codes() {
        for (code, exit) in [
            (Code::NotFound, 1),
            (Code::InvalidInput, 1),
            (Code::BrowserNotFound, 3),
            (Code::LaunchFailed, 3),
            (Code::SidecarFailed, 4),
            (Code::Timeout, 5),
            (Code::Cancelled, 130),
        ] {
            let failure = Failure::from(ToolError::new(code, ""));
            assert_eq!(failure.exit as u8, exit, "{code}");
        }
    }
}
