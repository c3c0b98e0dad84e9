//! The filtering proxy of one session: every connection of its browser comes through here, is judged by
//! name and by the very address that is then connected to, and is made by us or not at all.
//!
//! Who may use it. It listens on loopback, on a port of the system's choosing, for as long as the session
//! lives. A secret that the browser shows (proxy authentication) was considered and left out: Chrome can
//! be given one only by answering a challenge through `Fetch.authRequired`, which means intercepting all
//! its traffic; and whoever could use the proxy gains little by it, since a process on this machine
//! can connect to the same places without us, unjudged. Two cases remain and are closed otherwise. A web page in some
//! other browser cannot speak to us, since browsers send whole addresses only to what they know as
//! their proxy, and [`super::request`] takes nothing else. Another user of the machine, who may be kept
//! from the network, is told by the owner of the socket and dropped, where the system says who that is
//! (Linux does). Another process of the same user is not kept out: it could read our memory.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, BufWriter};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

use super::gate::Gate;
use super::peer;
use super::relay;
use super::request::{self, Asked, Place, Plain};
use super::resolve::Resolver;
use super::{Refused, Wanted};

/// Connections at a time; more wait to be accepted.
const MOST_CONNECTIONS: usize = 512;
/// The longest head of a request.
const LONGEST_HEAD: u64 = 256 * 1024;
/// How long a client may take to say what it wants, first and between requests.
const HEAD: Duration = Duration::from_secs(30);
const IDLE: Duration = Duration::from_secs(300);
/// How long a lookup and a connection may take.
const LOOKUP: Duration = Duration::from_secs(15);
const CONNECT: Duration = Duration::from_secs(15);

/// A proxy that ends, with all its connections, when it is dropped.
pub(crate) struct Proxy {
    port: u16,
    task: AbortHandle,
    cuts: mpsc::Sender<oneshot::Sender<()>>,
}

