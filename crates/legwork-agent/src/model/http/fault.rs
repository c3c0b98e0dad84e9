//! What went wrong with one try.

use std::time::Duration;

use crate::model::Tokens;

/// What went wrong with one try, and so whether there is another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The server is busy, failing or not reached: asked again.
    Passing {
        /// In the server's words.
        message: String,
        /// How long it wishes us to wait.
        wished: Option<Duration>,
    },
    /// The answer is whole, but the model slipped: asked again, though it was paid for.
    Unusable {
        /// What is wrong with it.
        message: String,
        /// What it cost.
        usage: Tokens,
    },
    /// The answer broke off: asked again, because nothing was done with its beginning but to show it.
    Cut(String),
    /// The answer is whole and makes no sense.
    Garbled(String),
    /// The request is not accepted as it is.
    Refused {
        /// HTTP.
        status: u16,
        /// In the server's words.
        message: String,
    },
    /// The key is not accepted.
    Key {
        /// HTTP.
        status: u16,
        /// In the server's words.
        message: String,
    },
}

impl Fault {
    pub(crate) fn passing(message: String) -> Fault {
        Fault::Passing { message, wished: None }
    }

    /// Whether another try is worth it, and the wait the server wishes.
    pub(super) fn again(&self) -> Option<Option<Duration>> {
        match self {
            Fault::Passing { wished, .. } => Some(*wished),
            Fault::Cut(_) | Fault::Unusable { .. } => Some(None),
            Fault::Garbled(_) | Fault::Refused { .. } | Fault::Key { .. } => None,
        }
    }

    pub(super) fn words(&self) -> &str {
        match self {
            Fault::Cut(message) | Fault::Garbled(message) => message,
            Fault::Passing { message, .. }
            | Fault::Unusable { message, .. }
            | Fault::Refused { message, .. }
            | Fault::Key { message, .. } => message,
        }
    }

    /// The same with something said after it.
    pub(super) fn and(mut self, more: &str) -> Fault {
        match &mut self {
            Fault::Cut(message) | Fault::Garbled(message) => *message += &format!("; {more}"),
            Fault::Passing { message, .. }
            | Fault::Unusable { message, .. }
            | Fault::Refused { message, .. }
            | Fault::Key { message, .. } => *message += &format!("; {more}"),
        }
        self
    }
}
