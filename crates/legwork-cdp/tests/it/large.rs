//! A message of 100 MB passes on every transport, in time that grows with its length only.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use legwork_cdp::{Connection, Transport, WebSocketOptions, page};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

use crate::Deaf;

const SIZE: usize = 100 * 1000 * 1000;

fn answer() -> String {
    format!(r#"{{"id":1,"result":{{"data":"{}"}}}}"#, "A".repeat(SIZE))
}

async fn check(transport: Transport) {
    let connection = Connection::open(transport, Arc::new(Deaf));
    let call = connection.root().send(&page::CaptureScreenshot::default());
    let screenshot = call.within(Duration::from_secs(120)).await.unwrap();
    assert_eq!(screenshot.data.len(), SIZE);
}

#[tokio::test]
async fn a_large_message_passes_on_the_pipe() {
    let (its_read, our_write) = std::io::pipe().unwrap();
    let (our_read, mut its_write) = std::io::pipe().unwrap();
    let browser = std::thread::spawn(move || {
        let mut command = Vec::new();
        BufReader::new(its_read).read_until(0, &mut command).unwrap();
        its_write.write_all(answer().as_bytes()).unwrap();
        its_write.write_all(&[0]).unwrap();
    });
    check(Transport::pipe(our_write.into(), our_read.into()).unwrap()).await;
    browser.join().unwrap();
}

#[tokio::test]
async fn a_large_message_passes_on_the_websocket() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/", listener.local_addr().unwrap());
    let browser = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        socket.next().await.unwrap().unwrap();
        socket.send(Message::text(answer())).await.unwrap();
    });
    check(Transport::websocket(&url, &WebSocketOptions::default()).await.unwrap()).await;
    browser.await.unwrap();
}

#[tokio::test]
async fn a_large_message_passes_on_the_fake() {
    let (transport, mut peer) = Transport::fake();
    let browser = tokio::spawn(async move {
        peer.recv().await.unwrap();
        peer.send_text(answer());
        peer
    });
    check(transport).await;
    browser.await.unwrap();
}
