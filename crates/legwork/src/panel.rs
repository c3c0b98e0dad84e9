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

/// The address and the token in a file that only this user can read, for as long as it is served.
struct Told(PathBuf);

impl Told {
    fn write(folder: &Path, port: u16, token: &str) -> anyhow::Result<Told> {
        use std::io::Write;
        use std::os::unix::fs::OpenOptionsExt;
        let path = folder.join("panel.json");
        let shown = || path.display().to_string();
        // Made anew, so that its rights are ours and not those of what was there.
        let _ = std::fs::remove_file(&path);
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&path);
        let url = format!("ws://127.0.0.1:{port}/ws");
        let text = serde_json::json!({ "url": url, "token": token, "process": std::process::id() });
        writeln!(file.with_context(shown)?, "{text}").with_context(shown)?;
        Ok(Told(path))
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        // Another panel may have put its own there since.
        let ours = format!("\"process\":{}", std::process::id());
        let written = std::fs::read_to_string(&self.0).unwrap_or_default();
        if written.contains(&ours) {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}
