//! The assistant through the sidecar: messages in, notifications out.

use serde_json::{Value, json};

use crate::sidecar::Sidecar;
use crate::support::{Page, Site};

fn execute(id: &str, instruction: &str, session: Option<&str>) -> Value {
    let mut payload = json!({ "instruction": instruction });
    if let Some(session) = session {
        payload["sessionId"] = session.into();
    }
    json!({ "requestId": id, "type": "EXECUTE_TASK", "payload": payload })
}

/// The next message of the assistant that is wanted; answers to requests are passed over.
async fn until(sidecar: &mut Sidecar, wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let mut line = sidecar.hear().await;
        if line["method"] == "assistant.message" && wanted(&line["params"]) {
            return line["params"].take();
        }
    }
}

#[tokio::test]
async fn a_run_is_begun_by_a_message_and_told_by_notifications() {
    let site = Site::login().await;
    let mut sidecar = Sidecar::start(&["--session", "work"]);
    let text = format!("go to {}", site.url(""));
    sidecar.send("assistant.send", execute("q1", &text, None)).await;
    let first = until(&mut sidecar, |message| message["type"] == "STATE_UPDATE").await;
    assert_eq!(first["requestId"], "q1");
    let state = &first["payload"];
    assert_eq!((&state["sessionId"], &state["instruction"]), (&json!("work"), &json!(text)));
    let last = until(&mut sidecar, |message| message["payload"]["status"] == "completed").await;
    let tasks = last["payload"]["tasks"]["tasks"].as_array().unwrap();
    assert_eq!(tasks[0]["status"], "completed", "{last}");

    // The page, asked for by a message, is the one that the run left.
    let wanted = json!({ "wanted": { "sessionId": "work" } });
    let asked = json!({ "requestId": "q2", "type": "GET_DOM", "payload": wanted });
    sidecar.send("assistant.send", asked).await;
    let page = until(&mut sidecar, |message| message["type"] == "GET_DOM").await;
    assert_eq!(page["requestId"], "q2");
    assert_eq!(page["payload"]["page"]["title"], "Log in", "{page}");
    sidecar.close().await;
}

#[tokio::test]
async fn a_request_for_help_is_told_and_answered_by_messages() {
    let rows = "<ul><li>Oat milk <button onclick=\"document.title = 'oat'\">Add</button></li>
        <li>Rice <button onclick=\"document.title = 'rice'\">Add</button></li></ul>";
    let site = Site::start(move |_| Page::Html(rows.to_owned())).await;
    let mut sidecar = Sidecar::start(&[]);
    let text = format!("go to {}, click Add", site.url(""));
    sidecar.send("assistant.send", execute("q1", &text, None)).await;
    let asks = |message: &Value| message["payload"].get("request").is_some();
    let asked = until(&mut sidecar, asks).await;
    assert_eq!((&asked["type"], &asked["requestId"]), (&json!("USER_ASSISTANCE"), &json!("q1")));
    let request = &asked["payload"]["request"];
    let choices = request["choices"].as_array().unwrap();
    assert!(choices.len() == 2 && choices[1].to_string().contains("Rice"), "{request}");
    let answer = json!({ "response": {
        "requestId": request["id"], "response": { "said": choices[1] },
        "timestamp": "2026-01-01T00:00:00.000Z",
    } });
    let answer = json!({ "requestId": "q2", "type": "USER_ASSISTANCE", "payload": answer });
    sidecar.send("assistant.send", answer).await;
    let last = until(&mut sidecar, |message| message["payload"]["status"] == "completed").await;
    assert!(last.to_string().contains("Rice"), "{last}");
    let wanted = json!({ "wanted": { "sessionId": last["payload"]["sessionId"] } });
    let dom = json!({ "requestId": "q3", "type": "GET_DOM", "payload": wanted });
    sidecar.send("assistant.send", dom).await;
    let page = until(&mut sidecar, |message| message["type"] == "GET_DOM").await;
    assert_eq!(page["payload"]["page"]["title"], "rice", "the second was meant: {page}");
    sidecar.close().await;
}

fn feedback(id: &str, payload: Value) -> Value {
    json!({ "requestId": id, "type": "USER_ASSISTANCE", "payload": payload })
}

#[tokio::test]
async fn a_remark_changes_what_is_to_come_also_of_a_run_that_is_stopped_and_resumed() {
    let page = "<ul><li>Oat milk <button>Add</button></li><li>Rice <button>Add</button></li></ul>
        <label>City <input id=city></label><button onclick='document.title = city.value'>Save</button>";
    let site = Site::start(move |_| Page::Html(page.to_owned())).await;
    let mut sidecar = Sidecar::start(&[]);
    let text = format!("go to {}, click Add, type Rome into City, click Save", site.url(""));
    sidecar.send("assistant.send", execute("q1", &text, None)).await;
    let is = |status: &'static str| move |message: &Value| message["payload"]["status"] == status;
    let run = until(&mut sidecar, is("waiting")).await["payload"]["runId"].take();
    let remark = json!({ "remark": { "runId": run, "text": "no, type Oslo into City instead" } });
    sidecar.send("assistant.send", feedback("q2", remark)).await;
    let stop = json!({ "stop": { "runId": run } });
    sidecar.send("assistant.send", feedback("q3", stop)).await;
    until(&mut sidecar, is("stopped")).await;
    let resume = json!({ "resume": { "runId": run } });
    sidecar.send("assistant.send", feedback("q4", resume)).await;
    let asked = until(&mut sidecar, is("waiting")).await;
    let request = &asked["payload"]["assistance"];
    let answer = json!({ "response": {
        "requestId": request["id"], "response": { "said": request["choices"][1] },
        "timestamp": "2026-01-01T00:00:00.000Z",
    } });
    sidecar.send("assistant.send", feedback("q5", answer)).await;
    let last = until(&mut sidecar, is("completed")).await;
    assert_eq!(last["payload"]["runId"], run, "it is the same run");
    let wanted = json!({ "wanted": { "sessionId": last["payload"]["sessionId"] } });
    let dom = json!({ "requestId": "q6", "type": "GET_DOM", "payload": wanted });
    sidecar.send("assistant.send", dom).await;
    let page = until(&mut sidecar, |message| message["type"] == "GET_DOM").await;
    assert_eq!(page["payload"]["page"]["title"], "Oslo", "{last}");
    sidecar.close().await;
}

#[tokio::test]
async fn what_cannot_be_done_is_told_and_sessions_are_counted() {
    let site = Site::login().await;
    let mut sidecar = Sidecar::start(&[]);
    let wrong =
        sidecar.error("assistant.send", json!({ "requestId": "q0", "type": "DANCE" })).await;
    assert_eq!(wrong, (-32602, "ERR_INVALID_INPUT".to_owned()));
    sidecar.result("browser.open", json!({ "url": site.url("") })).await;
    // Only one session may be open, for the assistant as for everybody.
    let text = format!("go to {}", site.url(""));
    sidecar.send("assistant.send", execute("q1", &text, Some("another"))).await;
    let failed = until(&mut sidecar, |message| message["payload"]["status"] == "failed").await;
    assert!(failed.to_string().contains("at most 1 session at a time"), "{failed}");
    let stop = json!({ "stop": { "runId": "r0" } });
    let stop = json!({ "requestId": "q2", "type": "USER_ASSISTANCE", "payload": stop });
    sidecar.send("assistant.send", stop).await;
    let refused = until(&mut sidecar, |message| message["type"] == "ERROR").await;
    assert_eq!(refused["requestId"], "q2");
    assert_eq!(refused["payload"]["code"], "not_found", "{refused}");
    sidecar.close().await;
}
