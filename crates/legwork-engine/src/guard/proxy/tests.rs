use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::Guard;
use super::super::resolve::Lookup;
use super::*;

/// Lets everything through but `evil.test`, 127.0.0.2 and what is secret.
#[derive(Debug)]
struct Rules;

impl Guard for Rules {
    fn host(&self, host: &str, _: u16) -> Result<(), Refused> {
        refuse(host == "evil.test", "hosts")
    }

    fn address(&self, _: &str, address: IpAddr, _: u16) -> Result<(), Refused> {
        refuse(address == IpAddr::from([127, 0, 0, 2]), "addresses")
    }

    fn request(&self, request: &Wanted<'_>) -> Result<(), Refused> {
        refuse(request.url.contains("/secret"), "paths")
    }

    fn reads_addresses(&self) -> bool {
        true
    }
}

fn refuse(no: bool, rule: &str) -> Result<(), Refused> {
    if no { Err(Refused { rule: rule.to_owned() }) } else { Ok(()) }
}

/// `rebind.test` is 127.0.0.1 first and 127.0.0.2 from then on; all else is 127.0.0.1.
#[derive(Debug, Default)]
struct Names(AtomicUsize);

impl Resolver for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            let first = host != "rebind.test" || self.0.fetch_add(1, Ordering::SeqCst) == 0;
            Ok(vec![IpAddr::from([127, 0, 0, if first { 1 } else { 2 }])])
        })
    }
}

/// A server that tells each request it got, and counts connections.
struct Server {
    port: u16,
    connections: Arc<AtomicUsize>,
}

impl Server {
    async fn start() -> Server {
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = connections.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(echo(stream));
            }
        });
        Server { port, connections }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn echo(stream: TcpStream) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    while let Ok(Some(head)) = read_head(&mut reader).await {
        let text = String::from_utf8_lossy(&head).into_owned();
        if text.contains("/login") {
            let challenge =
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n";
            let _ = writer.write_all(challenge.as_bytes()).await;
            continue;
        }
        if text.contains("Upgrade: echo") {
            let _ = writer.write_all(b"HTTP/1.1 101 Switching\r\n\r\n").await;
            let _ = tokio::io::copy(&mut reader, &mut writer).await;
            return;
        }
        let length = text.split("ength: ").nth(1).and_then(|rest| rest.split('\r').next());
        let mut body = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
        reader.read_exact(&mut body).await.unwrap();
        let body = format!("{text}{}", String::from_utf8_lossy(&body)).replace("\r\n", "|");
        let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
        let _ = writer.write_all(answer.as_bytes()).await;
    }
}

struct Rig {
    proxy: Proxy,
    gate: Arc<Gate>,
    server: Server,
}

impl Rig {
    async fn new() -> Rig {
        let gate = Gate::new(Arc::new(Rules));
        let names = Arc::new(Names::default());
        let proxy = Proxy::start(gate.clone(), names).await.unwrap();
        Rig { proxy, gate, server: Server::start().await }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.proxy.port())).await.unwrap()
    }

    /// Says something on a new connection and hears what comes until `end`, or all of it.
    async fn say(&self, text: &str, end: &str) -> String {
        let mut stream = self.connect().await;
        let text = text.replace("PORT", &self.server.port.to_string());
        stream.write_all(text.as_bytes()).await.unwrap();
        hear(&mut stream, end).await
    }
}

async fn hear(stream: &mut TcpStream, end: &str) -> String {
    let mut heard = Vec::new();
    while !end.is_empty() && !String::from_utf8_lossy(&heard).contains(end) || end.is_empty() {
        let read = stream.read_buf(&mut heard);
        if tokio::time::timeout(Duration::from_secs(5), read).await.unwrap().unwrap_or(0) == 0 {
            break;
        }
    }
    String::from_utf8_lossy(&heard).into_owned()
}

#[tokio::test]
async fn requests_on_one_connection_are_passed_on_and_each_is_judged() {
    let rig = Rig::new().await;
    let two = "POST http://a.test:PORT/1 HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi\
               GET http://a.test:PORT/2 HTTP/1.1\r\n\r\n";
    let heard = rig.say(two, "GET /2").await;
    assert!(heard.contains("POST /1 HTTP/1.1|Host: a.test:"), "{heard}");
    assert!(heard.contains("||hi"), "{heard}");
    assert_eq!(rig.server.connections(), 1);
    let mixed =
        "GET http://a.test:PORT/1 HTTP/1.1\r\n\r\nGET http://a.test:PORT/secret HTTP/1.1\r\n\r\n";
    let heard = rig.say(mixed, "").await;
    assert!(heard.contains("GET /1") && !heard.contains("secret"), "{heard}");
    let other =
        "GET http://a.test:PORT/1 HTTP/1.1\r\n\r\nGET http://evil.test:PORT/ HTTP/1.1\r\n\r\n";
    let heard = rig.say(other, "").await;
    assert!(!heard.contains("evil"), "{heard}");
    let rules: Vec<String> = rig.gate.blocked().into_iter().map(|one| one.rule).collect();
    assert_eq!(rules, ["paths", "hosts"]);
}

