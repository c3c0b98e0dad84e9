//! The daemon: holds the sessions of the command line between calls, one for each user and configuration,
//! and ends when nobody has called for a while. It is `rpc::serve` on a private Unix socket; who calls it
//! is in `link`, where it lives is in `place`.

pub mod link;
mod place;

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::Context;
use legwork_tools::Host;
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::approve;
use crate::config::Config;
use crate::rpc::{Serving, serve};

pub use place::{Place, always_file, approvals_folder, private_folder, state_folder};

/// What the daemon writes to standard output once it can be called.
const READY: &str = "ready";

/// Serves on the socket until nobody has called for a while, or a signal asks for the end.
pub async fn run(config: &Config, socket: &Path) -> anyhow::Result<()> {
    // A session of its own: the terminal it was started from may go.
    let _ = rustix::process::setsid();
    place::check_folder_of(socket)?;
    let listener = UnixListener::bind(socket)
        .with_context(|| format!("cannot listen on {}", socket.display()))?;
    let inode = inode(socket);
    std::env::set_current_dir("/").context("cannot leave the folder it was started in")?;
    say_ready();
    tracing::info!(socket = %socket.display(), idle = ?config.daemon_idle(), "listening");
    let host = Host::new(config.settings());
    let _answers = approve::listen(&host);
    let mut connections = JoinSet::new();
    let served = until_idle(config, &listener, &host, &mut connections).await;
    // First nobody can call any more; whoever just did has not been answered, and calls another one.
    if inode.is_some() && self::inode(socket) == inode {
        let _ = std::fs::remove_file(socket);
    }
    drop(listener);
    tracing::info!("closing");
    host.close().await;
    // Connections end last: to who asked for the end, theirs says that nothing is left.
    connections.shutdown().await;
    served
}

async fn until_idle(
    config: &Config,
    listener: &UnixListener,
    host: &Host,
    connections: &mut JoinSet<()>,
) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut last = Instant::now();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted.context("cannot take calls")?;
                connections.spawn(connection(host.clone(), stream));
            }
            Some(_) = connections.join_next() => last = Instant::now(),
            () = tokio::time::sleep_until(last + config.daemon_idle()), if connections.is_empty() => {
                tracing::info!("nobody has called for {:?}", config.daemon_idle());
                return Ok(());
            }
            _ = terminate.recv() => return Ok(()),
            _ = interrupt.recv() => return Ok(()),
            _ = hangup.recv() => {}
        }
    }
}

/// Serves one caller. A caller that goes away cancels its call and leaves the session usable.
async fn connection(host: Host, stream: UnixStream) {
    let ours = rustix::process::geteuid().as_raw();
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == ours => {}
        _ => return tracing::warn!("somebody else called; they get no answer"),
    }
    let (input, output) = stream.into_split();
    if let Err(error) = serve(host, input, output, Serving::default()).await {
        tracing::warn!("a connection ended: {error:#}");
    }
}

fn inode(path: &Path) -> Option<u64> {
    path.symlink_metadata().ok().map(|file| file.ino())
}

/// Whoever started it may be gone already, which is no reason not to run.
fn say_ready() {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{READY}").and_then(|()| out.flush());
}
