//! Secrets are entered by name, where they are bound to, and never told.

use std::sync::{Arc, Mutex};

use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::{Files, Host, Rules, Settings, Vault};
use proptest::prelude::Strategy;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

use crate::records::Records;
use crate::site::{Site, html};
use crate::spellings::spellings;

struct Rig {
    host: Host,
    records: Arc<Records>,
    /// Everything that left: texts, data, files.
    left: Mutex<String>,
    _folder: tempfile::TempDir,
}

/// A policy with secrets that a program prints.
fn policy(secrets: &[(String, String)], origin: &str) -> Rules {
    let one = |(name, value): &(String, String)| {
        let command = json!(["printf", "%s", value]);
        format!("[secrets.{name}]\ncommand = {command}\norigins = [{origin:?}]\n")
    };
    let secrets: String = secrets.iter().map(one).collect();
    Rules::parse(&format!("preset = \"open\"\n{secrets}")).unwrap()
}

impl Rig {
    fn new(secrets: &[(String, String)], origin: &str) -> Rig {
        let rules = policy(secrets, origin);
        let folder = tempfile::tempdir().unwrap();
        let records = Arc::new(Records::default());
        let settings = Settings {
            files: Files::in_folder(folder.path().join("files")),
            vault: Arc::new(Vault::new(rules.secrets().clone()).unwrap()),
            rules: Arc::new(rules),
            audit: records.clone(),
            ..Default::default()
        };
        let (host, left) = (Host::new(settings), Mutex::default());
        Rig { host, records, left, _folder: folder }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        let ended = self.host.call(ToolCall::new("default", tool, arguments)).await;
        let told = match &ended {
            Ok(reply) => {
                let file = reply.data.get("file").and_then(Value::as_str);
                let file = file.map(|path| std::fs::read_to_string(path).unwrap());
                format!("{}\n{}\n{}", reply.text, reply.data, file.unwrap_or_default())
            }
            Err(error) => format!("{}\n{}", error.told(), json!(error)),
        };
        let mut left = self.left.lock().unwrap();
        left.push_str(&format!("\n=== {tool}\n{told}"));
        ended
    }

    async fn open(&self, url: &str) {
        self.call("browser_navigate", json!({ "url": url })).await.unwrap();
    }

    async fn type_in(&self, target: &str, name: &str) -> Result<Reply, ToolError> {
        let text = format!("{{{{secret:{name}}}}}");
        self.call("browser_type", json!({ "target": target, "text": text, "clear": true })).await
    }

    /// Everything that left and everything that was recorded.
    fn all(&self) -> String {
        let records = self.records.all();
        format!("{}\n=== records\n{records}", self.left.lock().unwrap())
    }
}

fn one(value: &str) -> Vec<(String, String)> {
    vec![("pw".to_owned(), value.to_owned())]
}

