//! What can go wrong between us and a browser, and why a connection ended.

use std::fmt;
use std::time::Duration;

/// Why a command has no reply, or why there is no connection.
///
/// It can be cloned, so that everyone who waits for the same thing can be told.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The connection is closed, or closed before the answer came.
    #[error("the browser connection is closed: {0}")]
    Closed(CloseReason),
    /// The session was detached from its target before the answer came.
    #[error("{method} was not answered: its session was detached from the target")]
    Detached {
        /// The command that was sent.
        method: String,
    },
    /// No answer came in time.
    #[error("{method} was not answered within {after:?}")]
    Timeout {
        /// The command that was sent.
        method: String,
        /// The deadline it had, counted from when it was sent.
        after: Duration,
    },
    /// The browser answered with an error.
    #[error("{method} failed: {message}{}", detail(.data))]
    Remote {
        /// The command that was sent.
        method: String,
        /// The protocol's error code, such as -32000.
        code: i64,
        /// The browser's own words.
        message: String,
        /// More of the browser's words, where there are any.
        data: Option<String>,
    },
    /// The answer does not have the shape that the protocol promises.
    #[error("{method} was answered in an unexpected shape: {message}")]
    BadReply {
        /// The command that was sent.
        method: String,
        /// What does not fit.
        message: String,
    },
    /// The command cannot be written as JSON, so it was not sent.
    #[error("{method} cannot be sent: {message}")]
    BadCommand {
        /// The command that was not sent.
        method: String,
        /// What cannot be written.
        message: String,
    },
    /// The browser's debugging address cannot be connected to.
    #[error("cannot connect to {url}: {message}")]
    Connect {
        /// The address, without credentials and query.
        url: String,
        /// What went wrong.
        message: String,
    },
}

/// Why a connection is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The browser closed it, or is gone.
    Ended,
    /// We closed it, or dropped the last handle to it.
    Asked,
    /// Reading or writing failed.
    Failed(String),
    /// We closed it, since the browser answered nothing any more.
    Silent,
}

impl fmt::Display for CloseReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CloseReason::Ended => out.write_str("the browser ended it"),
            CloseReason::Asked => out.write_str("it was closed on our side"),
            CloseReason::Failed(message) => write!(out, "it failed: {message}"),
            CloseReason::Silent => out.write_str("it stopped answering"),
        }
    }
}

fn detail(data: &Option<String>) -> String {
    data.as_ref().map(|data| format!(" ({data})")).unwrap_or_default()
}
