//! A script of ours under way, which is ended when nobody waits for it any more. Only while it is what runs:
//! on a page that does something else, that would be ended, and on an idle one whatever comes next.

use std::time::Duration;

use legwork_cdp::{Call, Session, runtime};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

/// How long a script may take before it is asked whether it still runs, and the page to answer that.
const MOMENT: Duration = Duration::from_millis(50);

/// A script under way. Dropped before it is over, it was given up.
pub(crate) struct Running(oneshot::Sender<()>);

/// What the page answers when it comes to it.
type Turn = Call<runtime::EvaluateReply>;

impl Running {
    /// Before the script is sent. The page answers in order: with what this asks, the script behind it begins.
    pub(crate) fn begin(session: &Session) -> Running {
        let (running, end) = oneshot::channel();
        let turn = nothing(session);
        // Ends with the script, and soon after it was given up.
        tokio::spawn(watch(session.clone(), turn, end));
        Running(running)
    }

    /// It has ended, or goes on by itself.
    pub(crate) fn over(self) {
        // Who watched may have seen enough.
        let _ = self.0.send(());
    }
}

async fn watch(session: Session, mut turn: Turn, mut end: oneshot::Receiver<()>) {
    let mut given_up = false;
    tokio::select! {
        _ = &mut turn => {}
        ended = &mut end => match ended {
            Ok(()) => return,
            Err(_) => given_up = true,
        },
    }
    if given_up && timeout(MOMENT, turn).await.is_err() {
        // The page is busy with something of its own.
        return;
    }
    if !given_up {
        tokio::select! {
            () = sleep(MOMENT) => {}
            ended = &mut end => match ended {
                Ok(()) => return,
                Err(_) => given_up = true,
            },
        }
    }
    // A script that waits for a promise lets this one through.
    let mut behind = nothing(&session);
    if timeout(MOMENT, &mut behind).await.is_ok() {
        return;
    }
    if !given_up {
        tokio::select! {
            _ = behind => return,
            ended = end => if ended.is_ok() { return },
        }
    }
    session.notify(&runtime::TerminateExecution {});
    // Had it just ended by itself, this would be what is ended in its place.
    drop(nothing(&session));
}

/// A script that does nothing, to be told when it has run.
fn nothing(session: &Session) -> Turn {
    let command = runtime::Evaluate { expression: "0".to_owned(), ..Default::default() };
    session.send(&command).within(Duration::MAX)
}
