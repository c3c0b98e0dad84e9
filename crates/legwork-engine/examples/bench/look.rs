//! Looking at pages: snapshots small and large, changes, and how the cost grows.

use anyhow::{Result, ensure};
use legwork_cdp::accessibility;
use legwork_engine::{Acting, Click, NAVIGATION, Page, SnapshotOptions, Target};

use crate::table::{Limit, Pair, Samples, Table, median, milliseconds, timed};
use crate::{Bench, raw};

pub async fn large(bench: &Bench, table: &mut Table) -> Result<()> {
    let work = "snapshot, 10,000 nodes or more";
    if !table.wants(work) {
        return Ok(());
    }
    let (url, what) = bench.pages.large()?;
    let (samples, nodes) = against_accessibility(bench, &url, 15).await?;
    let note = format!("{what}, {nodes} nodes");
    table.add(work, samples.pair(), Limit::Most(0.25), note);
    Ok(())
}

pub async fn small(bench: &Bench, table: &mut Table) -> Result<()> {
    let work = "snapshot, 200 nodes";
    if !table.wants(work) {
        return Ok(());
    }
    let url = bench.pages.catalogue(200)?;
    let (samples, nodes) = against_accessibility(bench, &url, 60).await?;
    table.add(work, samples.pair(), Limit::Within(5.0, 0.5), format!("{nodes} nodes"));
    Ok(())
}

/// Our snapshot, and the accessibility tree as a client fetches it that has just switched it on.
async fn against_accessibility(bench: &Bench, url: &str, times: usize) -> Result<(Samples, usize)> {
    let ours = bench.session.page().await?;
    ours.navigate(url, NAVIGATION).await?;
    let raw = bench.raw.page(None).await?;
    raw.navigate(url).await?;
    let nodes = count(&raw).await?;
    let mut samples = Samples::default();
    for _ in 0..times {
        samples.ours(snapshot(&ours)).await?;
        samples.raw(tree(&raw)).await?;
        raw.session.send(&accessibility::Disable {}).await?;
    }
    raw.navigate("about:blank").await?;
    Ok((samples, nodes))
}

async fn tree(page: &raw::Page) -> Result<()> {
    let enabled = page.session.send(&accessibility::Enable {});
    let nothing = serde_json::value::to_raw_value(&serde_json::json!({}))?;
    // The answer is received, not even parsed: nobody can be faster.
    let fetched = page.session.send_raw("Accessibility.getFullAXTree", &nothing);
    enabled.await?;
    fetched.await?;
    Ok(())
}

async fn snapshot(page: &Page) -> Result<usize> {
    let text = page.snapshot(&SnapshotOptions::default()).await?.text;
    ensure!(text.len() > 100, "the snapshot is too small: {text}");
    Ok(text.len())
}

/// Elements and texts of the document.
async fn count(page: &raw::Page) -> Result<usize> {
    let walk = "(() => { const w = document.createTreeWalker(document, 5); let n = 0; \
                while (w.nextNode()) n++; return n })()";
    Ok(page.evaluate(walk).await?.parse()?)
}

pub async fn change(bench: &Bench, table: &mut Table) -> Result<()> {
    let work = "change after a click, 10,000 nodes";
    if !table.wants(work) {
        return Ok(());
    }
    let ours = bench.session.page().await?;
    ours.navigate(&bench.pages.catalogue(10_000)?, NAVIGATION).await?;
    let click =
        Click { acting: Acting { observe: false, ..Default::default() }, ..Default::default() };
    let target = Target::Css("#b".into());
    let mut samples = Samples::default();
    let mut whole_clicks = Vec::new();
    for _ in 0..25 {
        samples.raw(snapshot(&ours)).await?;
        ours.click(&target, &click).await?;
        let change = samples.ours(async { Ok(ours.change(NAVIGATION).await?) }).await?;
        ensure!(!change.text.is_empty(), "no change was seen");
        let observed = timed(async { Ok(ours.click(&target, &Click::default()).await?) }).await?;
        ensure!(!observed.1.change.is_empty(), "no change was told");
        whole_clicks.push(observed.0);
    }
    let note = format!(
        "raw: a whole snapshot; the click with its outcome takes {:.2} ms",
        milliseconds(whole_clicks)
    );
    table.add(work, samples.pair(), Limit::Most(0.5), note);
    Ok(())
}

pub async fn growth(bench: &Bench, table: &mut Table) -> Result<()> {
    let work = "snapshot growth, 1,000 to 100,000";
    if !table.wants(work) {
        return Ok(());
    }
    let ours = bench.session.page().await?;
    let mut cost = Vec::new();
    for (nodes, times) in [(1_000, 60), (10_000, 15), (100_000, 7)] {
        let url = bench.pages.catalogue(nodes)?;
        let raw = bench.raw.page(None).await?;
        raw.navigate(&url).await?;
        let exactly = count(&raw).await?;
        raw.navigate("about:blank").await?;
        ours.navigate(&url, NAVIGATION).await?;
        let mut per_node = Vec::new();
        for _ in 0..times {
            let (took, _) = timed(snapshot(&ours)).await?;
            per_node.push(took.as_secs_f64() * 1e6 / exactly as f64);
        }
        cost.push(median(per_node));
    }
    let pair = Pair { ours: cost[2], raw: cost[0], unit: "µs/n" };
    let note = format!("raw: 1,000 nodes; 10,000 nodes cost {:.2} µs each", cost[1]);
    table.add(work, pair, Limit::Most(1.5), note);
    Ok(())
}
