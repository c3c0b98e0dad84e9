//! `legwork mcp`: what is said, what is answered, and what happens on the way.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, Site};

#[test]
fn a_client_is_told_who_we_are() {
    let mut client = Client::silent(&[]);
    let told = client.initialize("test")["result"].take();
    assert_eq!(told["protocolVersion"], "2025-11-25");
    assert_eq!(
        told["serverInfo"],
        json!({ "name": "legwork", "version": env!("CARGO_PKG_VERSION") })
    );
    assert_eq!(told["capabilities"], json!({ "logging": {}, "resources": {}, "tools": {} }));
    assert!(told["instructions"].as_str().unwrap().contains("browser_batch"), "{told}");
}

#[test]
fn the_list_of_tools_is_short_on_the_wire() {
    for (set, limit) in [("core", 10_000), ("all", 25_000)] {
        let mut client = Client::new(&["--tools", set]);
        client.request("tools/list", json!({}));
        let line = client.line();
        assert!(line.len() < limit, "{set} takes {} bytes", line.len());
        let list: Value = serde_json::from_str(&line).unwrap();
        let tools = list["result"]["tools"].as_array().unwrap();
        let click = tools.iter().find(|tool| tool["name"] == "browser_click").unwrap();
        assert_eq!(click["inputSchema"]["type"], "object", "{click}");
        let look = tools.iter().find(|tool| tool["name"] == "browser_snapshot").unwrap();
        assert_eq!(look["annotations"], json!({ "readOnlyHint": true }));
    }
}

#[test]
fn a_login_takes_two_calls_and_their_replies_say_it_all() {
    let site = Site::new();
    let mut client = Client::new(&[]);
    let page = client.text("browser_navigate", json!({ "url": site.url("/login") }));
    assert!(page.contains("User") && page.contains("Sign in"), "{page}");
    let steps = json!([
        { "tool": "browser_type", "target": "User", "text": "ada" },
        { "tool": "browser_type", "target": "Password", "text": "secret" },
        { "tool": "browser_click", "target": "button \"Sign in\"" },
    ]);
    let result = client.call("browser_batch", json!({ "steps": steps }));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("Welcome, ada") && !text.contains("secret"), "{text}");
    assert!(result["structuredContent"].is_object(), "{result}");
    let back = client.text("browser_click", json!({ "target": "Sign out" }));
    assert!(back.contains("/login"), "{back}");
    let seen = client.text("browser_snapshot", json!({}));
    assert!(seen.contains("Password"), "{seen}");
}

#[test]
fn an_error_is_a_reply_that_a_model_reads() {
    let mut client = Client::new(&[]);
    for (tool, arguments, code) in [
        ("browser_click", json!({}), "invalid_input"),
        ("browser_click", json!({ "target": 5 }), "invalid_input"),
        ("browser_clicks", json!({}), "unknown_tool"),
        ("browser_navigate", json!({ "url": "http://127.0.0.1:1/" }), "navigation_failed"),
    ] {
        let result = client.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(&format!("{code}: ")), "{text}");
        assert_eq!(result["structuredContent"]["code"], code);
    }
}

#[test]
fn a_client_that_would_hide_the_text_gets_no_data() {
    let data = |name: &str, arguments: &[&str]| {
        let mut client = Client::silent(arguments);
        client.initialize(name);
        client.call("browser_click", json!({}))["structuredContent"].take()
    };
    assert!(data("claude-code", &[]).is_null());
    assert!(data("claude-code", &["--structured", "always"]).is_object());
    assert!(data("cursor", &["--structured", "never"]).is_null());
}

#[test]
fn a_screenshot_is_an_image_and_then_a_resource() {
    let site = Site::new();
    let mut client = Client::new(&[]);
    client.text("browser_navigate", json!({ "url": site.url("/dashboard") }));
    let result = client.call("browser_take_screenshot", json!({}));
    let image = &result["content"][1];
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].take();
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed}");
    let read = client.ask("resources/read", json!({ "uri": listed[1]["uri"] }));
    assert_eq!(read["result"]["contents"][0]["blob"], image["data"]);
    let page = client.ask("resources/read", json!({ "uri": "legwork://page/snapshot" }));
    let page = &page["result"]["contents"][0];
    assert!(page["text"].as_str().unwrap().contains("Welcome, ada"), "{page}");
    assert_eq!(
        (&page["mimeType"], &listed[0]["mimeType"]),
        (&json!("text/plain"), &json!("text/plain"))
    );
    let other = client.ask("resources/read", json!({ "uri": "legwork://screenshots/../x" }));
    assert_eq!(other["error"]["code"], -32002, "{other}");
}

