//! How long was worked, without the time that a person took.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// Counts the time at work.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    counted: watch::Sender<Counted>,
}

#[derive(Debug, Clone, Copy)]
struct Counted {
    before: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    /// Goes on from what was counted before.
    pub(crate) fn from(before: Duration) -> Stopwatch {
        let since = Some(Instant::now());
        Stopwatch { counted: watch::Sender::new(Counted { before, since }) }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        let Counted { before, since } = *self.counted.borrow();
        before + since.map(|since| since.elapsed()).unwrap_or_default()
    }

    pub(crate) fn pause(&mut self) {
        let before = self.elapsed();
        self.counted.send_replace(Counted { before, since: None });
    }

    pub(crate) fn go_on(&mut self) {
        let before = self.elapsed();
        self.counted.send_replace(Counted { before, since: Some(Instant::now()) });
    }

    /// Ends when so long was worked. Pauses are waited out.
    pub(crate) fn reaches(&self, limit: Duration) -> impl Future<Output = ()> + use<> {
        let mut counted = self.counted.subscribe();
        async move {
            loop {
                let end = counted.borrow_and_update().reaches(limit);
                let changed = match end {
                    None => counted.changed().await,
                    Some(end) => match timeout_at(end, counted.changed()).await {
                        Ok(changed) => changed,
                        Err(_) => return,
                    },
                };
                if changed.is_err() {
                    // Nobody counts any more.
                    return std::future::pending().await;
                }
            }
        }
    }
}

impl Counted {
    /// When a limit is reached if nothing changes; never during a pause.
    fn reaches(self, limit: Duration) -> Option<Instant> {
        self.since?.checked_add(limit.saturating_sub(self.before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_limit_is_reached_by_the_time_at_work_alone() {
        let mut watch = Stopwatch::from(Duration::from_secs(1));
        let reached = tokio::spawn(watch.reaches(Duration::from_secs(3)));
        let began = Instant::now();
        let passes = |seconds| tokio::time::sleep(Duration::from_secs(seconds));
        passes(1).await;
        watch.pause();
        passes(600).await;
        assert!(!reached.is_finished(), "a person takes their time");
        watch.go_on();
        reached.await.unwrap();
        assert_eq!(began.elapsed().as_secs(), 602);
        let never = watch.reaches(Duration::MAX);
        assert!(tokio::time::timeout(Duration::from_secs(9), never).await.is_err());
    }
}
