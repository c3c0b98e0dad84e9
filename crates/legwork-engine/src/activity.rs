//! When a session was last used, and whether it is in use now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

pub(crate) struct Activity {
    inner: Mutex<Inner>,
}

struct Inner {
    under_way: usize,
    last: Instant,
}

impl Activity {
    pub(crate) fn new() -> Arc<Activity> {
        Arc::new(Activity { inner: Mutex::new(Inner { under_way: 0, last: Instant::now() }) })
    }

    /// Counts as use until it is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> Use {
        self.inner().under_way += 1;
        Use(self.clone())
    }

    /// The last moment of use: now, while something is under way.
    pub(crate) fn last(&self) -> Instant {
        let inner = self.inner();
        if inner.under_way > 0 { Instant::now() } else { inner.last }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something under way.
pub(crate) struct Use(Arc<Activity>);

impl Drop for Use {
    fn drop(&mut self) {
        let mut inner = self.0.inner();
        inner.under_way -= 1;
        inner.last = Instant::now();
    }
}
