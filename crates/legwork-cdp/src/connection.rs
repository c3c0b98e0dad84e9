//! One connection to a browser: who is waiting for which answer, and how it ends.
//!
//! Handles ([`Connection`], `Session`) share a [`Handles`], whose drop ends the connection. The
//! tasks and the pending calls share the [`Core`] beneath it, so they do not keep it open.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::{mpsc, oneshot, watch};

use crate::call::{Call, Outcome};
use crate::error::{CloseReason, Error};
use crate::id::SessionId;
use crate::message::{Incoming, Outgoing, RawEvent, outcome};
use crate::session::Session;
use crate::transport::Transport;

mod task;

/// Who is told of events and of the end.
///
/// Both are called from the task that reads the connection, in the order of the wire: when the
/// answer to a command is delivered, every event that came before it has been handled. They must
/// not block. A handler that holds a [`Connection`] keeps it open until it is closed explicitly.
pub trait Handler: Send + Sync + 'static {
    /// An event arrived.
    fn event(&self, event: RawEvent<'_>);

    /// The connection is closed; nothing comes after this. Pending calls fail after it returns,
    /// unless the connection was closed on our side.
    fn closed(&self, reason: &CloseReason) {
        let _ = reason;
    }
}

/// A handle to one connection. It closes when the last handle and session are dropped.
#[derive(Clone)]
pub struct Connection {
    handles: Arc<Handles>,
}

impl Connection {
    /// Starts to read and write `transport`. It must be called inside a tokio runtime.
    pub fn open(transport: Transport, handler: Arc<dyn Handler>) -> Connection {
        let (queue, queued) = mpsc::unbounded_channel();
        let core = Arc::new(Core::new(queue));
        tokio::spawn(task::write(core.clone(), transport.sink, queued));
        tokio::spawn(task::read(core.clone(), transport.source, handler));
        Connection { handles: Arc::new(Handles { core }) }
    }

    /// The session of the browser itself.
    pub fn root(&self) -> Session {
        Session::new(self.clone(), None)
    }

    /// The session with this identifier, as `Target.attachedToTarget` gave it.
    pub fn session(&self, id: SessionId) -> Session {
        Session::new(self.clone(), Some(id))
    }

    /// Whether it is closed, for whatever reason.
    pub fn is_closed(&self) -> bool {
        self.core().closed.borrow().is_some()
    }

    /// Waits until it is closed, and says why.
    pub async fn closed(&self) -> CloseReason {
        self.core().until_closed().await
    }

    /// Closes it. What was sent before still goes out, if the browser takes it within a second.
    pub fn close(&self) {
        self.core().close(CloseReason::Asked);
    }

    /// Closes it to a browser that answers nothing any more: what waits for an answer fails by that reason.
    pub fn give_up(&self) {
        self.core().close(CloseReason::Silent);
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.handles.core
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let closed = self.core().closed.borrow();
        out.debug_struct("Connection").field("closed", &*closed).finish_non_exhaustive()
    }
}

/// What all handles share. The connection is closed with it.
struct Handles {
    core: Arc<Core>,
}

impl Drop for Handles {
    fn drop(&mut self) {
        self.core.close(CloseReason::Asked);
    }
}

/// The pending calls and the queue, while it is open.
pub(crate) struct Core {
    next_id: AtomicU64,
    open: Mutex<Option<Open>>,
    closed: watch::Sender<Option<CloseReason>>,
}

struct Open {
    queue: mpsc::UnboundedSender<String>,
    pending: HashMap<u64, Pending>,
}

/// One call that waits for its answer.
struct Pending {
    method: Cow<'static, str>,
    session: Option<SessionId>,
    sender: oneshot::Sender<Outcome>,
}

impl Core {
    fn new(queue: mpsc::UnboundedSender<String>) -> Core {
        let open = Mutex::new(Some(Open { queue, pending: HashMap::new() }));
        Core { next_id: AtomicU64::new(1), open, closed: watch::Sender::new(None) }
    }

