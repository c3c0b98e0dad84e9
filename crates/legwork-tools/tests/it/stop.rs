//! Stopping what runs, from beside it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork_protocol::{Code, ToolCall, ToolHost};
use legwork_tools::audit::{Filter, Records, Store};
use legwork_tools::{Host, Settings};
use serde_json::{Map, Value, json};

/// No call is stopped later (W6).
const SOON: Duration = Duration::from_millis(200);

fn call(session: &str, tool: &str, arguments: Value) -> ToolCall {
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    ToolCall::new(session, tool, arguments)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_and_what_waits_is_stopped_at_once_and_recorded_alone() {
    let folder = tempfile::tempdir().unwrap();
    let audit = Arc::new(Store::in_folder(folder.path().join("audit")));
    let host = Host::new(Settings { audit, ..Default::default() });
    let page = "data:text/html,<title>here</title><button>Go</button>";
    for session in ["one", "two"] {
        host.call(call(session, "browser_navigate", json!({ "url": page }))).await.unwrap();
    }
    for (tool, arguments) in [
        ("browser_eval", json!({ "expression": "window.began = 1, new Promise(() => {})" })),
        ("browser_wait", json!({ "text": "never", "timeout": "10m" })),
        ("browser_batch", json!({ "steps": [{ "tool": "browser_wait", "time": "10m" }] })),
        ("browser_click", json!({ "target": "Nowhere", "timeout": "10m" })),
    ] {
        let running = host.call(call("one", tool, arguments));
        let waiting = host.call(call("one", "browser_eval", json!({ "expression": "1" })));
        // The other session goes to its page and back, so that this one is well under way.
        let stopping = async {
            for _ in 0..3 {
                let beside = call("two", "browser_eval", json!({ "expression": "1" }));
                host.call(beside).await.unwrap();
            }
            let began = Instant::now();
            assert_eq!(host.stop(Some("one")), 2, "{tool}");
            began
        };
        let (running, waiting, began) = tokio::join!(running, waiting, stopping);
        for ended in [running, waiting] {
            let error = ended.unwrap_err();
            assert_eq!(error.code, Code::Cancelled);
            assert!(error.message.contains("stopped"), "{}", error.message);
        }
        assert!(began.elapsed() < SOON, "{tool} took {:?}", began.elapsed());
        // The page is as it was left, and the session goes on.
        let title = call("one", "browser_eval", json!({ "expression": "document.title" }));
        assert_eq!(host.call(title).await.unwrap().data["value"], "here");
    }
    assert_eq!(host.stop(None), 0);
    let records = Records::open(&folder.path().join("audit")).unwrap().unwrap();
    let stopped = Filter { ending: Some("stopped".into()), ..Default::default() };
    assert_eq!(records.calls(&stopped).unwrap().len(), 8);
    host.close().await;
}
