//! The WebSocket transport, with a real browser and with listeners that misbehave.

use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::{CloseReason, Connection, Transport, WebSocketOptions, browser};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

use crate::Deaf;
use crate::chrome::Chrome;

async fn product(url: &str, options: &WebSocketOptions) -> String {
    let transport = Transport::websocket(url, options).await.unwrap();
    let connection = Connection::open(transport, Arc::new(Deaf));
    connection.root().send(&browser::GetVersion {}).await.unwrap().product
}

async fn failure(url: &str, options: &WebSocketOptions) -> String {
    Transport::websocket(url, options).await.err().expect("it cannot connect").to_string()
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    (listener, authority)
}

#[tokio::test]
async fn a_browser_is_reached_by_its_websocket_or_found_by_its_port() {
    let (chrome, url) = Chrome::on_a_port().await;
    let authority = url.strip_prefix("ws://").unwrap().split('/').next().unwrap();
    let headers = vec![("Authorization".to_owned(), "Bearer grid".to_owned())];
    let options = WebSocketOptions { headers, ..Default::default() };
    assert!(product(&url, &options).await.contains("Chrome"));
    assert!(product(&format!("http://{authority}"), &options).await.contains("Chrome"));

    let transport = Transport::websocket(&url, &options).await.unwrap();
    let connection = Connection::open(transport, Arc::new(Deaf));
    chrome.kill();
    let reason = tokio::time::timeout(Duration::from_secs(10), connection.closed()).await;
    assert_eq!(reason, Ok(CloseReason::Ended));
}

#[tokio::test]
async fn headers_go_with_the_search_and_the_handshake_and_the_asked_authority_is_kept() {
    let (listener, authority) = listener().await;
    let grid = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let head = read_head(&mut stream).await;
        let body = r#"{"webSocketDebuggerUrl":"ws://inside:1/devtools/browser/7"}"#;
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.unwrap();
        let (socket, _) = listener.accept().await.unwrap();
        let mut seen = (head, String::new(), String::new());
        #[allow(clippy::result_large_err)]
        let look = |request: &Request, response: Response| {
            seen.1 = request.uri().to_string();
            seen.2 = request.headers()["x-grid"].to_str().unwrap().to_owned();
            Ok(response)
        };
        tokio_tungstenite::accept_hdr_async(socket, look).await.unwrap();
        seen
    });
    let headers = vec![("X-Grid".to_owned(), "yes".to_owned())];
    let options = WebSocketOptions { headers, ..Default::default() };
    Transport::websocket(&format!("http://{authority}"), &options).await.unwrap();
    let (head, path, header) = grid.await.unwrap();
    assert!(head.starts_with("GET /json/version HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nX-Grid: yes\r\n"), "{head}");
    assert_eq!((path.as_str(), header.as_str()), ("/devtools/browser/7", "yes"));
}

async fn read_head(stream: &mut TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).await.unwrap();
    }
    head
}

#[tokio::test]
async fn a_handshake_that_is_never_answered_ends_at_its_deadline() {
    let (_listener, authority) = listener().await;
    let options = WebSocketOptions { deadline: Duration::from_millis(50), ..Default::default() };
    for scheme in ["ws", "http"] {
        let error = failure(&format!("{scheme}://{authority}/x?token=secret"), &options).await;
        let expected = format!("cannot connect to {scheme}://{authority}/x: ");
        assert_eq!(error, expected + "there was no answer within 50ms");
    }
}

#[tokio::test]
async fn what_is_not_a_browser_is_refused_with_the_reason() {
    let options = WebSocketOptions::default();
    assert!(failure("wss://grid.example/", &options).await.contains("TLS is not built in"));
    let (listener, authority) = listener().await;
    let server = tokio::spawn(async move {
        for answer in ["HTTP/1.1 404 Not Found\r\n\r\n", "HTTP/1.1 403 Forbidden\r\n\r\n"] {
            let (mut stream, _) = listener.accept().await.unwrap();
            read_head(&mut stream).await;
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let error = failure(&format!("http://{authority}"), &options).await;
    assert!(error.contains("404"), "{error}");
    let error = failure(&format!("ws://{authority}"), &options).await;
    assert!(error.contains("403"), "{error}");
    server.await.unwrap();
    let error = failure(&format!("http://{authority}"), &options).await;
    assert!(error.contains("refused"), "{error}");
}
