//! The official clients and the official conformance suite, as `scripts/setup --tests` got them.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

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
        std::thread::spawn(move || with_token(&gate, &address));
        let folder = tempfile::tempdir().unwrap();
        let suite = cached("node_modules/@modelcontextprotocol/conformance/package.json");
        let mut command = Command::new(cached("node"));
        command.arg(suite.with_file_name("dist/index.js")).current_dir(folder.path());
        command.args(["server", "--url", &format!("http://{own}/mcp"), "--requirements", revision]);
        command.args(["--expected-failures", &here(expected)]);
        run(&mut command);
    }
}

/// The suite has no token to show: this adds one to every request, one request a connection.
fn with_token(gate: &TcpListener, address: &str) {
    for client in gate.incoming().map_while(Result::ok) {
        let address = address.to_owned();
        std::thread::spawn(move || pass(client, &address));
    }
}

fn pass(client: TcpStream, address: &str) -> Option<()> {
    let mut server = TcpStream::connect(address).ok()?;
    let mut reader = BufReader::new(client.try_clone().ok()?);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        if !line.to_ascii_lowercase().starts_with("connection:") {
            server.write_all(line.as_bytes()).ok()?;
        }
    }
    server.write_all(b"Connection: close\r\nAuthorization: Bearer sesame\r\n\r\n").ok()?;
    let (mut to, mut back) = (server.try_clone().ok()?, client);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut reader, &mut to);
        // The client has gone: the server is to know.
        let _ = to.shutdown(Shutdown::Both);
    });
    std::io::copy(&mut server, &mut back).ok()?;
    back.shutdown(Shutdown::Both).ok()
}
