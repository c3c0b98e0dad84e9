//! A script of ours under way, which is ended when nobody waits for it any more. Only on a page that was at rest
//! when it was sent, where it began at once: of a busy one nobody knows whose script runs.

use std::time::Duration;

use legwork_cdp::{Session, runtime};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// How long the page may take to answer when a script was given up. One that waits for a promise lets others
/// through.
const MOMENT: Duration = Duration::from_millis(100);

/// A script under way. Dropped before it is over, it was given up.
pub(crate) struct Running {
    /// Where it runs; none where it may not have begun.
    session: Option<Session>,
}

impl Running {
    pub(crate) fn begin(session: &Session, at_rest: bool) -> Running {
        Running { session: at_rest.then(|| session.clone()) }
    }

    /// It has ended, or goes on by itself.
    pub(crate) fn over(mut self) {
        self.session = None;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Where the runtime itself is ending, the browser does, too.
        if let (Some(session), Ok(runtime)) = (self.session.take(), Handle::try_current()) {
            // Ends by itself within that moment.
            runtime.spawn(end(session));
        }
    }
}

async fn end(session: Session) {
    if timeout(MOMENT, nothing(&session)).await.is_err() {
        session.notify(&runtime::TerminateExecution {});
        // Had it just ended by itself, this would be what is ended in its place.
        drop(nothing(&session));
    }
}

/// A script that does nothing, to be told when it has run.
fn nothing(session: &Session) -> legwork_cdp::Call<runtime::EvaluateReply> {
    let command = runtime::Evaluate { expression: "0".to_owned(), ..Default::default() };
    session.send(&command).within(Duration::MAX)
}
