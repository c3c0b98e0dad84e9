//! A model plans what the grammar does not understand. What it answers is checked like anything that comes
//! from outside; it is told once what is wrong with it, and then believed no more.

use legwork_local::clock;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use legwork_protocol::assistant::{
    Click, Drag, Extract, ExtractAs, Gesture, Input, InputValue, Navigate, Scroll, ScrollBy, Task,
    TaskContext, TaskList, TaskStatus, Wait, WaitFor, Work,
};
use serde::Deserialize;

use super::{Answered, Understood, place, prompt, question};
use crate::model::{Model, ModelError, Part, Request, Stop, Turn};
use crate::run::{self, Hands, results_named};
use crate::think::{self, ThinkError};

/// Plans longer than this are none.
const LONGEST: usize = 60;

/// What a model answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Plan {
    tasks: Vec<Planned>,
    question: Option<Asked>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Asked {
    message: String,
    choices: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Planned {
    id: String,
    description: String,
    #[serde(rename = "type")]
    kind: String,
    how: String,
    target: String,
    value: String,
    options: Vec<String>,
    to: String,
    dependencies: Vec<String>,
}

/// What a plan is asked for.
pub(super) struct Ask<'a> {
    pub(super) said: &'a str,
    pub(super) context: &'a TaskContext,
    /// What the person said to questions so far.
    pub(super) answers: &'a [Answered],
}

impl Ask<'_> {
    /// Asks a model for the tasks of an instruction.
    pub(super) async fn of(
        &self,
        model: &dyn Model,
        hands: &mut dyn Hands,
    ) -> Result<Understood, ThinkError> {
        let &Ask { said, context, answers } = self;
        let mut request = first(prompt::user(said, context, answers));
        let known = std::iter::once(said).chain(answers.iter().filter_map(Answered::own));
        let known = known.collect::<Vec<_>>().join("\n");
        let mut fault = String::new();
        for _ in 0..2 {
            let answer = think::answer(model, hands, &mut request).await?;
            if answer.stop == Stop::Refused {
                let message = format!("The model will not plan this: {}", answer.text.trim());
                return Ok(Understood::Question(question(message, said, Vec::new())));
            }
            match understood(&answer.text, said, context, &known) {
                Ok(understood) => return Ok(understood),
                Err(wrong) => fault = wrong,
            }
            request.turns.push(Turn::Model(answer));
            let told =
                format!("This plan cannot be used: {fault}. Answer with the whole plan, mended.");
            request.turns.push(Turn::User(vec![Part::Text(told)]));
        }
        let message = format!("its plan is no plan: {fault}");
        Err(ModelError::Garbled { model: model.name().into(), message }.into())
    }
}

fn first(told: String) -> Request {
    Request {
        system: prompt::SYSTEM.into(),
        turns: vec![Turn::User(vec![Part::Text(told)])],
        schema: Some(("plan".into(), prompt::schema())),
        max_output: 4000,
        deadline: Duration::from_secs(120),
        ..Default::default()
    }
}

/// What a model's words come to; an error says what is wrong with them.
fn understood(
    text: &str,
    said: &str,
    context: &TaskContext,
    known: &str,
) -> Result<Understood, String> {
    let json = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let json = json.ok_or("it holds no JSON object")?;
    let plan: Plan = serde_json::from_str(json)
        .map_err(|error| format!("it is not in the form asked for ({error})"))?;
    if let Some(asked) = plan.question.filter(|asked| !asked.message.trim().is_empty()) {
        let choices = asked.choices.into_iter().filter(|choice| !choice.trim().is_empty()).take(8);
        return Ok(Understood::Question(question(asked.message, said, choices.collect())));
    }
    check(&plan.tasks, known)?;
    let tasks = plan.tasks.into_iter().map(task).collect::<Result<Vec<Task>, String>>()?;
    let (id, created_at) = (run::id("l"), clock::now());
    Ok(Understood::Tasks(TaskList { id, tasks, context: context.clone(), created_at }))
}

