//! What is ambiguous is asked about, with choices that can be said; answers take their place.

use std::collections::BTreeMap;

use legwork_protocol::assistant::{
    BrowserState, CompletedTask, ElementSnapshot, TaskContext, TaskStatus,
};

use super::super::{Answered, Interpreter, Understood, by_grammar, remember, update_context};
use super::purse::Purse;
use super::{check, told};

fn element(tag: &str, name: &str, kind: &str) -> ElementSnapshot {
    let attributes = BTreeMap::from([("type".to_owned(), kind.to_owned())]);
    ElementSnapshot {
        selector: "e1".into(),
        id: None,
        tag_name: tag.into(),
        text: Some(name.into()),
        attributes,
        bounding_box: Default::default(),
        visible: true,
    }
}

fn form() -> TaskContext {
    let elements = vec![
        element("input", "Email", "text"),
        element("input", "Name", "text"),
        element("input", "Newsletter", "checkbox"),
        element("a", "Settings", ""),
        element("button", "Save", "submit"),
    ];
    let browser_state = BrowserState { elements, ..Default::default() };
    TaskContext { browser_state, ..Default::default() }
}

/// The context after instructions were done.
fn after(instructions: &[&str]) -> TaskContext {
    let mut context = TaskContext::default();
    for instruction in instructions {
        let Understood::Tasks(mut list) = by_grammar(instruction, &context) else {
            panic!("{instruction} is no task: {}", told(instruction, &context));
        };
        list.tasks.iter_mut().for_each(|task| task.status = TaskStatus::Completed);
        remember(&mut context, instruction, &list);
    }
    context
}

#[test]
fn what_has_two_readings_is_asked() {
    check(
        &TaskContext::default(),
        &[
            (
                "press Delete",
                "? Is Delete the key, or something on the page? [press the Delete key | click \"Delete\"]",
            ),
            (
                "click Accept and Continue",
                "? Is \"Accept and Continue\" one name, or are these 2? [click \"Accept and Continue\" | click \"Accept\" and click \"Continue\"]",
            ),
            (
                "click Save and Reload",
                "? How is \"click Save and Reload\" meant? [click Save, then reload the page | click \"Save and Reload\"]",
            ),
            (
                "type hello in the box in Email",
                "? How is \"type hello in the box in Email\" meant? [type \"hello\" into box in Email | type \"hello in the box\" into Email]",
            ),
            (
                "select Salt and Pepper from Flavour",
                "? Is \"Salt and Pepper\" one name, or are these 2? [select \"Salt and Pepper\" | select \"Salt\" and select \"Pepper\"]",
            ),
            ("click it", "? What does \"it\" stand for? []"),
            (
                "go to javascript:alert(1)",
                "? \"javascript:alert(1)\" is no address. What is meant? [click \"javascript:alert(1)\"]",
            ),
            (
                "click Remove and confirm",
                "? Is \"Remove and confirm\" one name, or are these 2? [click \"Remove and confirm\" | click \"Remove\" and click \"confirm\"]",
            ),
            ("go to /orders", "? On which site is /orders? No page is open that says so. []"),
            ("type my email into Email", "? What is your email? []"),
            ("fill in Email", "? What should be filled into \"Email\"? []"),
        ],
    );
}

#[test]
fn the_page_gives_the_choices() {
    check(
        &form(),
        &[
            (
                "type hello",
                "? Into which field should \"hello\" go? [type \"hello\" into \"Email\" | type \"hello\" into \"Name\"]",
            ),
            (
                "click it",
                "? What does \"it\" stand for? [\"Email\" | \"Name\" | \"Newsletter\" | \"Settings\" | \"Save\"]",
            ),
            ("go to Settings", "click Settings"),
            ("go to Profile", "? \"Profile\" is no address. What is meant? [click \"Profile\"]"),
            ("select Newsletter", "Newsletter <- checked true"),
        ],
    );
}

