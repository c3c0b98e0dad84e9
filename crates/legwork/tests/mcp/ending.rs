//! However it ends, no Chrome stays.

use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::support::{Client, PATIENCE, Site, ended, nothing_left, processes};

/// A client whose browser is up, in the middle of a call that takes long.
fn in_the_middle(site: &Site) -> Client {
    let mut client = Client::new(&[]);
    client.text("browser_navigate", json!({ "url": site.url("/login") }));
    assert!(!processes(client.scratch.path()).is_empty(), "Chrome can be seen");
    let wait = json!({ "text": "never there", "timeout": "60s" });
    client.request("tools/call", json!({ "name": "browser_wait", "arguments": wait }));
    client.ask("ping", json!({}));
    client
}

#[test]
fn nothing_is_left_when_the_client_goes_away() {
    let mut client = in_the_middle(&Site::new());
    drop(client.input.take());
    assert!(ended(&mut client.child, PATIENCE));
    assert!(client.child.wait().unwrap().success());
    nothing_left(client.scratch.path());
}

#[test]
fn nothing_is_left_when_the_program_is_asked_to_end() {
    let mut client = in_the_middle(&Site::new());
    let asked = Command::new("kill").arg(client.child.id().to_string()).status().unwrap();
    assert!(asked.success());
    assert!(ended(&mut client.child, PATIENCE));
    assert!(client.child.wait().unwrap().success());
    nothing_left(client.scratch.path());
}

#[test]
fn nothing_is_left_when_the_program_is_killed() {
    let mut client = in_the_middle(&Site::new());
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    nothing_left(client.scratch.path());
}

#[test]
fn nothing_is_left_of_a_program_that_is_killed_or_loses_its_client_at_any_moment() {
    let site = Site::new();
    for (moment, killed) in (1..=10).map(|step| (step * 30, step % 2 == 0)) {
        let mut client = Client::silent(&[]);
        client.initialize("test");
        let arguments = json!({ "url": site.url("/login") });
        client.request("tools/call", json!({ "name": "browser_navigate", "arguments": arguments }));
        // Moments of a browser's start are announced by nothing.
        std::thread::sleep(Duration::from_millis(moment));
        match killed {
            true => client.child.kill().unwrap(),
            false => drop(client.input.take()),
        }
        assert!(ended(&mut client.child, PATIENCE), "at {moment} ms");
        nothing_left(client.scratch.path());
    }
}

#[test]
fn a_client_that_never_speaks_costs_nothing() {
    let mut client = Client::silent(&[]);
    drop(client.input.take());
    assert!(ended(&mut client.child, PATIENCE));
    assert!(client.child.wait().unwrap().success());
}
