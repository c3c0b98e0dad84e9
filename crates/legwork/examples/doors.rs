//! What a call costs more through each door than on the engine itself: the same work by turns, in one run,
//! as differences of medians.
//!
//! `cargo xtask bench doors [--no-fail]` builds the program in release, prints a table, and fails when a
//! limit is exceeded. Another program can be named: `--program target/debug/legwork`.

#![allow(clippy::print_stdout, reason = "it is a program that prints a table")]

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use legwork_protocol::client::{CallOptions, Client, Options, Process};
use legwork_protocol::discovery;
use legwork_tools::engine::{
    Click, Config, Engine, Evaluate, NAVIGATION, Page, SessionOptions, SnapshotOptions, Target,
};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Calls through each door.
const ROUNDS: usize = 200;

/// A page with something to see.
const PAGE: &str = "data:text/html,<title>Orders</title><h1>Orders</h1><ul>\
    <li>Oat milk <button>Remove</button><li>Bread <button>Remove</button></ul>\
    <label>Search <input></label>\
    <button id=more onclick='n.textContent = 1 - n.textContent'>More</button> <p>Pages: <b id=n>0</b></p>";

const EXPRESSION: &str = "document.title.length";
const BUTTON: &str = "#more";

/// The work: small, so that what is added is seen.
#[derive(Clone, Copy, PartialEq)]
enum Work {
    Eval,
    Snapshot,
    Click,
}

impl Work {
    fn tool(self) -> (&'static str, Map<String, Value>) {
        match self {
            Work::Eval => ("browser_eval", object(json!({ "expression": EXPRESSION }))),
            Work::Snapshot => ("browser_snapshot", Map::new()),
            Work::Click => ("browser_click", object(json!({ "target": BUTTON }))),
        }
    }

