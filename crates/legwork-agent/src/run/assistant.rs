//! The assistant: begins, resumes, stops and watches runs. Every run is a task that belongs to it; when it
//! goes, they end where they are, saved, and can be resumed.

use legwork_local::clock;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_protocol::assistant::{
    BrowserState, Budget, Execute, Feedback, GetDom, Message, Payload, RunStatus, StateUpdate,
    Task, TaskContext, TaskList, TaskStatus, Usage, UserResponse,
};
use legwork_protocol::{Person, ToolError, ToolHost};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

use super::error::RunError;
use super::line::Line;
use super::store::{Record, Store};
use super::worker::Worker;
use super::{Step, id, page, remark};
use crate::model::{Model, ModelError};

/// The session that is used if none is named.
const USUAL: &str = "default";

/// Messages that a slow watcher may be behind.
const BACKLOG: usize = 1024;

/// Runs that are kept. Beyond that, the oldest that are over go when another begins.
const KEPT: usize = 1000;

/// How an assistant works.
pub struct Settings {
    /// Thinks of what is not exact; without one, only what the grammar understands is done.
    pub model: Option<Arc<dyn Model>>,
    /// What a run may cost, if it does not say.
    pub budget: Budget,
    /// How long an answer is waited for; as long as it takes if nothing is said.
    pub assistance_timeout: Option<Duration>,
    /// The folder that runs are saved in.
    pub store: PathBuf,
    /// The door that calls come through, for the record.
    pub door: &'static str,
    /// Who is asked whether something may be done. Never the model.
    pub person: Option<Arc<dyn Person>>,
}

impl Settings {
    /// Without a model, with the usual budget, answers waited for five minutes.
    pub fn in_folder(store: impl Into<PathBuf>) -> Settings {
        Settings {
            model: None,
            budget: Budget::default(),
            assistance_timeout: Some(Duration::from_secs(300)),
            store: store.into(),
            door: "assistant",
            person: None,
        }
    }
}

/// What all runs share.
pub(crate) struct Desk {
    pub(crate) host: Arc<dyn ToolHost>,
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    stream: broadcast::Sender<Message>,
    trouble: Mutex<Option<ModelError>>,
}

impl Desk {
    pub(crate) fn tell(&self, message: Message) {
        // Nobody has to listen.
        self.stream.send(message).ok();
    }

    /// Notes why the model gave no answer.
    pub(crate) fn note_trouble(&self, error: ModelError) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

/// Begins, resumes, stops and watches runs. Its runs need a Tokio runtime, and end with it.
pub struct Assistant {
    desk: Arc<Desk>,
    live: Mutex<HashMap<String, Live>>,
}

struct Live {
    line: Arc<Line>,
    task: JoinHandle<()>,
}

impl Drop for Assistant {
    fn drop(&mut self) {
        for live in self.live().values() {
            live.task.abort();
        }
        self.desk.store.release_all();
    }
}

impl Assistant {
    /// An assistant that reaches the browser through this host.
    pub fn new(host: Arc<dyn ToolHost>, settings: Settings) -> Result<Assistant, RunError> {
        let store = Store::open(&settings.store)?;
        let (stream, _) = broadcast::channel(BACKLOG);
        let desk = Arc::new(Desk { host, settings, store, stream, trouble: Mutex::default() });
        Ok(Assistant { desk, live: Mutex::default() })
    }

    fn live(&self) -> MutexGuard<'_, HashMap<String, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a run and gives its name.
    pub fn start(&self, execute: Execute, request_id: &str) -> Result<String, RunError> {
        self.begin(execute, None, request_id)
    }

    /// Begins a run whose tasks are known already; the instruction says in words what they are.
    pub fn start_tasks(
        &self,
        execute: Execute,
        tasks: Vec<Task>,
        request_id: &str,
    ) -> Result<String, RunError> {
        let context = TaskContext::default();
        let list = TaskList { id: id("l"), tasks, context, created_at: clock::now() };
        self.begin(execute, Some(list), request_id)
    }

