//! What goes wrong with a sidecar, apart from what goes wrong in a tool.

use std::time::Duration;

use crate::discovery::NotFound;
use crate::error::{Code, ToolError};

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The sidecar works; the tool did not do what was asked.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The sidecar does not work.
    #[error(transparent)]
    Sidecar(#[from] Failure),
}

/// What is wrong with the sidecar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// There is none.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// It cannot be started.
    #[error("the sidecar cannot be started: {0}")]
    Start(String),
    /// It ended, and whatever page was open in it is lost.
    #[error("the sidecar ended: {0}")]
    Died(String),
    /// It did not answer in time. The call was cancelled.
    #[error("{method} was not answered within {} ms", after.as_millis())]
    TimedOut {
        /// What was asked for.
        method: String,
        /// For how long.
        after: Duration,
    },
    /// What it said is no answer.
    #[error("the sidecar's answer cannot be read: {0}")]
    Malformed(String),
    /// It speaks another protocol.
    #[error("{0}")]
    Protocol(String),
}

impl Failure {
    pub(super) fn ended() -> Failure {
        Failure::Died("the connection is closed".to_owned())
    }

    pub(super) fn timed_out(method: &str, after: Duration) -> Failure {
        Failure::TimedOut { method: method.to_owned(), after }
    }

    /// For programs.
    pub fn code(&self) -> Code {
        match self {
            Failure::NotFound(_) => Code::SidecarNotFound,
            Failure::TimedOut { .. } => Code::Timeout,
            _ => Code::SidecarFailed,
        }
    }
}

impl Error {
    /// For programs; what failed, the variant tells.
    pub fn code(&self) -> Code {
        match self {
            Error::Tool(error) => error.code,
            Error::Sidecar(failure) => failure.code(),
        }
    }
}

impl From<Error> for ToolError {
    fn from(error: Error) -> ToolError {
        match error {
            Error::Tool(error) => error,
            Error::Sidecar(Failure::NotFound(missing)) => missing.into(),
            Error::Sidecar(failure @ Failure::Died(_)) => {
                ToolError::new(failure.code(), failure.to_string())
                    .with_hint("the next call starts another one; open the page again")
            }
            Error::Sidecar(failure) => ToolError::new(failure.code(), failure.to_string()),
        }
    }
}
