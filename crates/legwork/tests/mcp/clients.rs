//! The official clients and the official conformance suite, as `scripts/setup --tests` got them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::http::Served;
use crate::support::{Site, cached};

const PROGRAM: &str = env!("CARGO_BIN_EXE_legwork");

fn here(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp").join(file).display().to_string()
}

/// Runs a command that has to succeed; what it printed.
fn run(command: &mut Command) -> String {
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
    said
}

fn python(arguments: &[&str]) -> String {
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", cached("python")).arg(here("python.py")).args(arguments);
    run(&mut command)
}

fn typescript(arguments: &[&str]) -> String {
    let mut command = Command::new(cached("node"));
    let sdk = cached("node_modules/@modelcontextprotocol/sdk");
    command.arg(here("typescript.mjs")).arg(sdk).args(arguments);
    run(&mut command)
}

#[test]
fn the_python_client_signs_in() {
    let said = python(&[&Site::new().address, PROGRAM, "mcp"]);
    assert!(said.contains("protocol 2026-07-28"), "{said}");
}

#[test]
fn the_python_client_signs_in_over_http() {
    let served = Served::new(&["--token", "sesame"]);
    let said = python(&[&Site::new().address, "--http", &served.url(), "sesame"]);
    assert!(said.contains("protocol 2026-07-28"), "{said}");
}

#[test]
fn the_typescript_client_signs_in() {
    let said = typescript(&[&Site::new().address, PROGRAM, "mcp"]);
    assert!(said.contains("signed in"), "{said}");
}

#[test]
fn the_typescript_client_signs_in_over_http() {
    let served = Served::new(&["--token", "sesame"]);
    let said = typescript(&[&Site::new().address, "--http", &served.url(), "sesame"]);
    assert!(said.contains("signed in"), "{said}");
}

#[test]
fn the_official_conformance_suite_finds_nothing_unexpected() {
    for (revision, expected) in
        [("2025-11-25", "conformance.yaml"), ("2026-07-28", "conformance-2026.yaml")]
    {
        let gate = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = gate.local_addr().unwrap().to_string();
        let served = Served::new(&["--token", "sesame", "--allow-host", &own]);
        let address = served.address.clone();
        std::thread::spawn(move || suited(&gate, &address));
        let folder = tempfile::tempdir().unwrap();
        let suite = cached("node_modules/@modelcontextprotocol/conformance/package.json");
        let mut command = Command::new(cached("node"));
        command.arg(suite.with_file_name("dist/index.js")).current_dir(folder.path());
        command.args(["server", "--url", &format!("http://{own}/mcp"), "--requirements", revision]);
        command.args(["--expected-failures", &here(expected)]);
        run(&mut command);
    }
}

/// The suite has no token to show, and calls what its own example server has: this adds the one to every
/// request, one request a connection, and names what of ours does the same.
fn suited(gate: &TcpListener, address: &str) {
    for client in gate.incoming().map_while(Result::ok) {
        let address = address.to_owned();
        std::thread::spawn(move || pass(client, &address));
    }
}

fn pass(client: TcpStream, address: &str) -> Option<()> {
    let mut server = TcpStream::connect(address).ok()?;
    let mut reader = BufReader::new(client.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("connection", _) => {}
            ("content-length", value) => length = value.parse().ok()?,
            ("mcp-name", value) => head += &line.replacen(value, ours(value).0, 1),
            _ => head += &line,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = translated(&body).unwrap_or(body);
    let length = body.len();
    head += &format!("Content-Length: {length}\r\nConnection: close\r\n");
    write!(server, "{head}Authorization: Bearer sesame\r\n\r\n").ok()?;
    server.write_all(&body).ok()?;
    let (mut to, mut back) = (server.try_clone().ok()?, client);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut reader, &mut to);
        // The client has gone: the server is to know.
        let _ = to.shutdown(Shutdown::Both);
    });
    std::io::copy(&mut server, &mut back).ok()?;
    back.shutdown(Shutdown::Both).ok()
}

/// What of ours does what something of the example server does, and its arguments where it is a tool.
fn ours(name: &str) -> (&str, Option<Value>) {
    let eval = json!({ "tool": "browser_eval", "expression": "1" });
    let shop = json!({ "tool": "browser_navigate", "url": "data:text/html,<p>Total: 20.00 €</p><button>Pay now</button>" });
    let pay = json!({ "tool": "browser_click", "target": "Pay now" });
    match name {
        "test_simple_text" => ("browser_tabs", Some(json!({}))),
        "test_error_handling" => ("browser_click", Some(json!({}))),
        "test_image_content" => ("browser_take_screenshot", Some(json!({}))),
        "test_tool_with_progress" => {
            ("browser_batch", Some(json!({ "steps": [eval, eval, eval] })))
        }
        "test_elicitation" | "test_input_required_result_elicitation" => {
            ("browser_batch", Some(json!({ "steps": [shop, pay] })))
        }
        "test://static-text" => ("legwork://page/snapshot", None),
        other => (other, None),
    }
}

/// A request for what the example server has as one for what is here; nothing if it is none.
fn translated(body: &[u8]) -> Option<Vec<u8>> {
    let mut request: Value = serde_json::from_slice(body).ok()?;
    let called = match request["method"].as_str()? {
        "tools/call" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    let params = request.get_mut("params")?;
    let named = params[called].as_str()?.to_owned();
    let (name, arguments) = ours(&named);
    if name == named {
        return None;
    }
    params[called] = name.into();
    if let Some(arguments) = arguments {
        params["arguments"] = arguments;
    }
    Some(request.to_string().into_bytes())
}
