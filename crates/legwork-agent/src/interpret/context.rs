//! A session's context grows with what was done and what the person says of it; nothing is taken out.

use legwork_local::clock::now;
use legwork_protocol::assistant::{CompletedTask, TaskContext, TaskList};

use super::{Understood, by_grammar};

/// The topic under which corrections are kept that are about no topic of their own.
const REMARKS: &str = "remarks";

/// What a person says is kept: likes under their topics, anything else as a remark, newest last.
pub fn update_context(context: &mut TaskContext, feedback: &str) {
    let feedback = feedback.trim();
    if feedback.is_empty() {
        return;
    }
    if let Understood::Tasks(list) = by_grammar(feedback, context)
        && list.tasks.is_empty()
    {
        context.user_preferences = list.context.user_preferences;
        return;
    }
    let remarks = context.user_preferences.0.entry(REMARKS.to_owned()).or_default();
    if !remarks.is_empty() {
        remarks.push('\n');
    }
    remarks.push_str(feedback);
}

/// What came of an instruction is kept for what follows: its tasks as they ended, and what it said of likes.
pub fn remember(context: &mut TaskContext, instruction: &str, list: &TaskList) {
    context.user_preferences.0.extend(list.context.user_preferences.0.clone());
    let over = list.tasks.iter().filter(|task| task.status.is_final());
    context.previous_tasks.extend(over.map(|task| CompletedTask {
        task: task.clone(),
        instruction: instruction.to_owned(),
        list_id: list.id.clone(),
        ended_at: now(),
    }));
}
