//! "Same as before": the tasks of the last instruction once more, as they were or with one value changed.

use legwork_protocol::assistant::{CompletedTask, Input, InputValue, Work};

use super::english::{English, Sense};
use super::fault::Fault;
use super::gap::Gap;
use super::mean::Reading;
use super::phrase::{self, quoted};
use super::scene::{Scene, target_of};
use super::{tasks, value};
use crate::run::results_named;

/// The tasks once more.
pub fn works(reading: &Reading, scene: &Scene) -> Result<Vec<Work>, Fault> {
    let mut works = last(&scene.context.previous_tasks, scene.count);
    if works.is_empty() {
        return Err(Fault::beyond(
            reading.tokens,
            "nothing was done before in this session: say what to do",
        ));
    }
    if reading.sense == Sense::Again {
        return Ok(works);
    }
    let new = value::text(reading.need(Gap::Value), scene)?;
    let field = reading.gap(Gap::Target).map(|words| phrase::target(words, scene)).transpose()?;
    let places: Vec<usize> = (0..works.len())
        .filter(|at| changeable(&works[*at]).is_some_and(|old| fits(old, &new, field.is_some())))
        .filter(|at| field.as_deref().is_none_or(|field| is_at(&works[*at], field)))
        .collect();
    match places[..] {
        [place] => {
            change(&mut works[place], new);
            Ok(works)
        }
        _ => Err(which(reading, &works, &places, &new)),
    }
}

/// The tasks of the last instruction. One that failed and was tried again counts once.
fn last(done: &[CompletedTask], count: usize) -> Vec<Work> {
    let Some(newest) = done.last() else { return Vec::new() };
    let same =
        |it: &CompletedTask| it.list_id == newest.list_id && it.instruction == newest.instruction;
    let from = done.iter().rposition(|it| !same(it));
    let mut once: Vec<&CompletedTask> = Vec::new();
    for done in &done[from.map_or(0, |at| at + 1)..] {
        match once.iter_mut().find(|it| it.task.id == done.task.id) {
            Some(tried) => *tried = done,
            None => once.push(done),
        }
    }
    let mut works: Vec<Work> = once.iter().map(|done| done.task.work.clone()).collect();
    works.iter_mut().for_each(|work| renumber(work, &once, count));
    works
}

/// What one task reads for another has another number now.
fn renumber(work: &mut Work, done: &[&CompletedTask], count: usize) {
    let Work::Input(Input { value: Some(InputValue::Text(text)), .. }) = work else { return };
    let named: Vec<String> = results_named(text).map(str::to_owned).collect();
    for id in named {
        if let Some(at) = done.iter().position(|done| done.task.id == id) {
            let (old, new) = (format!("{{{{result:{id}}}}}"), tasks::id(count + at));
            *text = text.replace(&old, &format!("{{{{result:{new}}}}}"));
        }
    }
}

/// The value of a task that another can take the place of.
fn changeable(work: &Work) -> Option<&str> {
    match work {
        Work::Input(input) => match input.value.as_ref()? {
            InputValue::Text(text) => Some(text),
            InputValue::Options(options) => match &options[..] {
                [one] => Some(one),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn change(work: &mut Work, new: String) {
    if let Work::Input(input) = work {
        input.value = match input.value {
            Some(InputValue::Options(_)) => Some(InputValue::Options(vec![new])),
            _ => Some(InputValue::Text(new)),
        };
    }
}

fn is_at(work: &Work, field: &str) -> bool {
    let bare = |text: &str| text.trim_start_matches("the ").trim_matches('"').to_lowercase();
    target_of(work).is_some_and(|target| bare(target).contains(&bare(field)))
}

/// Whether a new value is of the old one's sort; any will do where the field is named. A secret is never
/// changed for something else.
fn fits(old: &str, new: &str, named: bool) -> bool {
    sort(old) == sort(new) || named && sort(old) != Sort::Secret
}

#[derive(Debug, PartialEq, Eq)]
enum Sort {
    Secret,
    Email,
    Date,
    Number,
    Words,
}

fn sort(text: &str) -> Sort {
    let english = English::get();
    let months = english.list("months");
    let lower = text.to_lowercase();
    let digit = text.contains(|c: char| c.is_ascii_digit());
    let month = lower.split(|c: char| !c.is_alphabetic()).any(|word| {
        months.iter().any(|month| word.starts_with(month)) && word.len() >= 3 && word.len() <= 9
    });
    let digits = text.chars().all(|c| c.is_ascii_digit() || "-/.".contains(c));
    let pieces = text.split(['-', '/', '.']).filter(|piece| !piece.is_empty()).count();
    if text.contains("{{secret:") {
        Sort::Secret
    } else if text.contains('@') {
        Sort::Email
    } else if digit && month || digits && pieces == 3 || english.has("days", &lower) {
        Sort::Date
    } else if text.trim().parse::<f64>().is_ok() {
        Sort::Number
    } else {
        Sort::Words
    }
}

fn which(reading: &Reading, works: &[Work], places: &[usize], new: &str) -> Fault {
    let all: Vec<usize> = (0..works.len()).filter(|at| changeable(&works[*at]).is_some()).collect();
    let open = if places.is_empty() { &all[..] } else { places };
    let choice = |at: &usize| {
        let field = target_of(&works[*at])?;
        let secret = changeable(&works[*at]).is_none_or(|old| sort(old) == Sort::Secret);
        let field = quoted(field.trim_start_matches("the ").trim_matches('"'));
        (!secret).then(|| format!("same as before with {} as {field}", quoted(new)))
    };
    let choices: Vec<String> = open.iter().filter_map(choice).collect();
    let new = quoted(new);
    if choices.is_empty() {
        let hint =
            format!("nothing that was entered before can be changed to {new}: say what to do");
        return Fault::beyond(reading.tokens, hint);
    }
    let message = format!("In the place of what should {new} go?");
    Fault::doubt(reading.tokens, message, choices)
}
