//! What `docs/instructions.md` says is so.

use legwork_protocol::assistant::TaskContext;

use super::super::{Understood, by_grammar};

const PAGE: &str = include_str!("../../../../../docs/instructions.md");

/// What is done or said, in the words of the page.
fn outcome(instruction: &str) -> (&'static str, String) {
    match by_grammar(instruction, &TaskContext::default()) {
        Understood::Tasks(list) => {
            let all: Vec<String> = list.tasks.into_iter().map(|task| task.description).collect();
            ("what is done", all.join("; "))
        }
        Understood::Question(asked) => ("you are asked", asked.message),
        Understood::Beyond { part, .. } => ("not understood", part),
    }
}

#[test]
fn the_examples_of_the_page_are_true() {
    let (mut heading, mut tried, mut wrong) = ("", 0, Vec::new());
    let mut check = |instruction: &str, expected: (&str, &str)| {
        let told = outcome(instruction);
        tried += 1;
        if (told.0, told.1.as_str()) != expected {
            wrong.push(format!("{instruction}\n  says {expected:?}\n  is   {told:?}"));
        }
    };
    for line in PAGE.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        match cells[..] {
            ["you say", kind] => heading = kind,
            [said, expected] if said.starts_with('`') => {
                check(said.trim_matches('`'), (heading, expected));
            }
            _ => {}
        }
    }
    for part in PAGE.split("```instruction\n").skip(1) {
        let (instruction, rest) = part.split_once("\n```").unwrap();
        let tasks = rest.split("```tasks\n").nth(1).unwrap().split("\n```").next().unwrap();
        check(instruction, ("what is done", &tasks.replace('\n', "; ")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried >= 50, "only {tried} examples were found");
}
