//! What a client asks of the proxy, read from the bytes it sent. Pure: bytes in, a request or a refusal
//! out, no panic on any input. It is strict where two readers could disagree (line ends, folded headers,
//! lengths), since a request that is read differently further on is a request that nobody judged.

use std::net::IpAddr;

use url::Host;

/// Where a request wants to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The host as a URL parser writes it: lower case, ASCII, IPv6 in brackets, no dot at the end.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The address, where the host is one.
    pub address: Option<IpAddr>,
}

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// A tunnel to a place.
    Tunnel(Place),
    /// One request to a place.
    Plain(Plain),
}

/// One request, ready to be sent on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain {
    /// Where to.
    pub place: Place,
    /// The whole address.
    pub url: String,
    /// The method.
    pub method: String,
    /// The head as the server gets it.
    pub head: Vec<u8>,
    /// How the end of the body is found.
    pub body: Framing,
    /// The connection is to become another protocol's.
    pub upgrade: bool,
    /// The client wants to send more on the same connection.
    pub keep: bool,
}

/// How the end of a body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is none.
    Empty,
    /// After so many bytes.
    Length(u64),
    /// By its chunks.
    Chunked,
    /// When the connection ends.
    UntilClose,
}

/// Why a head was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a request that a proxy takes: {0}")]
pub struct Bad(pub &'static str);

/// Reads a head that ends with its empty line.
pub fn parse(head: &[u8]) -> Result<Asked, Bad> {
    let lines = lines(head)?;
    let (first, headers) = lines.split_first().ok_or(Bad("no request line"))?;
    let [method, target, version] = words(first)?;
    if !method.bytes().all(is_token) || !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(Bad("malformed request line"));
    }
    let headers = headers.iter().map(|line| header(line)).collect::<Result<Vec<_>, _>>()?;
    if method == "CONNECT" {
        return Ok(Asked::Tunnel(place(target, None)?));
    }
    let rest = target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    // Browsers send `/path` to servers and whole addresses to proxies: a web page elsewhere on the machine
    // that asks us for something by our own address ends here.
    rest.ok_or(Bad("the address is not a whole one of http"))?;
    plain(method, &target[7..], version, &headers).map(Asked::Plain)
}

/// The path that the head of a WebSocket asks for, as it is sent to a server.
pub fn handshake(head: &[u8]) -> Result<&str, Bad> {
    let lines = lines(head)?;
    let (first, headers) = lines.split_first().ok_or(Bad("no request line"))?;
    let [method, path, version] = words(first)?;
    let headers = headers.iter().map(|line| header(line)).collect::<Result<Vec<_>, _>>()?;
    let upgrade = says(&headers, "upgrade", "websocket");
    if method != "GET" || version != "HTTP/1.1" || !path.starts_with('/') || !upgrade {
        return Err(Bad("in the clear, and no WebSocket"));
    }
    Ok(path)
}

fn plain(method: &str, rest: &str, version: &str, headers: &[Header<'_>]) -> Result<Plain, Bad> {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if path.contains('#') {
        return Err(Bad("an address with a fragment"));
    }
    let place = place(authority, Some(80))?;
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let shown = place.shown(80);
    let upgrade = says(headers, "connection", "upgrade") && find(headers, "upgrade").is_some();
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {shown}\r\n").into_bytes();
    for (name, value) in headers.iter().filter(|(name, _)| passes(name, headers, upgrade)) {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(if upgrade { b"Connection: Upgrade\r\n\r\n" } else { b"\r\n" });
    let closes = |name| says(headers, name, "close");
    Ok(Plain {
        url: format!("http://{shown}{path}"),
        method: method.to_owned(),
        body: framing(headers)?.unwrap_or(Framing::Empty),
        keep: version == "HTTP/1.1" && !closes("connection") && !closes("proxy-connection"),
        place,
        head,
        upgrade,
    })
}

/// What a server answered, as far as it tells where the answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// How the end of the body is found.
    pub body: Framing,
    /// The server takes more requests on the connection.
    pub keep: bool,
}

/// Reads the head of an answer to a request of that method. Nothing where it is not clear: such an answer
/// is passed on until the connection ends.
pub fn answer(head: &[u8], method: &str) -> Option<Answer> {
    let lines = lines(head).ok()?;
    let (first, headers) = lines.split_first()?;
    let first = std::str::from_utf8(first).ok()?;
    let mut words = first.splitn(3, ' ');
    let (version, status) = (words.next()?, words.next()?);
    let status: u16 = Some(status).filter(|status| status.len() == 3)?.parse().ok()?;
    let headers = headers.iter().map(|line| header(line)).collect::<Result<Vec<_>, _>>().ok()?;
    let bodiless = method == "HEAD" || status < 200 || status == 204 || status == 304;
    let body = framing(&headers).ok()?.unwrap_or(Framing::UntilClose);
    let body = if bodiless { Framing::Empty } else { body };
    let keep = version == "HTTP/1.1" && !says(&headers, "connection", "close");
    Some(Answer { status, body, keep: keep && body != Framing::UntilClose })
}

