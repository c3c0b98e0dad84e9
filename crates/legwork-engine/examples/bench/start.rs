//! Starting: browsers, sessions, and many of them at work at once.

use anyhow::{Result, ensure};
use legwork_cdp::page::Viewport;
use legwork_cdp::runtime;
use legwork_engine::{Click, Config, Engine, NAVIGATION, Page, Session, SessionOptions, Target};
use tokio::task::JoinSet;

use crate::table::{Limit, Pair, Samples, Table, median, timed};
use crate::{Bench, raw};

/// Single launches differ by a tenth: with fewer the median does, too.
const LAUNCHES: usize = 21;

pub async fn launch(bench: &Bench, table: &mut Table) -> Result<()> {
    let work = "launch to first page loaded";
    if !table.wants(work) {
        return Ok(());
    }
    let url = bench.pages.counter()?;
    let mut samples = Samples::default();
    for _ in 0..LAUNCHES {
        let engine = samples.ours(launched(&url)).await?;
        engine.0.close().await;
        let browser = samples
            .raw(async {
                let browser = raw::Browser::launch(&bench.template).await?;
                browser.page(None).await?.navigate(&url).await?;
                Ok(browser)
            })
            .await?;
        browser.close().await;
    }
    table.add(work, samples.pair(), Limit::Most(1.15), String::new());
    Ok(())
}

async fn launched(url: &str) -> Result<(Engine, Session)> {
    let engine = Engine::new(Config::default());
    let session = engine.session(SessionOptions::default());
    session.page().await?.navigate(url, NAVIGATION).await?;
    Ok((engine, session))
}

pub async fn session(bench: &Bench, table: &mut Table) -> Result<()> {
    let work = "new isolated session, page ready";
    if !table.wants(work) {
        return Ok(());
    }
    let mut samples = Samples::default();
    for _ in 0..30 {
        let session = samples
            .ours(async {
                let session = bench.engine.session(SessionOptions::default());
                session.page().await?;
                Ok(session)
            })
            .await?;
        session.close().await;
        let context = samples
            .raw(async {
                let context = bench.raw.context().await?;
                let page = bench.raw.page(Some(context.clone())).await?;
                page.session.send(&runtime::Enable {}).await?;
                Ok(context)
            })
            .await?;
        bench.raw.dispose(context).await?;
    }
    table.add(work, samples.pair(), Limit::Most(1.5), String::new());
    Ok(())
}

const SESSIONS: usize = 20;
const CLICKS: usize = 50;
const ROUNDS: usize = 9;

pub async fn parallel(bench: &Bench, table: &mut Table) -> Result<()> {
    let work = "20 sessions in parallel, 50 clicks";
    if !table.wants(work) {
        return Ok(());
    }
    let url = bench.pages.counter()?;
    let group = bench.session.process_id().await.unwrap_or_default();
    let before = memory(group);
    let (mut sessions, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..SESSIONS {
        let session = bench.engine.session(SessionOptions::default());
        let page = session.page().await?;
        page.navigate(&url, NAVIGATION).await?;
        sessions.push(session);
        ours.push(page);
    }
    let each = memory(group).saturating_sub(before) / SESSIONS as u64;
    let raws = raw_sessions(bench, &url).await?;
    let (mut fast, mut limit, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        fast.push(rate(timed(click_ours(&ours)).await?.0));
        limit.push(rate(timed(click_raw(&raws, Raw::Same)).await?.0));
        bare.push(rate(timed(click_raw(&raws, Raw::Bare)).await?.0));
    }
    for session in sessions {
        session.close().await;
    }
    for (context, ..) in raws {
        bench.raw.dispose(context).await?;
    }
    let pair = Pair { ours: median(fast), raw: median(limit), unit: "/s" };
    let note = format!(
        "no failure; {:.1} MB for each added session; raw: find, hit-test, click, read back (bare \
         clicks {:.0} /s)",
        each as f64 / 1e6,
        median(bare)
    );
    table.add(work, pair, Limit::Least(0.8), note);
    Ok(())
}

async fn raw_sessions(
    bench: &Bench,
    url: &str,
) -> Result<Vec<(legwork_cdp::BrowserContextId, raw::Page, Viewport)>> {
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        let context = bench.raw.context().await?;
        let page = bench.raw.page(Some(context.clone())).await?;
        page.navigate(url).await?;
        let at = page.area("#b").await?;
        sessions.push((context, page, at));
    }
    Ok(sessions)
}

fn rate(took: std::time::Duration) -> f64 {
    (SESSIONS * CLICKS) as f64 / took.as_secs_f64()
}

async fn click_ours(pages: &[Page]) -> Result<()> {
    let mut tasks = JoinSet::new();
    for page in pages {
        let page = page.clone();
        tasks.spawn(async move {
            let target = Target::Css("#b".into());
            for _ in 0..CLICKS {
                let outcome = page.click(&target, &Click::default()).await?;
                ensure!(outcome.is_effective(), "{outcome:?}");
            }
            Ok(())
        });
    }
    tasks.join_all().await.into_iter().collect()
}

/// What a raw client sends for a click.
#[derive(Clone, Copy)]
enum Raw {
    /// The input alone, at a place known beforehand.
    Bare,
    /// The same work: the element found, seen to be reached by a click, clicked, and the page read.
    Same,
}

const FIND: &str = "(() => { const e = document.querySelector('#b'); const r = e.getBoundingClientRect(); \
    const x = r.x + r.width / 2, y = r.y + r.height / 2; \
    return e.checkVisibility() && !e.disabled && document.elementFromPoint(x, y) === e ? [x, y] : null })()";

async fn click_raw(
    pages: &[(legwork_cdp::BrowserContextId, raw::Page, Viewport)],
    raw: Raw,
) -> Result<()> {
    let mut tasks = JoinSet::new();
    for (_, page, at) in pages {
        let (page, at) = (page.clone(), at.clone());
        tasks.spawn(async move {
            for _ in 0..CLICKS {
                if matches!(raw, Raw::Bare) {
                    page.click(&at).await?;
                    continue;
                }
                ensure!(page.evaluate(FIND).await? != "null", "nothing to click");
                page.click(&at).await?;
                page.evaluate("document.body.innerText").await?;
            }
            Ok(())
        });
    }
    tasks.join_all().await.into_iter().collect()
}

/// Bytes that the processes of a group hold, with shared pages divided among their users.
fn memory(group: u32) -> u64 {
    members(group).into_iter().filter_map(held).sum()
}

fn members(group: u32) -> Vec<u32> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| group_of(*id) == Some(group)).collect()
}

fn group_of(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in brackets may hold spaces; state, parent and group follow it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}

fn held(id: u32) -> Option<u64> {
    let rollup = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
