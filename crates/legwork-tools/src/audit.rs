//! The record of a call: opened before the call is read, closed on every exit, even when the caller
//! gives up and the future is dropped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork_protocol::Code;

/// What is known of a call when it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The session.
    pub session: String,
    /// The tool as it was called.
    pub tool: String,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With an answer.
    Answered,
    /// With an error.
    Failed(Code),
    /// The caller gave up.
    Cancelled,
}

/// Who keeps the records.
pub trait Audit: Send + Sync {
    /// A call came in; the number names it from now on.
    fn opened(&self, entry: &Entry) -> u64;
    /// The call ended.
    fn closed(&self, id: u64, ending: Ending, took: Duration);
}

/// Keeps nothing; calls are traced only.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Audit for Silent {
    fn opened(&self, _: &Entry) -> u64 {
        0
    }

    fn closed(&self, _: u64, _: Ending, _: Duration) {}
}

/// An open record. Dropped before it is closed, it says that the call was cancelled.
pub(crate) struct Record {
    audit: Arc<dyn Audit>,
    entry: Entry,
    id: u64,
    began: Instant,
    ending: Ending,
}

impl Record {
    pub(crate) fn open(audit: Arc<dyn Audit>, entry: Entry) -> Record {
        let id = audit.opened(&entry);
        Record { audit, entry, id, began: Instant::now(), ending: Ending::Cancelled }
    }

    pub(crate) fn close(mut self, ending: Ending) {
        self.ending = ending;
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let took = self.began.elapsed();
        let Entry { session, tool } = &self.entry;
        tracing::info!(%session, %tool, ending = ?self.ending, ?took, "call");
        self.audit.closed(self.id, self.ending, took);
    }
}
