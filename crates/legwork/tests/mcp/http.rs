//! `legwork serve`: who may come in, whose session is whose, and what is left.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{PATIENCE, Site, ended, legwork, nothing_left, processes};

/// The program, serving.
pub struct Served {
    child: Child,
    pub scratch: tempfile::TempDir,
    /// Such as `127.0.0.1:4000`.
    pub address: String,
}

impl Served {
    pub fn new(arguments: &[&str]) -> Served {
        let scratch = tempfile::tempdir().unwrap();
        let mut command = legwork(scratch.path(), &["serve", "--port", "0"]);
        command.args(arguments).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("legwork: MCP on http://").unwrap();
        let address = address.strip_suffix("/mcp").unwrap().to_owned();
        Served { child, scratch, address }
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Sends a request with these headers; its answer is still to be read.
    fn open(&self, method: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{method} /mcp HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        head += "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        write!(stream, "{head}Connection: close\r\n\r\n{body}").unwrap();
        stream
    }

    /// Sends a request; status line and headers of its answer, then the JSON in the body.
    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> (String, Value) {
        let mut stream = self.open(method, headers, body);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let json = body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let json = json
            .filter(|line| line.starts_with('{'))
            .find_map(|line| serde_json::from_str(line).ok());
        (head.to_owned(), json.unwrap_or_default())
    }

    /// Sends a request in the stateless protocol; calls name their tool in a header as well.
    fn ask(&self, token: &str, method: &str, tool: Option<&str>, mut params: Value) -> TcpStream {
        let token = format!("Bearer {token}");
        let mut headers = vec![
            ("Authorization", token.as_str()),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        headers.extend(tool.map(|tool| ("Mcp-Name", tool)));
        params["_meta"] = json!({
            "progressToken": 1,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.open("POST", &headers, &body.to_string())
    }

    /// Sends a call in the stateless protocol.
    fn begin(&self, token: &str, tool: &str, arguments: Value) -> TcpStream {
        let params = json!({ "name": tool, "arguments": arguments });
        self.ask(token, "tools/call", Some(tool), params)
    }

    /// The result of a call in the stateless protocol.
    fn call(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let mut told = messages(self.begin(token, tool, arguments));
        let mut answer = told.find(|message| message["id"] == 1).expect("an answer");
        answer["result"].take()
    }
}

/// A conversation that was begun.
struct Conversation<'a> {
    served: &'a Served,
    token: String,
    id: String,
}

impl<'a> Conversation<'a> {
    fn begin(served: &'a Served, token: &str) -> Conversation<'a> {
        let token = format!("Bearer {token}");
        let (head, _) = served.send("POST", &[("Authorization", &token)], INITIALIZE);
        let id = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
        let conversation = Conversation { served, token, id: id.to_owned() };
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let (head, _) = conversation.send("POST", &ready.to_string());
        assert!(head.starts_with("HTTP/1.1 202"), "{head}");
        conversation
    }

    fn headers(&self) -> [(&str, &str); 3] {
        [
            ("Authorization", &self.token),
            ("Mcp-Session-Id", &self.id),
            ("MCP-Protocol-Version", "2025-11-25"),
        ]
    }

    fn send(&self, method: &str, body: &str) -> (String, Value) {
        self.served.send(method, &self.headers(), body)
    }

    /// Sends a call; its answer is still to be read.
    fn request(&self, id: u64, tool: &str, arguments: Value) -> TcpStream {
        self.served.open("POST", &self.headers(), &call(id, tool, arguments))
    }

    /// The text of a tool's answer.
    fn text(&self, tool: &str, arguments: Value) -> String {
        let (_, answer) = self.send("POST", &call(9, tool, arguments));
        assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

fn call(id: u64, tool: &str, arguments: Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

/// The messages of an answer, as they come.
fn messages(stream: TcpStream) -> impl Iterator<Item = Value> {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data:").unwrap_or(&line)).ok())
        .filter(Value::is_object)
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        if !ended(&mut self.child, PATIENCE) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":
    "2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

#[test]
fn only_a_token_and_our_own_names_are_let_in() {
    let served = Served::new(&["--token", "sesame"]);
    let token = ("Authorization", "Bearer sesame");
    let own = format!("http://{}", served.address);
    for (headers, status) in [
        (vec![], "401"),
        (vec![("Authorization", "Bearer sesam")], "401"),
        (vec![("Authorization", "Basic sesame")], "401"),
        (vec![token, ("Host", "evil.example")], "403"),
        (vec![token, ("Host", "127.0.0.1:1")], "403"),
        (vec![token, ("Origin", "http://evil.example")], "403"),
        (vec![token, ("Origin", "null")], "403"),
        (vec![token, ("Origin", "http://localhost:1")], "403"),
        (vec![token, ("Origin", own.as_str())], "200"),
        (vec![token], "200"),
    ] {
        let (head, _) = served.send("POST", &headers, INITIALIZE);
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{headers:?}: {head}");
        assert!(!head.to_lowercase().contains("access-control-"), "{headers:?}: {head}");
    }
    // What a browser asks before it lets another site's page send a token.
    let asked = [("Origin", "http://evil.example"), ("Access-Control-Request-Method", "POST")];
    let (head, _) = served.send("OPTIONS", &asked, "");
    assert!(head.starts_with("HTTP/1.1 4"), "{head}");
    assert!(!head.to_lowercase().contains("access-control-"), "{head}");
}

#[test]
fn without_conversations_a_session_is_named_and_belongs_to_its_token() {
    let site = Site::new();
    let served = Served::new(&["--token", "one,two"]);
    let mark = json!({ "url": site.url("/login"), "session": "a" });
    assert_eq!(served.call("one", "browser_navigate", mark)["isError"], json!(false));
    let title = |token: &str, session: Option<&str>| {
        let mut arguments = json!({ "expression": "document.title" });
        if let Some(session) = session {
            arguments["session"] = json!(session);
        }
        served.call(token, "browser_eval", arguments)["content"][0]["text"].to_string()
    };
    assert!(title("one", Some("a")).contains("Sign in"));
    assert!(!title("one", None).contains("Sign in"), "another session");
    assert!(!title("two", Some("a")).contains("Sign in"), "another token");
}

#[test]
fn a_session_that_is_no_name_is_refused() {
    let served = Served::new(&["--token", "one"]);
    for session in [json!(5), json!(""), json!(["a"]), json!("x".repeat(101))] {
        let arguments = json!({ "expression": "1", "session": session });
        let refused = served.call("one", "browser_eval", arguments);
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("invalid_input: session "), "{session}: {text}");
        assert_eq!(refused["isError"], json!(true));
    }
    assert!(processes(served.scratch.path()).len() < 2, "nothing was run");
}

#[test]
fn without_conversations_the_resources_of_every_session_can_be_read() {
    let site = Site::new();
    let served = Served::new(&["--token", "one,two"]);
    let name = "my shop/ü";
    let open = json!({ "url": site.url("/dashboard"), "session": name });
    served.call("one", "browser_navigate", open);
    served.call("one", "browser_take_screenshot", json!({ "session": name }));
    let ask = |token: &str, method: &str, params: Value| {
        let name = params["uri"].as_str().map(str::to_owned);
        let mut told = messages(served.ask(token, method, name.as_deref(), params));
        told.find(|message| message["id"] == 1).expect("an answer")["result"].take()
    };
    let listed = |token: &str| ask(token, "resources/list", json!({}))["resources"].take();
    let own = listed("one");
    let uris: Vec<&str> =
        own.as_array().unwrap().iter().filter_map(|one| one["uri"].as_str()).collect();
    assert_eq!(uris.len(), 3, "{own}");
    assert_eq!(uris[1], "legwork://sessions/my+shop%2F%C3%BC/page/snapshot");
    assert!(uris[2].starts_with("legwork://sessions/my+shop%2F%C3%BC/screenshots/"), "{own}");
    let page = ask("one", "resources/read", json!({ "uri": uris[1] }));
    assert_eq!(page["contents"][0]["uri"], uris[1]);
    assert!(page["contents"][0]["text"].as_str().unwrap().contains("Welcome, ada"), "{page}");
    let shot = ask("one", "resources/read", json!({ "uri": uris[2] }));
    assert!(shot["contents"][0]["blob"].is_string(), "{shot}");
    assert_eq!(listed("two").as_array().unwrap().len(), 1, "another token sees none of them");
}

#[test]
fn the_list_of_tools_stays_short_where_every_tool_takes_a_session() {
    for (set, limit) in [("core", 10_000), ("all", 25_000)] {
        let served = Served::new(&["--token", "sesame", "--tools", set]);
        let mut told = messages(served.ask("sesame", "tools/list", None, json!({})));
        let list = told.find(|message| message["id"] == 1).expect("an answer");
        let size = list.to_string().len();
        assert!(size < limit, "{set} takes {size} bytes");
        let tools = list["result"]["tools"].as_array().unwrap();
        assert!(tools.len() > 10, "{list}");
        for tool in tools {
            let session = &tool["inputSchema"]["properties"]["session"];
            assert_eq!(session["type"], "string", "{tool}");
        }
    }
}

#[test]
fn a_client_that_hangs_up_cancels_its_call_at_once_alone() {
    let site = Site::new();
    let served = Served::new(&["--token", "sesame"]);
    let steps = json!([
        { "tool": "browser_navigate", "url": site.url("/login") },
        { "tool": "browser_wait", "text": "never there", "timeout": "1h" },
    ]);
    let time_to_cancel = || {
        let mut told = messages(served.begin("sesame", "browser_batch", json!({ "steps": steps })));
        assert!(
            told.any(|message| message["params"]["message"] == "browser_wait"),
            "the wait has begun"
        );
        let began = Instant::now();
        drop(told);
        // Calls of a session come after one another: this one is answered when the wait has ended, and only a
        // cancellation ends that before this answer is no longer waited for.
        let title = json!({ "expression": "document.title" });
        let after = served.call("sesame", "browser_eval", title);
        assert!(after.to_string().contains("Sign in"), "{after}");
        began.elapsed()
    };
    // The quickest of three: a busy machine may hold up one.
    let quickest = (0..3).map(|_| time_to_cancel()).min().unwrap();
    assert!(quickest < Duration::from_millis(200), "{quickest:?}");
}

#[test]
fn a_call_that_is_cancelled_by_a_notification_ends_at_once_alone() {
    let site = Site::new();
    let served = Served::new(&["--token", "sesame"]);
    let conversation = Conversation::begin(&served, "sesame");
    let steps = json!([
        { "tool": "browser_navigate", "url": site.url("/login") },
        { "tool": "browser_wait", "text": "never there", "timeout": "1h" },
    ]);
    let time_to_cancel = |id: u64| {
        let stream = conversation.request(id, "browser_batch", json!({ "steps": steps }));
        let mut told = messages(stream);
        assert!(
            told.any(|message| message["params"]["message"] == "browser_wait"),
            "the wait has begun"
        );
        let began = Instant::now();
        let cancelled = json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
        });
        let (head, _) = conversation.send("POST", &cancelled.to_string());
        assert!(head.starts_with("HTTP/1.1 202"), "{head}");
        // Answered when the wait has ended: calls of a session come after one another.
        let title = conversation.text("browser_eval", json!({ "expression": "document.title" }));
        assert!(title.contains("Sign in"), "{title}");
        began.elapsed()
    };
    // The quickest of three: a busy machine may hold up one.
    let quickest = (11..14).map(time_to_cancel).min().unwrap();
    assert!(quickest < Duration::from_millis(200), "{quickest:?}");
}

#[test]
fn conversations_are_apart_and_each_belongs_to_its_token() {
    let site = Site::new();
    let served = Served::new(&["--token", "one,two"]);
    let (first, second) =
        (Conversation::begin(&served, "one"), Conversation::begin(&served, "one"));
    first.text("browser_navigate", json!({ "url": site.url("/login") }));
    first.text("browser_eval", json!({ "expression": "document.cookie = 'of=first'" }));
    second.text("browser_navigate", json!({ "url": site.url("/dashboard") }));
    let seen = json!({ "expression": "document.title + ' ' + document.cookie" });
    assert!(first.text("browser_eval", seen.clone()).contains("Sign in of=first"));
    assert!(second.text("browser_eval", seen.clone()).contains(">\"Dashboard \"<"));
    let thief = Conversation { token: "Bearer two".to_owned(), id: first.id.clone(), ..second };
    let (head, answer) = thief.send("POST", &call(5, "browser_eval", seen.clone()));
    let told = format!("{head}{answer}");
    assert!(!told.contains("Sign in"), "{told}");
    assert!(told.contains("belongs to another token"), "{told}");
    assert!(first.text("browser_eval", seen).contains("Sign in"));
}

#[test]
fn a_conversation_that_is_closed_takes_its_pages_along() {
    let site = Site::new();
    let served = Served::new(&["--token", "sesame"]);
    let conversation = Conversation::begin(&served, "sesame");
    conversation.text("browser_navigate", json!({ "url": site.url("/held") }));
    let (head, _) = conversation.send("DELETE", "");
    assert!(head.starts_with("HTTP/1.1 2"), "{head}");
    let (head, _) = conversation.send("POST", &call(3, "browser_snapshot", json!({})));
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    site.released.recv_timeout(PATIENCE).expect("the page ends with its conversation");
}

#[test]
fn nothing_is_left_when_the_server_is_asked_to_end() {
    let site = Site::new();
    let served = Served::new(&["--token", "sesame"]);
    served.call("sesame", "browser_navigate", json!({ "url": site.url("/login") }));
    let scratch = served.scratch.path().to_owned();
    assert!(!processes(&scratch).is_empty(), "Chrome can be seen");
    drop(served);
    nothing_left(&scratch);
}

#[test]
fn a_client_without_a_conversation_is_told_what_to_ask_its_user_first() {
    let served = Served::new(&["--token", "one"]);
    let page = "data:text/html,<button onclick='document.title += 1'>Pay now</button>";
    served.call("one", "browser_navigate", json!({ "url": page }));
    let pay = |answer: Option<(&Value, Value)>| {
        let mut params = json!({ "name": "browser_click", "arguments": { "target": "Pay now" } });
        if let Some((state, answer)) = answer {
            params["requestState"] = state.clone();
            params["inputResponses"] = json!({ "approval": answer });
        }
        let mut told = messages(served.ask("one", "tools/call", Some("browser_click"), params));
        told.find(|message| message["id"] == 1).expect("an answer")["result"].take()
    };
    let title = || {
        let asked = json!({ "expression": "document.title" });
        served.call("one", "browser_eval", asked)["content"][0]["text"].to_string()
    };
    let accept = || json!({ "action": "accept" });
    let asked = pay(None);
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = asked["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    assert!(question.contains("Pay now"), "{question}");
    // A state that was never given out, and an answer without one, approve nothing.
    assert_eq!(pay(Some((&json!("made up"), accept())))["resultType"], "input_required");
    assert!(!title().contains('1'));
    let done = pay(Some((&asked["requestState"], accept())));
    assert_eq!(done["isError"], json!(false), "{done}");
    assert!(title().contains('1'));
    // It was for once.
    assert_eq!(pay(Some((&asked["requestState"], accept())))["resultType"], "input_required");
}
