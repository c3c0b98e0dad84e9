//! A real browser over the pipe.

use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::{CloseReason, Connection, Error, Session, browser, page, runtime, target};

use crate::Deaf;
use crate::chrome::Chrome;

fn open() -> (Chrome, Connection) {
    let (chrome, transport) = Chrome::on_a_pipe();
    (chrome, Connection::open(transport, Arc::new(Deaf)))
}

async fn new_page(connection: &Connection) -> (target::CloseTarget, Session) {
    let root = connection.root();
    let create = target::CreateTarget { url: "about:blank".into(), ..Default::default() };
    let target_id = root.send(&create).await.unwrap().target_id;
    let attach = target::AttachToTarget { target_id: target_id.clone(), flatten: Some(true) };
    let session_id = root.send(&attach).await.unwrap().session_id;
    (target::CloseTarget { target_id }, connection.session(session_id))
}

#[tokio::test]
async fn a_browser_answers_over_the_pipe() {
    let (_chrome, connection) = open();
    let version = connection.root().send(&browser::GetVersion {}).await.unwrap();
    assert!(version.product.contains("Chrome"), "{version:?}");
}

#[tokio::test]
async fn a_page_evaluates_and_a_failed_command_says_why() {
    let (_chrome, connection) = open();
    let (_, session) = new_page(&connection).await;
    let evaluate = runtime::Evaluate {
        expression: "({ answer: 6 * 7, none: null })".into(),
        return_by_value: Some(true),
        ..Default::default()
    };
    let reply = session.send(&evaluate).await.unwrap();
    assert_eq!(reply.result.value.unwrap().get(), r#"{"answer":42,"none":null}"#);
    let nowhere = page::NavigateToHistoryEntry { entry_id: 99 };
    let error = session.send(&nowhere).await.unwrap_err();
    assert!(matches!(error, Error::Remote { .. }), "{error}");
}

#[tokio::test]
async fn what_a_closed_page_did_not_answer_fails_without_waiting_for_the_deadline() {
    let (_chrome, connection) = open();
    let (close, session) = new_page(&connection).await;
    let evaluate = runtime::Evaluate {
        expression: "new Promise(() => {})".into(),
        await_promise: Some(true),
        ..Default::default()
    };
    let never = session.send(&evaluate).within(Duration::from_secs(60 * 60));
    session.send(&runtime::Enable {}).await.unwrap();
    connection.root().send(&close).await.unwrap();
    let error = never.await.unwrap_err();
    assert!(matches!(error, Error::Detached { .. } | Error::Remote { .. }), "{error}");
}

#[tokio::test]
async fn a_killed_browser_ends_the_connection() {
    let (chrome, connection) = open();
    connection.root().send(&browser::GetVersion {}).await.unwrap();
    chrome.kill();
    let reason = tokio::time::timeout(Duration::from_secs(10), connection.closed()).await;
    assert_eq!(reason, Ok(CloseReason::Ended));
}
