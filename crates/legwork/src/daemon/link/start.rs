//! Starting the daemon, by one of all who want it at a time.

use std::fs::File;
use std::process::Stdio;

use legwork_protocol::ToolError;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::super::{Place, READY};
use super::{Listening, PATIENCE, Starting, failed};

/// Starts the daemon, unless somebody else has done so while we waited for our turn.
pub(super) async fn once(place: &Place, starting: &Starting) -> Result<Listening, ToolError> {
    let _turn = turn(place).await?;
    if let Some(listening) = Listening::at(&place.socket).await? {
        return Ok(listening);
    }
    let _ = std::fs::remove_file(&place.socket);
    start(place, starting).await?;
    let listening = Listening::at(&place.socket).await?;
    listening.ok_or_else(|| failed("the daemon ended as soon as it was started"))
}

/// The lock of those who start the daemon. Its holder holds it for as long as a start takes.
async fn turn(place: &Place) -> Result<File, ToolError> {
    let path = place.lock.clone();
    let taken = tokio::task::spawn_blocking(move || {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        file.lock().map(|()| file)
    });
    let taken = tokio::time::timeout(PATIENCE * 2, taken).await;
    let taken =
        taken.map_err(|_| failed("another program is starting the daemon and does not end"))?;
    let taken = taken.map_err(|error| failed(error.to_string()))?;
    taken.map_err(|error| failed(format!("{}: {error}", place.lock.display())))
}

async fn start(place: &Place, starting: &Starting) -> Result<(), ToolError> {
    let see_log = format!("its log is {}", place.log.display());
    let cannot = |error: std::io::Error| failed(format!("the daemon cannot be started: {error}"));
    let log = File::create(&place.log).map_err(cannot)?;
    let program = std::env::current_exe().map_err(cannot)?;
    let mut daemon = Command::new(program)
        .args(["daemon", "run", "--socket"])
        .arg(&place.socket)
        .args(&starting.arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(cannot)?;
    let mut said = String::new();
    if let Some(out) = daemon.stdout.take() {
        let mut out = BufReader::new(out);
        let _ = tokio::time::timeout(PATIENCE, out.read_line(&mut said)).await;
    }
    if said.trim() == READY {
        return Ok(());
    }
    let _ = daemon.start_kill();
    let log = std::fs::read_to_string(&place.log).unwrap_or_default();
    let last = log.lines().last().unwrap_or("it said nothing");
    Err(failed(format!("the daemon did not start: {last}")).with_hint(see_log))
}
