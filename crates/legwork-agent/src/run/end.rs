//! How a run ended: what was done, what was read, and what was not done and why.

use legwork_protocol::assistant::{Finished, RunStatus, Task, TaskStatus, Work};

use super::hands::Next;
use super::worker::Worker;
use super::{Step, resume};
use crate::think::Achieved;

/// How work on a run ended.
pub(super) enum End {
    /// Nothing is left to be done.
    Over,
    /// As long as it may be worked was worked.
    OutOfTime,
    /// The person ended it.
    Stopped,
    /// It waits for somebody, and is put aside.
    Aside,
}

impl Worker {
    /// Says how it ended, what was done and what was not.
    pub(super) fn conclude(&mut self, end: End) {
        self.watch.pause();
        self.record.state.activity = None;
        if let End::Aside = end {
            return self.publish();
        }
        if let End::OutOfTime = end {
            self.fail_what_is_left();
        }
        let left_out = &self.record.left_out;
        let done =
            |task: &Task| task.status == TaskStatus::Completed || left_out.contains(&task.id);
        let all = self.record.state.tasks.is_some() && self.tasks().iter().all(done);
        self.record.state.status = match (end, all) {
            (End::Over | End::OutOfTime, true) => RunStatus::Completed,
            (End::Over | End::OutOfTime, false) => RunStatus::Failed,
            (_, _) => RunStatus::Stopped,
        };
        self.record.state.assistance = None;
        let said = self.record.state.finished.take();
        self.record.state.finished = Some(said.unwrap_or_else(|| self.finished()));
        self.publish();
    }

    /// What was under way when the time was over fails, and so does what was not begun.
    fn fail_what_is_left(&mut self) {
        let Some(spent) = self.spent(Next::Act) else { return };
        if self.record.state.tasks.is_none() {
            self.not_understood(&spent.to_string());
            return;
        }
        let acted = |step: &Step, task: &Task| step.task == task.id && !resume::is_look(step);
        while let Some(index) = self.current.take().or_else(|| self.next_task()) {
            let Some(task) = self.tasks().get(index).cloned() else { return };
            let begun = self.steps.iter().any(|step| acted(step, &task));
            let part = if begun { "; it may have been done in part" } else { "" };
            self.record_outcome(index, &task, &Achieved::Failed(format!("{spent}{part}")));
            self.fail_dependents();
        }
    }

    fn finished(&self) -> Finished {
        let tasks = self.tasks();
        let done: Vec<&Task> =
            tasks.iter().filter(|task| task.status == TaskStatus::Completed).collect();
        let lead = match self.record.state.status {
            RunStatus::Completed => "Done",
            RunStatus::Stopped => "Stopped",
            _ => "Not all of it was done",
        };
        let mut summary = format!("{lead}: {} of {} tasks completed.", done.len(), tasks.len());
        for task in &done {
            if let Some(outcome) =
                task.outcome.as_deref().filter(|it| it.contains("nothing observable"))
            {
                summary += &format!(" {}: {outcome}.", task.description);
            }
        }
        if let Some(error) = &self.broken {
            summary += &format!(" It could not be saved: {error}.");
        }
        let read = |task: &&&Task| matches!(task.work, Work::Extract(_));
        let results = done.iter().filter(read).filter_map(|task| task.outcome.clone()).collect();
        let undone = tasks.iter().filter(|task| task.status != TaskStatus::Completed);
        Finished { summary, results, undone: undone.map(why_not).collect() }
    }
}

fn why_not(task: &Task) -> String {
    let Task { id, description, outcome, .. } = task;
    let why = match task.status {
        TaskStatus::Failed => outcome.clone().unwrap_or_else(|| "failed".to_owned()),
        TaskStatus::Pending => "not begun".to_owned(),
        _ => "under way when it ended; it may have been done in part".to_owned(),
    };
    format!("{id} {description}: {why}")
}
