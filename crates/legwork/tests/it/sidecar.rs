//! E2 to E6, E8: the sidecar as a host starts it.

use std::process::Stdio;
use std::time::{Duration, Instant};

use legwork_protocol::client::{Client, Error, Failure, Options, Process};
use legwork_protocol::{Act, ActKind, ExtractFormat, Open, discovery};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::support::{LEGWORK, Page, Scratch, Site};

/// Longer than anything here takes, on a busy machine too.
const LONG: Duration = Duration::from_secs(60);

/// A sidecar that was started, as the host sees it.
pub struct Sidecar {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    asked: u64,
    scratch: Scratch,
}

impl Sidecar {
    pub fn start(arguments: &[&str]) -> Sidecar {
        Sidecar::started(Command::new(LEGWORK).arg("sidecar").args(arguments))
    }

    fn started(command: &mut Command) -> Sidecar {
        let scratch = Scratch::new();
        command.env("TMPDIR", scratch.path()).env("XDG_STATE_HOME", scratch.path());
        command.env("LEGWORK_AUDIT", scratch.path().join("audit"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Sidecar { child, input, output, asked: 0, scratch }
    }

    async fn say(&mut self, line: impl ToString) {
        let line = format!("{}\n", line.to_string());
        self.input.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    /// The next line, whatever it is.
    pub async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(LONG, self.output.next_line()).await;
        let line = line.expect("an answer in time").unwrap().expect("the sidecar ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    pub async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// Asks and waits for the answer, which is the next line.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let answer = self.hear().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The number and the code of an error.
    pub async fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.ask(method, params).await;
        let error = &answer["error"];
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
        (error["code"].as_i64().unwrap(), error["data"]["code"].as_str().unwrap().to_owned())
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().unwrap() as i32).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits until it has ended, and checks that nothing is left.
    async fn ended(mut self) -> std::process::ExitStatus {
        let status = tokio::time::timeout(LONG, self.child.wait()).await.expect("an end").unwrap();
        self.scratch.nothing_left().await;
        status
    }

    pub async fn close(mut self) {
        self.input = None;
        assert!(self.ended().await.success());
    }
}

const BLANK: &str = "data:text/html,<h1>Here</h1>";

#[tokio::test]
async fn the_workflow_of_the_specification_runs_word_for_word() {
    let site = Site::login().await;
    let mut sidecar = Sidecar::start(&[]);
    let open = json!({ "url": site.url(""), "headless": true });
    let opened = sidecar.result("browser.open", open).await;
    assert_eq!(opened["url"], site.url(""));
    let session = opened["session_id"].as_str().unwrap().to_owned();
    for step in [
        json!({ "action": "type", "selector": "#email", "value": "admin@test.com" }),
        json!({ "action": "type", "selector": "#password", "value": "password123" }),
        json!({ "action": "click", "selector": "button[type='submit']" }),
        json!({ "action": "wait_for_selector", "selector": ".dashboard-header" }),
    ] {
        let done = sidecar.result("browser.act", step).await;
        assert!(!done["text"].as_str().unwrap().contains("password123"), "{done}");
    }
    let picture = sidecar.result("browser.extract", json!({ "format": "screenshot_base64" })).await;
    assert_eq!(picture["format"], "screenshot_base64");
    assert_eq!(picture.as_object().unwrap().len(), 2);
    let content = picture["content"].as_str().unwrap();
    let known = ["iVBORw0KGgo", "/9j/"].iter().any(|start| content.starts_with(start));
    assert!(known && content.len() > 1000, "{}", &content[..20]);
    let params = json!({ "format": "markdown", "session_id": session });
    let page = sidecar.result("browser.extract", params).await;
    assert!(page["content"].as_str().unwrap().contains("Welcome, admin"), "{page}");
    sidecar.result("browser.close", json!({ "session_id": session })).await;
    let left = sidecar.result("browser.sessions", json!({})).await;
    assert_eq!(left, json!({ "sessions": [] }));
    sidecar.close().await;
}

#[tokio::test]
async fn the_client_crate_runs_the_same_workflow_and_leaves_nothing() {
    let site = Site::login().await;
    let scratch = Scratch::new();
    let client = Client::start(process(&scratch), Options::default()).await.unwrap();
    let tools = client.tools("sidecar").await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "browser_act"), "{tools:?}");
    let opened = client.open(&open(&site.url(""))).await.unwrap();
    assert_eq!(client.session_id(), Some(opened.session_id));
    for (action, selector, value) in [
        (ActKind::Type, "#email", Some("admin@test.com")),
        (ActKind::Type, "#password", Some("password123")),
        (ActKind::Click, "button[type='submit']", None),
        (ActKind::WaitForSelector, ".dashboard-header", None),
    ] {
        client.act(&act(action, selector, value)).await.unwrap();
    }
    let page = client.extract(ExtractFormat::Markdown).await.unwrap();
    assert!(page.content.contains("Welcome, admin"), "{page:?}");
    let error = client.act(&act(ActKind::Click, "#none", None)).await.unwrap_err();
    assert!(matches!(&error, Error::Tool(error) if error.hint.is_some()), "{error:?}");
    assert_eq!(error.code().sidecar(), "ERR_SELECTOR_NOT_FOUND");
    client.close().await.unwrap();
    client.stop().await;
    scratch.nothing_left().await;
}

fn process(scratch: &Scratch) -> Process {
    let explicit = Some(LEGWORK.to_owned());
    Process {
        request: discovery::Request { explicit, bundled: None },
        environment: vec![("TMPDIR".to_owned(), scratch.path().display().to_string())],
        ..Process::default()
    }
}

fn open(url: &str) -> Open {
    Open { url: url.to_owned(), headless: Some(true), ..Default::default() }
}

fn act(action: ActKind, selector: &str, value: Option<&str>) -> Act {
    let (selector, value) = (Some(selector.to_owned()), value.map(str::to_owned));
    Act { action, selector, value, timeout_ms: Some(2000), observe: None }
}

#[tokio::test]
async fn versions_are_negotiated() {
    let mut sidecar = Sidecar::start(&[]);
    let version = sidecar.result("browser.version", json!({})).await;
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["protocol_version"], 1);
    let newer = sidecar.result("browser.version", json!({ "protocol_version": 9 })).await;
    assert_eq!(newer["protocol_version"], 1);
    let error = sidecar.error("browser.version", json!({ "protocol_version": 0 })).await;
    assert_eq!(error, (-32602, "ERR_INVALID_INPUT".to_owned()));
    sidecar.close().await;
}

