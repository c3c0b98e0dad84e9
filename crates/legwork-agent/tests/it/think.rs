//! A scripted model pursues goals in a real Chrome: what it is told, what is done, and what is not.

use std::sync::{Arc, Mutex};

use legwork_agent::model::{Abilities, Answer, ModelError, Stop, Turn};
use legwork_agent::run::{Step, StepState};
use legwork_agent::think::{Achieved, ThinkError, pursue};
use legwork_protocol::assistant::{AssistanceKind, Reaction};
use legwork_protocol::{Asked, Code, Person, Question, ToolError};
use legwork_tools::{Rules, Settings};
use serde_json::json;

use crate::scripted::{Recorder, Scripted, call, calls, done, goal, words};
use crate::support::{Rig, Site, html};

const PAGE: &str = "<title>List</title><h1>List</h1>
    <button onclick=\"document.getElementById('out').textContent = 'Saved: milk'\">Save</button>
    <button>Idle</button> <button id=gone>Old</button> <p id=out></p> <a href='/next'>Next</a>";

async fn rig() -> (Site, Rig) {
    let site = Site::start(|path| match path {
        "/next" => html("<h1>Second page</h1><button>Here</button>"),
        _ => html(PAGE),
    })
    .await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    (site, rig)
}

fn click(target: &str) -> Answer {
    call("browser_click", json!({ "target": target }))
}

