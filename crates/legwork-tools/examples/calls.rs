//! Runs tool calls from standard input, one `tool {"json": …}` a line, and prints the replies.
//!
//! `echo 'browser_navigate {"url": "https://example.com"}' | cargo run -p legwork-tools --example calls`

#![allow(clippy::print_stdout, reason = "it is a program that prints replies")]

use legwork_protocol::{ToolCall, ToolHost};
use legwork_tools::{Host, Settings};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let host = Host::new(Settings::default());
    for line in std::io::stdin().lines() {
        let line = line?;
        let (tool, arguments) = line.trim().split_once(' ').unwrap_or((line.trim(), "{}"));
        if tool.is_empty() || tool.starts_with('#') {
            continue;
        }
        println!("> {line}");
        let arguments = serde_json::from_str(arguments)?;
        match host.call(ToolCall::new("default", tool, arguments)).await {
            Ok(reply) => println!("{}\n", reply.text),
            Err(error) => println!("! {}\n", error.told()),
        }
    }
    host.close().await;
    Ok(())
}
