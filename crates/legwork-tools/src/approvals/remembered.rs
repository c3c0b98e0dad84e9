//! Answers that count from now on: this action on this site. Kept in a file that only its owner may read;
//! one that cannot be read remembers nothing, so that people are asked again.

use std::io::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use legwork_protocol::{Code, Question, ToolError};
use serde::{Deserialize, Serialize};

/// Something that is always allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remembered {
    /// Names it.
    pub id: String,
    /// The action, as it was asked.
    pub action: String,
    /// The site.
    pub site: String,
    /// When that was said, in seconds since 1970.
    pub since: u64,
}

pub(super) fn list(file: Option<&Path>) -> Result<Vec<Remembered>, ToolError> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let wrong = |reason: String| {
        let message = format!("{}: {reason}", file.display());
        ToolError::new(Code::FileError, message).with_hint("mend or delete that file")
    };
    match std::fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// What was said of this action on this site. Amounts and addresses are part of the action.
pub(super) fn find(file: Option<&Path>, question: &Question) -> Option<Remembered> {
    let known = list(file).inspect_err(|error| tracing::error!("{error}")).ok()?;
    known.into_iter().find(|one| one.action == question.action && one.site == question.site)
}

pub(super) fn add(file: Option<&Path>, question: &Question) -> Result<(), ToolError> {
    let mut known = list(file)?;
    let Question { id, action, site, .. } = question.clone();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    known.push(Remembered { id, action, site, since });
    write(file, &known)
}

pub(super) fn forget(file: Option<&Path>, id: &str) -> Result<Remembered, ToolError> {
    let mut known = list(file)?;
    let missing = || ToolError::new(Code::NotFound, format!("nothing remembered is called {id:?}"));
    let at = known.iter().position(|one| one.id == id).ok_or_else(missing)?;
    let forgotten = known.remove(at);
    write(file, &known)?;
    Ok(forgotten)
}

/// Written beside and put in its place whole.
fn write(file: Option<&Path>, known: &[Remembered]) -> Result<(), ToolError> {
    let Some(file) = file else { return Ok(()) };
    let folder = file.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| tempfile::NamedTempFile::new_in(folder))
        .and_then(|mut beside| {
            serde_json::to_writer_pretty(&mut beside, known)?;
            beside.write_all(b"\n")?;
            beside.as_file().sync_all()?;
            beside.persist(file).map_err(|error| error.error)
        });
    let failed = |error| ToolError::new(Code::FileError, format!("{}: {error}", file.display()));
    written.map(|_| ()).map_err(failed)
}