#[tokio::test]
async fn what_is_no_request_is_answered_as_json_rpc_says() {
    let mut sidecar = Sidecar::start(&[]);
    for (line, code) in [
        ("{\"jsonrpc\": \"2.0\", \"method\": \"foobar, \"params\": \"bar\", \"baz]", -32700),
        ("[]", -32600),
        ("{\"jsonrpc\": \"2.0\", \"method\": 1, \"params\": \"bar\"}", -32600),
    ] {
        sidecar.say(line).await;
        let answer = sidecar.hear().await;
        assert_eq!((answer["error"]["code"].as_i64(), &answer["id"]), (Some(code), &Value::Null));
    }
    for (method, params, code) in [
        ("browser.fly", json!({}), -32601),
        ("browser_clicks", json!({}), -32601),
        ("browser.open", json!({}), -32602),
        ("browser.open", json!(["http://localhost/"]), -32602),
        ("browser.open", json!({ "url": BLANK, "colour": "red" }), -32602),
        ("browser.act", json!({ "action": "dance" }), -32602),
        ("browser.act", json!({ "action": "click", "selector": "p", "session_id": 7 }), -32602),
        ("tools.list", json!({ "set": "none" }), -32602),
    ] {
        assert_eq!(sidecar.error(method, params.clone()).await.0, code, "{method} {params}");
    }
    assert!(!sidecar.scratch.has_browser(), "a browser was started for nothing");
    sidecar.close().await;
}

#[tokio::test]
async fn a_line_without_end_is_refused_and_the_next_is_read() {
    let mut sidecar = Sidecar::start(&[]);
    sidecar.say("x".repeat((64 << 20) + 1)).await;
    let answer = sidecar.hear().await;
    assert_eq!(answer["error"]["code"], -32700);
    assert!(answer["error"]["message"].as_str().unwrap().contains("longer than"), "{answer}");
    sidecar.result("browser.version", json!({})).await;
    sidecar.close().await;
}