impl Place {
    /// The host, with the port where it is not the usual one.
    pub fn shown(&self, usual: u16) -> String {
        match self.port == usual {
            true => self.host.clone(),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

/// Reads `host:port`; a port may be missing only where one is usual. Names with an account in them, empty
/// ports and port 0 are refused.
pub fn place(authority: &str, usual: Option<u16>) -> Result<Place, Bad> {
    const MALFORMED: Bad = Bad("malformed host or port");
    let (host, port) = match authority.rfind(']') {
        Some(end) => authority.split_at(end + 1),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let port = match (port.strip_prefix(':'), usual) {
        (None, Some(usual)) if port.is_empty() => usual,
        (Some(port), _) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            port.parse().map_err(|_| MALFORMED)?
        }
        _ => return Err(MALFORMED),
    };
    let host = Host::parse(host).map_err(|_| MALFORMED)?;
    let address = match &host {
        Host::Ipv4(address) => Some(IpAddr::V4(*address)),
        Host::Ipv6(address) => Some(IpAddr::V6(*address)),
        Host::Domain(_) => None,
    };
    let text = host.to_string();
    // A dot at the end means the same host. Two mean nothing.
    let host = text.strip_suffix('.').unwrap_or(&text).to_owned();
    if port == 0 || host.is_empty() || host.ends_with('.') {
        return Err(MALFORMED);
    }
    Ok(Place { host, port, address })
}

type Header<'a> = (&'a str, &'a [u8]);

/// Most headers a head may have.
const MOST_HEADERS: usize = 256;

fn lines(head: &[u8]) -> Result<Vec<&[u8]>, Bad> {
    let head = head.strip_suffix(b"\r\n\r\n").ok_or(Bad("no empty line at the end"))?;
    let mut lines = Vec::new();
    let mut rest = head;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        let (line, end) = rest.split_at(at);
        lines.push(line);
        rest = end.strip_prefix(b"\r\n").ok_or(Bad("a line end of its own kind"))?;
    }
    lines.push(rest);
    if lines.len() > MOST_HEADERS { Err(Bad("too many headers")) } else { Ok(lines) }
}

/// The three words of a request line: printable ASCII, with one space between them.
fn words(line: &[u8]) -> Result<[&str; 3], Bad> {
    const MALFORMED: Bad = Bad("malformed request line");
    let line = std::str::from_utf8(line).map_err(|_| MALFORMED)?;
    let mut words = line.split(' ');
    let three = [words.next(), words.next(), words.next()];
    let [Some(a), Some(b), Some(c)] = three else { return Err(MALFORMED) };
    let whole = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
    let clear = [a, b, c].into_iter().all(whole) && !b.contains('\\') && words.next().is_none();
    if clear { Ok([a, b, c]) } else { Err(MALFORMED) }
}

fn header(line: &[u8]) -> Result<Header<'_>, Bad> {
    const MALFORMED: Bad = Bad("malformed header");
    let colon = line.iter().position(|byte| *byte == b':').ok_or(MALFORMED)?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    if name.is_empty() || !name.iter().copied().all(is_token) {
        return Err(MALFORMED);
    }
    let name = std::str::from_utf8(name).map_err(|_| MALFORMED)?;
    Ok((name, value.trim_ascii()))
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn find<'a>(headers: &[Header<'a>], name: &str) -> Option<&'a [u8]> {
    headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
}

/// Whether a header lists a word.
fn says(headers: &[Header<'_>], name: &str, word: &str) -> bool {
    let named = headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
    let mut listed = named.flat_map(|(_, value)| value.split(|byte| *byte == b','));
    listed.any(|one| one.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether a header is the server's business, and not that of the connection to us.
fn passes(name: &str, headers: &[Header<'_>], upgrade: bool) -> bool {
    const OURS: &[&str] = &[
        "connection",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
    ];
    if name.eq_ignore_ascii_case("upgrade") {
        return upgrade;
    }
    // What frames the body passes whatever `Connection` says of it.
    let framing = ["content-length", "transfer-encoding"];
    let framing = framing.iter().any(|known| name.eq_ignore_ascii_case(known));
    let ours = OURS.iter().any(|known| name.eq_ignore_ascii_case(known));
    framing || !(ours || says(headers, "connection", name))
}

/// How the headers frame a body; nothing where they do not say.
fn framing(headers: &[Header<'_>]) -> Result<Option<Framing>, Bad> {
    let named = |name: &'static str| {
        headers.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, v)| *v)
    };
    let encodings: Vec<_> = named("transfer-encoding").collect();
    let lengths: Vec<_> = named("content-length").collect();
    match (&encodings[..], &lengths[..]) {
        ([], []) => Ok(None),
        ([encoding], []) if encoding.eq_ignore_ascii_case(b"chunked") => Ok(Some(Framing::Chunked)),
        ([], [first, others @ ..]) if others.iter().all(|other| other == first) => {
            let digits = std::str::from_utf8(first).ok();
            let digits = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            let length =
                digits.and_then(|text| text.parse().ok()).ok_or(Bad("malformed length"))?;
            Ok(Some(Framing::Length(length)))
        }
        _ => Err(Bad("a body whose end is not clear")),
    }
}

#[cfg(test)]
mod tests;