/// Ids, what depends on what, and secrets and files that nobody named: the model has seen a page.
fn check(tasks: &[Planned], known: &str) -> Result<(), String> {
    if tasks.is_empty() || tasks.len() > LONGEST {
        return Err(format!("it has {} tasks instead of 1 to {LONGEST}", tasks.len()));
    }
    let mut ids = BTreeSet::new();
    for task in tasks {
        if task.id.trim().is_empty() || !ids.insert(task.id.as_str()) {
            return Err(format!("the id {:?} is empty or there twice", task.id));
        }
        if task.description.trim().is_empty() {
            return Err(format!("{} has no description", task.id));
        }
        let texts = [&task.target, &task.value, &task.to].into_iter().chain(&task.options);
        for name in texts.flat_map(|text| secrets(text)) {
            if !secrets(known).contains(&name) {
                return Err(format!(
                    "{} names the secret {name:?}, which the instruction does not",
                    task.id
                ));
            }
        }
        let strange = |path: &&String| task.how == "file" && !names_file(known, path.trim());
        if let Some(path) = task.options.iter().chain([&task.value]).find(strange) {
            return Err(format!(
                "{} uploads the file {path:?}, which the instruction does not name",
                task.id
            ));
        }
    }
    for task in tasks {
        if let Some(unread) =
            results_named(&task.value).find(|id| !task.dependencies.iter().any(|on| on == id))
        {
            return Err(format!(
                "{} enters the result of {unread:?} and does not depend on it",
                task.id
            ));
        }
        if let Some(missing) = task.dependencies.iter().find(|on| !ids.contains(on.as_str())) {
            return Err(format!("{} depends on {missing:?}, which is no task", task.id));
        }
    }
    acyclic(tasks)
}

fn acyclic(tasks: &[Planned]) -> Result<(), String> {
    let mut open: BTreeMap<&str, BTreeSet<&str>> = tasks
        .iter()
        .map(|task| (task.id.as_str(), task.dependencies.iter().map(String::as_str).collect()))
        .collect();
    while let Some(free) = open.iter().find(|(_, on)| on.is_empty()).map(|(id, _)| *id) {
        open.remove(free);
        for on in open.values_mut() {
            on.remove(free);
        }
    }
    match open.keys().next() {
        Some(id) => Err(format!("{id} depends on itself in the end")),
        None => Ok(()),
    }
}

fn secrets(text: &str) -> BTreeSet<&str> {
    text.split("{{secret:").skip(1).filter_map(|rest| rest.split("}}").next()).collect()
}

/// Whether a person named this file: the whole of its path, not the end of another's.
pub(crate) fn names_file(said: &str, path: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || "/\\_-~".contains(letter);
    let whole = |at: usize| {
        let (before, behind) = (&said[..at], &said[at + path.len()..]);
        // A full stop ends a sentence, or goes on with the name of a file.
        let ends = behind.strip_prefix('.').unwrap_or(behind);
        !before.ends_with(|letter| part(letter) || letter == '.') && !ends.starts_with(part)
    };
    path.is_empty() || said.match_indices(path).any(|(at, _)| whole(at))
}

fn task(planned: Planned) -> Result<Task, String> {
    let work = work(&planned).map_err(|wrong| format!("{} {wrong}", planned.id))?;
    let Planned { id, description, dependencies, .. } = planned;
    Ok(Task { id, description, work, status: TaskStatus::Pending, dependencies, outcome: None })
}

