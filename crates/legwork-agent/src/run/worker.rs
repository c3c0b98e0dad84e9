//! A run under way: which task is next, what came of it, how the run ended. It is saved before anything
//! follows from it.

use super::stopwatch::Stopwatch;
use legwork_local::clock;
use std::sync::Arc;
use std::time::Duration;

use legwork_protocol::Reply;
use legwork_protocol::assistant::{
    Activity, BrowserState, CompletedTask, Feedback, Message, Payload, RunStatus, Task,
    TaskContext, TaskList, TaskStatus,
};

use super::assistant::Desk;
use super::end::End;
use super::error::RunError;
use super::hands::Next;
use super::line::Line;
use super::remark::Unclear;
use super::store::{Record, Store};
use super::vain::IN_VAIN;
use super::{Step, StepState, direct, remark, results, resume};
use crate::interpret;
use crate::think::{self, Achieved, Goal, ThinkError};

/// Why what is not exact is not done without a model, and what helps.
const UNKNOWN: &str = "what exactly to do is not known, and there is no model to find out: choose one with \
                       --model, or say what to click, type or read, in the words of the page";

/// Who does a run.
pub(crate) struct Worker {
    pub(super) desk: Arc<Desk>,
    pub(super) line: Arc<Line>,
    pub(super) record: Record,
    pub(super) watch: Stopwatch,
    /// All steps of the run.
    pub(super) steps: Vec<Step>,
    /// The task under way.
    pub(super) current: Option<usize>,
    /// What was done of it before.
    pub(super) before: Vec<Step>,
    /// What was said that may be meant for several tasks to come.
    pub(super) unclear: Vec<Unclear>,
    /// Why nothing more can be saved, and so nothing more be done.
    pub(super) broken: Option<RunError>,
}

impl Worker {
    pub(super) fn new(
        desk: Arc<Desk>,
        line: Arc<Line>,
        record: Record,
        steps: Vec<Step>,
    ) -> Worker {
        let watch = Stopwatch::from(Duration::from_millis(record.state.usage.elapsed_ms));
        let (before, unclear) = (Vec::new(), Vec::new());
        Worker { desk, line, record, watch, steps, current: None, before, unclear, broken: None }
    }

    /// Works until the run is over, out of time, stopped or put aside. Stopping drops the call under way, and so
    /// does the end of the time.
    pub(super) async fn live(mut self) {
        let line = self.line.clone();
        let out_of_time = self.watch.reaches(self.time());
        let end = tokio::select! {
            biased;
            () = line.stopped.cancelled() => End::Stopped,
            () = line.aside.cancelled() => End::Aside,
            () = out_of_time => End::OutOfTime,
            end = self.work() => end,
        };
        self.conclude(end);
        self.desk.store.release(&self.record.state.run_id);
        line.over.cancel();
    }

    async fn work(&mut self) -> End {
        if !self.steps.is_empty() && !resume::find_browser(self).await {
            return End::Stopped;
        }
        if !self.understand().await || !self.agree().await {
            return if self.record.state.status == RunStatus::Failed {
                End::Over
            } else {
                End::Stopped
            };
        }
        self.set_status(RunStatus::Running);
        loop {
            if self.hear() || self.clear_up().await || self.broken.is_some() {
                return End::Stopped;
            }
            self.fail_dependents();
            let Some(index) = self.next_task() else { return End::Over };
            if self.do_task(index).await == Achieved::Stopped {
                return End::Stopped;
            }
        }
    }

    pub(super) fn tasks(&self) -> &[Task] {
        self.record.state.tasks.as_ref().map(|list| list.tasks.as_slice()).unwrap_or_default()
    }

    pub(super) fn list(&mut self) -> Option<&mut TaskList> {
        self.record.state.tasks.as_mut()
    }

    /// The first task that is not over and has all it depends on.
    pub(super) fn next_task(&self) -> Option<usize> {
        let tasks = self.tasks();
        let met = |id: &String| {
            self.record.left_out.contains(id)
                || tasks.iter().any(|task| task.id == *id && task.status == TaskStatus::Completed)
        };
        tasks.iter().position(|task| !task.status.is_final() && task.dependencies.iter().all(met))
    }