#[test]
fn a_screenshot_is_a_resource_whichever_tool_took_it() {
    let mut client = Client::new(&[]);
    client.text("browser_navigate", json!({ "url": "data:text/html,<h1>Hello</h1>" }));
    let shot = json!({ "tool": "browser_take_screenshot" });
    for (tool, arguments, listed) in [
        ("browser_extract", json!({ "format": "screenshot_base64" }), 1),
        ("browser_act", json!({ "action": "screenshot" }), 2),
        ("browser_batch", json!({ "steps": [shot, shot] }), 4),
    ] {
        let images = client.call(tool, arguments)["content"].as_array().unwrap().len() - 1;
        assert!(images > 0, "{tool} shows it");
        let resources = client.ask("resources/list", json!({}))["result"]["resources"].take();
        assert_eq!(resources.as_array().unwrap().len(), 1 + listed, "{tool}: {resources}");
    }
}

#[test]
fn progress_is_told_to_those_who_ask_for_it() {
    let site = Site::new();
    let mut client = Client::new(&[]);
    let step = json!({ "tool": "browser_navigate", "url": site.url("/login") });
    let arguments = json!({ "steps": [step, step, step] });
    client.call("browser_batch", arguments.clone());
    assert!(client.notes.is_empty(), "{:?}", client.notes);
    let meta = json!({ "progressToken": "mine" });
    client.ask(
        "tools/call",
        json!({ "name": "browser_batch", "arguments": arguments, "_meta": meta }),
    );
    let told: Vec<Value> = client.notes.drain(..).map(|mut note| note["params"].take()).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(told[2]["progressToken"], "mine");
    assert_eq!((&told[2]["progress"], &told[2]["total"]), (&json!(2.0), &json!(3.0)));
}

#[test]
fn a_cancelled_call_stops_at_once_and_the_session_goes_on_alone() {
    let site = Site::new();
    let mut client = Client::new(&[]);
    client.text("browser_navigate", json!({ "url": site.url("/login") }));
    // The quickest of three: a busy machine may hold up one.
    let quickest = (0..3).map(|_| time_to_cancel(&mut client)).min().unwrap();
    assert!(quickest < Duration::from_millis(200), "{quickest:?}");
    assert!(client.notes.is_empty(), "nothing answers a cancelled call: {:?}", client.notes);
}

/// How long it takes from the word until the next call is answered.
fn time_to_cancel(client: &mut Client) -> Duration {
    let wait = json!({ "text": "never there", "timeout": "60s" });
    let waiting =
        client.request("tools/call", json!({ "name": "browser_wait", "arguments": wait }));
    // An answer to another request shows that the first was taken up.
    client.ask("ping", json!({}));
    let began = Instant::now();
    let params = json!({ "requestId": waiting, "reason": "enough" });
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    // Calls of a session take turns: this one is answered when the other has stopped.
    let after = client.text("browser_eval", json!({ "expression": "1 + 1" }));
    assert!(after.contains('2'), "{after}");
    began.elapsed()
}

#[test]
fn calls_are_done_in_the_order_they_came() {
    let site = Site::new();
    let mut client = Client::new(&[]);
    client.text("browser_navigate", json!({ "url": site.url("/login") }));
    let ids: Vec<u64> = (0..20)
        .map(|number| {
            let expression = format!("window.seen = (window.seen || '') + '{number},'");
            let arguments = json!({ "expression": expression });
            client.request("tools/call", json!({ "name": "browser_eval", "arguments": arguments }))
        })
        .collect();
    let last = client.answer(ids[19]).to_string();
    let expected: String = (0..20).map(|number| format!("{number},")).collect();
    assert!(last.contains(&expected), "{last}");
}

#[test]
fn what_went_wrong_is_logged_to_those_who_ask_for_it() {
    let mut client = Client::new(&[]);
    client.call("browser_click", json!({}));
    assert!(client.notes.is_empty());
    client.ask("logging/setLevel", json!({ "level": "warning" }));
    client.call("browser_click", json!({}));
    let note = client.notes.pop_front().unwrap();
    assert_eq!(note["method"], "notifications/message", "{note}");
    assert_eq!(note["params"]["level"], "warning");
    assert!(note["params"]["data"].as_str().unwrap().contains("invalid_input"), "{note}");
}
