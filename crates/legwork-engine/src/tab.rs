//! The state of one tab as the browser tells it: frames, dialog, console, network, and a journal of
//! what happened, in order. Events are applied as they are read, so that when a command's answer
//! arrives, everything that came before it is already here.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use legwork_cdp::{CloseReason, FrameId, RequestId, ScriptId, Session, TargetId};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::browser::answers;
use crate::console::Console;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::frame::{Frame, Frames};
use crate::guard::Blocked;
use crate::network::Network;
use crate::person::Visited;
use crate::prepare::Point;
use crate::refs::Refs;

/// A dialog of the page that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// alert, confirm, prompt or beforeunload.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// What a prompt offers.
    pub default_text: Option<String>,
    /// The address of the document that asks.
    pub url: String,
}

/// Something that happened in a tab.
#[derive(Debug, Clone)]
pub(crate) enum Happening {
    WantsToNavigate,
    Navigating {
        main: bool,
    },
    Navigated {
        main: bool,
    },
    Loaded,
    Routed {
        to: String,
    },
    Dialog(Dialog),
    DialogClosed,
    Download {
        guid: String,
    },
    Tab {
        url: String,
    },
    RefusedTab {
        url: String,
    },
    FileChooser {
        multiple: bool,
    },
    Errored(String),
    /// Something it wanted was not let through.
    Blocked(Blocked),
    Pulsed {
        frame: FrameId,
    },
    /// Something is fading, sliding or growing; it is told as `Pulsed` when it is there.
    Moving {
        frame: FrameId,
    },
    RequestBegan,
    RequestEnded,
}

/// How a tab came to its end.
#[derive(Debug, Clone)]
pub(crate) enum End {
    Crashed,
    Closed,
    SessionClosed,
    BrowserGone(String),
}

/// Everything known of a tab.
pub(crate) struct State {
    pub(crate) frames: Frames,
    pub(crate) dialog: Option<Dialog>,
    pub(crate) end: Option<End>,
    pub(crate) console: Console,
    pub(crate) network: Network,
    pub(crate) refs: Refs,
    /// The file field whose chooser the page opened last, and the session that serves it.
    pub(crate) chooser: Option<(Session, legwork_cdp::BackendNodeId)>,
    /// What an HTML drag carries, once the browser has handed it to us.
    pub(crate) drag: Option<legwork_cdp::input::DragData>,
    /// Where the pointer was moved to last.
    pub(crate) pointer: Option<Point>,
    /// The script that shows the banner in new documents.
    pub(crate) banner: Option<ScriptId>,
    /// What the walker told by itself of the action under way.
    pub(crate) told: Option<String>,
    /// Where it has been, while that is recorded.
    pub(crate) visited: Option<Visited>,
    journal: VecDeque<(u64, Instant, Happening)>,
    sequence: u64,
}

const JOURNAL: usize = 5000;

/// The address of a tab before it goes anywhere.
const BLANK: &str = "about:blank";

impl State {
    /// Notes what happened and when.
    pub(crate) fn note(&mut self, happening: Happening) -> u64 {
        self.sequence += 1;
        if self.journal.len() == JOURNAL {
            self.journal.pop_front();
        }
        self.journal.push_back((self.sequence, Instant::now(), happening));
        self.sequence
    }

    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// What happened after the given moment, oldest first.
    pub(crate) fn since(
        &self,
        sequence: u64,
    ) -> impl DoubleEndedIterator<Item = &(u64, Instant, Happening)> {
        let from = self.journal.partition_point(|(at, ..)| *at <= sequence);
        self.journal.range(from..)
    }

    /// The address of the main document; on the browser's error page, the one that failed.
    pub(crate) fn url(&self) -> &str {
        let Some(root) = self.frames.root() else { return BLANK };
        let url = root.unreachable.as_ref().unwrap_or(&root.url);
        if url.is_empty() { BLANK } else { url }
    }

    /// The address that could not be loaded in the tab, and why.
    pub(crate) fn failure(&self) -> Option<(String, String)> {
        self.failure_in(self.frames.root()?)
    }

    /// The address that could not be loaded in a frame, and why. A document's request has its
    /// loader's id.
    pub(crate) fn failure_in(&self, frame: &Frame) -> Option<(String, String)> {
        let url = frame.unreachable.clone()?;
        let request = frame.loader.as_ref().map(|loader| RequestId::from(loader.as_str()));
        let reason = request.as_ref().and_then(|id| self.network.failure(id));
        Some((url, reason.unwrap_or("net::ERR_FAILED").to_owned()))
    }