#[tokio::test]
async fn a_batch_is_answered_together_and_notifications_are_not() {
    let mut sidecar = Sidecar::start(&[]);
    let call = |id: &str, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method });
    let note = json!({ "jsonrpc": "2.0", "method": "browser.version" });
    sidecar.say(json!([note])).await;
    sidecar.say(&note).await;
    let batch = [call("a", "browser.version"), note, json!(1), call("b", "none")];
    sidecar.say(json!(batch)).await;
    let answers = sidecar.hear().await;
    let mut told: Vec<String> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["id"], one["error"]["code"]))
        .collect();
    told.sort();
    assert_eq!(told, ["\"a\" null", "\"b\" -32601", "null -32600"]);
    sidecar.close().await;
}

#[tokio::test]
async fn calls_of_a_session_keep_their_order_and_those_of_two_run_at_once() {
    let mut sidecar = Sidecar::start(&["--max-sessions", "2"]);
    let url = json!({ "url": BLANK });
    let script = "document.title = 'two'";
    sidecar.send("browser.open", url).await;
    sidecar.send("browser_eval", json!({ "expression": script })).await;
    let last = sidecar.send("browser_eval", json!({ "expression": "document.title" })).await;
    for expected in 1..=last {
        let answer = sidecar.hear().await;
        assert_eq!(answer["id"], expected, "{answer}");
        if expected == last {
            assert!(answer["result"]["text"].as_str().unwrap().contains("two"), "{answer}");
        }
    }
    let slow = sidecar.send("browser_wait", json!({ "time": "50s" })).await;
    let other = json!({ "session_id": "other", "url": BLANK });
    sidecar.result("browser.open", other).await;
    let sessions = sidecar.result("browser.sessions", json!({})).await;
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 2, "{sessions}");
    let third = json!({ "session": "third", "url": BLANK });
    assert_eq!(sidecar.error("browser.open", third).await.1, "ERR_DENIED");
    sidecar.say(cancel(slow)).await;
    assert_eq!(sidecar.hear().await["id"], slow);
    sidecar.close().await;
}

fn cancel(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } })
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once_and_the_session_goes_on() {
    let mut sidecar = Sidecar::start(&[]);
    sidecar.result("browser.open", json!({ "url": BLANK })).await;
    let never = json!({ "expression": "new Promise(() => {})", "timeout": "50s" });
    for (method, params) in [
        ("browser_wait", json!({ "time": "50s" })),
        ("browser_eval", never),
        ("browser_eval", json!({ "expression": "for(;;){}", "timeout": "50s" })),
        (
            "browser.act",
            json!({ "action": "wait_for_selector", "selector": "#no", "timeout_ms": 50000 }),
        ),
    ] {
        let id = sidecar.send(method, params).await;
        // An answer to another request says that this one is running.
        sidecar.result("browser.version", json!({})).await;
        let began = Instant::now();
        sidecar.say(cancel(id)).await;
        let answer = sidecar.hear().await;
        let took = began.elapsed();
        assert_eq!(answer["id"], id);
        assert_eq!(answer["error"]["code"], -32800, "{answer}");
        assert_eq!(answer["error"]["data"]["code"], "ERR_CANCELLED");
        assert!(took < Duration::from_millis(200), "{method} took {took:?}");
        let page = sidecar.result("browser.extract", json!({ "format": "text" })).await;
        assert!(page["content"].as_str().unwrap().contains("Here"), "{page}");
        // What it left running would be waited for, for two seconds.
        let took = began.elapsed();
        assert!(took < Duration::from_secs(1), "{method} was in the way for {took:?}");
    }
    sidecar.close().await;
}

#[tokio::test]
async fn one_session_at_a_time_unless_more_are_asked_for() {
    let mut sidecar = Sidecar::start(&[]);
    sidecar.result("browser.open", json!({ "url": BLANK, "session_id": "first" })).await;
    let second = json!({ "url": BLANK, "session_id": "second" });
    let refused = sidecar.ask("browser.open", second.clone()).await;
    let told = refused["error"]["message"].as_str().unwrap();
    assert!(told.contains("\"first\" is open"), "{refused}");
    sidecar.result("browser.close", json!({ "session_id": "first" })).await;
    sidecar.result("browser.open", second).await;
    sidecar.close().await;
}

