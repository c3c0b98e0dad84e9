//! P10, as tools tell it: where what a page loaded came from, and who wrote to its console.

use legwork_protocol::{ToolCall, ToolHost};
use legwork_tools::{Files, Host, Settings};
use serde_json::{Value, json};

use crate::site::{Answer, Site, html};

const WORKER: &str =
    "oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim());
    onfetch = e => { if (e.request.url.endsWith('/made')) {
        console.log('serving', { from: 'worker' }); e.respondWith(new Response('made up')) } }";

fn route(path: &str) -> Answer {
    match path {
        "/worker.js" => ("Content-Type: text/javascript\r\n", WORKER.into()),
        "/style.css" => ("Content-Type: text/css\r\nCache-Control: max-age=600\r\n", "p{}".into()),
        "/styled" => html("<link rel=stylesheet href=/style.css><p>Styled"),
        "/" => html(
            "<h1>App</h1><script>navigator.serviceWorker.oncontrollerchange = () =>
                document.title = 'controlled'; navigator.serviceWorker.register('/worker.js')</script>",
        ),
        _ => html("<p>Empty"),
    }
}

async fn call(host: &Host, tool: &str, arguments: Value) -> legwork_protocol::Reply {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let told = host.call(ToolCall::new("default", tool, arguments)).await;
    told.unwrap_or_else(|error| panic!("{tool}: {error:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_from_a_worker_or_the_disk_is_told_apart_and_so_is_who_wrote_to_the_console() {
    let site = Site::start(route).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::in_folder(folder.path());
    let host = Host::new(Settings { files, ..Default::default() });
    let url = |path: &str| json!({ "url": format!("{}{path}", site.other_origin()) });
    call(&host, "browser_navigate", url("/styled")).await;
    call(&host, "browser_tabs", json!({ "action": "new" })).await;
    // What is in memory is of one tab; another has what is on the disk.
    call(&host, "browser_navigate", url("/styled")).await;
    let sources = call(&host, "browser_get_network_sources", json!({ "url": "style.css" })).await;
    assert!(sources.text.contains("/style.css 200 Stylesheet from disk cache"), "{}", sources.text);
    assert_eq!(sources.data["requests"][0]["source"], "disk cache");
    call(&host, "browser_navigate", url("/")).await;
    let controlled = json!({ "expression": "document.title === 'controlled'" });
    call(&host, "browser_wait", controlled).await;
    let fetched =
        json!({ "expression": "console.log('here'); fetch('/made').then(r => r.text())" });
    assert!(call(&host, "browser_eval", fetched).await.text.contains("made up"));
    let sources = call(&host, "browser_get_network_sources", json!({ "url": "/made" })).await;
    assert!(sources.text.contains("/made 200 Fetch from service worker"), "{}", sources.text);
    let workers = call(&host, "browser_get_service_workers", json!({})).await;
    assert!(workers.text.contains("activated"), "{}", workers.text);
    let told = call(&host, "browser_recent_console_logs", json!({})).await.data;
    let entries = told["entries"].as_array().unwrap();
    let source = |word: &str| {
        let entry = entries.iter().find(|entry| entry["args"][0] == word);
        entry.unwrap_or_else(|| panic!("{word}: {told}"))["source"].clone()
    };
    assert_eq!((source("here"), source("serving")), (json!("page"), json!("service worker")));
    host.close().await;
}