/// Runs are tasks of their own, so pursuing has to be something that threads can hand over.
fn sent<T: Send>(pursuing: T) -> T {
    pursuing
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_done_and_verified() {
    let (_site, rig) = rig().await;
    let model = Scripted::says([click("Save"), done("saved milk", "Saved: milk")]);
    let mut hands = Recorder::new(&rig.host);
    let end = sent(pursue(&goal("save the list"), &model, &mut hands)).await.unwrap();
    assert_eq!(end, Achieved::Done("saved milk".into()));
    assert_eq!(hands.count("browser_click"), 1);
    let first = model.requests.lock().unwrap()[0].clone();
    assert!(first.must_call && first.tools.iter().any(|tool| tool.name == "request_assistance"));
    let told = crate::scripted::shown(&first);
    assert!(told.contains("Task: save the list") && told.contains("[Save e"), "{told}");
    assert!(model.result(1).starts_with("Done.\n--- page "), "{}", model.result(1));
    assert!(model.result(1).contains("Saved: milk"), "{}", model.result(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_done_that_the_outcome_contradicts_is_doubted_once() {
    let (_site, rig) = rig().await;
    for (before, seen, reason) in [
        (click("Idle"), "", "changed nothing"),
        (click("No such button at all"), "", "failed (not_found)"),
        (click("Save"), "Saved: cheese", "not on the page"),
    ] {
        let model = Scripted::says([before, done("it is done", seen), done("it is done", seen)]);
        let mut hands = Recorder::new(&rig.host);
        let end = pursue(&goal("save"), &model, &mut hands).await.unwrap();
        assert!(model.result(2).contains("Not accepted yet") && model.result(2).contains(reason));
        let Achieved::Failed(why) = end else { panic!("{end:?}") };
        assert!(why.starts_with("said to be done (it is done), but ") && why.contains(reason));
    }
    // Words on the page that show it settle the doubt; so does an action that has an effect.
    let model = Scripted::says([click("Idle"), done("was so", "List"), done("was so", "List")]);
    let end = pursue(&goal("save"), &model, &mut Recorder::new(&rig.host)).await.unwrap();
    assert_eq!(end, Achieved::Done("was so".into()));
    let model = Scripted::says([done("at once", ""), done("at once", "no such words")]);
    let end = pursue(&goal("save"), &model, &mut Recorder::new(&rig.host)).await.unwrap();
    assert!(model.result(1).contains("nothing was called"), "{}", model.result(1));
    assert!(matches!(end, Achieved::Failed(why) if why.contains("not on the page")));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_cannot_be_made_go_back_with_code_sentence_and_hint() {
    let (_site, rig) = rig().await;
    let mut broken = click("Save");
    broken.calls[0].arguments = Err("EOF while parsing a string".into());
    let model = Scripted::says([
        broken,
        call("browser_teleport", json!({})),
        call("browser_click", json!({ "tarjet": "Save" })),
        call("browser_eval", json!({ "expression": "document.title" })),
        click("Delete all"),
        calls([
            ("browser_click", json!({ "target": "#none" })),
            ("browser_click", json!({ "target": "Save" })),
            ("browser_find", json!({ "target": "Next" })),
        ]),
        call("give_up", json!({ "reason": "enough" })),
    ]);
    let mut hands = Recorder::new(&rig.host);
    let end = pursue(&goal("save"), &model, &mut hands).await.unwrap();
    assert_eq!(end, Achieved::Failed("enough".into()));
    for (request, expected) in [
        (1, ["Failed (invalid_input)", "EOF while parsing", "Hint: "]),
        (2, ["Failed (unknown_tool)", "browser_teleport", "Hint: "]),
        (3, ["Failed (invalid_input)", "tarjet", "browser_click(target"]),
        (4, ["Failed (unknown_tool)", "browser_eval is not for tasks", "Hint: "]),
        (5, ["Failed (not_found)", "Delete all", "Look for other words"]),
        (6, ["Failed (not_found)", "#none", "Not done, because the call before it failed"]),
    ] {
        let result = model.result(request);
        assert!(expected.iter().all(|part| result.contains(part)), "{expected:?}\n{result}");
    }
    assert_eq!((hands.count("browser_click"), hands.count("browser_eval")), (2, 0));
    // What only looks is called all the same.
    assert_eq!(hands.count("browser_find"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_vendor_wants_agreed_to_is_put_to_the_person() {
    let (_site, rig) = rig().await;
    for (reaction, clicks, acknowledged) in [
        (Reaction::Said("yes".into()), 1, true),
        (Reaction::Said("no".into()), 0, false),
        (Reaction::Said("yes, but later".into()), 0, false),
        (Reaction::Done, 0, false),
    ] {
        let mut risky = click("Save");
        risky.calls[0].safety = Some("this may send data".into());
        let model = Scripted::says([risky, call("give_up", json!({ "reason": "end" }))]);
        let says = reaction.clone();
        let mut hands = Recorder::new(&rig.host).reacting(move |_| says.clone());
        pursue(&goal("save"), &model, &mut hands).await.unwrap();
        assert_eq!(hands.count("browser_click"), clicks, "{reaction:?}");
        assert!(hands.asked[0].message.contains("this may send data"));
        assert_eq!(hands.asked[0].choices, ["yes", "no"]);
        let requests = model.requests.lock().unwrap();
        let Some(Turn::Tools(results)) = requests[1].turns.last() else { panic!() };
        assert_eq!(results[0].acknowledged, acknowledged, "{reaction:?}");
    }
    let mut risky = click("Save");
    risky.calls[0].safety = Some("x".into());
    let model = Scripted::says([risky]);
    let mut hands = Recorder::new(&rig.host).reacting(|_| Reaction::Stop);
    assert_eq!(pursue(&goal("save"), &model, &mut hands).await.unwrap(), Achieved::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_agreement_counts_for_the_calls_it_was_asked_for_and_for_no_later_ones() {
    let (_site, rig) = rig().await;
    let both = || {
        let save = ("browser_click", json!({ "target": "Save" }));
        let idle = ("browser_click", json!({ "target": "Idle" }));
        let mut answer = calls([save, idle, ("browser_snapshot", json!({}))]);
        answer.calls.iter_mut().for_each(|call| call.safety = Some("this may send data".into()));
        answer
    };
    let model = Scripted::says([both(), both(), call("give_up", json!({ "reason": "end" }))]);
    let mut answers = vec!["no", "yes"];
    let mut hands = Recorder::new(&rig.host)
        .reacting(move |_| Reaction::Said(answers.pop().expect("asked twice").into()));
    pursue(&goal("save"), &model, &mut hands).await.unwrap();
    assert_eq!((hands.asked.len(), hands.count("browser_click")), (2, 2));
    assert!(hands.asked[0].context.contains("Save") && hands.asked[0].context.contains("Idle"));
    let requests = model.requests.lock().unwrap();
    let acknowledged = |request: usize| match requests[request].turns.last() {
        Some(Turn::Tools(results)) => {
            results.iter().map(|one| one.acknowledged).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(acknowledged(1), [true, true, true]);
    assert_eq!(acknowledged(2), [false, false, false]);
}

struct Denies(Mutex<u32>);

impl Person for Denies {
    fn ask<'a>(&'a self, _: &'a Question) -> Asked<'a> {
        *self.0.lock().unwrap() += 1;
        Box::pin(async { Some(legwork_protocol::Answer::Deny) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denial_is_final_and_the_model_has_no_say_in_it() {
    let site = Site::start(|_| html(PAGE)).await;
    let rules = Rules::parse("preset = \"open\"\n[actions]\nclick = \"ask\"\n").unwrap();
    let rig = Rig::with(Settings { rules: Arc::new(rules), ..Settings::default() });
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let model = Scripted::says([
        click("Save"),
        click("Save"),
        call("legwork_approve", json!({ "answer": "approve" })),
        call("give_up", json!({ "reason": "it was denied" })),
    ]);
    let person = Arc::new(Denies(Mutex::default()));
    let mut hands = Recorder::new(&rig.host).with_person(person.clone());
    let end = pursue(&goal("save"), &model, &mut hands).await.unwrap();
    assert_eq!(end, Achieved::Failed("it was denied".into()));
    assert!(model.result(1).contains("Failed (denied). This is final"), "{}", model.result(1));
    assert!(model.result(2).contains("denied before, and that is final"), "{}", model.result(2));
    assert_eq!((hands.count("browser_click"), *person.0.lock().unwrap()), (1, 1));
    // Nor is the person worn down by other spellings of it.
    let spellings = ["Save", "[Save e1]", "button Save", "e1", "css=button"];
    let model = Scripted::says(spellings.map(click));
    let mut hands = Recorder::new(&rig.host).with_person(person.clone());
    let end = pursue(&goal("save"), &model, &mut hands).await.unwrap();
    assert!(matches!(&end, Achieved::Failed(why) if why.contains("denied 3 times")), "{end:?}");
    assert_eq!((hands.count("browser_click"), *person.0.lock().unwrap()), (3, 4));
}

#[tokio::test(flavor = "multi_thread")]
async fn going_in_circles_is_told_then_asked_about_and_then_ends() {
    let (_site, rig) = rig().await;
    let model = Scripted::by(|_| Ok(click("Idle")));
    let mut hands =
        Recorder::new(&rig.host).reacting(|_| Reaction::Said("press the other one".into()));
    let end = pursue(&goal("save"), &model, &mut hands).await.unwrap();
    let Achieved::Failed(why) = end else { panic!("{end:?}") };
    assert!(why.contains("click idle (4 times)"), "{why}");
    assert_eq!((hands.count("browser_click"), hands.asked.len()), (8, 1));
    assert_eq!(hands.asked[0].kind, AssistanceKind::Custom);
    assert!(hands.asked[0].context.contains("click idle (4 times)"), "{:?}", hands.asked[0]);
    assert!(!model.result(1).contains("without effect"));
    assert!(model.result(2).contains("tried 2 times without effect"), "{}", model.result(2));
    assert!(model.result(4).contains("The person says: press the other one"));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_without_calls_refusals_and_limits_end_it() {
    let (_site, rig) = rig().await;
    let end = |model: Scripted, most: usize| {
        let host = rig.host.clone();
        async move {
            let mut hands = Recorder::new(&host);
            hands.most_turns = most;
            pursue(&goal("save"), &model, &mut hands).await
        }
    };
    let silent = end(Scripted::by(|_| Ok(words("All done!"))), 60).await.unwrap();
    assert!(matches!(silent, Achieved::Failed(why) if why.contains("All done!")));
    let refuses = Answer { stop: Stop::Refused, ..words("I will not") };
    let refused = end(Scripted::says([refuses]), 60).await.unwrap();
    assert_eq!(refused, Achieved::Failed("the model will not do this: I will not".into()));
    let spent = end(Scripted::by(|_| Ok(click("Save"))), 3).await;
    assert!(matches!(spent, Err(ThinkError::Spent(spent)) if spent.limit == "3 turns"));
    // What broke off is asked for again; what is refused is not.
    let garbled = ModelError::Garbled { model: "m".into(), message: "cut".into() };
    let mut answers = vec![Ok(call("give_up", json!({ "reason": "end" }))), Err(garbled.clone())];
    let again = end(Scripted::by(move |_| answers.pop().unwrap()), 60).await.unwrap();
    assert_eq!(again, Achieved::Failed("end".into()));
    let never = end(Scripted::by(move |_| Err(garbled.clone())), 60).await;
    assert!(matches!(never, Err(ThinkError::Model(ModelError::Garbled { .. }))));
}

#[tokio::test(flavor = "multi_thread")]
async fn beside_a_stale_ref_stands_the_page_and_what_is_safe_is_tried_again() {
    let (site, rig) = rig().await;
    let next = format!("{}/next", site.origin());
    let model = Scripted::says([
        click("e1"),
        call("browser_navigate", json!({ "url": next })),
        call("give_up", json!({ "reason": "end" })),
    ]);
    let mut hands = Recorder::new(&rig.host);
    let stale = ToolError::new(Code::StaleRef, "e1 is gone");
    let failed = ToolError::new(Code::NavigationFailed, "connection reset");
    hands.failing = vec![("browser_click".into(), stale), ("browser_navigate".into(), failed)];
    pursue(&goal("save"), &model, &mut hands).await.unwrap();
    let result = model.result(1);
    let places = ["Failed (stale_ref)", "e1 is gone", "The page now:", "[Save e1]"];
    let found: Vec<usize> = places.iter().map(|part| result.find(part).expect(part)).collect();
    assert!(found.is_sorted(), "{result}");
    assert_eq!((hands.count("browser_click"), hands.count("browser_navigate")), (1, 2));
    assert!(model.result(2).contains("Second page"), "{}", model.result(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn remarks_are_heard_and_a_resumed_task_knows_what_was_done() {
    let (_site, rig) = rig().await;
    let model =
        Scripted::says([click("Save"), click("Next"), call("give_up", json!({ "reason": "end" }))]);
    let step = |tool: &str, state| Step {
        task: "t1".into(),
        number: 1,
        tool: tool.into(),
        arguments: Default::default(),
        state,
        told: "typed into Name".into(),
        data: json!(null),
    };
    let mut hands = Recorder::new(&rig.host);
    hands.before =
        vec![step("browser_type", StepState::Done), step("browser_click", StepState::Begun)];
    hands.remarks = vec![(1, "no, the blue one".into())];
    pursue(&goal("save"), &model, &mut hands).await.unwrap();
    let requests = model.requests.lock().unwrap();
    let first = crate::scripted::shown(&requests[0]);
    assert!(first.contains("browser_type {}: done. typed into Name"), "{first}");
    assert!(first.contains("browser_click {}: not known whether it was done"), "{first}");
    assert!(!first.contains("the blue one"));
    let Some(Turn::User(said)) = requests[1].turns.last() else { panic!() };
    assert_eq!(crate::scripted::text(&said[0]), "The person says: no, the blue one\n");
    // A page that is new ends the answer's other calls, and the older view is a line.
    let third = crate::scripted::shown(&requests[2]);
    assert!(
        third.contains("Second page") && third.contains("(an older view of the page"),
        "{third}"
    );
    assert!(!third.contains("[Idle e"), "{third}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_window_gets_few_tools_and_little_of_the_page() {
    let rows: String =
        (0..400).map(|n| format!("<p>Row {n} <button>Take {n}</button></p>")).collect();
    let site = Site::start(move |_| html(&rows)).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let looks = call("browser_snapshot", json!({ "max_tokens": 50_000 }));
    let model =
        Scripted::says([looks, click("Take 3"), call("give_up", json!({ "reason": "end" }))])
            .able(Abilities { window: Some(8_192), ..Abilities::default() });
    pursue(&goal("take one"), &model, &mut Recorder::new(&rig.host)).await.unwrap();
    let requests = model.requests.lock().unwrap();
    assert!(requests[0].tools.len() < 16);
    for (request, tokens) in requests.iter().zip(crate::context::tokens(&requests)) {
        assert!(tokens < 5_000 && request.max_output <= 2_048, "{tokens}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_person_did_not_name_is_neither_typed_nor_uploaded_nor_run_as_code() {
    let (_site, rig) = rig().await;
    let secret = json!({ "target": "Item", "text": "{{secret:shop}}", "clear": true });
    let file = json!({ "target": "Item", "paths": "/etc/hostname" });
    let code = json!({ "expression": "document.title = 'owned'" });
    let steps = json!({ "steps": [{ "tool": "wait", "expression": "document.title = 'owned'" }] });
    for (tool, arguments, told) in [
        ("browser_type", secret.clone(), "did not name the secret \"shop\""),
        ("browser_upload", file, "did not name the file"),
        ("browser_wait", code, "runs no code"),
        ("browser_batch", steps, "runs no code"),
    ] {
        let model =
            Scripted::says([call(tool, arguments), call("give_up", json!({ "reason": "end" }))]);
        let mut hands = Recorder::new(&rig.host);
        pursue(&goal("save"), &model, &mut hands).await.unwrap();
        assert!(model.result(1).contains(told), "{}", model.result(1));
        assert!(hands.log.iter().all(|call| !call.contains(tool)), "{:?}", hands.log);
    }
    // Named, it goes to the host, which knows no such secret.
    let model =
        Scripted::says([call("browser_type", secret), call("give_up", json!({ "reason": "end" }))]);
    let mut hands = Recorder::new(&rig.host);
    pursue(&goal("type {{secret:shop}} into Item"), &model, &mut hands).await.unwrap();
    assert!(!model.result(1).contains("did not name"), "{}", model.result(1));
}