fn work(task: &Planned) -> Result<Work, String> {
    let target = filled(&task.target);
    let needed = || target.clone().ok_or_else(|| format!("is a {} without a target", task.kind));
    let how = task.how.as_str();
    let value =
        || filled(&task.value).ok_or_else(|| format!("is a {} {how} without a value", task.kind));
    Ok(match task.kind.as_str() {
        "click" => {
            let (target, gesture) = (Some(needed()?), gesture(how)?);
            Work::Click(Click { target, gesture, until: None })
        }
        "input" => Work::Input(input(task, target)?),
        "scroll" => Work::Scroll(scroll(task, target)?),
        "navigate" => Work::Navigate(navigate(task)?),
        "wait" => {
            let until = match how {
                "" | "visible" => WaitFor::Visible(needed()?),
                "gone" => WaitFor::Gone(needed()?),
                "url" => WaitFor::Url(value()?),
                "quiet" => WaitFor::Quiet,
                "time" => WaitFor::Time(value()?),
                _ => return Err(format!("waits {how:?}, which is no way to wait")),
            };
            Work::Wait(Wait { until: Some(until), timeout: None })
        }
        "extract" => Work::Extract(Extract { what: filled(&task.value), target, form: form(how)? }),
        "drag" => {
            let to = filled(&task.to).ok_or("is a drag that leads nowhere: to is missing")?;
            Work::Drag(Drag { from: Some(needed()?), to: Some(to) })
        }
        other => return Err(format!("is of the type {other:?}, which there is not")),
    })
}

fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn gesture(how: &str) -> Result<Gesture, String> {
    Ok(match how {
        "" | "click" => Gesture::Click,
        "double" => Gesture::Double,
        "right" => Gesture::Right,
        "hover" => Gesture::Hover,
        _ => return Err(format!("clicks {how:?}, which is no way to click")),
    })
}

fn form(how: &str) -> Result<ExtractAs, String> {
    Ok(match how {
        "" | "text" => ExtractAs::Text,
        "markdown" => ExtractAs::Markdown,
        "data" => ExtractAs::Data,
        "picture" => ExtractAs::Picture,
        _ => return Err(format!("extracts {how:?}, which is no form")),
    })
}

fn input(task: &Planned, target: Option<String>) -> Result<Input, String> {
    let options = || match task.options.is_empty() {
        true => filled(&task.value).map(|one| vec![one]),
        false => Some(task.options.clone()),
    };
    let value = match task.how.as_str() {
        "" | "text" | "submit" => Some(InputValue::Text(task.value.clone())),
        "options" => Some(InputValue::Options(options().ok_or("chooses no option")?)),
        "check" => Some(InputValue::Checked(true)),
        "uncheck" => Some(InputValue::Checked(false)),
        "file" => Some(InputValue::Files(options().ok_or("uploads no file")?)),
        "key" => Some(InputValue::Key(filled(&task.value).ok_or("presses no key")?)),
        how => return Err(format!("puts in {how:?}, which is no way to put something in")),
    };
    if target.is_none() && !matches!(value, Some(InputValue::Key(_))) {
        return Err("is an input without a target".into());
    }
    Ok(Input { target, value, submit: task.how == "submit" })
}

fn scroll(task: &Planned, target: Option<String>) -> Result<Scroll, String> {
    let pixels = task.value.trim().parse::<i32>().unwrap_or(600).abs();
    let by = match task.how.as_str() {
        "" | "into_view" if target.is_some() => ScrollBy::IntoView,
        "top" => ScrollBy::Top,
        "bottom" => ScrollBy::Bottom,
        "" | "down" => ScrollBy::Pixels(pixels),
        "up" => ScrollBy::Pixels(-pixels),
        how => return Err(format!("scrolls {how:?} to nothing")),
    };
    Ok(Scroll { target, by })
}

fn navigate(task: &Planned) -> Result<Navigate, String> {
    let value = task.value.trim();
    Ok(match task.how.as_str() {
        "" | "url" => Navigate::Url(
            place::address(value, "")
                .ok_or_else(|| format!("goes to {value:?}, which is no address"))?,
        ),
        "back" => Navigate::Back,
        "forward" => Navigate::Forward,
        "reload" => Navigate::Reload,
        "open" => Navigate::Open,
        "tab" => Navigate::Tab(value.parse().map_err(|_| format!("goes to tab {value:?}"))?),
        how => return Err(format!("goes {how:?}, which is no way to go")),
    })
}
