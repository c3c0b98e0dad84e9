//! What happens to every call, whichever tool it is for: recorded, judged, in turn, cancellable.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use legwork_protocol::{Code, Progress, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::{Audit, Ending, Entry, Files, Host, Judged, Rules, Settings};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::site::{Site, html};

/// Remembers every record in the order of its opening.
#[derive(Default)]
struct Memory(Mutex<Vec<(String, Option<Ending>)>>);

impl Audit for Memory {
    fn opened(&self, entry: &Entry) -> Result<u64, ToolError> {
        let mut records = self.0.lock().unwrap();
        records.push((entry.tool.clone(), None));
        Ok(records.len() as u64 - 1)
    }

    fn judged(&self, _: u64, _: &Judged<'_>) -> Result<(), ToolError> {
        Ok(())
    }

    fn closed(&self, id: u64, ending: Ending, _: &str, _: Duration) {
        self.0.lock().unwrap()[id as usize].1 = Some(ending);
    }
}

/// Allows all but clicks.
fn no_clicks() -> Arc<Rules> {
    Arc::new(Rules::parse("preset = \"open\"\n[actions]\nclick = \"refuse\"").unwrap())
}

struct Rig {
    host: Host,
    folder: tempfile::TempDir,
}

impl Rig {
    fn with(settings: Settings) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path().join("files"));
        Rig { host: Host::new(Settings { files, ..settings }), folder }
    }

    fn new() -> Rig {
        Rig::with(Settings::default())
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        self.call_in("default", tool, arguments).await
    }

    async fn call_in(
        &self,
        session: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Reply, ToolError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.host.call(ToolCall::new(session, tool, arguments)).await
    }

    async fn open(&self, session: &str, html: &str) {
        let path = self.folder.path().join("page.html");
        std::fs::write(&path, html).unwrap();
        let url = format!("file://{}", path.display());
        self.call_in(session, "browser_navigate", json!({ "url": url })).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_recorded_however_it_ends() {
    let memory = Arc::new(Memory::default());
    let rig = Rig::with(Settings { audit: memory.clone(), ..Default::default() });
    rig.open("default", "<h1>Hello</h1>").await;
    let _ = rig.call("browser_fly", json!({})).await.unwrap_err();
    let _ = rig.call("browser_click", json!({})).await.unwrap_err();
    let endless = json!({ "expression": "new Promise(() => {})" });
    let cut = tokio::time::timeout(Duration::from_millis(100), rig.call("browser_eval", endless));
    assert!(cut.await.is_err());
    let records = memory.0.lock().unwrap().clone();
    assert_eq!(
        records,
        [
            ("browser_navigate".to_owned(), Some(Ending::Answered)),
            ("browser_fly".to_owned(), Some(Ending::Failed(Code::UnknownTool))),
            ("browser_click".to_owned(), Some(Ending::Failed(Code::InvalidInput))),
            ("browser_eval".to_owned(), Some(Ending::Cancelled)),
        ]
    );
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_action_is_not_done_alone_or_in_a_batch() {
    let rig = Rig::with(Settings { rules: no_clicks(), ..Default::default() });
    rig.open("default", "<button onclick='document.title = \"clicked\"'>Go</button>").await;
    let denied = rig.call("browser_click", json!({ "target": "Go" })).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied);
    assert!(denied.message.contains("actions.click"), "{denied:?}");
    let act = json!({ "action": "click", "selector": "button" });
    assert_eq!(rig.call("browser_act", act).await.unwrap_err().code, Code::Denied);
    let steps = json!({ "steps": [{ "tool": "click", "target": "Go" }] });
    assert_eq!(rig.call("browser_batch", steps).await.unwrap_err().code, Code::Denied);
    let title = rig.call("browser_eval", json!({ "expression": "document.title" })).await.unwrap();
    assert!(!title.text.contains("clicked"), "{}", title.text);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_stops_soon_and_leaves_the_session_usable() {
    let rig = Rig::new();
    let page = "<button>Stay</button><button onclick='for(;;){}'>Spin</button>";
    rig.open("default", page).await;
    // Takes connections and never answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mute = format!("http://{}/", listener.local_addr().unwrap());
    for waiting in [
        ("browser_wait", json!({ "text": "never", "timeout": "60s" })),
        ("browser_click", json!({ "target": "#never", "timeout": "60s" })),
        ("browser_eval", json!({ "expression": "new Promise(() => {})", "timeout": "60s" })),
        ("browser_navigate", json!({ "url": mute, "timeout": "60s" })),
        ("browser_eval", json!({ "expression": "for(;;){}", "timeout": "60s" })),
        ("browser_wait", json!({ "expression": "(() => { for(;;); })()", "timeout": "60s" })),
        ("browser_click", json!({ "target": "Spin", "timeout": "60s" })),
    ] {
        let (tool, arguments) = waiting;
        let cut = Duration::from_millis(150);
        let ended = tokio::time::timeout(cut, rig.call(tool, arguments)).await;
        assert!(ended.is_err(), "{tool} ended by itself: {ended:?}");
        let again = Instant::now();
        let kept = rig.call("browser_snapshot", json!({})).await.unwrap();
        // A script of ours was ended with its call. What runs in a click is the page's own, and has two seconds.
        let soon = Duration::from_secs(if tool == "browser_click" { 5 } else { 1 });
        assert!(again.elapsed() < soon, "{tool}: {:?}", again.elapsed());
        assert!(kept.text.contains("Stay"), "{tool}: {}", kept.text);
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_session_run_in_the_order_they_came() {
    let rig = Rig::new();
    rig.open("default", "<ol></ol><script>var seen = []</script>").await;
    let slow = |n: u64| {
        let expression =
            format!("new Promise(done => setTimeout(() => done(seen.push({n})), {}))", 40 - n * 10);
        rig.call("browser_eval", json!({ "expression": expression }))
    };
    let (a, b, c) = tokio::join!(slow(1), slow(2), slow(3));
    a.and(b).and(c).unwrap();
    let seen = rig.call("browser_eval", json!({ "expression": "seen" })).await.unwrap();
    assert_eq!(seen.text, "<javascript_result>[1,2,3]</javascript_result>");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_do_not_see_each_other_and_end_by_name() {
    let rig = Rig::new();
    rig.open("one", "<h1>One</h1>").await;
    let empty = rig.call_in("two", "browser_snapshot", json!({})).await.unwrap();
    assert!(!empty.text.contains("One"), "{}", empty.text);
    let names: Vec<String> = rig.host.sessions().await.into_iter().map(|open| open.name).collect();
    assert_eq!(names, ["one", "two"]);
    rig.host.end("one").await;
    let names: Vec<String> = rig.host.sessions().await.into_iter().map(|open| open.name).collect();
    assert_eq!(names, ["two"]);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_tells_how_far_it_is() {
    let rig = Rig::new();
    rig.open("default", "<button onclick='this.after(\"!\")'>Go</button>").await;
    let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let listener = heard.clone();
    let steps = json!({ "steps": [{ "tool": "click", "target": "Go" }, { "tool": "snapshot" }] });
    let Value::Object(arguments) = steps else { unreachable!() };
    let mut call = ToolCall::new("default", "browser_batch", arguments);
    call.progress = Some(Arc::new(move |progress| listener.lock().unwrap().push(progress)));
    rig.host.call(call).await.unwrap();
    let heard: Vec<(u64, Option<u64>, String)> =
        heard.lock().unwrap().iter().map(|p| (p.done, p.total, p.message.clone())).collect();
    assert_eq!(
        heard,
        [(0, Some(2), "browser_click".to_owned()), (1, Some(2), "browser_snapshot".to_owned())]
    );
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_call_is_heard_of_again_and_again_and_so_is_what_comes_after_it() {
    let beat = Duration::from_millis(30);
    let rig = Rig::with(Settings { beat, ..Default::default() });
    rig.open("default", "<p>Stay</p>").await;
    let heard: Arc<Mutex<Vec<(u64, String)>>> = Arc::default();
    let listener = heard.clone();
    let eval = json!({ "tool": "browser_eval", "expression": "1" });
    let wait = json!({ "tool": "browser_wait", "time": "300ms" });
    let steps = json!({ "steps": [wait, eval, eval] });
    let Value::Object(arguments) = steps else { unreachable!() };
    let mut call = ToolCall::new("default", "browser_batch", arguments);
    call.progress = Some(Arc::new(move |progress: Progress| {
        assert_eq!(progress.total, Some(3), "{progress:?}");
        listener.lock().unwrap().push((progress.done, progress.message));
    }));
    rig.host.call(call).await.unwrap();
    let heard = heard.lock().unwrap().clone();
    let beats = heard.iter().filter(|(_, message)| message == "browser_wait (0 s so far)").count();
    assert!(beats > 1, "{heard:?}");
    for step in 0..3 {
        assert!(heard.iter().any(|(done, message)| *done == step && !message.contains("so far")));
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_navigation_ends_with_the_one_that_was_and_with_the_one_that_comes() {
    let rig = Rig::new();
    std::fs::write(rig.folder.path().join("next.html"), "<h1>Next</h1>").unwrap();
    rig.open("default", "<a href=next.html>On</a>").await;
    let wait = json!({ "action": "wait_for_navigation", "timeout_ms": 10_000 });
    let click = json!({ "action": "click", "selector": "a" });
    assert!(rig.call("browser_act", click).await.unwrap().text.contains("Next"));
    // The click has waited for it.
    rig.call("browser_act", wait.clone()).await.unwrap();
    rig.open("default", "<h1>First</h1>").await;
    let later = "setTimeout(() => { location = 'next.html' }, 1000)";
    rig.call("browser_press_key", json!({ "key": "Shift" })).await.unwrap();
    rig.call("browser_eval", json!({ "expression": later })).await.unwrap();
    rig.call("browser_act", wait).await.unwrap();
    let seen = rig.call("browser_snapshot", json!({})).await.unwrap().text;
    assert!(seen.contains("Next"), "{seen}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_that_says_much_is_told_in_short() {
    let rig = Rig::new();
    let page = "<button onclick='alert(\"lorem ipsum \".repeat(9000))'>Go</button>";
    rig.open("default", page).await;
    let shown = rig.call("browser_click", json!({ "target": "Go" })).await.unwrap();
    assert!(shown.text.contains("lorem ipsum") && shown.text.len() < 1_000, "{}", shown.text);
    let data = shown.data.to_string();
    assert!(data.len() < 2_000, "{data}");
    let blocked = rig.call("browser_snapshot", json!({})).await.unwrap_err();
    assert_eq!(blocked.code, Code::DialogOpen);
    assert!(blocked.message.len() < 1_100, "{} bytes", blocked.message.len());
    let answered = rig.call("browser_handle_dialog", json!({ "accept": true })).await.unwrap();
    assert!(answered.text.len() < 1_000, "{}", answered.text);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_refs_of_the_first_look_hold_through_a_batch_that_redraws_the_page() {
    let rig = Rig::new();
    let page = "<div id=list></div><p id=out></p><script>function draw() { list.innerHTML = ['A', 'B', 'C'].map((one) => \
        `<button onclick=\"out.append('${one}'); draw()\">${one}</button>`).join('') }; draw()</script>";
    rig.open("default", page).await;
    let seen = rig.call("browser_snapshot", json!({})).await.unwrap().text;
    assert!(seen.contains("[A e1] [B e2] [C e3]"), "{seen}");
    let steps: Vec<Value> =
        ["e3", "e1", "e2"].map(|one| json!({ "tool": "browser_click", "target": one })).into();
    let done = rig.call("browser_batch", json!({ "steps": steps })).await.unwrap().text;
    assert!(done.contains("+ CAB"), "{done}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_find_does_not_show_is_counted_and_can_be_read() {
    let rig = Rig::new();
    let rows: String = (0..30).map(|n| format!("<li>Milk <button>Add {n}</button></li>")).collect();
    rig.open("default", &format!("<ul>{rows}</ul>")).await;
    let found = rig.call("browser_find", json!({ "target": "Milk" })).await.unwrap().text;
    assert!(found.contains("[Add 19 e") && !found.contains("[Add 20 e"), "{found}");
    let (_, note) = found.rsplit_once('\n').unwrap();
    assert!(note.starts_with("(… 10 more places say it, about "), "{found}");
    let (_, handle) = note.split_once("browser_snapshot(more: \"").unwrap();
    let (handle, _) = handle.split_once('"').unwrap();
    let rest = rig.call("browser_snapshot", json!({ "more": handle })).await.unwrap().text;
    assert!(rest.contains("[Add 20 e") && rest.contains("[Add 29 e"), "{rest}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_batch_and_long_addresses_keep_to_the_budget_as_well() {
    let rig = Rig::new();
    let rows: String = (0..2000).map(|n| format!("<p>Paragraph number {n} of many</p>")).collect();
    rig.open("default", &rows).await;
    let looks = json!({ "steps": vec![json!({ "tool": "browser_snapshot" }); 10] });
    let looked = rig.call("browser_batch", looks).await.unwrap().text;
    assert!(looked.len() < 20_000, "{}", looked.len());
    let wrong = json!({ "tool": "browser_click", "target": "#none", "timeout": "100ms" });
    let mut steps = vec![json!({ "tool": "browser_snapshot" }); 10];
    steps.push(wrong);
    let failed = rig.call("browser_batch", json!({ "steps": steps })).await.unwrap_err();
    assert!(failed.message.len() < 20_000, "{}", failed.message.len());
    let long = json!({ "url": format!("about:blank#{}", "x".repeat(100_000)) });
    rig.call("browser_navigate", long).await.unwrap();
    let tabs = rig.call("browser_tabs", json!({ "action": "list" })).await.unwrap().text;
    assert!(tabs.len() < 400, "{}", tabs.len());
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_larger_than_the_budget_comes_in_parts() {
    let rig = Rig::new();
    let rows: String = (0..2000).map(|n| format!("<p>Paragraph number {n} of many</p>")).collect();
    rig.open("default", &rows).await;
    let first = rig.call("browser_snapshot", json!({})).await.unwrap().text;
    assert!(first.len() < 20_000, "{}", first.len());
    let (_, handle) = first.rsplit_once("more: \"").unwrap();
    let (handle, _) = handle.split_once('"').unwrap();
    let next = rig.call("browser_snapshot", json!({ "more": handle })).await.unwrap().text;
    let last = first.lines().rev().find(|line| line.starts_with("Paragraph")).unwrap();
    let number: usize = last.split(' ').nth(2).unwrap().parse().unwrap();
    assert!(next.starts_with(&format!("Paragraph number {} ", number + 1)), "{}", &next[..60]);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_sending_a_form_does_is_told_apart_from_what_filling_it_changed() {
    let rig = Rig::with(Settings::default());
    let form = "<form onsubmit='event.preventDefault(); said.textContent = sends++ ? \"Sent\" : \"\"'>\
        <label>Email <input oninput='hint.textContent=\"Looks good\"'></label><p id=hint></p><button>Send</button></form>\
        <p id=said></p><script>let sends = 0</script>";
    rig.open("default", form).await;
    // The field notes that it was changed and left, which shows in no text.
    for (email, came) in [("a@b.c", "something without text was redrawn"), ("d@e.f", "+ Sent")] {
        let fill = json!({ "fields": { "Email": email }, "submit": true });
        let reply = rig.call("browser_fill_form", fill).await.unwrap();
        assert!(reply.text.contains(came), "{email}: {}", reply.text);
        let is_first = email == "a@b.c";
        assert_eq!(reply.text.contains("+ Looks good"), is_first, "{email}: {}", reply.text);
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_filled_by_refs_and_a_field_that_comes_within_a_second_is_waited_for() {
    let rig = Rig::new();
    let form = "<label>Name <input></label><label>Name <input></label><script>setTimeout(() => {
        document.body.insertAdjacentHTML('beforeend', '<label>City <input></label>') }, 600)</script>";
    rig.open("default", form).await;
    let twice = json!({ "fields": { "Name": "Ann" } });
    let unsure = rig.call("browser_fill_form", twice).await.unwrap_err();
    assert_eq!(unsure.code, Code::Ambiguous, "{unsure:?}");
    let fields = json!({ "fields": { "e2": "Ann", "City": "Rome" } });
    let filled = rig.call("browser_fill_form", fields).await.unwrap();
    assert!(filled.text.contains("filled e2 = \"Ann\", City = \"Rome\""), "{}", filled.text);
    let held = "[...document.querySelectorAll('input')].map((field) => field.value).join()";
    let held = rig.call("browser_eval", json!({ "expression": held })).await.unwrap().text;
    assert!(held.contains(",Ann,Rome"), "{held}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sending_a_payment_is_recognised_however_it_is_sent() {
    let rules = Rules::parse("preset = \"open\"\n[actions]\npay = \"refuse\"").unwrap();
    let rig = Rig::with(Settings { rules: Arc::new(rules), ..Default::default() });
    let form = "<form onsubmit='event.preventDefault(); document.title = \"paid\"'>\
        <label>Card <input autocomplete=cc-number></label><button>Go on</button></form>";
    rig.open("default", form).await;
    for (tool, arguments) in [
        ("browser_click", json!({ "target": "Go on" })),
        ("browser_type", json!({ "target": "Card", "text": "4111", "submit": true })),
        ("browser_type", json!({ "target": "Card", "text": "4111\n" })),
        ("browser_press_key", json!({ "target": "Card", "key": "Enter" })),
        ("browser_fill_form", json!({ "fields": { "Card": "4111" }, "submit": true })),
        ("browser_act", json!({ "action": "click", "selector": "button" })),
    ] {
        let denied = rig.call(tool, arguments).await.unwrap_err();
        assert_eq!(denied.code, Code::Denied, "{tool}: {denied:?}");
        assert!(denied.message.contains("pay"), "{tool}: {denied:?}");
    }
    let typed = rig.call("browser_type", json!({ "target": "Card", "text": "4111" })).await;
    assert!(typed.is_ok(), "{typed:?}");
    let pressed = rig.call("browser_press_key", json!({ "key": "Enter" })).await.unwrap_err();
    assert_eq!(pressed.code, Code::Denied);
    let title = rig.call("browser_eval", json!({ "expression": "document.title" })).await.unwrap();
    assert!(!title.text.contains("paid"), "{}", title.text);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_would_click_on_its_way_is_judged_as_a_click() {
    let policy = "preset = \"open\"\n[actions]\ndelete = \"refuse\"\nupload = \"refuse\"";
    let rules = Arc::new(Rules::parse(policy).unwrap());
    let rig = Rig::with(Settings { rules, ..Default::default() });
    let page = "<button id=gone onclick='document.title += 1' aria-label='Delete account'>\
        <svg role=img aria-hidden=true width=40 height=40><rect width=40 height=40 /></svg></button>\
        <label>Photo <input type=file></label><label>Name <input></label>";
    rig.open("default", page).await;
    let file = rig.folder.path().join("page.html").display().to_string();
    for (tool, arguments) in [
        ("browser_click", json!({ "target": "#gone" })),
        ("browser_click", json!({ "target": "#gone", "position": { "x": 20, "y": 20 } })),
        ("browser_select", json!({ "target": "#gone", "option": "x" })),
        ("browser_upload", json!({ "target": "#gone", "paths": [file] })),
        ("browser_fill_form", json!({ "fields": { "Photo": file } })),
    ] {
        let denied = rig.call(tool, arguments.clone()).await.unwrap_err();
        assert_eq!(denied.code, Code::Denied, "{tool} {arguments}: {denied:?}");
    }
    // A tab would move on to the button, and what follows it press that.
    let tab = json!({ "target": "Name", "text": "x\t " });
    assert_eq!(rig.call("browser_type", tab).await.unwrap_err().code, Code::InvalidInput);
    let title = rig.call("browser_eval", json!({ "expression": "document.title" })).await.unwrap();
    assert!(!title.text.contains('1'), "{}", title.text);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_that_nobody_configured_is_opened_only_where_everything_may_be() {
    let rules = Arc::new(Rules::preset("web").unwrap());
    let rig = Rig::with(Settings { rules, ..Default::default() });
    let profile = rig.folder.path().join("profile").display().to_string();
    let open = json!({ "url": "https://example.com", "user_data_dir": profile });
    let denied = rig.call("browser_open", open).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied);
    assert!(denied.message.contains("profile"), "{denied:?}");
    rig.host.close().await;
}

/// E8: whoever opens a profile is told what it holds.
#[tokio::test(flavor = "multi_thread")]
async fn a_profile_comes_with_a_warning() {
    let rig = Rig::new();
    let profile = rig.folder.path().join("profile").display().to_string();
    let open = json!({ "url": "about:blank", "user_data_dir": profile });
    let told = rig.call("browser_open", open).await.unwrap().text;
    assert!(told.contains("this profile keeps cookies and passwords"), "{told}");
    rig.host.close().await;
}

/// W4, through the host: what is too much for a site waits and says so, looking is free, and giving up the
/// call gives up its place.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_for_a_site_waits_and_can_be_given_up() {
    let rules = "preset = \"open\"\n[rate]\nper_minute = 2\n";
    let rules = Arc::new(Rules::parse(rules).unwrap());
    let rig = Rig::with(Settings { rules, ..Default::default() });
    let site = Site::start(|_| html("<button onclick='this.title += 1'>Go</button>")).await;
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    rig.call("browser_click", json!({ "target": "Go" })).await.unwrap();
    let (waits, mut told) = tokio::sync::mpsc::unbounded_channel();
    let Value::Object(arguments) = json!({ "target": "Go" }) else { unreachable!() };
    let click = ToolCall {
        progress: Some(Arc::new(move |progress: Progress| {
            let _ = waits.send(progress.message);
        })),
        ..ToolCall::new("default", "browser_click", arguments)
    };
    let said = tokio::select! {
        done = rig.host.call(click) => panic!("it did not wait: {done:?}"),
        said = told.recv() => said.unwrap(),
    };
    assert!(said.contains("2 actions a minute"), "{said}");
    let seen = rig.call("browser_query", json!({ "target": "button" })).await.unwrap();
    assert!(seen.text.contains("title=\"1\""), "{}", seen.text);
    // A page answers to being pointed at; scrolling is part of looking.
    rig.call("browser_scroll", json!({ "dy": 10 })).await.unwrap();
    let hover = rig.call("browser_hover", json!({ "target": "Go" }));
    assert!(tokio::time::timeout(Duration::from_millis(300), hover).await.is_err(), "it waits");
    rig.host.close().await;
}

/// W4: the assistant's runs keep to a rate that nobody had to write down. Calls of tools do not, and what a
/// policy says counts for both.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_does_ten_things_a_minute_on_a_site_where_no_policy_says_how_many() {
    let site = Site::start(|_| html("<button>Go</button>")).await;
    let generous = "preset = \"open\"\n[rate]\nper_minute = 100000\n";
    for (rules, of_run, waits) in [
        ("preset = \"open\"", true, true),
        ("preset = \"open\"", false, false),
        (generous, true, false),
    ] {
        let rules = Arc::new(Rules::parse(rules).unwrap());
        let rig = Rig::with(Settings { rules, ..Default::default() });
        rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
        let (wait, mut told) = tokio::sync::mpsc::unbounded_channel();
        let hear = Arc::new(move |progress: Progress| drop(wait.send(progress.message)));
        let press = || {
            let Value::Object(arguments) = json!({ "key": "Escape" }) else { unreachable!() };
            let progress: Option<Arc<dyn Fn(Progress) + Send + Sync>> = Some(hear.clone());
            let call = ToolCall::new("default", "browser_press_key", arguments);
            rig.host.call(ToolCall { progress, of_run, ..call })
        };
        for _ in 0..10 {
            press().await.unwrap();
        }
        assert!(told.try_recv().is_err(), "ten are free");
        let waited = tokio::select! {
            done = press() => done.map(|_| false).unwrap(),
            said = told.recv() => said.unwrap().contains("10 actions a minute on 127.0.0.1"),
        };
        assert_eq!(waited, waits, "{of_run}");
        rig.host.close().await;
    }
}

/// A page that does something to itself when it is told to, and says so when it is done.
async fn changing(change: &'static str) -> (Site, Arc<AtomicBool>, Arc<Notify>) {
    let page = format!(
        "<button>Go</button><form><input></form><script>
        const ask = () => fetch('/told').then(answer => answer.text()).then(said =>
            said ? ({change}, fetch('/done')) : setTimeout(ask, 20)); ask()</script>"
    );
    let (told, done): (Arc<AtomicBool>, Arc<Notify>) = Default::default();
    let (tell, finish) = (told.clone(), done.clone());
    let site = Site::start(move |path| match path {
        "/told" if tell.load(Ordering::SeqCst) => html("yes"),
        "/told" => html(""),
        "/done" => {
            finish.notify_one();
            html("")
        }
        _ => html(&page),
    })
    .await;
    (site, told, done)
}

/// One thread, whose clock can be moved on: a site's limit is for a minute.
#[tokio::test]
async fn what_waited_for_its_site_is_judged_again_by_what_is_there_then() {
    let rules = "preset = \"open\"\n[actions]\ndestructive = \"refuse\"\n[rate]\nper_minute = 1\n";
    let rules = Arc::new(Rules::parse(rules).unwrap());
    for (tool, change, says) in [
        ("browser_click", "0", None),
        ("browser_click", "document.querySelector('button').textContent = 'On'", Some("void")),
        ("browser_navigate", "document.querySelector('input').value = 'x'", Some("leaves a page")),
    ] {
        let rig = Rig::with(Settings { rules: rules.clone(), ..Default::default() });
        let (site, told, done) = changing(change).await;
        rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
        let arguments = match tool {
            "browser_click" => json!({ "target": "css=button" }),
            _ => json!({ "url": format!("{}/next", site.origin()) }),
        };
        let Value::Object(arguments) = arguments else { unreachable!() };
        let (wait, mut waits) = tokio::sync::mpsc::unbounded_channel();
        let progress = move |progress: Progress| drop(wait.send(progress.message));
        let call = ToolCall {
            progress: Some(Arc::new(progress)),
            ..ToolCall::new("default", tool, arguments)
        };
        let (ended, ()) = tokio::join!(rig.host.call(call), async {
            assert!(waits.recv().await.unwrap().contains("1 actions a minute"));
            told.store(true, Ordering::SeqCst);
            done.notified().await;
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(61)).await;
            tokio::time::resume();
        });
        let error = ended.err();
        assert_eq!(error.as_ref().map(|error| error.code), says.map(|_| Code::Denied), "{error:?}");
        let told = error.map(|error| error.message).unwrap_or_default();
        assert!(told.contains(says.unwrap_or_default()), "{change}: {told}");
        assert!(!site.heard.lock().unwrap().iter().any(|line| line.starts_with("/next")));
        rig.host.close().await;
    }
}

/// What a page asks for is the policy's to give, and never accepted silently.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_given_what_the_policy_grants_its_origin_and_denied_the_rest() {
    let site = Site::start(|_| html("<h1>Where are you?</h1>")).await;
    let granted = site.origin();
    let rules = format!("preset = \"local\"\n[permissions]\ngeolocation = [\"{granted}\"]\n");
    let rules = Arc::new(Rules::parse(&rules).unwrap());
    let rig = Rig::with(Settings { rules, ..Default::default() });
    let states = "Promise.all(['geolocation', 'camera', 'notifications'].map(async name => \
                  (await navigator.permissions.query({ name })).state)).then(all => all.join(' '))";
    for (origin, expected) in
        [(granted, "granted denied denied"), (site.other_origin(), "denied denied denied")]
    {
        rig.call("browser_navigate", json!({ "url": origin })).await.unwrap();
        let told = rig.call("browser_eval", json!({ "expression": states })).await.unwrap();
        assert!(told.text.contains(expected), "{origin}: {}", told.text);
    }
    rig.host.close().await;
}
