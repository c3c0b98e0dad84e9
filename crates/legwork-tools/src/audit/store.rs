//! The record on disk: rows of the chain in SQLite, in a folder that only its user can enter. Several
//! processes write to one: a row is added in one transaction that reads the end of the chain and writes
//! the next row.
//!
//! Every row is with the system when a call goes on, so that no crash of a process loses one. What changes
//! something is on the disk before it is done, with all rows before it. How calls end, and what only
//! looks, is brought there a moment later; nobody waits for that.

use legwork_local::clock;
use legwork_local::folder::{make_private, private_file};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_protocol::{Code, ToolError};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};
use serde::Serialize;

use super::body::{self, Closed, Judgement, Opened, Picture};
use super::chain::{Event, Hash, Head};
use super::disk::Disk;
use super::writer::Writer;
use super::{Audit, Ending, Entry, Judged};
use crate::policy::Kind;

/// How long one writer waits for the others.
const PATIENCE: Duration = Duration::from_secs(5);

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS event (
        sequence INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        call INTEGER NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        previous BLOB NOT NULL,
        hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS event_of_call ON event (call, kind);";

/// Why something cannot be recorded or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder or a file in it cannot be used.
    #[error("{}: {reason}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The database refuses.
    #[error("{}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What it says.
        source: rusqlite::Error,
    },
    /// A row says something that is not understood.
    #[error("row {row} cannot be read: {reason}")]
    Row {
        /// Which.
        row: u64,
        /// Why not.
        reason: String,
    },
}

/// The places of a record.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) database: PathBuf,
    /// Where the database puts rows first.
    log: PathBuf,
    pub(super) head: PathBuf,
    pub(super) pictures: PathBuf,
}

impl Place {
    pub(super) fn of(folder: &Path) -> Place {
        Place {
            folder: folder.to_owned(),
            database: folder.join("audit.db"),
            log: folder.join("audit.db-wal"),
            head: folder.join("head"),
            pictures: folder.join("pictures"),
        }
    }

    pub(super) fn refused(&self) -> impl Fn(rusqlite::Error) -> Error + use<> {
        let path = self.database.clone();
        move |source| Error::Database { path: path.clone(), source }
    }
}

/// Keeps records in a folder. The folder is made and opened by the first call.
pub struct Store {
    place: Place,
    writer: Writer,
    keeps_pictures: bool,
    open: Mutex<Option<Open>>,
}

struct Open {
    connection: Connection,
    disk: Disk,
    /// The file behind it, to notice when it was taken away.
    file: Option<(u64, u64)>,
}

/// How far a row has come when its call goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// With the system: no crash of a process loses it. It reaches the disk with the next that does.
    System,
    /// The same, and on its way to the disk.
    Soon,
    /// On the disk, with all before it.
    Disk,
}

/// A row that has no place in the chain yet. Without a call it opens one.
struct Row {
    call: Option<u64>,
    kind: &'static str,
    body: String,
}

impl Store {
    /// Records in this folder.
    pub fn in_folder(folder: impl AsRef<Path>) -> Store {
        let (place, writer) = (Place::of(folder.as_ref()), Writer::this());
        Store { place, writer, keeps_pictures: false, open: Mutex::default() }
    }

    /// The same, with the pictures that calls answer kept beside the rows.
    pub fn with_pictures(self, keeps_pictures: bool) -> Store {
        Store { keeps_pictures, ..self }
    }

    fn open(&self) -> Result<MutexGuard<'_, Option<Open>>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = |open: &Open| open.file != file(&self.place.database);
        if open.as_ref().is_some_and(lost) {
            let path = self.place.database.display();
            tracing::error!("{path} was taken away or replaced; records go to a new one");
            *open = None;
        }
        if open.is_none() {
            let connection = begin(&self.place)?;
            let failed = |error: std::io::Error| Error::Folder {
                path: self.place.log.clone(),
                reason: error.to_string(),
            };
            let disk = Disk::of(self.place.log.clone()).map_err(failed)?;
            *open = Some(Open { connection, disk, file: file(&self.place.database) });
        }
        Ok(open)
    }

    /// Adds a row, and gives its call.
    fn add(&self, row: Row, reach: Reach) -> Result<u64, Error> {
        let refused = self.place.refused();
        let mut open = self.open()?;
        let Some(Open { connection, disk, .. }) = open.as_mut() else {
            return Err(refused(rusqlite::Error::InvalidQuery));
        };
        // In this mode a commit writes to the log; FULL also waits until the disk has all of the log.
        let level = if reach == Reach::Disk { "FULL" } else { "NORMAL" };
        let added = connection.pragma_update(None, "synchronous", level).and_then(|()| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let event = append(&change, row)?;
            change.commit()?;
            Ok(event)
        });
        let event = added.map_err(refused)?;
        if reach == Reach::Soon {
            disk.soon();
        }
        self.note_head(&Head { sequence: event.sequence, hash: event.hash });
        Ok(event.call)
    }

    /// Writes the end of the chain beside it. Whoever can change the one can change the other, so this
    /// only shows slips and cut-off tails.
    fn note_head(&self, head: &Head) {
        let Head { sequence, hash } = head;
        let line = format!("{sequence:020} {hash}\n");
        let written = private_file(&self.place.head)
            .and_then(|mut file| std::io::Write::write_all(&mut file, line.as_bytes()));
        if let Err(error) = written {
            tracing::error!(%error, "the head of the audit cannot be written");
        }
    }

    fn keep_picture(&self, hash: &Hash, extension: &str, bytes: &[u8]) -> Result<(), Error> {
        let folder = &self.place.pictures;
        make_private(folder).map_err(unusable(folder))?;
        let path = folder.join(format!("{hash}.{extension}"));
        if path.exists() {
            return Ok(());
        }
        let mut file = private_file(&path).map_err(unusable(&path))?;
        std::io::Write::write_all(&mut file, bytes).map_err(unusable(&path))
    }
}

