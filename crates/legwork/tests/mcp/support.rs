//! A client that speaks MCP line by line, a site to sign in to, and a look at what processes are left.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// No answer takes longer on the slowest machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The program, with a folder for its temporary files that its Chrome can be known by.
pub fn legwork(scratch: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_legwork"));
    command
        .args(arguments)
        .env("TMPDIR", scratch)
        .env("LEGWORK_AUDIT", scratch.join("audit"))
        .env_remove("LEGWORK_TOKEN");
    command
}

/// What `scripts/setup --tests` has put below `.cache/mcp`.
pub fn cached(path: &str) -> PathBuf {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/mcp").join(path);
    assert!(found.exists(), "{} is missing: run scripts/setup --tests", found.display());
    found
}

/// A client over standard input and output.
pub struct Client {
    pub child: Child,
    pub input: Option<ChildStdin>,
    lines: Receiver<String>,
    pub scratch: tempfile::TempDir,
    /// What came without being asked for.
    pub notes: VecDeque<Value>,
    next: u64,
}

impl Client {
    /// A client that has begun a conversation.
    pub fn new(arguments: &[&str]) -> Client {
        let mut client = Client::silent(arguments);
        client.initialize("test");
        client
    }

    /// A client that has said nothing yet.
    pub fn silent(arguments: &[&str]) -> Client {
        let scratch = tempfile::tempdir().unwrap();
        let mut command = legwork(scratch.path(), &["mcp"]);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|l| tell.send(l))
        });
        let input = child.stdin.take();
        Client { child, input, lines, scratch, notes: VecDeque::new(), next: 0 }
    }

    pub fn initialize(&mut self, name: &str) -> Value {
        let info = json!({ "name": name, "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        let told = self.ask("initialize", params);
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        told
    }

    pub fn send(&mut self, message: Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
    }

    /// Sends a request; its number.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message, as it came.
    pub fn line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a message within half a minute")
    }

    /// The answer to a request; what comes before it is noted.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message: Value = serde_json::from_str(&self.line()).unwrap();
            match message.get("id") == Some(&id.into()) {
                true => return message,
                false => self.notes.push_back(message),
            }
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// The result of a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut message = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        message["result"].take()
    }

    /// The text of a tool that succeeds.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(false), "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = ended(&mut self.child, PATIENCE);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a process ends in time.
pub fn ended(child: &mut Child, patience: Duration) -> bool {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > patience {
            return false;
        }
        // The end of a process is announced by nothing that we could wait for here.
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// The processes that work in a folder.
pub fn processes(folder: &Path) -> Vec<String> {
    let needle = folder.display().to_string();
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
        .filter(|line| line.contains(&needle))
        .collect()
}

/// Waits until no process works in a folder.
pub fn nothing_left(folder: &Path) {
    let began = Instant::now();
    loop {
        let left = processes(folder);
        if left.is_empty() {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "left behind: {left:#?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A site with a login page that leads to a dashboard.
pub struct Site {
    pub address: String,
    /// Tells when the page `/held`, which keeps a request open, is no more.
    pub released: Receiver<()>,
}

const LOGIN: &str = "<!doctype html><title>Sign in</title><form method=post action=/login>\
    <label>User <input name=user></label><label>Password <input name=password type=password></label>\
    <button>Sign in</button></form>";
const HELD: &str = "<!doctype html><title>Held</title><script>fetch('/hold')</script>";
const DASHBOARD: &str =
    "<!doctype html><title>Dashboard</title><h1>Welcome, ada</h1><a href=/login>Sign out</a>";

impl Site {
    pub fn new() -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (tell, released) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let tell = tell.clone();
                std::thread::spawn(move || serve(stream, &tell));
            }
        });
        Site { address, released }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

fn serve(mut stream: TcpStream, released: &Sender<()>) -> Option<()> {
    let (head, body) = read_request(&mut stream)?;
    if head.starts_with("GET /hold ") {
        let _ = stream.read(&mut [0]);
        return released.send(()).ok();
    }
    let (status, extra, page) = match head.split(' ').take(2).collect::<Vec<_>>()[..] {
        ["GET", "/login"] => ("200 OK", "", LOGIN),
        ["POST", "/login"] if body == "user=ada&password=secret" => {
            ("303 See Other", "Location: /dashboard\r\n", "")
        }
        ["GET", "/held"] => ("200 OK", "", HELD),
        ["GET", "/dashboard"] => ("200 OK", "", DASHBOARD),
        _ => ("404 Not Found", "", "<title>Not found</title>"),
    };
    let length = page.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{extra}Content-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(format!("{head}{page}").as_bytes()).ok()
}

/// The head of a request, and its body.
fn read_request(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}
