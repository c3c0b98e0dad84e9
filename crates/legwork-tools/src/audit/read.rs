//! Reading a record: calls put together from their rows, and the chain checked from its first row to its
//! last. Changes nothing.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::body::{self, Closed, Judgement, Opened, Picture};
use super::chain::{Broken, Check, Event, Hash, Head};
use super::store::{self, Error, Place, signed, unsigned};

/// A call as its rows tell it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Its number, which is that of its first row.
    pub id: u64,
    /// When it came in: RFC 3339, UTC.
    pub time: String,
    /// Who asked for what.
    #[serde(flatten)]
    pub opened: Opened,
    /// Its actions as they were judged; none if it could not be read.
    pub judged: Vec<Judgement>,
    /// How it ended; none while it runs.
    pub closed: Option<Closed>,
    /// Pictures that it answered with, where they are kept.
    pub pictures: Vec<Picture>,
}

impl Call {
    /// How it ended, in a word; `running` while it has not.
    pub fn ending(&self) -> &str {
        self.closed.as_ref().map_or("running", |closed| &closed.ending)
    }
}

/// Which calls are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only of this session.
    pub session: Option<String>,
    /// Only of this tool; `click` is `browser_click`.
    pub tool: Option<String>,
    /// Only with this ending: a word, or an error's code.
    pub ending: Option<String>,
    /// Only from this time on, or from the beginning of it: `2026-11-16`.
    pub since: Option<String>,
    /// Only the last of them.
    pub limit: Option<usize>,
}

impl Filter {
    fn takes(&self, call: &Call) -> bool {
        let same =
            |wanted: &Option<String>, is: &dyn Fn(&str) -> bool| wanted.as_deref().is_none_or(is);
        let error = call.closed.as_ref().and_then(|closed| closed.error.as_deref());
        same(&self.session, &|name| call.opened.session == name)
            && same(&self.tool, &|name| {
                let tool = call.opened.tool.as_str();
                tool == name || tool.strip_prefix("browser_") == Some(name)
            })
            && same(&self.ending, &|word| call.ending() == word || error == Some(word))
    }
}

/// A chain that is as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole {
    /// Its end.
    pub head: Head,
    /// Whether the file beside it was there to compare its end with.
    pub beside: bool,
}

/// A record, open to be read.
pub struct Records {
    connection: Connection,
    place: Place,
}

impl Records {
    /// The record in this folder; none if nothing was recorded there.
    pub fn open(folder: &Path) -> Result<Option<Records>, Error> {
        let place = Place::of(folder);
        if !place.database.exists() {
            return Ok(None);
        }
        let opened = || {
            // Readers take part in the log, so that they see what was written a moment ago.
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
            let connection = Connection::open_with_flags(&place.database, flags)?;
            connection.busy_timeout(std::time::Duration::from_secs(5))?;
            connection.pragma_update(None, "query_only", true)?;
            Ok(connection)
        };
        let connection = opened().map_err(place.refused())?;
        Ok(Some(Records { connection, place }))
    }

    /// The calls that are wanted, newest last.
    pub fn calls(&self, filter: &Filter) -> Result<Vec<Call>, Error> {
        let refused = self.place.refused();
        let query =
            "SELECT call FROM event WHERE kind = 'opened' AND time >= ? ORDER BY sequence DESC";
        let mut statement = self.connection.prepare(query).map_err(&refused)?;
        let since = filter.since.as_deref().unwrap_or_default();
        let mut rows = statement.query([since]).map_err(&refused)?;
        let mut calls = Vec::new();
        while let Some(row) = rows.next().map_err(&refused)? {
            if filter.limit.is_some_and(|limit| calls.len() >= limit) {
                break;
            }
            let id = unsigned(row.get(0).map_err(&refused)?);
            calls.extend(self.call(id)?.filter(|call| filter.takes(call)));
        }
        calls.reverse();
        Ok(calls)
    }

