//! Bringing rows to the disk behind the back of calls, which need not wait for how they ended to be there.

use std::fs::File;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// A thread that brings a log file to the disk whenever it is asked to; dropped, it does what it was
/// asked for and ends.
pub(super) struct Disk {
    ask: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Disk {
    /// For this file.
    pub(super) fn of(log: PathBuf) -> std::io::Result<Disk> {
        // One request is enough for all that was written before it.
        let (ask, asked) = sync_channel(1);
        let thread = std::thread::Builder::new().name("audit".into()).spawn(|| run(log, asked))?;
        Ok(Disk { ask: Some(ask), thread: Some(thread) })
    }

    /// Has what was written so far brought to the disk soon.
    pub(super) fn soon(&self) {
        if let Some(ask) = &self.ask {
            let _ = ask.try_send(());
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.ask = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(log: PathBuf, asked: Receiver<()>) {
    while asked.recv().is_ok() {
        let synced = File::open(&log).and_then(|log| log.sync_data());
        match synced {
            // The last writer to leave moves the log into the database, and waits for the disk.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => tracing::error!(%error, "the audit does not reach the disk"),
            Ok(()) => {}
        }
    }
}
