//! What a guard costs: a page of a hundred requests, loaded with and without one.

use std::net::IpAddr;
use std::sync::Arc;

use anyhow::{Result, ensure};
use legwork_engine::{Engine, Guard, NAVIGATION, Page, Refused, SessionOptions, Wanted};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::Bench;
use crate::table::{Limit, Samples, Table};

/// Lets everything through.
#[derive(Debug)]
struct Open {
    paths: bool,
}

impl Guard for Open {
    fn host(&self, _: &str, _: u16) -> Result<(), Refused> {
        Ok(())
    }

    fn address(&self, _: &str, _: IpAddr, _: u16) -> Result<(), Refused> {
        Ok(())
    }

    fn request(&self, _: &Wanted<'_>) -> Result<(), Refused> {
        Ok(())
    }

    fn reads_addresses(&self) -> bool {
        self.paths
    }
}

/// Times the page is loaded each way: single loads differ by half.
const LOADS: usize = 120;

pub async fn pages(bench: &Bench, table: &mut Table) -> Result<()> {
    for (work, paths, limit) in [
        ("page of 100 requests, guarded", false, 1.2),
        ("page of 100 requests, path rules", true, 1.2),
    ] {
        if table.wants(work) {
            let samples = loads(&bench.engine, paths).await?;
            table.add(work, samples.pair(), Limit::Most(limit), "raw: without a guard".into());
        }
    }
    Ok(())
}

async fn loads(engine: &Engine, paths: bool) -> Result<Samples> {
    let (url, server) = serve().await?;
    let guard: Arc<dyn Guard> = Arc::new(Open { paths });
    let guarded = engine.session(SessionOptions { guard: Some(guard), ..Default::default() });
    let open = engine.session(SessionOptions::default());
    let (ours, raw) = (guarded.page().await?, open.page().await?);
    load(&ours, &url).await?;
    load(&raw, &url).await?;
    let mut samples = Samples::default();
    for _ in 0..LOADS {
        samples.ours(load(&ours, &url)).await?;
        samples.raw(load(&raw, &url)).await?;
    }
    guarded.close().await;
    open.close().await;
    server.abort();
    Ok(samples)
}

async fn load(page: &Page, url: &str) -> Result<()> {
    let outcome = page.navigate(url, NAVIGATION).await?;
    ensure!(outcome.navigation().is_some(), "{outcome}");
    Ok(())
}

/// A page with 33 scripts, 33 stylesheets and 33 pictures of two kilobytes each, none of which is kept.
async fn serve() -> Result<(String, tokio::task::JoinHandle<()>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    Ok((url, server))
}

async fn answer(stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    loop {
        let mut first = String::new();
        let mut line = String::new();
        if stream.read_line(&mut first).await? == 0 {
            return Ok(());
        }
        while line != "\r\n" {
            line.clear();
            ensure!(stream.read_line(&mut line).await? > 0, "a request without end");
        }
        let path = first.split(' ').nth(1).unwrap_or_default();
        let (kind, body) = match path.rsplit('.').next().unwrap_or_default() {
            "js" => ("text/javascript", format!("/*{}*/", "x".repeat(2000))),
            "css" => ("text/css", format!("/*{}*/", "x".repeat(2000))),
            "svg" => ("image/svg+xml", picture()),
            _ => ("text/html", page()),
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n\r\n"
        );
        stream.write_all((head + &body).as_bytes()).await?;
    }
}

fn page() -> String {
    let parts = (0..33).map(|n| {
        format!(
            "<link rel=stylesheet href=/{n}.css><script src=/{n}.js></script><img src=/{n}.svg>"
        )
    });
    format!("<!doctype html><title>Hundred</title>{}", parts.collect::<String>())
}

fn picture() -> String {
    let padding = "x".repeat(1900);
    format!("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><!--{padding}--></svg>")
}
