//! A run as plain lines, one for each change: for a file, a pipe, or a terminal that cannot redraw.

use legwork_protocol::assistant::{Finished, RunStatus, StateUpdate, Task, TaskStatus};

use super::words::clean;
use super::{Line, Tone, Window, costs, request, tasks, tone};

/// What has changed, one line each; nothing has if the list is empty.
pub fn changes(before: Option<&StateUpdate>, now: &StateUpdate, window: Window) -> Vec<Line> {
    let mut lines = Vec::new();
    if before.is_none() {
        lines.push(Line::new(
            Tone::Title,
            format!("run {}: {}", now.run_id, clean(&now.instruction)),
        ));
    }
    let known = before.map_or(&[][..], tasks);
    let same_list = !known.is_empty() && known.len() == tasks(now).len();
    for (at, task) in tasks(now).iter().enumerate() {
        let former = known.get(at).filter(|_| same_list);
        lines.extend(change(at + 1, former, task));
    }
    let doing = |update: &StateUpdate| update.activity.as_ref().map(|one| one.doing.clone());
    if let Some(what) = doing(now).filter(|what| before.and_then(doing).as_ref() != Some(what)) {
        lines.push(Line::new(Tone::Faint, format!("  … {}", clean(&what))));
    }
    let asked = |update: &StateUpdate| update.assistance.as_ref().map(|one| one.id.clone());
    if let Some(help) = &now.assistance
        && before.and_then(asked) != asked(now)
    {
        // A pipe has no width; whoever reads it breaks lines as they like.
        lines.extend(request(help, usize::MAX, window));
    }
    lines
}

/// The line of one task, if it is new or its status is.
fn change(number: usize, former: Option<&Task>, task: &Task) -> Option<Line> {
    let is_same = former.is_some_and(|former| {
        former.status == task.status && former.description == task.description
    });
    if is_same {
        return None;
    }
    let description = clean(&task.description);
    let outcome = task.outcome.as_deref().map(clean).filter(|outcome| !outcome.is_empty());
    let outcome = outcome.filter(|_| task.status.is_final());
    let outcome = outcome.map(|outcome| format!(": {outcome}")).unwrap_or_default();
    let text = format!("{} {number}. {description}{outcome}", word(task.status));
    Some(Line::new(tone(task.status), text))
}

fn word(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "to do",
        TaskStatus::Executing => "doing",
        TaskStatus::Completed => "done",
        TaskStatus::Failed => "failed",
        TaskStatus::RequiresAssistance => "waits",
    }
}

/// How a run ended. Where something is missing: what was done and what was not.
pub fn ending(update: &StateUpdate) -> Vec<Line> {
    let mut lines = match update.status {
        RunStatus::Completed => Vec::new(),
        _ => accounts(update),
    };
    if let Some(Finished { summary, .. }) = &update.finished {
        lines.push(Line::new(Tone::Title, clean(summary)));
    }
    lines.push(Line::new(Tone::Faint, costs(update, Default::default())));
    lines
}

/// What was done, and what was not and why.
fn accounts(update: &StateUpdate) -> Vec<Line> {
    let is_done = |task: &&Task| task.status == TaskStatus::Completed;
    let (done, undone): (Vec<&Task>, Vec<&Task>) = tasks(update).iter().partition(is_done);
    let done = done.into_iter().map(|task| clean(&task.description));
    let told = update.finished.as_ref().map(|finished| finished.undone.as_slice());
    let undone: Vec<String> = match told {
        Some(told) if !told.is_empty() => told.iter().map(|one| clean(one)).collect(),
        _ => undone.into_iter().map(unfinished).collect(),
    };
    let line = |tone, word: &str, what: String| Line::new(tone, format!("{word}: {what}"));
    let done = done.map(|what| line(Tone::Good, "done", what));
    let undone = undone.into_iter().map(|what| line(Tone::Bad, "not done", what));
    done.chain(undone).collect()
}

fn unfinished(task: &Task) -> String {
    let why = task.outcome.as_deref().map(clean).map(|why| format!(": {why}"));
    format!("{}{}", clean(&task.description), why.unwrap_or_default())
}
