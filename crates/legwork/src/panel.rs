//! `legwork panel`: the assistant's messages over a WebSocket on this machine, for a console or an
//! extension that is thin. It frames messages; what they ask for is the assistant's.

mod access;
mod socket;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::extract::{State, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::get;
use legwork_agent::run::Assistant;
use legwork_local::process;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::assistant::Feeds;
use crate::token;
use access::{Access, Known};

/// The longest message that is taken: an instruction, an answer.
const LONGEST: usize = 1024 * 1024;

/// Watchers at a time.
const WATCHERS: usize = 32;

/// The name of what is spoken, for clients that give their token as a protocol, too.
const PROTOCOL: &str = "legwork.v1";

/// How it is served.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// The extension that may connect from a browser, by its id.
    pub extension: Option<String>,
    /// Where others of this user find the address and the token.
    pub folder: PathBuf,
}

/// What every watcher shares.
struct Panel {
    assistant: Arc<Assistant>,
    feeds: Feeds,
    access: Access,
    places: Arc<Semaphore>,
}

/// Serves until it is dropped.
pub async fn serve(assistant: Assistant, serving: Serving) -> anyhow::Result<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, serving.port));
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("cannot serve on {address}"))?;
    let port = listener.local_addr()?.port();
    let token = token::fresh()?;
    let _told = Told::write(&serving.folder, port, &token)?;
    eprintln!("legwork: panel on ws://127.0.0.1:{port}/ws");
    eprintln!("legwork: token {token}");
    let access = Access::new(port, token, serving.extension);
    let assistant = Arc::new(assistant);
    let feeds = Feeds::new(assistant.clone());
    let places = Arc::new(Semaphore::new(WATCHERS));
    let panel = Arc::new(Panel { assistant, feeds, access, places });
    let router = Router::new()
        .route("/ws", get(upgraded))
        .layer(from_fn_with_state(panel.clone(), Access::check))
        .with_state(panel);
    axum::serve(listener, router).await.context("the panel ended")
}

/// Begins a conversation, unless a token was given and is wrong, or there are too many.
async fn upgraded(
    State(panel): State<Arc<Panel>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let known = panel.access.known(&headers);
    if known == Known::No {
        return access::refused(StatusCode::UNAUTHORIZED, "this is not the token");
    }
    let Ok(place) = panel.places.clone().try_acquire_owned() else {
        return access::refused(StatusCode::SERVICE_UNAVAILABLE, "too many watch");
    };
    upgrade.protocols([PROTOCOL]).max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(
        async move |socket| {
            socket::converse(socket, &panel, known == Known::Yes).await;
            drop(place);
        },
    )
}

/// The address and the token in a file that only this user can read, for as long as it is served. Another
/// panel that serves already is found there again afterwards.
struct Told {
    path: PathBuf,
    text: String,
    before: Option<String>,
}

/// Who wrote such a file.
#[derive(Deserialize)]
struct Writer {
    process: u32,
    began: String,
}

impl Told {
    fn write(folder: &Path, port: u16, token: &str) -> anyhow::Result<Told> {
        let path = folder.join("panel.json");
        let before = std::fs::read_to_string(&path).ok();
        let (process, began) = process::this();
        let url = format!("ws://127.0.0.1:{port}/ws");
        let text = json!({ "url": url, "token": token, "process": process, "began": began });
        let text = format!("{text}\n");
        put(&path, &text).with_context(|| path.display().to_string())?;
        Ok(Told { path, text, before })
    }
}

/// Made anew, so that its rights are ours and not those of what was there.
fn put(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let _ = std::fs::remove_file(path);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path)?.write_all(text.as_bytes())
}

impl Drop for Told {
    fn drop(&mut self) {
        // Another panel may have put its own there since.
        if std::fs::read_to_string(&self.path).ok().as_ref() != Some(&self.text) {
            return;
        }
        let serves = |text: &String| {
            let writer = serde_json::from_str::<Writer>(text);
            writer.is_ok_and(|it| process::is_alive(it.process, &it.began))
        };
        let _ = match self.before.take().filter(serves) {
            Some(before) => put(&self.path, &before),
            None => std::fs::remove_file(&self.path),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_that_ends_leaves_the_address_of_one_that_still_serves() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("panel.json");
        let read = || std::fs::read_to_string(&path).ok();
        std::fs::write(&path, r#"{"process":1,"began":"long ago"}"#).unwrap();
        let one = Told::write(folder.path(), 1, "one").unwrap();
        let of_one = read();
        let two = Told::write(folder.path(), 2, "two").unwrap();
        assert_ne!(read(), of_one);
        drop(two);
        assert_eq!(read(), of_one);
        let two = Told::write(folder.path(), 2, "two").unwrap();
        let of_two = read();
        drop(one);
        assert_eq!(read(), of_two);
        std::fs::write(&path, "another's").unwrap();
        drop(two);
        assert_eq!(read().as_deref(), Some("another's"));
        let alone = folder.path().join("alone");
        std::fs::create_dir(&alone).unwrap();
        drop(Told::write(&alone, 3, "three").unwrap());
        assert!(!alone.join("panel.json").exists());
    }
}
