//! Runs as they are listed, and which of them go. A run whose process was killed still says that it is under
//! way; here it is told as it is, by whether somebody alive holds it.

use legwork_local::process;
use legwork_protocol::assistant::RunStatus;
use rusqlite::params;

use super::{Record, Store, read};
use crate::run::error::RunError;

/// A row: the record, and who holds it.
type Row = (String, Option<String>, Option<u32>, Option<String>);

impl Store {
    /// All runs, the latest first. One that was under way and that nobody alive holds is stopped.
    pub(crate) fn runs(&self) -> Result<Vec<Record>, RunError> {
        self.listed(0)
    }

    /// Deletes the oldest runs that are over until no more than so many are there, and says how many. One
    /// that is under way or waits for somebody stays.
    pub(crate) fn prune(&self, keep: usize) -> Result<usize, RunError> {
        let mut deleted = 0;
        for record in self.listed(keep)? {
            if !record.state.status.is_final() {
                continue;
            }
            match self.delete(&record.state.run_id) {
                Ok(()) => deleted += 1,
                // Somebody has just taken it up again or deleted it.
                Err(RunError::Held { .. } | RunError::Unknown(_) | RunError::Lost(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(deleted)
    }

    /// The runs but so many of the latest.
    fn listed(&self, beyond: usize) -> Result<Vec<Record>, RunError> {
        let beyond = i64::try_from(beyond).unwrap_or(i64::MAX);
        let connection = self.connection();
        let rows = || {
            let mut query = connection.prepare(
                "SELECT record, holder, process, began FROM run
                 ORDER BY begun DESC, id LIMIT -1 OFFSET ?",
            )?;
            let row =
                |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            query.query_map(params![beyond], row)?.collect::<rusqlite::Result<Vec<Row>>>()
        };
        let rows = rows().map_err(|source| self.refused(source))?;
        rows.iter().map(as_it_is).collect()
    }
}

fn as_it_is((text, holder, process, began): &Row) -> Result<Record, RunError> {
    let mut record: Record = read(text)?;
    let at_work = matches!(record.state.status, RunStatus::Interpreting | RunStatus::Running);
    if at_work && !is_held(holder.as_ref(), *process, began.as_ref()) {
        record.state.status = RunStatus::Stopped;
        record.state.activity = None;
    }
    Ok(record)
}

/// Whether somebody alive holds a run.
fn is_held(holder: Option<&String>, process: Option<u32>, began: Option<&String>) -> bool {
    holder.is_some() && process.zip(began).is_some_and(|(id, when)| process::is_alive(id, when))
}
