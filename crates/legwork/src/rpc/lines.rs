//! Lines in and lines out. A line that is too long is skipped and told of; a line is written whole.

use legwork_protocol::rpc::LONGEST_LINE;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

/// The longest line that is read.
pub(super) const LONGEST: usize = LONGEST_LINE;

/// A line that came in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Without its end.
    Whole(Vec<u8>),
    /// More than is read; it was skipped.
    TooLong,
}

/// Reads lines.
pub(super) struct Lines<I> {
    input: BufReader<I>,
    longest: usize,
}

impl<I: AsyncRead + Unpin> Lines<I> {
    pub(super) fn new(input: I) -> Lines<I> {
        Lines { input: BufReader::new(input), longest: LONGEST }
    }

    /// The next line that is not blank, or nothing when the input has ended.
    pub(super) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        let mut line = Vec::new();
        let mut skipping = false;
        loop {
            let chunk = self.input.fill_buf().await?;
            let ended = chunk.is_empty();
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let piece = &chunk[..end.unwrap_or(chunk.len())];
            if line.len() + piece.len() > self.longest {
                skipping = true;
                line = Vec::new();
            }
            if !skipping {
                line.extend_from_slice(piece);
            }
            let used = end.map_or(chunk.len(), |end| end + 1);
            self.input.consume(used);
            let blank = !skipping && line.trim_ascii().is_empty();
            match (ended || end.is_some(), blank) {
                (true, false) if skipping => return Ok(Some(Line::TooLong)),
                (true, false) => return Ok(Some(Line::Whole(line))),
                (true, true) if ended => return Ok(None),
                (true, true) => line.clear(),
                (false, _) => {}
            }
        }
    }
}

/// Writes what is queued, until nothing can be queued any more or nobody reads.
pub(super) async fn write(mut output: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = queue.recv().await {
        let written = async {
            output.write_all(&line).await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "nobody reads the answers");
            return;
        }
    }
    let _ = output.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &[u8]) -> Vec<Line> {
        let mut lines = Lines { input: BufReader::with_capacity(4, text), longest: 8 };
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_come_whole_and_long_ones_are_skipped() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(read(b"").await, []);
        assert_eq!(read(b"\n\r\n  \n").await, []);
        assert_eq!(read(b"one\ntwo").await, [whole("one"), whole("two")]);
        assert_eq!(read(b"12345678\n").await, [whole("12345678")]);
        assert_eq!(
            read(b"a\n123456789\nb\n1234567890123456789").await,
            [whole("a"), Line::TooLong, whole("b"), Line::TooLong]
        );
    }
}
