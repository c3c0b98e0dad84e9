//! What runs tell, for watchers that come late or read slowly: each begins with the runs under way as they
//! are, and is told how much it missed. A state is whole, so that then it knows as much as the others.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_agent::run::Assistant;
use legwork_protocol::assistant::{Message, Payload};
use legwork_protocol::{Code, ToolError};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::task::JoinHandle;

type Latest = Arc<Mutex<BTreeMap<String, Message>>>;

/// Remembers how the runs of an assistant are going, for as long as it is kept.
pub struct Feeds {
    assistant: Arc<Assistant>,
    latest: Latest,
    task: JoinHandle<()>,
}

impl Drop for Feeds {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Feeds {
    /// Listens from now on.
    pub fn new(assistant: Arc<Assistant>) -> Feeds {
        let latest = Latest::default();
        let task = tokio::spawn(remember(assistant.subscribe(), latest.clone()));
        Feeds { assistant, latest, task }
    }

    /// For another watcher.
    pub fn watch(&self) -> Feed {
        let told = self.assistant.subscribe();
        let first = under_way(&self.latest);
        Feed { told, first, latest: self.latest.clone() }
    }
}

async fn remember(mut told: Receiver<Message>, latest: Latest) {
    loop {
        match told.recv().await {
            Ok(message) => note(&latest, message),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

fn locked(latest: &Latest) -> MutexGuard<'_, BTreeMap<String, Message>> {
    latest.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note(latest: &Latest, message: Message) {
    let Payload::StateUpdate(update) = &message.payload else { return };
    let (run, over) = (update.run_id.clone(), update.status.is_final());
    match over {
        true => drop(locked(latest).remove(&run)),
        false => drop(locked(latest).insert(run, message)),
    }
}

fn under_way(latest: &Latest) -> VecDeque<Message> {
    locked(latest).values().cloned().collect()
}

/// What one watcher is told.
pub struct Feed {
    told: Receiver<Message>,
    first: VecDeque<Message>,
    latest: Latest,
}

impl Feed {
    /// The next message; nothing when the assistant has gone. It may be given up and asked for again.
    pub async fn next(&mut self) -> Option<Message> {
        if let Some(message) = self.first.pop_front() {
            return Some(message);
        }
        match self.told.recv().await {
            Ok(message) => Some(message),
            Err(RecvError::Closed) => None,
            Err(RecvError::Lagged(count)) => {
                self.first = under_way(&self.latest);
                Some(missed(count))
            }
        }
    }
}

/// Tells a watcher that it was not told everything.
fn missed(count: u64) -> Message {
    let what = if count == 1 { "message was" } else { "messages were" };
    let error =
        ToolError::new(Code::Timeout, format!("{count} {what} missed: you read too slowly"))
            .with_hint("the states that follow are whole, and tell how the runs are going now");
    Message { request_id: String::new(), payload: Payload::Error(error) }
}

#[cfg(test)]
mod tests {
    use legwork_protocol::assistant::{RunStatus, StateUpdate};
    use tokio::sync::broadcast;

    use super::*;

    fn state(run: &str, status: RunStatus) -> Message {
        let update = StateUpdate {
            run_id: run.to_owned(),
            session_id: "default".to_owned(),
            instruction: "look".to_owned(),
            status,
            tasks: None,
            activity: None,
            assistance: None,
            usage: Default::default(),
            finished: None,
        };
        Message { request_id: "q".to_owned(), payload: Payload::StateUpdate(update) }
    }

    #[tokio::test]
    async fn who_reads_too_slowly_is_told_so_and_then_how_things_are() {
        let (tell, told) = broadcast::channel(2);
        let latest = Latest::default();
        let mut feed = Feed { told, first: VecDeque::new(), latest: latest.clone() };
        let messages = [
            state("a", RunStatus::Running),
            state("b", RunStatus::Running),
            state("b", RunStatus::Waiting),
            state("a", RunStatus::Completed),
        ];
        for message in messages {
            note(&latest, message.clone());
            tell.send(message).unwrap();
        }
        let Some(Payload::Error(error)) = feed.next().await.map(|message| message.payload) else {
            panic!("nothing is said of what was missed")
        };
        assert!(error.message.starts_with("2 messages were missed"), "{error}");
        assert_eq!(feed.next().await, Some(state("b", RunStatus::Waiting)), "as it is now");
        assert_eq!(feed.next().await, Some(state("b", RunStatus::Waiting)), "as it was told");
        assert_eq!(feed.next().await, Some(state("a", RunStatus::Completed)));
        drop(tell);
        assert_eq!(feed.next().await, None);
    }
}
