//! What every test needs: a host with a real Chrome, and a small site that remembers what it was asked.
#![allow(dead_code, reason = "each test uses a part")]

#[path = "../../../legwork-tools/tests/it/site.rs"]
mod site;

use std::sync::Arc;

use legwork_protocol::{Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::{Files, Host, Rules, Settings};
use serde_json::Value;

pub use site::{Site, html};

/// A host with folders of its own.
pub struct Rig {
    pub host: Arc<Host>,
    pub folder: tempfile::TempDir,
}

impl Rig {
    pub fn new() -> Rig {
        // What a run does is limited where no policy says otherwise, and all sites here are one host.
        let rules = Rules::parse("preset = \"open\"\n[rate]\nper_minute = 100000\n").unwrap();
        Rig::with(Settings { rules: Arc::new(rules), ..Settings::default() })
    }

    pub fn with(settings: Settings) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path().join("files"));
        Rig { host: Arc::new(Host::new(Settings { files, ..settings })), folder }
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let call = ToolCall::new("default", tool, arguments);
        self.host.call(ToolCall { describe: true, ..call }).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_of_the_tests_has_a_browser() {
    let site = Site::start(|_| html("<h1>Hello</h1>")).await;
    let rig = Rig::new();
    let reply =
        rig.call("browser_navigate", serde_json::json!({ "url": site.origin() })).await.unwrap();
    assert!(reply.text.contains("Hello"), "{}", reply.text);
}
