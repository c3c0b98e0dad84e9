//! How a run ended: what was done, what was read, and what was not done and why.

use legwork_protocol::assistant::{Finished, RunStatus, Task, TaskStatus, Work};

use super::worker::Worker;

/// How work on a run ended.
pub(super) enum End {
    /// Nothing is left to be done.
    Over,
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
        let left_out = &self.record.left_out;
        let done =
            |task: &Task| task.status == TaskStatus::Completed || left_out.contains(&task.id);
        let all = self.record.state.tasks.is_some() && self.tasks().iter().all(done);
        self.record.state.status = match (end, all) {
            (End::Over, true) => RunStatus::Completed,
            (End::Over, false) => RunStatus::Failed,
            (_, _) => RunStatus::Stopped,
        };
        self.record.state.assistance = None;
        let said = self.record.state.finished.take();
        self.record.state.finished = Some(said.unwrap_or_else(|| self.finished()));
        self.publish();
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
