//! Actions whose effect comes later than it is waited for: what is said of them alone and in a batch, and when
//! the effect is told.

use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::{Files, Host, Settings};
use serde_json::{Value, json};

const PAGE: &str = "<button onclick=\"setTimeout(() => out.append('Added '), 1500)\">Later</button>\
    <button>Idle</button><button onclick=\"out.append('Now ')\">Now</button><p id=out></p>";

struct Rig {
    host: Host,
    _folder: tempfile::TempDir,
}

impl Rig {
    async fn open() -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        std::fs::write(&path, PAGE).unwrap();
        let files = Files::in_folder(folder.path().join("files"));
        let rig =
            Rig { host: Host::new(Settings { files, ..Default::default() }), _folder: folder };
        let url = format!("file://{}", path.display());
        rig.call("browser_navigate", json!({ "url": url })).await.unwrap();
        rig
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.host.call(ToolCall::new("default", tool, arguments)).await
    }

    async fn click(&self, target: &str) -> Reply {
        self.call("browser_click", json!({ "target": target })).await.unwrap()
    }

    async fn batch(&self, steps: Value) -> Result<Reply, ToolError> {
        self.call("browser_batch", json!({ "steps": steps })).await
    }

    /// Lets the page come to say so much, without a word of the change.
    async fn until(&self, text: &str) {
        let expression = format!(
            "new Promise((done) => {{ const look = setInterval(() => out.textContent.includes('{text}') \
             && (clearInterval(look), done()), 10) }})"
        );
        self.call("browser_eval", json!({ "expression": expression })).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_effect_that_comes_later_is_told_by_the_wait_for_it_or_by_the_next_action() {
    let rig = Rig::open().await;
    let clicked = rig.click("Later").await;
    assert_eq!(clicked.data["verdict"], "nothing_changed");
    assert!(
        clicked.text.contains("nothing observable changed within 150 ms (if it takes longer, "),
        "{}",
        clicked.text
    );
    let waited = rig.call("browser_wait", json!({ "text": "Added" })).await.unwrap();
    assert!(waited.text.contains("+ Added"), "{}", waited.text);
    rig.click("Later").await;
    rig.until("Added Added").await;
    let next = rig.click("Now").await;
    let told = "~ Added Added (was: Added) (earlier)\n~ Added Added Now (was: Added Added)";
    assert!(next.text.ends_with(told), "{}", next.text);
    rig.click("Later").await;
    rig.until("Now Added").await;
    let idle = rig.click("Idle").await;
    assert_eq!(idle.data["verdict"], "nothing_changed", "{}", idle.text);
    assert!(idle.text.ends_with("(was: Added Added Now) (earlier)"), "{}", idle.text);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_stops_where_nothing_came_of_a_step_unless_it_waits_for_that_next() {
    let rig = Rig::open().await;
    let click = |target: &str| json!({ "tool": "browser_click", "target": target });
    let stopped = rig.batch(json!([click("Now"), click("Idle"), click("Now")])).await.unwrap_err();
    assert_eq!(stopped.code, Code::StepFailed);
    let said = "(stopped: step 2 was done, but nothing has come of it yet; 1 step not done)\n+ Now";
    assert!(stopped.message.ends_with(said), "{}", stopped.message);
    assert!(stopped.hint.unwrap_or_default().contains("browser_wait right after"));
    // As when it is clicked alone, the last step may have an effect that nobody sees. What the first did is told
    // with it, and is not taken for its doing.
    let done = rig.batch(json!([click("Now"), click("Idle")])).await.unwrap();
    assert!(
        done.text.contains("2. clicked button \"Idle\" e2: nothing observable"),
        "{}",
        done.text
    );
    let wait = json!({ "tool": "browser_wait", "text": "Added" });
    let done = rig.batch(json!([click("Later"), wait, click("Now")])).await.unwrap();
    assert!(done.text.contains("Added Now"), "{}", done.text);
    rig.host.close().await;
}
