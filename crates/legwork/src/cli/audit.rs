//! The record of every call: listed, shown, exported, verified. Reads the files themselves and needs no
//! daemon.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use legwork_protocol::{Code, Span};
use legwork_tools::audit::{self, Call, Closed, Event, Filter, Hash, Judgement, Records};
use serde_json::json;

use super::call::span;
use super::failure::{Exit, Failure};
use super::{Globals, show};

/// What to do with the record.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lists calls, one a line, newest last
    #[command(
        after_help = "Example:\n  legwork audit list --session shop --since 1h\n  legwork audit list --ending failed"
    )]
    List {
        #[command(flatten)]
        wanted: Wanted,
        /// Only the last so many
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        limit: usize,
    },
    /// Shows all there is about a call
    #[command(after_help = "Example:\n  legwork audit show 42")]
    Show {
        /// Its number in the list
        id: u64,
    },
    /// Writes the record out: every row as JSON, or every call as a page for people
    #[command(after_help = "Example:\n  legwork audit export --format html --output report.html")]
    Export {
        #[command(flatten)]
        wanted: Wanted,
        /// How
        #[arg(long, value_enum, default_value_t = Format::Jsonl)]
        format: Format,
        /// File to write; default standard output
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Checks that no row was changed, removed, put in or moved
    #[command(
        after_help = "Example:\n  legwork audit verify\n  legwork audit verify --head 8f0c…\n\nExit codes: 0 whole, 1 broken"
    )]
    Verify {
        /// Hash that `audit head` printed before: the row has to be there still
        #[arg(long, value_name = "HASH")]
        head: Option<String>,
    },
    /// Prints the hash of the last row, for `verify --head` later
    #[command(after_help = "Example:\n  legwork audit head")]
    Head,
}

/// Which calls.
#[derive(Debug, Args)]
pub struct Wanted {
    /// Only since then: a span such as 30m or 2h, or a time such as 2026-11-16 or 2026-11-16T08:30
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<String>,
    /// Only of this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only with this ending: answered, failed, cancelled, stopped, interrupted, running, or an error's
    /// code
    #[arg(long, value_name = "WORD")]
    ending: Option<String>,
}

/// How the record is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One row a line, with its hashes.
    Jsonl,
    /// One page with all calls.
    Html,
}

/// A span before now, or a time as it is written.
fn since(text: &str) -> Result<String, String> {
    // Longer ago than a call may wait.
    for (unit, seconds) in [('h', 3_600), ('d', 86_400)] {
        if let Some(count) = text.strip_suffix(unit).and_then(|count| count.parse::<u64>().ok()) {
            return Ok(audit::ago(std::time::Duration::from_secs(count.saturating_mul(seconds))));
        }
    }
    let is_time = || {
        let shape = "dddd-dd-ddTdd:dd:dd.dddZ";
        let fits = |(letter, shape): (char, char)| match shape {
            'd' => letter.is_ascii_digit(),
            other => letter == other,
        };
        text.len() >= 4 && text.len() <= shape.len() && text.chars().zip(shape.chars()).all(fits)
    };
    match span(text) {
        _ if is_time() => Ok(text.to_owned()),
        Ok(Span(span)) => Ok(audit::ago(span)),
        Err(_) => {
            Err("write a span such as 30m, 1h or 7d, or a time in UTC such as 2026-11-16T08:30"
                .into())
        }
    }
}

impl Wanted {
    fn filter(self, session: Option<String>, limit: Option<usize>) -> Filter {
        let Wanted { since, tool, ending } = self;
        Filter { session, tool, ending, since, limit }
    }
}

impl Command {
    /// Without a session it is about those of all sessions.
    pub(super) fn run(self, globals: &Globals) -> Result<(), Failure> {
        let (session, json) = (globals.session.clone(), globals.json);
        let Some(folder) = globals.load(false)?.audit_folder() else {
            return Err(unreadable("audit is off: nothing is recorded"));
        };
        let records = Records::open(&folder).map_err(failed)?;
        let Some(records) = records else { return self.nothing(&folder, json) };
        match self {
            Command::List { wanted, limit } => {
                list(&records, &wanted.filter(session, Some(limit)), json)
            }
            Command::Show { id } => show_one(&records, id, json),
            Command::Export { wanted, format, output } => {
                export(&records, &wanted.filter(session, None), format, output.as_deref())
            }
            Command::Verify { head } => verify(&records, head.as_deref(), json),
            Command::Head => head(&records, json),
        }
    }

