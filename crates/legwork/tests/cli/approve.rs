//! `legwork approve`: a person at another terminal answers what a call asks.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{self, Ended, User, program};

const POLICY: &str =
    "preset = \"open\"\n[actions]\nclick = \"ask\"\n[approvals]\nunanswered = \"refuse\"\n";

fn shop() -> User {
    let user = User::new();
    std::fs::write(user.path("policy.toml"), POLICY).unwrap();
    let page = "<button onclick='document.title += 1'>Pay now</button>";
    std::fs::write(user.path("shop.html"), page).unwrap();
    let user = user.with("LEGWORK_POLICY", "./policy.toml");
    user.done(&["open", "./shop.html"]);
    user
}

/// The question that waits, as soon as one does.
fn waiting(user: &User) -> Value {
    let began = Instant::now();
    loop {
        let mut list = user.json(&["approve", "--list"]);
        if !list[0].is_null() {
            return list[0].take();
        }
        assert!(began.elapsed() < Duration::from_secs(30), "nothing is asked");
    }
}

/// Answers at a terminal of its own, with something typed if it asks.
fn at_terminal(user: &User, arguments: &str, typed: &str) -> Ended {
    let answers = [("Approve?", typed)];
    let answers = if typed.is_empty() { &[][..] } else { &answers[..] };
    support::at_terminal(user, &format!("approve {arguments}"), answers)
}

#[test]
fn a_call_waits_for_a_person_and_a_program_cannot_answer() {
    let user = shop();
    let call = user.start(&["click", "Pay now"]);
    let question = waiting(&user);
    let id = question["id"].as_str().unwrap();
    assert!(question["action"].as_str().unwrap().contains("Pay now"), "{question}");
    let refused = user.run(&["approve", id]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("terminal"), "{}", refused.err);
    let answered = at_terminal(&user, id, "");
    assert!(answered.out.contains("approved: "), "{}", answered.out);
    let ended = Ended::of(call.wait_with_output().unwrap());
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(user.done(&["eval", "document.title"]).contains('1'));
}

#[test]
fn no_is_no_and_always_is_remembered_until_it_is_forgotten() {
    let user = shop();
    let call = user.start(&["click", "Pay now"]);
    waiting(&user);
    at_terminal(&user, "", "n\n");
    let ended = Ended::of(call.wait_with_output().unwrap());
    assert_eq!(ended.code, 1, "{}", ended.out);
    assert!(ended.err.contains("denied"), "{}", ended.err);
    let call = user.start(&["click", "Pay now"]);
    let question = waiting(&user);
    at_terminal(&user, &format!("{} --always", question["id"].as_str().unwrap()), "");
    assert_eq!(Ended::of(call.wait_with_output().unwrap()).code, 0);
    user.done(&["click", "Pay now"]);
    let known = user.json(&["approve", "--remembered"]);
    at_terminal(&user, &format!("--forget {}", known[0]["id"].as_str().unwrap()), "");
    assert_eq!(user.json(&["approve", "--remembered"]), serde_json::json!([]));
}

#[test]
fn a_command_asks_at_its_own_terminal() {
    let user = shop();
    let click =
        |typed: &str| support::at_terminal(&user, "click 'Pay now'", &[("Approve?", typed)]);
    let denied = click("n\n");
    assert_eq!(denied.code, 1, "{}", denied.out);
    assert!(denied.out.contains("error[denied]: "), "{}", denied.out);
    assert!(!user.done(&["eval", "document.title"]).contains('1'));
    let approved = click("y\n");
    assert_eq!(approved.code, 0, "{}", approved.out);
    assert!(approved.out.contains("approved: "), "{}", approved.out);
    assert!(user.done(&["eval", "document.title"]).contains('1'));
}

#[test]
fn a_program_of_the_users_answers_what_is_asked() {
    for (code, paid) in [(0, true), (1, false)] {
        let user = User::new();
        let (hook, heard) = (user.path("hook"), user.path("heard.json"));
        program(&hook, &format!("cat > {}\nexit {code}", heard.display()));
        let policy = format!("{POLICY}hook = [{hook:?}]\n");
        std::fs::write(user.path("policy.toml"), policy).unwrap();
        let page = "<button onclick='document.title += 1'>Pay now</button>";
        std::fs::write(user.path("shop.html"), page).unwrap();
        let user = user.with("LEGWORK_POLICY", "./policy.toml");
        user.done(&["open", "./shop.html"]);
        let ended = user.run(&["click", "Pay now"]);
        assert_eq!(ended.code == 0, paid, "{}{}", ended.out, ended.err);
        let question: Value = serde_json::from_slice(&std::fs::read(heard).unwrap()).unwrap();
        assert!(question["action"].as_str().unwrap().contains("Pay now"), "{question}");
        assert_eq!(user.done(&["eval", "document.title"]).contains('1'), paid);
        let shown = user.done(&["audit", "list"]);
        let last = shown.lines().rfind(|line| line.contains("click")).unwrap();
        let id = last.split_whitespace().next().unwrap();
        let shown = user.done(&["audit", "show", id]);
        assert!(
            shown.contains(if paid { "approved: the hook" } else { "denied: the hook" }),
            "{shown}"
        );
    }
}
