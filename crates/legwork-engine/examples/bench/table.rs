//! Samples, medians, and the table they are told in.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

/// What a row must keep to.
#[derive(Clone, Copy)]
pub enum Limit {
    /// Ours divided by raw, at most.
    Most(f64),
    /// Ours divided by raw, at least.
    Least(f64),
    /// At most so many milliseconds, and ours divided by raw at most.
    Within(f64, f64),
}

#[derive(Serialize)]
pub struct Row {
    work: String,
    unit: &'static str,
    ours: f64,
    raw: f64,
    ratio: f64,
    limit: String,
    ok: bool,
    note: String,
}

pub struct Table {
    only: Option<String>,
    rows: Vec<Row>,
}

impl Table {
    pub fn new(only: Option<String>) -> Table {
        Table { only, rows: Vec::new() }
    }

    /// Whether the row is asked for.
    pub fn wants(&self, work: &str) -> bool {
        let wanted = self.only.as_ref().is_none_or(|word| work.contains(word.as_str()));
        if wanted {
            eprintln!("{work} …");
        }
        wanted
    }

    pub fn add(&mut self, work: &str, pair: Pair, limit: Limit, note: String) {
        let Pair { ours, raw, unit } = pair;
        let ratio = ours / raw;
        let (limit, ok) = match limit {
            Limit::Most(most) => (format!("<= {most}"), ratio <= most),
            Limit::Least(least) => (format!(">= {least}"), ratio >= least),
            Limit::Within(most, share) => {
                (format!("<= {most} ms, {share}"), ours <= most && ratio <= share)
            }
        };
        self.rows.push(Row { work: work.to_owned(), unit, ours, raw, ratio, limit, ok, note });
    }

    pub fn print(&self) {
        println!();
        println!(
            "{:<38} {:>13} {:>13} {:>6}  {:<13} ",
            "work", "ours p50", "raw p50", "ratio", "limit"
        );
        for row in &self.rows {
            let Row { work, unit, ours, raw, ratio, limit, ok, note } = row;
            let (ours, raw) = (format!("{ours:.2} {unit}"), format!("{raw:.2} {unit}"));
            let verdict = if *ok { "ok" } else { "OVER" };
            println!(
                "{work:<38} {ours:>13} {raw:>13} {ratio:>6.2}  {limit:<13} {verdict:<4}  {note}"
            );
        }
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut file = std::fs::File::create(folder.join("bench.json"))?;
        serde_json::to_writer_pretty(&mut file, &self.rows)?;
        Ok(file.write_all(b"\n")?)
    }

    pub fn is_met(&self) -> bool {
        self.rows.iter().all(|row| row.ok)
    }
}

/// One row's two numbers.
pub struct Pair {
    pub ours: f64,
    pub raw: f64,
    pub unit: &'static str,
}

/// Times of the same work done both ways.
#[derive(Default)]
pub struct Samples {
    ours: Vec<Duration>,
    raw: Vec<Duration>,
}

impl Samples {
    pub async fn ours<T>(&mut self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let (took, value) = timed(work).await?;
        self.ours.push(took);
        Ok(value)
    }

    pub async fn raw<T>(&mut self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let (took, value) = timed(work).await?;
        self.raw.push(took);
        Ok(value)
    }

    pub fn pair(self) -> Pair {
        Pair { ours: milliseconds(self.ours), raw: milliseconds(self.raw), unit: "ms" }
    }
}

/// What the work gave and how long it took.
pub async fn timed<T>(work: impl Future<Output = Result<T>>) -> Result<(Duration, T)> {
    let began = Instant::now();
    let value = work.await?;
    Ok((began.elapsed(), value))
}

/// The median in milliseconds.
pub fn milliseconds(times: Vec<Duration>) -> f64 {
    median(times.into_iter().map(|time| time.as_secs_f64() * 1000.0).collect())
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
