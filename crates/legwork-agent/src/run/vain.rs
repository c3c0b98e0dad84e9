//! What was done and changed nothing that can be seen: a model judges it, and a person says whether it is
//! done a third time.

use legwork_protocol::assistant::{Click, Gesture, Reaction, Task, Work};

use super::resume::{AGAIN, DONE};
use super::worker::Worker;
use super::{Hands as _, Step, direct, resume};
use crate::think::Achieved;

/// What a model is told of a click that was made and changed nothing.
pub(super) const IN_VAIN: &str = "The click was made. If what it is for is so already, the task is done; else do it in \
                       another way";

impl Worker {
    /// What changed nothing twice is done a third time only if the person says so. A model thinks of
    /// something else by itself.
    pub(super) async fn repeat_if_wanted(&mut self, task: &Task) -> Achieved {
        let vain =
            || Achieved::Failed("it changed nothing twice; it is not tried a third time".into());
        if self.desk.settings.model.is_some() {
            return vain();
        }
        let message = format!(
            "This changed nothing twice: {}. Do it yourself, or have it done again?",
            task.description
        );
        let choices = [DONE, AGAIN].map(str::to_owned).to_vec();
        let about = "the same action has no effect".to_owned();
        let is = |said: &str, choice: &str| said.trim().eq_ignore_ascii_case(choice);
        match self.ask(direct::question(message, about, choices)).await {
            Reaction::Said(said) if is(&said, AGAIN) => self.carry_out(task).await,
            Reaction::Said(said) if !is(&said, DONE) => vain(),
            Reaction::Said(_) | Reaction::Done => Achieved::Done("done by you".into()),
            Reaction::Skip => Achieved::Skipped,
            Reaction::Stop => Achieved::Stopped,
        }
    }

    /// Whether a click changed nothing that can be seen, and a model is there to judge that. Without one
    /// it is told: some clicks do their work where nobody sees it.
    pub(super) fn may_be_in_vain(&self, task: &Task) -> bool {
        let clicks = |click: &Click| click.until.is_none() && click.gesture != Gesture::Hover;
        let acts = |step: &&Step| step.task == task.id && !resume::is_look(step);
        self.desk.settings.model.is_some()
            && matches!(&task.work, Work::Click(click) if clicks(click))
            && self.steps.iter().rev().find(acts).is_some_and(changed_nothing)
    }

    /// Whether the same action changed nothing the last two times.
    pub(super) fn fruitless(&self, work: &Work) -> bool {
        let planned = direct::calls::planned(work);
        let [planned] = planned.as_slice() else { return false };
        let acts = self.steps.iter().rev().filter(|step| !resume::is_look(step));
        let mut last = acts.take(2);
        let same = |step: &Step| {
            step.tool == planned.tool
                && step.arguments == planned.arguments
                && changed_nothing(step)
        };
        // Scrolling further than there is page, or pointing at the same thing, harms nobody.
        matches!(work, Work::Click(_) | Work::Input(_))
            && last.next().is_some_and(same)
            && last.next().is_some_and(same)
    }
}

fn changed_nothing(step: &Step) -> bool {
    step.data.get("verdict").and_then(|it| it.as_str()) == Some("nothing_changed")
}
