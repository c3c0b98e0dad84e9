//! The page's state before a task. What is for a person to do there is put to the person first.

use legwork_protocol::assistant::{Navigate, Reaction, WaitFor, Work};
use serde_json::{Value, json};

use super::worker::Worker;
use super::{Hands, Step, StepState, id};
use crate::assist::{Need, Seen, recognise};
use crate::think::Achieved;

/// How often a person is asked about the same page before a task is tried all the same: the person knows
/// better than rules do.
const ASKED: usize = 2;

impl Worker {
    /// Knows the page before a task begins: from the last reply where it shows the whole page, else by a
    /// look. An outcome means that the person left the task out or ended the run.
    pub(super) async fn assess(&mut self, work: &Work) -> Option<Achieved> {
        if !self.steps.last().is_some_and(shows_page) {
            // A dialog or a page without a process cannot be looked at; the task's own call will say so.
            super::look(self).await.ok();
        }
        if leaves(work) {
            return None;
        }
        for _ in 0..ASKED {
            let need = self.need()?;
            if need.may_pass && self.has_passed().await {
                return None;
            }
            match self.ask(need.request(id("a"), None)).await {
                Reaction::Done | Reaction::Said(_) => super::look(self).await.ok(),
                Reaction::Skip => return Some(Achieved::Skipped),
                Reaction::Stop => return Some(Achieved::Stopped),
            };
        }
        None
    }

    /// What a person is needed for on the page as it was last seen.
    fn need(&self) -> Option<Need> {
        let step = self.steps.last().filter(|step| shows_page(step))?;
        let part = |name: &str| step.data.get(name).and_then(Value::as_str).unwrap_or_default();
        let (url, title, page) = (part("url"), part("title"), part("page"));
        recognise(&Seen { url, title, page, instruction: &self.record.execute.instruction })
    }

    /// Some pages go by themselves: they get a few seconds.
    async fn has_passed(&mut self) -> bool {
        self.say_doing("waiting for the page to let us in");
        let wait = json!({ "event": "navigation", "timeout": "5s", "observe": "none" });
        if let Value::Object(wait) = wait {
            self.call("browser_wait", wait).await.ok();
        }
        super::look(self).await.is_ok() && self.need().is_none()
    }
}

fn shows_page(step: &Step) -> bool {
    step.state == StepState::Done && step.data.get("page").is_some()
}

/// Whether a task has no business with the page that is in front.
fn leaves(work: &Work) -> bool {
    match work {
        Work::Navigate(to) => !matches!(to, Navigate::Open),
        Work::Wait(wait) => matches!(wait.until, Some(WaitFor::Time(_))),
        _ => false,
    }
}
