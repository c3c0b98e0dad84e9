//! What was done is remembered, and taken back where it can be, in a real Chrome.

use std::sync::Arc;

use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::audit::{Filter, Records, Store};
use legwork_tools::{Files, Host, Rules, Settings, Vault};
use serde_json::{Value, json};

use crate::site::{Site, html};

const FORM: &str = "<!doctype html><title>Form</title>
    <form action='/sent'>
    <label>Email <input id=email value='old@test.com'></label>
    <label>PIN <input id=pin type=password value=1234></label>
    <label>Count <input id=count type=number></label>
    <label>Day <input id=day type=date></label>
    <label>News <input id=news type=checkbox></label>
    <label>Size <select id=size><option>Small<option>Large, wide</select></label>
    <label>Tags <select id=tags multiple><option selected>a<option selected>b<option>c</select></label>
    <fieldset><legend>Colour</legend><label><input type=radio name=colour value=red checked> Red</label>
    <label><input type=radio name=colour value=blue> Blue</label></fieldset>
    <label>Notes <textarea id=notes>first\nsecond</textarea></label>
    <button>Send</button></form>
    <p><a id=next href='other.html'>Next</a> <a id=new href='other.html' target=_blank>New</a></p>
    <button type=button onclick='this.textContent = \"Changed\"'>Change</button>
    <div style='height: 4000px'></div>";

struct Rig {
    host: Host,
    folder: tempfile::TempDir,
}

