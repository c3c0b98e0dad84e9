//! A record to hand over: every row as a line of JSON, or every call on one page for people, which needs
//! nothing else and runs nothing.

use legwork_local::clock;
use std::fmt::Write;

use base64::Engine as _;
use serde_json::{Value, json};

use super::chain::Event;
use super::read::{Call, Records};
use super::{Error, Filter, Judgement, Picture};

/// A row as a line of JSON, with its hashes, so that the chain can be checked elsewhere.
pub fn jsonl(event: &Event) -> String {
    let body: Value =
        serde_json::from_str(&event.body).unwrap_or_else(|_| event.body.clone().into());
    json!({
        "sequence": event.sequence, "time": event.time, "call": event.call, "kind": event.kind,
        "body": body, "body_text": event.body,
        "previous": event.previous.to_string(), "hash": event.hash.to_string(),
    })
    .to_string()
}

const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;\
color:#1b1f24;background:#fff}h1{font-size:1.4rem}details{border:1px solid #d5dae0;border-radius:6px;\
margin:.4rem 0;padding:.4rem .8rem}summary{cursor:pointer;overflow-wrap:anywhere}pre{white-space:pre-wrap;\
overflow-wrap:anywhere;background:#f5f7f9;padding:.6rem;border-radius:4px}img{max-width:100%;\
border:1px solid #d5dae0}dl{display:grid;grid-template-columns:8rem 1fr;gap:.1rem 1rem}dt{color:#5a6470}\
dd{margin:0;overflow-wrap:anywhere}.failed,.refuse{color:#b3261e}.answered,.allow{color:#1a6e3c}\
.cancelled,.stopped,.interrupted,.running,.ask{color:#8a5a00}\
@media(prefers-color-scheme:dark){body{color:#e4e8ec;background:#14171a}details,img{border-color:#3a4048}\
pre{background:#1d2125}dt{color:#98a2ad}.failed,.refuse{color:#ff8a80}.answered,.allow{color:#7bd88f}\
.cancelled,.stopped,.interrupted,.running,.ask{color:#ffca6b}}";

/// All calls that are wanted on one page.
pub fn html(records: &Records, filter: &Filter) -> Result<String, Error> {
    let calls = records.calls(filter)?;
    let state = match records.verify(None)? {
        Ok(whole) => {
            let head = whole.head;
            format!("The chain of {} rows is whole; its head is {}.", head.sequence, head.hash)
        }
        Err(broken) => format!("THE CHAIN IS BROKEN: {broken}."),
    };
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Audit</title>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         img-src data:\">\n<style>{STYLE}</style>\n<h1>{} calls</h1>\n<p>Made {}. {}</p>\n",
        calls.len(),
        escaped(&clock::now()),
        escaped(&state),
    );
    for call in &calls {
        one(&mut page, records, call);
    }
    page.push_str("</html>\n");
    Ok(page)
}

fn one(page: &mut String, records: &Records, call: &Call) {
    let ending = call.ending();
    let about = call.judged.first().and_then(about).unwrap_or_default();
    // Writing to a text cannot fail.
    let _ = writeln!(
        page,
        "<details><summary>{} · {} · <b>{}</b> {} · <span class=\"{}\">{}</span></summary><dl>",
        call.id,
        escaped(&call.time),
        escaped(&call.opened.tool),
        escaped(&about),
        escaped(ending),
        escaped(ending),
    );
    let writer = &call.opened.writer;
    row(page, "session", &call.opened.session);
    row(page, "door", &call.opened.door);
    if let Some(client) = &call.opened.client {
        row(page, "client", client);
    }
    row(page, "process", &format!("{} of user {}", writer.process, writer.user));
    for judged in &call.judged {
        judgement(page, judged);
    }
    if let Some(closed) = &call.closed {
        row(page, "error", closed.error.as_deref().unwrap_or_default());
        row(page, "took", &closed.took_us.map(took).unwrap_or_default());
        let _ = writeln!(page, "</dl><pre>{}</pre>", escaped(&closed.told));
    } else {
        page.push_str("</dl>\n");
    }
    for picture in &call.pictures {
        shown(page, records, picture);
    }
    page.push_str("</details>\n");
}

fn shown(page: &mut String, records: &Records, picture: &Picture) {
    let hash = escaped(&picture.sha256);
    let _ = match records.picture(picture) {
        Some(bytes) => {
            let data = base64::engine::general_purpose::STANDARD.encode(bytes);
            let kind = escaped(&picture.media_type);
            writeln!(page, "<p><img alt=\"{hash}\" src=\"data:{kind};base64,{data}\"></p>")
        }
        None => writeln!(page, "<p>A picture is missing or was changed: {hash}</p>"),
    };
}

fn judgement(page: &mut String, judged: &Judgement) {
    let verdict = escaped(&judged.verdict);
    let _ = writeln!(
        page,
        "<dt>{}</dt><dd><span class=\"{verdict}\">{verdict}</span> by {}: {}</dd>",
        escaped(&judged.tool),
        escaped(&judged.rule),
        escaped(&judged.because),
    );
    for (name, text) in [
        ("page", judged.page.as_deref()),
        ("frame", judged.frame.as_deref()),
        ("leads to", judged.to.as_deref()),
        ("element", judged.element.as_deref()),
        ("dialog", judged.dialog.as_deref()),
        ("a person said", judged.answer.as_deref()),
        ("arguments", Some(judged.arguments.as_str())),
    ] {
        row(page, name, text.unwrap_or_default());
    }
    row(page, "meanings", &judged.meanings.join(", "));
    row(page, "secrets", &judged.secrets.join(", "));
    row(page, "files", &judged.files.join(", "));
}

fn row(page: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        let _ = writeln!(page, "<dt>{name}</dt><dd>{}</dd>", escaped(text));
    }
}

/// What an action was about, in a few words.
pub(super) fn about(judged: &Judgement) -> Option<String> {
    let of = [&judged.element, &judged.to, &judged.page];
    of.into_iter().flatten().next().cloned()
}

pub(super) fn took(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{:.1} ms", micros as f64 / 1000.0),
        _ => format!("{} ms", micros / 1000),
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Nothing that could turn text around or hide it, except line ends.
            letter if letter.is_control() && letter != '\n' && letter != '\t' => {
                safe.push('\u{fffd}')
            }
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}