    fn begin(
        &self,
        execute: Execute,
        tasks: Option<TaskList>,
        request_id: &str,
    ) -> Result<String, RunError> {
        if execute.instruction.trim().is_empty() {
            return Err(RunError::Empty);
        }
        let run_id = id("r");
        let state = StateUpdate {
            run_id: run_id.clone(),
            session_id: execute.session_id.clone().unwrap_or_else(|| USUAL.to_owned()),
            instruction: execute.instruction.clone(),
            status: RunStatus::Interpreting,
            tasks,
            activity: None,
            assistance: None,
            usage: Usage::default(),
            finished: None,
        };
        let record = Record {
            state,
            execute,
            request_id: request_id.to_owned(),
            answers: Vec::new(),
            remarks: Vec::new(),
            heard: 0,
            left_out: Vec::new(),
            thought_of: Vec::new(),
            recalled: Vec::new(),
            agreed: false,
        };
        self.desk.store.add(&record)?;
        if let Err(error) = self.desk.store.prune(KEPT) {
            tracing::warn!(%error, "old runs cannot be deleted");
        }
        self.set_to_work(record, Vec::new());
        Ok(run_id)
    }

    /// Goes on with a run that was killed, stopped, put aside or failed. What is completed stays; what
    /// failed is tried again.
    pub fn resume(&self, run_id: &str) -> Result<(), RunError> {
        if self.at_work(run_id).is_some() {
            return Ok(());
        }
        let mut record = self.desk.store.take(run_id)?;
        if record.state.status == RunStatus::Completed {
            self.desk.store.release(run_id);
            return Err(RunError::Completed(run_id.to_owned()));
        }
        let steps = self.desk.store.steps(run_id);
        let steps = steps.inspect_err(|_| self.desk.store.release(run_id))?;
        record.state.finished = None;
        record.state.assistance = None;
        record.state.status = match record.state.tasks {
            Some(_) => RunStatus::Running,
            None => RunStatus::Interpreting,
        };
        let left_out = &record.left_out;
        for task in record.state.tasks.iter_mut().flat_map(|list| &mut list.tasks) {
            if task.status == TaskStatus::Failed && !left_out.contains(&task.id) {
                task.status = TaskStatus::Pending;
                task.outcome = None;
            }
        }
        self.set_to_work(record, steps);
        Ok(())
    }

    /// The same for who was just told that it ended: until nobody works at it any more, it is waited for.
    async fn go_on(&self, run_id: &str) -> Result<(), RunError> {
        if let Some(line) = self.at_work(run_id) {
            let is_over = self.desk.store.run(run_id)?.state.status.is_final();
            if is_over || line.is_ending() {
                line.over.cancelled().await;
            }
        }
        self.resume(run_id)
    }

    fn set_to_work(&self, record: Record, steps: Vec<Step>) {
        let (run, line) = (record.state.run_id.clone(), Arc::new(Line::default()));
        let worker = Worker::new(self.desk.clone(), line.clone(), record, steps);
        let task = tokio::spawn(worker.live());
        let mut live = self.live();
        live.retain(|_, live| !live.line.over.is_cancelled());
        live.insert(run, Live { line, task });
    }

    fn at_work(&self, run_id: &str) -> Option<Arc<Line>> {
        let live = self.live();
        let line = live.get(run_id).map(|live| live.line.clone());
        line.filter(|line| !line.over.is_cancelled())
    }

    fn line(&self, run_id: &str) -> Result<Arc<Line>, RunError> {
        match self.at_work(run_id) {
            Some(line) => Ok(line),
            None => Err(self
                .desk
                .store
                .run(run_id)
                .map_or_else(|it| it, |_| RunError::Idle(run_id.into()))),
        }
    }

    /// Hands on what a person answered.
    pub fn answer(&self, response: UserResponse) -> Result<(), RunError> {
        let lines: Vec<Arc<Line>> = self.live().values().map(|live| live.line.clone()).collect();
        let request = &response.request_id;
        match lines.iter().any(|line| line.answer(request, response.response.clone())) {
            true => Ok(()),
            false => Err(RunError::Unasked(request.clone())),
        }
    }

