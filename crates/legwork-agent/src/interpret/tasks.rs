//! What is to be done becomes a task list: ids, words, and what depends on what.

use legwork_local::clock;
use legwork_protocol::assistant::{
    Input, InputValue, Navigate, Task, TaskContext, TaskList, TaskStatus, Work,
};

use super::describe::describe;
use super::place::host;
use crate::run::{id as unique, results_named};

/// The list of these tasks, in this order.
pub fn list(works: Vec<Work>, context: TaskContext) -> TaskList {
    let depend = dependencies(&works);
    let tasks = works.into_iter().zip(depend).enumerate().map(|(at, (work, on))| Task {
        id: id(at),
        description: describe(&work),
        work,
        status: TaskStatus::Pending,
        dependencies: on.into_iter().map(id).collect(),
        outcome: None,
    });
    TaskList { id: unique("l"), tasks: tasks.collect(), context, created_at: clock::now() }
}

/// The name of the task at this place.
pub fn id(at: usize) -> String {
    format!("t{}", at + 1)
}

/// A task needs the last one before it that changed something: where a step fails, what was to happen on
/// its page makes no sense. Two things are independent. Reading changes nothing, so nothing needs it but
/// what enters what was read. And going to an address on another site begins anew, whatever became of the
/// site before.
fn dependencies(works: &[Work]) -> Vec<Vec<usize>> {
    let (mut last, mut site) = (None, None);
    let each = works.iter().enumerate().map(|(at, work)| {
        if let Work::Navigate(Navigate::Url(url)) = work {
            let there = host(url);
            if site.is_some() && there != site {
                last = None;
            }
            site = there;
        }
        let mut on: Vec<usize> = last.into_iter().chain(entered(work, at)).collect();
        on.sort_unstable();
        on.dedup();
        if !matches!(work, Work::Extract(_)) {
            last = Some(at);
        }
        on
    });
    each.collect()
}

/// The tasks before this one whose results it enters.
fn entered(work: &Work, at: usize) -> Vec<usize> {
    let Work::Input(Input { value: Some(InputValue::Text(text)), .. }) = work else {
        return Vec::new();
    };
    let named: Vec<&str> = results_named(text).collect();
    (0..at).filter(|before| named.contains(&id(*before).as_str())).collect()
}
