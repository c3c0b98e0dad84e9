//! The page's state before a task, and after the last one. What is for a person to do there is put to the
//! person.

use legwork_protocol::assistant::{AssistanceKind, Navigate, Reaction, Task, WaitFor, Work};
use serde_json::{Value, json};
use url::Url;

use super::worker::Worker;
use super::{Hands, Step, StepState, id};
use crate::assist::{Need, Seen, is_suspect, recognise};
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
        self.see_to_it().await
    }

    /// What came of a task that was done without a model: if it was the last one, nothing looks later at
    /// what it led to, and a wall there is no end of an errand. What stays there is told.
    pub(super) async fn assess_end(&mut self, task: &Task, outcome: String) -> Achieved {
        let last = self.tasks().iter().all(|one| one.id == task.id || one.status.is_final());
        if !last || !acts(&task.work) || !self.may_need_somebody(&task.work).await {
            return Achieved::Done(outcome);
        }
        if let Some(Achieved::Stopped) = self.see_to_it().await {
            return Achieved::Stopped;
        }
        Achieved::Done(match self.need() {
            Some(need) => format!("{outcome}; the page still wants a person: {}", need.message),
            None => outcome,
        })
    }

    /// Whether the page after an act wants a person; it is looked at if only a change of it was shown, and
    /// that is suspect. A page to sign in at that was asked for by its address is the errand itself.
    async fn may_need_somebody(&mut self, work: &Work) -> bool {
        let Some(step) = self.steps.last() else { return false };
        if !shows_page(step) {
            let change = step.data.get("change").and_then(Value::as_str).unwrap_or_default();
            if !is_suspect(change, &self.record.execute.instruction) {
                return false;
            }
            super::look(self).await.ok();
        }
        let meant = matches!(work, Work::Navigate(Navigate::Url(url)) if self.is_at(url));
        self.need().is_some_and(|need| !(meant && need.kind == AssistanceKind::Login))
    }

    fn is_at(&self, url: &str) -> bool {
        let is = self.steps.last().and_then(|step| step.data.get("url")).and_then(Value::as_str);
        let same = |is: &str| is == url || Url::parse(url).is_ok_and(|url| url.as_str() == is);
        is.is_some_and(same)
    }

    /// Has a person see to what the page wants of one. An outcome means that the person left the task out
    /// or ended the run.
    async fn see_to_it(&mut self) -> Option<Achieved> {
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

/// Whether a task may lead to another page; reading and waiting show what was there before.
fn acts(work: &Work) -> bool {
    matches!(work, Work::Click(_) | Work::Input(_) | Work::Drag(_) | Work::Navigate(_))
}