const FORM: &str = "<form method=post action=/in><label>User <input name=u></label>
    <label>Pass <input type=password name=p></label>
    <label>Year <select name=y><option>1990<option value='hunter-2-hunter'>mine</select></label><button>Log in</button></form>
    <p id=said></p><button onclick='said.textContent = prompt(\"Code?\")'>Ask</button>";

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_reaches_the_page_and_nobody_else() {
    let site = Site::start(|_| html(FORM)).await;
    let rig = Rig::new(&one("hunter-2-hunter"), &site.origin());
    rig.open(&site.origin()).await;
    let reply = rig.type_in("User", "pw").await.unwrap();
    assert!(reply.text.contains("••••"), "{}", reply.text);
    let typed = json!({ "target": "User", "text": "+{{secret:pw}}" });
    rig.call("browser_type", typed).await.unwrap();
    let choose = json!({ "target": "Year", "option": "{{secret:pw}}" });
    rig.call("browser_select", choose).await.unwrap();
    rig.call("browser_click", json!({ "target": "Ask" })).await.unwrap();
    let answer = json!({ "accept": true, "text": "{{secret:pw}}" });
    let reply = rig.call("browser_handle_dialog", answer).await.unwrap();
    assert!(reply.text.contains("{{secret:pw}}"), "{}", reply.text);
    let fields = json!({ "Pass": "{{secret:pw}}", "Year": "{{secret:pw}}" });
    let sent = rig.call("browser_fill_form", json!({ "fields": fields, "submit": true })).await;
    assert!(sent.unwrap().text.contains("Pass = \"••••\""));
    let heard = site.heard.lock().unwrap().join("\n");
    let expected = "u=hunter-2-hunter%2Bhunter-2-hunter&p=hunter-2-hunter&y=hunter-2-hunter";
    assert!(heard.contains(expected), "{heard}");
    let all = rig.all();
    assert!(!all.contains("hunter-2"), "{all}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_in_an_address_cannot_be_guessed_by_filtering_requests() {
    let site = Site::start(|_| html(FORM)).await;
    let rig = Rig::new(&one("hunter-2-hunter"), &site.origin());
    rig.open(&site.origin()).await;
    rig.type_in("User", "pw").await.unwrap();
    let leaks = "fetch('/leak?' + document.querySelector('[name=u]').value).then(() => 'done')";
    rig.call("browser_eval", json!({ "expression": leaks })).await.unwrap();
    for (part, count) in [("leak?", 1), ("secret:pw", 1), ("leak?h", 0), ("hunter-2-h", 0)] {
        let filter = json!({ "url": part });
        let reply = rig.call("browser_get_network_sources", filter).await.unwrap();
        assert_eq!(reply.data["count"], count, "{part}: {}", reply.text);
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_typed_and_sent_with_enter() {
    let site = Site::start(|_| html(FORM)).await;
    let rig = Rig::new(&one("hunter-2-hunter"), &site.origin());
    rig.open(&site.origin()).await;
    let typed = json!({ "target": "Pass", "text": "{{secret:pw}}", "submit": true });
    rig.call("browser_type", typed).await.unwrap();
    let heard = site.heard.lock().unwrap().join("\n");
    assert!(heard.contains("p=hunter-2-hunter"), "{heard}");
    assert!(!rig.all().contains("hunter-2"), "{}", rig.all());
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_on_the_wrong_origin_is_refused_and_recorded() {
    let site = Site::start(|_| html(FORM)).await;
    let rig = Rig::new(&one("hunter-2-hunter"), &site.other_origin());
    rig.open(&site.origin()).await;
    let refused = rig.type_in("User", "pw").await.unwrap_err();
    assert_eq!(refused.code, Code::Denied);
    assert!(refused.message.contains("the secret pw is bound to"), "{refused}");
    assert!(refused.message.contains(&site.other_origin()), "{refused}");
    let fields = json!({ "fields": { "Pass": "{{secret:pw}}" }, "submit": true });
    assert_eq!(rig.call("browser_fill_form", fields).await.unwrap_err().code, Code::Denied);
    let steps = json!({ "steps": [{ "tool": "type", "target": "User", "text": "{{secret:pw}}" }] });
    assert_eq!(rig.call("browser_batch", steps).await.unwrap_err().code, Code::Denied);
    rig.call("browser_click", json!({ "target": "Ask" })).await.unwrap();
    let answer = json!({ "accept": true, "text": "{{secret:pw}}" });
    assert_eq!(rig.call("browser_handle_dialog", answer).await.unwrap_err().code, Code::Denied);
    rig.call("browser_handle_dialog", json!({ "accept": false })).await.unwrap();
    let held = json!({ "expression": "[...document.querySelectorAll('input')].map(i => i.value)" });
    let held = rig.call("browser_eval", held).await.unwrap();
    assert!(held.text.contains(r#"["",""]"#), "{}", held.text);
    let records = rig.records.all();
    assert_eq!(records.matches("Failed(Denied)").count(), 4, "{records}");
    assert!(records.contains(r#"secrets: ["pw"]"#), "{records}");
    // Nothing was read for an origin that may not have it, so there was nothing to mask either.
    assert!(!rig.all().contains("hunter-2"), "{}", rig.all());
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_in_an_address_or_a_script_goes_nowhere() {
    let site = Site::start(|_| html(FORM)).await;
    let rig = Rig::new(&one("hunter-2-hunter"), &site.origin());
    rig.open(&site.origin()).await;
    let url = format!("{}/?{{{{secret:pw}}}}", site.origin());
    for (tool, arguments) in [
        ("browser_navigate", json!({ "url": url })),
        ("browser_open", json!({ "url": url })),
        ("browser_tabs", json!({ "action": "new", "url": url })),
        ("browser_eval", json!({ "expression": "document.title = '{{secret:pw}}'" })),
        ("browser_wait", json!({ "expression": "'{{secret:pw}}'" })),
        ("browser_act", json!({ "action": "evaluate", "value": "'{{secret:pw}}'" })),
        ("browser_batch", json!({ "steps": [{ "tool": "navigate", "url": url }] })),
    ] {
        let refused = rig.call(tool, arguments).await.unwrap_err();
        assert_eq!(refused.code, Code::InvalidInput, "{tool} {refused}");
    }
    assert_eq!(site.heard.lock().unwrap().iter().filter(|one| one.contains("secret")).count(), 0);
    rig.host.close().await;
}

/// Shows what its fields hold in every way a page can, each somewhere else in a page that is drawn from SEED: in
/// tables, lists, dialogs, shadow roots and whatever else things stand in.
const ECHO: &str = "<!doctype html><title>Echo</title><form action=/sent>FIELDS<button id=send>Send</button></form>
<button id=show>Show</button><div id=out></div><script>
const esc = (s) => s.replace(/[&<>\"']/g, (c) => `&#${c.charCodeAt(0)};`);
const utf8 = (s) => String.fromCharCode(...new TextEncoder().encode(s));
let drawn = SEED;
const draw = (n) => (drawn = (Math.imul(drawn, 1103515245) + 12345) >>> 0, (drawn >>> 8) % n);
const shadow = (mode) => (at) => at.appendChild(document.createElement('div')).attachShadow({ mode });
const tags = (...names) => (at) => names.reduce((at, name) => at.appendChild(document.createElement(name)), at);
const places = [tags('section', 'article'), tags('ul', 'li'), tags('table', 'tbody', 'tr', 'td'), tags('fieldset', 'label'),
  tags('details', 'summary'), tags('blockquote', 'h3'), tags('nav', 'ol', 'li'), tags('main', 'figure', 'figcaption'),
  (at) => { const one = tags('dialog')(at); one.open = true; return one; },
  (at) => { const one = tags('div')(at); one.style.display = 'none'; return one; },
  (at) => { const one = tags('div')(at); one.contentEditable = true; return one; }, shadow('open'), shadow('closed')];
// A place of its own for the next thing that is shown.
const place = () => { let at = out; for (let n = draw(4); n > 0; n--) at = places[draw(places.length)](at); return at; };
show.onclick = () => {
  const values = [...document.querySelectorAll('form input')].map((i) => i.value);
  for (const v of values) {
    const p = out.appendChild(document.createElement('p'));
    p.textContent = `you are ${v} or ${encodeURIComponent(v)} or ${encodeURI(v)} or ${new URLSearchParams({ v })}`;
    place().append(document.createElement('hr'), JSON.stringify({ v }), esc(v), btoa(utf8(v)), ' ', btoa('x' + utf8(v)), ' ', btoa('xy' + utf8(v)));
    const a = place().appendChild(document.createElement('a'));
    a.href = '/a?q=' + encodeURIComponent(v); a.title = v; a.textContent = 'to ' + v;
    const b = place().appendChild(document.createElement('button'));
    b.setAttribute('aria-label', v); b.dataset.x = v;
    const i = place().appendChild(document.createElement('input'));
    i.placeholder = v; i.value = 'was ' + v;
    const img = place().appendChild(document.createElement('img'));
    img.alt = v; img.src = '/p.png?b=' + encodeURIComponent(btoa(utf8(v)));
    const pre = place().appendChild(document.createElement('pre')); pre.textContent = v + '\\n' + escape(v);
    const s = place().appendChild(document.createElement('select')); s.append(new Option(v, v));
    const d = place().appendChild(document.createElement('div')); d.role = 'alert'; d.textContent = v;
    console.log(v); console.warn({ v, deep: [v] }); console.error(new Error(v));
    fetch('/f?form=' + new URLSearchParams({ v }), { method: 'POST', body: v });
  }
  document.title = values.join(' ');
  history.pushState({}, '', '/pushed?' + values.map(encodeURIComponent).join('&'));
};
</script>";

async fn use_everything(rig: &Rig, count: usize) {
    for n in 0..count {
        rig.type_in(&format!("#f{n}"), &format!("s{n}")).await.unwrap();
    }
    let call = async |tool: &str, arguments: Value| {
        let _ = rig.call(tool, arguments).await;
    };
    call("browser_click", json!({ "target": "#show" })).await;
    call("browser_snapshot", json!({ "links": true, "max_tokens": 100_000 })).await;
    call("browser_snapshot", json!({ "interactive": true, "max_tokens": 60 })).await;
    call("browser_snapshot", json!({ "more": "more1" })).await;
    call("browser_find", json!({ "target": "you are" })).await;
    call("browser_query", json!({ "target": "css=a, button, input, img, p", "limit": 200 })).await;
    let values = "[...document.querySelectorAll('form input')].map((i) => i.value)";
    for expression in [
        values.to_owned(),
        format!("Object.fromEntries({values}.map((v, n) => [v, n]))"),
        format!("JSON.stringify({values})"),
        format!("throw new Error({values}.join())"),
        format!("{values}.map((v) => btoa(unescape(encodeURIComponent(v)))).join('.')"),
        "document.documentElement.outerHTML".to_owned(),
        "location.href".to_owned(),
    ] {
        call("browser_eval", json!({ "expression": expression })).await;
    }
    for format in ["text", "markdown", "html"] {
        call("browser_extract", json!({ "format": format, "whole": true })).await;
        call("browser_extract", json!({ "format": format, "max_tokens": 50 })).await;
    }
    call("browser_recent_console_logs", json!({ "limit": 3 })).await;
    call("browser_recent_console_logs", json!({})).await;
    call("browser_get_network_sources", json!({})).await;
    call("browser_tabs", json!({ "action": "list" })).await;
    let sessions = rig.host.sessions().await;
    assert!(sessions[0].url.as_ref().is_some_and(|url| url.contains("pushed")), "{sessions:?}");
    let beside = format!("\n=== beside\n{sessions:?}\n{:?}", rig.host.blocked());
    rig.left.lock().unwrap().push_str(&beside);
    call("browser_click", json!({ "target": "no such thing you are", "timeout": "200ms" })).await;
    call("browser_click", json!({ "target": "#send" })).await;
    call("browser_snapshot", json!({})).await;
    call("browser_reload", json!({})).await;
    call("browser_back", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_output_holds_a_secret_in_any_spelling() {
    const COUNT: usize = 6;
    let mut runner = TestRunner::default();
    let value = "[ -~éß漢]{7,18}".prop_filter("spaces around are no part of it", |value| {
        value.trim() == value && !value.contains("  ") && !value.contains("{{")
    });
    let fields: String = (0..COUNT).map(|n| format!("<input id=f{n} name=n{n}>")).collect();
    let page = ECHO.replace("FIELDS", &fields);
    let site = Site::start(move |path| {
        let seed = path.rsplit("seed=").next().filter(|seed| seed.parse::<u32>().is_ok());
        html(&page.replace("SEED", seed.unwrap_or("1")))
    });
    let site = site.await;
    for _ in 0..6 {
        let seed = proptest::num::u32::ANY.new_tree(&mut runner).unwrap().current();
        let drawn = (0..COUNT).map(|n| {
            let value = value.new_tree(&mut runner).unwrap().current();
            (format!("s{n}"), value)
        });
        let secrets: Vec<(String, String)> = drawn.collect();
        let rig = Rig::new(&secrets, &site.origin());
        rig.open(&format!("{}/?seed={seed}", site.origin())).await;
        use_everything(&rig, COUNT).await;
        let all = rig.all();
        assert!(all.contains("you are {{secret:s0}}"), "seed {seed}: {secrets:?} {all}");
        assert!(all.contains("/pushed?"), "seed {seed}: the page did not show all of it: {all}");
        for (name, value) in &secrets {
            for spelling in spellings(value) {
                let at = all.find(&spelling);
                let near = at.map(|at| {
                    let (from, to) = (at.saturating_sub(300), (at + 100).min(all.len()));
                    &all[all.floor_char_boundary(from)..all.floor_char_boundary(to)]
                });
                assert_eq!(near, None, "seed {seed}: {name} {value:?} left as {spelling:?}");
            }
        }
        rig.host.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_the_site_fills_again_is_dots_in_a_picture() {
    let page = "<style>*{caret-color:transparent;outline:0}</style><form><label>User <input name=u></label></form>";
    let filled = page.replace("name=u", "name=u value='hunter-2-hunter'");
    let dots =
        page.replace("name=u", "name=u value='hunter-2-hunter' style='-webkit-text-security:disc'");
    let site = Site::start(move |path| match path.split('?').next() {
        Some("/filled") => html(&filled),
        Some("/dots") => html(&dots),
        _ => html(page),
    })
    .await;
    let rig = Rig::new(&one("hunter-2-hunter"), &site.origin());
    let picture = async |path: &str, tool: &str, arguments: Value| {
        rig.open(&format!("{}{path}", site.origin())).await;
        rig.call(tool, arguments).await.unwrap().images.remove(0).data
    };
    rig.open(&site.origin()).await;
    rig.type_in("User", "pw").await.unwrap();
    for (tool, arguments) in [
        ("browser_take_screenshot", json!({})),
        ("browser_take_screenshot", json!({ "full_page": true })),
        ("browser_take_screenshot", json!({ "target": "css=form" })),
        ("browser_extract", json!({ "format": "screenshot_base64" })),
    ] {
        let shown = picture("/filled", tool, arguments.clone()).await;
        let expected = picture("/dots", tool, arguments.clone()).await;
        assert!(shown == expected, "{tool} {arguments} shows the value");
        assert!(
            shown != picture("/", tool, arguments.clone()).await,
            "{tool} {arguments} shows nothing"
        );
    }
    rig.host.close().await;
}
