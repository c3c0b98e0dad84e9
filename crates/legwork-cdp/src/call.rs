//! The answer to come of one command, with its deadline.

use std::borrow::Cow;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep};

use crate::connection::Core;
use crate::error::Error;

/// How long a command may take unless the caller says otherwise.
const DEADLINE: Duration = Duration::from_secs(30);

/// What a command's answer is handed over as, before it has a type.
pub(crate) type Outcome = Result<Box<RawValue>, Error>;

/// The answer to a command that was sent already.
///
/// It ends at its deadline at the latest: 30 seconds after sending, or as [`Call::within`] says.
/// Dropping it gives up the answer, not the command.
#[must_use = "the command is sent, but its answer is only seen when this is awaited"]
pub struct Call<T> {
    method: Cow<'static, str>,
    sent: Instant,
    deadline: Duration,
    // Made at the first poll, because commands may be sent outside the runtime.
    alarm: Option<Pin<Box<Sleep>>>,
    answer: Answer,
    reply: PhantomData<fn() -> T>,
}

enum Answer {
    Failed(Error),
    Pending { core: Arc<Core>, id: u64, receiver: oneshot::Receiver<Outcome> },
    Taken,
}

impl<T> Call<T> {
    pub(crate) fn pending(
        method: Cow<'static, str>,
        core: Arc<Core>,
        id: u64,
        receiver: oneshot::Receiver<Outcome>,
    ) -> Call<T> {
        Call::new(method, Answer::Pending { core, id, receiver })
    }

    pub(crate) fn failed(method: Cow<'static, str>, error: Error) -> Call<T> {
        Call::new(method, Answer::Failed(error))
    }

    fn new(method: Cow<'static, str>, answer: Answer) -> Call<T> {
        let sent = Instant::now();
        Call { method, sent, deadline: DEADLINE, alarm: None, answer, reply: PhantomData }
    }

    /// Sets another deadline, counted from when the command was sent.
    pub fn within(mut self, deadline: Duration) -> Call<T> {
        self.deadline = deadline;
        self.alarm = None;
        self
    }

    fn poll_outcome(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        let receiver = match &mut self.answer {
            Answer::Pending { receiver, .. } => receiver,
            Answer::Failed(error) => return Poll::Ready(Err(error.clone())),
            Answer::Taken => panic!("a Call was polled after it had answered"),
        };
        if let Poll::Ready(received) = Pin::new(receiver).poll(context) {
            return Poll::Ready(received.unwrap_or_else(|_| Err(self.unanswered())));
        }
        let (sent, deadline) = (self.sent, self.deadline);
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(sent, deadline)));
        std::task::ready!(alarm.as_mut().poll(context));
        Poll::Ready(Err(Error::Timeout { method: self.method.to_string(), after: deadline }))
    }

    /// The error for a pending entry that was dropped without an answer.
    fn unanswered(&self) -> Error {
        let message = "its answer was dropped".to_owned();
        Error::BadReply { method: self.method.to_string(), message }
    }

    fn forget(&mut self) {
        if let Answer::Pending { core, id, .. } = std::mem::replace(&mut self.answer, Answer::Taken)
        {
            core.forget(id);
        }
    }
}

/// Sleeps until the deadline; one beyond the clock's range never comes.
fn sleep_until(sent: Instant, deadline: Duration) -> Sleep {
    const FAR: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
    tokio::time::sleep_until(sent + deadline.min(FAR))
}

impl<T: DeserializeOwned> Future for Call<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = std::task::ready!(self.poll_outcome(context));
        self.forget();
        Poll::Ready(outcome.and_then(|result| {
            serde_json::from_str(result.get()).map_err(|error| Error::BadReply {
                method: self.method.to_string(),
                message: error.to_string(),
            })
        }))
    }
}

impl<T> Drop for Call<T> {
    fn drop(&mut self) {
        self.forget();
    }
}
