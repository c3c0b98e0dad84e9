//! One watcher: says who it is, then is told everything and may say whatever the messages allow.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message as Frame, WebSocket};
use legwork_protocol::ToolError;
use legwork_protocol::assistant::{Message, Payload};
use serde::Deserialize;
use tokio::task::JoinSet;

use super::Panel;
use crate::assistant::no_message;

/// How long a watcher may take to say who it is.
const GREETING: Duration = Duration::from_secs(10);

/// How long a watcher may leave a message unread before it is gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a watcher that says nothing is asked whether it is there.
const ASKED: Duration = Duration::from_secs(30);

/// Requests of one watcher that may be under way.
const MOST: usize = 64;

/// The first message of who did not give the token as a protocol.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Greeting {
    token: String,
}

/// Talks to a watcher until it or the assistant goes.
pub(super) async fn converse(mut socket: WebSocket, panel: &Arc<Panel>, known: bool) {
    if !known && !greeted(&mut socket, panel).await {
        return close(socket, 4401, "the first message is {\"token\": \"…\"}, with the right one")
            .await;
    }
    let mut feed = panel.feeds.watch();
    let mut asked = JoinSet::new();
    let mut alive = tokio::time::interval(ASKED);
    loop {
        let frame = tokio::select! {
            told = feed.next() => match told {
                Some(message) => written(&message),
                None => return close(socket, 1001, "the assistant has ended").await,
            },
            heard = socket.recv() => match heard {
                Some(Ok(Frame::Text(text))) => match said(panel, &text, &mut asked) {
                    Ok(()) => continue,
                    Err(refused) => written(&refused),
                },
                Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => continue,
                Some(Ok(Frame::Binary(_))) => {
                    return close(socket, 1003, "messages are text").await;
                }
                Some(Ok(Frame::Close(_)) | Err(_)) | None => return,
            },
            _ = alive.tick() => Some(Frame::Ping(Default::default())),
        };
        let Some(frame) = frame else { continue };
        // Who does not read holds nobody else up: they have feeds of their own.
        match tokio::time::timeout(PATIENCE, socket.send(frame)).await {
            Ok(Ok(())) => while asked.try_join_next().is_some() {},
            _ => return,
        }
    }
}

/// Whether the watcher says who it is, in time and rightly.
async fn greeted(socket: &mut WebSocket, panel: &Panel) -> bool {
    let greeting = tokio::time::timeout(GREETING, socket.recv()).await;
    let Ok(Some(Ok(Frame::Text(text)))) = greeting else { return false };
    let greeting = serde_json::from_str::<Greeting>(&text);
    greeting.is_ok_and(|Greeting { token }| panel.access.is_token(&token))
}

/// Hands a message on, and does not wait for what comes of it: that is told to everybody.
fn said(panel: &Arc<Panel>, text: &str, asked: &mut JoinSet<()>) -> Result<(), Box<Message>> {
    let refused = |request_id: &str, error: ToolError| {
        Box::new(Message { request_id: request_id.to_owned(), payload: Payload::Error(error) })
    };
    let message = serde_json::from_str::<Message>(text);
    let message = message.map_err(|error| Box::new(no_message(text, &error)))?;
    while asked.try_join_next().is_some() {}
    if asked.len() >= MOST {
        let error = ToolError::invalid(format!("{MOST} of your requests are under way"));
        return Err(refused(&message.request_id, error));
    }
    let panel = panel.clone();
    asked.spawn(async move { panel.assistant.receive(message).await });
    Ok(())
}

fn written(message: &Message) -> Option<Frame> {
    let text = serde_json::to_string(message);
    let text = text.inspect_err(|error| tracing::error!(%error, "a message cannot be written"));
    text.ok().map(|text| Frame::Text(text.into()))
}

async fn close(mut socket: WebSocket, code: u16, reason: &'static str) {
    let frame = Frame::Close(Some(CloseFrame { code, reason: reason.into() }));
    let _ = tokio::time::timeout(PATIENCE, socket.send(frame)).await;
}