    /// Says something about a run while it goes on; it changes what follows.
    pub fn remark(&self, run_id: &str, text: &str) -> Result<(), RunError> {
        let line = self.line(run_id)?;
        match remark::is_stop(text) {
            true => line.stopped.cancel(),
            false => self.desk.store.say(run_id, text)?,
        }
        Ok(())
    }

    /// Stops a run at once: the call under way is cancelled.
    pub fn stop(&self, run_id: &str) -> Result<(), RunError> {
        self.line(run_id)?.stopped.cancel();
        Ok(())
    }

    /// Waits until nobody works at a run any more: it is over, or put aside because nobody answered.
    pub async fn wait(&self, run_id: &str) -> Result<StateUpdate, RunError> {
        if let Some(line) = self.at_work(run_id) {
            line.over.cancelled().await;
        }
        self.desk.store.run(run_id).map(|record| record.state)
    }

    /// Why the model last gave no answer, if it did not; told once.
    pub fn trouble(&self) -> Option<ModelError> {
        self.desk.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Why the cap on what a run costs does not hold, if there is one and it does not.
    pub fn uncapped(&self) -> Option<String> {
        let Settings { model, budget, .. } = &self.desk.settings;
        let model = model.as_ref().filter(|model| model.price().is_none())?;
        budget.cost_micros?;
        Some(format!(
            "the price of {} is not known, so that a cap on the cost cannot stop it: say it with ?price=, or \
             limit turns, tokens or time",
            model.name()
        ))
    }

    /// The page of a session as it is now.
    pub async fn page(&self, session: &str) -> Result<BrowserState, ToolError> {
        page::look(self.desk.host.as_ref(), session, self.desk.settings.door).await
    }

    /// All runs, the latest first.
    pub fn runs(&self) -> Result<Vec<StateUpdate>, RunError> {
        Ok(self.desk.store.runs()?.into_iter().map(|record| record.state).collect())
    }

    /// Deletes a run and its steps for good. One that is under way has to be stopped first.
    pub fn delete(&self, run_id: &str) -> Result<(), RunError> {
        self.desk.store.delete(run_id)
    }

    /// Deletes the oldest runs that are over until no more than so many are there; gives how many went.
    pub fn prune(&self, keep: usize) -> Result<usize, RunError> {
        self.desk.store.prune(keep)
    }

    /// The steps of a run.
    pub fn steps(&self, run_id: &str) -> Result<Vec<Step>, RunError> {
        self.desk.store.run(run_id)?;
        self.desk.store.steps(run_id)
    }

    /// Everything that is told from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Message> {
        self.desk.stream.subscribe()
    }

    /// Does what a message asks. What comes of it is told through the stream, refusals too.
    pub async fn receive(&self, message: Message) {
        let request_id = message.request_id;
        let answer = match message.payload {
            Payload::ExecuteTask(execute) => self.start(execute, &request_id).map(|_| None),
            Payload::GetDom(GetDom::Wanted { session_id }) => {
                let page = self.page(&session_id).await;
                page.map(|page| Some(Payload::GetDom(GetDom::Page(page)))).map_err(RunError::from)
            }
            Payload::UserAssistance(Feedback::Response(response)) => {
                self.answer(response).map(|()| None)
            }
            Payload::UserAssistance(Feedback::Remark { run_id, text }) => {
                self.remark(&run_id, &text).map(|()| None)
            }
            Payload::UserAssistance(Feedback::Stop { run_id }) => self.stop(&run_id).map(|()| None),
            Payload::UserAssistance(Feedback::Resume { run_id }) => {
                self.go_on(&run_id).await.map(|()| None)
            }
            Payload::GetDom(GetDom::Page(_))
            | Payload::UserAssistance(Feedback::Request(_))
            | Payload::StateUpdate(_)
            | Payload::Error(_) => {
                let message = "this message comes from the assistant; it cannot be sent to it";
                Err(RunError::Page(ToolError::invalid(message)))
            }
        };
        let payload = match answer {
            Ok(None) => return,
            Ok(Some(payload)) => payload,
            Err(error) => Payload::Error(error.into()),
        };
        self.desk.tell(Message { request_id, payload });
    }
}
