//! Stopping what runs: every call under way is listed here, and races the word to stop.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The calls under way, also those that wait for their turn.
#[derive(Default)]
pub(crate) struct Running {
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    began: u64,
    running: HashMap<u64, (String, Arc<Notify>)>,
}

/// A call under way; dropped, it is not any more.
pub(crate) struct Run<'a> {
    running: &'a Running,
    number: u64,
    stop: Arc<Notify>,
}

impl Running {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins.
    pub(crate) fn begin(&self, session: &str) -> Run<'_> {
        let mut calls = self.calls();
        calls.began += 1;
        let (number, stop) = (calls.began, Arc::default());
        calls.running.insert(number, (session.to_owned(), Arc::clone(&stop)));
        Run { running: self, number, stop }
    }

    /// Tells the calls of a session, or all, to stop; says how many.
    pub(crate) fn stop(&self, session: Option<&str>) -> usize {
        let calls = self.calls();
        let meant = calls.running.values().filter(|(of, _)| session.is_none_or(|name| name == of));
        // A permit is kept for a call that does not listen at this moment.
        meant.map(|(_, stop)| stop.notify_one()).count()
    }
}

impl Run<'_> {
    /// Ends when the call is to stop.
    pub(crate) async fn stopped(&self) {
        self.stop.notified().await;
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.running.calls().running.remove(&self.number);
    }
}
