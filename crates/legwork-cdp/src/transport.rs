//! How whole messages travel to a browser and back. It knows bytes, not what they say.

use std::future::Future;
use std::io;
use std::pin::Pin;

mod discovery;
mod fake;
#[cfg(unix)]
mod pipe;
mod websocket;

pub use fake::FakePeer;
pub use websocket::WebSocketOptions;

use crate::error::Error;

/// A way to a browser, ready to be used by a connection.
pub struct Transport {
    pub(crate) sink: Box<dyn Sink>,
    pub(crate) source: Box<dyn Source>,
}

impl Transport {
    /// Our ends of the two pipes of a browser started with `--remote-debugging-pipe`. It must be
    /// called inside a tokio runtime.
    #[cfg(unix)]
    pub fn pipe(write: std::os::fd::OwnedFd, read: std::os::fd::OwnedFd) -> io::Result<Transport> {
        pipe::open(write, read)
    }

    /// The debugging address of a running browser: a `ws://` URL, or an `http://` one that is
    /// asked for it. TLS is not built in.
    pub async fn websocket(url: &str, options: &WebSocketOptions) -> Result<Transport, Error> {
        websocket::open(url, options).await
    }

    /// A browser that is played by a test.
    pub fn fake() -> (Transport, FakePeer) {
        fake::open()
    }
}

pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// The half that is written to.
pub(crate) trait Sink: Send {
    /// Writes the messages, in as few writes as possible; it may take them out of the list.
    fn write<'a>(&'a mut self, messages: &'a mut Vec<String>) -> Pending<'a, ()>;

    /// Says goodbye, where the transport has a way to.
    fn close(&mut self) -> Pending<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// The half that is read from.
pub(crate) trait Source: Send {
    /// The next message; nothing when the peer has ended the connection.
    fn next(&mut self) -> Pending<'_, Option<&[u8]>>;
}