    pub(crate) fn call<P: Serialize + ?Sized, T>(
        self: &Arc<Self>,
        session: Option<&SessionId>,
        method: Cow<'static, str>,
        params: &P,
    ) -> Call<T> {
        let (id, text) = self.write(session, &method, params);
        let text = match text {
            Ok(text) => text,
            Err(error) => return Call::failed(method, error),
        };
        let (sender, receiver) = oneshot::channel();
        let pending = Pending { method: method.clone(), session: session.cloned(), sender };
        match self.enqueue(text, Some((id, pending))) {
            Ok(()) => Call::pending(method, self.clone(), id, receiver),
            Err(error) => Call::failed(method, error),
        }
    }

    pub(crate) fn notify<P: Serialize>(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &P,
    ) {
        let (_, text) = self.write(session, method, params);
        if let Err(error) = text.and_then(|text| self.enqueue(text, None)) {
            tracing::debug!(method, %error, "command was not sent");
        }
    }

    /// Forgets a call whose answer nobody waits for any more.
    pub(crate) fn forget(&self, id: u64) {
        if let Some(open) = &mut *self.lock() {
            open.pending.remove(&id);
        }
    }

    fn write<P: Serialize + ?Sized>(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &P,
    ) -> (u64, Result<String, Error>) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let session_id = session.map(SessionId::as_str);
        let text = serde_json::to_string(&Outgoing { id, method, session_id, params });
        let text = text.map_err(|error| Error::BadCommand {
            method: method.to_owned(),
            message: error.to_string(),
        });
        (id, text)
    }

    fn enqueue(&self, text: String, pending: Option<(u64, Pending)>) -> Result<(), Error> {
        let mut open = self.lock();
        let Some(open) = &mut *open else { return Err(self.closed_error()) };
        open.pending.extend(pending);
        // The writer only stops before the connection closes when it is about to close it, and
        // that fails all that is pending.
        let _ = open.queue.send(text);
        Ok(())
    }

    fn answer(&self, id: u64, message: &Incoming<'_>) {
        let pending = self.lock().as_mut().and_then(|open| open.pending.remove(&id));
        let Some(Pending { method, sender, .. }) = pending else {
            if let Some(error) = message.error {
                tracing::debug!(id, error = error.get(), "an answer nobody waits for is an error");
            }
            return;
        };
        let _ = sender.send(outcome(message, &method));
    }

    /// Fails the calls of a session that is detached: the browser does not answer them any more.
    fn detach(&self, session: &SessionId) {
        let mut open = self.lock();
        let Some(open) = &mut *open else { return };
        for (_, pending) in
            open.pending.extract_if(|_, pending| pending.session.as_ref() == Some(session))
        {
            let method = pending.method.into_owned();
            let _ = pending.sender.send(Err(Error::Detached { method }));
        }
    }

    /// Closes it and fails all that is pending. Only the first reason counts.
    fn close(&self, reason: CloseReason) {
        if let Some(ended) = self.end(reason) {
            ended.fail();
        }
    }

    /// Closes it, but leaves what is pending to the caller; nothing when it was closed before.
    fn end(&self, reason: CloseReason) -> Option<Ended> {
        let mut guard = self.lock();
        let open = guard.take()?;
        // Under the lock, so that whoever finds it shut also finds the reason.
        self.closed.send_replace(Some(reason.clone()));
        Some(Ended { pending: open.pending, reason })
    }

    async fn until_closed(&self) -> CloseReason {
        let mut closed = self.closed.subscribe();
        let reason = closed.wait_for(Option::is_some).await;
        reason.ok().and_then(|reason| reason.clone()).unwrap_or(CloseReason::Asked)
    }

    fn closed_error(&self) -> Error {
        Error::Closed(self.closed.borrow().clone().unwrap_or(CloseReason::Asked))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        // Nothing in here can panic half way, so a poisoned lock still guards sound data.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    fn pending_calls(&self) -> usize {
        self.lock().as_ref().map_or(0, |open| open.pending.len())
    }
}

/// What was pending when the connection closed.
struct Ended {
    pending: HashMap<u64, Pending>,
    reason: CloseReason,
}

impl Ended {
    fn fail(self) {
        for pending in self.pending.into_values() {
            let _ = pending.sender.send(Err(Error::Closed(self.reason.clone())));
        }
    }
}

#[cfg(test)]
mod tests;
