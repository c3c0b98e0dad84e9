//! The process that writes a record.

use legwork_local::process;
use serde::{Deserialize, Serialize};

/// A process that writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    /// Its number.
    pub process: u32,
    /// When it began, in the words of the system; compared, never read.
    pub began: String,
    /// The user it runs as.
    pub user: String,
}

impl Writer {
    /// This process.
    pub(super) fn this() -> Writer {
        let (process, began) = process::this();
        Writer { process, began, user: process::user() }
    }

    /// Whether it is still there.
    pub(super) fn is_alive(&self) -> bool {
        process::is_alive(self.process, &self.began)
    }
}
