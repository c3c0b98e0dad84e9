//! Passes bodies and answers on, byte for byte, and knows where they end.

use std::io;

use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::proxy::read_head;
use super::request::{self, Framing, Plain};

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// All of it was passed on and another may follow on the same connection.
    Whole,
    /// The connection is another protocol's now.
    Upgraded,
    /// The connection is used up.
    Closed,
}

/// The longest line that tells the size of a chunk, and the longest trailer.
const LONGEST_LINE: u64 = 16 * 1024;

/// Sends a request and passes its answer on. A server may answer before it has read everything; then the
/// rest is not sent and the connection is used up.
pub(super) async fn both<R: AsyncBufRead + Unpin>(
    upload: impl Future<Output = io::Result<R>>,
    answer: impl Future<Output = io::Result<Ended>>,
) -> io::Result<Ended> {
    tokio::pin!(upload, answer);
    let uploaded = tokio::select! {
        biased;
        uploaded = &mut upload => uploaded,
        answered = &mut answer => return answered.map(|_| Ended::Closed),
    };
    match uploaded {
        Ok(mut client) => tokio::select! {
            biased;
            answered = answer => answered,
            error = left(&mut client) => Err(error),
        },
        // A server that stops reading may have answered why.
        Err(_) => answer.await.map(|_| Ended::Closed),
    }
}

/// Waits until a client that has nothing more to send goes away.
async fn left(client: &mut (impl AsyncBufRead + Unpin)) -> io::Error {
    match client.fill_buf().await {
        Ok([]) => io::ErrorKind::ConnectionAborted.into(),
        Ok(_) => std::future::pending().await,
        Err(error) => error,
    }
}

/// Passes an answer on, with the informational ones before it.
pub(super) async fn answer(
    from: &mut BufReader<OwnedReadHalf>,
    to: &mut OwnedWriteHalf,
    plain: &Plain,
) -> io::Result<Ended> {
    loop {
        let head = read_head(from).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let Some(answer) = request::answer(&head, &plain.method) else {
            to.write_all(&head).await?;
            body(from, to, Framing::UntilClose).await?;
            return Ok(Ended::Closed);
        };
        match answer.status {
            101 if plain.upgrade => {
                to.write_all(&head).await?;
                return Ok(Ended::Upgraded);
            }
            // Taken for ours, this would make the browser show what it keeps for proxies it trusts.
            407 => return Err(io::Error::other("a server that speaks as the proxy")),
            101 => return Err(io::Error::other("another protocol, unasked")),
            100..=199 => to.write_all(&head).await?,
            _ => {
                to.write_all(&head).await?;
                body(from, to, answer.body).await?;
                return Ok(if answer.keep { Ended::Whole } else { Ended::Closed });
            }
        }
    }
}

/// Passes a body on to its end.
pub(super) async fn body<R, W>(from: &mut R, to: &mut W, framing: Framing) -> io::Result<()>
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    match framing {
        Framing::Empty => Ok(()),
        Framing::Length(length) => exactly(from, to, length).await,
        Framing::Chunked => chunks(from, to).await,
        Framing::UntilClose => tokio::io::copy_buf(from, to).await.map(|_| ()),
    }
}

async fn exactly<R, W>(from: &mut R, to: &mut W, length: u64) -> io::Result<()>
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let passed = tokio::io::copy_buf(&mut from.take(length), to).await?;
    if passed == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

async fn chunks<R, W>(from: &mut R, to: &mut W) -> io::Result<()>
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    loop {
        let line = line(from, to).await?;
        let size = chunk_size(&line).ok_or_else(|| io::Error::other("a chunk without a size"))?;
        if size == 0 {
            break;
        }
        exactly(from, to, size).await?;
        if self::line(from, to).await? != b"\r\n" {
            return Err(io::Error::other("a chunk longer than its size"));
        }
    }
    // Trailers, up to the empty line.
    while line(from, to).await? != b"\r\n" {}
    Ok(())
}

/// Passes a line on and gives it.
async fn line<R, W>(from: &mut R, to: &mut W) -> io::Result<Vec<u8>>
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut line = Vec::new();
    from.take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
    if !line.ends_with(b"\r\n") {
        return Err(io::Error::other("a line without end"));
    }
    to.write_all(&line).await?;
    Ok(line)
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| matches!(byte, b';' | b' ' | b'\t' | b'\r')).next()?;
    let hexadecimal = (1..=15).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| hexadecimal)?;
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn passed(bytes: &[u8], framing: Framing) -> (bool, Vec<u8>, Vec<u8>) {
        let (mut from, mut to) = (bytes, Vec::new());
        let whole = body(&mut from, &mut to, framing).await.is_ok();
        (whole, to, from.to_vec())
    }

    #[tokio::test]
    async fn a_body_is_passed_on_to_its_end_and_no_further() {
        let chunked = b"5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\nGET http://next";
        let (whole, to, left) = passed(chunked, Framing::Chunked).await;
        assert!(whole && to == chunked[..chunked.len() - 15] && left == b"GET http://next");
        let (whole, to, left) = passed(b"helloGET", Framing::Length(5)).await;
        assert!(whole && to == b"hello" && left == b"GET");
    }

    #[tokio::test]
    async fn a_body_that_does_not_keep_to_its_framing_ends_the_connection() {
        for broken in [
            &b"5\r\nhel"[..],
            b"5\r\nhello!\r\n0\r\n\r\n",
            b"-5\r\nhello\r\n0\r\n\r\n",
            b"0x5\r\nhello\r\n0\r\n\r\n",
            b"\r\n",
            b"5\nhello\n0\n\n",
            b"fffffffffffffffff\r\n",
        ] {
            assert!(!passed(broken, Framing::Chunked).await.0, "{broken:?}");
        }
        assert!(!passed(b"hel", Framing::Length(5)).await.0);
    }
}