#[tokio::test]
async fn a_call_tells_how_far_it_is_if_it_was_asked_to() {
    let mut sidecar = Sidecar::start(&[]);
    sidecar.result("browser.open", json!({ "url": BLANK })).await;
    let step = json!({ "tool": "browser_eval", "expression": "1" });
    let params = json!({ "steps": [step, step], "progress": "tok" });
    let id = sidecar.send("browser_batch", params).await;
    for done in 0..2 {
        let news = sidecar.hear().await;
        assert_eq!(news["method"], "$/progress", "{news}");
        assert_eq!(news["params"]["token"], "tok");
        assert_eq!(news["params"]["value"]["done"], done);
    }
    assert_eq!(sidecar.hear().await["id"], id);
    sidecar.close().await;
}

#[tokio::test]
async fn what_goes_wrong_has_the_codes_of_the_specification() {
    let mut sidecar = Sidecar::start(&[]);
    let refusing = json!({ "url": "http://127.0.0.1:1/" });
    let code = sidecar.error("browser.open", refusing).await;
    assert_eq!(code, (-32000, "ERR_NAVIGATION_FAILED".to_owned()));
    sidecar.result("browser.open", json!({ "url": BLANK })).await;
    for (act, code) in [
        (
            json!({ "action": "click", "selector": "#none", "timeout_ms": 200 }),
            "ERR_SELECTOR_NOT_FOUND",
        ),
        (
            json!({ "action": "click", "selector": "//table", "timeout_ms": 200 }),
            "ERR_SELECTOR_NOT_FOUND",
        ),
        (
            json!({ "action": "wait_for_selector", "selector": "#none", "timeout_ms": 200 }),
            "ERR_TIMEOUT",
        ),
        (
            json!({ "action": "evaluate", "value": "new Promise(() => {})", "timeout_ms": 200 }),
            "ERR_TIMEOUT",
        ),
        (json!({ "action": "evaluate", "value": "throw new Error('x')" }), "ERR_SCRIPT_ERROR"),
    ] {
        let told = sidecar.error("browser.act", act.clone()).await.1;
        assert_eq!(told, code, "{act}");
    }
    sidecar.close().await;
    let mut without = Sidecar::started(
        Command::new(LEGWORK).arg("sidecar").env("LEGWORK_BROWSER", "/nowhere/chrome"),
    );
    let code = without.error("browser.open", json!({ "url": BLANK })).await.1;
    assert_eq!(code, "ERR_BROWSER_NOT_FOUND");
    without.close().await;
}

#[tokio::test]
async fn by_the_name_of_a_link_it_is_the_sidecar() {
    let folder = Scratch::new();
    let link = folder.path().join("tandem-browser");
    std::os::unix::fs::symlink(LEGWORK, &link).unwrap();
    let mut sidecar = Sidecar::started(&mut Command::new(&link));
    sidecar.result("browser.version", json!({})).await;
    sidecar.close().await;
}

#[tokio::test]
async fn nothing_is_left_when_the_input_closes_or_a_signal_ends_it() {
    for signal in [None, Some(Signal::TERM), Some(Signal::INT), Some(Signal::KILL)] {
        let mut sidecar = Sidecar::start(&[]);
        sidecar.result("browser.open", json!({ "url": BLANK })).await;
        sidecar.send("browser_wait", json!({ "time": "50s" })).await;
        assert!(sidecar.scratch.has_browser());
        match signal {
            None => sidecar.input = None,
            Some(signal) => sidecar.signal(signal),
        }
        let status = sidecar.ended().await;
        assert_eq!(status.success(), signal != Some(Signal::KILL), "{signal:?}");
    }
}

#[tokio::test]
async fn a_pipe_of_requests_is_answered_to_its_end_with_drain() {
    let mut sidecar = Sidecar::start(&["--drain"]);
    let open = sidecar.send("browser.open", json!({ "url": BLANK })).await;
    let extract = sidecar.send("browser.extract", json!({ "format": "markdown" })).await;
    sidecar.input = None;
    assert_eq!(sidecar.hear().await["id"], open);
    let page = sidecar.hear().await;
    assert_eq!(page["id"], extract);
    assert!(page["result"]["content"].as_str().unwrap().contains("# Here"), "{page}");
    assert!(sidecar.ended().await.success());
}

#[tokio::test]
async fn a_host_that_does_not_read_does_not_hold_the_browser() {
    let mut sidecar = Sidecar::start(&[]);
    sidecar.result("browser.open", json!({ "url": BLANK })).await;
    // More than a pipe holds.
    for id in 0..40 {
        let list = json!({ "jsonrpc": "2.0", "id": id, "method": "tools.list" });
        sidecar.say(list).await;
    }
    sidecar.input = None;
    assert!(sidecar.ended().await.success());
}

