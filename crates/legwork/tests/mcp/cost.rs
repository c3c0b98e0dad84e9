//! What a call costs more through MCP than on the host itself.

use std::time::{Duration, Instant};

use legwork_protocol::{ToolCall, ToolHost};
use legwork_tools::{Host, Settings};
use serde_json::{Value, json};

use crate::support::{Client, Site};

const ROUNDS: usize = 12;
const CALLS: usize = 10;

/// At rest a debug build adds about half a millisecond. On a busy machine it must not fail for being slow,
/// only for waiting where nothing has to be waited for.
const MUCH: Duration = Duration::from_millis(20);

/// A quarter is quicker: what else the machine does says nothing about us.
fn quartile(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 4]
}

#[test]
fn a_call_through_mcp_costs_little_more_than_on_the_host_alone() {
    let site = Site::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let host = Host::new(Settings::default());
    let mut client = Client::new(&[]);
    let direct = |tool: &str, arguments: &Value| {
        let call = ToolCall::new("cost", tool, arguments.as_object().unwrap().clone());
        let began = Instant::now();
        runtime.block_on(host.call(call)).unwrap();
        began.elapsed()
    };
    let mut through = |tool: &str, arguments: &Value| {
        let began = Instant::now();
        client.text(tool, arguments.clone());
        began.elapsed()
    };
    let start = json!({ "url": site.url("/dashboard") });
    direct("browser_navigate", &start);
    through("browser_navigate", &start);
    for (tool, arguments) in
        [("browser_eval", json!({ "expression": "1 + 1" })), ("browser_snapshot", json!({}))]
    {
        // By turns, so that what else the machine does meets both.
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            own.extend((0..CALLS).map(|_| direct(tool, &arguments)));
            theirs.extend((0..CALLS).map(|_| through(tool, &arguments)));
        }
        let (own, theirs) = (quartile(own), quartile(theirs));
        println!("{tool}: {own:?} on the host, {theirs:?} through MCP");
        assert!(theirs < own + MUCH, "{tool}: {own:?}, {theirs:?} through MCP");
    }
    runtime.block_on(host.close());
}