    fn command(self) -> &'static [&'static str] {
        match self {
            Work::Eval => &["eval", EXPRESSION],
            Work::Snapshot => &["snapshot"],
            Work::Click => &["click", BUTTON],
        }
    }

    /// What every answer has in it.
    fn said(self) -> &'static str {
        match self {
            Work::Eval => "6",
            Work::Snapshot => "Oat milk",
            Work::Click => "Pages: ",
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// The engine and the doors, each with a browser of its own.
struct Doors {
    engine: Engine,
    page: Page,
    sidecar: Client,
    mcp: Mcp,
    cli: Cli,
}

impl Doors {
    async fn open(program: &Path, scratch: &Path) -> Result<Doors> {
        let engine = Engine::new(Config::default());
        let page = engine.session(SessionOptions::default()).page().await?;
        page.navigate(PAGE, NAVIGATION).await?;
        let request = discovery::Request {
            explicit: Some(program.display().to_string()),
            ..Default::default()
        };
        let process = Process { request, ..Default::default() };
        let sidecar = Client::start(process, Options::default()).await?;
        let start = object(json!({ "url": PAGE }));
        sidecar.call_tool("browser_navigate", start.clone(), CallOptions::default()).await?;
        let mut mcp = Mcp::open(program).await?;
        mcp.call("browser_navigate", &start).await?;
        let cli = Cli { program: program.into(), scratch: scratch.into() };
        cli.run(&["open", PAGE]).await?;
        Ok(Doors { engine, page, sidecar, mcp, cli })
    }

    /// The work on the engine and through every door, once each; how long each took.
    async fn round(&mut self, work: Work) -> Result<[Duration; 4]> {
        let (tool, arguments) = work.tool();
        let began = Instant::now();
        let engine = match work {
            Work::Eval => self.page.evaluate(EXPRESSION, Evaluate::default()).await?,
            Work::Snapshot => self.page.snapshot(&SnapshotOptions::default()).await?.text,
            Work::Click => {
                let target = Target::Css(BUTTON.into());
                self.page.click(&target, &Click::default()).await?.change
            }
        };
        let (engine, own) = (engine, began.elapsed());
        let began = Instant::now();
        let called =
            self.sidecar.call_tool(tool, arguments.clone(), CallOptions::default()).await?;
        let (sidecar, by_sidecar) = (called.text, began.elapsed());
        let began = Instant::now();
        let mcp = self.mcp.call(tool, &arguments).await?;
        let by_mcp = began.elapsed();
        let began = Instant::now();
        let cli = self.cli.run(work.command()).await?;
        let by_cli = began.elapsed();
        for answer in [engine, sidecar, mcp, cli] {
            ensure!(answer.contains(work.said()), "{answer}");
        }
        Ok([own, by_sidecar, by_mcp, by_cli])
    }

    async fn close(self) -> Result<()> {
        self.cli.run(&["daemon", "stop"]).await?;
        self.sidecar.stop().await;
        self.mcp.close().await?;
        self.engine.close().await;
        Ok(())
    }
}

/// `legwork mcp`, line by line.
struct Mcp {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    asked: u64,
}

impl Mcp {
    async fn open(program: &Path) -> Result<Mcp> {
        let mut child = Command::new(program)
            .args(["mcp", "--tools", "all"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?).lines();
        let mut mcp = Mcp { child, input, output, asked: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        mcp.ask("initialize", hello).await?;
        mcp.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(mcp)
    }

    async fn say(&mut self, message: &Value) -> Result<()> {
        Ok(self.input.write_all(format!("{message}\n").as_bytes()).await?)
    }

    async fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        loop {
            let line = self.output.next_line().await?.context("the server ended")?;
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == json!(id) {
                return Ok(answer);
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> Result<String> {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.ask("tools/call", params).await?;
        let text = answer["result"]["content"][0]["text"].as_str();
        text.map(str::to_owned).with_context(|| answer.to_string())
    }

    async fn close(self) -> Result<()> {
        let Mcp { mut child, input, .. } = self;
        drop(input);
        child.wait().await?;
        Ok(())
    }
}

/// The command line, with a daemon of its own.
struct Cli {
    program: PathBuf,
    scratch: PathBuf,
}

impl Cli {
    async fn run(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("XDG_RUNTIME_DIR", &self.scratch).env("HOME", &self.scratch);
        let ended = command.stdin(Stdio::null()).output().await?;
        ensure!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        Ok(String::from_utf8(ended.stdout)?)
    }
}

/// The median in milliseconds.
fn median(times: impl Iterator<Item = Duration>) -> f64 {
    let mut times: Vec<f64> = times.map(|time| time.as_secs_f64() * 1000.0).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Prints what each door adds; whether all keep to their limits.
fn report(work: &str, rounds: &[[Duration; 4]]) -> bool {
    let own = median(rounds.iter().map(|times| times[0]));
    println!("{work:<10} {:<8} {own:>8.2} ms", "engine");
    let doors = [("sidecar", None), ("mcp", Some(1.5)), ("cli", Some(15.0))];
    let mut met = true;
    for (index, (door, limit)) in doors.into_iter().enumerate() {
        let theirs = median(rounds.iter().map(|times| times[index + 1]));
        let added = theirs - own;
        let ok = limit.is_none_or(|limit| added <= limit);
        met &= ok;
        let limit = limit.map_or(String::new(), |limit| {
            format!("limit {limit} ms  {}", if ok { "ok" } else { "OVER" })
        });
        println!("{work:<10} {door:<8} {theirs:>8.2} ms  {added:>+8.2} ms  {limit}");
    }
    met
}

fn program() -> Result<PathBuf> {
    let arguments: Vec<String> = std::env::args().collect();
    let named = arguments.iter().position(|one| one == "--program");
    if let Some(path) = named.and_then(|at| arguments.get(at + 1)) {
        return Ok(std::path::absolute(path)?);
    }
    // Examples are built into a folder beside the program.
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).context("the program is not found")?;
    Ok(folder.join("legwork"))
}

#[tokio::main]
async fn main() -> Result<()> {
    let program = program()?;
    ensure!(program.exists(), "{} is missing: build it first", program.display());
    let scratch = tempfile::Builder::new().prefix("lw").tempdir()?;
    let mut doors = Doors::open(&program, scratch.path()).await?;
    println!("{ROUNDS} rounds, medians; what each door adds to the engine's own time\n");
    let mut met = true;
    for (name, work) in [("eval", Work::Eval), ("snapshot", Work::Snapshot), ("click", Work::Click)]
    {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push(doors.round(work).await?);
        }
        met &= report(name, &rounds);
    }
    doors.close().await?;
    if !met && !std::env::args().any(|argument| argument == "--no-fail") {
        std::process::exit(1);
    }
    Ok(())
}
