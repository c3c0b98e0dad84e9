//! Who wants to be told what happens: one subscription a connection. Its task waits for a slow reader so
//! that no call does, and says how much was missed.

use std::sync::{Mutex, PoisonError};

use legwork_protocol::ToolError;
use legwork_protocol::rpc::{BrowserEvent, Notification, SessionEvent, Subscribe};
use legwork_tools::Host;
use serde_json::json;
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinSet;

use super::connection::line;

/// The subscription of a connection; it ends with it.
#[derive(Default)]
pub(super) struct Subscription(Mutex<JoinSet<()>>);

/// What somebody wants to be told.
struct Wanted {
    kinds: Vec<String>,
    session: Option<String>,
}

impl Subscription {
    /// Begins to tell, in place of what was told before. Gives the kinds that will be.
    pub(super) fn begin(
        &self,
        host: &Host,
        wanted: Subscribe,
        session: Option<String>,
        out: mpsc::Sender<Vec<u8>>,
    ) -> Result<Vec<String>, ToolError> {
        if let Some(unknown) = wanted.events.iter().find(|kind| !known(kind)) {
            let error = ToolError::invalid(format!("there is no event {unknown:?}"));
            return Err(error.with_hint(format!("there is {}", BrowserEvent::KINDS.join(", "))));
        }
        let kinds = match wanted.events {
            none if none.is_empty() => BrowserEvent::KINDS.map(str::to_owned).to_vec(),
            some => some,
        };
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What the former one had begun to tell is told, or not at all: a line is queued whole.
        *tasks = JoinSet::new();
        tasks.spawn(tell(host.events(), Wanted { kinds: kinds.clone(), session }, out));
        Ok(kinds)
    }

    /// Tells no more.
    pub(super) fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = JoinSet::new();
    }
}

fn known(kind: &str) -> bool {
    BrowserEvent::KINDS.contains(&kind)
}

async fn tell(
    mut events: broadcast::Receiver<SessionEvent>,
    wanted: Wanted,
    out: mpsc::Sender<Vec<u8>>,
) {
    loop {
        let params = match events.recv().await {
            Ok(event) if wanted.wants(&event) => json!(event),
            Ok(_) => continue,
            Err(broadcast::error::RecvError::Lagged(count)) => {
                let event = BrowserEvent::Missed { count };
                json!(SessionEvent { session_id: String::new(), event })
            }
            Err(broadcast::error::RecvError::Closed) => return,
        };
        let news = Notification { method: SessionEvent::METHOD.to_owned(), params };
        let Ok(line) = line(&news) else { continue };
        if out.send(line).await.is_err() {
            return;
        }
    }
}

impl Wanted {
    fn wants(&self, event: &SessionEvent) -> bool {
        let kind = event.event.kind();
        let ours = self.session.as_ref().is_none_or(|session| *session == event.session_id);
        ours && (self.kinds.iter().any(|wanted| wanted == kind) || kind == "missed")
    }
}
