//! E7, W3: what a click or a key really reaches is what is judged: what is pointed at, what stands inside
//! of what was named, what Enter presses, and what has the focus.

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
        Rig::showing(SHOP, policy).await
    }

    async fn showing(page: &'static str, policy: &str) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::start(move |path| match path {
            "/inner" => html(INNER),
            "/" => html(page),
            _ => html("elsewhere"),
        })
        .await;
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

/// Enter in `a` and `b` presses what it does not name, in `c` nothing but sends what is harmless.
const FORMS: &str = "<form action=/find onsubmit='document.title += submitter(event); event.preventDefault()'>
      <input id=a aria-label=First><button>Delete account</button><button>Search</button></form>
    <form id=two onsubmit='document.title += \"two\"; return false'></form>
    <input id=b form=two aria-label=Second><input type=image alt=Go form=two formaction=/account/delete formmethod=post>
    <form onsubmit='document.title += \"three\"; return false'>
      <input id=c aria-label=Third><button type=button>Delete all</button><button>Search</button></form>
    <script>const submitter = (event) => event.submitter?.textContent ?? 'none'</script>";

#[tokio::test(flavor = "multi_thread")]
async fn enter_in_a_field_is_judged_as_the_button_that_it_presses() {
    for policy in [
        "preset = \"open\"\n[actions]\ndelete = \"refuse\"",
        "preset = \"open\"\n[[target]]\nname = \"Delete account\"\nthen = \"refuse\"\n\
         [[target]]\nname = \"Go\"\nthen = \"refuse\"",
    ] {
        let rig = Rig::showing(FORMS, policy).await;
        for field in ["#a", "#b"] {
            for (tool, arguments) in [
                ("browser_press_key", json!({ "target": field, "key": "Enter" })),
                ("browser_type", json!({ "target": field, "text": "x", "submit": true })),
                ("browser_type", json!({ "target": field, "text": "x\n" })),
            ] {
                let denied = rig.call(tool, arguments.clone()).await.unwrap_err();
                assert_eq!(denied.code, Code::Denied, "{policy}: {tool} {arguments}: {denied:?}");
            }
            rig.eval(&format!("document.querySelector('{field}').focus()")).await;
            for (tool, arguments) in [
                ("browser_press_key", json!({ "key": "Enter" })),
                ("browser_type", json!({ "target": ":focus", "text": "x\n" })),
            ] {
                let denied = rig.call(tool, arguments.clone()).await.unwrap_err();
                assert_eq!(denied.code, Code::Denied, "{policy}: {tool} {arguments}: {denied:?}");
            }
            rig.call("browser_type", json!({ "target": field, "text": "x" })).await.unwrap();
        }
        let sent = json!({ "target": "#c", "text": "x", "submit": true });
        rig.call("browser_type", sent).await.unwrap();
        rig.call("browser_press_key", json!({ "target": "#c", "key": "Enter" })).await.unwrap();
        let title = rig.eval("document.title").await;
        assert!(title.contains("threethree") && !title.contains("two"), "{title}");
        assert!(!title.contains("Delete"), "{title}");
        rig.host.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_becomes_another_while_its_field_is_typed_into_is_not_pressed() {
    let page = "<form onsubmit='document.title += \"sent\"; return false'>
        <input id=a oninput='go.textContent = \"Delete account\"'><button id=go>Search</button></form>";
    let rig = Rig::showing(page, CAREFUL).await;
    let sent = json!({ "target": "#a", "text": "x", "submit": true });
    let stale = rig.call("browser_type", sent).await.unwrap_err();
    assert_eq!(stale.code, Code::StaleRef, "{stale:?}");
    assert!(stale.message.contains("typed into"), "{stale:?}");
    assert!(!rig.eval("document.title").await.contains("sent"));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_is_not_clicked_as_if_it_were_a_thing_and_what_is_in_it_is_judged_by_its_ref() {
    let page = "<body style='margin:0'><div id=card style='width:300px'><iframe id=f src=/inner
        style='width:300px;height:100px;border:0'></iframe></div><object id=o data=/inner type=text/html
        style='width:300px;height:100px'></object><button onclick='document.title += \"seen\"'>Details</button>";
    let rig = Rig::showing(page, CAREFUL).await;
    rig.call("browser_wait", json!({ "text": "Delete account" })).await.unwrap();
    for (tool, arguments) in [
        ("browser_click", json!({ "target": "#f" })),
        ("browser_click", json!({ "target": "#f", "position": { "x": 20, "y": 20 } })),
        ("browser_click", json!({ "target": "#card" })),
        ("browser_click", json!({ "target": "#o" })),
        ("browser_drag", json!({ "from": "#f", "to": "Details" })),
        ("browser_press_key", json!({ "target": "#f", "key": "Enter" })),
    ] {
        let refused = rig.call(tool, arguments.clone()).await.unwrap_err();
        assert_eq!(refused.code, Code::NotActionable, "{tool} {arguments}: {refused:?}");
        assert!(refused.hint.is_some_and(|hint| hint.contains("inside")), "{tool} {arguments}");
    }
    let snapshot = rig.call("browser_snapshot", json!({})).await.unwrap().text;
    let refs = snapshot.split('[').filter_map(|part| part.strip_prefix("Delete account "));
    let refs: Vec<&str> = refs.map(|part| part.split(']').next().unwrap()).collect();
    assert!(!refs.is_empty(), "{snapshot}");
    for reference in &refs {
        let denied = rig.call("browser_click", json!({ "target": reference })).await.unwrap_err();
        assert_eq!(denied.code, Code::Denied, "{denied:?}");
    }
    assert!(!rig.eval("document.title").await.contains("inner"));
    rig.host.close().await;
    let rig = Rig::showing(page, "preset = \"open\"\n[actions]\npay = \"refuse\"").await;
    rig.call("browser_wait", json!({ "text": "Delete account" })).await.unwrap();
    let snapshot = rig.call("browser_snapshot", json!({})).await.unwrap().text;
    let at = snapshot.find("Delete account ").unwrap();
    let reference = snapshot[at + 15..].split(']').next().unwrap();
    rig.call("browser_click", json!({ "target": reference })).await.unwrap();
    assert!(rig.eval("document.title").await.contains("inner"));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_listens_for_clicks_inside_of_a_card_is_judged_and_not_the_card() {
    let page = "<body style='margin:0'><article aria-label='Invoice 12' id=card style='width:300px'>
        <div id=act style='height:100px'>Delete account</div></article>
        <article aria-label='Invoice 13' id=other style='width:300px'><div style='height:100px'>Seen</div></article>
        <script>act.addEventListener('click', () => document.title += 'deleted');
        other.addEventListener('click', () => document.title += 'seen')</script>";
    let rig = Rig::showing(page, CAREFUL).await;
    for target in ["#card", "css=article:first-of-type", "#act"] {
        let denied = rig.call("browser_click", json!({ "target": target })).await.unwrap_err();
        assert_eq!(denied.code, Code::Denied, "{target}: {denied:?}");
    }
    rig.call("browser_click", json!({ "target": "#other" })).await.unwrap();
    let title = rig.eval("document.title").await;
    assert!(title.contains("seen") && !title.contains("deleted"), "{title}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_only_pointed_at_is_judged_by_its_name_and_its_frame() {
    let page = "<button onmouseover='document.title += \"menu\"'>Account</button><p id=p>Text</p>";
    let rule = |rule: &str| format!("preset = \"open\"\n[[target]]\n{rule}\nthen = \"refuse\"");
    for rule in [rule("name = \"Account\""), rule("host = \"127.0.0.1\"\nrole = \"button\"")] {
        let rig = Rig::showing(page, &rule).await;
        for target in ["Account", "css=button"] {
            let denied = rig.call("browser_hover", json!({ "target": target })).await.unwrap_err();
            assert_eq!(denied.code, Code::Denied, "{rule} {target}: {denied:?}");
        }
        rig.call("browser_hover", json!({ "target": "#p" })).await.unwrap();
        rig.call("browser_scroll", json!({ "target": "Account" })).await.unwrap();
        assert!(!rig.eval("document.title").await.contains("menu"));
        rig.host.close().await;
    }
}
