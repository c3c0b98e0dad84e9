//! How long was worked, without the time that a person took.

use std::time::{Duration, Instant};

/// Counts the time at work.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    before: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    /// Goes on from what was counted before.
    pub(crate) fn from(before: Duration) -> Stopwatch {
        Stopwatch { before, since: Some(Instant::now()) }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.before + self.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    pub(crate) fn pause(&mut self) {
        *self = Stopwatch { before: self.elapsed(), since: None };
    }

    pub(crate) fn go_on(&mut self) {
        *self = Stopwatch { before: self.elapsed(), since: Some(Instant::now()) };
    }
}
