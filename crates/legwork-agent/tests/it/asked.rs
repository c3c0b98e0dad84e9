//! What is asked is what the vendors take: the requests of a pursuit, with errors, remarks, pictures and answers
//! that call nothing, of one that mends a recipe, of a plan, and of a summary are checked with their own types.

use std::sync::Arc;

use legwork_agent::interpret::Interpreter;
use legwork_agent::model::{Abilities, Answer, Request};
use legwork_agent::think::{Goal, pursue};
use legwork_protocol::assistant::Reaction;
use serde_json::json;

use crate::scripted::{Recorder, Scripted, call, calls, goal, words};
use crate::support::{Rig, Site, html};
use crate::vendors::Vendor;

const PAGE: &str =
    "<h1>List</h1><button onclick=\"out.textContent = 'Saved'\">Save</button><p id=out></p>";

fn answers() -> Vec<Answer> {
    let click = |target: &str| call("browser_click", json!({ "target": target }));
    let mut broken = click("Save");
    broken.calls[0].arguments = Err("EOF".into());
    vec![
        click("Save"),
        words("I think that is all."),
        Answer { text: "Once more.".into(), ..click("No such thing") },
        broken,
        calls([("browser_take_screenshot", json!({})), ("browser_snapshot", json!({}))]),
        click("point=10,10"),
        call(
            "request_assistance",
            json!({ "type": "custom", "message": "Which?", "choices": ["a", "b"] }),
        ),
        call("note", json!({ "text": "it is saved" })),
        call("done", json!({ "outcome": "saved", "seen": "no such words" })),
        call("give_up", json!({ "reason": "end" })),
    ]
}

async fn requests(sees: bool) -> Vec<Request> {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let model = Scripted::says(answers());
    let model = if sees { model.seeing() } else { model };
    let mut hands = Recorder::new(&rig.host).reacting(|_| Reaction::Said("the first".into()));
    hands.remarks = vec![(0, "quickly, please".into()), (2, "no, the blue one".into())];
    pursue(&goal("save the list"), &model, &mut hands).await.unwrap();
    rig.host.close().await;
    model.requests.into_inner().unwrap()
}

/// A plan is asked for, and once more because the first is none.
async fn planning() -> Vec<Request> {
    let rig = Rig::new();
    let model = Arc::new(Scripted::says([words("No plan."), words("{ \"tasks\": 5 }")]));
    let interpreter = Interpreter::new(Some(model.clone()));
    let (said, mut hands) = ("book the cheapest flight to Oslo", Recorder::new(&rig.host));
    interpreter.interpret(said, &Default::default(), &[], &mut hands).await.unwrap_err();
    rig.host.close().await;
    std::mem::take(&mut *model.requests.lock().unwrap())
}

/// A step of a recipe is done another way, for so long that what was done before has to be summed up.
async fn mending() -> Vec<Request> {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let mut summed_up = false;
    let model = Scripted::by(move |request| {
        if request.tools.is_empty() {
            summed_up = true;
            return Ok(words("It was saved several times."));
        }
        Ok(match summed_up {
            true => call("give_up", json!({ "reason": "end" })),
            false => call("browser_click", json!({ "target": "Save" })),
        })
    })
    .able(Abilities { window: Some(6_000), ..Abilities::default() });
    let obstacle = Some("no element is called \"Keep\"".to_owned());
    let goal = Goal { obstacle, ..goal("do step 3: click \"Keep\"") };
    pursue(&goal, &model, &mut Recorder::new(&rig.host)).await.unwrap();
    rig.host.close().await;
    model.requests.into_inner().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_a_run_are_such_as_the_vendors_take() {
    let (seeing, blind) = (requests(true).await, requests(false).await);
    assert_eq!((seeing.len(), blind.len()), (10, 10));
    let (planning, mending) = (planning().await, mending().await);
    let summing_up = mending.iter().find(|request| request.tools.is_empty()).unwrap();
    assert!(planning.iter().all(|request| request.schema.is_some()) && planning.len() == 2);
    // Each but the last is a beginning of it; two of them end as no other does.
    let saves =
        [&seeing[0], &seeing[2], &seeing[9], &blind[9]].map(|it| (it, "Task: save the list"));
    let flies =
        [&planning[0], &planning[1]].map(|it| (it, "Instruction: book the cheapest flight"));
    let mends = [&mending[0], summing_up].map(|it| (it, "Task: do step 3: click"));
    let asked = [&saves[..], &flies, &mends].concat();
    let modules = ["anthropic_messages", "openai_responses", "openai_chat", "gemini_content"];
    let vendor = Vendor::start(&modules).await;
    for (model, path) in [
        ("anthropic:claude-opus-5", ""),
        ("openai:gpt-5.4", "/v1"),
        ("chat:llama-vision", "/v1"),
        ("gemini:gemini-3.5-flash", ""),
    ] {
        for (request, task) in &asked {
            let sent = vendor.sent(model, path, request).await.to_string();
            assert!(sent.contains(task), "{model}: {sent}");
        }
    }
}
