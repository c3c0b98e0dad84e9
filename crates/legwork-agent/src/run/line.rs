//! The line between a run and the person it works for: who stops it, who answers it, who waits for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork_protocol::assistant::Reaction;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The line between a run and the person it works for.
#[derive(Default)]
pub(crate) struct Line {
    /// The person ended the run.
    pub(crate) stopped: CancellationToken,
    /// The run waits longer than it may: it is put aside.
    pub(crate) aside: CancellationToken,
    /// Nobody works at the run any more.
    pub(crate) over: CancellationToken,
    /// The request whose answer is waited for.
    waiting: Mutex<Option<(String, oneshot::Sender<Reaction>)>>,
}

impl Line {
    fn waiting(&self) -> MutexGuard<'_, Option<(String, oneshot::Sender<Reaction>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether work at the run is just coming to its end.
    pub(crate) fn is_ending(&self) -> bool {
        self.stopped.is_cancelled() || self.aside.is_cancelled()
    }

    /// Waits for the answer to a request from now on.
    pub(crate) fn expect(&self, request: &str) -> oneshot::Receiver<Reaction> {
        let (tell, hear) = oneshot::channel();
        *self.waiting() = Some((request.to_owned(), tell));
        hear
    }

    /// Hands an answer on, if it is waited for.
    pub(crate) fn answer(&self, request: &str, reaction: Reaction) -> bool {
        let mut waiting = self.waiting();
        if waiting.as_ref().is_none_or(|(waiting, _)| waiting != request) {
            return false;
        }
        waiting.take().is_some_and(|(_, tell)| tell.send(reaction).is_ok())
    }
}
