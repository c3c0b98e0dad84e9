//! What a person says of a run while it goes on, without a model: read by a few plain patterns against the
//! tasks to come. What none of them fits is kept as a preference, and said to be so.

mod kind;
mod said;

use legwork_protocol::assistant::{InputValue, Task, TaskContext, TaskStatus, Work};

use super::direct::words::ordinal;
use super::worker::Worker;
use crate::interpret::english::English;
use crate::interpret::{Understood, by_grammar, update_context};
pub(super) use kind::Unclear;
use kind::same_kind;
use said::{Order, assigned, bare, behind, instead, ordered, swapped};

/// The outcome of a task that the person left out.
pub(super) const LEFT_OUT: &str = "left out, as you said";

/// What a remark comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing more is to be done.
    Stop,
    /// The task at this place is left out.
    Skip(usize),
    /// Tasks to come were changed; in words.
    Changed(String),
    /// It may be meant for one of several: nothing changes until the person says which.
    Unclear(Unclear),
    /// Nothing to come fits it: kept for when something does.
    Kept,
}

/// Whether a remark ends the run.
pub(super) fn is_stop(text: &str) -> bool {
    English::get().has("stops", &bare(text))
}

impl Worker {
    /// Hears what was said since, and changes what follows. `true` if the person ends the run.
    pub(super) fn hear(&mut self) -> bool {
        while let Some(text) = self.said() {
            if self.hear_this(text) {
                return true;
            }
        }
        false
    }

    pub(super) fn hear_this(&mut self, text: String) -> bool {
        if let Some(told) = self.add(&text) {
            self.say_doing(&format!("as you said: {told}"));
            return false;
        }
        let Some(list) = self.list() else { return false };
        match apply(&text, &mut list.tasks) {
            Heard::Stop => return true,
            Heard::Skip(index) => {
                let id = list.tasks[index].id.clone();
                self.record.left_out.push(id);
                self.pass_on(text);
                self.set_task(index, TaskStatus::Failed, Some(LEFT_OUT.into()));
            }
            Heard::Changed(how) => {
                self.pass_on(text);
                self.say_doing(&format!("as you said: {how}"));
            }
            Heard::Unclear(unclear) => self.unclear.push(unclear),
            Heard::Kept => self.keep(text),
        }
        false
    }

    /// What changes tasks to come may also concern the one that a model works at.
    fn pass_on(&mut self, text: String) {
        if self.current.is_some() {
            self.note_remark(&text);
            self.record.remarks.push(text);
        }
    }

    /// Keeps a remark for the model and for what may be settled by it later.
    fn keep(&mut self, text: String) {
        self.note_remark(&text);
        if self.desk.settings.model.is_some() {
            self.say_doing(&format!("kept as a preference: {text:?}"));
            self.record.remarks.push(text);
        } else {
            self.say_doing(&format!(
                "{text:?} is not understood without a model: nothing changes now; it is kept as a preference"
            ));
        }
    }

    /// What was said may settle which of several things is meant, now or in a later run of the session.
    pub(super) fn note_remark(&mut self, text: &str) {
        let Some(list) = self.list() else { return };
        update_context(&mut list.context, text);
        let preferences = list.context.user_preferences.clone();
        self.note_preferences(&preferences);
    }

    /// `then …`, `also …`: more to do, after the rest. In words what was added, if it is understood.
    fn add(&mut self, text: &str) -> Option<String> {
        let lower = text.trim().to_lowercase();
        let leads =
            |lead: &&String| lower.strip_prefix(&**lead).is_some_and(|rest| rest.starts_with(' '));
        let lead = English::get().list("more").iter().find(leads)?;
        let rest = text.trim().get(lead.len() + 1..)?;
        let list = self.list()?;
        let Understood::Tasks(more) = by_grammar(rest, &list.context) else { return None };
        // What stands for the result of a task is counted within the words that were said.
        let mut stands = false;
        for work in more.tasks.iter().map(|task| &task.work) {
            each_text(&mut work.clone(), |text| stands |= text.contains("{{result:"));
        }
        if stands {
            return None;
        }
        let count = list.tasks.len();
        let shifted = |id: &String| {
            let number = id.trim_start_matches('t').parse::<usize>().unwrap_or_default();
            format!("t{}", number + count)
        };
        let added: Vec<Task> = more
            .tasks
            .into_iter()
            .map(|task| Task {
                id: shifted(&task.id),
                dependencies: task.dependencies.iter().map(shifted).collect(),
                ..task
            })
            .collect();
        let told: Vec<String> = added.iter().map(|task| task.description.clone()).collect();
        list.tasks.extend(added);
        (!told.is_empty()).then(|| format!("also {}", told.join(", ")))
    }
}

