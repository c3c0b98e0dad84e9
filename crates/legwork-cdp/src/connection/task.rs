//! The two tasks of a connection: one reads and dispatches, one writes what is queued.
//!
//! Each ends when the connection closes, and closes it when it has to end itself.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::{Core, Handler};
use crate::error::CloseReason;
use crate::message::{Incoming, RawEvent, log_received, log_sent, warn_malformed};
use crate::protocol::{Empty, Event};
use crate::target::DetachedFromTarget;
use crate::transport::{Sink, Source};

/// How many queued messages are written at once.
const BATCH: usize = 64;
/// How long what is queued may take to go out after the connection is closed.
const GRACE: Duration = Duration::from_secs(1);

/// Reads until the end, and tells the handler of every event and of the end.
pub(super) async fn read(core: Arc<Core>, mut source: Box<dyn Source>, handler: Arc<dyn Handler>) {
    let _guard = CloseOnDrop(core.clone());
    let closed = core.until_closed();
    tokio::pin!(closed);
    let reason = loop {
        tokio::select! {
            biased;
            reason = &mut closed => break reason,
            message = source.next() => match message {
                Ok(Some(message)) => dispatch(&core, &*handler, message),
                Ok(None) => break CloseReason::Ended,
                Err(error) => break CloseReason::Failed(error.to_string()),
            }
        }
    };
    // New commands fail from here on, then the handler learns of the end, then the callers do: as
    // with events before an answer.
    let ended = core.end(reason.clone());
    handler.closed(&ended.as_ref().map_or(reason, |ended| ended.reason.clone()));
    if let Some(ended) = ended {
        ended.fail();
    }
}

/// Writes what is queued, all that is there in one go.
pub(super) async fn write(
    core: Arc<Core>,
    mut sink: Box<dyn Sink>,
    mut queued: mpsc::UnboundedReceiver<String>,
) {
    let _guard = CloseOnDrop(core.clone());
    let given_up = async {
        core.until_closed().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::pin!(given_up);
    let mut batch = Vec::with_capacity(BATCH);
    while queued.recv_many(&mut batch, BATCH).await > 0 {
        batch.iter().for_each(|message| log_sent(message));
        let written = tokio::select! {
            written = sink.write(&mut batch) => written,
            () = &mut given_up => return,
        };
        if let Err(error) = written {
            return core.close(write_failure(&core, error).await);
        }
        batch.clear();
    }
    let _ = tokio::time::timeout(GRACE, sink.close()).await;
}

/// Why the connection closes when writing failed. A browser that is gone may have left messages
/// behind, so the reader gets the time to read them and find the end by itself.
async fn write_failure(core: &Core, error: io::Error) -> CloseReason {
    use io::ErrorKind::{BrokenPipe, ConnectionReset};
    if !matches!(error.kind(), BrokenPipe | ConnectionReset) {
        return CloseReason::Failed(error.to_string());
    }
    let _ = tokio::time::timeout(GRACE, core.until_closed()).await;
    CloseReason::Ended
}

fn dispatch(core: &Core, handler: &dyn Handler, bytes: &[u8]) {
    let message: Incoming<'_> = match serde_json::from_slice(bytes) {
        Ok(message) => message,
        Err(error) => return warn_malformed(bytes.len(), Some(&error)),
    };
    log_received(&message, bytes.len());
    if let Some(id) = message.id {
        return core.answer(id, &message);
    }
    let Some(method) = &message.method else {
        return warn_malformed(bytes.len(), None);
    };
    let session = message.session_id.as_ref().map(|id| &*id.0);
    let params = message.params.unwrap_or(Empty::json());
    let event = RawEvent { session, method: &method.0, params };
    handler.event(event);
    if event.method == DetachedFromTarget::METHOD
        && let Some(detached) = event.parse::<DetachedFromTarget>()
    {
        core.detach(&detached.session_id);
    }
}

/// Closes the connection if its task ends in any other way than by returning: a handler that
/// panics or a runtime that shuts down must not leave callers waiting.
struct CloseOnDrop(Arc<Core>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(CloseReason::Failed("its task was stopped".to_owned()));
    }
}
