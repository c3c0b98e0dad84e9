//! A visit to a bundled shop page: what a model would see, what it would do, and what it is told.
//! Run it with `make engine-demo`, or `cargo run --release -p legwork-engine --example demo -- --show` for a
//! window to watch.
#![allow(clippy::print_stdout, reason = "showing is what it is for")]

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use legwork_engine::{
    Acting, Choice, Click, Config, Engine, Launch, Outcome, Screenshot, SessionOptions,
    SnapshotOptions, Target,
};

#[tokio::main]
async fn main() -> Result<()> {
    let headed = std::env::args().any(|argument| argument == "--show");
    if rustix::process::geteuid().is_root() {
        println!("(As root, Chrome runs without its sandbox: visit only pages that you trust.)\n");
    }
    let launch = Launch { headed, ..Default::default() };
    let engine = Engine::new(Config { launch, ..Default::default() });
    let session = engine.session(SessionOptions::default());
    let shown = visit(&session.page().await.context("cannot start a browser")?).await;
    session.close().await;
    engine.close().await;
    shown
}

async fn visit(page: &legwork_engine::Page) -> Result<()> {
    let file = concat!("file://", env!("CARGO_MANIFEST_DIR"), "/examples/pages/shop.html");
    step("go to the shop", page.navigate(file, Duration::from_secs(15))).await?;
    let began = Instant::now();
    let snapshot = page.snapshot(&SnapshotOptions::default()).await?;
    println!("\nThe page, as a model reads it ({:.1} ms):\n", milliseconds(began));
    println!("{}\n", indented(&snapshot.text));

    let acting = Acting::default();
    let click = Click::default();
    let add = Target::parse("Add in the row with Oat milk");
    step("click `Add in the row with Oat milk`", page.click(&add, &click)).await?;
    let search = Target::parse("Search");
    step("fill `Search` with bread", page.fill(&search, "bread", &acting)).await?;
    step("click `Add`", page.click(&Target::parse("Add"), &click)).await?;
    let evening = [Choice::Label("Evening".into())];
    let delivery = Target::parse("Delivery");
    step("choose Evening in `Delivery`", page.select(&delivery, &evening, &acting)).await?;
    step("click `Order`, in a closed shadow root", page.click(&Target::parse("Order"), &click))
        .await?;
    step("click `Offers`, behind the dialog", page.click(&Target::parse("Offers"), &brief()))
        .await?;
    step("click `Yes, order`", page.click(&Target::parse("Yes, order"), &click)).await?;

    // The program is in target/release/examples.
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(3).context("the demo is not where cargo puts it")?;
    let picture = target.join("demo.png");
    std::fs::write(&picture, page.screenshot(&Screenshot::default()).await?.bytes)?;
    println!("The page at the end: {}", picture.display());
    Ok(())
}

/// A click that gives up soon: what is in the way will not go away.
fn brief() -> Click {
    Click {
        acting: Acting { timeout: Duration::from_millis(300), observe: true, known: false },
        ..Default::default()
    }
}

async fn step(
    what: &str,
    action: impl Future<Output = legwork_engine::Result<Outcome>>,
) -> Result<()> {
    let began = Instant::now();
    let result = action.await;
    println!("> {what} ({:.1} ms)", milliseconds(began));
    match result {
        Ok(outcome) => println!("{}\n", indented(&outcome.to_string())),
        Err(error) => {
            println!("  {}: {error}", error.code());
            println!("  hint: {}\n", error.hint().unwrap_or("none"));
        }
    }
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
