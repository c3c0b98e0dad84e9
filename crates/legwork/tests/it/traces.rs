//! With the feature `otel`: each call is a trace for the collector that the environment names.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::support::LEGWORK;

/// Takes one request as a collector does; its first line and its body.
fn collected(listener: &TcpListener) -> (String, Vec<u8>) {
    let mut stream = BufReader::new(listener.accept().unwrap().0);
    let (mut first, mut header, mut length) = (String::new(), String::new(), 0);
    stream.read_line(&mut first).unwrap();
    while stream.read_line(&mut header).unwrap() > 2 {
        let value = header.to_ascii_lowercase();
        let value = value.strip_prefix("content-length:").and_then(|n| n.trim().parse().ok());
        length = value.unwrap_or(length);
        header.clear();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
    (first.trim().to_owned(), body)
}

/// Has a sidecar fail at one call, with the environment.
fn fail_once(environment: &[(&str, &str)]) {
    let mut sidecar = Command::new(LEGWORK)
        .args(["sidecar", "--drain"])
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"read_image","params":{"path":"/no/secret.png","session":"mine"}}"#;
    writeln!(sidecar.stdin.take().unwrap(), "{call}").unwrap();
    let output = sidecar.wait_with_output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("ERR_FILE_ERROR"));
}

#[test]
fn a_call_is_a_trace_with_its_tool_session_and_error_and_without_its_arguments() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}", listener.local_addr().unwrap());
    let collector = std::thread::spawn(move || collected(&listener));
    fail_once(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &place)]);
    let (first, body) = collector.join().unwrap();
    assert_eq!(first, "POST /v1/traces HTTP/1.1");
    // Protocol buffers keep texts as they are.
    let told = String::from_utf8_lossy(&body);
    for part in ["read_image", "session", "mine", "error.type", "file_error", "service.name"] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(!told.contains("secret"), "{told}");
}

#[test]
fn a_collector_that_is_not_there_holds_nothing_up() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    fail_once(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{unused}"))]);
    fail_once(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "https://localhost")]);
    fail_once(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]);
}