impl Rig {
    fn with(settings: Settings) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path().join("files"));
        let audit = Arc::new(Store::in_folder(folder.path().join("audit")));
        Rig { host: Host::new(Settings { files, audit, ..settings }), folder }
    }

    /// With a form on the page in front.
    async fn new() -> Rig {
        let rig = Rig::with(Settings::default());
        std::fs::write(rig.folder.path().join("form.html"), FORM).unwrap();
        std::fs::write(rig.folder.path().join("other.html"), "<h1>Other</h1>").unwrap();
        rig.done("navigate", json!({ "url": rig.url("form.html") })).await;
        rig
    }

    fn url(&self, name: &str) -> String {
        format!("file://{}/{name}", self.folder.path().display())
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.host.call(ToolCall::new("default", &format!("browser_{tool}"), arguments)).await
    }

    async fn done(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).await.unwrap().text
    }

    async fn undo(&self, count: usize) -> Result<String, ToolError> {
        self.host.undo("default", count, "test").await.map(|reply| reply.text)
    }

    /// What a script says, which is no deed of this test.
    async fn page(&self, script: &str) -> Value {
        let reply = self.call("eval", json!({ "expression": script })).await.unwrap();
        reply.data["value"].clone()
    }

    async fn history(&self) -> Vec<Value> {
        let reply = self.host.history("default", "test").await.unwrap();
        reply.data["history"].as_array().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_hold_again_what_they_held() {
    let rig = Rig::new().await;
    let all = "JSON.stringify([email.value, count.value, day.value, news.checked, size.value, \
        [...tags.selectedOptions].map(o => o.value).join(), notes.value, \
        document.querySelector('[name=colour]:checked').value])";
    let before = rig.page(all).await;
    rig.done("type", json!({ "target": "Email", "text": "new@test.com", "clear": true })).await;
    assert_eq!(rig.undo(1).await.unwrap().lines().count(), 1);
    assert_eq!(rig.page(all).await, before, "typed over");
    rig.done("type", json!({ "target": "Email", "text": "!" })).await;
    rig.done("click", json!({ "target": "#news" })).await;
    rig.done("select", json!({ "target": "Size", "option": "Large, wide" })).await;
    rig.done("select", json!({ "target": "Tags", "option": ["c"] })).await;
    assert_ne!(rig.page(all).await, before);
    let told = rig.undo(4).await.unwrap();
    assert!(
        told.starts_with("passed over: ran a script: what a script changed is not known\n"),
        "{told}"
    );
    assert_eq!(told.matches("\nundone: ").count(), 4, "{told}");
    assert_eq!(rig.page(all).await, before, "one by one");
    let fields = json!({
        "Email": "x@test.com", "Count": "7", "Day": "2026-11-16", "News": true, "Size": "Large, wide",
        "Colour": "Blue", "Notes": "third", "Tags": ["b", "c"],
    });
    rig.done("fill_form", json!({ "fields": fields })).await;
    let told = rig.undo(1).await.unwrap();
    assert!(told.starts_with("undone: filled Email, Count, Day"), "{told}");
    assert_eq!(rig.page(all).await, before, "in one call");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_tabs_and_scrolling_are_taken_back() {
    let rig = Rig::new().await;
    rig.done("scroll", json!({ "dy": 700 })).await;
    rig.done("scroll", json!({ "to": "bottom" })).await;
    rig.undo(1).await.unwrap();
    assert_eq!(rig.page("scrollY").await, 700);
    rig.undo(1).await.unwrap();
    assert_eq!(rig.page("scrollY").await, 0);
    let here = rig.url("form.html");
    rig.done("click", json!({ "target": "#next" })).await;
    assert_eq!(rig.page("location.href").await, rig.url("other.html"));
    assert!(rig.undo(1).await.unwrap().contains("undone: clicked link"));
    assert_eq!(rig.page("location.href").await, here);
    rig.done("navigate", json!({ "url": rig.url("other.html") })).await;
    rig.done("back", json!({})).await;
    rig.undo(1).await.unwrap();
    assert_eq!(rig.page("location.href").await, rig.url("other.html"), "the way back is undone");
    rig.undo(1).await.unwrap();
    assert_eq!(rig.page("location.href").await, here);
    let told = rig.done("click", json!({ "target": "#new" })).await;
    assert!(told.contains("new tab"), "{told}");
    assert_eq!(rig.done("tabs", json!({})).await.lines().count(), 2);
    let told = rig.undo(1).await.unwrap();
    assert!(told.contains("undone: clicked link \"New\""), "{told}");
    assert_eq!(rig.page("location.href").await, here);
    assert_eq!(rig.done("tabs", json!({})).await.lines().count(), 1);
    rig.done("tabs", json!({ "action": "new" })).await;
    rig.done("tabs", json!({ "action": "select", "tab": 1 })).await;
    rig.undo(2).await.unwrap();
    assert_eq!(rig.done("tabs", json!({})).await.lines().count(), 1);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_taken_back_says_why_and_is_left_alone() {
    let rig = Rig::new().await;
    let file = rig.folder.path().join("other.html").display().to_string();
    rig.call("eval", json!({ "expression": "email.type = 'file'; email.value" })).await.unwrap();
    rig.done("type", json!({ "target": "PIN", "text": "9999", "clear": true })).await;
    rig.done("click", json!({ "target": "Change" })).await;
    rig.done("upload", json!({ "target": "#email", "paths": file })).await;
    rig.done("click", json!({ "target": "Blue" })).await;
    let _ = rig.call("fill_form", json!({ "fields": { "Count": "5" }, "submit": true })).await;
    for (count, why) in [
        (1, "the form was sent"),
        (2, "a choice cannot be unchosen"),
        (3, "files were given"),
        (4, "what it changed on the page is not known"),
        (5, "held before is not known"),
    ] {
        let error = rig.undo(count).await.unwrap_err();
        assert_eq!(error.code, Code::NotActionable);
        let last = error.message.lines().last().unwrap().to_owned();
        assert!(last.starts_with("not undone: ") && last.contains(why), "{last}");
    }
    let history = rig.history().await;
    let undoable: Vec<bool> =
        history.iter().map(|deed| deed["undoable"].as_bool().unwrap()).collect();
    assert_eq!(undoable, [true, false, false, false, false, false, false], "{history:?}");
    assert_eq!(history[0]["what"], format!("went to {}", rig.url("form.html")));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_is_judged_and_recorded_like_any_action() {
    let rig = Rig::new().await;
    rig.done("type", json!({ "target": "Email", "text": "!" })).await;
    rig.undo(1).await.unwrap();
    let records = Records::open(&rig.folder.path().join("audit")).unwrap().unwrap();
    let calls = records.calls(&Filter::default()).unwrap();
    let last = calls.last().unwrap();
    assert_eq!((last.opened.tool.as_str(), last.opened.door.as_str()), ("legwork.undo", "test"));
    assert_eq!(last.judged[0].tool, "browser_fill_form");
    assert_eq!(last.ending(), "answered");
    assert!(records.verify(None).unwrap().is_ok());
    rig.host.close().await;
    // Where policy does not let fields be filled, nothing is taken back either.
    let rules = Rules::parse("preset = \"open\"\n[actions]\ntype = \"refuse\"").unwrap();
    let rules = Arc::new(rules);
    let rig = Rig::with(Settings { rules, ..Default::default() });
    std::fs::write(rig.folder.path().join("form.html"), FORM).unwrap();
    rig.done("navigate", json!({ "url": rig.url("form.html") })).await;
    rig.done("click", json!({ "target": "#news" })).await;
    let error = rig.undo(1).await.unwrap_err();
    assert_eq!(error.code, Code::Denied);
    assert_eq!(rig.page("news.checked").await, true);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_is_gone_is_told_and_the_page_is_left_alone() {
    let rig = Rig::new().await;
    rig.done("type", json!({ "target": "Email", "text": "!" })).await;
    rig.page("email.parentNode.remove()").await;
    let error = rig.undo(1).await.unwrap_err();
    assert_eq!(error.code, Code::StaleRef);
    assert!(
        error.message.contains("not undone: typed into textbox \"Email\""),
        "{}",
        error.message
    );
    assert_eq!(rig.page("document.title").await, "Form");
    assert_eq!(rig.history().await.len(), 4, "it stays to be tried again");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_wrote_into_a_field_enters_no_secret() {
    let site = Site::start(|_| {
        html(
            "<label>Email <input id=email value='{{secret:card}}'></label><label>Code <input id=code></label>",
        )
    });
    let site = site.await;
    let policy = format!(
        "preset = \"open\"\n[secrets.card]\ncommand = [\"printf\", \"%s\", \"4242-4242-4242\"]\n\
         origins = [{:?}]",
        site.origin()
    );
    let rules = Arc::new(Rules::parse(&policy).unwrap());
    let vault = Arc::new(Vault::new(rules.secrets().clone()).unwrap());
    let rig = Rig::with(Settings { vault, rules, ..Default::default() });
    rig.done("navigate", json!({ "url": site.origin() })).await;
    rig.done("type", json!({ "target": "Email", "text": "me", "clear": true })).await;
    let error = rig.undo(1).await.unwrap_err();
    assert!(error.message.contains("reads like the name of a secret"), "{}", error.message);
    rig.done("type", json!({ "target": "Code", "text": "{{secret:card}}" })).await;
    rig.done("type", json!({ "target": "Code", "text": "9", "clear": true })).await;
    let error = rig.undo(1).await.unwrap_err();
    assert!(error.message.contains("not known"), "{}", error.message);
    // The page may copy a value to where no secret was entered.
    rig.page("email.value = '4242-4242-4242'").await;
    rig.done("type", json!({ "target": "Email", "text": "me", "clear": true })).await;
    let error = rig.undo(1).await.unwrap_err();
    assert!(error.message.contains("secret"), "{}", error.message);
    assert_eq!(rig.page("email.value + code.value").await, "me9");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_did_nothing_has_nothing_to_undo() {
    let rig = Rig::with(Settings::default());
    let error = rig.undo(1).await.unwrap_err();
    assert_eq!(error.message, "there is nothing to undo");
    assert!(rig.history().await.is_empty());
    assert_eq!(rig.undo(51).await.unwrap_err().code, Code::InvalidInput);
}
