//! Why a run cannot be begun, gone on with or saved.

use std::path::PathBuf;

use legwork_protocol::{Code, ToolError};

/// Why a run cannot be begun, gone on with or saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The folder of the runs cannot be used.
    #[error("{}: {reason}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The database refuses.
    #[error("{}: {reason}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What it says.
        reason: String,
    },
    /// What was saved is not understood.
    #[error("a saved run cannot be read: {0}")]
    Row(String),
    /// There is no such run.
    #[error("there is no run {0:?}")]
    Unknown(String),
    /// Another process runs it.
    #[error("the run {run} is under way in process {process}")]
    Held {
        /// The run.
        run: String,
        /// The process.
        process: u32,
    },
    /// Another process has taken it over.
    #[error("the run {0} was taken over by another process")]
    Lost(String),
    /// It is not under way here.
    #[error("the run {0} is not under way")]
    Idle(String),
    /// Nothing is left to do.
    #[error("the run {0} is completed")]
    Completed(String),
    /// Nobody waits for that answer.
    #[error("nothing waits for an answer to {0:?}")]
    Unasked(String),
    /// There is nothing to do.
    #[error("the instruction is empty")]
    Empty,
    /// The page cannot be seen.
    #[error(transparent)]
    Page(#[from] ToolError),
}

impl From<RunError> for ToolError {
    fn from(error: RunError) -> ToolError {
        let (code, hint) = match &error {
            RunError::Page(error) => return error.clone(),
            RunError::Folder { .. } | RunError::Database { .. } => (Code::FileError, None),
            RunError::Row(_) => (Code::FileError, Some("it may be of another version")),
            RunError::Unknown(_) => (Code::NotFound, Some("list the runs to see their names")),
            RunError::Held { .. } | RunError::Lost(_) => {
                (Code::InvalidInput, Some("stop it there first"))
            }
            RunError::Idle(_) => (Code::InvalidInput, Some("resume it first")),
            RunError::Completed(_) => (Code::InvalidInput, None),
            RunError::Empty => {
                (Code::InvalidInput, Some("say what to do, such as: go to localhost:3000"))
            }
            RunError::Unasked(_) => (
                Code::InvalidInput,
                Some("it may have been answered, or waited too long: resume the run"),
            ),
        };
        let told = ToolError::new(code, error.to_string());
        match hint {
            Some(hint) => told.with_hint(hint),
            None => told,
        }
    }
}
