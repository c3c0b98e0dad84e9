//! The assistant of a connection: made when it is first spoken to, told of by notifications, gone with the
//! connection. Its calls are calls of the connection, and keep to the same number of sessions.

use std::pin::Pin;
use std::sync::{Arc, Weak};

use legwork_agent::run::Assistant;
use legwork_protocol::assistant::{Execute, Message, Payload};
use legwork_protocol::rpc::Notification;
use legwork_protocol::{Called, Code, ToolCall, ToolError, ToolHost};
use serde_json::json;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use super::connection::{Connection, line};
use super::methods;
use crate::assistant::{Feeds, Wish, assistant};

/// What the notifications are called.
pub(super) const METHOD: &str = "assistant.message";

/// The assistant, once somebody has spoken to it.
#[derive(Default)]
pub(super) struct Voice(Mutex<Option<Arc<Begun>>>);

struct Begun {
    assistant: Arc<Assistant>,
    /// Tells what it says; ends with the connection.
    _telling: JoinSet<()>,
}

impl Voice {
    /// Hands a message to the assistant. What comes of it is told by notifications.
    pub(super) async fn send(
        &self,
        connection: &Arc<Connection>,
        mut message: Message,
    ) -> Result<(), ToolError> {
        let begun = self.begun(connection).await?;
        if let Payload::ExecuteTask(Execute { session_id, .. }) = &mut message.payload {
            session_id.get_or_insert_with(|| connection.serving.session.clone());
        }
        begun.assistant.receive(message).await;
        Ok(())
    }

    /// The assistant; two who speak to it at once make one.
    async fn begun(&self, connection: &Arc<Connection>) -> Result<Arc<Begun>, ToolError> {
        let mut begun = self.0.lock().await;
        if let Some(begun) = &*begun {
            return Ok(begun.clone());
        }
        let made = Arc::new(begin(connection).await?);
        *begun = Some(made.clone());
        Ok(made)
    }

    /// Ends its runs where they are, saved; a call that is under way is given up.
    pub(super) async fn end(&self) {
        drop(self.0.lock().await.take());
    }
}

async fn begin(connection: &Arc<Connection>) -> Result<Begun, ToolError> {
    let Some(config) = &connection.serving.assistant else {
        return Err(ToolError::new(Code::UnknownTool, "there is no assistant at this door"));
    };
    let host = Arc::new(Within(Arc::downgrade(connection)));
    let assistant =
        Arc::new(assistant(config, host, connection.serving.door, &Wish::default()).await?);
    let feeds = Feeds::new(assistant.clone());
    let mut telling = JoinSet::new();
    telling.spawn(tell(feeds, connection.out()));
    Ok(Begun { assistant, _telling: telling })
}

/// Waits for a slow reader, so that nothing else does; what is missed meanwhile is told.
async fn tell(feeds: Feeds, out: mpsc::Sender<Vec<u8>>) {
    let mut feed = feeds.watch();
    while let Some(message) = feed.next().await {
        let news = Notification { method: METHOD.to_owned(), params: json!(message) };
        let Ok(line) = line(&news) else { continue };
        if out.send(line).await.is_err() {
            return;
        }
    }
}

/// The host of a connection, for as long as there is one.
struct Within(Weak<Connection>);

impl ToolHost for Within {
    fn call(&self, call: ToolCall) -> Called<'_> {
        Box::pin(async move {
            let gone = || ToolError::new(Code::Cancelled, "the connection has ended");
            let connection = self.0.upgrade().ok_or_else(gone)?;
            methods::run(&connection, call).await
        })
    }

    fn end<'a>(&'a self, session: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            if let Some(connection) = self.0.upgrade() {
                connection.host.end(session).await;
            }
        })
    }
}
