//! A WebSocket to a browser that is running already, here or on a grid.

use std::io;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Error as SocketError, Message};

use super::discovery::{self, Address, Scheme};
use super::{Pending, Sink, Source, Transport};
use crate::error::Error;

/// How a browser is connected to.
#[derive(Clone)]
pub struct WebSocketOptions {
    /// Headers to send with each request, such as the authorization that a grid asks for.
    pub headers: Vec<(String, String)>,
    /// How long finding, connecting and the handshake may take together.
    pub deadline: Duration,
}

impl std::fmt::Debug for WebSocketOptions {
    /// Headers carry credentials: only their names are shown.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| &**name).collect();
        out.debug_struct("WebSocketOptions")
            .field("headers", &headers)
            .field("deadline", &self.deadline)
            .finish()
    }
}

impl Default for WebSocketOptions {
    fn default() -> Self {
        WebSocketOptions { headers: Vec::new(), deadline: Duration::from_secs(10) }
    }
}

pub(super) async fn open(url: &str, options: &WebSocketOptions) -> Result<Transport, Error> {
    let address = Address::parse(url)?;
    let connected = tokio::time::timeout(options.deadline, connect(&address, options)).await;
    let late = || Err(format!("there was no answer within {:?}", options.deadline));
    let socket = connected
        .unwrap_or_else(|_| late())
        .map_err(|message| Error::Connect { url: address.shown(), message })?;
    let (sink, stream) = socket.split();
    Ok(Transport {
        sink: Box::new(SocketSink(sink)),
        source: Box::new(SocketSource { stream, message: Bytes::new() }),
    })
}

type Socket = WebSocketStream<TcpStream>;

async fn connect(address: &Address, options: &WebSocketOptions) -> Result<Socket, String> {
    let path = match address.scheme {
        Scheme::WebSocket => address.path.clone(),
        Scheme::Http => discovery::debugger_path(address, &options.headers).await?,
    };
    let request = request(&format!("ws://{}{path}", address.authority()), &options.headers)?;
    let stream = address.connect().await?;
    // Messages such as screenshots have no useful limit: the browser is as trusted as we are.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let handshake = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
    match handshake.await {
        Ok((socket, _)) => Ok(socket),
        Err(SocketError::Http(refused)) => {
            Err(format!("the WebSocket handshake was answered with {}", refused.status()))
        }
        Err(error) => Err(format!("the WebSocket handshake failed: {error}")),
    }
}

fn request(url: &str, headers: &[(String, String)]) -> Result<Request, String> {
    let mut request = url.into_client_request().map_err(|error| error.to_string())?;
    for (name, value) in headers {
        let name = HeaderName::try_from(name).map_err(|error| format!("{name}: {error}"))?;
        // The value may be a secret, so it stays out of the message.
        let value = HeaderValue::try_from(value).map_err(|error| format!("{name}: {error}"))?;
        request.headers_mut().append(name, value);
    }
    Ok(request)
}

struct SocketSink(SplitSink<Socket, Message>);

impl Sink for SocketSink {
    fn write<'a>(&'a mut self, messages: &'a mut Vec<String>) -> Pending<'a, ()> {
        Box::pin(async move {
            for message in messages.drain(..) {
                self.0.feed(Message::text(message)).await.map_err(to_io)?;
            }
            self.0.flush().await.map_err(to_io)
        })
    }

    fn close(&mut self) -> Pending<'_, ()> {
        Box::pin(async move { self.0.close().await.map_err(to_io) })
    }
}

struct SocketSource {
    stream: SplitStream<Socket>,
    message: Bytes,
}

impl Source for SocketSource {
    fn next(&mut self) -> Pending<'_, Option<&[u8]>> {
        Box::pin(async move {
            loop {
                match self.stream.next().await.transpose().map_err(to_io) {
                    Ok(Some(Message::Text(text))) => self.message = text.into(),
                    Ok(Some(Message::Binary(bytes))) => self.message = bytes,
                    // A ping is answered by the library; a close frame is followed by the end.
                    Ok(Some(_)) => continue,
                    Ok(None) => return Ok(None),
                    Err(error) if is_end(&error) => return Ok(None),
                    Err(error) => return Err(error),
                }
                return Ok(Some(&self.message[..]));
            }
        })
    }
}

/// A killed browser resets its sockets, which is an end like any other.
fn is_end(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
}

fn to_io(error: SocketError) -> io::Error {
    use tokio_tungstenite::tungstenite::error::ProtocolError;
    match error {
        SocketError::Io(error) => error,
        SocketError::ConnectionClosed
        | SocketError::AlreadyClosed
        | SocketError::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing,
        ) => io::ErrorKind::BrokenPipe.into(),
        error => io::Error::other(error),
    }
}
