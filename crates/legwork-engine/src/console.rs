//! What the page and its workers wrote to the console, and the errors nobody caught: a ring buffer
//! of plain entries with objects shown by value.

use std::collections::VecDeque;

use legwork_cdp::{ObjectId, Session};
use tokio::sync::mpsc;

/// Where an entry came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A document of the page.
    Page,
    /// A service worker.
    ServiceWorker,
    /// A dedicated or shared worker.
    Worker,
}

/// One console message or uncaught error.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// `log`, `info`, `warning`, `error`, `debug`, `exception`, …
    pub kind: String,
    /// The arguments as JSON text (strings quoted, objects by value), each cut at about 10 KB.
    pub args: Vec<String>,
    /// Milliseconds since the epoch, as the browser tells it.
    pub timestamp: f64,
    /// Page or worker.
    pub origin: Origin,
    /// File and line, where known.
    pub location: Option<String>,
    id: u64,
}

impl Entry {
    pub(crate) fn new(kind: &str, args: Vec<String>, timestamp: f64, origin: Origin) -> Entry {
        Entry { kind: kind.to_owned(), args, timestamp, origin, location: None, id: 0 }
    }

    /// The arguments as one line, strings unquoted, as a person would see it.
    pub fn text(&self) -> String {
        let plain = |arg: &String| serde_json::from_str::<String>(arg).unwrap_or(arg.clone());
        self.args.iter().map(plain).collect::<Vec<_>>().join(" ")
    }

    /// An error a person would call one.
    pub fn is_error(&self) -> bool {
        matches!(self.kind.as_str(), "error" | "exception" | "assert")
    }
}

/// The last entries, oldest first.
#[derive(Debug)]
pub struct Console {
    entries: VecDeque<Entry>,
    capacity: usize,
    next_id: u64,
    /// Objects still being read.
    pending: usize,
    /// To the task that reads objects, once there are any.
    readings: Option<mpsc::Sender<Reading>>,
}

/// An object of the page that an entry shows by value.
pub(crate) struct Reading {
    pub(crate) session: Session,
    pub(crate) object: ObjectId,
    pub(crate) entry: u64,
    pub(crate) argument: usize,
}

/// Objects that may wait to be read; the rest is shown by its class.
const READINGS: usize = 100;

impl Console {
    pub(crate) fn new(capacity: usize) -> Console {
        Console { entries: VecDeque::new(), capacity, next_id: 0, pending: 0, readings: None }
    }

    /// Adds an entry and tells the number by which it can be completed later.
    pub(crate) fn push(&mut self, mut entry: Entry) -> u64 {
        self.next_id += 1;
        entry.id = self.next_id;
        if self.entries.len() == self.capacity {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
        self.next_id
    }

    /// Queues an object to be read by the task that `start` starts, or gives it back.
    pub(crate) fn read(
        &mut self,
        reading: Reading,
        start: impl FnOnce(mpsc::Receiver<Reading>),
    ) -> Result<(), Reading> {
        let queue = self.readings.get_or_insert_with(|| {
            let (queue, queued) = mpsc::channel(READINGS);
            start(queued);
            queue
        });
        queue.try_send(reading).map_err(|refused| refused.into_inner())?;
        self.pending += 1;
        Ok(())
    }

    /// Replaces the argument of an entry by its value, if the entry is still there.
    pub(crate) fn finish_reading(&mut self, id: u64, argument: usize, value: Option<String>) {
        self.pending = self.pending.saturating_sub(1);
        let Some(value) = value else { return };
        let entry = self.entries.iter_mut().rev().find(|e| e.id == id);
        if let Some(slot) = entry.and_then(|e| e.args.get_mut(argument)) {
            *slot = value;
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.pending == 0
    }

    pub(crate) fn recent(&self, limit: usize) -> Vec<Entry> {
        let skip = self.entries.len().saturating_sub(limit);
        self.entries.iter().skip(skip).cloned().collect()
    }

    /// Empties the buffer and tells how many entries were in it.
    pub(crate) fn clear(&mut self) -> usize {
        let count = self.entries.len();
        self.entries.clear();
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_entries_make_room_for_new_ones() {
        let mut console = Console::new(2);
        for text in ["\"a\"", "\"b\"", "\"c\""] {
            console.push(Entry::new("log", vec![text.into()], 0.0, Origin::Page));
        }
        let texts: Vec<_> = console.recent(10).iter().map(Entry::text).collect();
        assert_eq!(texts, ["b", "c"]);
        assert_eq!(console.recent(1).len(), 1);
        assert_eq!(console.clear(), 2);
    }

    #[test]
    fn an_object_is_filled_in_when_its_value_arrives() {
        let mut console = Console::new(5);
        let id = console.push(Entry::new("log", vec!["Object".into()], 0.0, Origin::Page));
        console.pending = 1;
        assert!(!console.is_complete());
        console.finish_reading(id, 0, Some("{\"a\":1}".into()));
        assert!(console.is_complete());
        assert_eq!(console.recent(1)[0].args, ["{\"a\":1}"]);
    }
}
