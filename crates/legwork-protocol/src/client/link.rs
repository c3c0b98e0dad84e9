//! One connection to one sidecar: a task that writes, a task that reads, and the calls that wait. Ends
//! for good at the first thing that cannot be read, and every call with it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::{Events, Failure, Running, Sidecar};
use crate::host::Progress;
use crate::rpc::{self, Id, Message, Notification, Params, Request, Response, SessionEvent};

pub(super) type Answer = Result<Value, rpc::Error>;
pub(super) type Listener = Arc<dyn Fn(Progress) + Send + Sync>;

/// A connection. Dropped, it ends its sidecar.
pub(super) struct Link {
    shared: Arc<Shared>,
    ends: Mutex<Option<Ends>>,
}

/// What the connection holds as long as it is wanted.
struct Ends {
    out: mpsc::UnboundedSender<Vec<u8>>,
    tasks: JoinSet<()>,
    running: Box<dyn Running>,
}

struct Shared {
    waiting: Mutex<Waiting>,
    events: Option<Events>,
}

#[derive(Default)]
struct Waiting {
    asked: u64,
    calls: HashMap<u64, Call>,
    ended: Option<Failure>,
}

struct Call {
    answer: oneshot::Sender<Result<Answer, Failure>>,
    listener: Option<Listener>,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the connection: what waits has no answer any more. The first reason stays.
    fn end(&self, why: Failure) {
        let mut waiting = self.waiting();
        let why = waiting.ended.get_or_insert(why).clone();
        for (_, call) in waiting.calls.drain() {
            let _ = call.answer.send(Err(why.clone()));
        }
    }
}

impl Link {
    pub(super) fn new(sidecar: Sidecar, events: Option<Events>) -> Link {
        let Sidecar { reader, writer, running } = sidecar;
        let shared = Arc::new(Shared { waiting: Mutex::default(), events });
        let (out, queue) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        tasks.spawn(read(reader, shared.clone()));
        tasks.spawn(write(writer, queue, shared.clone()));
        Link { shared, ends: Mutex::new(Some(Ends { out, tasks, running })) }
    }

    fn ends(&self) -> MutexGuard<'_, Option<Ends>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_open(&self) -> bool {
        self.shared.waiting().ended.is_none()
    }

    /// Why it is not open.
    pub(super) fn why(&self) -> Failure {
        self.shared.waiting().ended.clone().unwrap_or_else(Failure::ended)
    }

    /// Asks and waits for the answer. Dropped before, it cancels the request.
    pub(super) async fn ask(
        &self,
        method: &str,
        mut params: Map<String, Value>,
        listener: Option<Listener>,
    ) -> Result<Answer, Failure> {
        if listener.is_some() {
            params.insert("progress".to_owned(), true.into());
        }
        let (answer, answered) = oneshot::channel();
        let number = {
            let mut waiting = self.shared.waiting();
            if let Some(why) = &waiting.ended {
                return Err(why.clone());
            }
            waiting.asked += 1;
            let number = waiting.asked;
            waiting.calls.insert(number, Call { answer, listener });
            number
        };
        let _asked = Asked { link: self, number };
        self.send(Some(number), method, params);
        answered.await.unwrap_or_else(|_| Err(self.why()))
    }

    fn send(&self, number: Option<u64>, method: &str, params: Map<String, Value>) {
        let (id, method) = (number.map(Id::from), method.to_owned());
        let request = Request { id, method, params: Params::Named(params) };
        if let Ok(mut line) = serde_json::to_vec(&request) {
            line.push(b'\n');
            // A writer that is gone has ended the connection, and every call with it.
            let _ = self.ends().as_ref().map(|ends| ends.out.send(line));
        }
    }

    /// Closes the sidecar's input and waits until it has ended.
    pub(super) async fn stop(&self) {
        self.shared.end(Failure::Died("it was stopped".to_owned()));
        let ends = self.ends().take();
        if let Some(Ends { out, tasks, running }) = ends {
            // The writer closes the sidecar's input when nothing can be queued any more.
            drop(out);
            running.ended().await;
            drop(tasks);
        }
    }
}

/// A request that was asked; dropped without its answer, nobody wants it any more.
struct Asked<'a> {
    link: &'a Link,
    number: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let unanswered = self.link.shared.waiting().calls.remove(&self.number).is_some();
        if unanswered {
            let id = Map::from_iter([("id".to_owned(), self.number.into())]);
            self.link.send(None, "$/cancelRequest", id);
        }
    }
}

async fn write(
    mut writer: Box<dyn AsyncWrite + Send + Unpin>,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
    shared: Arc<Shared>,
) {
    while let Some(line) = queue.recv().await {
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            return shared.end(Failure::Died(error.to_string()));
        }
    }
    let _ = writer.shutdown().await;
}

async fn read(reader: Box<dyn AsyncRead + Send + Unpin>, shared: Arc<Shared>) {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        let ended = match reader.read_until(b'\n', &mut line).await {
            Ok(0) => Some(Failure::Died("its output is closed".to_owned())),
            Ok(_) => take(&line, &shared).err().map(Failure::Malformed),
            Err(error) => Some(Failure::Died(error.to_string())),
        };
        if let Some(why) = ended {
            return shared.end(why);
        }
    }
}

/// Hands a line to whom it is for.
fn take(line: &[u8], shared: &Shared) -> Result<(), String> {
    if line.trim_ascii().is_empty() {
        return Ok(());
    }
    match Message::read(line)? {
        Message::Response(response) => answer(response, shared),
        Message::Batch(list) => list.into_iter().try_for_each(|one| answer(one, shared)),
        Message::Notification(news) => {
            tell(news, shared);
            Ok(())
        }
    }
}

fn answer(response: Response, shared: &Shared) -> Result<(), String> {
    let Id::Number(number) = &response.id else {
        let told = response.outcome.err().map(|error| error.message).unwrap_or_default();
        return Err(format!("it answers {}, which was not asked: {told}", response.id));
    };
    let mut waiting = shared.waiting();
    let number = number.as_u64().filter(|number| *number <= waiting.asked);
    let number =
        number.ok_or_else(|| format!("it answers {}, which was not asked", response.id))?;
    // An answer to what was given up meanwhile is nobody's.
    if let Some(call) = waiting.calls.remove(&number) {
        let _ = call.answer.send(Ok(response.outcome));
    }
    Ok(())
}

/// News of a call are told to it, news of the browser to whoever wants them; others are ignored.
fn tell(news: Notification, shared: &Shared) {
    match news.method.as_str() {
        "$/progress" => progress(news, shared),
        SessionEvent::METHOD => {
            if let Some(listener) = &shared.events
                && let Ok(event) = serde_json::from_value(news.params)
            {
                listener(&event);
            }
        }
        _ => {}
    }
}

/// The call that it is about has the token as its id.
fn progress(news: Notification, shared: &Shared) {
    #[derive(Deserialize)]
    struct Told {
        token: u64,
        value: Step,
    }
    #[derive(Deserialize)]
    struct Step {
        done: u64,
        total: Option<u64>,
        message: String,
    }
    let Ok(Told { token, value }) = serde_json::from_value(news.params) else { return };
    let listener = shared.waiting().calls.get(&token).and_then(|call| call.listener.clone());
    if let Some(listener) = listener {
        listener(Progress { done: value.done, total: value.total, message: value.message });
    }
}
