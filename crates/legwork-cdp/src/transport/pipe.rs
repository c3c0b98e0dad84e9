//! Two pipes, each message ended by a NUL byte.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};

use super::{Pending, Sink, Source, Transport};

/// What a pipe holds at most, so one read can empty it.
const READ: usize = 64 * 1024;
/// A buffer that a large message has blown up beyond this is not kept.
const KEPT: usize = 1024 * 1024;

pub(super) fn open(write: OwnedFd, read: OwnedFd) -> io::Result<Transport> {
    let sink = PipeSink { pipe: Sender::from_owned_fd(write)?, buffer: Vec::new() };
    let pipe = BufReader::with_capacity(READ, Receiver::from_owned_fd(read)?);
    let source = PipeSource { pipe, message: Vec::new() };
    Ok(Transport { sink: Box::new(sink), source: Box::new(source) })
}

struct PipeSink {
    pipe: Sender,
    buffer: Vec<u8>,
}

impl Sink for PipeSink {
    fn write<'a>(&'a mut self, messages: &'a mut Vec<String>) -> Pending<'a, ()> {
        Box::pin(async move {
            reset(&mut self.buffer);
            for message in messages {
                self.buffer.extend_from_slice(message.as_bytes());
                self.buffer.push(0);
            }
            self.pipe.write_all(&self.buffer).await
        })
    }
}

struct PipeSource {
    pipe: BufReader<Receiver>,
    message: Vec<u8>,
}

impl Source for PipeSource {
    fn next(&mut self) -> Pending<'_, Option<&[u8]>> {
        Box::pin(async move {
            reset(&mut self.message);
            self.pipe.read_until(0, &mut self.message).await?;
            // Without its NUL it is the start of a message that the peer did not live to finish.
            Ok(self.message.strip_suffix(&[0]))
        })
    }
}

fn reset(buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.shrink_to(KEPT);
}