    /// Nothing was recorded yet. That is whole, unless something is known to have been there.
    fn nothing(self, folder: &Path, json: bool) -> Result<(), Failure> {
        let place = folder.display();
        match self {
            Command::List { .. } if json => show::line("{\"calls\":[]}"),
            Command::List { .. } => show::line(&format!("nothing is recorded in {place}")),
            Command::Verify { head: None } => {
                show::line(&format!("whole: nothing is recorded in {place}"))
            }
            _ => Err(unreadable(&format!("nothing is recorded in {place}"))),
        }
    }
}

fn unreadable(message: &str) -> Failure {
    Failure::new(Exit::Tool, Code::FileError.text(), message)
}

fn failed(error: audit::Error) -> Failure {
    let unread = matches!(error, audit::Error::Row { .. });
    let failure = unreadable(&error.to_string());
    if unread { failure.with_hint("legwork audit verify") } else { failure }
}

fn list(records: &Records, filter: &Filter, json: bool) -> Result<(), Failure> {
    let calls = records.calls(filter).map_err(failed)?;
    if json {
        return show::line(&json!({ "calls": calls }).to_string());
    }
    if calls.is_empty() {
        return show::line("no call fits");
    }
    show::line(&calls.iter().map(in_a_line).collect::<Vec<_>>().join("\n"))
}

fn in_a_line(call: &Call) -> String {
    let ended = match &call.closed {
        Some(Closed { error: Some(error), .. }) => error.clone(),
        _ => call.ending().to_owned(),
    };
    let took = call.closed.as_ref().and_then(|closed| closed.took_us);
    let took = took.map_or("-".to_owned(), |micros| format!("{} ms", micros.div_ceil(1000)));
    let tool = call.opened.tool.trim_start_matches("browser_");
    let about = call.judged.first().map(about).unwrap_or_default();
    let (id, time) = (call.id, call.time.get(..19).unwrap_or(&call.time));
    let (session, door) = (&call.opened.session, &call.opened.door);
    one_line(&format!(
        "{id:>6}  {time}  {session}/{door}  {tool:<14} {ended:<12} {took:>8}  {about}"
    ))
}

/// What the first action of a call was about.
fn about(judged: &Judgement) -> String {
    let Judgement { element, to, page, .. } = judged;
    [element, to, page].into_iter().flatten().next().cloned().unwrap_or_default()
}

/// What pages say may hold line ends and worse.
fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let short: String = plain.trim_end().chars().take(220).collect();
    short
}

/// Text of a page without what a terminal would take as a command.
fn harmless(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').collect()
}

fn show_one(records: &Records, id: u64, json: bool) -> Result<(), Failure> {
    let Some(call) = records.call(id).map_err(failed)? else {
        let failure =
            Failure::new(Exit::Tool, Code::NotFound.text(), format!("there is no call {id}"));
        return Err(failure.with_hint("`legwork audit list` has the numbers"));
    };
    if json {
        return show::line(&json!(call).to_string());
    }
    let (opened, writer) = (&call.opened, &call.opened.writer);
    let client = opened.client.as_ref().map(|client| format!(", client: {client}"));
    let client = client.unwrap_or_default();
    let mut lines = vec![
        format!("call {id}: {} {}", opened.tool, call.ending()),
        format!("time: {}", call.time),
        format!("session: {}, door: {}{client}", opened.session, opened.door),
        format!("process: {} of user {}", writer.process, writer.user),
    ];
    for judged in &call.judged {
        lines.push(String::new());
        lines.extend(judgement(judged));
    }
    let pictures = call.pictures.iter();
    lines.extend(
        pictures.map(|picture| format!("picture: {} {}", picture.media_type, picture.sha256)),
    );
    if let Some(Closed { error, told, took_us, .. }) = &call.closed {
        lines.push(String::new());
        lines.extend(error.as_ref().map(|code| format!("error: {code}")));
        lines.extend(took_us.map(|micros| format!("took: {:.1} ms", micros as f64 / 1000.0)));
        lines.push(told.clone());
    }
    show::line(&harmless(&lines.join("\n")))
}

