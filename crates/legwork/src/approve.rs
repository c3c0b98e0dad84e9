//! Where questions are answered from outside, and what runs is seen and stopped. Each process that runs tools
//! listens on a socket of its own, in a folder that only its user can enter; `legwork approve`, `status` and
//! `stop --all` look at all of them. No tool and no door for tools leads here.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use legwork_protocol::client::Session;
use legwork_protocol::{Answer, Question, ToolError};
use legwork_tools::{Host, SessionInfo};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

use crate::daemon::approvals_folder;
use crate::daemon::link::Blocked;

/// How long a process may take to say what it holds. One that was halted never does.
const PATIENCE: Duration = Duration::from_secs(5);

/// What somebody who answers says, one object a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    /// Looks, and is told of every change; of one session, or of all.
    Attend {
        session: Option<String>,
    },
    /// Looks once.
    List {},
    Answer {
        id: String,
        answer: Answer,
    },
    /// Asks which sessions are open.
    Sessions {},
    /// Asks what was not let through.
    Blocked {},
    /// Stops whatever runs in every session.
    Stop {},
}

/// What they are told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Told {
    Questions(Vec<Question>),
    Answered(Question),
    Error(ToolError),
    Sessions(Vec<Session>),
    Blocked(Vec<Blocked>),
    Stopped(usize),
}

/// Listens until it is dropped.
pub struct Listening {
    socket: PathBuf,
    task: JoinHandle<()>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Lets people answer what this process asks. Without it nobody can, which is said and is no reason to
/// stop: what has to be asked is then refused.
pub fn listen(host: &Host) -> Option<Listening> {
    let own = host.clone();
    listen_and(host, Arc::new(move || own.stop(None)))
}

/// The same for a command that is one errand, of more than the calls that run: it is told to stop as a whole.
pub fn listen_for(host: &Host, stopped: &Arc<Notify>) -> Option<Listening> {
    let stopped = stopped.clone();
    let stop = move || {
        stopped.notify_one();
        1
    };
    listen_and(host, Arc::new(stop))
}

/// Stops what this process does, and says how much that was.
type Stop = Arc<dyn Fn() -> usize + Send + Sync>;

fn listen_and(host: &Host, stop: Stop) -> Option<Listening> {
    let opened = open(host.clone(), stop);
    opened.inspect_err(|error| tracing::warn!("nobody can approve from outside: {error:#}")).ok()
}

/// Until this command is to end: an interrupt came, or somebody stops all that runs.
pub async fn until_stopped(host: &Host) {
    let stopped = Arc::default();
    let _answers = listen_for(host, &stopped);
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = stopped.notified() => {}
    }
}

fn open(host: Host, stop: Stop) -> anyhow::Result<Listening> {
    let socket = approvals_folder()?.join(format!("{}.sock", std::process::id()));
    let _ = std::fs::remove_file(&socket);
    let listener = UnixListener::bind(&socket).context("cannot listen for answers")?;
    let task = tokio::spawn(async move {
        // Whoever is being served ends with the listening.
        let mut served = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            served.spawn(serve(host.clone(), stop.clone(), stream));
            while served.try_join_next().is_some() {}
        }
    });
    Ok(Listening { socket, task })
}

/// Serves one who answers, until they hang up or say what cannot be understood.
async fn serve(host: Host, stop: Stop, stream: UnixStream) {
    let approvals = host.approvals();
    let ours = rustix::process::geteuid().as_raw();
    if !stream.peer_cred().is_ok_and(|peer| peer.uid() == ours) {
        return tracing::warn!("somebody else wanted to answer questions");
    }
    let (input, mut output) = stream.into_split();
    let mut lines = BufReader::new(input).lines();
    let mut changes = approvals.changes();
    let mut attending = None;
    loop {
        let told = tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                let Ok(said) = serde_json::from_str::<Said>(&line) else { return };
                match said {
                    Said::List {} => Told::Questions(approvals.pending()),
                    Said::Attend { session } => {
                        attending = Some(approvals.attend(session));
                        Told::Questions(approvals.pending())
                    }
                    Said::Answer { id, answer } => match approvals.answer(&id, answer) {
                        Ok(question) => Told::Answered(question),
                        Err(error) => Told::Error(error),
                    },
                    Said::Sessions {} => Told::Sessions(sessions(&host).await),
                    Said::Blocked {} => Told::Blocked(blocked(&host)),
                    Said::Stop {} => Told::Stopped(stop()),
                }
            }
            Ok(()) = changes.changed(), if attending.is_some() => Told::Questions(approvals.pending()),
        };
        if send(&mut output, &told).await.is_err() {
            return;
        }
    }
}

