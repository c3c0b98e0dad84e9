//! A browser played by a test, over channels.

use std::io;

use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Pending, Sink, Source, Transport};

pub(super) fn open() -> (Transport, FakePeer) {
    let (sink, sent) = unbounded_channel();
    let (answers, source) = unbounded_channel();
    let source = FakeSource { messages: source, message: String::new() };
    let transport = Transport { sink: Box::new(FakeSink(sink)), source: Box::new(source) };
    (transport, FakePeer { sent, answers })
}

/// The other end of [`Transport::fake`]. Dropping it closes the connection.
#[derive(Debug)]
pub struct FakePeer {
    sent: UnboundedReceiver<String>,
    answers: UnboundedSender<String>,
}

impl FakePeer {
    /// The next message that was sent to the browser; nothing when the connection is closed.
    ///
    /// # Panics
    ///
    /// When the message is not JSON.
    pub async fn recv(&mut self) -> Option<Value> {
        let text = self.sent.recv().await?;
        Some(serde_json::from_str(&text).expect("what is sent to a browser is JSON"))
    }

    /// Sends a message as the browser.
    pub fn send(&self, message: Value) {
        self.send_text(message.to_string());
    }

    /// Sends a message as the browser that need not be JSON.
    pub fn send_text(&self, message: impl Into<String>) {
        // A test that plays on after the connection has closed is as deaf as a browser would be.
        let _ = self.answers.send(message.into());
    }

    /// Answers `command`, which came from [`FakePeer::recv`].
    pub fn answer(&self, command: &Value, result: Value) {
        self.send(json!({ "id": command["id"], "result": result }));
    }

    /// Answers `command` with an error.
    pub fn refuse(&self, command: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(json!({ "id": command["id"], "error": error }));
    }

    /// Sends an event, of the browser itself or of a session.
    pub fn event(&self, session: Option<&str>, method: &str, params: Value) {
        let mut message = json!({ "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.send(message);
    }
}

struct FakeSink(UnboundedSender<String>);

impl Sink for FakeSink {
    fn write<'a>(&'a mut self, messages: &'a mut Vec<String>) -> Pending<'a, ()> {
        Box::pin(async move {
            for message in messages.drain(..) {
                self.0.send(message).map_err(|_| io::ErrorKind::BrokenPipe)?;
            }
            Ok(())
        })
    }
}

struct FakeSource {
    messages: UnboundedReceiver<String>,
    message: String,
}

impl Source for FakeSource {
    fn next(&mut self) -> Pending<'_, Option<&[u8]>> {
        Box::pin(async move {
            let Some(message) = self.messages.recv().await else { return Ok(None) };
            self.message = message;
            Ok(Some(self.message.as_bytes()))
        })
    }
}
