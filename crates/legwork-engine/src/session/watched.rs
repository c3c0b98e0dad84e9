//! Whether a person may be watching, and so has to see where something is about to happen.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Session;

/// How long a person needs to see it.
const HIGHLIGHT: Duration = Duration::from_millis(250);

impl Session {
    pub(crate) fn keep_recording(&self, on: bool) {
        self.inner.recording.store(on, Ordering::Relaxed);
    }

    /// How long an element is outlined before it is acted on.
    pub(crate) fn highlight(&self) -> Duration {
        let options = &self.inner.options;
        let watched = options.headed
            || self.inner.engine.config.launch.headed
            || self.inner.joined.load(Ordering::Relaxed)
            || self.inner.recording.load(Ordering::Relaxed);
        options.highlight.unwrap_or(if watched { HIGHLIGHT } else { Duration::ZERO })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Engine, SessionOptions};

    #[tokio::test]
    async fn elements_are_outlined_where_somebody_may_be_watching() {
        let session = |headed: bool, highlight: Option<Duration>| {
            let options = SessionOptions { headed, highlight, ..Default::default() };
            Engine::new(Config::default()).session(options)
        };
        assert_eq!(session(false, None).highlight(), Duration::ZERO);
        assert_eq!(session(true, None).highlight(), HIGHLIGHT);
        assert_eq!(session(true, Some(Duration::ZERO)).highlight(), Duration::ZERO);
        let recorded = session(false, None);
        recorded.keep_recording(true);
        assert_eq!(recorded.highlight(), HIGHLIGHT);
        recorded.keep_recording(false);
        assert_eq!(recorded.highlight(), Duration::ZERO);
        let joined = session(false, None);
        joined.inner.joined.store(true, Ordering::Relaxed);
        assert_eq!(joined.highlight(), HIGHLIGHT);
    }
}
