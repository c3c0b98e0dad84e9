//! Runs on disk: SQLite in a private folder. Whole runs as one row each, their steps beside them, and what
//! a session remembers: the tasks done in it and what its person likes.

mod list;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_local::folder::{make_private, private_file};
use legwork_local::{clock, process};
use legwork_protocol::assistant::{CompletedTask, Execute, Preferences, StateUpdate};
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::RunError;
use super::{Recalled, Step, id};
use crate::interpret::Answered;

/// How long another process's write is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Tasks of a session that are remembered.
const REMEMBERED: u32 = 50;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS run (
        id TEXT PRIMARY KEY,
        begun TEXT NOT NULL,
        record TEXT NOT NULL,
        holder TEXT,
        process INTEGER,
        began TEXT
    ) STRICT;
    CREATE TABLE IF NOT EXISTS step (
        run TEXT NOT NULL,
        number INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS remark (
        number INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        words TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS past (
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS forgotten (
        session TEXT PRIMARY KEY,
        count INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS preference (
        session TEXT NOT NULL,
        topic TEXT NOT NULL,
        words TEXT NOT NULL,
        PRIMARY KEY (session, topic)
    ) STRICT;";

const SAVE: &str = "UPDATE run SET record = ? WHERE id = ? AND holder = ?";

/// A run as it is saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// As watchers see it.
    pub(crate) state: StateUpdate,
    /// What was asked for.
    pub(crate) execute: Execute,
    /// The request that it came with.
    pub(crate) request_id: String,
    /// What the person answered to questions about the instruction.
    pub(crate) answers: Vec<Answered>,
    /// What the person said and the model has not heard.
    pub(crate) remarks: Vec<String>,
    /// The number of the last remark that what follows takes into account.
    #[serde(default)]
    pub(crate) heard: i64,
    /// Tasks that the person left out: what depends on them goes on.
    pub(crate) left_out: Vec<String>,
    /// Tasks that a model works at.
    pub(crate) thought_of: Vec<String>,
    /// What was found out for the tasks under way, by their ids. Runs of older versions have none.
    #[serde(default)]
    pub(crate) recalled: Vec<(String, Recalled)>,
    /// Whether the person agreed to the tasks.
    pub(crate) agreed: bool,
}

/// How far a write has come when its run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// With the system: no crash of a process loses it.
    System,
    /// On the disk, with all before it.
    Disk,
}

/// The runs of a folder.
pub(crate) struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
    /// Who holds runs: this store, of all that are open on the same file.
    holder: String,
}

impl Store {
    /// Opens the runs of a folder, and makes what is missing.
    pub(crate) fn open(folder: &Path) -> Result<Store, RunError> {
        let path = folder.join("runs.db");
        let unusable = |path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| RunError::Folder { path, reason: error.to_string() }
        };
        make_private(folder).map_err(unusable(folder))?;
        // Made here, because the database's own log files take their rights from it.
        private_file(&path).map_err(unusable(&path))?;
        let begun = || {
            let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        };
        let connection = begun().map_err(|source| refused(&path, source))?;
        Ok(Store { path, connection: Mutex::new(connection), holder: id("h") })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refused(&self, source: rusqlite::Error) -> RunError {
        refused(&self.path, source)
    }

    /// Adds a run, held by this store.
    pub(crate) fn add(&self, record: &Record) -> Result<(), RunError> {
        let (process, began) = process::this();
        let text = json(record)?;
        let added = self.connection().execute(
            "INSERT INTO run (id, begun, record, holder, process, began) VALUES (?, ?, ?, ?, ?, ?)",
            params![record.state.run_id, clock::now(), text, self.holder, process, began],
        );
        added.map(drop).map_err(|source| self.refused(source))
    }

    /// Takes hold of a run that nobody alive holds, and reads it.
    pub(crate) fn take(&self, run: &str) -> Result<Record, RunError> {
        read(&self.hold(run)?)
    }

    fn hold(&self, run: &str) -> Result<String, RunError> {
        let (process, began) = process::this();
        let mut connection = self.connection();
        let mut taken = || {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let find = "SELECT record, holder, process, began FROM run WHERE id = ?";
            let row = change.query_row(find, [run], |row| {
                let held: (Option<String>, Option<u32>, Option<String>) =
                    (row.get(1)?, row.get(2)?, row.get(3)?);
                Ok((row.get::<_, String>(0)?, held))
            });
            let Some((record, held)) = row.optional()? else { return Ok(None) };
            if let (Some(_), Some(other), Some(when)) = &held
                && process::is_alive(*other, when)
            {
                return Ok(Some(Err(*other)));
            }
            let take = "UPDATE run SET holder = ?, process = ?, began = ? WHERE id = ?";
            change.execute(take, params![self.holder, process, began, run])?;
            change.commit()?;
            Ok(Some(Ok(record)))
        };
        let taken: rusqlite::Result<Option<Result<String, u32>>> = taken();
        match taken.map_err(|source| self.refused(source))? {
            None => Err(RunError::Unknown(run.to_owned())),
            Some(Err(process)) => Err(RunError::Held { run: run.to_owned(), process }),
            Some(Ok(text)) => Ok(text),
        }
    }

    /// Deletes a run that nobody alive holds, with its steps. What its session remembers stays.
    pub(crate) fn delete(&self, run: &str) -> Result<(), RunError> {
        self.hold(run)?;
        let mut connection = self.connection();
        let mut deleted = || {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let held = "DELETE FROM run WHERE id = ? AND holder = ?";
            let count = change.execute(held, params![run, self.holder])?;
            if count > 0 {
                change.execute("DELETE FROM step WHERE run = ?", [run])?;
                change.execute("DELETE FROM remark WHERE run = ?", [run])?;
            }
            change.commit()?;
            Ok(count)
        };
        match deleted().map_err(|source| self.refused(source))? {
            0 => Err(RunError::Lost(run.to_owned())),
            _ => Ok(()),
        }
    }

    /// Lets go of a run.
    pub(crate) fn release(&self, run: &str) {
        let free = "UPDATE run SET holder = NULL WHERE id = ? AND holder = ?";
        if let Err(error) = self.connection().execute(free, params![run, self.holder]) {
            tracing::error!(%error, run, "a run cannot be let go of");
        }
    }

    /// Lets go of everything.
    pub(crate) fn release_all(&self) {
        let free = "UPDATE run SET holder = NULL WHERE holder = ?";
        if let Err(error) = self.connection().execute(free, params![self.holder]) {
            tracing::error!(%error, "runs cannot be let go of");
        }
    }

    /// Saves a run, if it is still held.
    pub(crate) fn save(&self, record: &Record) -> Result<(), RunError> {
        let text = json(record)?;
        let run = &record.state.run_id;
        let saved = self.connection().execute(SAVE, params![text, run, self.holder]);
        match saved.map_err(|source| self.refused(source))? {
            0 => Err(RunError::Lost(run.clone())),
            _ => Ok(()),
        }
    }

    /// Saves a step of a run that is still held.
    pub(crate) fn save_step(&self, run: &str, step: &Step, reach: Reach) -> Result<(), RunError> {
        let text = json(step)?;
        let connection = self.connection();
        // In this mode a commit writes to the log; FULL also waits until the disk has all of the log.
        let level = if reach == Reach::Disk { "FULL" } else { "NORMAL" };
        let saved = connection.pragma_update(None, "synchronous", level).and_then(|()| {
            connection.execute(
                "INSERT OR REPLACE INTO step (run, number, body)
                 SELECT ?1, ?2, ?3 FROM run WHERE id = ?1 AND holder = ?4",
                params![run, step.number, text, self.holder],
            )
        });
        match saved.map_err(|source| self.refused(source))? {
            0 => Err(RunError::Lost(run.to_owned())),
            _ => Ok(()),
        }
    }

    /// One run.
    pub(crate) fn run(&self, run: &str) -> Result<Record, RunError> {
        let find = "SELECT record FROM run WHERE id = ?";
        let text = self.connection().query_row(find, [run], |row| row.get::<_, String>(0));
        match text.optional().map_err(|source| self.refused(source))? {
            Some(text) => read(&text),
            None => Err(RunError::Unknown(run.to_owned())),
        }
    }

    /// The steps of a run, in order.
    pub(crate) fn steps(&self, run: &str) -> Result<Vec<Step>, RunError> {
        let texts =
            self.texts("SELECT body FROM step WHERE run = ? ORDER BY number", params![run])?;
        texts.iter().map(|text| read(text)).collect()
    }

    /// Notes what a person says of a run.
    pub(crate) fn say(&self, run: &str, words: &str) -> Result<(), RunError> {
        let add = "INSERT INTO remark (run, words) VALUES (?, ?)";
        let added = self.connection().execute(add, params![run, words]);
        added.map(drop).map_err(|source| self.refused(source))
    }

    /// What was said of a run first after this, with its number.
    pub(crate) fn said(&self, run: &str, after: i64) -> Result<Option<(i64, String)>, RunError> {
        let next =
            "SELECT number, words FROM remark WHERE run = ? AND number > ? ORDER BY number LIMIT 1";
        let next = self
            .connection()
            .query_row(next, params![run, after], |row| Ok((row.get(0)?, row.get(1)?)));
        next.optional().map_err(|source| self.refused(source))
    }

    /// Saves a run, if it is still held, with what its session remembers of the task that is over: both or
    /// neither. The oldest tasks are forgotten.
    pub(crate) fn save_over(&self, record: &Record, task: &CompletedTask) -> Result<(), RunError> {
        let (text, body) = (json(record)?, json(task)?);
        let (run, session) = (&record.state.run_id, &record.state.session_id);
        let mut connection = self.connection();
        let mut saved = || {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if change.execute(SAVE, params![text, run, self.holder])? == 0 {
                return Ok(false);
            }
            let add = "INSERT INTO past (session, body) VALUES (?, ?)";
            change.execute(add, params![session, body])?;
            let gone = change.execute(
                "DELETE FROM past WHERE session = ?1 AND number NOT IN
                 (SELECT number FROM past WHERE session = ?1 ORDER BY number DESC LIMIT ?2)",
                params![session, REMEMBERED],
            )?;
            change.execute(
                "INSERT INTO forgotten (session, count) VALUES (?1, ?2)
                 ON CONFLICT (session) DO UPDATE SET count = count + ?2",
                params![session, u32::try_from(gone).unwrap_or(u32::MAX)],
            )?;
            change.commit()?;
            Ok(true)
        };
        match saved().map_err(|source| self.refused(source))? {
            true => Ok(()),
            false => Err(RunError::Lost(run.clone())),
        }
    }

    /// The tasks that were done in a session, oldest first.
    pub(crate) fn past(&self, session: &str) -> Result<Vec<CompletedTask>, RunError> {
        let all = "SELECT body FROM past WHERE session = ? ORDER BY number";
        self.texts(all, params![session])?.iter().map(|text| read(text)).collect()
    }

    /// How many older tasks of a session are not among them.
    pub(crate) fn forgotten(&self, session: &str) -> Result<u32, RunError> {
        let count = "SELECT count FROM forgotten WHERE session = ?";
        let connection = self.connection();
        let count = connection.query_row(count, [session], |row| row.get::<_, u32>(0)).optional();
        count.map(Option::unwrap_or_default).map_err(|source| self.refused(source))
    }

    /// Notes what a session's person likes.
    pub(crate) fn prefer(&self, session: &str, topic: &str, words: &str) -> Result<(), RunError> {
        let add = "INSERT OR REPLACE INTO preference (session, topic, words) VALUES (?, ?, ?)";
        let added = self.connection().execute(add, params![session, topic, words]);
        added.map(drop).map_err(|source| self.refused(source))
    }

    /// What a session's person likes.
    pub(crate) fn preferences(&self, session: &str) -> Result<Preferences, RunError> {
        let connection = self.connection();
        let read = || {
            let all = "SELECT topic, words FROM preference WHERE session = ?";
            let mut all = connection.prepare(all)?;
            let rows = all.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<_>>()
        };
        read().map(Preferences).map_err(|source| self.refused(source))
    }

    fn texts(&self, query: &str, of: &[&dyn rusqlite::ToSql]) -> Result<Vec<String>, RunError> {
        let connection = self.connection();
        let read = || {
            let mut query = connection.prepare(query)?;
            query.query_map(of, |row| row.get(0))?.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|source| self.refused(source))
    }
}

fn refused(path: &Path, source: rusqlite::Error) -> RunError {
    RunError::Database { path: path.to_owned(), reason: source.to_string() }
}

fn json(value: &impl Serialize) -> Result<String, RunError> {
    serde_json::to_string(value).map_err(|error| RunError::Row(error.to_string()))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, RunError> {
    serde_json::from_str(text).map_err(|error| RunError::Row(error.to_string()))
}

#[cfg(test)]
mod tests {
    use legwork_protocol::assistant::{RunStatus, Usage};
    use serde_json::json;

    use super::*;

    /// As an older version saved it.
    fn record() -> Record {
        let state = json!({
            "runId": "r1", "sessionId": "s", "instruction": "go", "status": "running",
            "usage": Usage::default(),
        });
        let record = json!({
            "state": state, "execute": { "instruction": "go" }, "request_id": "q", "answers": [],
            "remarks": [], "left_out": [], "thought_of": [], "agreed": false,
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn a_run_whose_process_is_gone_is_no_longer_under_way_and_goes_with_the_old_ones() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs")).unwrap();
        let with_id = |id: &str, status| {
            let mut record = record();
            (record.state.run_id, record.state.status) = (id.to_owned(), status);
            store.add(&record).unwrap();
        };
        with_id("r1", RunStatus::Running);
        with_id("r2", RunStatus::Waiting);
        with_id("r3", RunStatus::Running);
        let of_a_killed_process = "UPDATE run SET began = 'long ago' WHERE id IN ('r1', 'r2')";
        store.connection().execute(of_a_killed_process, []).unwrap();
        let listed = || -> Vec<(String, RunStatus)> {
            let runs = store.runs().unwrap().into_iter().map(|run| run.state);
            let mut listed: Vec<_> = runs.map(|run| (run.run_id, run.status)).collect();
            listed.sort_by(|one, other| one.0.cmp(&other.0));
            listed
        };
        let [one, two, three] = ["r1", "r2", "r3"].map(str::to_owned);
        let others = [(two, RunStatus::Waiting), (three, RunStatus::Running)];
        assert_eq!(listed(), [&[(one, RunStatus::Stopped)], &others[..]].concat());
        assert_eq!(store.prune(0), Ok(1));
        assert_eq!(listed(), others);
    }

    #[test]
    fn what_was_said_counts_as_heard_only_with_the_run_that_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs")).unwrap();
        let mut record = record();
        store.add(&record).unwrap();
        for (run, words) in [("r1", "one"), ("r2", "other"), ("r1", "two")] {
            store.say(run, words).unwrap();
        }
        let next = |heard: i64| store.said("r1", heard).unwrap();
        let (number, words) = next(record.heard).unwrap();
        assert_eq!(words, "one");
        // Killed before anything came of it: it is heard again.
        assert_eq!(next(store.run("r1").unwrap().heard), Some((number, words)));
        record.heard = number;
        store.save(&record).unwrap();
        let (number, words) = next(store.run("r1").unwrap().heard).unwrap();
        assert_eq!((words.as_str(), next(number)), ("two", None));
    }

    #[test]
    fn a_task_is_remembered_with_the_run_that_says_it_is_over_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Store::open(&folder.path().join("runs")).unwrap();
        let (one, other) = (open(), open());
        let mut record = record();
        one.add(&record).unwrap();
        let task = json!({
            "id": "t1", "description": "go", "type": "navigate", "parameters": "back", "status": "completed",
            "dependencies": [], "instruction": "go", "endedAt": "",
        });
        let task: CompletedTask = serde_json::from_value(task).unwrap();
        record.agreed = true;
        assert!(matches!(other.save_over(&record, &task), Err(RunError::Lost(_))));
        assert_eq!((other.past("s").unwrap(), other.run("r1").unwrap().agreed), (vec![], false));
        one.save_over(&record, &task).unwrap();
        assert_eq!((other.past("s").unwrap(), other.run("r1").unwrap()), (vec![task], record));
    }
}
