//! Files of this machine that pages are given and callers are shown.

use std::path::Path;
use std::sync::Arc;

use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::{Files, Host, Jail, Settings};
use serde_json::{Map, Value, json};

const PAGE: &str = "<form><label>Papers <input type=file multiple></label></form><output></output><script>
document.querySelector('input').onchange = async (e) => document.querySelector('output').textContent =
  (await Promise.all([...e.target.files].map(async (f) => f.name + '=' + await f.text()))).join(';');
</script>";

struct Rig {
    host: Host,
    folder: tempfile::TempDir,
}

impl Rig {
    async fn new() -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("in")).unwrap();
        std::fs::write(at("in/cv.txt"), "my cv").unwrap();
        std::fs::write(at("in/large.txt"), "x".repeat(200)).unwrap();
        std::fs::write(at("secret.txt"), "secret").unwrap();
        std::fs::write(at("page.html"), PAGE).unwrap();
        let jail = Jail {
            folders: Some(vec![at("in")]),
            max_size: Some(100),
            types: Some(vec!["txt".into()]),
        };
        let settings = Settings {
            files: Files::in_folder(at("files")),
            jail: Arc::new(jail),
            ..Default::default()
        };
        let rig = Rig { host: Host::new(settings), folder };
        let url = rig.path("page.html");
        rig.call("browser_navigate", json!({ "url": url })).await.unwrap();
        rig
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        self.host.call(ToolCall::new("default", tool, arguments)).await
    }

    async fn upload(&self, name: &str) -> Result<Reply, ToolError> {
        let paths = json!([self.path(name)]);
        self.call("browser_upload", json!({ "target": "Papers", "paths": paths })).await
    }

    async fn given(&self) -> String {
        let shown = json!({ "expression": "document.querySelector('output').textContent" });
        self.call("browser_eval", shown).await.unwrap().text
    }
}

fn staged(root: &Path) -> usize {
    std::fs::read_dir(root.join("files/uploads")).map(|entries| entries.count()).unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_given_files_of_allowed_folders_only() {
    let rig = Rig::new().await;
    std::os::unix::fs::symlink(rig.path("secret.txt"), rig.path("in/link.txt")).unwrap();
    for bad in ["secret.txt", "in/../secret.txt", "in/link.txt", "in/large.txt", "in", "in/no.txt"]
    {
        let refused = rig.upload(bad).await.unwrap_err();
        assert!(matches!(refused.code, Code::Denied | Code::FileError), "{bad} {refused:?}");
        let field = json!({ "fields": { "Papers": rig.path(bad) } });
        assert!(rig.call("browser_fill_form", field).await.is_err(), "{bad}");
        let shown = rig.call("read_image", json!({ "path": rig.path(bad) })).await;
        assert!(shown.is_err(), "{bad}");
    }
    assert!(rig.given().await.contains(r#"<javascript_result>"""#));
    rig.upload("in/cv.txt").await.unwrap();
    let wait = json!({ "text": "cv.txt=my cv" });
    rig.call("browser_wait", wait).await.unwrap();
    // What the page has is what was judged, whatever becomes of the path.
    std::fs::write(rig.path("in/cv.txt"), "changed").unwrap();
    let again = "document.querySelector('input').files[0].text()";
    let again = rig.call("browser_eval", json!({ "expression": again })).await.unwrap();
    assert!(again.text.contains("my cv"), "{}", again.text);
    assert_eq!(staged(rig.folder.path()), 1);
    rig.call("browser_close", json!({})).await.unwrap();
    assert_eq!(staged(rig.folder.path()), 0);
    rig.host.close().await;
}
