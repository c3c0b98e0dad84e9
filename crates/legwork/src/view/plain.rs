//! A run as plain lines, one for each change: for a file, a pipe, or a terminal that cannot redraw.

use legwork_protocol::assistant::{Finished, StateUpdate, Task, TaskStatus};

use super::words::clean;
use super::{Line, Tone, costs, request, tasks, tone};

/// What has changed, one line each; nothing has if the list is empty.
pub fn changes(before: Option<&StateUpdate>, now: &StateUpdate) -> Vec<Line> {
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
        lines.extend(request(help, usize::MAX));
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

/// How a run ended: what was done and what was not.
pub fn ending(update: &StateUpdate) -> Vec<Line> {
    let mut lines = Vec::new();
    let named = |status: fn(TaskStatus) -> bool| {
        tasks(update).iter().filter(move |task| status(task.status))
    };
    let completed: Vec<&Task> = named(|status| status == TaskStatus::Completed).collect();
    let undone: Vec<&Task> = named(|status| status != TaskStatus::Completed).collect();
    for (word, list, tone) in [("done", completed, Tone::Good), ("not done", undone, Tone::Bad)] {
        for task in list {
            let why = task.outcome.as_deref().map(clean).filter(|_| tone == Tone::Bad);
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            lines.push(Line::new(tone, format!("{word}: {}{why}", clean(&task.description))));
        }
    }
    if let Some(Finished { summary, undone, .. }) = &update.finished {
        let told: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
        let more = undone.iter().map(|one| clean(one));
        let more = more.filter(|one| !told.iter().any(|line| line.contains(one.as_str())));
        lines.extend(more.map(|one| Line::new(Tone::Bad, format!("not done: {one}"))));
        lines.push(Line::new(Tone::Title, clean(summary)));
    }
    lines.push(Line::new(Tone::Faint, costs(update, Default::default())));
    lines
}