async fn sessions(host: &Host) -> Vec<Session> {
    let told = |session: SessionInfo| {
        let SessionInfo { name, url, tabs, guard, headless } = session;
        Session { session_id: name, url, tabs, guard: Some(guard), headless }
    };
    host.sessions().await.into_iter().map(told).collect()
}

fn blocked(host: &Host) -> Vec<Blocked> {
    let told = |one: legwork_tools::engine::Blocked| {
        let legwork_tools::engine::Blocked { host, kind, page, rule, .. } = one;
        Blocked { host, kind, page, rule }
    };
    host.blocked().into_iter().map(told).collect()
}

async fn send(output: &mut OwnedWriteHalf, message: &impl Serialize) -> anyhow::Result<()> {
    let line = serde_json::to_string(message)? + "\n";
    Ok(output.write_all(line.as_bytes()).await?)
}

/// A process that runs tools, seen from outside.
pub struct Asker {
    /// Its number.
    pub process: Option<u32>,
    lines: Lines<BufReader<OwnedReadHalf>>,
    output: OwnedWriteHalf,
}

impl Asker {
    /// Every process of this user that runs tools now.
    pub async fn all() -> anyhow::Result<Vec<Asker>> {
        let folder = approvals_folder()?;
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut askers = Vec::new();
        for socket in entries.flatten().map(|entry| entry.path()) {
            match UnixStream::connect(&socket).await {
                Ok(stream) => {
                    let (input, output) = stream.into_split();
                    let process = socket.file_stem().and_then(|name| name.to_str()?.parse().ok());
                    askers.push(Asker { process, lines: BufReader::new(input).lines(), output });
                }
                // Its process was killed.
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                    let _ = std::fs::remove_file(&socket);
                }
                Err(error) => tracing::debug!("{}: {error}", socket.display()),
            }
        }
        Ok(askers)
    }

    /// The same without the daemon, which is asked by its own socket.
    pub async fn but(daemon: Option<i32>) -> anyhow::Result<Vec<Asker>> {
        let daemon = daemon.and_then(|process| u32::try_from(process).ok());
        let mut askers = Asker::all().await?;
        askers.retain(|one| one.process.is_none() || one.process != daemon);
        Ok(askers)
    }

    /// What waits for an answer there now.
    pub async fn pending(&mut self) -> anyhow::Result<Vec<Question>> {
        send(&mut self.output, &Said::List {}).await?;
        self.questions().await
    }

    /// Looks from now on; what waits already.
    pub async fn attend(&mut self, session: Option<String>) -> anyhow::Result<Vec<Question>> {
        send(&mut self.output, &Said::Attend { session }).await?;
        self.questions().await
    }

    /// What waits for an answer, as soon as that is told.
    pub async fn questions(&mut self) -> anyhow::Result<Vec<Question>> {
        loop {
            if let Told::Questions(questions) = self.told().await? {
                return Ok(questions);
            }
        }
    }

    /// Answers a question.
    pub async fn answer(&mut self, id: &str, answer: Answer) -> anyhow::Result<Question> {
        send(&mut self.output, &Said::Answer { id: id.to_owned(), answer }).await?;
        loop {
            match self.told().await? {
                Told::Answered(question) => return Ok(question),
                Told::Error(error) => return Err(error.into()),
                _ => {}
            }
        }
    }

    /// The sessions that are open there.
    pub async fn sessions(&mut self) -> anyhow::Result<Vec<Session>> {
        let read = |told| if let Told::Sessions(sessions) = told { Some(sessions) } else { None };
        self.ask(&Said::Sessions {}, read).await
    }

    /// What was not let through there.
    pub async fn blocked(&mut self) -> anyhow::Result<Vec<Blocked>> {
        let read = |told| if let Told::Blocked(blocked) = told { Some(blocked) } else { None };
        self.ask(&Said::Blocked {}, read).await
    }

    /// Stops whatever runs there; how many calls that were.
    pub async fn stop(&mut self) -> anyhow::Result<usize> {
        let read = |told| if let Told::Stopped(stopped) = told { Some(stopped) } else { None };
        self.ask(&Said::Stop {}, read).await
    }

    async fn ask<T>(&mut self, said: &Said, read: fn(Told) -> Option<T>) -> anyhow::Result<T> {
        let answered = async {
            send(&mut self.output, said).await?;
            loop {
                if let Some(answer) = read(self.told().await?) {
                    return Ok(answer);
                }
            }
        };
        tokio::time::timeout(PATIENCE, answered).await.context("the process does not answer")?
    }

    async fn told(&mut self) -> anyhow::Result<Told> {
        let line = self.lines.next_line().await?.context("the process that asked has ended")?;
        serde_json::from_str(&line).context("the process that asked is of another version")
    }
}
