//! A user with folders of their own, and a small web site to sign in to.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A user; the daemons end with it.
pub struct User {
    pub folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl User {
    pub fn new() -> User {
        let folder = tempfile::Builder::new().prefix("lw").tempdir().unwrap();
        User { folder, variables: Vec::new() }
    }

    pub fn with(mut self, name: &str, value: &str) -> User {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without the limit that runs have for each host: all sites here are one.
    pub fn unlimited(self) -> User {
        let rules = "preset = \"open\"\n[rate]\nper_minute = 100000\n";
        std::fs::write(self.path("policy.toml"), rules).unwrap();
        self.with("LEGWORK_POLICY", "./policy.toml")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_legwork"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("LEGWORK_")) {
            command.env_remove(name);
        }
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env("LEGWORK_FILES", self.path("files"))
            .env("LEGWORK_DOWNLOADS", self.path("downloads"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .envs(self.variables.clone())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().unwrap())
    }

    /// Runs what has to succeed, and gives what it printed.
    pub fn done(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {}{}", ended.out, ended.err);
        ended.out
    }

    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let printed = self.done(&[arguments, &["--json"]].concat());
        serde_json::from_str(&printed).unwrap()
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs with a text on standard input.
    pub fn fed(&self, arguments: &[&str], text: &str) -> Ended {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        Ended::of(child.wait_with_output().unwrap())
    }

    pub fn daemon(&self) -> u32 {
        let status = self.json(&["daemon", "status"]);
        status["process"].as_u64().unwrap_or_else(|| panic!("{status}")) as u32
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let _ = self.command(&["daemon", "stop", "--all"]).output();
    }
}

/// How a command ended.
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    pub fn of(output: Output) -> Ended {
        Ended {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Writes a program in the language of the shell.
pub fn program(path: &Path, script: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs at a terminal of its own, with something typed once it was asked for.
pub fn at_terminal(user: &User, arguments: &str, answers: &[(&str, &str)]) -> Ended {
    at_terminal_seeing(user, arguments, answers, &|_| {})
}

/// The same, and what was waited for is also told.
pub fn at_terminal_seeing(
    user: &User,
    arguments: &str,
    answers: &[(&str, &str)],
    seen: &dyn Fn(&str),
) -> Ended {
    let program = env!("CARGO_BIN_EXE_legwork");
    let command = user.command(&[]);
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{program} {arguments}"), "/dev/null"]);
    script.current_dir(user.folder.path()).env("TERM", "xterm").env_remove("NO_COLOR");
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    script.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().unwrap();
    let (mut out, mut said) = (child.stdout.take().unwrap(), Vec::new());
    let mut answers = answers.iter();
    let mut next = answers.next();
    let mut piece = [0; 4096];
    let mut from = 0;
    loop {
        let read = out.read(&mut piece).unwrap();
        said.extend_from_slice(&piece[..read]);
        if read == 0 {
            break;
        }
        while let Some((asked, typed)) = next
            && let Some(at) = String::from_utf8_lossy(&said[from..]).find(asked)
        {
            from += at + asked.len();
            child.stdin.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
            seen(asked);
            next = answers.next();
        }
    }
    let code = child.wait().unwrap().code().unwrap_or(-1);
    Ended { code, out: String::from_utf8_lossy(&said).into_owned(), err: String::new() }
}

/// The processes that a user has, by their home.
pub fn of_home(folder: &Path) -> Vec<String> {
    let home = format!("HOME={}", folder.display());
    let processes =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let has_home = |process: &PathBuf| {
        let variables = std::fs::read(process.join("environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
    };
    let command = |process: PathBuf| std::fs::read_to_string(process.join("cmdline")).ok();
    processes.filter(has_home).filter_map(command).collect()
}

/// Waits until a process that is not ours has ended.
pub fn until_gone(process: u32) {
    let watched = format!("--pid={process}");
    let mut watch = Command::new("tail").args([&*watched, "-f", "/dev/null"]).spawn().unwrap();
    assert!(watch.wait().unwrap().success());
}

pub fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Kills a process with all it has started, where it is the first of its group.
pub fn kill_group(process: u32) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{process}")]).status();
}

/// The processes that a process has started.
pub fn children(process: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent = |child: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse::<u32>().ok()
    };
    numbers.filter(|child| parent(child) == Some(process)).collect()
}

/// A Chrome that somebody else started; it ends with the test.
pub struct Theirs {
    pub child: Child,
    pub address: String,
}

impl Theirs {
    pub fn start(user: &User) -> Theirs {
        let doctor = user.done(&["doctor"]);
        let found = doctor.lines().find_map(|line| line.strip_prefix("ok    browser: ")).unwrap();
        let mut child = Command::new(found.split(' ').next().unwrap())
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", user.path("theirs").display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address =
            said.find_map(|line| Some(line.split_once("listening on ws://")?.1.to_owned()));
        let address = address.unwrap().split('/').next().unwrap().to_owned();
        // Nobody reads on, and Chrome is not to wait for that.
        std::thread::spawn(move || said.for_each(drop));
        Theirs { child, address }
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // Chrome may be started by a script, which alone would be killed: its group is.
        kill_group(self.child.id());
        let _ = self.child.wait();
    }
}

/// A sidecar at its own door, line by line.
pub struct Sidecar {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    asked: u64,
    /// What it told unasked.
    pub told: Vec<Value>,
}

impl Sidecar {
    pub fn of(user: &User) -> Sidecar {
        let mut command = user.command(&["sidecar"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let output = BufReader::new(output).lines();
        Sidecar { child, input, output, asked: 0, told: Vec::new() }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn hear(&mut self) -> Value {
        serde_json::from_str(&self.output.next().expect("a line").unwrap()).unwrap()
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.input.as_ref().unwrap(), "{request}").unwrap();
        id
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let heard = self.hear();
            if heard["id"] == id {
                return heard;
            }
            self.told.push(heard["params"].clone());
        }
    }

    /// Waits until it has told something that says the words.
    pub fn until(&mut self, words: &str) {
        while !self.told.iter().any(|told| told.to_string().contains(words)) {
            let heard = self.hear();
            self.told.push(heard["params"].clone());
        }
    }

    /// Hangs up, and waits for its end.
    pub fn end(mut self) {
        self.input = None;
        assert!(self.child.wait().unwrap().success());
    }
}

/// A site with a login. `/held` tells the test that it was asked for, and answers when the test says so.
pub struct Site {
    port: u16,
    asked: Receiver<()>,
    release: Sender<()>,
}

const LOGIN: &str = "<!doctype html><title>Login</title><h1>Log in</h1><form action=/dashboard method=post>\
    <label>Email <input id=email name=email type=email></label>\
    <label>Password <input id=password name=password type=password></label>\
    <button type=submit>Log in</button></form>";

/// The same, ready to be typed into at once, which it tells by asking for `/held`; sent where `to` says.
const FOCUSED: &str = "<!doctype html><title>Log in here</title><form action='{to}' method=post>\
    <label>Email <input id=email name=email autofocus onfocus=\"fetch('/held')\"></label>\
    <label>Password <input id=password name=password type=password></label>\
    <button type=submit>Log in</button></form>";

const DASHBOARD: &str = "<!doctype html><title>Dashboard</title>\
    <h1 class=dashboard-header>Welcome, admin</h1><p>3 orders</p>";

impl Site {
    pub fn start() -> Site {
        Site::with(&[])
    }

    /// With pages of its own, by their paths, in place of those.
    pub fn with(pages: &'static [(&'static str, &'static str)]) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (ask, asked) = channel();
        let (release, released) = channel();
        let released = Arc::new(Mutex::new(released));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (ask, released) = (ask.clone(), released.clone());
                std::thread::spawn(move || answer(stream, pages, &ask, &released));
            }
        });
        Site { port, asked, release }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Waits until the page has asked for `/held`.
    pub fn until_asked(&self) {
        self.asked.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    }

    /// Answers it.
    pub fn release(&self) {
        self.release.send(()).unwrap();
    }
}

fn answer(
    stream: TcpStream,
    pages: &[(&str, &str)],
    ask: &Sender<()>,
    released: &Mutex<Receiver<()>>,
) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let (mut header, mut length) = (String::new(), 0);
        while reader.read_line(&mut header).unwrap_or(0) > 2 {
            let value = header.to_ascii_lowercase();
            let value = value.strip_prefix("content-length:").and_then(|n| n.trim().parse().ok());
            length = value.unwrap_or(length);
            header.clear();
        }
        if reader.read_exact(&mut vec![0; length]).is_err() {
            return;
        }
        let path = first.split(' ').nth(1).unwrap_or("/");
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let focused = FOCUSED.replace("{to}", query.strip_prefix("to=").unwrap_or("/dashboard"));
        let own = pages.iter().find(|(known, _)| *known == path).map(|(_, page)| *page);
        let (status, body) = match path {
            _ if own.is_some() => ("200 OK", own.unwrap_or_default()),
            "/" => ("200 OK", LOGIN),
            "/focused" => ("200 OK", &*focused),
            "/dashboard" => ("200 OK", DASHBOARD),
            "/held" => {
                let _ = ask.send(());
                let _ = released.lock().unwrap().recv();
                ("200 OK", "released")
            }
            _ => ("404 Not Found", ""),
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n\r\n"
        );
        if reader.get_mut().write_all(format!("{head}{body}").as_bytes()).is_err() {
            return;
        }
    }
}