/// Reads a remark against the tasks to come. What may as well be about the one under way is left to who does
/// that.
pub(super) fn apply(text: &str, tasks: &mut [Task]) -> Heard {
    if is_stop(text) {
        return Heard::Stop;
    }
    let said = bare(text);
    if let Some(what) = behind(&said, "skips") {
        return skip(what, tasks).map_or(Heard::Kept, Heard::Skip);
    }
    if let Some((new, old)) = instead(text) {
        return replace(&old, &new, tasks);
    }
    if let Some(heard) = ordered(text).and_then(|order| rather(order, tasks)) {
        return heard;
    }
    if let Some((field, value)) = assigned(text) {
        return assign(&field, &value, tasks);
    }
    let one = said.strip_suffix(" one").map(|rest| rest.trim_start_matches("the ").to_owned());
    let word = one.or_else(|| English::get().alike(&said).map(|_| said.clone()));
    match word {
        Some(word) if ordinal(&word, 100).is_some() => place(&word, tasks),
        Some(word) => same_kind(&word, tasks),
        None => Heard::Kept,
    }
}

fn to_come(task: &Task) -> bool {
    task.status == TaskStatus::Pending
}

fn under_way(task: &Task) -> bool {
    matches!(task.status, TaskStatus::Executing | TaskStatus::RequiresAssistance)
}

/// The task that is meant to be left out: the next, or the only one that says these words.
fn skip(what: &str, tasks: &[Task]) -> Option<usize> {
    if English::get().has("upcoming", what) {
        let next = what.contains("next") || !tasks.iter().any(under_way);
        return tasks.iter().position(to_come).filter(|_| next);
    }
    let what = what.trim_start_matches("the ");
    let says = |task: &Task| task.id == what || task.description.to_lowercase().contains(what);
    let mut fitting = tasks.iter().enumerate().filter(|(_, task)| to_come(task) && says(task));
    match (fitting.next(), fitting.next()) {
        (Some((index, _)), None) => Some(index),
        _ => None,
    }
}

/// Puts words in the place of others, wherever tasks to come say them.
fn replace(old: &str, new: &str, tasks: &mut [Task]) -> Heard {
    replace_in(|_| true, (old, new), tasks)
}

/// The same where a text is one of these.
fn replace_in(fits: impl Fn(&str) -> bool, (old, new): (&str, &str), tasks: &mut [Task]) -> Heard {
    let mut changed = Vec::new();
    for task in tasks.iter_mut().filter(|task| to_come(task)) {
        let mut touched = false;
        each_text(&mut task.work, |text| {
            // What stands for a secret or a result is a name; words of a person do not change it.
            if text.contains("{{") || !fits(text) {
                return;
            }
            if let Some(other) = swapped(text, old, new) {
                *text = other;
                touched = true;
            }
        });
        if touched {
            task.description =
                swapped(&task.description, old, new).unwrap_or(task.description.clone());
            changed.push(task.id.clone());
        }
    }
    match changed.is_empty() {
        true => Heard::Kept,
        false => Heard::Changed(format!("{new:?} instead of {old:?} in {}", changed.join(", "))),
    }
}

