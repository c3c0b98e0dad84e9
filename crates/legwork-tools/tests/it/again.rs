//! Loading a page again that came of sending something sends it again, and is judged as that.

use std::sync::Arc;

use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::{Files, Host, Rules, Settings};
use serde_json::{Map, Value, json};

use crate::site::{Site, html};

struct Rig {
    host: Host,
    site: Site,
    _folder: tempfile::TempDir,
}

impl Rig {
    async fn new() -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::start(|path| match path {
            "/sent" => ("Content-Type: text/html\r\nCache-Control: no-store\r\n", b"thanks".into()),
            "/form" => html(
                "<form action=/sent method=post><input name=q value=1><button>Go</button></form>",
            ),
            _ => html("<h1>Home</h1>"),
        })
        .await;
        let policy = "preset = \"open\"\n[actions]\nsend = \"refuse\"";
        let settings = Settings {
            rules: Arc::new(Rules::parse(policy).unwrap()),
            files: Files::in_folder(folder.path()),
            ..Default::default()
        };
        Rig { host: Host::new(settings), site, _folder: folder }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        self.host.call(ToolCall::new("default", tool, arguments)).await
    }

    async fn open(&self, path: &str) {
        let url = format!("{}{path}", self.site.origin());
        self.call("browser_navigate", json!({ "url": url })).await.unwrap();
    }

    /// How often the form was sent.
    fn sent(&self) -> usize {
        self.site.heard.lock().unwrap().iter().filter(|one| one.contains("q=1")).count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn loading_what_a_form_led_to_again_is_judged_as_sending_it_again() {
    let rig = Rig::new().await;
    rig.open("/form").await;
    rig.call("browser_reload", json!({})).await.unwrap();
    rig.call("browser_click", json!({ "target": "Go" })).await.unwrap();
    assert_eq!(rig.sent(), 1);
    let denied = rig.call("browser_reload", json!({})).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied, "{denied:?}");
    // Going back to it shows what is kept, or that nothing is, and sends nothing.
    rig.open("/").await;
    rig.call("browser_reload", json!({})).await.unwrap();
    let _ = rig.call("browser_back", json!({})).await;
    assert_eq!(rig.sent(), 1);
    let denied = rig.call("browser_reload", json!({})).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied, "{denied:?}");
    assert_eq!(rig.sent(), 1);
    rig.host.close().await;
}
