//! The servers that must not be reached, one for each case, and the guard that says so. Both count.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use legwork_engine::{Guard, Lookup, Refused, Resolver, Wanted};
use legwork_tools::Rules;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use url::Url;

/// What happened to one case.
#[derive(Debug, Default)]
pub struct Count {
    pub connections: AtomicUsize,
    pub asked: AtomicUsize,
}

/// All forbidden servers, by port. They end with this.
#[derive(Debug)]
pub struct Forbidden {
    pub ports: Vec<u16>,
    pub counts: Arc<HashMap<u16, Count>>,
    pub changed: Arc<Notify>,
    _servers: JoinSet<()>,
}

impl Forbidden {
    /// Servers on every address of this machine, one port for each case; UDP is heard there as well.
    pub async fn start(cases: usize) -> Forbidden {
        let mut sockets = Vec::new();
        while sockets.len() < cases {
            let tcp = TcpListener::bind("[::]:0").await.unwrap();
            let port = tcp.local_addr().unwrap().port();
            if let Ok(udp) = UdpSocket::bind(("127.0.0.2", port)).await {
                sockets.push((port, tcp, udp));
            }
        }
        let ports: Vec<u16> = sockets.iter().map(|(port, ..)| *port).collect();
        let counts: Arc<HashMap<u16, Count>> =
            Arc::new(ports.iter().map(|port| (*port, Count::default())).collect());
        let changed = Arc::new(Notify::new());
        let mut servers = JoinSet::new();
        for (port, tcp, udp) in sockets {
            servers.spawn(accept(port, tcp, counts.clone(), changed.clone()));
            servers.spawn(hear(port, udp, counts.clone(), changed.clone()));
        }
        Forbidden { ports, counts, changed, _servers: servers }
    }

    /// No servers: what is forbidden is a path of an allowed one. A case's number stands for its port.
    pub fn paths(cases: usize) -> Forbidden {
        let ports: Vec<u16> = (0..cases as u16).collect();
        let counts = Arc::new(ports.iter().map(|port| (*port, Count::default())).collect());
        Forbidden { ports, counts, changed: Arc::default(), _servers: JoinSet::new() }
    }

    /// Whoever asks for a case's path was not stopped.
    pub fn hear_of(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let (counts, changed) = (self.counts.clone(), self.changed.clone());
        move |path| {
            if let Some(count) = number(path).and_then(|number| counts.get(&number)) {
                count.connections.fetch_add(1, Ordering::SeqCst);
                changed.notify_waiters();
            }
        }
    }
}

/// The case that a forbidden path belongs to.
fn number(path: &str) -> Option<u16> {
    let rest = path.strip_prefix("/checkout/")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

async fn accept(
    port: u16,
    listener: TcpListener,
    counts: Arc<HashMap<u16, Count>>,
    changed: Arc<Notify>,
) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        counts[&port].connections.fetch_add(1, Ordering::SeqCst);
        changed.notify_waiters();
        connections.spawn(answer(stream));
    }
}

async fn answer(mut stream: TcpStream) {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).await;
    let answer =
        "HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n";
    let _ = stream.write_all(answer.as_bytes()).await;
}

async fn hear(
    port: u16,
    socket: UdpSocket,
    counts: Arc<HashMap<u16, Count>>,
    changed: Arc<Notify>,
) {
    let mut datagram = [0; 2048];
    while socket.recv_from(&mut datagram).await.is_ok() {
        counts[&port].connections.fetch_add(1, Ordering::SeqCst);
        changed.notify_waiters();
    }
}

/// A policy, and how often it refused each case.
#[derive(Debug)]
pub struct Counting {
    pub counts: Arc<HashMap<u16, Count>>,
    pub changed: Arc<Notify>,
    policy: Arc<dyn Guard>,
}

impl Counting {
    /// Lets through one server on 127.0.0.1, and names below `allowed.test` unless they stand for a private
    /// address; nothing else.
    pub fn hosts(forbidden: &Forbidden, home: u16) -> Counting {
        let allow = format!("[\"127.0.0.1:{home}\", \"*.allowed.test\"]");
        Counting::new(forbidden, &format!("preset = \"guarded\"\n[hosts]\nallow = {allow}\n"))
    }

    /// Lets one server through, but for a path of it: what every shop has.
    pub fn paths(forbidden: &Forbidden, home: u16) -> Counting {
        let hosts = format!("[hosts]\nallow = [\"shop.test:{home}\"]\nprivate = \"allow\"");
        let paths = "[paths]\nblock = [\"/checkout\"]\n";
        Counting::new(forbidden, &format!("preset = \"guarded\"\n{hosts}\n{paths}"))
    }

    fn new(forbidden: &Forbidden, policy: &str) -> Counting {
        let policy = Rules::parse(policy).unwrap().guard().unwrap();
        let (counts, changed) = (forbidden.counts.clone(), forbidden.changed.clone());
        Counting { counts, changed, policy }
    }

    fn told(&self, said: Result<(), Refused>, port: Option<u16>) -> Result<(), Refused> {
        if let (Err(_), Some(count)) = (&said, port.and_then(|port| self.counts.get(&port))) {
            count.asked.fetch_add(1, Ordering::SeqCst);
            self.changed.notify_waiters();
        }
        said
    }
}

impl Guard for Counting {
    fn host(&self, host: &str, port: u16) -> Result<(), Refused> {
        self.told(self.policy.host(host, port), Some(port))
    }

    fn address(&self, host: &str, address: IpAddr, port: u16) -> Result<(), Refused> {
        self.told(self.policy.address(host, address, port), Some(port))
    }

    fn request(&self, request: &Wanted<'_>) -> Result<(), Refused> {
        let url = Url::parse(request.url).ok();
        let port = url.and_then(|url| number(url.path()).or_else(|| url.port()));
        self.told(self.policy.request(request), port)
    }

    fn reads_addresses(&self) -> bool {
        self.policy.reads_addresses()
    }
}

/// Names that public records would answer for: all of them stand for the forbidden servers.
#[derive(Debug)]
pub struct Names;

impl Resolver for Names {
    fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 2])]) })
    }
}
