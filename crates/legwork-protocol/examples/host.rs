//! A host of the browser sidecar: registers the tools only if a sidecar is found, shows how to get one
//! otherwise, and runs a log-in against the address it is given.
//!
//! ```sh
//! cargo run -p legwork-protocol --features client --example host -- http://localhost:3000
//! ```

use std::process::ExitCode;
use std::sync::Arc;

use legwork_protocol::client::{CallEvent, Client, Error, Options, Process};
use legwork_protocol::{Act, ActKind, ExtractFormat, Open, ToolError};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: host URL");
        return ExitCode::FAILURE;
    };
    let process = Process::default();
    // Without a sidecar the agent sees no browser at all; the person sees why, and what to do.
    if let Err(missing) = process.find() {
        eprintln!("no browser tools: {}", ToolError::from(Error::from(missing)).told());
        return ExitCode::FAILURE;
    }
    let telemetry = |event: &CallEvent| {
        let error = event.error.map(|code| code.sidecar()).unwrap_or_default();
        eprintln!("{:>6} ms  {} {error}", event.latency.as_millis(), event.method);
    };
    let options = Options { telemetry: Some(Arc::new(telemetry)), ..Options::default() };
    let client = Client::new(process, options);
    let done = run(&client, &url).await;
    // However the run ended, its browser ends with it.
    let _ = client.close().await;
    client.stop().await;
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Tool(error)) => {
            eprintln!("a tool refused: {}", error.told());
            ExitCode::FAILURE
        }
        Err(failed @ Error::Sidecar(_)) => {
            eprintln!("the sidecar failed: {}", ToolError::from(failed).told());
            ExitCode::FAILURE
        }
    }
}

async fn run(client: &Client, url: &str) -> Result<(), Error> {
    for tool in client.tools("sidecar").await? {
        eprintln!("registered {}: {}", tool.name, tool.description);
    }
    let open = Open { url: url.to_owned(), headless: Some(true), ..Default::default() };
    let opened = client.open(&open).await?;
    eprintln!("session {} at {}", opened.session_id, opened.url);
    client.act(&act(ActKind::Type, "#email", Some("admin@test.com"))).await?;
    client.act(&act(ActKind::Type, "#password", Some("password123"))).await?;
    client.act(&act(ActKind::Click, "button[type='submit']", None)).await?;
    client.act(&act(ActKind::WaitForSelector, ".dashboard-header", None)).await?;
    let picture = client.extract(ExtractFormat::ScreenshotBase64).await?;
    eprintln!("a picture of {} characters in base64", picture.content.len());
    Ok(())
}

fn act(action: ActKind, selector: &str, value: Option<&str>) -> Act {
    let (selector, value) = (Some(selector.to_owned()), value.map(str::to_owned));
    Act { action, selector, value, timeout_ms: None, observe: None }
}
