//! The table that every door must answer, asked of the sidecar, of MCP and of the command line at once: each
//! answer is as the table says, and all doors say the same.

use std::process::Stdio;

use legwork_protocol::{Code, ToolError};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::conformance::{Site, Told, rows};
use crate::support::LEGWORK;

/// A door that speaks JSON-RPC line by line.
struct Door {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    next: u64,
    _scratch: tempfile::TempDir,
}

impl Door {
    fn open(arguments: &[&str]) -> Door {
        let scratch = tempfile::tempdir().unwrap();
        let mut child = Command::new(LEGWORK)
            .args(arguments)
            .env("TMPDIR", scratch.path())
            .env("LEGWORK_AUDIT", scratch.path().join("audit"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Door { _child: child, input, output, next: 0, _scratch: scratch }
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        self.input.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        loop {
            let line = self.output.next_line().await.unwrap().expect("an answer");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == json!(self.next) {
                return answer;
            }
        }
    }

    async fn sidecar(&mut self, tool: &str, arguments: Map<String, Value>) -> Told {
        let answer = self.ask(tool, arguments.into()).await;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let Some(error) = answer.get("error") else { return Ok(text(&answer["result"]["text"])) };
        let code = Code::parse(&text(&error["data"]["code"])).unwrap_or(Code::Internal);
        let hint = error["data"]["hint"].as_str().map(str::to_owned);
        // To JSON-RPC a tool is a method.
        let message = text(&error["message"]).replace("there is no method", "there is no tool");
        let error = ToolError { code, message, hint };
        Err((code.to_string(), error.told()))
    }

    async fn mcp(&mut self, tool: &str, arguments: Map<String, Value>) -> Told {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.ask("tools/call", params).await;
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        match result["isError"].as_bool() {
            Some(true) => Err((text.split(": ").next().unwrap_or_default().to_owned(), text)),
            Some(false) => Ok(text),
            None => Err((answer["error"]["code"].to_string(), answer["error"].to_string())),
        }
    }
}

/// The command line, with a daemon that ends with it.
struct CommandLine {
    scratch: tempfile::TempDir,
}

impl CommandLine {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(LEGWORK);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for name in ["HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"] {
            command.env(name, self.scratch.path());
        }
        command
    }

    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Told {
        let mut child = self.command(&["--json", "call", tool, "-"]).spawn().unwrap();
        let text = Value::Object(arguments).to_string();
        child.stdin.take().unwrap().write_all(text.as_bytes()).await.unwrap();
        let ended = child.wait_with_output().await.unwrap();
        let read = |bytes: &[u8]| -> Value {
            let wrong = |error| panic!("{error}: {}", String::from_utf8_lossy(bytes));
            serde_json::from_slice(bytes).unwrap_or_else(wrong)
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if ended.status.success() {
            return Ok(text(&read(&ended.stdout)["text"]));
        }
        let error = &read(&ended.stderr)["error"];
        let code = Code::parse(&text(&error["code"])).unwrap_or(Code::Internal);
        let hint = error["hint"].as_str().map(str::to_owned);
        let error = ToolError { code, message: text(&error["message"]), hint };
        Err((code.to_string(), error.told()))
    }
}

impl Drop for CommandLine {
    fn drop(&mut self) {
        let _ = self.command(&["daemon", "stop", "--all"]).as_std_mut().output();
    }
}

/// The door of MCP, after its greeting.
async fn mcp() -> Door {
    let mut mcp = Door::open(&["mcp", "--tools", "all"]);
    let client = json!({ "name": "table", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    mcp.ask("initialize", hello).await;
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    mcp.input.write_all(format!("{ready}\n").as_bytes()).await.unwrap();
    mcp
}

#[tokio::test(flavor = "multi_thread")]
async fn the_workflow_of_the_specification_runs_word_for_word_through_mcp() {
    let site = crate::support::Site::login().await;
    let mut mcp = mcp().await;
    for (tool, arguments) in [
        ("browser_open", json!({ "url": site.url(""), "headless": true })),
        (
            "browser_act",
            json!({ "action": "type", "selector": "#email", "value": "admin@test.com" }),
        ),
        (
            "browser_act",
            json!({ "action": "type", "selector": "#password", "value": "password123" }),
        ),
        ("browser_act", json!({ "action": "click", "selector": "button[type='submit']" })),
        ("browser_act", json!({ "action": "wait_for_selector", "selector": ".dashboard-header" })),
    ] {
        let told = mcp.mcp(tool, arguments.as_object().cloned().unwrap()).await;
        let text = told.unwrap_or_else(|error| panic!("{arguments}: {error:?}"));
        assert!(!text.contains("password123"), "{text}");
    }
    let params =
        json!({ "name": "browser_extract", "arguments": { "format": "screenshot_base64" } });
    let picture = mcp.ask("tools/call", params).await;
    let image = &picture["result"]["content"][1];
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    let seen = mcp.mcp("browser_snapshot", Map::new()).await.unwrap();
    assert!(seen.contains("Welcome, admin"), "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sidecar_mcp_and_command_line_answer_every_row_of_the_table_alike() {
    let site = Site::start().await;
    let mut sidecar = Door::open(&["sidecar"]);
    let mut mcp = mcp().await;
    let line = CommandLine { scratch: tempfile::tempdir().unwrap() };
    let rows = rows();
    let mut faults = Vec::new();
    for row in &rows {
        let (tool, arguments) = site.fill(row);
        let (one, two, three) = tokio::join!(
            sidecar.sidecar(&tool, arguments.clone()),
            mcp.mcp(&tool, arguments.clone()),
            async {
                // A name longer than the system passes to a program cannot be asked for there.
                let short = tool.len() < 100_000;
                if short { Some(line.call(&tool, arguments).await) } else { None }
            }
        );
        let told = [
            ("the sidecar", Some(&one)),
            ("MCP", Some(&two)),
            ("the command line", three.as_ref()),
        ];
        let told = told.into_iter().filter_map(|(door, told)| Some((door, told?)));
        let even = |told: &Told| {
            let text = told.as_ref().unwrap_or_else(|(_, text)| text);
            renumbered(&site.even(text))
        };
        for (door, told) in told {
            faults.extend(site.fault(row, told).map(|fault| format!("{door}: {fault}")));
            let (first, this) = (even(&one), even(told));
            if first != this {
                let line = row.line;
                faults.push(format!("line {line}: the sidecar says {first}\n  {door} says {this}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Refs numbered as they appear. A page that was slow to answer leaves a gap in the numbers of its session.
fn renumbered(text: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut out = String::new();
    for word in text.split_inclusive(|letter: char| !letter.is_alphanumeric()) {
        let bare = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let digits = bare.strip_prefix('e').unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            out.push_str(word);
            continue;
        }
        let at = known.iter().position(|one| *one == bare).unwrap_or_else(|| {
            known.push(bare);
            known.len() - 1
        });
        out.push_str(&format!("e#{at}{}", &word[bare.len()..]));
    }
    out
}
