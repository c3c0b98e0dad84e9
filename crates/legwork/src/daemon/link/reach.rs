//! The daemon as a host that runs tools, for as long as a run takes. A daemon that ended fails the call that
//! was under way, and the next call reaches another: the run decides what that means.

use std::pin::Pin;
use std::sync::{Arc, PoisonError};

use legwork_protocol::client::Session;
use legwork_protocol::{Called, Code, Reply, ToolCall, ToolError, ToolHost};
use serde_json::Map;
use tokio::sync::Mutex;

use super::{Link, Starting};
use crate::daemon::Place;

/// A daemon to run tools in, found or started when the first call needs it.
pub struct Reach {
    place: Place,
    starting: Starting,
    link: Mutex<Option<Arc<Link>>>,
    /// Why the last call could not be made at all.
    trouble: std::sync::Mutex<Option<ToolError>>,
}

impl Reach {
    /// The daemon at this place, once it is called.
    pub fn new(place: Place, starting: Starting) -> Reach {
        Reach { place, starting, link: Mutex::default(), trouble: Default::default() }
    }

    /// Finds or starts the daemon now.
    pub async fn ready(&self) -> Result<(), ToolError> {
        self.link().await.map(drop)
    }

    /// A session, if it is open.
    pub async fn session(&self, name: &str) -> Result<Option<Session>, ToolError> {
        let open = self.link().await?.sessions().await?;
        Ok(open.into_iter().find(|one| one.session_id == name))
    }

    /// Why the last call could not be made: there is no browser, or no daemon.
    pub fn trouble(&self) -> Option<ToolError> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, answer: &Result<Reply, ToolError>) {
        let without = |error: &&ToolError| {
            let codes = [Code::BrowserNotFound, Code::LaunchFailed, Code::SidecarFailed];
            codes.contains(&error.code)
        };
        let trouble = answer.as_ref().err().filter(without).cloned();
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// The daemon that was reached last, or another. Two who ask at once reach the same.
    async fn link(&self) -> Result<Arc<Link>, ToolError> {
        let mut link = self.link.lock().await;
        if let Some(link) = &*link {
            return Ok(link.clone());
        }
        let opened = Arc::new(Link::open(&self.place, &self.starting).await?);
        *link = Some(opened.clone());
        Ok(opened)
    }

    /// A link that failed is not used again.
    async fn forget(&self, failed: &Arc<Link>) {
        let mut link = self.link.lock().await;
        if link.as_ref().is_some_and(|link| Arc::ptr_eq(link, failed)) {
            *link = None;
        }
    }
}

impl ToolHost for Reach {
    fn call(&self, call: ToolCall) -> Called<'_> {
        Box::pin(async move {
            let link = match self.link().await {
                Ok(link) => link,
                Err(error) => {
                    self.note(&Err(error.clone()));
                    return Err(error);
                }
            };
            let answer = link.run(call).await;
            self.note(&answer);
            if answer.as_ref().is_err_and(|error| error.code == Code::SidecarFailed) {
                self.forget(&link).await;
            }
            answer
        })
    }

    fn end<'a>(&'a self, session: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            let _ = self.call(ToolCall::new(session, "browser_close", Map::new())).await;
        })
    }
}
