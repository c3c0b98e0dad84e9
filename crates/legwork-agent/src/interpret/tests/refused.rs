//! What the grammar must not pretend to understand.

use legwork_protocol::assistant::TaskContext;

use super::super::answer::put;
use super::super::{Understood, by_grammar, leave};

/// Instructions, and the part that is beyond the grammar.
const BEYOND: &[(&str, &str)] = &[
    ("", ""),
    ("   ", ""),
    ("...", "..."),
    (
        "Book the cheapest one-way flight from SHV to TYS on 10/27/2016.",
        "Book the cheapest one-way flight from SHV to TYS on 10/27/2016",
    ),
    ("Buy the ticket with the shortest duration.", "Buy the ticket with the shortest duration"),
    ("go to example.com and buy the cheapest milk", "buy the cheapest milk"),
    ("go to example.com and buy milk", "buy milk"),
    ("click the cheapest one", "cheapest one"),
    (
        "Click the button that best describes the figure below.",
        "button that best describes the figure",
    ),
    (
        "Click the \"Like\" button on all posts by @lacus and then click Submit.",
        "\"Like\" button on all posts by @lacus",
    ),
    ("Click on the numbers in ascending order.", "numbers in ascending order"),
    ("Enter the value of Gender into the text field and press Submit.", "the value of Gender"),
    ("Type the text below into the text field and press Submit.", "the text below"),
    (
        "Solve the math problem and type your answer into the textbox. Press submit when done.",
        "Solve the math problem",
    ),
    (
        "Find the 4th word in the paragraph, type that into the textbox and press \"Submit\".",
        "that",
    ),
    (
        "Switch between the tabs to find and click on the link \"Vel\".",
        "Switch between the tabs to find",
    ),
    ("Delete the email Neille sent me.", "Delete the email Neille sent me"),
    ("Please forward Effie's email to Bari.", "Please forward Effie's email to Bari"),
    (
        "Find the email by Clarisse and reply to them with the text \"In.\".",
        "reply to them with the text \"In.\"",
    ),
    ("click About us, order two pizzas and take a screenshot", "order two pizzas"),
    ("click Remove in the row with Butter, pay", "pay"),
    (
        "Expand the sections below, to find and click on the link \"augue\".",
        "Expand the sections below, to find",
    ),
    ("Find Ginny in the contact book and click on their address.", "their address"),
    ("click Save and close", "close"),
    ("click Save and frobnicate the widget", "frobnicate the widget"),
    ("click Save. Frobnicate the widget.", "Frobnicate the widget"),
    ("if there is a banner, close it", "if there is a banner"),
    ("click Load more until everything is shown", "everything"),
    ("click Load more until the price is right", "Load more until the price is right"),
    ("press Tab until Oslo appears", "press Tab until Oslo appears"),
    ("select all the shades of red", "all the shades of red"),
    ("Select words similar to happy and click Submit.", "words similar to happy"),
    ("review and check out", "review"),
    ("check out", "out"),
    ("paste it into Name", "paste it into Name"),
    ("click", "click"),
    ("type", "type"),
    ("wait", "wait"),
    ("hello there", "hello there"),
    ("In the row with Oat milk", "In the row with Oat milk"),
    ("click Save, in the dialog", "in the dialog"),
    ("open a new tab", "new tab"),
    ("same as before with June 3", "same as before with June 3"),
    ("log in", "log in"),
    (
        "Fill out the form with name John Smith and email john@example.com",
        "Fill out the form with name John Smith and email john@example.com",
    ),
    ("click the X in the top right corner", "X in the top right corner"),
    ("pick a seat", "a seat"),
    ("press Enter twice", "Enter twice"),
    ("click \"Buy now\" if the price is below $20", "\"Buy now\" if the price is below $20"),
    ("refresh the page until \"Ready\" appears", "refresh the page until \"Ready\" appears"),
    ("upload photo.jpg and resume.pdf", "upload photo.jpg and resume.pdf"),
];

#[test]
fn what_is_beyond_is_refused_with_its_very_part_and_a_hint() {
    let mut wrong = Vec::new();
    for (instruction, expected) in BEYOND {
        match by_grammar(instruction, &TaskContext::default()) {
            Understood::Beyond { part, hint } if part.trim() == *expected && !hint.is_empty() => {}
            other => wrong.push(format!("{instruction}\n  expected {expected}\n  told {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_that_is_beyond_can_be_left_out() {
    let context = TaskContext::default();
    for (instruction, _) in BEYOND {
        let mut said = (*instruction).to_owned();
        for _ in 0..4 {
            let Some(left) = leave::out(&said, &context) else { break };
            said = put(&said, &context, &left.choice).unwrap();
        }
        let understood = by_grammar(&said, &context);
        assert!(!matches!(understood, Understood::Beyond { .. }), "{instruction}: {said}");
    }
}

#[test]
fn long_instructions_are_read_in_little_time_or_refused() {
    let begun = std::time::Instant::now();
    for (text, tasks) in [
        ("click Save and ".repeat(1000) + "go back", Some(1001)),
        ("click Save and ".repeat(5000), None),
        (format!("type {} into Email", "in on to as with for from ".repeat(10)), None),
        ("frob and type and ".repeat(300), None),
        ("\"".repeat(3000), None),
    ] {
        let count = match by_grammar(&text, &TaskContext::default()) {
            Understood::Tasks(list) => Some(list.tasks.len()),
            _ => None,
        };
        assert_eq!(count, tasks, "{}", &text[..40]);
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{:?}", begun.elapsed());
}
