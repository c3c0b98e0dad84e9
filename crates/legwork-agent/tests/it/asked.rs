//! What a pursuit asks is what the vendors take: requests of one, with errors, remarks, pictures and answers
//! that call nothing, are checked with their own types.

use legwork_agent::model::{Answer, Request};
use legwork_agent::think::pursue;
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

#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_a_pursuit_are_such_as_the_vendors_take() {
    let (seeing, blind) = (requests(true).await, requests(false).await);
    assert_eq!((seeing.len(), blind.len()), (10, 10));
    // Each but the last is a beginning of it; two of them end as no other does.
    let asked = [&seeing[0], &seeing[2], &seeing[9], &blind[9]];
    let modules = ["anthropic_messages", "openai_responses", "openai_chat", "gemini_content"];
    let vendor = Vendor::start(&modules).await;
    for (model, path) in [
        ("anthropic:claude-opus-5", ""),
        ("openai:gpt-5.4", "/v1"),
        ("chat:llama-vision", "/v1"),
        ("gemini:gemini-3.5-flash", ""),
    ] {
        for request in asked {
            let sent = vendor.sent(model, path, request).await.to_string();
            assert!(sent.contains("Task: save the list"), "{model}: {sent}");
        }
    }
}
