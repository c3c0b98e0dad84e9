//! A request to a collector in plain HTTP, one connection each. It is made on the exporter's own thread,
//! which may wait; it brings no client, no async runtime and no TLS.

use std::io::{BufRead, BufReader, Error, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::pin::Pin;
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};

/// How long a collector may take for each step.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Plain;

type Sending<'a> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'a>>;

impl HttpClient for Plain {
    fn send_bytes<'a, 'b>(&'a self, request: Request<Bytes>) -> Sending<'b>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(std::future::ready(send(&request)))
    }
}

fn send(request: &Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let to = request.uri();
    let host = to.host().ok_or_else(|| Error::other("the address has no host"))?;
    if to.scheme_str() != Some("http") {
        return Err(Error::other("only http:// is spoken; put a collector on this machine").into());
    }
    let port = to.port_u16().unwrap_or(80);
    let mut stream = connect(host.trim_matches(['[', ']']), port)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let path = to.path_and_query().map_or("/", |path| path.as_str());
    let mut head = format!("{} {path} HTTP/1.1\r\n", request.method()).into_bytes();
    head.extend(format!("Host: {host}:{port}\r\nConnection: close\r\n").bytes());
    head.extend(format!("Content-Length: {}\r\n", request.body().len()).bytes());
    for (name, value) in request.headers().iter().filter(|(name, _)| *name != "content-length") {
        head.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    stream.write_all(&[&head, &b"\r\n"[..], request.body()].concat())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok());
    let status = status.ok_or_else(|| Error::other(format!("no HTTP answer: {line:?}")))?;
    // What a collector says beside its status is of no use to us.
    Ok(Response::builder().status(status).body(Bytes::new())?)
}

fn connect(host: &str, port: u16) -> std::io::Result<TcpStream> {
    let mut last = Error::other(format!("{host} has no address"));
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
