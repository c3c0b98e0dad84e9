//! The sessions a connection has, and how many it may have.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork_protocol::{Code, ToolError};
use legwork_tools::Host;

pub(super) struct Sessions {
    most: Option<usize>,
    /// How many calls of each are running.
    used: Mutex<HashMap<String, usize>>,
}

/// A call of a session, while it runs.
pub(super) struct Use<'a> {
    sessions: &'a Sessions,
    name: String,
}

impl Drop for Use<'_> {
    fn drop(&mut self) {
        if let Some(calls) = self.sessions.used().get_mut(&self.name) {
            *calls = calls.saturating_sub(1);
        }
    }
}

impl Sessions {
    pub(super) fn new(most: Option<usize>) -> Sessions {
        Sessions { most, used: Mutex::default() }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sessions this connection has used.
    pub(super) fn names(&self) -> Vec<String> {
        self.used().keys().cloned().collect()
    }

    /// Lets a call use a session, if that is not one too many. Only then does it look which of the
    /// others are still open.
    pub(super) async fn admit(&self, host: &Host, name: &str) -> Result<Use<'_>, ToolError> {
        if !self.enter(name) {
            let open = host.sessions().await;
            self.used().retain(|used, calls| {
                *calls > 0 || open.iter().any(|session| session.name == *used)
            });
            if !self.enter(name) {
                return Err(self.too_many(name));
            }
        }
        Ok(Use { sessions: self, name: name.to_owned() })
    }

    fn enter(&self, name: &str) -> bool {
        let mut used = self.used();
        let full = self.most.is_some_and(|most| used.len() >= most);
        if full && !used.contains_key(name) {
            return false;
        }
        *used.entry(name.to_owned()).or_default() += 1;
        true
    }

    fn too_many(&self, name: &str) -> ToolError {
        let mut names: Vec<String> = self.names().iter().map(|name| format!("{name:?}")).collect();
        names.sort();
        let most = self.most.unwrap_or_default();
        let sessions = if most == 1 { "session" } else { "sessions" };
        let message = format!(
            "the session {name:?} cannot be opened: at most {most} {sessions} at a time, and {} is open",
            names.join(", ")
        );
        ToolError::new(Code::Denied, message)
            .with_hint("close it with browser.close, or start the sidecar with --max-sessions")
    }
}
