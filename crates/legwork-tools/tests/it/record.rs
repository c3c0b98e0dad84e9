//! What programs are told beside the text: how elements can be found again, and what a person does.

use std::time::Duration;

use legwork_protocol::rpc::{BrowserEvent, Deed, SessionEvent};
use legwork_protocol::{Known, Reply, ToolCall, ToolHost as _};
use legwork_tools::{Files, Host, Recording, Settings};
use serde_json::{Map, Value, json};

use crate::site::{Site, html};

const FORM: &str = "<form action=/sent><label>Name <input id=name name=name></label>
    <label>Password <input id=code type=password></label><button id=send>Send</button></form>";

async fn call(host: &Host, tool: &str, arguments: Value) -> Reply {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let call = ToolCall { describe: true, ..ToolCall::new("default", tool, arguments) };
    host.call(call).await.unwrap()
}

fn known(data: &Value) -> Known {
    serde_json::from_value(data.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_tell_programs_how_to_find_the_element_again_and_readers_nothing_more() {
    let site = Site::start(|_| html(FORM)).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::in_folder(folder.path());
    let host = Host::new(Settings { files, ..Default::default() });
    call(&host, "browser_navigate", json!({ "url": site.origin() })).await;
    let fields = json!({ "Name": "Ann", "Password": "swordfish" });
    let filled = call(&host, "browser_fill_form", json!({ "fields": fields })).await;
    let name = known(&filled.data["fields"][0]["element"]);
    assert!(name.find.contains(&"css=#name".to_owned()), "{name:?}");
    assert!(known(&filled.data["fields"][1]["element"]).secret, "{}", filled.data);
    assert!(!filled.data.to_string().contains("swordfish"), "{}", filled.data);
    let sent = call(&host, "browser_click", json!({ "target": "Send" })).await;
    let button = known(&sent.data["element"]);
    assert_eq!((&*button.role, &*button.name), ("button", "Send"));
    let again = ToolCall::new(
        "default",
        "browser_press_key",
        Map::from_iter([("key".into(), "Tab".into())]),
    );
    assert_eq!(host.call(again).await.unwrap().data["element"], Value::Null, "nobody asked");
    assert!(!sent.text.contains("css=") && !filled.text.contains("css="), "{}", sent.text);
    host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_keeps_what_is_read_of_elements_reads_all_of_it() {
    let lines: Vec<String> = (1..=300).map(|number| format!("Line {number}")).collect();
    let page = format!("<p id=long>{}</p><b>Short</b>", lines.join("<br>"));
    let site = Site::start(move |_| html(&page)).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::in_folder(folder.path());
    let host = Host::new(Settings { files, ..Default::default() });
    call(&host, "browser_navigate", json!({ "url": site.origin() })).await;
    let read = call(&host, "browser_query", json!({ "target": "css=p, b" })).await.data;
    assert_eq!(read["items"][0]["content"], lines.join("\n"));
    assert_eq!(
        (&read["items"][1]["text"], &read["items"][1]["content"]),
        (&json!("Short"), &Value::Null)
    );
    assert_eq!(read["in_words"], false);
    let named = call(&host, "browser_query", json!({ "target": "Short" })).await.data;
    assert_eq!((&named["in_words"], &named["items"][0]["text"]), (&json!(true), &json!("Short")));
    let target = Map::from_iter([("target".into(), "#long".into())]);
    let plain = host.call(ToolCall::new("default", "browser_query", target)).await.unwrap().data;
    assert_eq!((&plain["items"][0]["content"], &plain["in_words"]), (&Value::Null, &Value::Null));
    assert!(plain["items"][0]["text"].as_str().unwrap().len() < 510, "the beginning alone");
    host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_session_tells_where_it_begins_until_it_is_recorded_no_more() {
    let site = Site::start(|_| html(FORM)).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::in_folder(folder.path());
    let host = Host::new(Settings { files, ..Default::default() });
    let mut events = host.events();
    host.record("default", Recording::Off, "test").await.unwrap();
    assert!(host.sessions().await.is_empty(), "nothing is started to be switched off");
    call(&host, "browser_navigate", json!({ "url": site.origin() })).await;
    host.record("default", Recording::On, "test").await.unwrap();
    host.record("default", Recording::Off, "test").await.unwrap();
    call(&host, "browser_close", json!({})).await;
    let mut told = Vec::new();
    loop {
        let next = tokio::time::timeout(Duration::from_secs(20), events.recv()).await;
        let SessionEvent { event, .. } = next.unwrap().unwrap();
        match event {
            BrowserEvent::UserActed(act) => told.push(act),
            BrowserEvent::SessionClosed => break,
            _ => {}
        }
    }
    assert_eq!(told.len(), 1, "{told:?}");
    let Deed::WentTo { url } = &told[0].deed else { panic!("{told:?}") };
    assert!(url.starts_with(&site.origin()), "{url}");
    host.close().await;
}
