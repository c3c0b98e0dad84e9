//! What TLS hides from the guard passes it untouched: HTTP/2, and WebSockets to a host that is allowed. Both
//! through the proxy, with interception on.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use sha1::{Digest, Sha1};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::browser::Started;
use crate::cases::Chrome;
use crate::forbidden::{Counting, Forbidden};
use crate::run::Mode;
use crate::tls::{Server, Stream};

const PATIENCE: Duration = Duration::from_secs(15);

#[tokio::test]
async fn http_2_passes_the_proxy_untouched() {
    let server = Server::start("h2", http_2).await;
    let spoken = "performance.getEntriesByType('navigation')[0].nextHopProtocol";
    assert_eq!(said(&server, spoken).await, "\"h2\"");
}

#[tokio::test]
async fn a_websocket_to_an_allowed_host_works_over_tls() {
    let server = Server::start("http/1.1", socket).await;
    let heard = "new Promise((heard, failed) => { const s = new WebSocket(`wss://${location.host}/s`); s.onmessage = m => heard(m.data); s.onerror = () => failed('no') })";
    assert_eq!(said(&server, heard).await, "\"hello\"");
}

/// What a script says in a page of the server, in a guarded browser.
async fn said(server: &Server, script: &str) -> String {
    let rules = Counting::paths(&Forbidden::paths(0), server.port);
    let browser = Started::new(Mode::Shop, Chrome::Shell, Arc::new(rules)).await;
    let page = browser.session.page().await.unwrap();
    page.navigate(&server.url("/"), PATIENCE).await.unwrap();
    let said = page.evaluate(script, Default::default()).await;
    browser.end().await;
    said.unwrap()
}

/// Answers every request of a connection with the same page, in frames of HTTP/2.
async fn http_2(mut stream: Stream) {
    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    const ACKNOWLEDGED: &[u8] = &[0, 0, 0, 4, 1, 0, 0, 0, 0];
    let mut preface = [0; 24];
    if stream.read_exact(&mut preface).await.is_err() || stream.write_all(SETTINGS).await.is_err() {
        return;
    }
    let mut head = [0; 9];
    while stream.read_exact(&mut head).await.is_ok() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        if stream.read_exact(&mut payload).await.is_err() {
            return;
        }
        let answer = match (head[3], head[4] & 1) {
            (1, _) => page(&head[5..]),
            (4, 0) => ACKNOWLEDGED.to_vec(),
            _ => continue,
        };
        if stream.write_all(&answer).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

/// Status 200 and `content-type: text/html` as HPACK writes them, then the body.
fn page(stream: &[u8]) -> Vec<u8> {
    const HEADERS: &[u8] = b"\x88\x0f\x10\x09text/html";
    const BODY: &[u8] = b"<!doctype html><title>Two</title>";
    let frame = |kind: u8, flags: u8, payload: &[u8]| {
        [&[0, 0, payload.len() as u8, kind, flags], stream, payload].concat()
    };
    [frame(1, 4, HEADERS), frame(0, 1, BODY)].concat()
}

/// A page, and a WebSocket that says hello.
async fn socket(stream: Stream) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut key = None;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("sec-websocket-key:") {
                key = Some(line[line.len() - value.len()..].trim().to_owned());
            }
            if line == "\r\n" {
                break;
            }
        }
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\nx";
        let answer = key.as_deref().map_or_else(|| page.as_bytes().to_vec(), hello);
        if stream.write_all(&answer).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

/// The answer to a handshake with that key, and one message.
fn hello(key: &str) -> Vec<u8> {
    let sum = Sha1::digest(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
    let accept = base64::engine::general_purpose::STANDARD.encode(sum);
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade";
    let head = format!("{head}\r\nSec-WebSocket-Accept: {accept}\r\n\r\n");
    [head.as_bytes(), b"\x81\x05hello"].concat()
}
