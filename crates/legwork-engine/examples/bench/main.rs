//! The engine against the same work sent as raw CDP, in one run, as ratios of medians.
//!
//! `cargo run --release -p legwork-engine --example bench [-- --no-fail] [-- --only <word>]`
//! prints a table, writes `target/bench.json`, and fails when a limit is exceeded.

#![allow(clippy::print_stdout, reason = "it is a program that prints a table")]

mod guard;
mod look;
mod pages;
mod raw;
mod small;
mod start;
mod table;

use anyhow::{Context as _, Result};
use legwork_engine::{Config, Engine, Session, SessionOptions};

use crate::pages::Pages;
use crate::raw::Template;
use crate::table::Table;

/// What every measurement needs: an engine with its Chrome, a raw Chrome, and the pages.
struct Bench {
    engine: Engine,
    session: Session,
    raw: raw::Browser,
    template: Template,
    pages: Pages,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().any(|arg| arg == name);
    let only = args.iter().position(|arg| arg == "--only").and_then(|at| args.get(at + 1));
    let mut table = Table::new(only.cloned());
    let bench = Bench::start().await?;
    let measured = measure(&bench, &mut table).await;
    bench.raw.close().await;
    bench.engine.close().await;
    measured?;
    table.print();
    table.write("target".as_ref())?;
    if !table.is_met() && !flag("--no-fail") {
        std::process::exit(1);
    }
    Ok(())
}

async fn measure(bench: &Bench, table: &mut Table) -> Result<()> {
    small::eval(bench, table).await?;
    small::click(bench, table).await?;
    look::large(bench, table).await?;
    look::small(bench, table).await?;
    look::change(bench, table).await?;
    small::screenshot(bench, table).await?;
    start::launch(bench, table).await?;
    start::session(bench, table).await?;
    start::parallel(bench, table).await?;
    look::growth(bench, table).await?;
    guard::pages(bench, table).await
}

impl Bench {
    async fn start() -> Result<Bench> {
        let engine = Engine::new(Config::default());
        let session = engine.session(SessionOptions::default());
        session.page().await.context("the engine's Chrome does not start")?;
        let id = session.process_id().await.context("the engine's Chrome has no process")?;
        let template = Template::of(id)?;
        let raw = raw::Browser::launch(&template).await?;
        Ok(Bench { engine, session, raw, template, pages: Pages::make()? })
    }
}
