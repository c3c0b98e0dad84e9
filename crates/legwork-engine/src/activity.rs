//! When a session was last used, and whether it is in use now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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

/// Something that is closed when nobody has used it for a while.
pub(crate) trait Closes {
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// Closes what `last_used` gives once it has been idle; ends when it is closed or gone.
pub(crate) async fn watch_idle<T: Closes>(
    idle: Duration,
    mut ended: tokio::sync::watch::Receiver<bool>,
    last_used: impl Fn() -> Option<(Instant, T)>,
) {
    loop {
        let Some((used, session)) = last_used() else { return };
        let expires = used + idle;
        if Instant::now() >= expires {
            session.close().await;
            return;
        }
        drop(session);
        tokio::select! {
            () = tokio::time::sleep_until(expires) => {}
            // Closed by its owner, or dropped.
            _ = ended.wait_for(|closed| *closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Fake(Arc<AtomicBool>);

    impl Closes for Fake {
        async fn close(self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_closes_after_thirty_idle_minutes_and_not_before() {
        let closed = Arc::new(AtomicBool::new(false));
        let used = Arc::new(Mutex::new(Instant::now()));
        let (ending, ended) = tokio::sync::watch::channel(false);
        let (seen, last) = (closed.clone(), used.clone());
        let idle = Config::default().idle;
        let watch = tokio::spawn(watch_idle(idle, ended, move || {
            Some((*last.lock().unwrap(), Fake(seen.clone())))
        }));
        tokio::time::sleep(Duration::from_secs(20 * 60)).await;
        *used.lock().unwrap() = Instant::now();
        tokio::time::sleep(Duration::from_secs(29 * 60)).await;
        assert!(!closed.load(Ordering::SeqCst));
        tokio::time::sleep(Duration::from_secs(2 * 60)).await;
        assert!(closed.load(Ordering::SeqCst));
        watch.await.unwrap();
        drop(ending);
    }
}
