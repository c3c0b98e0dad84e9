//! What a browser does unasked, as notifications of the sidecar and through the client.

use std::sync::Arc;
use std::time::Duration;

use legwork_protocol::client::{CallOptions, Client, Options, Process};
use legwork_protocol::rpc::{BrowserEvent, SavingState, SessionEvent};
use legwork_protocol::{Open, discovery};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::sidecar::Sidecar;
use crate::support::{LEGWORK, Page, Scratch, Site};

/// Longer than anything here takes, on a busy machine too.
const LONG: Duration = Duration::from_secs(60);

const BUSY: &str = "<!doctype html><title>Busy</title>
    <button onclick=\"prompt('Your name?', 'Ann')\">Ask</button>
    <button onclick=\"window.open('/other')\">Open</button>
    <a href=/file>Save</a>";

async fn busy() -> Site {
    Site::start(|asked| match asked.path.as_str() {
        "/" => Page::Html(BUSY.to_owned()),
        "/other" => Page::Html("<title>Other</title><h1>Other</h1>".to_owned()),
        "/file" => Page::File("report.txt"),
        _ => Page::NotFound,
    })
    .await
}

#[tokio::test]
async fn who_subscribes_is_told_what_was_asked_for_and_nothing_else() {
    let site = busy().await;
    let mut sidecar = Sidecar::start(&[]);
    let told = sidecar.result("browser.subscribe", json!({ "events": ["dialog_opened"] })).await;
    assert_eq!(told["events"], json!(["dialog_opened"]));
    // The page loads and a tab opens: neither was asked for, so the next line is the answer.
    sidecar.result("browser.open", json!({ "url": site.url("") })).await;
    let asked = sidecar.send("browser_click", json!({ "target": "Ask" })).await;
    let lines = [sidecar.hear().await, sidecar.hear().await];
    let (news, answers): (Vec<Value>, Vec<Value>) =
        lines.into_iter().partition(|line| line.get("method").is_some());
    assert_eq!(answers[0]["id"], asked, "{answers:?}");
    assert_eq!(
        news,
        [json!({ "jsonrpc": "2.0", "method": "browser.event", "params": {
            "session_id": "default", "event": "dialog_opened", "tab": 1,
            "kind": "prompt", "message": "Your name?", "default_text": "Ann",
        } })]
    );
    assert_eq!(sidecar.result("browser.unsubscribe", json!({})).await["events"], json!([]));
    sidecar.result("browser_handle_dialog", json!({ "accept": true })).await;
    sidecar.result("browser.subscribe", json!({ "session_id": "another" })).await;
    sidecar.result("browser_navigate", json!({ "url": site.url("other") })).await;
    let wrong = sidecar.error("browser.subscribe", json!({ "events": ["teleported"] })).await;
    assert_eq!(wrong, (-32602, "ERR_INVALID_INPUT".to_owned()));
    sidecar.close().await;
}

/// A client whose sidecar keeps its things in the folder, and what it is told.
fn listening(scratch: &Scratch) -> (Client, UnboundedReceiver<SessionEvent>) {
    let (heard, events) = unbounded_channel();
    let tell = move |event: &SessionEvent| drop(heard.send(event.clone()));
    let request = discovery::Request { explicit: Some(LEGWORK.into()), ..Default::default() };
    let environment = vec![("TMPDIR".to_owned(), scratch.path().display().to_string())];
    let process = Process { request, environment, ..Default::default() };
    (Client::new(process, Options { events: Some(Arc::new(tell)), ..Options::default() }), events)
}

/// The next event of a kind; those before it are of no interest here.
async fn next(events: &mut UnboundedReceiver<SessionEvent>, kind: &str) -> BrowserEvent {
    let found = async {
        loop {
            let SessionEvent { session_id, event } = events.recv().await.expect("more events");
            assert_eq!(session_id, "default");
            if event.kind() == kind {
                return event;
            }
        }
    };
    tokio::time::timeout(LONG, found).await.unwrap_or_else(|_| panic!("no {kind}"))
}

async fn call(client: &Client, tool: &str, arguments: Value) {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let called = client.call_tool(tool, arguments, CallOptions::default()).await;
    called.unwrap_or_else(|error| panic!("{tool}: {error}"));
}

#[tokio::test]
async fn a_host_hears_of_navigations_dialogs_windows_and_downloads() {
    let (site, scratch) = (busy().await, Scratch::new());
    let (client, mut events) = listening(&scratch);
    let open: Open = serde_json::from_value(json!({ "url": site.url("") })).unwrap();
    client.open(&open).await.unwrap();
    let arrived = BrowserEvent::Navigated { tab: 1, url: site.url("") };
    assert_eq!(next(&mut events, "navigated").await, arrived);
    call(&client, "browser_click", json!({ "target": "Ask" })).await;
    next(&mut events, "dialog_opened").await;
    call(&client, "browser_handle_dialog", json!({ "accept": false })).await;
    assert_eq!(next(&mut events, "dialog_closed").await, BrowserEvent::DialogClosed { tab: 1 });
    call(&client, "browser_click", json!({ "target": "Save" })).await;
    next(&mut events, "download_began").await;
    let BrowserEvent::DownloadEnded(saved) = next(&mut events, "download_ended").await else {
        panic!("a download ended");
    };
    assert_eq!((saved.state, saved.received), (SavingState::Done, 5));
    assert_eq!(std::fs::read_to_string(&saved.path).unwrap(), "saved");
    call(&client, "browser_click", json!({ "target": "Open" })).await;
    let BrowserEvent::TabOpened { tab: 2, opener: Some(1), .. } =
        next(&mut events, "tab_opened").await
    else {
        panic!("tab 2, opened by tab 1");
    };
    call(&client, "browser_tabs", json!({ "action": "close", "tab": 2 })).await;
    assert_eq!(next(&mut events, "tab_closed").await, BrowserEvent::TabClosed { tab: 2 });
    client.close().await.unwrap();
    next(&mut events, "session_closed").await;
    client.stop().await;
    scratch.nothing_left().await;
}

#[tokio::test]
async fn a_host_hears_of_a_crash_before_it_calls_again() {
    let scratch = Scratch::new();
    let (client, mut events) = listening(&scratch);
    call(&client, "browser_navigate", json!({ "url": "data:text/html,<h1>Here</h1>" })).await;
    let crash = json!({ "url": "chrome://crash" }).as_object().cloned().unwrap();
    let _ = client.call_tool("browser_navigate", crash, CallOptions::default()).await;
    assert_eq!(next(&mut events, "page_crashed").await, BrowserEvent::PageCrashed { tab: 1 });
    call(&client, "browser_navigate", json!({ "url": "data:text/html,<h1>Again</h1>" })).await;
    scratch.kill_browser();
    next(&mut events, "browser_ended").await;
    call(&client, "browser_snapshot", json!({})).await;
    next(&mut events, "tab_opened").await;
    client.stop().await;
    scratch.nothing_left().await;
}
