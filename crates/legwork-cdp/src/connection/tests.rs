//! A connection against a browser that the test plays.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::{Event, FakePeer, browser, page, runtime, target};

/// Remembers what it was told, in order.
#[derive(Default)]
struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    fn told(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Handler for Recorder {
    fn event(&self, event: RawEvent<'_>) {
        assert_ne!(event.method, "Test.panic", "as the test asked for");
        let session = event.session.unwrap_or("root");
        self.0.lock().unwrap().push(format!("{session} {} {}", event.method, event.params));
    }

    fn closed(&self, reason: &CloseReason) {
        self.0.lock().unwrap().push(format!("closed: {reason}"));
    }
}

fn open() -> (Connection, FakePeer, Arc<Recorder>) {
    let (transport, peer) = Transport::fake();
    let recorder = Arc::new(Recorder::default());
    (Connection::open(transport, recorder.clone()), peer, recorder)
}

fn version(product: &str) -> Value {
    let mut version = json!({ "product": product, "unknown": [1, { "field": null }] });
    for field in ["protocolVersion", "revision", "userAgent", "jsVersion"] {
        version[field] = "x".into();
    }
    version
}

async fn recv(peer: &mut FakePeer) -> Value {
    peer.recv().await.expect("a command was sent")
}

#[tokio::test]
async fn a_command_is_written_with_its_session_and_without_absent_options() {
    let (connection, mut peer, _) = open();
    let session = connection.session("S1".into());
    let navigate = page::Navigate {
        url: "about:blank".into(),
        frame_id: Some("F1".into()),
        ..Default::default()
    };
    session.notify(&navigate);
    connection.root().notify(&browser::Close {});
    assert_eq!(
        recv(&mut peer).await,
        json!({
            "id": 1, "method": "Page.navigate", "sessionId": "S1",
            "params": { "url": "about:blank", "frameId": "F1" },
        })
    );
    let close = json!({ "id": 2, "method": "Browser.close", "params": {} });
    assert_eq!(recv(&mut peer).await, close);
}

#[tokio::test]
async fn answers_may_come_in_another_order_than_the_commands() {
    let (connection, mut peer, _) = open();
    let root = connection.root();
    let first = root.send(&browser::GetVersion {});
    let second = root.send(&browser::GetVersion {});
    let (one, two) = (recv(&mut peer).await, recv(&mut peer).await);
    peer.answer(&two, version("second"));
    peer.answer(&one, version("first"));
    assert_eq!(first.await.unwrap().product, "first");
    assert_eq!(second.await.unwrap().product, "second");
}

#[tokio::test]
async fn commands_go_out_before_their_answers_are_awaited() {
    let (connection, mut peer, _) = open();
    let session = connection.session("S1".into());
    let _calls = (
        session.send(&page::Enable::default()),
        session.send(&runtime::Enable {}),
        session.send_raw("DOM.enable", crate::Empty::json()),
    );
    for method in ["Page.enable", "Runtime.enable", "DOM.enable"] {
        assert_eq!(recv(&mut peer).await["method"], method);
    }
}

#[tokio::test]
async fn events_are_handled_before_the_answer_that_came_after_them() {
    let (connection, mut peer, recorder) = open();
    let call = connection.root().send(&browser::GetVersion {});
    let command = recv(&mut peer).await;
    peer.event(Some("S1"), "Page.loadEventFired", json!({ "timestamp": 1.5 }));
    peer.send(json!({ "method": "Unknown.event" }));
    peer.answer(&command, version("x"));
    call.await.unwrap();
    let expected = ["S1 Page.loadEventFired {\"timestamp\":1.5}", "root Unknown.event {}"];
    assert_eq!(recorder.told(), expected);
}

#[tokio::test]
async fn malformed_messages_are_passed_over() {
    let (connection, mut peer, recorder) = open();
    let call = connection.root().send(&browser::GetVersion {});
    let command = recv(&mut peer).await;
    for text in [
        "",
        "nonsense",
        "{\"id\":",
        "[]",
        "null",
        "{}",
        "{\"id\":-1}",
        "{\"id\":\"1\",\"result\":{}}",
        "{\"id\":999,\"result\":{}}",
        "{\"method\":7}",
        "{\"error\":{\"code\":-32700,\"message\":\"JSON: invalid\"}}",
    ] {
        peer.send_text(text);
    }
    peer.answer(&command, version("x"));
    call.await.unwrap();
    assert_eq!(recorder.told(), [""; 0]);
}

#[tokio::test]
async fn a_refused_command_and_a_misshapen_answer_are_errors_of_their_own() {
    let (connection, mut peer, _) = open();
    let root = connection.root();
    let refused = root.send(&browser::GetVersion {});
    let misshapen = root.send(&browser::GetVersion {});
    let command = recv(&mut peer).await;
    peer.refuse(&command, -32000, "Not allowed");
    let command = recv(&mut peer).await;
    peer.answer(&command, json!({ "product": 5 }));
    let error = refused.await.unwrap_err();
    assert!(matches!(error, Error::Remote { code: -32000, .. }), "{error}");
    let error = misshapen.await.unwrap_err();
    assert!(matches!(error, Error::BadReply { .. }), "{error}");
}

#[test]
fn an_event_that_does_not_fit_its_type_is_no_event() {
    let params = serde_json::value::to_raw_value(&json!({ "timestamp": "late" })).unwrap();
    let method = page::LoadEventFired::METHOD;
    let event = RawEvent { session: None, method, params: &params };
    assert!(event.parse::<page::LoadEventFired>().is_none());
}

#[test]
fn a_value_that_is_null_differs_from_no_value() {
    for (text, expected) in [
        (r#"{"type":"object","subtype":"null","value":null}"#, Some("null")),
        (r#"{"type":"undefined"}"#, None),
        (r#"{"type":"object","value":{"a":1}}"#, Some(r#"{"a":1}"#)),
    ] {
        let object: runtime::RemoteObject = serde_json::from_str(text).unwrap();
        assert_eq!(object.value.as_deref().map(|value| value.get()), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_without_an_answer_ends_at_its_deadline() {
    let (connection, _peer, _) = open();
    let start = tokio::time::Instant::now();
    let error = connection.root().send(&browser::GetVersion {}).await.unwrap_err();
    assert_eq!(error.to_string(), "Browser.getVersion was not answered within 30s");
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(connection.core().pending_calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_counts_from_sending() {
    let (connection, _peer, _) = open();
    let start = tokio::time::Instant::now();
    let call = connection.root().send(&browser::GetVersion {}).within(Duration::from_secs(5));
    tokio::time::advance(Duration::from_secs(4)).await;
    let error = call.await.unwrap_err();
    assert!(matches!(error, Error::Timeout { after, .. } if after.as_secs() == 5), "{error}");
    assert_eq!(start.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_came_in_time_counts_however_late_it_is_looked_at() {
    let (connection, mut peer, _) = open();
    let call = connection.root().send(&browser::GetVersion {});
    let command = recv(&mut peer).await;
    peer.answer(&command, version("x"));
    while connection.core().pending_calls() > 0 {
        tokio::task::yield_now().await;
    }
    tokio::time::advance(Duration::from_secs(100)).await;
    assert_eq!(call.await.unwrap().product, "x");
}

#[tokio::test]
async fn nothing_is_kept_of_a_dropped_call_or_a_notification() {
    let (connection, mut peer, recorder) = open();
    let root = connection.root();
    root.notify(&browser::GetVersion {});
    assert_eq!(connection.core().pending_calls(), 0);
    let call = root.send(&browser::GetVersion {});
    assert_eq!(connection.core().pending_calls(), 1);
    drop(call);
    assert_eq!(connection.core().pending_calls(), 0);
    for _ in 0..2 {
        let command = recv(&mut peer).await;
        peer.answer(&command, version("unwanted"));
    }
    let call = root.send(&browser::GetVersion {});
    let command = recv(&mut peer).await;
    peer.answer(&command, version("wanted"));
    assert_eq!(call.await.unwrap().product, "wanted");
    assert_eq!(recorder.told(), [""; 0]);
}

#[tokio::test]
async fn when_the_browser_ends_everything_pending_fails_and_so_does_what_is_sent_later() {
    let (connection, mut peer, recorder) = open();
    let root = connection.root();
    let pending = root.send(&browser::GetVersion {});
    recv(&mut peer).await;
    peer.event(None, "Last.event", json!({}));
    drop(peer);
    let error = pending.await.unwrap_err();
    assert!(matches!(error, Error::Closed(CloseReason::Ended)), "{error}");
    assert_eq!(recorder.told(), ["root Last.event {}", "closed: the browser ended it"]);
    assert!(connection.is_closed());
    assert_eq!(connection.closed().await, CloseReason::Ended);
    let error = root.send(&browser::GetVersion {}).await.unwrap_err();
    assert!(matches!(error, Error::Closed(CloseReason::Ended)), "{error}");
}

#[tokio::test]
async fn closing_fails_what_is_pending_at_once_and_keeps_its_reason() {
    let (connection, mut peer, recorder) = open();
    let pending = connection.root().send(&browser::GetVersion {});
    connection.close();
    let error = pending.await.unwrap_err();
    assert!(matches!(error, Error::Closed(CloseReason::Asked)), "{error}");
    // What was queued still goes out; then the writer lets go of the transport.
    assert_eq!(recv(&mut peer).await["method"], "Browser.getVersion");
    assert_eq!(peer.recv().await, None);
    drop(peer);
    assert_eq!(connection.closed().await, CloseReason::Asked);
    assert_eq!(recorder.told(), ["closed: it was closed on our side"]);
}

#[tokio::test]
async fn dropping_the_last_handle_closes_it_and_ends_its_tasks() {
    let (connection, mut peer, recorder) = open();
    let session = connection.session("S1".into());
    drop(connection);
    let pending = session.send(&runtime::Enable {});
    assert_eq!(recv(&mut peer).await["sessionId"], "S1");
    drop(session);
    let error = pending.await.unwrap_err();
    assert!(matches!(error, Error::Closed(CloseReason::Asked)), "{error}");
    assert_eq!(peer.recv().await, None);
    // The reader lets go of the handler as it ends.
    while Arc::strong_count(&recorder) > 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn calls_of_a_detached_session_fail_and_those_of_others_do_not() {
    let (connection, mut peer, _) = open();
    let gone = connection.session("gone".into()).send(&runtime::Enable {});
    let kept = connection.session("kept".into()).send(&runtime::Enable {});
    let (_, command) = (recv(&mut peer).await, recv(&mut peer).await);
    let params = json!({ "sessionId": "gone" });
    peer.event(None, target::DetachedFromTarget::METHOD, params);
    peer.answer(&command, json!({}));
    let error = gone.await.unwrap_err();
    assert!(matches!(error, Error::Detached { .. }), "{error}");
    kept.await.unwrap();
}

#[tokio::test]
async fn a_handler_that_panics_closes_the_connection() {
    let (connection, peer, _) = open();
    let pending = connection.root().send(&browser::GetVersion {});
    peer.event(None, "Test.panic", json!({}));
    let error = pending.await.unwrap_err();
    assert!(matches!(error, Error::Closed(CloseReason::Failed(_))), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_browser_that_takes_nothing_does_not_hold_up_the_end() {
    let (read_by_browser, ours) = std::io::pipe().unwrap();
    let (read, _written_by_browser) = std::io::pipe().unwrap();
    let transport = Transport::pipe(ours.into(), read.into()).unwrap();
    let recorder = Arc::new(Recorder::default());
    let connection = Connection::open(transport, recorder.clone());
    let insert = crate::input::InsertText { text: "x".repeat(1 << 20) };
    connection.root().notify(&insert);
    let core = Arc::downgrade(connection.core());
    drop(connection);
    while core.strong_count() > 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    drop(read_by_browser);
}
