//! Where a sidecar comes from: a process of ours, unless the host has its own way.

use std::path::PathBuf;
use std::pin::Pin;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::{Child, Command};

use super::Failure;
use crate::discovery::{self, Found, HostSystem};

/// A sidecar on its way.
pub type Starting<'a> = Pin<Box<dyn Future<Output = Result<Sidecar, Failure>> + Send + 'a>>;

/// Who starts sidecars. A host that has a supervisor of its own implements this.
pub trait SidecarProvider: Send + Sync {
    /// Starts one. Called again when the last one died.
    fn start(&self) -> Starting<'_>;
}

/// A sidecar that was started.
pub struct Sidecar {
    /// Its answers.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// Its requests. It ends when this is closed.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// What runs it. Dropped, it ends the sidecar at once.
    pub running: Box<dyn Running>,
}

/// What runs a sidecar.
pub trait Running: Send {
    /// Waits until a sidecar that was told to end has ended, and ends it by force after a while.
    fn ended(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

impl Sidecar {
    /// A sidecar that somebody else runs.
    pub fn streams(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Sidecar {
        struct Elsewhere;
        impl Running for Elsewhere {
            fn ended(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
                Box::pin(std::future::ready(()))
            }
        }
        let (reader, writer) = (Box::new(reader), Box::new(writer));
        Sidecar { reader, writer, running: Box::new(Elsewhere) }
    }
}

/// Finds the sidecar and starts it as a process. It ends when this process does, however that ends,
/// because its standard input closes then.
#[derive(Debug, Clone, Default)]
pub struct Process {
    /// What to look for.
    pub request: discovery::Request,
    /// More arguments, such as `--max-sessions`.
    pub arguments: Vec<String>,
    /// More environment, such as `LEGWORK_BROWSER`.
    pub environment: Vec<(String, String)>,
    /// Where to run it; where this process runs unless said.
    pub folder: Option<PathBuf>,
}

/// How long a sidecar that was told to end may take to close its browsers.
const PATIENCE: Duration = Duration::from_secs(10);

impl Process {
    /// The sidecar that would be started. Hosts ask this first, and leave the tools out without one.
    pub fn find(&self) -> Result<Found, Failure> {
        Ok(discovery::find(&self.request, &HostSystem)?)
    }

    fn spawn(&self) -> Result<Sidecar, Failure> {
        let found = self.find()?;
        let mut command = Command::new(&found.path);
        command.args(found.arguments()).args(&self.arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // A process tree of its own: an interrupt at the host's terminal is the host's to handle.
        #[cfg(unix)]
        command.process_group(0);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let failed = |error| Failure::Start(format!("{}: {error}", found.path.display()));
        let mut child = command.spawn().map_err(failed)?;
        let (Some(writer), Some(reader)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Start("it has no standard input or output".to_owned()));
        };
        let (reader, writer) = (Box::new(reader), Box::new(writer));
        Ok(Sidecar { reader, writer, running: Box::new(OwnProcess(child)) })
    }
}

impl SidecarProvider for Process {
    fn start(&self) -> Starting<'_> {
        Box::pin(std::future::ready(self.spawn()))
    }
}

struct OwnProcess(Child);

impl Running for OwnProcess {
    fn ended(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            if tokio::time::timeout(PATIENCE, self.0.wait()).await.is_err() {
                let _ = self.0.kill().await;
            }
        })
    }
}