impl Proxy {
    pub(crate) async fn start(gate: Arc<Gate>, resolver: Arc<dyn Resolver>) -> io::Result<Proxy> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let local = listener.local_addr()?;
        let desk = Arc::new(Desk { gate, resolver, local });
        let (cuts, cut) = mpsc::channel(1);
        let task = tokio::spawn(serve(listener, desk, cut)).abort_handle();
        Ok(Proxy { port: local.port(), task, cuts })
    }

    /// Ends every connection there is. What comes after this is judged anew.
    pub(crate) async fn cut(&self) {
        let (done, over) = oneshot::channel();
        if self.cuts.send(done).await.is_ok() {
            let _ = over.await;
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What every connection needs.
struct Desk {
    gate: Arc<Gate>,
    resolver: Arc<dyn Resolver>,
    local: SocketAddr,
}

/// Accepts until it is aborted; the connections end with the set that holds them.
async fn serve(
    listener: TcpListener,
    desk: Arc<Desk>,
    mut cuts: mpsc::Receiver<oneshot::Sender<()>>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MOST_CONNECTIONS => match accepted {
                Ok((stream, peer)) => {
                    let desk = desk.clone();
                    connections.spawn(async move {
                        if let Err(error) = Client::new(stream, peer, desk).serve().await {
                            tracing::debug!(%error, "a connection through the guard ended");
                        }
                    });
                }
                // Out of file descriptors, say: some have to end before more can come.
                Err(error) => {
                    tracing::warn!(%error, "the guard cannot accept connections");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            Some(done) = cuts.recv() => {
                connections.shutdown().await;
                let _ = done.send(());
            }
        }
    }
}

pub(super) type Reader = BufReader<OwnedReadHalf>;
pub(super) type Writer = BufWriter<OwnedWriteHalf>;

/// One connection of the browser.
struct Client {
    desk: Arc<Desk>,
    peer: SocketAddr,
    reader: Reader,
    writer: Writer,
}

/// A connection that was judged, and where it leads.
struct Upstream {
    place: Place,
    address: IpAddr,
    reader: Reader,
    writer: Writer,
}

/// Why no connection was made.
enum Failure {
    Refused,
    Unreachable,
}

impl Client {
    fn new(stream: TcpStream, peer: SocketAddr, desk: Arc<Desk>) -> Client {
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        let (reader, writer) = (BufReader::new(reader), BufWriter::new(writer));
        Client { desk, peer, reader, writer }
    }

    /// Every request on the connection is judged; one that is refused ends it, so that what came from one
    /// server can never be taken for another's answer.
    async fn serve(mut self) -> io::Result<()> {
        let (peer, local) = (self.peer, self.desk.local);
        let stranger = tokio::task::spawn_blocking(move || peer::is_stranger(peer, local));
        if stranger.await.unwrap_or(true) {
            return Err(io::Error::other("it is another user's"));
        }
        let mut upstream: Option<Upstream> = None;
        loop {
            let patience = if upstream.is_some() { IDLE } else { HEAD };
            let Some(head) = within(patience, read_head(&mut self.reader)).await? else {
                return Ok(());
            };
            match request::parse(&head) {
                Ok(Asked::Tunnel(place)) => return self.tunnel(place).await,
                Ok(Asked::Plain(plain)) => match self.plain(&plain, upstream.take()).await? {
                    Some(kept) => upstream = Some(kept),
                    None => return self.writer.shutdown().await,
                },
                Err(bad) => {
                    self.say(&refusal("400 Bad Request")).await?;
                    return Err(io::Error::other(bad));
                }
            }
        }
    }

    async fn tunnel(&mut self, place: Place) -> io::Result<()> {
        let mut upstream = match self.desk.reach(&place).await {
            Ok(upstream) => upstream,
            Err(failure) => {
                let status = match failure {
                    Failure::Refused => "403 Forbidden",
                    Failure::Unreachable => "502 Bad Gateway",
                };
                return self.say(&refusal(status)).await;
            }
        };
        self.say("HTTP/1.1 200 Connection established\r\n\r\n").await?;
        if self.desk.gate.reads_addresses() && !self.speaks_tls().await? {
            let head = self.handshake(&upstream.place).await?;
            upstream.writer.write_all(&head).await?;
            upstream.writer.flush().await?;
        }
        self.join(&mut upstream).await
    }

    /// Whether what a tunnel begins with is TLS, which hides the rest.
    async fn speaks_tls(&mut self) -> io::Result<bool> {
        const HANDSHAKE: u8 = 22;
        let begins = within(HEAD, self.reader.fill_buf()).await?;
        Ok(begins.first().is_none_or(|first| *first == HANDSHAKE))
    }

    /// The head of a WebSocket that is not hidden by TLS, if its whole address may be asked for. Whatever
    /// else begins in the clear is not let through where whole addresses are judged.
    async fn handshake(&mut self, place: &Place) -> io::Result<Vec<u8>> {
        let nothing = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let head = within(HEAD, read_head(&mut self.reader)).await?.ok_or_else(nothing)?;
        let path = request::handshake(&head).map_err(io::Error::other)?;
        let url = format!("ws://{}{path}", place.shown(80));
        let wanted = Wanted { url: &url, method: "GET", kind: "WebSocket", page: None };
        let refused = |refused: Refused| io::Error::other(refused.rule);
        self.desk.gate.request(&wanted).map_err(refused)?;
        Ok(head)
    }

    async fn say(&mut self, text: &str) -> io::Result<()> {
        self.writer.write_all(text.as_bytes()).await?;
        self.writer.flush().await
    }

    /// Passes everything on, both ways, until both ends are done.
    async fn join(&mut self, upstream: &mut Upstream) -> io::Result<()> {
        const BUFFER: usize = 64 * 1024;
        let mut near = tokio::io::join(&mut self.reader, &mut self.writer);
        let mut far = tokio::io::join(&mut upstream.reader, &mut upstream.writer);
        tokio::io::copy_bidirectional_with_sizes(&mut near, &mut far, BUFFER, BUFFER).await?;
        Ok(())
    }

    /// Sends one request on, over the connection that is there if it leads to the same place. Gives the
    /// connection back if more may follow. A refused request gets no answer at all: whatever we said would
    /// be taken for the word of a server that was never asked.
    async fn plain(
        &mut self,
        plain: &Plain,
        kept: Option<Upstream>,
    ) -> io::Result<Option<Upstream>> {
        if self.desk.judge(plain, kept.as_ref()).is_err() {
            return Ok(None);
        }
        let mut upstream = match kept {
            // One connection of the browser is for one place. It asks again on another.
            Some(kept) if kept.place != plain.place => return Ok(None),
            Some(kept) => kept,
            None => match self.desk.reach(&plain.place).await {
                Ok(upstream) => upstream,
                Err(_) => return Ok(None),
            },
        };
        let Client { reader, writer, .. } = self;
        let upload = async {
            upstream.writer.write_all(&plain.head).await?;
            relay::body(reader, &mut upstream.writer, plain.body).await?;
            Ok(reader)
        };
        let answer = relay::answer(&mut upstream.reader, writer, plain);
        let ended = relay::both(upload, answer).await?;
        match ended {
            relay::Ended::Upgraded => self.join(&mut upstream).await.map(|()| None),
            relay::Ended::Whole if plain.keep => Ok(Some(upstream)),
            relay::Ended::Whole | relay::Ended::Closed => Ok(None),
        }
    }
}

impl Desk {
    /// Asks again for every request, also where the connection is there already.
    fn judge(&self, plain: &Plain, kept: Option<&Upstream>) -> Result<(), Refused> {
        self.gate.host(&plain.place)?;
        if let Some(kept) = kept {
            self.gate.address(&kept.place, kept.address)?;
        }
        if self.gate.reads_addresses() {
            let Plain { url, method, .. } = plain;
            self.gate.request(&Wanted { url, method, kind: "connection", page: None })?;
        }
        Ok(())
    }

    /// Connects to a place: judged by name before it is looked up, and by address before that very address
    /// is connected to.
    async fn reach(&self, place: &Place) -> Result<Upstream, Failure> {
        self.gate.host(place).map_err(|_| Failure::Refused)?;
        let found = match place.address {
            Some(address) => vec![address],
            None => {
                let found = within(LOOKUP, self.resolver.resolve(&place.host)).await;
                found.map_err(|_| Failure::Unreachable)?
            }
        };
        let mut failure = Failure::Unreachable;
        for address in found {
            if self.gate.address(place, address).is_err() {
                failure = Failure::Refused;
                continue;
            }
            match within(CONNECT, TcpStream::connect((address, place.port))).await {
                Ok(stream) => {
                    let _ = stream.set_nodelay(true);
                    let (reader, writer) = stream.into_split();
                    let (reader, writer) = (BufReader::new(reader), BufWriter::new(writer));
                    let place = place.clone();
                    return Ok(Upstream { place, address, reader, writer });
                }
                Err(_) => failure = Failure::Unreachable,
            }
        }
        Err(failure)
    }
}

async fn within<T>(limit: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    let done = tokio::time::timeout(limit, work).await;
    done.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Reads up to the empty line; nothing if the connection ends before it begins.
pub(super) async fn read_head(reader: &mut Reader) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    let mut limited = reader.take(LONGEST_HEAD);
    loop {
        let before = head.len();
        let read = limited.read_until(b'\n', &mut head).await?;
        match &head[before..] {
            b"\r\n" | b"\n" => return Ok(Some(head)),
            line if line.ends_with(b"\n") => {}
            _ if read == 0 && before == 0 => return Ok(None),
            _ if limited.limit() == 0 => return Err(io::Error::other("the head is too long")),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn refusal(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

#[cfg(test)]
mod tests;
