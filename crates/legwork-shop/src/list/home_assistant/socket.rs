//! Home Assistant's WebSocket, for the one question that its HTTP interface does not answer in every
//! version: what is on a to-do list. The connection is the HTTP client's, upgraded, so that certificates
//! and proxies are the same; it lives for one question.

use futures_util::{SinkExt, StreamExt};
use reqwest::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use reqwest::{Client, StatusCode, Upgraded};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;
use url::Url;

use super::api::{ListItem, failed, refused, told};
use crate::list::ListError;

/// The items of a to-do list.
pub(super) async fn todo_items(
    client: &Client,
    url: Url,
    token: &SecretString,
    entity: &str,
) -> Result<Vec<ListItem>, ListError> {
    let mut socket = connect(client, url).await?;
    enter(&mut socket, token).await?;
    send(&mut socket, &Ask { id: 1, kind: "todo/item/list", entity_id: entity }).await?;
    let answer = loop {
        match receive(&mut socket).await? {
            Heard::Result { id: 1, success, result, error } => break (success, result, error),
            _ => continue,
        }
    };
    // The answer is here; how the connection ends does not matter.
    let _ = socket.close(None).await;
    match answer {
        (true, Some(list), _) => Ok(list.items.into_iter().filter_map(Todo::read).collect()),
        (_, _, Some(error)) if error.code == "unauthorized" => {
            Err(refused(StatusCode::FORBIDDEN).unwrap_or_else(|| failed(&error.message)))
        }
        (_, _, error) => {
            let why = error.map_or("it gave no list".into(), |error| error.message);
            Err(failed(&format!("{entity} cannot be read: {why}")))
        }
    }
}

type Socket = WebSocketStream<Upgraded>;

async fn connect(client: &Client, url: Url) -> Result<Socket, ListError> {
    let key = generate_key();
    let request = client
        .get(url)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, &key);
    let answer = request.send().await.map_err(|error| failed(&told(&error)))?;
    if let Some(error) = refused(answer.status()) {
        return Err(error);
    }
    let accepted = answer.headers().get(SEC_WEBSOCKET_ACCEPT).map(|accept| accept.as_bytes());
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS
        || accepted != Some(derive_accept_key(key.as_bytes()).as_bytes())
    {
        return Err(failed(&format!("it opened no WebSocket, and answered {}", answer.status())));
    }
    let stream = answer.upgrade().await.map_err(|error| failed(&told(&error)))?;
    Ok(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
}

/// Says who is asking.
async fn enter(socket: &mut Socket, token: &SecretString) -> Result<(), ListError> {
    loop {
        match receive(socket).await? {
            Heard::AuthRequired => {
                let access_token = token.expose_secret().trim();
                send(socket, &Enter { kind: "auth", access_token }).await?;
            }
            Heard::AuthOk => return Ok(()),
            Heard::AuthInvalid => {
                let refused = refused(StatusCode::UNAUTHORIZED);
                return Err(refused.unwrap_or_else(|| failed("it refuses the access token")));
            }
            _ => {}
        }
    }
}

async fn send(socket: &mut Socket, message: &impl Serialize) -> Result<(), ListError> {
    let text = serde_json::to_string(message).map_err(|error| failed(&told(&error)))?;
    socket.send(Message::text(text)).await.map_err(|error| failed(&told(&error)))
}

/// The next message; what is not text is not for us.
async fn receive(socket: &mut Socket) -> Result<Heard, ListError> {
    while let Some(message) = socket.next().await {
        if let Message::Text(text) = message.map_err(|error| failed(&told(&error)))? {
            return serde_json::from_str(&text)
                .map_err(|error| failed(&format!("its answer cannot be read: {error}")));
        }
    }
    Err(failed("it hung up"))
}

#[derive(Serialize)]
struct Enter<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    access_token: &'a str,
}

#[derive(Serialize)]
struct Ask<'a> {
    id: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    entity_id: &'a str,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Heard {
    AuthRequired,
    AuthOk,
    AuthInvalid,
    Result {
        id: u32,
        success: bool,
        result: Option<TodoList>,
        error: Option<Refusal>,
    },
    #[serde(other)]
    Else,
}

#[derive(Deserialize)]
struct Refusal {
    code: String,
    message: String,
}

#[derive(Deserialize)]
struct TodoList {
    items: Vec<Todo>,
}

#[derive(Deserialize)]
struct Todo {
    uid: Option<String>,
    summary: Option<String>,
    status: Option<String>,
}

impl Todo {
    /// An item that can be named; some services give no ids, and take the name for one.
    fn read(self) -> Option<ListItem> {
        let name = self.summary?;
        let id = self.uid.unwrap_or_else(|| name.clone());
        Some(ListItem { id, name, completed: self.status.as_deref() == Some("completed") })
    }
}