    /// The call of that number.
    pub fn call(&self, id: u64) -> Result<Option<Call>, Error> {
        let query = "SELECT * FROM event WHERE call = ? ORDER BY sequence";
        let mut events = Vec::new();
        self.each(query, [signed(id)], |event| {
            events.push(event);
            Ok(())
        })?;
        let mut events = events.into_iter();
        let Some(first) = events.next().filter(|first| first.kind == body::OPENED) else {
            return Ok(None);
        };
        let opened = read(&first)?;
        let (judged, closed, pictures) = Default::default();
        let mut call = Call { id, time: first.time, opened, judged, closed, pictures };
        for event in events {
            match event.kind.as_str() {
                body::JUDGED => call.judged.push(read(&event)?),
                body::CLOSED => call.closed = Some(read(&event)?),
                _ => call.pictures.push(read(&event)?),
            }
        }
        Ok(Some(call))
    }

    /// Every row, in order.
    pub fn events(&self, take: impl FnMut(Event) -> Result<(), Error>) -> Result<(), Error> {
        self.each("SELECT * FROM event ORDER BY sequence", [], take)
    }

    fn each<P: rusqlite::Params>(
        &self,
        query: &str,
        params: P,
        mut take: impl FnMut(Event) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let refused = self.place.refused();
        let mut statement = self.connection.prepare(query).map_err(&refused)?;
        let mut rows = statement.query(params).map_err(&refused)?;
        while let Some(row) = rows.next().map_err(&refused)? {
            take(event(row).map_err(&refused)?)?;
        }
        Ok(())
    }

    /// Checks the whole chain; it should hold the row with the hash that is known, and the one that was
    /// noted beside it.
    pub fn verify(&self, known: Option<Hash>) -> Result<Result<Whole, Broken>, Error> {
        // Read before the rows: what is written meanwhile only makes the chain longer.
        let beside = std::fs::read_to_string(&self.place.head).ok();
        let beside = beside.and_then(|line| Hash::parse(line.split(' ').nth(1)?));
        let mut check = Check::new(known.into_iter().chain(beside));
        let mut broken = None;
        self.events(|event| {
            if broken.is_none() {
                broken = check.take(&event).err();
            }
            Ok(())
        })?;
        Ok(match broken {
            Some(broken) => Err(broken),
            None => check.end().map(|head| Whole { head, beside: beside.is_some() }),
        })
    }

    /// The end of the chain, once the disk has it.
    pub fn head(&self) -> Result<Head, Error> {
        let refused = self.place.refused();
        let settled = || {
            self.connection.pragma_update(None, "query_only", false)?;
            // Moves the log into the database, which waits for the disk; other writers may go on.
            self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(()))?;
            self.connection.pragma_update(None, "query_only", true)?;
            store::head(&self.connection)
        };
        let head = store::head(&self.connection).map_err(&refused)?;
        settled().map(|_| head).map_err(refused)
    }

    /// A picture that was kept, if it is still what it was.
    pub fn picture(&self, picture: &Picture) -> Option<Vec<u8>> {
        let hash = Hash::parse(&picture.sha256)?;
        let name = format!("{hash}.{}", store::extension(&picture.media_type));
        let bytes = std::fs::read(self.place.pictures.join(name)).ok()?;
        (Hash::of(&bytes) == hash).then_some(bytes)
    }
}

fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    let previous = <[u8; 32]>::try_from(row.get::<_, Vec<u8>>("previous")?);
    let hash = <[u8; 32]>::try_from(row.get::<_, Vec<u8>>("hash")?);
    // No row that was written has another length; no content fits the hash of nothing.
    let (previous, hash) = match (previous, hash) {
        (Ok(previous), Ok(hash)) => (Hash(previous), Hash(hash)),
        _ => (Hash::NONE, Hash::NONE),
    };
    Ok(Event {
        sequence: unsigned(row.get("sequence")?),
        time: row.get("time")?,
        call: unsigned(row.get("call")?),
        kind: row.get("kind")?,
        body: row.get("body")?,
        previous,
        hash,
    })
}

fn read<T: DeserializeOwned>(event: &Event) -> Result<T, Error> {
    serde_json::from_str(&event.body)
        .map_err(|error| Error::Row { row: event.sequence, reason: error.to_string() })
}
