//! The time an item has taken. It stands still while a person is waited for, or one's turn at the cart.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// Counts the time of an item.
pub(super) struct Stopwatch {
    limit: Duration,
    count: Mutex<Count>,
    changed: Notify,
}

struct Count {
    /// What was counted before it stood still last.
    used: Duration,
    since: Instant,
    /// How many wait; while any does, nothing counts.
    waiting: u32,
}

/// The stopwatch stands still until this is dropped.
pub(super) struct Pause<'a>(&'a Stopwatch);

impl Stopwatch {
    /// One that runs.
    pub(super) fn new(limit: Duration) -> Stopwatch {
        let count = Count { used: Duration::ZERO, since: Instant::now(), waiting: 0 };
        Stopwatch { limit, count: Mutex::new(count), changed: Notify::new() }
    }

    /// Stops it for as long as the answer lives.
    pub(super) fn pause(&self) -> Pause<'_> {
        let mut count = self.count();
        if count.waiting == 0 {
            let ran = count.since.elapsed();
            count.used += ran;
        }
        count.waiting += 1;
        drop(count);
        self.changed.notify_waiters();
        Pause(self)
    }

    /// Waits until the time is up.
    pub(super) async fn run_out(&self) {
        loop {
            let changed = self.changed.notified();
            match self.left() {
                None => changed.await,
                Some(Duration::ZERO) => return,
                Some(left) => {
                    tokio::select! {
                        () = tokio::time::sleep(left) => {}
                        () = changed => {}
                    }
                }
            }
        }
    }

    /// What is left, if it runs.
    fn left(&self) -> Option<Duration> {
        let count = self.count();
        let used = count.used + count.since.elapsed();
        (count.waiting == 0).then(|| self.limit.saturating_sub(used))
    }

    fn count(&self) -> MutexGuard<'_, Count> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        let mut count = self.0.count();
        count.waiting -= 1;
        count.since = Instant::now();
        drop(count);
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiting_does_not_count() {
        let watch = Stopwatch::new(Duration::from_secs(10));
        let begun = Instant::now();
        let wait = async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            let (one, other) = (watch.pause(), watch.pause());
            tokio::time::sleep(Duration::from_secs(100)).await;
            drop(one);
            tokio::time::sleep(Duration::from_secs(100)).await;
            drop(other);
            std::future::pending::<()>().await;
        };
        tokio::select! { () = watch.run_out() => {}, () = wait => {} }
        let took = begun.elapsed().as_secs();
        assert_eq!(took, 210);
    }
}
