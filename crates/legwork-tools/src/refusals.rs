//! What sessions that have ended did not let through: kept for whoever asks what was blocked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_engine::{Blocked, Session};

/// How many are kept.
const MOST: usize = 500;

/// One list, shared by a host and its desks.
#[derive(Clone, Default)]
pub(crate) struct Refusals(Arc<Mutex<Vec<Blocked>>>);

impl Refusals {
    fn list(&self) -> MutexGuard<'_, Vec<Blocked>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what a session that ends leaves.
    pub(crate) fn keep(&self, session: &Session) {
        let mut list = self.list();
        list.extend(session.take_blocked());
        let over = list.len().saturating_sub(MOST);
        list.drain(..over);
    }

    /// What is kept, oldest first.
    pub(crate) fn all(&self) -> Vec<Blocked> {
        self.list().clone()
    }

    /// The same, which is not kept any longer.
    pub(crate) fn take(&self) -> Vec<Blocked> {
        std::mem::take(&mut *self.list())
    }
}