impl Audit for Store {
    fn opened(&self, entry: &Entry) -> Result<u64, ToolError> {
        let body = json(&Opened::of(entry, &self.writer));
        self.add(Row { call: None, kind: body::OPENED, body }, Reach::System).map_err(unrecorded)
    }

    fn judged(&self, id: u64, judged: &Judged<'_>) -> Result<(), ToolError> {
        let body = json(&Judgement::of(judged));
        let row = Row { call: Some(id), kind: body::JUDGED, body };
        let looks = judged.facts.kind == Kind::Read;
        self.add(row, if looks { Reach::System } else { Reach::Disk }).map(drop).map_err(unrecorded)
    }

    fn closed(&self, id: u64, ending: Ending, told: &str, took: Duration) {
        let body = json(&Closed::of(ending, told, took));
        let row = Row { call: Some(id), kind: body::CLOSED, body };
        if let Err(error) = self.add(row, Reach::Soon) {
            tracing::error!(%error, call = id, ?ending, "the end of a call cannot be recorded");
        }
    }

    fn pictured(&self, id: u64, media_type: &str, bytes: &[u8]) {
        if !self.keeps_pictures {
            return;
        }
        let hash = Hash::of(bytes);
        let picture = Picture { sha256: hash.to_string(), media_type: media_type.to_owned() };
        let row = Row { call: Some(id), kind: body::NOTE, body: json(&picture) };
        let extension = extension(media_type);
        let kept =
            self.keep_picture(&hash, extension, bytes).and_then(|()| self.add(row, Reach::Soon));
        if let Err(error) = kept {
            tracing::error!(%error, call = id, "a picture cannot be recorded");
        }
    }
}

/// What picture files are called.
pub(super) fn extension(media_type: &str) -> &'static str {
    match media_type {
        "image/jpeg" => "jpg",
        "image/webp" => "webp",
        _ => "png",
    }
}

fn unrecorded(error: Error) -> ToolError {
    let message = format!("the call cannot be recorded, so it was not done: {error}");
    ToolError::new(Code::FileError, message).with_hint(
        "make the audit folder usable; audit = \"off\" in the configuration does without",
    )
}

fn json(body: &impl Serialize) -> String {
    serde_json::to_string(body)
        .unwrap_or_else(|error| format!("{{\"unwritable\":{:?}}}", error.to_string()))
}

fn unusable(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |error| Error::Folder { path, reason: error.to_string() }
}

/// Opens the database, makes what is missing, and closes the calls of processes that are gone.
fn begin(place: &Place) -> Result<Connection, Error> {
    make_private(&place.folder).map_err(unusable(&place.folder))?;
    // Made here, because the database's own log files take their rights from it.
    private_file(&place.database).map_err(unusable(&place.database))?;
    let begun = || {
        let mut connection =
            Connection::open_with_flags(&place.database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        change.execute_batch(SCHEMA)?;
        close_interrupted(&change)?;
        change.commit()?;
        Ok(connection)
    };
    begun().map_err(place.refused())
}

/// Adds a row at the end of the chain.
fn append(change: &Transaction<'_>, row: Row) -> rusqlite::Result<Event> {
    let head = head(change)?;
    let sequence = head.sequence + 1;
    let event = Event {
        sequence,
        time: clock::now(),
        call: row.call.unwrap_or(sequence),
        kind: row.kind.to_owned(),
        body: row.body,
        previous: head.hash,
        hash: Hash::NONE,
    };
    let event = event.sealed();
    change.execute(
        "INSERT INTO event (sequence, time, call, kind, body, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            signed(event.sequence), &event.time, signed(event.call), &event.kind, &event.body,
            &event.previous.0, &event.hash.0,
        ),
    )?;
    Ok(event)
}

/// SQLite's numbers have a sign; no chain is that long.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// No number of ours has a sign; what was given one fits no hash.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The last row.
pub(super) fn head(connection: &Connection) -> rusqlite::Result<Head> {
    let last = "SELECT sequence, hash FROM event ORDER BY sequence DESC LIMIT 1";
    let head = connection.query_row(last, (), |row| {
        Ok(Head { sequence: unsigned(row.get(0)?), hash: Hash(row.get(1)?) })
    });
    Ok(head.optional()?.unwrap_or(Head::EMPTY))
}

/// Calls that were under way in a process that is gone have ended, one way or another.
fn close_interrupted(change: &Transaction<'_>) -> rusqlite::Result<()> {
    let open = "SELECT call, body FROM event AS one WHERE kind = 'opened' AND NOT EXISTS
        (SELECT 1 FROM event WHERE call = one.call AND kind = 'closed') ORDER BY call";
    let mut open = change.prepare(open)?;
    let calls: Vec<(i64, String)> =
        open.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (call, body) in calls {
        let alive =
            serde_json::from_str(&body).is_ok_and(|opened: Opened| opened.writer.is_alive());
        if !alive {
            let (call, body) = (Some(unsigned(call)), json(&Closed::interrupted()));
            append(change, Row { call, kind: body::CLOSED, body })?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn file(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn file(path: &Path) -> Option<(u64, u64)> {
    path.exists().then_some((0, 0))
}

#[cfg(test)]
mod tests;
