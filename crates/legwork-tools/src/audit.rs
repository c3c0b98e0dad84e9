//! The record of a call: opened before the call is read, closed on every exit, even when the caller
//! gives up and the future is dropped.
//!
//! [`Store`] keeps records on disk as a `chain` of hashes; [`Records`] reads them, checks them and shows
//! them.

mod body;
mod chain;
mod disk;
mod read;
mod report;
mod store;
mod writer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use legwork_protocol::{Code, Image, ToolError};

use crate::policy::{Decision, Facts};

pub use body::{Closed, INTERRUPTED, Judgement, Opened, Picture};
pub use chain::{Broken, Event, Hash, Head};
pub use legwork_local::clock::ago;
pub use read::{Call, Filter, Records, Whole};
pub use report::{html, jsonl};
pub use store::{Error, Store};
pub use writer::Writer;

/// What is known of a call when it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The session.
    pub session: String,
    /// The door it came through: `cli`, `mcp`, `sidecar` …
    pub door: String,
    /// What the program that called says it is.
    pub client: Option<String>,
    /// The tool as it was called.
    pub tool: String,
}

/// One action of a call as it was judged; a batch has several.
#[derive(Debug)]
pub struct Judged<'a> {
    /// What was known.
    pub facts: &'a Facts,
    /// What policy says.
    pub decision: &'a Decision,
    /// How a person answered, where one was asked.
    pub answer: Option<&'a str>,
    /// The arguments, without secrets, as JSON.
    pub arguments: &'a str,
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
    /// Somebody else had it stopped.
    Stopped,
}

impl Ending {
    /// The word for it in a record.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Answered => "answered",
            Ending::Failed(_) => "failed",
            Ending::Cancelled => "cancelled",
            Ending::Stopped => "stopped",
        }
    }
}

/// Who keeps the records.
pub trait Audit: Send + Sync {
    /// A call came in; the number names it from now on. What cannot be recorded is not done.
    fn opened(&self, entry: &Entry) -> Result<u64, ToolError>;

    /// An action of the call was judged.
    fn judged(&self, id: u64, judged: &Judged<'_>) -> Result<(), ToolError>;

    /// The call ended; `told` is what was answered, without secrets.
    fn closed(&self, id: u64, ending: Ending, told: &str, took: Duration);

    /// The call answers with a picture, which is kept by those who were asked to.
    fn pictured(&self, _id: u64, _media_type: &str, _bytes: &[u8]) {}
}

/// Keeps nothing; calls are traced only.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Audit for Silent {
    fn opened(&self, _: &Entry) -> Result<u64, ToolError> {
        Ok(0)
    }

    fn judged(&self, _: u64, _: &Judged<'_>) -> Result<(), ToolError> {
        Ok(())
    }

    fn closed(&self, _: u64, _: Ending, _: &str, _: Duration) {}
}

/// An open record. Dropped before it is closed, it says that the call was cancelled.
pub(crate) struct Record {
    audit: Arc<dyn Audit>,
    entry: Entry,
    id: u64,
    began: Instant,
    ending: Ending,
    told: String,
}

impl Record {
    pub(crate) fn open(audit: Arc<dyn Audit>, entry: Entry) -> Result<Record, ToolError> {
        let id = audit.opened(&entry)?;
        let (began, ending, told) = (Instant::now(), Ending::Cancelled, String::new());
        Ok(Record { audit, entry, id, began, ending, told })
    }

    pub(crate) fn judged(&self, judged: &Judged<'_>) -> Result<(), ToolError> {
        self.audit.judged(self.id, judged)
    }

    /// The pictures of an answer, for those who keep them.
    pub(crate) fn pictured(&self, images: &[Image]) {
        for image in images {
            if let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(&image.data) {
                self.audit.pictured(self.id, &image.media_type, &bytes);
            }
        }
    }

    /// Somebody had the call stopped; what its caller is told.
    pub(crate) fn stop(self) -> ToolError {
        let error = ToolError::new(Code::Cancelled, "the call was stopped by somebody else")
            .with_hint("the page is as it was left; look before you go on");
        self.close(Ending::Stopped, &error.told());
        error
    }

    pub(crate) fn close(mut self, ending: Ending, told: &str) {
        self.ending = ending;
        told.clone_into(&mut self.told);
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let took = self.began.elapsed();
        let Entry { session, door, tool, .. } = &self.entry;
        tracing::info!(%session, %door, %tool, ending = ?self.ending, ?took, "call");
        self.audit.closed(self.id, self.ending, &self.told, took);
    }
}
