//! How often a site may be acted on (W4): at most so many actions in any minute. What is too many waits
//! its turn, in the order it came; giving up the call gives up its place.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);

/// When each site was acted on, newest last.
#[derive(Default)]
pub(crate) struct Rate {
    sites: Mutex<HashMap<String, Arc<Line>>>,
}

/// One site's.
#[derive(Default)]
struct Line {
    /// Waiting for this lock is standing in line.
    turns: tokio::sync::Mutex<VecDeque<Instant>>,
    /// Until when whoever is first waits at least.
    until: Mutex<Option<Instant>>,
}

impl Rate {
    /// Waits until one more action on the site is within its limit. `waiting` is told how long that will
    /// be at least, if it is not at once.
    pub(crate) async fn wait(
        &self,
        site: &str,
        per_minute: u32,
        waiting: impl Fn(Duration),
    ) -> Duration {
        let asked = Instant::now();
        let line = {
            let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
            sites.entry(site.to_owned()).or_default().clone()
        };
        let until = || line.until.lock().unwrap_or_else(PoisonError::into_inner);
        let mut turns = match line.turns.try_lock() {
            Ok(turns) => turns,
            Err(_) => {
                let first = *until();
                // Whoever is only about to act keeps nobody waiting.
                if let Some(first) = first.filter(|first| *first > asked) {
                    waiting(first - asked);
                }
                line.turns.lock().await
            }
        };
        loop {
            let now = Instant::now();
            while turns.front().is_some_and(|oldest| *oldest + MINUTE <= now) {
                turns.pop_front();
            }
            match turns.front() {
                Some(oldest) if turns.len() >= per_minute.max(1) as usize => {
                    let next = *oldest + MINUTE;
                    *until() = Some(next);
                    waiting(next - now);
                    tokio::time::sleep_until(next).await;
                }
                _ => break,
            }
        }
        let now = Instant::now();
        turns.push_back(now);
        now - asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_eleventh_action_of_a_minute_waits_for_the_first_to_be_a_minute_old() {
        let rate = Rate::default();
        for _ in 0..10 {
            assert_eq!(rate.wait("shop.test", 10, |_| ()).await, Duration::ZERO);
        }
        assert_eq!(rate.wait("other.test", 10, |_| ()).await, Duration::ZERO);
        let told = std::cell::Cell::new(Duration::ZERO);
        let waited = rate.wait("shop.test", 10, |wait| told.set(wait)).await;
        assert!(waited >= MINUTE && waited < MINUTE * 2, "{waited:?}");
        assert_eq!(told.get(), MINUTE);
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_goes_in_order_and_may_give_up() {
        let rate = Arc::new(Rate::default());
        rate.wait("s", 1, |_| ()).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        let told = Arc::new(Mutex::new(Vec::new()));
        for number in 0..3 {
            let (rate, order, told) = (rate.clone(), order.clone(), told.clone());
            tasks.push(tokio::spawn(async move {
                rate.wait("s", 1, |wait| told.lock().unwrap().push((number, wait))).await;
                order.lock().unwrap().push(number);
            }));
            tokio::task::yield_now().await;
        }
        // Each hears at once that it waits, and how long at least, wherever it stands in line.
        assert_eq!(*told.lock().unwrap(), [(0, MINUTE), (1, MINUTE), (2, MINUTE)]);
        tasks.remove(1).abort();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), [0, 2]);
    }
}
