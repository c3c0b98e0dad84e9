//! Finds the WebSocket of a browser whose debugging port is known, by one plain HTTP request.

use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::http::Uri;

use crate::error::Error;

/// The answer is a few hundred bytes; more is not from a browser.
const ANSWER_LIMIT: usize = 1024 * 1024;

/// Where to connect to, taken apart.
pub(super) struct Address {
    pub scheme: Scheme,
    host: String,
    port: u16,
    /// Path and query.
    pub path: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    WebSocket,
    Http,
}

impl Address {
    pub fn parse(url: &str) -> Result<Address, Error> {
        let uri: Uri = url.parse().map_err(|_| not_connectable("(a malformed address)", NO_URL))?;
        let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(not_connectable("(an incomplete address)", NO_URL));
        };
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "ws" => Scheme::WebSocket,
            "http" => Scheme::Http,
            secure @ ("wss" | "https") => {
                return Err(not_connectable(&format!("{secure}://{host}"), NO_TLS));
            }
            other => return Err(not_connectable(&format!("{other}://{host}"), NO_URL)),
        };
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let port = uri.port_u16().unwrap_or(80);
        Ok(Address { scheme, host: host.to_owned(), port, path })
    }

    /// Host and port, as in a URL and in the `Host` header.
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The address for messages: without credentials and query, which may be secret.
    pub fn shown(&self) -> String {
        let scheme = match self.scheme {
            Scheme::WebSocket => "ws",
            Scheme::Http => "http",
        };
        let path = self.path.split('?').next().unwrap_or_default();
        format!("{scheme}://{}{path}", self.authority())
    }

    pub async fn connect(&self) -> Result<TcpStream, String> {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, self.port)).await.map_err(|e| e.to_string())?;
        // Commands are small and each is waited for.
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(stream)
    }
}

const NO_URL: &str = "it must be a ws:// or http:// URL";
const NO_TLS: &str = "TLS is not built in; connect through a ws:// or http:// address, \
                      such as a local tunnel";

fn not_connectable(url: &str, message: &str) -> Error {
    Error::Connect { url: url.to_owned(), message: message.to_owned() }
}

/// The path of the browser's WebSocket, on the host and port that were asked: behind a tunnel or
/// a container's port mapping, those that the browser tells of are not reachable.
pub(super) async fn debugger_path(
    address: &Address,
    headers: &[(String, String)],
) -> Result<String, String> {
    let body = get(address, &version_path(&address.path), headers).await?;
    let version: Version = serde_json::from_slice(&body)
        .map_err(|error| format!("/json/version is not a browser's answer: {error}"))?;
    let url: Uri = version
        .web_socket_debugger_url
        .parse()
        .map_err(|error| format!("/json/version gives a malformed WebSocket URL: {error}"))?;
    Ok(url.path_and_query().map_or("/", |path| path.as_str()).to_owned())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    web_socket_debugger_url: String,
}

/// `/json/version` below the path that was given, with its query (some grids want a token there).
fn version_path(path: &str) -> String {
    let (path, query) = path.split_once('?').map_or((path, None), |(p, q)| (p, Some(q)));
    let base = path.trim_end_matches('/').trim_end_matches("/json/version");
    match query {
        Some(query) => format!("{base}/json/version?{query}"),
        None => format!("{base}/json/version"),
    }
}

async fn get(
    address: &Address,
    path: &str,
    headers: &[(String, String)],
) -> Result<Vec<u8>, String> {
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", address.authority());
    request += "Accept: application/json\r\nConnection: close\r\n";
    for (name, value) in headers {
        if [name, value].iter().any(|text| text.contains(['\r', '\n'])) {
            return Err(format!("the header {name:?} holds a line break"));
        }
        request += &format!("{name}: {value}\r\n");
    }
    request += "\r\n";
    let mut stream = address.connect().await?;
    stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
    read_answer(&mut stream).await
}

