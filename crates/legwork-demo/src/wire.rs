//! The store's connections, which can be cut: the next byte that would be written ends them instead.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::shop::Shop;
use crate::web;

/// Serves the store until it is stopped.
pub(crate) async fn serve(listener: TcpListener, shop: Arc<Shop>) -> io::Result<()> {
    let router = Router::new().fallback(web::answer).with_state(shop);
    axum::serve(Wires(listener), router.into_make_service_with_connect_info::<Scissors>()).await
}

/// Cuts one connection.
#[derive(Clone, Default)]
pub(crate) struct Scissors(Arc<AtomicBool>);

impl Scissors {
    /// From now on nothing is written on the connection.
    pub(crate) fn cut(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn check(&self) -> io::Result<()> {
        match self.0.load(Ordering::Acquire) {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }
}

impl Connected<IncomingStream<'_, Wires>> for Scissors {
    fn connect_info(stream: IncomingStream<'_, Wires>) -> Scissors {
        stream.io().scissors.clone()
    }
}

struct Wires(TcpListener);

impl Listener for Wires {
    type Io = Wire;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Wire, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.0).await;
        // Small answers are not held back; if that cannot be had, they are only slower.
        let _ = stream.set_nodelay(true);
        (Wire { stream, scissors: Scissors::default() }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

struct Wire {
    stream: TcpStream,
    scissors: Scissors,
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.scissors.check()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.scissors.check()?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
