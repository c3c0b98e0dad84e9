//! Opens the demo store until the program is ended: `cargo run -p legwork-demo --example store [hostile]`.
//! The first line is its address; what follows is its description for the shopper.

#![allow(clippy::print_stdout, reason = "it is a program to look at")]

use legwork_demo::{Options, Store};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let hostile = std::env::args().any(|word| word == "hostile");
    let store = Store::start(Options { hostile, ..Options::default() }).await?;
    println!("{}\n{}", store.origin(), store.site_toml());
    std::future::pending::<()>().await;
    Ok(())
}
