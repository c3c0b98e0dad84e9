//! One connection: which requests are running, how they are cancelled, and where answers go.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use legwork_protocol::rpc::{
    self, Error, Id, Incoming, Notification, Request, Response, Subscribe,
};
use legwork_protocol::{Code, ToolError};
use legwork_tools::Host;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::Serving;
use super::assistant::Voice;
use super::methods;
use super::sessions::Sessions;
use super::subscription::Subscription;

/// Requests that may run at a time: who asks for more has lost count.
const MOST: usize = 1024;

pub(super) struct Connection {
    pub(super) host: Host,
    pub(super) serving: Serving,
    pub(super) sessions: Sessions,
    pub(super) assistant: Voice,
    subscription: Subscription,
    out: mpsc::Sender<Vec<u8>>,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    began: u64,
    calls: HashMap<u64, (Option<Id>, oneshot::Sender<()>)>,
}

/// A request on its way to an answer; a notification has none.
type Answering = Pin<Box<dyn Future<Output = Option<Response>> + Send>>;

impl Connection {
    pub(super) fn new(host: Host, serving: Serving, out: mpsc::Sender<Vec<u8>>) -> Connection {
        let sessions = Sessions::new(serving.max_sessions);
        let (assistant, subscription, running) = Default::default();
        Connection { host, serving, sessions, assistant, subscription, out, running }
    }

    /// Where lines are queued.
    pub(super) fn out(&self) -> mpsc::Sender<Vec<u8>> {
        self.out.clone()
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends when the other side has stopped listening.
    pub(super) async fn nobody_reads(&self) {
        self.out.closed().await;
    }

    /// Queues a line. A writer that is gone is noticed by the reader, which ends the connection.
    pub(super) async fn answer(&self, answer: &impl Serialize) {
        if let Ok(line) = line(answer) {
            let _ = self.out.send(line).await;
        }
    }

    /// Queues news, or drops it where the reader is slow: calls do not wait for who follows them.
    pub(super) fn notify(&self, method: &str, params: Value) {
        if let Ok(line) = line(&Notification { method: method.to_owned(), params }) {
            let _ = self.out.try_send(line);
        }
    }

    /// Tells what happens in the browser, in one session or in all. Gives the kinds that are told.
    pub(super) fn subscribe(
        &self,
        wanted: Subscribe,
        session: Option<String>,
    ) -> Result<Vec<String>, ToolError> {
        self.subscription.begin(&self.host, wanted, session, self.out.clone())
    }

    pub(super) fn unsubscribe(&self) {
        self.subscription.end();
    }

    /// Reads a line and begins what it asks for.
    pub(super) async fn take(self: &Arc<Self>, line: &[u8], tasks: &mut JoinSet<()>) {
        match rpc::read(line) {
            Incoming::One(Err(refused)) => self.answer(&refused).await,
            Incoming::One(Ok(request)) => self.one(request, tasks).await,
            Incoming::Batch(list) => self.batch(list, tasks).await,
        }
    }

    async fn one(self: &Arc<Self>, request: Request, tasks: &mut JoinSet<()>) {
        let mut call = self.begin(request);
        match first_poll(&mut call).await {
            Poll::Ready(Some(answer)) => self.answer(&answer).await,
            Poll::Ready(None) => {}
            Poll::Pending => {
                let connection = self.clone();
                tasks.spawn(async move {
                    if let Some(answer) = call.await {
                        connection.answer(&answer).await;
                    }
                });
            }
        }
    }

    /// The requests of a batch run side by side; their answers leave together.
    async fn batch(
        self: &Arc<Self>,
        list: Vec<Result<Request, Response>>,
        tasks: &mut JoinSet<()>,
    ) {
        let mut answers = Vec::new();
        let mut pending = JoinSet::new();
        for read in list {
            let mut call = match read {
                Ok(request) => self.begin(request),
                Err(refused) => {
                    answers.push(refused);
                    continue;
                }
            };
            match first_poll(&mut call).await {
                Poll::Ready(answer) => answers.extend(answer),
                Poll::Pending => drop(pending.spawn(call)),
            }
        }
        let connection = self.clone();
        tasks.spawn(async move {
            while let Some(ended) = pending.join_next().await {
                answers.extend(ended.ok().flatten());
            }
            if !answers.is_empty() {
                connection.answer(&answers).await;
            }
        });
    }

    /// A request as a future that can be cancelled by its id from now on.
    fn begin(self: &Arc<Self>, request: Request) -> Answering {
        let Some((registered, cancelled)) = self.register(request.id.clone()) else {
            let error = ToolError::new(Code::Denied, format!("{MOST} requests are running"))
                .with_hint("wait for answers before asking for more");
            let refused = request.id.map(|id| Response::failed(id, error.into()));
            return Box::pin(std::future::ready(refused));
        };
        let connection = self.clone();
        Box::pin(async move {
            let _registered = registered;
            let Request { id, method, params } = request;
            let answer = caught(methods::answer(&connection, id.as_ref(), &method, params));
            let outcome = tokio::select! {
                biased;
                _ = cancelled => Err(ToolError::new(Code::Cancelled, "the call was cancelled")),
                outcome = answer => outcome,
            };
            Some(Response { id: id?, outcome: outcome.map_err(Error::from) })
        })
    }

    fn register(self: &Arc<Self>, id: Option<Id>) -> Option<(Registered, oneshot::Receiver<()>)> {
        let (cancel, cancelled) = oneshot::channel();
        let mut running = self.running();
        if running.calls.len() >= MOST {
            return None;
        }
        running.began += 1;
        let number = running.began;
        running.calls.insert(number, (id, cancel));
        Some((Registered { connection: self.clone(), number }, cancelled))
    }

    /// Cancels the request of that id; one that has ended already is none.
    pub(super) fn cancel(&self, id: &Id) {
        self.running().calls.retain(|_, (running, _)| running.as_ref() != Some(id));
    }

    /// Cancels every request, also those that nobody waits for.
    pub(super) fn cancel_all(&self) {
        self.running().calls.clear();
    }
}

/// A request in the list of those that run. Taken off the list, it is cancelled.
struct Registered {
    connection: Arc<Connection>,
    number: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.connection.running().calls.remove(&self.number);
    }
}

/// Brings a call to its first wait before the next line is read: so calls of one session take their
/// turns in the order in which they came.
async fn first_poll(call: &mut Answering) -> Poll<Option<Response>> {
    std::future::poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await
}

/// A defect in one call is an answer to that call, and nothing to the others.
async fn caught(
    answer: impl Future<Output = Result<Value, ToolError>>,
) -> Result<Value, ToolError> {
    let mut answer = std::pin::pin!(answer);
    std::future::poll_fn(|context| {
        let poll = AssertUnwindSafe(|| answer.as_mut().poll(context));
        std::panic::catch_unwind(poll).unwrap_or_else(|_| {
            let error = ToolError::new(Code::Internal, "a defect in legwork ended this call");
            Poll::Ready(Err(error.with_hint("what went wrong is on the standard error output")))
        })
    })
    .await
}

pub(super) fn line(message: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)
        .inspect_err(|error| tracing::error!(%error, "a message cannot be written"))?;
    line.push(b'\n');
    Ok(line)
}
