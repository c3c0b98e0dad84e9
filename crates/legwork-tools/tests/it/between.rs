//! What was judged is what is done, also where a page becomes another in the moment between the two.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::{Audit, Ending, Entry, Files, Host, Judged, Rules, Settings};
use serde_json::{Map, Value, json};

use crate::site::{Answer, Site, html};

/// Lets the page do what it is up to once a call was judged, and the call go on once that is done.
#[derive(Default)]
struct Gate {
    armed: AtomicBool,
    open: AtomicBool,
    done: Mutex<bool>,
    told: Condvar,
}

impl Gate {
    fn answer(&self, path: &str) -> Option<Answer> {
        let text = |text: &str| Some(("Content-Type: text/plain\r\n", text.as_bytes().to_vec()));
        match path {
            "/gate" => text(if self.open.load(Ordering::SeqCst) { "go" } else { "wait" }),
            "/done" => {
                *self.done.lock().unwrap() = true;
                self.told.notify_all();
                text("")
            }
            _ => None,
        }
    }
}

impl Audit for Gate {
    fn opened(&self, _: &Entry) -> Result<u64, ToolError> {
        Ok(0)
    }

    fn judged(&self, _: u64, _: &Judged<'_>) -> Result<(), ToolError> {
        if self.armed.swap(false, Ordering::SeqCst) {
            self.open.store(true, Ordering::SeqCst);
            let done = self.done.lock().unwrap();
            drop(self.told.wait_while(done, |done| !*done).unwrap());
        }
        Ok(())
    }

    fn closed(&self, _: u64, _: Ending, _: &str, _: Duration) {}
}

struct Rig {
    host: Host,
    gate: Arc<Gate>,
    _site: Site,
    _folder: tempfile::TempDir,
}

impl Rig {
    /// A page that does something between being judged and being acted on.
    async fn new(page: &str, then: &str, policy: &str) -> Rig {
        let (folder, gate) = (tempfile::tempdir().unwrap(), Arc::new(Gate::default()));
        let page = format!(
            "{page}<script>const told = () => fetch('/done');\
             const gate = async () => (await fetch('/gate')).text();\
             (async () => {{ while (await gate() !== 'go'); {then} }})()</script>"
        );
        let ears = gate.clone();
        let site = Site::start(move |path| match path {
            "/other" => html("<h1>Other</h1><script>onload = () => fetch('/done')</script>"),
            path => ears.answer(path).unwrap_or_else(|| html(&page)),
        })
        .await;
        let settings = Settings {
            rules: Arc::new(Rules::parse(policy).unwrap()),
            files: Files::in_folder(folder.path()),
            audit: gate.clone(),
            ..Default::default()
        };
        let rig = Rig { host: Host::new(settings), gate, _site: site, _folder: folder };
        rig.call("browser_navigate", json!({ "url": rig._site.origin() })).await.unwrap();
        rig
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        self.host.call(ToolCall::new("default", tool, arguments)).await
    }

    /// The same while the page does what it is up to.
    async fn overtaken(&self, tool: &str, arguments: Value) -> ToolError {
        self.gate.armed.store(true, Ordering::SeqCst);
        self.call(tool, arguments).await.unwrap_err()
    }
}

const LOOKS: &str = "preset = \"open\"\n[actions]\npay = \"refuse\"";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_got_the_focus_after_nothing_had_it_gets_no_key() {
    for (tool, arguments) in [
        ("browser_press_key", json!({ "key": "x" })),
        ("browser_type", json!({ "target": ":focus", "text": "x" })),
        ("browser_type", json!({ "target": ":focus", "text": "x\n" })),
    ] {
        let rig = Rig::new("<input id=f>", "f.focus(); told()", LOOKS).await;
        let stale = rig.overtaken(tool, arguments.clone()).await;
        assert_eq!(stale.code, Code::StaleRef, "{tool} {arguments}: {stale:?}");
        let held = rig.call("browser_eval", json!({ "expression": "f.value" })).await.unwrap();
        assert!(!held.text.contains('x'), "{tool} {arguments}: {}", held.text);
        rig.host.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_script_that_was_judged_for_one_site_does_not_run_on_another() {
    let away = "location = `http://localhost:${location.port}/other`";
    for (tool, arguments) in [
        ("browser_eval", json!({ "expression": "document.title = 'ran'" })),
        ("browser_press_key", json!({ "key": "x" })),
        ("browser_reload", json!({})),
    ] {
        let rig = Rig::new("<h1>One</h1>", away, "preset = \"open\"").await;
        let stale = rig.overtaken(tool, arguments.clone()).await;
        assert_eq!(stale.code, Code::StaleRef, "{tool}: {stale:?}");
        assert!(stale.message.contains("another site"), "{stale:?}");
        let title = json!({ "expression": "document.title" });
        assert!(!rig.call("browser_eval", title).await.unwrap().text.contains("ran"));
        rig.host.close().await;
    }
}
