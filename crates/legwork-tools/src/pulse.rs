//! What those hear who follow a call: where it is, and every few seconds that it still is there. Whoever
//! reports knows only its own part, so what was known of the whole stays with it.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_protocol::{Progress, ToolCall};
use tokio::time::Instant;

/// The life of a call, as its follower is told of it.
pub(crate) struct Pulse {
    follower: Arc<dyn Fn(Progress) + Send + Sync>,
    began: Instant,
    state: Mutex<State>,
}

struct State {
    last: Progress,
    told: Instant,
}

impl Pulse {
    /// Stands between a call and who follows it, if anybody does.
    pub(crate) fn of(call: &mut ToolCall) -> Option<Arc<Pulse>> {
        let follower = call.progress.take()?;
        let last = Progress { done: 0, total: None, message: call.tool.clone() };
        let began = Instant::now();
        let state = Mutex::new(State { last, told: began });
        let pulse = Arc::new(Pulse { follower, began, state });
        let heard = pulse.clone();
        call.progress = Some(Arc::new(move |progress| heard.pass_on(progress)));
        Some(pulse)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on what is reported. A wait within a step does not undo the steps before it.
    fn pass_on(&self, progress: Progress) {
        let told = {
            let mut state = self.state();
            let Progress { done, total, .. } = state.last;
            state.last = match progress.total {
                None => Progress { done, total, ..progress },
                Some(_) => progress,
            };
            state.told = Instant::now();
            state.last.clone()
        };
        (self.follower)(told);
    }

    /// Says again what was said last, whenever nothing was said for so long. Never ends by itself.
    async fn beat(&self, every: Duration) -> Infallible {
        loop {
            let due = self.state().told + every;
            tokio::time::sleep_until(due).await;
            let told = {
                let mut state = self.state();
                if state.told + every > Instant::now() {
                    continue;
                }
                state.told = Instant::now();
                state.last.clone()
            };
            let seconds = self.began.elapsed().as_secs();
            let message = format!("{} ({seconds} s so far)", told.message);
            (self.follower)(Progress { message, ..told });
        }
    }
}

/// The beat of a call, if anybody follows it; nothing, for ever, if nobody does.
pub(crate) async fn beat(pulse: Option<&Pulse>, every: Duration) -> Infallible {
    match pulse {
        Some(pulse) => pulse.beat(every).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_told_within_a_step_leaves_the_steps_as_they_are() {
        let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
        let listener = heard.clone();
        let mut call = ToolCall::new("default", "browser_batch", Default::default());
        call.progress = Some(Arc::new(move |progress| listener.lock().unwrap().push(progress)));
        let pulse = Pulse::of(&mut call).unwrap();
        let every = Duration::from_secs(5);
        let beating = async |seconds: u64| {
            let whole = Duration::from_secs(seconds);
            let _ = tokio::time::timeout(whole, beat(Some(&pulse), every)).await;
        };
        beating(6).await;
        call.report(Progress { done: 3, total: Some(5), message: "browser_click".to_owned() });
        beating(4).await;
        let waiting = "waiting for a person".to_owned();
        call.report(Progress { done: 0, total: None, message: waiting });
        beating(11).await;
        let told =
            |done, total, message: &str| Progress { done, total, message: message.to_owned() };
        assert_eq!(
            *heard.lock().unwrap(),
            [
                told(0, None, "browser_batch (5 s so far)"),
                told(3, Some(5), "browser_click"),
                told(3, Some(5), "waiting for a person"),
                told(3, Some(5), "waiting for a person (15 s so far)"),
                told(3, Some(5), "waiting for a person (20 s so far)"),
            ]
        );
    }
}