    /// Why the tab cannot be used, if it cannot.
    pub(crate) fn ended(&self) -> Option<Error> {
        self.end.as_ref().map(|end| match end {
            End::Crashed => Error::PageCrashed,
            End::Closed => Error::PageClosed,
            End::SessionClosed => Error::SessionClosed,
            End::BrowserGone(reason) => Error::BrowserCrashed(reason.clone()),
        })
    }

    pub(crate) fn dialog_error(&self) -> Option<Error> {
        self.dialog.as_ref().map(|dialog| Error::DialogOpen {
            kind: dialog.kind.clone(),
            message: dialog.message.clone(),
        })
    }
}

/// One tab: its address in the browser and its state.
pub(crate) struct Tab {
    pub(crate) target: TargetId,
    pub(crate) opener: Option<TargetId>,
    pub(crate) session: Session,
    pub(crate) context: Weak<Context>,
    state: Mutex<State>,
    changed: Notify,
    /// A command was given up that may have left a script running.
    abandoned: AtomicBool,
}

/// How long a browser may say nothing after it has let a command run out of time.
const SILENCE: Duration = Duration::from_secs(5);

/// A command under way, which is abandoned if nobody waits for its end.
struct Awaited<'a>(&'a Tab);

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.0.abandoned.store(true, Ordering::Relaxed);
    }
}

impl Tab {
    pub(crate) fn new(
        target: TargetId,
        opener: Option<TargetId>,
        session: Session,
        context: &Arc<Context>,
    ) -> Arc<Tab> {
        let mut frames = Frames::default();
        // A page's main frame has the id of its target.
        frames.enter(FrameId::from(target.as_str()), None, &session);
        let state = State {
            frames,
            dialog: None,
            end: None,
            console: Console::new(1000),
            network: Network::default(),
            refs: Refs::default(),
            chooser: None,
            drag: None,
            pointer: None,
            banner: None,
            told: None,
            visited: None,
            journal: VecDeque::new(),
            sequence: 0,
        };
        let context = Arc::downgrade(context);
        Arc::new(Tab {
            target,
            opener,
            session,
            context,
            state: Mutex::new(state),
            changed: Notify::new(),
            abandoned: AtomicBool::new(false),
        })
    }

    /// Whether somebody gave up a command; whoever asks sees to what it left.
    pub(crate) fn take_abandoned(&self) -> bool {
        self.abandoned.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Changes the state and wakes whoever waits for a change.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.state());
        self.changed.notify_waiters();
        result
    }

    pub(crate) fn wake(&self) {
        self.changed.notify_waiters();
    }

    /// Waits until `check` finds what it looks for; `None` at the deadline, an error when the tab
    /// ends first.
    pub(crate) async fn until<T>(
        &self,
        deadline: Instant,
        mut check: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<Option<T>> {
        let _in_use = self.context.upgrade().map(|context| context.activity.begin());
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut state = self.state();
                if let Some(found) = check(&mut state) {
                    return Ok(Some(found));
                }
                if let Some(error) = state.ended() {
                    return Err(error);
                }
            }
            if tokio::time::timeout_at(deadline, changed).await.is_err() {
                return Ok(check(&mut self.state()));
            }
        }
    }

    /// Runs a command that a dialog would block: ends at once when a dialog opens or the tab ends.
    pub(crate) async fn unless_blocked<T>(
        &self,
        command: impl Future<Output = Result<T, legwork_cdp::Error>>,
    ) -> Result<T> {
        let _in_use = self.context.upgrade().map(|context| context.activity.begin());
        let awaited = Awaited(self);
        let ended = tokio::select! {
            biased;
            result = command => result.map_err(|error| self.explain(error)),
            error = self.blocked() => Err(error),
        };
        std::mem::forget(awaited);
        match ended {
            // A page may be busy; a browser that says nothing either is gone.
            Err(Error::Timeout { .. }) if self.is_silent().await => {
                let silent = || Error::BrowserCrashed(CloseReason::Silent.to_string());
                Err(self.state().ended().unwrap_or_else(silent))
            }
            other => other,
        }
    }

    async fn is_silent(&self) -> bool {
        let connection = self.session.connection();
        !answers(connection, SILENCE).await || connection.is_closed()
    }

    /// Waits until a dialog opens or the tab ends. Commands have deadlines of their own.
    async fn blocked(&self) -> Error {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let state = self.state();
                if let Some(error) = state.dialog_error().or_else(|| state.ended()) {
                    return error;
                }
            }
            changed.await;
        }
    }

    /// The tab's own end explains an error better than the protocol does.
    fn explain(&self, error: legwork_cdp::Error) -> Error {
        self.state().ended().unwrap_or_else(|| error.into())
    }
}
