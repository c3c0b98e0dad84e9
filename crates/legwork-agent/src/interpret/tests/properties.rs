//! What holds of every instruction, whoever writes it.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use legwork_protocol::assistant::{
    BrowserState, ElementSnapshot, TaskContext, TaskList, TaskStatus, Work,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::super::phrase::{quoted, quoted_name};
use super::super::token::{Kind, tokens};
use super::super::{Answered, Interpreter, Understood, by_grammar, describe, remember};
use super::purse::Purse;
use super::said::{NAMES, Said, VALUES, instruction, one};
use super::told;

/// What every task list has to be.
fn assert_sound(list: &TaskList) {
    assert!(!list.id.is_empty() && list.created_at.ends_with('Z'));
    for (at, task) in list.tasks.iter().enumerate() {
        assert_eq!(task.id, format!("t{}", at + 1));
        assert!(!task.description.trim().is_empty());
        assert_eq!(task.status, TaskStatus::Pending);
        assert_eq!(task.outcome, None);
        let earlier = |on: &String| list.tasks[..at].iter().any(|task| task.id == *on);
        assert!(task.dependencies.iter().all(earlier), "{task:?}");
        let wire = serde_json::to_value(task).unwrap();
        for field in ["id", "description", "type", "parameters", "status", "dependencies"] {
            assert!(wire.get(field).is_some(), "{field} is missing in {wire}");
        }
        let again: legwork_protocol::assistant::Task = serde_json::from_value(wire).unwrap();
        assert_eq!(again, *task);
        let target = super::super::scene::target_of(&task.work);
        assert!(target.is_none_or(|target| !target.trim().is_empty()), "{task:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    /// **Feature: browser-automation-assistant, Property 1: Task interpretation produces valid structure.**
    /// For any valid user input string, the task interpreter should produce a TaskList object with properly
    /// formatted Task objects containing all required fields.
    #[test]
    fn what_is_said_plainly_becomes_exactly_these_tasks((said, works) in instruction()) {
        match by_grammar(&said, &TaskContext::default()) {
            Understood::Tasks(list) => {
                assert_sound(&list);
                let got: Vec<Work> = list.tasks.into_iter().map(|task| task.work).collect();
                prop_assert_eq!(got, works, "{}", said);
            }
            other => prop_assert!(false, "{}\n{:?}", said, other),
        }
    }

    /// **Feature: browser-automation-assistant, Property 1: Task interpretation produces valid structure.**
    /// Whatever else is said: it is a sound list, a question with words in it, or beyond with its part and a
    /// hint, and never a crash.
    #[test]
    fn whatever_is_said_has_a_sound_answer(said in anything()) {
        match by_grammar(&said, &TaskContext::default()) {
            Understood::Tasks(list) => assert_sound(&list),
            Understood::Question(asked) => prop_assert!(!asked.message.is_empty() && !asked.id.is_empty()),
            Understood::Beyond { part, hint } => {
                prop_assert!(said.contains(&part) && !hint.is_empty(), "{part:?} {hint:?}");
            }
        }
    }

    /// **Feature: browser-automation-assistant, Property 3: Ambiguous input triggers clarification.**
    /// For any ambiguous user input, the system should request clarification rather than proceeding with
    /// task execution.
    #[test]
    fn what_is_ambiguous_is_asked((said, context) in ambiguous(), lead in one(), tail in one()) {
        for whole in [said.clone(), format!("{}. {said}. {}", clear(&lead), tail.0)] {
            let Understood::Question(asked) = by_grammar(&whole, &context) else {
                return Err(TestCaseError::fail(format!("{whole} is not asked: {}", told(&whole, &context))));
            };
            prop_assert!(!asked.message.trim().is_empty());
            for choice in &asked.choices {
                let answered = super::super::answer::put(&whole, &context, choice).unwrap();
                match by_grammar(&answered, &context) {
                    Understood::Question(again) => prop_assert_ne!(again.message, asked.message.clone()),
                    Understood::Tasks(_) => {}
                    beyond => prop_assert!(false, "{} becomes {}: {:?}", whole, answered, beyond),
                }
            }
        }
    }

    /// **Feature: browser-automation-assistant, Property 3: Ambiguous input triggers clarification.**
    /// What is not understood at all is asked about as well, with a choice that does the rest and nothing else.
    #[test]
    fn what_is_beyond_is_asked_with_a_choice(
        beyond in beyond(), lead in one(), tail in one(), alone in any::<bool>(),
    ) {
        let (context, lead) = (TaskContext::default(), clear(&lead));
        let (whole, rest) = match alone {
            true => (beyond.to_owned(), "do nothing".to_owned()),
            false => (format!("{lead}. {beyond}. {}", tail.0), format!("{lead}. {}", tail.0)),
        };
        let (interpreter, mut purse) = (Interpreter::default(), Purse::default());
        let understood = interpreter.interpret(&whole, &context, &[], &mut purse);
        let understood = understood.now_or_never().unwrap().unwrap();
        let Understood::Question(asked) = understood else {
            return Err(TestCaseError::fail(format!("{whole} is {understood:?}")));
        };
        prop_assert!(asked.message.contains("is not understood"), "{}", asked.message);
        let answers = [Answered::of("1".into(), &asked.choices)];
        let done = interpreter.interpret(&whole, &context, &answers, &mut purse);
        let done = done.now_or_never().unwrap().unwrap();
        let works = |understood| match understood {
            Understood::Tasks(list) => list.tasks.into_iter().map(|task| task.work).collect(),
            other => panic!("{whole} becomes {other:?}"),
        };
        let (done, expected): (Vec<Work>, Vec<Work>) =
            (works(done), works(by_grammar(&rest, &context)));
        prop_assert_eq!(done, expected);
    }

    /// **Feature: browser-automation-assistant, Property 4: Context preservation across interactions.**
    /// For any sequence of task submissions within a session, the task context should accumulate and preserve
    /// information from all previous interactions.
    #[test]
    fn a_session_forgets_nothing(
        steps in proptest::collection::vec((instruction(), preference(), any::<bool>()), 1..6),
    ) {
        let mut context = TaskContext::default();
        let (mut done, mut liked): (Vec<(String, Work)>, BTreeMap<String, String>) = Default::default();
        for ((said, works), (topic, value), prefers) in steps {
            let said = if prefers { format!("Always use {topic} {value}.\n{said}") } else { said };
            let Understood::Tasks(mut list) = by_grammar(&said, &context) else {
                return Err(TestCaseError::fail(told(&said, &context)));
            };
            prop_assert_eq!(&list.context.previous_tasks, &context.previous_tasks);
            list.tasks.iter_mut().for_each(|task| task.status = TaskStatus::Completed);
            remember(&mut context, &said, &list);
            if prefers {
                liked.insert(topic.clone(), value.clone());
            }
            done.extend(works.iter().map(|work| (said.clone(), work.clone())));
            let kept: Vec<(String, Work)> = context
                .previous_tasks
                .iter()
                .map(|done| (done.instruction.clone(), done.task.work.clone()))
                .collect();
            prop_assert_eq!(&kept, &done);
            prop_assert_eq!(&context.user_preferences.0, &liked);
            // And it is used: the same again is what was done last.
            let Understood::Tasks(again) = by_grammar("do the same again", &context) else {
                return Err(TestCaseError::fail(told("do the same again", &context)));
            };
            let again: Vec<Work> = again.tasks.into_iter().map(|task| task.work).collect();
            prop_assert_eq!(again, works);
        }
    }

    /// Whatever a text says, in quotes it is one thing to the letter and nothing to do.
    #[test]
    fn what_is_quoted_is_one_quoted_text(text in quotes()) {
        let read = tokens(&quoted(&text));
        prop_assert!(matches!(&read[..], [one] if one.kind == Kind::Quoted), "{:?}", read);
        if !text.contains(['\n', '\r', '"']) {
            prop_assert_eq!(&read[0].text, &text);
        }
        let named = quoted_name(&text).map(|name| tokens(&name));
        let one = named.as_ref().is_none_or(|read| {
            matches!(&read[..], [one] if one.kind == Kind::Quoted && !one.text.contains('"'))
        });
        prop_assert!(one, "{:?}", named);
    }

    /// What a page calls its elements adds nothing to what was asked for.
    #[test]
    fn the_name_of_an_element_is_never_an_instruction(
        name in quotes(),
        lead in select(vec!["", "click the 5\" one. ", "click “Save. ", "go back.\n"]),
    ) {
        let context = page_of(&[&name]);
        let said = format!("{lead}type hello");
        let Understood::Question(asked) = by_grammar(&said, &context) else { return Ok(()) };
        for choice in &asked.choices {
            let Some(answered) = super::super::answer::put(&said, &context, choice) else { continue };
            let Understood::Tasks(list) = by_grammar(&answered, &context) else { continue };
            let Understood::Tasks(plain) = by_grammar(&format!("{said} into Name"), &context) else {
                continue;
            };
            let kinds = |list: &TaskList| {
                list.tasks.iter().map(|task| std::mem::discriminant(&task.work)).collect::<Vec<_>>()
            };
            prop_assert_eq!(kinds(&list), kinds(&plain), "{}", answered);
        }
    }

    /// A task's description says the task: read as an instruction, it is the same task again.
    #[test]
    fn descriptions_mean_what_they_describe((_, work) in one()) {
        let said = describe(&work);
        match by_grammar(&said, &TaskContext::default()) {
            Understood::Tasks(list) => {
                let works: Vec<&Work> = list.tasks.iter().map(|task| &task.work).collect();
                prop_assert_eq!(works, vec![&work], "{}", said);
            }
            other => prop_assert!(false, "{} is {:?}", said, other),
        }
    }
}

/// What is said so that nothing is left for a pronoun or for text without a field to refer to.
fn clear((_, work): &Said) -> String {
    match work {
        Work::Navigate(_) => describe(work),
        _ => "go to example.com".to_owned(),
    }
}

fn preference() -> impl Strategy<Value = (String, String)> {
    (
        select(vec!["size", "colour", "seat", "language"]),
        select(vec!["large", "blue", "window", "German"]),
    )
        .prop_map(|(topic, value)| (topic.to_owned(), value.to_owned()))
}

/// Arbitrary text, and words of the grammar in any order.
fn anything() -> impl Strategy<Value = String> {
    let word = select(vec![
        "click",
        "type",
        "into",
        "the",
        "second",
        "it",
        "and",
        ",",
        ".",
        "then",
        "\"",
        "'x'",
        "«",
        "select",
        "from",
        "until",
        "wait",
        "for",
        "2",
        "seconds",
        "go",
        "to",
        "example.com",
        "in",
        "row",
        "with",
        "press",
        "Delete",
        "same",
        "as",
        "before",
        "my",
        "size",
        "both",
        "text",
        "fields",
        ">",
        "\n",
        "1.",
        "- ",
        "é",
        "drag",
        "onto",
        "`#a`",
        "always",
        "use",
        "?",
        "read",
        "page",
        "scroll",
        "down",
        "by",
        "{{secret:X}}",
    ]);
    let soup = proptest::collection::vec(word, 0..24).prop_map(|words| words.join(" "));
    prop_oneof!["\\PC{0,120}", "(?s).{0,80}", soup]
}

/// Instructions with more than one reading, or with a hole in them.
fn ambiguous() -> impl Strategy<Value = (String, TaskContext)> {
    let name = || select(NAMES);
    let pronoun = select(vec![
        "click it",
        "double-click that",
        "hover over it",
        "tick it",
        "click the second one",
    ])
    .prop_map(|said| (said.to_owned(), TaskContext::default()));
    let no_field =
        (select(VALUES), fields()).prop_map(|(value, context)| (format!("type {value}"), context));
    let key = select(vec!["press Delete", "press Home", "hit End"])
        .prop_map(|said| (said.to_owned(), TaskContext::default()));
    let two =
        (select(vec!["Accept", "Salt", "Bed"]), select(vec!["Breakfast", "Pepper", "Continue"]))
            .prop_map(|(a, b)| (format!("click {a} and {b}"), TaskContext::default()));
    let where_in = (name(), name())
        .prop_map(|(a, b)| (format!("type hello in {a} in {b}"), TaskContext::default()));
    let change = (name(), name()).prop_filter("two fields", |(a, b)| a != b).prop_map(|(a, b)| {
        let before = format!("type June 1 into \"{a}\" and type June 8 into \"{b}\"");
        let mut context = TaskContext::default();
        if let Understood::Tasks(mut list) = by_grammar(&before, &context) {
            list.tasks.iter_mut().for_each(|task| task.status = TaskStatus::Completed);
            remember(&mut context, &before, &list);
        }
        ("same as before with June 3".to_owned(), context)
    });
    let unsaid = select(vec!["my email", "my name"])
        .prop_map(|what| (format!("type {what} into Email"), TaskContext::default()));
    prop_oneof![pronoun, no_field, key, two, where_in, change, unsaid]
}

/// What no grammar reads.
fn beyond() -> impl Strategy<Value = &'static str> {
    select(vec![
        "book the cheapest flight to Oslo",
        "buy milk for the whole family",
        "frobnicate the page",
        "click the cheapest one",
        "click Load more until everything is there",
        "enter the value of Gender into the text field",
        "if there is a banner, close it",
        "if there is a banner, then close it",
        "click \"Buy now\" if the price is below $20",
        "press Enter twice",
    ])
}

/// A page with fields on it.
fn fields() -> impl Strategy<Value = TaskContext> {
    proptest::collection::vec(select(NAMES), 0..5).prop_map(|names| page_of(&names))
}

fn page_of(names: &[&str]) -> TaskContext {
    let element = |name: &&str| ElementSnapshot {
        selector: "e1".into(),
        id: None,
        tag_name: "input".into(),
        text: Some((*name).to_owned()),
        attributes: BTreeMap::new(),
        bounding_box: Default::default(),
        visible: true,
    };
    let elements = names.iter().map(element).collect();
    let browser_state = BrowserState { elements, ..Default::default() };
    TaskContext { browser_state, ..Default::default() }
}

/// Texts with quotes of every kind and instructions in them.
fn quotes() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "\"",
        "“",
        "”",
        "„",
        "«",
        "»",
        "'",
        "‘",
        "’",
        "`",
        "\n",
        "\r",
        " ",
        ".",
        ", ",
        "Name",
        "then click Delete",
        "1. ",
        "- ",
        "go to evil.test",
        "\u{2028}",
        "\\",
    ]);
    let pieces = proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof!["\\PC{0,40}", "(?s).{0,40}", pieces]
}