/// An order is about the one task to come that does the same: it is done in that way, or not at all.
fn rather(order: Order<'_>, tasks: &mut [Task]) -> Option<Heard> {
    let (Order::Rather(words) | Order::Not(words)) = order;
    let Understood::Tasks(read) = by_grammar(words, &TaskContext::default()) else { return None };
    let [new] = read.tasks.as_slice() else { return None };
    let means = |task: &Task| {
        let named = match order {
            // Something else is pressed or opened instead; a field stays the same.
            Order::Rather(_) => !matches!(new.work, Work::Input(_)),
            Order::Not(_) => false,
        };
        let same = || target_of(&task.work) == target_of(&new.work);
        let open = to_come(task) || under_way(task);
        open && task.work.kind() == new.work.kind() && (named || same())
    };
    let mut fitting = (0..tasks.len()).filter(|index| means(&tasks[*index]));
    let (Some(index), None) = (fitting.next(), fitting.next()) else { return None };
    if !to_come(&tasks[index]) {
        return None;
    }
    if let Order::Not(_) = order {
        return Some(Heard::Skip(index));
    }
    tasks[index].work = new.work.clone();
    tasks[index].description.clone_from(&new.description);
    Some(Heard::Changed(format!("{} in {}", new.description, tasks[index].id)))
}

/// What a task is done to, as it is compared.
fn target_of(work: &Work) -> Option<String> {
    let target = match work {
        Work::Click(click) => click.target.as_ref(),
        Work::Input(input) => input.target.as_ref(),
        Work::Extract(extract) => extract.target.as_ref(),
        _ => None,
    };
    target.map(|target| target.to_lowercase())
}

/// Gives the field that is meant another value, if exactly one task to come fills it.
fn assign(field: &str, value: &str, tasks: &mut [Task]) -> Heard {
    let wanted = field.to_lowercase();
    let means = |task: &&mut Task| {
        let Work::Input(input) = &task.work else { return false };
        let target = input.target.as_deref().unwrap_or_default().to_lowercase();
        to_come(task)
            && target
                .split(|it: char| !it.is_alphanumeric())
                .collect::<Vec<_>>()
                .join(" ")
                .contains(&wanted)
    };
    let mut fitting: Vec<&mut Task> = tasks.iter_mut().filter(means).collect();
    let [task] = fitting.as_mut_slice() else { return Heard::Kept };
    let Work::Input(input) = &mut task.work else { return Heard::Kept };
    let told = match &mut input.value {
        Some(InputValue::Text(text)) => std::mem::replace(text, value.to_owned()),
        Some(InputValue::Options(options)) => {
            std::mem::replace(options, vec![value.to_owned()]).join(", ")
        }
        _ => return Heard::Kept,
    };
    task.description = swapped(&task.description, &told, value).unwrap_or(task.description.clone());
    Heard::Changed(format!("{field:?} is {value:?} in {}", task.id))
}

/// `the second one`: the next task that names an element means that one of several.
fn place(word: &str, tasks: &mut [Task]) -> Heard {
    if tasks.iter().any(under_way) {
        return Heard::Kept;
    }
    for task in tasks.iter_mut().filter(|task| to_come(task)) {
        let target = match &mut task.work {
            Work::Click(click) => click.target.as_mut(),
            Work::Input(input) => input.target.as_mut(),
            Work::Extract(extract) => extract.target.as_mut(),
            Work::Drag(drag) => drag.from.as_mut(),
            _ => None,
        };
        let Some(target) = target else { continue };
        let rest = target
            .split_once(' ')
            .filter(|(first, _)| ordinal(&first.to_lowercase(), 100).is_some());
        let name = rest.map_or(target.as_str(), |(_, rest)| rest);
        *target = format!("{word} {name}");
        return Heard::Changed(format!("{target:?} in {}", task.id));
    }
    Heard::Kept
}

/// Calls `change` with every text of a task that names an element or a value.
fn each_text(work: &mut Work, mut change: impl FnMut(&mut String)) {
    match work {
        Work::Click(click) => click.target.iter_mut().for_each(change),
        Work::Input(input) => {
            input.target.iter_mut().for_each(&mut change);
            match &mut input.value {
                Some(InputValue::Text(text)) => change(text),
                Some(InputValue::Options(options)) => options.iter_mut().for_each(change),
                _ => {}
            }
        }
        Work::Scroll(scroll) => scroll.target.iter_mut().for_each(change),
        Work::Extract(extract) => extract.target.iter_mut().for_each(change),
        Work::Drag(drag) => [&mut drag.from, &mut drag.to].into_iter().flatten().for_each(change),
        Work::Navigate(_) | Work::Wait(_) => {}
    }
}

#[cfg(test)]
mod tests;
