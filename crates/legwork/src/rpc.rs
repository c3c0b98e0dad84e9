//! JSON-RPC 2.0 over any pair of streams, one object or batch a line: what the sidecar and the daemon
//! speak. Owns the order of things: requests begin in the order they came, answers leave as they are
//! ready, and nothing of a connection outlives it. Never reads a tool's arguments.

mod assistant;
mod connection;
mod lines;
mod methods;
mod sessions;
mod subscription;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use legwork_protocol::ToolHost;
use legwork_protocol::rpc::{Error, Id, Response};
use legwork_tools::Host;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::config::Config;
use connection::Connection;
use lines::{Line, Lines};
pub use methods::named_session;

/// How a connection is served.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The door, as records name it.
    pub door: &'static str,
    /// The session of calls that name none.
    pub session: String,
    /// Closes the sessions that this connection used when it ends.
    pub ends_sessions: bool,
    /// How many sessions the connection may have open at a time.
    pub max_sessions: Option<usize>,
    /// Lets running calls come to their end when the input closes, instead of cancelling them.
    pub drains: bool,
    /// Data of replies keeps to a budget. Whatever runs over there by itself reads all of it.
    pub budget: bool,
    /// What the assistant goes by, at a door that has one.
    pub assistant: Option<Arc<Config>>,
}

impl Default for Serving {
    fn default() -> Self {
        let (door, session) = ("cli", "default".to_owned());
        Serving {
            door,
            session,
            ends_sessions: false,
            max_sessions: None,
            drains: false,
            budget: false,
            assistant: None,
        }
    }
}

/// Lines that wait for a slow reader before calls wait too.
const QUEUE: usize = 64;

/// How long a reader that does not read is waited for at the end.
const FLUSH: Duration = Duration::from_secs(5);

/// Serves until the input ends or nobody reads the output.
pub async fn serve<I, O>(host: Host, input: I, output: O, serving: Serving) -> anyhow::Result<()>
where
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (out, queue) = mpsc::channel(QUEUE);
    let mut writer = JoinSet::new();
    writer.spawn(lines::write(output, queue));
    let connection = Arc::new(Connection::new(host.clone(), serving.clone(), out));
    let mut tasks = JoinSet::new();
    let read = read(&connection, input, &mut tasks).await;
    if serving.drains && read.is_ok() {
        tokio::select! {
            () = connection.nobody_reads() => {}
            () = all_end(&mut tasks) => {}
        }
    }
    connection.cancel_all();
    connection.assistant.end().await;
    let _ = tokio::time::timeout(FLUSH, all_end(&mut tasks)).await;
    tasks.shutdown().await;
    let sessions = connection.sessions.names();
    drop(connection);
    let _ = tokio::time::timeout(FLUSH, all_end(&mut writer)).await;
    if serving.ends_sessions {
        for session in sessions {
            host.end(&session).await;
        }
    }
    read
}

async fn all_end(tasks: &mut JoinSet<()>) {
    while tasks.join_next().await.is_some() {}
}

async fn read(
    connection: &Arc<Connection>,
    input: impl AsyncRead + Unpin,
    tasks: &mut JoinSet<()>,
) -> anyhow::Result<()> {
    let mut lines = Lines::new(input);
    loop {
        let line = tokio::select! {
            line = lines.next() => line.context("the input cannot be read")?,
            () = connection.nobody_reads() => return Ok(()),
        };
        match line {
            Some(Line::Whole(line)) => connection.take(&line, tasks).await,
            Some(Line::TooLong) => {
                let message = format!("this line is longer than {} bytes", lines::LONGEST);
                connection.answer(&Response::failed(Id::Null, Error::parse(message))).await;
            }
            None => return Ok(()),
        }
        while tasks.try_join_next().is_some() {}
    }
}