/// Reads one HTTP answer. A browser may keep the connection open, so its length counts.
async fn read_answer(stream: &mut (impl AsyncReadExt + Unpin)) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    loop {
        if let Some(body) = complete_body(&bytes, Ended::No)? {
            return Ok(body);
        }
        if bytes.len() > ANSWER_LIMIT {
            return Err("the answer to /json/version is too long".to_owned());
        }
        if stream.read_buf(&mut bytes).await.map_err(|error| error.to_string())? == 0 {
            let incomplete = || "the answer to /json/version is incomplete".to_owned();
            return complete_body(&bytes, Ended::Yes)?.ok_or_else(incomplete);
        }
    }
}

/// Whether the peer has said all that it will.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Yes,
    No,
}

/// The body of the answer, once all of it is there.
fn complete_body(bytes: &[u8], ended: Ended) -> Result<Option<Vec<u8>>, String> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = String::from_utf8_lossy(&bytes[..end]);
    let body = &bytes[end + 4..];
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        return Err(format!("/json/version was answered with {status:?}"));
    }
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let header = |name: &str| {
        let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    };
    if header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        return Ok(join_chunks(body));
    }
    let Some(length) = header("content-length").and_then(|text| text.parse::<usize>().ok()) else {
        return Ok((ended == Ended::Yes).then(|| body.to_vec()));
    };
    Ok(body.get(..length).map(<[u8]>::to_vec))
}

/// The body that the chunks make up, once the last one is there.
fn join_chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..end]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        rest = &rest[end + 2..];
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size..)?.strip_prefix(b"\r\n")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart_and_shown_without_secrets() {
        for (url, authority, path, shown) in [
            ("http://127.0.0.1:9222", "127.0.0.1:9222", "/", "http://127.0.0.1:9222/"),
            ("ws://grid/x?token=s", "grid:80", "/x?token=s", "ws://grid:80/x"),
            ("ws://me:secret@[::1]:1/x", "[::1]:1", "/x", "ws://[::1]:1/x"),
            ("HTTP://localhost:5/", "localhost:5", "/", "http://localhost:5/"),
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!(address.authority(), authority);
            assert_eq!(address.path, path);
            assert_eq!(address.shown(), shown);
        }
    }

    #[test]
    fn an_address_that_cannot_be_connected_to_is_refused_with_the_reason() {
        for (url, expected) in [
            ("wss://grid/x", NO_TLS),
            ("https://grid", NO_TLS),
            ("ftp://grid", NO_URL),
            ("localhost:9222", NO_URL),
            ("not a url", NO_URL),
        ] {
            let error = Address::parse(url).err().unwrap().to_string();
            assert!(error.ends_with(expected), "{url}: {error}");
        }
    }

    #[test]
    fn the_version_is_asked_below_the_path_that_was_given() {
        for (path, expected) in [
            ("/", "/json/version"),
            ("/json/version", "/json/version"),
            ("/json/version/", "/json/version"),
            ("/grid/", "/grid/json/version"),
            ("/?token=a/b", "/json/version?token=a/b"),
        ] {
            assert_eq!(version_path(path), expected);
        }
    }

    #[test]
    fn an_answer_is_complete_by_length_by_chunks_or_by_its_end() {
        let body = |text: &str, ended| complete_body(text.as_bytes(), ended).unwrap();
        let sized = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n";
        assert_eq!(body("HTTP/1.1 200 OK\r\ncontent", Ended::No), None);
        assert_eq!(body(&format!("{sized}{{"), Ended::No), None);
        assert_eq!(body(&format!("{sized}{{}}"), Ended::No), Some(b"{}".to_vec()));
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x\r\n}\r\n";
        assert_eq!(body(chunked, Ended::No), None);
        assert_eq!(body(&format!("{chunked}0\r\n\r\n"), Ended::No), Some(b"{}".to_vec()));
        assert_eq!(body("HTTP/1.1 200 OK\r\n\r\n{}", Ended::No), None);
        assert_eq!(body("HTTP/1.1 200 OK\r\n\r\n{}", Ended::Yes), Some(b"{}".to_vec()));
    }

    #[test]
    fn an_answer_other_than_200_is_an_error() {
        let error = complete_body(b"HTTP/1.1 404 Not Found\r\n\r\n", Ended::No).unwrap_err();
        assert!(error.contains("404"), "{error}");
    }
}
