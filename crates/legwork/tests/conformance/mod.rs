//! The table of calls that every door must answer alike, the pages it is about, and how it is run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What a call was answered with: the text, or an error's code and text.
pub type Told = Result<String, (String, String)>;

/// A call and what is expected of its answer.
pub struct Row {
    pub line: usize,
    pub tool: String,
    pub arguments: String,
    pub parts: Vec<String>,
    pub code: Option<String>,
}

/// A string longer than anything sensible.
const HUGE: usize = 200_000;

/// The longest answer that is still an answer.
const LONGEST: usize = 40_000;

pub fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../legwork/tests/conformance/pages")
        .canonicalize()
        .unwrap()
}

/// Reads the table; opening a page is a call like any other.
pub fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (index, line) in include_str!("table.txt").lines().enumerate() {
        let row = |tool: &str, arguments: String, parts: Vec<String>| Row {
            line: index + 1,
            tool: tool.to_owned(),
            arguments,
            parts,
            code: None,
        };
        if let Some(page) = line.strip_prefix("@ ") {
            let arguments = format!(r#"{{"url": "{{base}}/{page}"}}"#);
            rows.push(row("browser_navigate", arguments, vec!["done".into()]));
        } else if let Some(part) = line.strip_prefix("= ") {
            rows.last_mut().unwrap().parts.push(part.to_owned());
        } else if let Some(code) = line.strip_prefix("! ") {
            rows.last_mut().unwrap().code = Some(code.to_owned());
        } else if !line.is_empty() && !line.starts_with("# ") {
            let (tool, arguments) = line.split_once(' ').unwrap();
            rows.push(row(tool, arguments.to_owned(), Vec::new()));
        }
    }
    rows
}

/// The pages of the table on loopback, for as long as it lives.
pub struct Site {
    base: String,
    none: u16,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Site {
    pub async fn start() -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let unused = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let none = unused.local_addr().unwrap().port();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream));
            }
        });
        Site { base: format!("http://127.0.0.1:{port}"), none, task }
    }

    /// The row's tool and arguments with its placeholders filled in.
    pub fn fill(&self, row: &Row) -> (String, Map<String, Value>) {
        let huge = "x".repeat(HUGE);
        let filled = |text: &str| {
            text.replace("{base}", &self.base)
                .replace("{none}", &self.none.to_string())
                .replace("{pages}", &pages().display().to_string())
                .replace("{huge}", &huge)
        };
        (filled(&row.tool), serde_json::from_str(&filled(&row.arguments)).unwrap())
    }

    /// An answer without what differs from run to run: ports, times, paths of new files, numbers of refs.
    pub fn even(&self, text: &str) -> String {
        let text = timeless(text);
        let text = text.replace(&self.base, "{base}");
        let text = text.replace(&pages().display().to_string(), "{pages}");
        let words = text.split_inclusive(char::is_whitespace).map(|word| {
            let kept = ["/outputs/", "/screenshots/", "/session-"];
            match kept.iter().any(|folder| word.contains(folder)) {
                true => "{file} ",
                false => word,
            }
        });
        words.collect()
    }

    /// What is wrong with an answer, if anything is.
    pub fn fault(&self, row: &Row, told: &Told) -> Option<String> {
        let (code, text) = match told {
            Ok(text) => (None, text),
            Err((code, text)) => (Some(code), text),
        };
        let even = self.even(text);
        let parts = row.parts.iter().map(|part| part.replace("{none}", &self.none.to_string()));
        let missing: Vec<String> = parts.filter(|part| !even.contains(part.as_str())).collect();
        let wrong_code = code.map(String::as_str) != row.code.as_deref();
        let long = text.len() > LONGEST;
        if missing.is_empty() && !wrong_code && !long {
            return None;
        }
        let arguments: String = row.arguments.chars().take(200).collect();
        let shown: String = even.chars().take(600).collect();
        Some(format!(
            "line {}: {} {arguments}\n  expected {:?} {:?}{}\n  got {code:?} {shown}",
            row.line,
            row.tool,
            row.code,
            missing,
            if long { " in fewer characters" } else { "" },
        ))
    }
}

/// A text without when things happened and how long they took: `"timestamp":1790000000000.1` in the console,
/// `, 12 ms` behind a request.
fn timeless(text: &str) -> String {
    const STAMP: &str = "\"timestamp\":";
    let is_digit = |letter: char| letter.is_ascii_digit() || letter == '.';
    let mut stamped = text.split(STAMP);
    let first = stamped.next().unwrap_or_default().to_owned();
    let stamped = stamped.map(|rest| rest.trim_start_matches(is_digit));
    let text = stamped.fold(first, |text, rest| format!("{text}{STAMP}0{rest}"));
    let lines = text.split_inclusive('\n').map(|line| {
        let (kept, end) = line.split_at(line.trim_end().len());
        let untimed = kept.strip_suffix(" ms").map(|kept| kept.trim_end_matches(is_digit));
        let untimed = untimed.filter(|kept| kept.ends_with(", "));
        untimed.map_or(line.to_owned(), |kept| format!("{kept}0 ms{end}"))
    });
    lines.collect()
}

/// What is given as a file to keep.
const REPORT: &str = "report.csv";

async fn serve(stream: TcpStream) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut request = String::new();
        if stream.read_line(&mut request).await.ok()? == 0 {
            return None;
        }
        let mut headers = HashMap::new();
        loop {
            let mut header = String::new();
            stream.read_line(&mut header).await.ok()?;
            let Some((name, value)) = header.trim().split_once(": ") else { break };
            headers.insert(name.to_lowercase(), value.to_owned());
        }
        let path = request.split(' ').nth(1)?.trim_start_matches('/').to_owned();
        if path == "never" {
            std::future::pending::<()>().await;
        }
        let disposition = match path.as_str() {
            REPORT => "Content-Disposition: attachment\r\n",
            _ => "",
        };
        let body = (path.len() < 100).then(|| std::fs::read(pages().join(&path)).ok()).flatten();
        let (status, body) = match body {
            Some(body) => ("200 OK", body),
            None => {
                ("404 Not Found", b"<!doctype html><title>404</title><h1>Not here</h1>".to_vec())
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\n{disposition}Content-Type: text/html\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.ok()?;
        stream.write_all(&body).await.ok()?;
    }
}
