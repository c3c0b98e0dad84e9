//! What rows say, as they are stored: one struct for each kind of row.

use serde::{Deserialize, Serialize};

use super::writer::Writer;
use super::{Ending, Entry, Judged};
use crate::answer::shortened;

/// Characters of an answer that are kept.
const TOLD: usize = 2000;

/// Characters of the arguments that are kept.
const ARGUMENTS: usize = 8000;

/// The kinds of rows.
pub(super) const OPENED: &str = "opened";
pub(super) const JUDGED: &str = "judged";
pub(super) const CLOSED: &str = "closed";
pub(super) const NOTE: &str = "note";

/// The ending of a call whose process ended before it.
pub const INTERRUPTED: &str = "interrupted";

/// A call came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The session it was for.
    pub session: String,
    /// The door it came through.
    pub door: String,
    /// What the program that called says it is; nobody checked that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The tool as it was called.
    pub tool: String,
    /// The process that took it.
    pub writer: Writer,
}

/// An action of a call was judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Judgement {
    /// The tool that does it.
    pub tool: String,
    /// What kind of thing it does.
    pub kind: String,
    /// The address of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The address of the frame, where the element is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Where it leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The element: role, name and ref.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// Files that would be given away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Names of the secrets that would be entered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// What a dialog asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<String>,
    /// What it would mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meanings: Vec<String>,
    /// What policy says: `allow`, `ask` or `refuse`.
    pub verdict: String,
    /// The rule that says so.
    pub rule: String,
    /// Why.
    pub because: String,
    /// How a person answered, where one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The arguments, without secrets, as JSON.
    pub arguments: String,
}

/// A call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// `answered`, `failed`, `cancelled`, `stopped` or `interrupted`.
    pub ending: String,
    /// The code, where it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The beginning of what was answered.
    pub told: String,
    /// How long it took, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_us: Option<u64>,
}

/// Something to be known of a call besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// SHA-256 of the file.
    pub sha256: String,
    /// What kind of picture it is.
    pub media_type: String,
}

impl Judgement {
    pub(super) fn of(judged: &Judged<'_>) -> Judgement {
        let (facts, decision) = (judged.facts, judged.decision);
        let url = |url: &Option<url::Url>| url.as_ref().map(ToString::to_string);
        Judgement {
            tool: facts.tool.to_owned(),
            kind: facts.kind.word().to_owned(),
            page: url(&facts.page),
            frame: url(&facts.frame),
            to: url(&facts.to),
            element: facts.element.as_ref().map(|element| element.description.clone()),
            files: facts.files.iter().map(|file| file.display().to_string()).collect(),
            secrets: facts.secrets.clone(),
            dialog: facts.dialog.clone(),
            meanings: facts.meanings.iter().map(|meaning| meaning.word().to_owned()).collect(),
            verdict: decision.verdict.word().to_owned(),
            rule: decision.rule.clone(),
            because: decision.because.clone(),
            answer: judged.answer.map(str::to_owned),
            arguments: shortened(judged.arguments, ARGUMENTS),
        }
    }
}

impl Closed {
    pub(super) fn of(ending: Ending, told: &str, took: std::time::Duration) -> Closed {
        let error = match ending {
            Ending::Failed(code) => Some(code.text().to_owned()),
            _ => None,
        };
        let took_us = Some(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        Closed { ending: ending.word().to_owned(), error, told: shortened(told, TOLD), took_us }
    }

    pub(super) fn interrupted() -> Closed {
        let told = "the process that ran it ended before the call did";
        Closed { ending: INTERRUPTED.into(), error: None, told: told.into(), took_us: None }
    }
}

impl Opened {
    pub(super) fn of(entry: &Entry, writer: &Writer) -> Opened {
        let Entry { session, door, client, tool } = entry.clone();
        let client = client.map(|client| shortened(&client, 100));
        Opened { session, door, client, tool: shortened(&tool, 200), writer: writer.clone() }
    }
}