#[test]
fn follow_ups_mean_what_went_before() {
    check(
        &after(&[
            "go to shop.example",
            "type June 1 into Date and select Large from Size and click Search",
        ]),
        &[
            (
                "same as before with June 3",
                "Date <- text June 3; Size <- options Large; click Search",
            ),
            ("do the same with Small", "Date <- text June 1; Size <- options Small; click Search"),
            ("same as before", "Date <- text June 1; Size <- options Large; click Search"),
            (
                "repeat it with 5",
                "? In the place of what should \"5\" go? [same as before with \"5\" as \"Date\" | same as before with \"5\" as \"Size\"]",
            ),
            (
                "same as before with \"5\" as Size",
                "Date <- text June 1; Size <- options 5; click Search",
            ),
            ("click it", "click Search"),
            ("use the second one", "click second Search"),
            ("click the last one", "click last Search"),
        ],
    );
    check(
        &after(&["type 1 June into From and type 8 June into To"]),
        &[(
            "again with 3 June",
            "? In the place of what should \"3 June\" go? [same as before with \"3 June\" as \"From\" | same as before with \"3 June\" as \"To\"]",
        )],
    );
    check(
        &after(&["type {{secret:SHOP}} into Password"]),
        &[(
            "same as before with hunter2",
            "beyond \"same as before with hunter2\" (nothing that was entered before can be changed to \"hunter2\": say what to do)",
        )],
    );
}

#[test]
fn what_was_said_twice_is_repeated_once() {
    let again = "do the same again";
    check(&after(&["click Save", "click Save"]), &[(again, "click Save")]);
    check(&after(&["click Save. click Next", again, again]), &[(again, "click Save; click Next")]);
    let mut context = after(&["click Save. click Next. click Done"]);
    let mut tried_again = context.previous_tasks[1].clone();
    context.previous_tasks[1].task.status = TaskStatus::Failed;
    tried_again.ended_at = "2026-01-01T00:00:00.000Z".into();
    context.previous_tasks.push(tried_again);
    check(&context, &[(again, "click Save; click Next; click Done")]);
}

#[test]
fn what_is_read_for_another_task_keeps_its_number() {
    check(
        &after(&["copy the text of Code and paste it into Name"]),
        &[
            ("same as before", "read - from Code; Name <- text {{result:t1}}"),
            (
                "click Save, then do the same",
                "click Save; read - from Code; Name <- text {{result:t2}}",
            ),
        ],
    );
}

#[test]
fn preferences_are_kept_and_used() {
    let context = after(&["always use size large", "my email is jane@example.com. click Next"]);
    assert_eq!(context.user_preferences.0["size"], "large");
    check(
        &context,
        &[
            ("select the size", "size <- options large"),
            ("type my email into Email", "Email <- text jane@example.com"),
        ],
    );
    let mut context = context;
    update_context(&mut context, "always use blue for colour");
    update_context(&mut context, "no, the blue one");
    update_context(&mut context, "and faster");
    update_context(&mut context, "always use blue for colour");
    assert_eq!(context.user_preferences.0["colour"], "blue");
    assert_eq!(context.user_preferences.0["remarks"], "no, the blue one\nand faster");
    assert_eq!(context.user_preferences.0["size"], "large");
}

#[tokio::test]
async fn answers_take_their_place_in_the_instruction() {
    let interpreter = Interpreter::default();
    for (instruction, answers, expected) in [
        ("type hello and press Enter", &["Email"][..], "Email <- text hello; - <- key Enter"),
        ("type hello and press Enter", &["2"], "\"Name\" <- text hello; - <- key Enter"),
        ("press Delete, then click Save", &["press the Delete key"], "- <- key Delete; click Save"),
        ("press Delete", &["2"], "click \"Delete\""),
        ("click it", &["the Save button"], "click Save button"),
        ("fill in Email", &["jane@example.com"], "Email <- text jane@example.com"),
        ("go to /orders", &["localhost:3000"], "goto http://localhost:3000/orders"),
        ("click Save and frobnicate the page", &["reload"], "click Save; navigate Reload"),
        (
            "type my email into Email and type hello",
            &["a@b.c"],
            "Email <- text a@b.c; Email <- text hello",
        ),
        ("press Home, press End", &["1", "2"], "- <- key Home; click \"End\""),
    ] {
        let answers: Vec<Answered> =
            answers.iter().map(|answer| Answered::Own(answer.to_string())).collect();
        let mut purse = Purse::default();
        let understood = interpreter.interpret(instruction, &form(), &answers, &mut purse).await;
        let understood = understood.unwrap();
        let Understood::Tasks(list) = understood else { panic!("{instruction}: {understood:?}") };
        let lines: Vec<String> = list.tasks.iter().map(|task| super::line(&task.work)).collect();
        assert_eq!(lines.join("; "), expected, "{instruction}");
    }
}

