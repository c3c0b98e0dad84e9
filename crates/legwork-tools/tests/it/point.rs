//! E7, W3: what is pointed at is judged as what it is, and typing goes where the focus is.

use std::sync::Arc;

use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::{Files, Host, Rules, Settings};
use serde_json::{Map, Value, json};

use crate::site::{Site, html};

const SHOP: &str = "<body style='margin:0'>
    <button style='position:fixed;left:0;top:0;width:200px;height:50px' onclick='document.title += \"paid\"'>
      <span>Pay</span> <b>now</b></button>
    <button style='position:fixed;left:0;top:60px;width:200px;height:50px' onclick='document.title += \"seen\"'>
      Details</button>
    <iframe src=/inner style='position:fixed;left:0;top:120px;width:300px;height:100px;border:0'></iframe>
    <input id=f style='position:fixed;left:0;top:230px;width:200px;height:30px'>";
const INNER: &str = "<body style='margin:0'><button style='width:200px;height:50px'
    onclick='parent.document.title += \"inner\"'>Delete account</button>";

struct Rig {
    host: Host,
    _site: Site,
    _folder: tempfile::TempDir,
}

impl Rig {
    async fn new(policy: &str) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::start(|path| html(if path == "/inner" { INNER } else { SHOP })).await;
        let settings = Settings {
            rules: Arc::new(Rules::parse(policy).unwrap()),
            files: Files::in_folder(folder.path()),
            ..Default::default()
        };
        let rig = Rig { host: Host::new(settings), _site: site, _folder: folder };
        rig.call("browser_navigate", json!({ "url": rig._site.origin() })).await.unwrap();
        rig
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        self.host.call(ToolCall::new("default", tool, arguments)).await
    }

    async fn eval(&self, expression: &str) -> String {
        self.call("browser_eval", json!({ "expression": expression })).await.unwrap().text
    }
}

const CAREFUL: &str = "preset = \"open\"\n[actions]\npay = \"refuse\"\ndelete = \"refuse\"";

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_is_pointed_at_is_judged_as_one() {
    let rig = Rig::new(CAREFUL).await;
    for (tool, arguments) in [
        ("browser_click", json!({ "target": "point=20,25" })),
        ("browser_click", json!({ "target": "point=110,25" })),
        ("browser_click", json!({ "target": "point=150,145", "count": 2 })),
        ("browser_drag", json!({ "from": "point=20,80", "to": "point=20,25" })),
        ("browser_press_key", json!({ "target": "point=20,25", "key": "Enter" })),
    ] {
        let denied = rig.call(tool, arguments.clone()).await.unwrap_err();
        assert_eq!(denied.code, Code::Denied, "{tool} {arguments}: {denied:?}");
    }
    let seen = rig.call("browser_click", json!({ "target": "point=20,80" })).await.unwrap();
    assert!(seen.text.contains("Details"), "{}", seen.text);
    let title = rig.eval("document.title").await;
    assert!(
        title.contains("seen") && !title.contains("paid") && !title.contains("inner"),
        "{title}"
    );
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_goes_where_the_focus_is_and_presses_no_button_unjudged() {
    let rig = Rig::new(CAREFUL).await;
    rig.call("browser_click", json!({ "target": "point=100,245" })).await.unwrap();
    rig.call("browser_type", json!({ "target": ":focus", "text": "Bern" })).await.unwrap();
    rig.call("browser_type", json!({ "target": ":focus", "text": "e" })).await.unwrap();
    let value = rig.eval("f.value").await;
    assert!(value.contains("Berne"), "{value}");
    let cleared = json!({ "target": ":focus", "text": "Basel", "clear": true });
    rig.call("browser_type", cleared).await.unwrap();
    assert!(rig.eval("f.value").await.contains("\"Basel\""));
    rig.eval("document.querySelector('button').focus()").await;
    let pressed = rig.call("browser_type", json!({ "target": ":focus", "text": " " })).await;
    assert_eq!(pressed.unwrap_err().code, Code::Denied);
    assert!(!rig.eval("document.title").await.contains("paid"));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_point_of_the_window_is_refused_with_words() {
    let rig = Rig::new("preset = \"open\"").await;
    for (target, says) in [("point=9999,5", "outside the window"), ("point=left,top", "point=X,Y")]
    {
        for tool in ["browser_click", "browser_hover"] {
            let error = rig.call(tool, json!({ "target": target })).await.unwrap_err();
            assert_eq!(error.code, Code::InvalidInput, "{target}: {error:?}");
            assert!(error.message.contains(says), "{target}: {error:?}");
        }
    }
    rig.host.close().await;
}