#[tokio::test]
async fn nothing_is_left_when_it_ends_while_a_browser_starts() {
    for _ in 0..5 {
        let mut sidecar = Sidecar::start(&[]);
        sidecar.send("browser.open", json!({ "url": BLANK })).await;
        while !sidecar.scratch.has_browser() {
            // The process table announces nothing: there is only looking again.
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        sidecar.input = None;
        sidecar.ended().await;
    }
}

/// The host that the test below starts and kills: this very test program, told by its environment.
#[tokio::test]
async fn a_host_whose_sidecar_is_killed_is_told_and_goes_on() {
    let scratch = Scratch::new();
    let holding = std::env::var_os("LEGWORK_TEST_HOLD");
    let mut process = process(&scratch);
    if let Some(folder) = &holding {
        process.environment[0].1 = folder.to_string_lossy().into_owned();
    }
    let client = Client::start(process, Options::default()).await.unwrap();
    client.open(&open(BLANK)).await.unwrap();
    if holding.is_some() {
        eprintln!("holding");
        std::future::pending::<()>().await;
    }
    for pid in sidecars_of(std::process::id()) {
        kill_process(pid, Signal::KILL).unwrap();
    }
    let error = client.extract(ExtractFormat::Text).await.unwrap_err();
    assert!(matches!(error, Error::Sidecar(Failure::Died(_))), "{error:?}");
    scratch.nothing_left().await;
    client.open(&open(BLANK)).await.unwrap();
    client.stop().await;
    scratch.nothing_left().await;
}

/// The sidecars that a process has started.
fn sidecars_of(parent: u32) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let started = |pid: &i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.contains(&format!("PPid:\t{parent}\n")) && status.contains("Name:\tlegwork\n")
    };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(started).filter_map(Pid::from_raw).collect()
}

/// A host in a process of its own: it starts a sidecar, opens a page and holds it.
fn host(scratch: &Scratch) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sidecar::a_host_whose_sidecar_is_killed_is_told_and_goes_on"])
        .arg("--nocapture")
        .env("LEGWORK_TEST_HOLD", scratch.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn nothing_is_left_when_the_host_is_killed() {
    let scratch = Scratch::new();
    let mut host = host(&scratch);
    let mut lines = BufReader::new(host.stderr.take().unwrap()).lines();
    while let Some(line) = tokio::time::timeout(LONG, lines.next_line()).await.unwrap().unwrap() {
        if line.contains("holding") {
            break;
        }
    }
    assert!(scratch.has_browser());
    host.kill().await.unwrap();
    scratch.nothing_left().await;
}

#[tokio::test]
async fn nothing_is_left_when_the_host_is_killed_at_any_moment_of_the_start() {
    for moment in (1..=10).map(|step| step * 40) {
        let scratch = Scratch::new();
        let mut host = host(&scratch);
        // Moments of a start are announced by nothing.
        tokio::time::sleep(Duration::from_millis(moment)).await;
        host.kill().await.unwrap();
        scratch.nobody_left().await;
    }
}

#[tokio::test]
async fn what_a_tool_answers_keeps_to_its_budget_and_names_the_file_of_the_rest() {
    let paragraphs = "<p>Paragraph of many</p>".repeat(9_000);
    let site = Site::start(move |_| Page::Html(paragraphs.clone())).await;
    let mut sidecar = Sidecar::start(&[]);
    sidecar.result("browser.open", json!({ "url": site.url("/") })).await;
    let whole = sidecar.result("browser.extract", json!({ "format": "text" })).await;
    let content = whole["content"].as_str().unwrap();
    assert!(content.len() > 100_000, "{} bytes", content.len());
    for (method, params) in [
        ("browser_extract", json!({ "format": "text" })),
        ("browser_query", json!({ "target": "css=p", "limit": 500 })),
    ] {
        let told = sidecar.result(method, params).await;
        assert_eq!(told["cut"], true, "{method}");
        assert!(told.to_string().len() < 60_000, "{method}: {}", told.to_string().len());
        let file = std::fs::read(told["whole"].as_str().unwrap()).unwrap();
        let kept: Value = serde_json::from_slice(&file).unwrap();
        match method {
            "browser_extract" => assert_eq!(kept["content"], content),
            _ => assert_eq!(kept["items"].as_array().unwrap().len(), 500),
        }
    }
    sidecar.close().await;
}