    /// What depends on something that was not done is not begun, and says why.
    pub(super) fn fail_dependents(&mut self) {
        let left_out = self.record.left_out.clone();
        let Some(list) = self.list() else { return };
        loop {
            let failed: Vec<String> = list
                .tasks
                .iter()
                .filter(|task| task.status == TaskStatus::Failed && !left_out.contains(&task.id))
                .map(|task| task.id.clone())
                .collect();
            let known = |id: &String| list.tasks.iter().any(|task| task.id == *id);
            let unmet = |task: &Task| {
                task.dependencies.iter().find(|id| failed.contains(id) || !known(id)).cloned()
            };
            let next =
                list.tasks.iter().position(|task| !task.status.is_final() && unmet(task).is_some());
            let Some(index) = next else { break };
            let on = unmet(&list.tasks[index]).unwrap_or_default();
            list.tasks[index].status = TaskStatus::Failed;
            list.tasks[index].outcome = Some(format!("not begun because {on} failed"));
        }
    }

    async fn do_task(&mut self, index: usize) -> Achieved {
        let Some(task) = self.tasks().get(index).cloned() else {
            return Achieved::Failed("there is no such task".into());
        };
        self.current = Some(index);
        let interrupted =
            matches!(task.status, TaskStatus::Executing | TaskStatus::RequiresAssistance);
        // Of what failed before, only what nobody knows the end of still counts.
        let own =
            |step: &&Step| step.task == task.id && (interrupted || step.state == StepState::Begun);
        self.before = self.steps.iter().filter(own).cloned().collect();
        self.set_task(index, TaskStatus::Executing, None);
        let achieved = match self.spent(Next::Act) {
            Some(spent) => Achieved::Failed(spent.to_string()),
            None => match resume::settle(self).await {
                Some(ended) => ended,
                None => self.attempt(&task).await,
            },
        };
        self.record_outcome(index, &task, &achieved);
        self.current = None;
        self.before.clear();
        achieved
    }

    /// Looks, then does the task: directly if it is exact, else with the model, which is also asked when
    /// the direct way is barred.
    async fn attempt(&mut self, task: &Task) -> Achieved {
        let task = &match results::filled_in(task, self.tasks()) {
            Ok(filled) => filled,
            Err(why) => return Achieved::Failed(why),
        };
        if let Some(ended) = self.assess(&task.work).await {
            return ended;
        }
        let mut obstacle = None;
        let thought_of = self.record.thought_of.contains(&task.id);
        if task.work.is_exact() && !thought_of {
            match self.directly(task).await {
                Ok(ended) => return ended,
                Err(reason) => obstacle = Some(reason),
            }
        }
        let Some(model) = self.desk.settings.model.clone() else {
            return Achieved::Failed(obstacle.unwrap_or_else(|| UNKNOWN.to_owned()));
        };
        if !thought_of {
            self.record.thought_of.push(task.id.clone());
            self.publish();
        }
        let goal = self.goal(task, obstacle);
        let pursued = think::pursue(&goal, model.as_ref(), self).await;
        match pursued.inspect_err(|error| self.note_trouble(error)) {
            Ok(achieved) => achieved,
            Err(ThinkError::Spent(spent)) => Achieved::Failed(spent.to_string()),
            Err(ThinkError::Model(error)) => match goal.obstacle {
                Some(obstacle) => Achieved::Failed(format!("{obstacle}; {error}")),
                None => Achieved::Failed(error.to_string()),
            },
        }
    }

    /// Does exact work without thinking. An error says what stands in the way of it.
    async fn directly(&mut self, task: &Task) -> Result<Achieved, String> {
        let direct = match self.fruitless(&task.work) {
            true => self.repeat_if_wanted(task).await,
            false => self.carry_out(task).await,
        };
        match direct {
            Achieved::Failed(reason) => Err(reason),
            Achieved::Done(outcome) if self.may_be_in_vain(task) => {
                Err(format!("{outcome}. {IN_VAIN}"))
            }
            Achieved::Done(outcome) => Ok(self.assess_end(task, outcome).await),
            other => Ok(other),
        }
    }

    /// Whoever began the run may have to know that its model cannot be used.
    pub(super) fn note_trouble(&self, error: &ThinkError) {
        if let ThinkError::Model(error) = error {
            self.desk.note_trouble(error.clone());
        }
    }

