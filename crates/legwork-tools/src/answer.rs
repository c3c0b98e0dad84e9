//! How an outcome is told: what was acted on, what came of it, and the change of the page.

use legwork_engine::{Effect, Known, Outcome, Page, Settled, SnapshotOptions, Verdict};
use legwork_protocol::{Code, Observe, Reply, ToolError};
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::failure::from_engine;
use crate::undo;

/// Said of a page without text.
pub(crate) const EMPTY: &str = "(the page is empty)";

/// Characters of an address that are told.
pub(crate) const URL: usize = 300;

/// Characters of an effect that are told.
pub(crate) const LINE: usize = 400;

/// Said where something may still come of an action.
const LATER: &str = "if it takes longer, the next reply tells, or wait for it";

/// What the engine says instead of a secret.
pub(crate) const MASKED: &str = "••••";

/// Characters of a value that are told.
pub(crate) const VALUE: usize = 200;

/// The reply to an action, with as much of the page as was asked for.
pub(crate) async fn of(
    desk: &Desk,
    page: &Page,
    verb: &str,
    outcome: Outcome,
    observe: Option<Observe>,
) -> Result<Reply, ToolError> {
    let observe = observe.unwrap_or_default();
    let moved = moved_on(&outcome);
    desk.note_navigation(moved);
    undo::note(desk, page, verb, &outcome).await;
    let seen = match observe {
        Observe::None => None,
        Observe::Change if !moved => None,
        _ if outcome.dialog().is_some() => None,
        _ => Some(look(desk, page, None).await?),
    };
    let mut lines = vec![first_line(verb, &outcome)];
    let told = |effect: &&Effect| !is_said(effect, &outcome, observe);
    lines.extend(outcome.effects.iter().filter(told).filter_map(effect_line));
    if outcome.settled == Settled::AtBound {
        lines.push("(the page was still loading or changing)".to_owned());
    }
    if observe == Observe::Change && !outcome.change.is_empty() {
        lines.push(desk.within(&outcome.change, None));
    }
    lines.extend(seen.clone());
    let text = lines.join("\n");
    if let Some(code) = failed(&outcome.verdict) {
        return Err(ToolError::new(code, text));
    }
    Ok(Reply::text(text).with_data(data(page, &outcome, seen)))
}

/// Whether the change of the page says the same: the new state of the element acted on. And what was
/// redrawn without text is known only where the change was looked at.
fn is_said(effect: &Effect, outcome: &Outcome, observe: Observe) -> bool {
    match effect {
        Effect::Redrawn => observe == Observe::None,
        Effect::Value { .. } | Effect::Checked(_) | Effect::Expanded(_) => {
            observe == Observe::Change && names_the_element(outcome)
        }
        _ => false,
    }
}

fn names_the_element(outcome: &Outcome) -> bool {
    let Some(reference) = outcome.reference.as_deref() else { return false };
    let of_it = |line: &str| {
        line.starts_with("~ [")
            && !line.ends_with("(earlier)")
            && line.split([' ', ']']).any(|word| word == reference)
    };
    outcome.change.lines().any(of_it)
}

/// The page as text, within the budget.
pub(crate) async fn look(
    desk: &Desk,
    page: &Page,
    tokens: Option<usize>,
) -> Result<String, ToolError> {
    let snapshot = page.snapshot(&SnapshotOptions::default()).await.map_err(from_engine)?;
    Ok(match snapshot.text.is_empty() {
        true => EMPTY.to_owned(),
        false => desk.within(&snapshot.text, tokens),
    })
}

/// Whether the page is another one than before.
pub(crate) fn moved_on(outcome: &Outcome) -> bool {
    let moves = |effect: &Effect| {
        matches!(effect, Effect::Navigated { .. } | Effect::NavigationFailed { .. })
    };
    outcome.effects.iter().any(moves)
}

/// Swallowed clicks and fields that hold something else are no successes.
fn failed(verdict: &Verdict) -> Option<Code> {
    match verdict {
        Verdict::Intercepted(_) => Some(Code::Intercepted),
        Verdict::Differs(_) => Some(Code::ValueDiffers),
        _ => None,
    }
}

fn first_line(verb: &str, outcome: &Outcome) -> String {
    let what = match &outcome.acted_on {
        Some(acted_on) => format!("{verb} {}", shortened(acted_on, LINE)),
        None => verb.to_owned(),
    };
    match &outcome.verdict {
        Verdict::Done => what,
        Verdict::NothingChanged if outcome.in_vain.is_some() => {
            format!("{what}: {} ({LATER})", outcome.nothing())
        }
        Verdict::NothingChanged => format!("{what}: {}", outcome.nothing()),
        Verdict::Unverified(reason) => format!("{what}: sent, but not verified, {reason}"),
        Verdict::Intercepted(receiver) => format!("{what}: but {receiver} received it"),
        Verdict::Differs(value) => {
            format!("{what}: but the field now holds {:?}", shortened(value, VALUE))
        }
    }
}

/// One thing that happened, in a line, with the tool that goes on from there; what the change of the page
/// says anyway is left out.
pub(crate) fn effect_line(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Shown { .. } => return None,
        Effect::Dialog(dialog) => {
            let (kind, message) = (&dialog.kind, shortened(&dialog.message, LINE));
            format!("{kind} dialog waits for browser_handle_dialog: {message:?}")
        }
        Effect::FileChooser { .. } => format!("{effect}: browser_upload"),
        Effect::Value { after, .. } => format!("value: {:?}", shortened(after, VALUE)),
        other => shortened(&other.to_string(), LINE),
    })
}

pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// How an element can be found again, for programs.
pub(crate) fn known(known: &Known) -> Value {
    json!(to_protocol(known.clone()))
}

/// The engine's words as they cross a process.
fn to_protocol(known: Known) -> legwork_protocol::Known {
    let Known { role, name, kind, secret, find } = known;
    legwork_protocol::Known { role, name, kind, secret, find }
}

fn data(page: &Page, outcome: &Outcome, seen: Option<String>) -> Value {
    let verdict = match &outcome.verdict {
        Verdict::Done => "done",
        Verdict::NothingChanged => "nothing_changed",
        Verdict::Unverified(_) => "unverified",
        Verdict::Intercepted(_) => "intercepted",
        Verdict::Differs(_) => "differs",
    };
    let mut data = json!({ "verdict": verdict, "url": page.url() });
    let loads = |effect: &Effect| match effect {
        Effect::Navigated { status, .. } => Some((true, *status)),
        Effect::NavigationFailed { .. } => Some((false, None)),
        _ => None,
    };
    let loaded = outcome.effects.iter().rev().find_map(loads);
    let effects: Vec<String> = outcome.effects.iter().filter_map(effect_line).collect();
    let parts = [
        ("acted_on", outcome.acted_on.as_deref().map(|one| shortened(one, LINE).into())),
        ("element", outcome.known.as_deref().map(known)),
        ("onto", outcome.onto.as_deref().map(known)),
        ("navigated", loaded.map(|(loaded, _)| loaded.into())),
        ("status", loaded.and_then(|(_, status)| status).map(Value::from)),
        ("dialog", outcome.dialog().map(|dialog| dialog.kind.clone().into())),
        ("effects", (!effects.is_empty()).then(|| effects.into())),
        ("change", (!outcome.change.is_empty()).then(|| outcome.change.clone().into())),
        ("page", seen.map(Value::from)),
    ];
    for (name, part) in parts {
        if let Some(part) = part {
            data[name] = part;
        }
    }
    data
}