fn judgement(judged: &Judgement) -> Vec<String> {
    let Judgement { tool, kind, verdict, rule, because, .. } = judged;
    let mut lines = vec![format!("{tool} ({kind}): {verdict} by {rule}: {because}")];
    let listed = |list: &Vec<String>| Some(list.join(", ")).filter(|text| !text.is_empty());
    for (name, text) in [
        ("page", judged.page.clone()),
        ("frame", judged.frame.clone()),
        ("leads to", judged.to.clone()),
        ("element", judged.element.clone()),
        ("dialog", judged.dialog.clone()),
        ("meanings", listed(&judged.meanings)),
        ("secrets", listed(&judged.secrets)),
        ("files", listed(&judged.files)),
        ("a person said", judged.answer.clone()),
        ("arguments", Some(judged.arguments.clone())),
    ] {
        lines.extend(text.map(|text| format!("  {name}: {text}")));
    }
    lines
}

fn export(
    records: &Records,
    filter: &Filter,
    format: Format,
    output: Option<&Path>,
) -> Result<(), Failure> {
    let mut out: Box<dyn Write> = match output {
        Some(path) => Box::new(std::io::BufWriter::new(private(path)?)),
        None => Box::new(std::io::stdout().lock()),
    };
    let written = match format {
        Format::Html => {
            let page = audit::html(records, filter).map_err(failed)?;
            out.write_all(page.as_bytes())
        }
        Format::Jsonl => {
            let calls = records.calls(filter).map_err(failed)?;
            let calls: HashSet<u64> = calls.into_iter().map(|call| call.id).collect();
            let mut written = Ok(());
            let take = |event: Event| {
                if written.is_ok() && calls.contains(&event.call) {
                    written = writeln!(out, "{}", audit::jsonl(&event));
                }
                Ok(())
            };
            records.events(take).map_err(failed)?;
            written
        }
    };
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(unreadable(&format!("the export cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// What was recorded is nobody else's business, wherever it is written.
fn private(path: &Path) -> Result<std::fs::File, Failure> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    options.create(true).truncate(true).write(true).mode(0o600);
    options.open(path).map_err(|error| unreadable(&format!("{}: {error}", path.display())))
}

fn verify(records: &Records, head: Option<&str>, json: bool) -> Result<(), Failure> {
    let known = head.map(|text| {
        Hash::parse(text).ok_or_else(|| {
            let message = format!("{text:?} is no hash: 64 hexadecimal digits");
            Failure::new(Exit::Usage, Code::InvalidInput.text(), message)
        })
    });
    let whole = match records.verify(known.transpose()?).map_err(failed)? {
        Ok(whole) => whole,
        Err(broken) => {
            let message =
                format!("the record is not whole, from row {} on: {broken}", broken.row());
            return Err(Failure::new(Exit::Tool, "broken_record", message));
        }
    };
    let (rows, hash) = (whole.head.sequence, whole.head.hash.to_string());
    if json {
        let beside = whole.beside;
        let told = json!({ "whole": true, "rows": rows, "head": hash, "head_file": beside });
        return show::line(&told.to_string());
    }
    let mut told = format!("whole: {rows} rows, head {hash}");
    if head.is_none() && !whole.beside {
        told += "\n(no head is known, so a missing end would not show; see --head)";
    }
    show::line(&told)
}

fn head(records: &Records, json: bool) -> Result<(), Failure> {
    let head = records.head().map_err(failed)?;
    let hash = head.hash.to_string();
    show::line(&match json {
        true => json!({ "rows": head.sequence, "head": hash }).to_string(),
        false => hash,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_spans_or_as_written() {
        for good in ["30m", "1h", "7d", "2026", "2026-11-16", "2026-11-16T08:30"] {
            assert!(since(good).is_ok(), "{good}");
        }
        assert!(since("7d").unwrap() < since("48h").unwrap());
        assert!(since("48h").unwrap() < since("1h").unwrap());
        assert_eq!(since("2026-11-16").unwrap(), "2026-11-16");
        assert_eq!(since("2026").unwrap(), "2026", "a year, not two seconds");
        for bad in ["yesterday", "16.11.2026", "", "2026/11/16", "2026-11-16 08:30"] {
            assert!(since(bad).is_err(), "{bad}");
        }
    }
}
