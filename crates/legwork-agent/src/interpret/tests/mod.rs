//! What instructions mean, by table and by property.

mod asked;
mod documented;
mod properties;
mod purse;
mod refused;
mod said;
mod understood;
mod with_model;

use legwork_protocol::assistant::{
    ExtractAs, Gesture, Input, InputValue, Navigate, ScrollBy, TaskContext, WaitFor, Work,
};

use super::{Understood, by_grammar};

/// What an instruction means, one line for each task.
fn told(instruction: &str, context: &TaskContext) -> String {
    match by_grammar(instruction, context) {
        Understood::Tasks(list) => {
            list.tasks.iter().map(|task| line(&task.work)).collect::<Vec<_>>().join("; ")
        }
        Understood::Question(asked) => {
            format!("? {} [{}]", asked.message, asked.choices.join(" | "))
        }
        Understood::Beyond { part, hint } => format!("beyond {part:?} ({hint})"),
    }
}

/// A task, written differently from how the grammar describes it.
fn line(work: &Work) -> String {
    let or = |target: &Option<String>| target.clone().unwrap_or_else(|| "-".into());
    match work {
        Work::Click(click) => {
            let verb = match click.gesture {
                Gesture::Click => "click",
                Gesture::Double => "double",
                Gesture::Right => "right",
                Gesture::Hover => "hover",
            };
            let until = click.until.as_ref().map(|until| format!(" until {until:?}"));
            format!("{verb} {}{}", or(&click.target), until.unwrap_or_default())
        }
        Work::Input(Input { target, value, submit }) => {
            let value = match value {
                None => "nothing".into(),
                Some(InputValue::Text(text)) => format!("text {text}"),
                Some(InputValue::Options(options)) => format!("options {}", options.join("/")),
                Some(InputValue::Checked(on)) => format!("checked {on}"),
                Some(InputValue::Files(files)) => format!("files {}", files.join("/")),
                Some(InputValue::Key(key)) => format!("key {key}"),
            };
            format!("{} <- {value}{}", or(target), if *submit { " + Enter" } else { "" })
        }
        Work::Scroll(scroll) => match scroll.by {
            ScrollBy::IntoView => format!("scroll to {}", or(&scroll.target)),
            by => format!("scroll {} {by:?}", or(&scroll.target)),
        },
        Work::Navigate(Navigate::Url(url)) => format!("goto {url}"),
        Work::Navigate(to) => format!("navigate {to:?}"),
        Work::Wait(wait) => {
            let limit =
                wait.timeout.as_ref().map_or(String::new(), |limit| format!(" within {limit}"));
            match wait.until.as_ref().unwrap() {
                WaitFor::Visible(what) => format!("wait {what}{limit}"),
                WaitFor::Gone(what) => format!("wait gone {what}{limit}"),
                other => format!("wait {other:?}{limit}"),
            }
        }
        Work::Extract(extract) => {
            let form = match extract.form {
                ExtractAs::Text => String::new(),
                form => format!(" as {form:?}"),
            };
            format!("read {} from {}{form}", or(&extract.what), or(&extract.target))
        }
        Work::Drag(drag) => format!("drag {} onto {}", or(&drag.from), or(&drag.to)),
    }
}

/// Holds a table against the grammar, and shows all that differs at once.
fn check(context: &TaskContext, table: &[(&str, &str)]) {
    let told = table
        .iter()
        .map(|(instruction, expected)| (instruction, expected, told(instruction, context)));
    let wrong: Vec<String> = told
        .filter(|(_, expected, told)| told != *expected)
        .map(|(instruction, expected, told)| {
            format!("{instruction}\n  expected {expected}\n  told     {told}")
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}
