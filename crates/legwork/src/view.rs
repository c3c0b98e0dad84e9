//! What a person at a terminal sees of a run. Pure: a state becomes lines, and nothing here writes, waits
//! or asks. What comes from pages and models is cleaned first, so that no text moves the cursor, colours
//! itself or passes for a line of ours.

mod errands;
mod plain;
#[cfg(test)]
mod properties;
mod request;
mod screen;
#[cfg(test)]
mod stream;
#[cfg(test)]
mod tests;
mod words;

use std::time::Duration;

use legwork_protocol::assistant::{RunStatus, StateUpdate, Task, TaskStatus, Usage};

pub use errands::{Board, question};
pub use plain::{changes, ending};
pub use request::{Window, reaction, request};
pub use screen::Screen;
pub use words::clean;
use words::{cut, number, span};

/// A line, in its tone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// How it is meant.
    pub tone: Tone,
    /// What it says: one line, without control characters.
    pub text: String,
}

/// How a line is meant; a terminal with colours shows it by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Title,
    Plain,
    Faint,
    Busy,
    Good,
    Bad,
    Attention,
}

impl Line {
    fn new(tone: Tone, text: impl Into<String>) -> Line {
        Line { tone, text: text.into() }
    }
}

/// What a view is drawn for.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    /// Its rows.
    pub rows: usize,
    /// Counts up with each drawing, for the spinner.
    pub tick: usize,
    /// How long ago the state was told.
    pub since: Duration,
    /// Whether a person could act in the browser.
    pub window: Window,
}

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// A run as it is now: its tasks, what is under way, what it has cost, and what a person is needed for.
pub fn whole(update: &StateUpdate, look: Look) -> Vec<Line> {
    let spinner = SPINNER[look.tick % SPINNER.len()];
    let width = look.width.max(20);
    let help = update.assistance.as_ref().map(|asked| request(asked, width, look.window));
    let mut help = help.unwrap_or_default();
    let mut below = Vec::new();
    if !update.status.is_final() {
        below.push(Line::new(Tone::Busy, cut(&activity(update, spinner), width)));
    }
    below.push(Line::new(Tone::Faint, cut(&costs(update, look.since), width)));
    below.append(&mut help);
    let title = Line::new(Tone::Title, cut(&clean(&update.instruction), width));
    let room = look.rows.saturating_sub(below.len() + 2).max(3);
    let tasks = tasks(update);
    let shown = window(tasks, room).into_iter().map(|row| match row {
        Row::Task(number, task) => task_line(number, task, spinner, width),
        Row::Left(count, done) => left_out(count, done),
    });
    let mut lines: Vec<Line> = std::iter::once(title).chain(shown).chain(below).collect();
    // What does not fit would scroll and could not be taken back; what a person has to do is last.
    lines.drain(..lines.len().saturating_sub(look.rows.saturating_sub(1).max(1)));
    lines
}

/// What is under way. There is a line for it also when nothing is, so that nothing jumps.
fn activity(update: &StateUpdate, spinner: &str) -> String {
    let doing = update.activity.as_ref().map(|activity| clean(&activity.doing));
    match (doing, update.status) {
        (Some(doing), _) => format!("{spinner} {doing}"),
        (None, RunStatus::Interpreting) => format!("{spinner} reading the instruction"),
        (None, RunStatus::Running) => spinner.to_owned(),
        (None, _) => String::new(),
    }
}

/// The tasks, as far as they are known.
fn tasks(update: &StateUpdate) -> &[Task] {
    update.tasks.as_ref().map_or(&[], |list| &list.tasks)
}

/// The mark of a task's status; what is under way turns.
fn mark(status: TaskStatus, spinner: &str) -> &str {
    match status {
        TaskStatus::Pending => "·",
        TaskStatus::Executing => spinner,
        TaskStatus::Completed => "✓",
        TaskStatus::Failed => "✗",
        TaskStatus::RequiresAssistance => "!",
    }
}

fn tone(status: TaskStatus) -> Tone {
    match status {
        TaskStatus::Pending => Tone::Faint,
        TaskStatus::Executing => Tone::Busy,
        TaskStatus::Completed => Tone::Good,
        TaskStatus::Failed => Tone::Bad,
        TaskStatus::RequiresAssistance => Tone::Attention,
    }
}

fn task_line(number: usize, task: &Task, spinner: &str, width: usize) -> Line {
    let mark = mark(task.status, spinner);
    let mut text = format!("  {mark} {number}. {}", clean(&task.description));
    if let (TaskStatus::Failed, Some(why)) = (task.status, &task.outcome) {
        text = format!("{text}: {}", clean(why));
    }
    Line::new(tone(task.status), cut(&text, width))
}

enum Row<'a> {
    Task(usize, &'a Task),
    /// So many are not shown, of which so many are completed.
    Left(usize, usize),
}

/// Those tasks for which there is room, with the one that counts now among them.
fn window(tasks: &[Task], room: usize) -> Vec<Row<'_>> {
    let numbered = || tasks.iter().enumerate().map(|(at, task)| Row::Task(at + 1, task));
    if tasks.len() <= room {
        return numbered().collect();
    }
    let room = room.saturating_sub(2).max(1);
    let now = tasks.iter().position(|task| !task.status.is_final()).unwrap_or(tasks.len() - 1);
    let first = now.saturating_sub(room / 2).min(tasks.len() - room);
    let left = |tasks: &[Task]| (!tasks.is_empty()).then(|| Row::Left(tasks.len(), done(tasks)));
    let before = left(&tasks[..first]);
    let after = left(&tasks[first + room..]);
    before.into_iter().chain(numbered().skip(first).take(room)).chain(after).collect()
}

fn left_out(count: usize, done: usize) -> Line {
    Line::new(Tone::Faint, format!("  … {count} more, {done} done"))
}

fn done(tasks: &[Task]) -> usize {
    tasks.iter().filter(|task| task.status == TaskStatus::Completed).count()
}

/// How far it is and what that has cost, on one line.
fn costs(update: &StateUpdate, since: Duration) -> String {
    let Usage { turns, actions, input_tokens, output_tokens, cost_micros, elapsed_ms, .. } =
        update.usage;
    let at_work = matches!(update.status, RunStatus::Interpreting | RunStatus::Running);
    let since = if at_work { since } else { Duration::ZERO };
    let tasks = tasks(update);
    let mut pieces = vec![status(update).to_owned()];
    if !tasks.is_empty() {
        pieces.push(format!("{} of {} done", done(tasks), tasks.len()));
    }
    pieces.push(span(Duration::from_millis(elapsed_ms) + since));
    pieces.push(number(actions.into(), "action"));
    if turns > 0 {
        pieces.push(number(turns.into(), "turn"));
        pieces.push(number(input_tokens + output_tokens, "token"));
    }
    if let Some(micros) = cost_micros {
        pieces.push(words::dollars(micros));
    }
    pieces.join(" · ")
}

/// How a run is going, in a word. One that stopped and had no time to say how it ended was interrupted.
pub fn status(update: &StateUpdate) -> &'static str {
    match update.status {
        RunStatus::Stopped if update.finished.is_none() => "interrupted",
        RunStatus::Interpreting => "reading",
        RunStatus::Planned => "planned",
        RunStatus::Running => "running",
        RunStatus::Waiting => "waiting for you",
        RunStatus::Completed => "completed",
        RunStatus::Failed => "failed",
        RunStatus::Stopped => "stopped",
    }
}