#[tokio::test]
async fn a_tunnel_and_an_upgrade_pass_bytes_untouched() {
    let rig = Rig::new().await;
    for first in [
        "CONNECT a.test:PORT HTTP/1.1\r\n\r\n",
        "GET http://a.test:PORT/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n",
    ] {
        let mut stream = rig.connect().await;
        let text = first.replace("PORT", &rig.server.port.to_string());
        stream.write_all(text.as_bytes()).await.unwrap();
        let heard = hear(&mut stream, "\r\n\r\n").await;
        assert!(heard.starts_with("HTTP/1.1 200") || heard.starts_with("HTTP/1.1 101"), "{heard}");
        // As TLS begins, which nobody can look into.
        stream.write_all(b"\x16GET /\0\xff HTTP/9\r\nUpgrade: echo\r\n\r\n").await.unwrap();
        assert!(!hear(&mut stream, "\r\n\r\n").await.is_empty());
    }
}

#[tokio::test]
async fn what_a_tunnel_asks_for_in_the_clear_is_judged_by_its_whole_address() {
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    for (head, passes) in [
        (format!("GET /news HTTP/1.1\r\n{upgrade}"), true),
        (format!("GET /secret HTTP/1.1\r\n{upgrade}"), false),
        ("GET /news HTTP/1.1\r\n\r\n".to_owned(), false),
        ("anything else\r\n\r\n".to_owned(), false),
    ] {
        let rig = Rig::new().await;
        let mut stream = rig.connect().await;
        let tunnel = format!("CONNECT a.test:{} HTTP/1.1\r\n\r\n", rig.server.port);
        stream.write_all(tunnel.as_bytes()).await.unwrap();
        assert!(hear(&mut stream, "\r\n\r\n").await.starts_with("HTTP/1.1 200"), "{head}");
        stream.write_all(head.as_bytes()).await.unwrap();
        assert_eq!(!hear(&mut stream, "\r\n\r\n").await.is_empty(), passes, "{head}");
    }
}

#[tokio::test]
async fn what_is_refused_is_not_connected_to() {
    let rig = Rig::new().await;
    for text in [
        "CONNECT evil.test:PORT HTTP/1.1\r\n\r\n",
        "CONNECT EVIL.test.:PORT HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.2:PORT HTTP/1.1\r\n\r\n",
        "CONNECT 0x7f000002:PORT HTTP/1.1\r\n\r\n",
        "CONNECT [::ffff:127.0.0.2]:PORT HTTP/1.1\r\n\r\n",
        "GET http://evil.test:PORT/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http://127.2:PORT/ HTTP/1.1\r\n\r\n",
        "GET /path HTTP/1.1\r\nHost: a.test:PORT\r\n\r\n",
        "GET http://a.test:PORT/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ] {
        let heard = rig.say(text, "").await;
        assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 40"), "{text:?}: {heard}");
    }
    assert_eq!(rig.server.connections(), 0);
}

#[tokio::test]
async fn a_name_that_comes_to_stand_for_another_address_is_judged_again() {
    let rig = Rig::new().await;
    let ask = "GET http://rebind.test:PORT/ HTTP/1.1\r\n\r\n";
    assert!(rig.say(ask, "Host: rebind.test").await.contains("Host: rebind.test"));
    assert_eq!(rig.say(ask, "").await, "");
    assert_eq!(rig.server.connections(), 1);
    assert_eq!(rig.gate.blocked()[0].rule, "addresses");
}

#[tokio::test]
async fn a_server_cannot_ask_for_what_is_meant_for_a_proxy() {
    let rig = Rig::new().await;
    assert_eq!(rig.say("GET http://a.test:PORT/login HTTP/1.1\r\n\r\n", "").await, "");
    assert_eq!(rig.server.connections(), 1);
}

#[tokio::test]
async fn a_head_without_end_is_cut_off() {
    let rig = Rig::new().await;
    let long = format!("GET http://a.test/ HTTP/1.1\r\nA: {}", "x".repeat(300 * 1024));
    let mut stream = rig.connect().await;
    let _ = stream.write_all(long.as_bytes()).await;
    assert_eq!(hear(&mut stream, "").await, "");
}

#[tokio::test]
async fn the_proxy_and_its_connections_end_with_the_session() {
    let rig = Rig::new().await;
    let mut stream = rig.connect().await;
    let tunnel = format!("CONNECT a.test:{} HTTP/1.1\r\n\r\n", rig.server.port);
    stream.write_all(tunnel.as_bytes()).await.unwrap();
    assert!(hear(&mut stream, "\r\n\r\n").await.starts_with("HTTP/1.1 200"));
    let port = rig.proxy.port();
    drop(rig);
    assert_eq!(hear(&mut stream, "").await, "");
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err());
}