    /// Does exact work. A call that nobody knows the end of is found out about, and the work gone on with.
    pub(super) async fn carry_out(&mut self, task: &Task) -> Achieved {
        let failed = match direct::carry_out(&task.work, self).await {
            Achieved::Failed(reason) => reason,
            other => return other,
        };
        let own = |step: &&Step| step.task == task.id;
        let before: Vec<Step> = self.steps.iter().filter(own).cloned().collect();
        if resume::unsettled(&before).is_none() {
            return Achieved::Failed(failed);
        }
        self.before = before;
        match resume::settle(self).await {
            Some(ended) => ended,
            None => match direct::carry_out(&task.work, self).await {
                // Once more and no further: what is known is said.
                Achieved::Failed(reason) => Achieved::Failed(format!("{reason} (it was {failed})")),
                other => other,
            },
        }
    }

    /// What the model is to achieve, with what this run has done so far.
    fn goal(&self, task: &Task, obstacle: Option<String>) -> Goal {
        let instruction = self.record.execute.instruction.clone();
        let mut context = TaskContext::default();
        if let Some(list) = &self.record.state.tasks {
            context.clone_from(&list.context);
            interpret::remember(&mut context, &instruction, list);
        }
        Goal { task: task.description.clone(), instruction, context, obstacle }
    }

    pub(super) fn record_outcome(&mut self, index: usize, task: &Task, achieved: &Achieved) {
        let (status, outcome) = match achieved {
            Achieved::Done(outcome) => (TaskStatus::Completed, outcome.clone()),
            Achieved::Failed(reason) => (TaskStatus::Failed, reason.clone()),
            Achieved::Skipped => {
                self.record.left_out.push(task.id.clone());
                (TaskStatus::Failed, remark::LEFT_OUT.to_owned())
            }
            // It may be gone on with later.
            Achieved::Stopped => return,
        };
        self.record.recalled.retain(|(id, _)| *id != task.id);
        self.mark_task(index, status, Some(outcome));
        let Some(task) = self.tasks().get(index).cloned() else { return };
        let instruction = self.record.execute.instruction.clone();
        let list_id = self.list().map(|list| list.id.clone()).unwrap_or_default();
        let done = CompletedTask { task, instruction, list_id, ended_at: clock::now() };
        self.publish_by(|store, record| store.save_over(record, &done));
    }

    pub(super) fn set_status(&mut self, status: RunStatus) {
        self.record.state.status = status;
        self.publish();
    }

    pub(super) fn set_task(&mut self, index: usize, status: TaskStatus, outcome: Option<String>) {
        self.mark_task(index, status, outcome);
        self.publish();
    }

    fn mark_task(&mut self, index: usize, status: TaskStatus, outcome: Option<String>) {
        if let Some(task) = self.list().and_then(|list| list.tasks.get_mut(index)) {
            task.status = status;
            task.outcome = outcome.or(task.outcome.take());
        }
    }

    pub(super) fn say_doing(&mut self, what: &str) {
        let task_id =
            self.current.and_then(|index| self.tasks().get(index)).map(|it| it.id.clone());
        self.record.state.activity = Some(Activity { task_id, doing: what.to_owned() });
        self.publish();
    }

    /// Saves the run as it is and tells everybody.
    pub(super) fn publish(&mut self) {
        self.publish_by(Store::save);
    }

    fn publish_by(&mut self, save: impl FnOnce(&Store, &Record) -> Result<(), RunError>) {
        let elapsed = u64::try_from(self.watch.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.record.state.usage.elapsed_ms = elapsed;
        if let Err(error) = save(&self.desk.store, &self.record) {
            self.broken.get_or_insert(error);
        }
        self.tell(Payload::StateUpdate(self.record.state.clone()));
    }

    pub(super) fn tell(&self, payload: Payload) {
        self.desk.tell(Message { request_id: self.record.request_id.clone(), payload });
    }

    pub(super) fn tell_request(&self) {
        if let Some(request) = self.record.state.assistance.clone() {
            self.tell(Payload::UserAssistance(Feedback::Request(request)));
        }
    }

    /// Notes where the browser is, as a reply says it.
    pub(super) fn note_page(&mut self, reply: &Reply) {
        let text = |name: &str| reply.data.get(name).and_then(|it| it.as_str()).map(str::to_owned);
        let (url, title) = (text("url"), text("title"));
        let Some(list) = self.list() else { return };
        if let Some(url) = url {
            if url != list.context.browser_state.url {
                let viewport = list.context.browser_state.viewport;
                list.context.browser_state = BrowserState { viewport, ..Default::default() };
            }
            list.context.current_url.clone_from(&url);
            list.context.browser_state.url = url;
        }
        if let Some(title) = title {
            list.context.browser_state.title = title;
        }
    }
}
