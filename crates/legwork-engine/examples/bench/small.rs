//! Work on a small page: evaluating, clicking, taking a picture of an element.

use anyhow::{Result, ensure};
use legwork_cdp::page::CaptureScreenshot;
use legwork_engine::{Click, Evaluate, NAVIGATION, Screenshot, Subject, Target};

use crate::Bench;
use crate::table::{Limit, Samples, Table};

pub async fn eval(bench: &Bench, table: &mut Table) -> Result<()> {
    if !table.wants("eval") {
        return Ok(());
    }
    let url = bench.pages.counter()?;
    let ours = bench.session.page().await?;
    ours.navigate(&url, NAVIGATION).await?;
    let raw = bench.raw.page(None).await?;
    raw.navigate(&url).await?;
    let mut samples = Samples::default();
    for n in 0..1000 {
        let expression = format!("document.title.length + {n}");
        let said =
            samples.ours(async { Ok(ours.evaluate(&expression, Evaluate::default()).await?) });
        let said = said.await?;
        let expected = samples.raw(raw.evaluate(&expression)).await?;
        ensure!(said == expected, "{expression}: {said}, not {expected}");
    }
    table.add("eval", samples.pair(), Limit::Most(1.2), String::new());
    Ok(())
}

/// Enough for the page's scripts, ours and the walker's, to be as fast as they get in use.
const CLICKS: usize = 300;

pub async fn click(bench: &Bench, table: &mut Table) -> Result<()> {
    clicks(bench, table, "click, page reacts in the DOM", &["#b"]).await?;
    clicks(bench, table, "click, another element each time", &["#b", "h1"]).await
}

/// Clicks these one after the other, over and over.
async fn clicks(bench: &Bench, table: &mut Table, work: &str, elements: &[&str]) -> Result<()> {
    if !table.wants(work) {
        return Ok(());
    }
    let url = bench.pages.counter()?;
    let ours = bench.session.page().await?;
    ours.navigate(&url, NAVIGATION).await?;
    let raw = bench.raw.page(None).await?;
    raw.navigate(&url).await?;
    let mut targets = Vec::new();
    for element in elements {
        targets.push((Target::Css((*element).into()), raw.area(element).await?));
    }
    let mut samples = Samples::default();
    for (target, at) in targets.iter().cycle().take(CLICKS) {
        let clicked = samples.ours(async { Ok(ours.click(target, &Click::default()).await?) });
        let outcome = clicked.await?;
        ensure!(outcome.is_effective() && !outcome.change.is_empty(), "{outcome:?}");
        samples.raw(raw.click(at)).await?;
    }
    ensure!(raw.evaluate("count").await? == CLICKS.to_string(), "raw clicks were lost");
    table.add(work, samples.pair(), Limit::Most(2.0), String::new());
    Ok(())
}

pub async fn screenshot(bench: &Bench, table: &mut Table) -> Result<()> {
    if !table.wants("element screenshot") {
        return Ok(());
    }
    let url = bench.pages.card()?;
    let ours = bench.session.page().await?;
    ours.navigate(&url, NAVIGATION).await?;
    let raw = bench.raw.page(None).await?;
    raw.navigate(&url).await?;
    let clip = raw.area("#c").await?;
    let options =
        Screenshot { of: Subject::Element(Target::Css("#c".into())), ..Default::default() };
    let command = CaptureScreenshot {
        format: Some("png".into()),
        clip: Some(clip),
        optimize_for_speed: Some(true),
        ..Default::default()
    };
    let mut samples = Samples::default();
    for _ in 0..30 {
        samples.ours(async { Ok(ours.screenshot(&options).await?) }).await?;
        samples.raw(async { Ok(raw.session.send(&command).await?) }).await?;
    }
    table.add("element screenshot", samples.pair(), Limit::Most(1.15), String::new());
    Ok(())
}