#[tokio::test]
async fn without_a_model_what_is_beyond_is_said_and_asked() {
    let (said, context) = ("book the cheapest flight to Oslo", TaskContext::default());
    let understood =
        Interpreter::default().interpret(said, &context, &[], &mut Purse::default()).await.unwrap();
    let Understood::Question(asked) = understood else { panic!("{understood:?}") };
    assert!(
        asked.message.contains("\"book the cheapest flight to Oslo\" is not understood"),
        "{asked:?}"
    );
    assert_eq!(asked.choices, ["do nothing"]);
}

#[tokio::test]
async fn what_is_beyond_can_be_left_out_and_nothing_that_hangs_on_it_stays() {
    let interpreter = Interpreter::default();
    for (instruction, choices, expected) in [
        (
            "click Save and frobnicate the page",
            &["leave out \"frobnicate the page\""][..],
            "click Save",
        ),
        ("go to example.com and buy milk", &["leave out \"buy milk\""], "goto https://example.com"),
        (
            "please frobnicate the page, then press Enter",
            &["leave out \"please frobnicate the page\""],
            "- <- key Enter",
        ),
        (
            "click the cheapest one and click Save",
            &["leave out \"click the cheapest one\""],
            "click Save",
        ),
        (
            "click Load more until everything is there. Frobnicate the page. Click Save",
            &[
                "leave out \"click Load more until everything is there\"",
                "leave out \"Frobnicate the page\"",
            ],
            "click Save",
        ),
        (
            "if there is a banner, then close it. Click Save",
            &["leave out \"if there is a banner, then close it\""],
            "click Save",
        ),
        ("click Save, in the dialog", &["do nothing"], ""),
        ("click Save, without the attachment", &["do nothing"], ""),
        ("frobnicate the page", &["do nothing"], ""),
    ] {
        for number in [false, true] {
            let mut answers = Vec::new();
            for choice in choices {
                let asked = interpreter
                    .interpret(instruction, &form(), &answers, &mut Purse::default())
                    .await
                    .unwrap();
                let Understood::Question(asked) = asked else { panic!("{instruction}: {asked:?}") };
                assert_eq!(asked.choices, [choice.to_string()], "{instruction}");
                let answer = if number { "1".to_owned() } else { choice.to_string() };
                answers.push(Answered::of(answer, &asked.choices));
            }
            let understood =
                interpreter.interpret(instruction, &form(), &answers, &mut Purse::default()).await;
            let Understood::Tasks(list) = understood.unwrap() else { panic!("{instruction}") };
            let lines: Vec<String> =
                list.tasks.iter().map(|task| super::line(&task.work)).collect();
            assert_eq!(lines.join("; "), expected, "{instruction}");
        }
    }
}

#[test]
fn the_session_remembers_only_what_is_over() {
    let Understood::Tasks(mut list) = by_grammar("click A, click B", &TaskContext::default())
    else {
        panic!()
    };
    list.tasks[0].status = TaskStatus::Completed;
    let mut context = TaskContext::default();
    remember(&mut context, "click A, click B", &list);
    let names: Vec<&CompletedTask> = context.previous_tasks.iter().collect();
    assert_eq!(names.len(), 1);
}
