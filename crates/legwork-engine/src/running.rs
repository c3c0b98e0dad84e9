//! A script of ours under way, which is ended when nobody waits for it any more. Only while it is what runs:
//! on a page that does something else, that would be ended, and on an idle one whatever comes next.

use std::convert::Infallible;
use std::time::Duration;

use legwork_cdp::{Call, Session, runtime};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout_at};

use crate::tab::Tab;

/// How long a script may take before the page is asked whether it still runs.
const MOMENT: Duration = Duration::from_millis(50);

/// How long the page must have let nothing through to be held up by the script. A page that is busy with
/// something of its own, which the script then waits for, seldom is for so long once it is loaded.
const HELD_UP: Duration = Duration::from_millis(250);

/// A script under way. Dropped before it is over, it was given up.
pub(crate) struct Running<'a> {
    tab: &'a Tab,
    sent: Instant,
    stage: Stage,
}

/// How far a script is known to be.
enum Stage {
    Sent,
    /// Answered when it has ended or waits: the page answers in order.
    Asked(Turn),
    /// It does not hold up the page.
    Free,
}

type Turn = Call<runtime::EvaluateReply>;

impl<'a> Running<'a> {
    /// As the script is sent.
    pub(crate) fn begin(tab: &'a Tab) -> Running<'a> {
        Running { tab, sent: Instant::now(), stage: Stage::Sent }
    }

    /// Watches how far it is, for as long as it is awaited. Most have ended before anything is asked.
    pub(crate) async fn watch(&mut self) -> Infallible {
        sleep(MOMENT).await;
        self.stage = Stage::Asked(nothing(&self.tab.session));
        if let Stage::Asked(turn) = &mut self.stage {
            let _ = turn.await;
        }
        self.stage = Stage::Free;
        std::future::pending().await
    }

    /// It has ended, or goes on by itself.
    pub(crate) fn over(mut self) {
        self.stage = Stage::Free;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let session = &self.tab.session;
        let turn = match std::mem::replace(&mut self.stage, Stage::Free) {
            Stage::Free => return,
            Stage::Asked(turn) => turn,
            Stage::Sent => nothing(session),
        };
        // A page is busiest as it begins.
        let is_loaded = self.tab.state().frames.root().is_some_and(|frame| frame.loaded);
        if let (true, Ok(runtime)) = (is_loaded, Handle::try_current()) {
            // Ends at the time that is given it.
            runtime.spawn(end(session.clone(), turn, self.sent + HELD_UP));
        }
    }
}

/// Ends a script that was given up, if it lets nothing through until then.
async fn end(session: Session, turn: Turn, until: Instant) {
    if timeout_at(until, turn).await.is_err() {
        session.notify(&runtime::TerminateExecution {});
        // Had it just ended by itself, this would be what is ended in its place.
        drop(nothing(&session));
    }
}

/// A script that does nothing, to be told when it has run.
fn nothing(session: &Session) -> Turn {
    let command = runtime::Evaluate { expression: "0".to_owned(), ..Default::default() };
    session.send(&command).within(Duration::MAX)
}
