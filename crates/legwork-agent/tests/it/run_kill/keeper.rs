//! The process that lives on: it has the browser, the model and the person, answers for them, and kills.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_agent::run::{Assistant, Step};
use legwork_protocol::assistant::{AssistanceRequest, Execute, Reaction, StateUpdate, Task};
use legwork_protocol::{ToolCall, ToolHost};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;

use super::far::{Heard, Said};
use super::moment::{Counts, Moment, Phase, When};
use super::shop;
use crate::errand::{execute, settings};
use crate::support::Site;

/// Has the browser, answers calls and questions, and kills.
pub struct Keeper {
    pub host: Arc<dyn ToolHost>,
    pub site: Arc<Site>,
    /// What is under way, where it is saved.
    pub case: Mutex<(String, PathBuf)>,
    /// The questions that were put in it.
    pub asked: Mutex<Vec<String>>,
    moment: Mutex<Option<Moment>>,
    /// Has the process that runs now killed.
    kill: Mutex<Arc<Notify>>,
    /// The events of the process that runs now.
    seen: Mutex<Counts>,
}

impl Keeper {
    pub fn new(host: Arc<dyn ToolHost>, site: Arc<Site>) -> Keeper {
        let (case, asked, moment, kill, seen) = Default::default();
        Keeper { host, site, case, asked, moment, kill, seen }
    }

    /// Another process is about to be started, and killed at this moment. What tells when is new each time:
    /// a moment that comes when the last process has ended is not this one's.
    pub fn expect(&self, moment: Option<Moment>) -> Arc<Notify> {
        self.seen.lock().unwrap().clear();
        *self.moment.lock().unwrap() = moment;
        let kill = Arc::new(Notify::new());
        *self.kill.lock().unwrap() = kill.clone();
        kill
    }

    /// How many events each phase had.
    pub fn seen(&self) -> Counts {
        self.seen.lock().unwrap().clone()
    }

    pub async fn listen(self: Arc<Keeper>, listener: UnixListener) {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(self.clone().serve(stream));
        }
    }

    async fn serve(self: Arc<Keeper>, stream: UnixStream) {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let said: Said = serde_json::from_str(&line).unwrap();
        if let Said::Ask(request) = &said {
            self.asked.lock().unwrap().push(request.message.clone());
        }
        let (kill, when) = (self.kill.lock().unwrap().clone(), self.when(self.phase(&said)));
        match when {
            Some(When::Sent) => {
                kill.notify_one();
                return hung_up(&mut stream).await;
            }
            Some(When::During(time)) => notify_in(time, &kill),
            _ => {}
        }
        // Who hangs up takes the call back, as the daemon has it.
        let heard = tokio::select! {
            heard = self.heard(said, when) => heard,
            () = hung_up(&mut stream) => return,
        };
        match when {
            Some(When::Done) => {
                kill.notify_one();
                return hung_up(&mut stream).await;
            }
            Some(When::Answered(time)) => notify_in(time, &kill),
            _ => {}
        }
        let line = format!("{}\n", serde_json::to_string(&heard).unwrap());
        stream.write_all(line.as_bytes()).await.ok();
    }

    fn phase(&self, said: &Said) -> Phase {
        let understood = || self.state().is_some_and(|state| state.tasks.is_some());
        match said {
            Said::Here | Said::Begun => Phase::Start,
            Said::Ask(_) => Phase::Waiting,
            Said::Think(thought) if thought.plans => {
                assert!(!understood(), "what is understood is not read again");
                Phase::Interpreting
            }
            Said::Think(_) => Phase::Thinking,
            Said::Call { .. } if !understood() => Phase::Interpreting,
            Said::Call { tool, arguments, .. } => {
                match tool == "browser_click" || arguments.contains_key("submit") {
                    true => Phase::Sending,
                    false => Phase::Acting,
                }
            }
        }
    }

    /// Counts an event of a phase, and says how far into it the process is to be killed, if it is.
    fn when(&self, phase: Phase) -> Option<When> {
        let mut seen = self.seen.lock().unwrap();
        let nth = seen.entry(phase).or_default();
        *nth += 1;
        let is_now = |moment: &Moment| (moment.phase, moment.nth) == (phase, *nth);
        self.moment.lock().unwrap().filter(is_now).map(|moment| moment.when)
    }

    async fn heard(&self, said: Said, when: Option<When>) -> Heard {
        if let (Some(When::During(_)), false) = (when, matches!(said, Said::Call { .. })) {
            // A browser is busy for a while. Whoever else is killed during an answer waits for it.
            std::future::pending::<()>().await;
        }
        match said {
            Said::Here | Said::Begun => Heard::Well,
            Said::Ask(request) => Heard::Answered(self.answer(&request)),
            Said::Think(thought) => Heard::Thought(shop::think(&thought)),
            Said::Call { session, tool, arguments } => {
                Heard::Called(self.host.call(ToolCall::new(&session, &tool, arguments)).await)
            }
        }
    }

    fn answer(&self, request: &AssistanceRequest) -> Reaction {
        let case = self.case.lock().unwrap().0.clone();
        shop::answer(request, &self.state().unwrap(), &shop::sent(&self.site, &case))
    }

    fn reader(&self) -> Assistant {
        let folder = self.case.lock().unwrap().1.clone();
        Assistant::new(self.host.clone(), settings(&folder)).unwrap()
    }

    /// The run as it is on disk, if it was begun.
    pub fn state(&self) -> Option<StateUpdate> {
        self.reader().runs().unwrap().into_iter().next()
    }

    /// What the session remembers of it: the tasks that a run which follows is told of.
    pub async fn past(&self) -> Vec<Task> {
        let reader = self.reader();
        let session = self.case.lock().unwrap().0.clone();
        let instruction = "Scroll to the top".to_owned();
        let follows = reader.start(Execute { instruction, ..execute(&session) }, "q").unwrap();
        let state = reader.wait(&follows).await.unwrap();
        reader.delete(&follows).unwrap();
        let past = state.tasks.unwrap().context.previous_tasks;
        past.into_iter().map(|done| done.task).collect()
    }

    /// What it did, as it is on disk.
    pub fn steps(&self) -> Vec<Step> {
        let reader = self.reader();
        let run = reader.runs().unwrap().into_iter().next();
        run.map(|run| reader.steps(&run.run_id).unwrap()).unwrap_or_default()
    }
}

fn notify_in(time: Duration, kill: &Arc<Notify>) {
    let kill = kill.clone();
    tokio::spawn(async move {
        tokio::time::sleep(time).await;
        kill.notify_one();
    });
}

/// Until the other side is gone.
async fn hung_up(stream: &mut BufReader<UnixStream>) {
    let mut rest = String::new();
    stream.read_line(&mut rest).await.ok();
}
