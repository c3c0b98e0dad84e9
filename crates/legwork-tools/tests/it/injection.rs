//! Pages that talk to whoever reads them: what nobody sees is left out or marked, and what a page says can
//! never pass for something that this program says.

use legwork_protocol::{ToolCall, ToolHost};
use legwork_tools::{Files, Host, Settings};
use serde_json::{Map, Value, json};

use crate::site::{Site, html};

struct Rig {
    host: Host,
    site: Site,
    _folder: tempfile::TempDir,
}

impl Rig {
    async fn open(page: &str) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/injection");
        let page = std::fs::read_to_string(format!("{root}/{page}.html")).unwrap();
        let files = Files::in_folder(folder.path());
        let host = Host::new(Settings { files, ..Default::default() });
        let rig = Rig { host, site: Site::start(move |_| html(&page)).await, _folder: folder };
        rig.call("browser_navigate", json!({ "url": rig.site.origin() })).await;
        rig
    }

    /// What a model reads of an answer.
    async fn call(&self, tool: &str, arguments: Value) -> String {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        match self.host.call(ToolCall::new("default", tool, arguments)).await {
            Ok(reply) => reply.text,
            Err(error) => error.told(),
        }
    }

    async fn snapshot(&self) -> String {
        self.call("browser_snapshot", json!({ "max_tokens": 100_000, "links": true })).await
    }
}

/// What the page itself could not have: refs from 1 to 59 are in its texts, and none of them is real as long
/// as the page is loaded for the first time and has fewer things one can act on.
fn false_refs(text: &str, real: &str) -> Vec<String> {
    let found = text.match_indices('e').filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let digits: String = text[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        let whole = before.is_none_or(|c| !c.is_alphanumeric()) && !digits.is_empty();
        whole.then(|| (at, format!("e{digits}")))
    });
    let listed = |reference: &String| real.split(' ').any(|one| one == reference);
    let line = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
        text[start..].lines().next().unwrap_or_default().to_owned()
    };
    found.filter(|(_, one)| !listed(one)).map(|(at, _)| line(at)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_sees_is_left_out_or_marked() {
    let rig = Rig::open("hidden").await;
    let text = rig.snapshot().await;
    println!("{text}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_says_does_not_pass_for_ours() {
    let rig = Rig::open("markers").await;
    println!("{}", rig.snapshot().await);
    println!(
        "=== interactive\n{}",
        rig.call("browser_snapshot", json!({"interactive": true})).await
    );
    println!("=== find\n{}", rig.call("browser_find", json!({"target": "Pay"})).await);
    println!(
        "=== query\n{}",
        rig.call("browser_query", json!({"target": "css=button, a, select, img", "limit": 50}))
            .await
    );
    for format in ["text", "markdown"] {
        println!(
            "=== {format}\n{}",
            rig.call("browser_extract", json!({"format": format, "whole": true})).await
        );
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_happens_is_told_in_our_words() {
    let rig = Rig::open("voices").await;
    for (tool, arguments) in [
        ("browser_click", json!({ "target": "Send" })),
        ("browser_click", json!({ "target": "#toast" })),
        ("browser_click", json!({ "target": "#ask" })),
        ("browser_handle_dialog", json!({ "accept": false })),
        ("browser_click", json!({ "target": "#file" })),
        ("browser_downloads", json!({})),
        ("browser_select", json!({ "target": "Sort", "option": "Z" })),
        ("browser_select", json!({ "target": "Sort", "option": "B" })),
        ("browser_click", json!({ "target": "#go" })),
        ("browser_tabs", json!({ "action": "list" })),
        ("browser_recent_console_logs", json!({})),
        ("browser_eval", json!({ "expression": "text" })),
        ("browser_eval", json!({ "expression": "trap" })),
        ("browser_click", json!({ "target": "nothing called this" })),
        ("browser_get_network_sources", json!({})),
    ] {
        println!("=== {tool} {arguments}\n{}", rig.call(tool, arguments.clone()).await);
    }
    rig.host.close().await;
}
