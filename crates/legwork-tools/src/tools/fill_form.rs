//! `browser_fill_form` (W1): finds every field and checks every value before the first is touched, then
//! fills them in the order given, and may send the form.

use std::time::Duration;

use legwork_engine::{Acting, Choice, Effect, Outcome, Page, Verdict};
use legwork_protocol::{FillForm, FormValue, Observe, Reply, Submit, ToolError};

use serde_json::{Value, json};

use super::Execute;
use super::fields::{self, Planned};
use crate::answer::{self, MASKED, VALUE, shortened};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::look::Bound;
use crate::policy::Permitted;
use crate::{secrets, undo};

impl Execute for FillForm {
    async fn run(permitted: Permitted<FillForm>, desk: &Desk) -> Result<Reply, ToolError> {
        let (form, bound) = permitted.into_parts();
        if form.fields.0.is_empty() {
            return Err(ToolError::invalid("fields is empty: give at least one field and value"));
        }
        let page = bound.page(desk).await?;
        let mut plan = fields::plan(&page, &form.fields).await?;
        for field in &mut plan {
            field.target = bound.target(&field.reference)?;
        }
        let quiet = Acting { observe: false, ..desk.acting(form.timeout, form.observe) };
        let submit = form.submit.filter(|submit| *submit != Submit::Own(false));
        let mut changed = undo::Form::new(submit.is_some());
        let filled = fill_all(desk, &page, &plan, &quiet, &mut changed).await;
        desk.history.note_form(&page, changed);
        let filled = filled?;
        let told = format!("filled {}", filled.lines.join(", "));
        let observe = form.observe;
        let Some(submit) = submit else {
            let mut outcome = Outcome::default();
            if observe.unwrap_or_default() == Observe::Change {
                let change = page.change(Duration::from_secs(5)).await.map_err(from_engine)?;
                outcome.change = without(&change.text, &plan);
            }
            return answer::of(desk, &page, &told, outcome, observe)
                .await
                .map(|reply| filled.of(reply));
        };
        let how = desk.acting(form.timeout, observe);
        // What filling in changed is told by itself: it is no consequence of sending.
        let before = match how.observe {
            true => page.change(Duration::from_secs(5)).await.map_err(from_engine)?.text,
            false => String::new(),
        };
        let (verb, mut outcome) =
            send(&page, submit, &plan, &bound, &how).await.map_err(|error| ToolError {
                message: format!("{told}\nnot sent: {}", error.message),
                ..error
            })?;
        if !answer::moved_on(&outcome) {
            outcome.change = without(&joined(&before, &outcome.change), &plan);
        }
        let reply = answer::of(desk, &page, &format!("{told}\n{verb}"), outcome, observe).await;
        reply.map(|reply| filled.of(reply))
    }
}

/// One change behind the other.
fn joined(before: &str, after: &str) -> String {
    let parts = [before.trim_end(), after].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

/// The fields that were filled: for the reader, and for programs how each can be found again.
#[derive(Default)]
struct Filled {
    lines: Vec<String>,
    fields: Vec<Value>,
}

impl Filled {
    fn add(&mut self, field: &Planned, outcome: &Outcome) {
        self.lines.push(told(field, outcome));
        if let Some(known) = outcome.known.as_deref() {
            let element = answer::known(known);
            self.fields.push(json!({ "name": field.name, "element": element }));
        }
    }

    fn of(self, mut reply: Reply) -> Reply {
        if !self.fields.is_empty() {
            reply.data["fields"] = self.fields.into();
        }
        reply
    }
}

/// Fills the fields one after the other; what went wrong in one is told with what was done before.
async fn fill_all(
    desk: &Desk,
    page: &Page,
    plan: &[Planned],
    how: &Acting,
    changed: &mut undo::Form,
) -> Result<Filled, ToolError> {
    let mut filled = Filled::default();
    for field in plan {
        let ended = fill_one(desk, page, field, how).await;
        if let Ok(outcome) = &ended {
            changed.add(&field.name, field.other.as_deref(), outcome);
        }
        let ended = ended.and_then(|outcome| match outcome.verdict {
            Verdict::Differs(held) => {
                Err(ToolError::invalid(format!("the field now holds {held:?} instead")))
            }
            _ => Ok(outcome),
        });
        match ended {
            Ok(outcome) => filled.add(field, &outcome),
            Err(error) => {
                let before = match filled.lines.is_empty() {
                    true => "nothing was filled".to_owned(),
                    false => format!("filled {}", filled.lines.join(", ")),
                };
                let message =
                    format!("{}: {}\n({before}; nothing was sent)", field.name, error.message);
                return Err(ToolError { message, ..error });
            }
        }
    }
    Ok(filled)
}

async fn fill_one(
    desk: &Desk,
    page: &Page,
    field: &Planned,
    how: &Acting,
) -> Result<Outcome, ToolError> {
    let text = field.value.text();
    let secret = secrets::enter(&desk.vault(), page, &field.target, (&text, true), how).await?;
    if let Some(outcome) = secret {
        return Ok(outcome);
    }
    let filled = match &field.value {
        _ if field.is_file => {
            let files = desk.files_for_page(&[text]).await?;
            page.upload(&field.target, &files, how).await
        }
        FormValue::Options(options) => {
            let choices: Vec<Choice> = options.iter().cloned().map(Choice::Label).collect();
            page.select(&field.target, &choices, how).await
        }
        _ => page.fill(&field.target, &text, how).await,
    };
    filled.map_err(from_engine)
}

/// What a field holds now, as far as it was seen.
fn told(field: &Planned, outcome: &Outcome) -> String {
    let name = &field.name;
    if let (Some(choice), true) = (&field.choice, outcome.effects.contains(&Effect::Checked(true)))
    {
        return format!("{name} = {choice:?}");
    }
    for effect in outcome.effects.iter().rev() {
        match effect {
            Effect::Value { after, .. } => {
                return format!("{name} = {:?}", shortened(after, VALUE));
            }
            Effect::Checked(true) => return format!("{name} checked"),
            Effect::Checked(false) => return format!("{name} unchecked"),
            _ => {}
        }
    }
    match &outcome.verdict {
        // It holds what was entered, and no change of it was seen: secrets look alike.
        Verdict::Done if field.secret => format!("{name} = {MASKED:?}"),
        Verdict::Done => format!("{name} = {:?}", shortened(&field.value.text(), VALUE)),
        Verdict::NothingChanged => format!("{name} (unchanged)"),
        Verdict::Unverified(reason) => format!("{name} (not verified, {reason})"),
        other => format!("{name} ({other:?})"),
    }
}

/// Sends the form: by the button named, by its own, or by Enter in the last field.
async fn send(
    page: &Page,
    submit: Submit,
    plan: &[Planned],
    bound: &Bound,
    how: &Acting,
) -> Result<(&'static str, Outcome), ToolError> {
    let sent = match fields::button(&submit, plan) {
        Some(button) => {
            let click = legwork_engine::Click { acting: *how, ..Default::default() };
            page.click(&bound.target(&button)?, &click).await.map(|outcome| ("clicked", outcome))
        }
        None => {
            let last = plan.last().map(|field| bound.entered(&field.reference)).transpose()?;
            page.press(last.as_ref(), "Enter", how)
                .await
                .map(|outcome| ("pressed Enter in", outcome))
        }
    };
    sent.map_err(from_engine)
}

/// The change without what was just said of the fields.
fn without(change: &str, plan: &[Planned]) -> String {
    let of_a_field = |line: &&str| {
        line.starts_with("~ [")
            && line.contains('→')
            && plan.iter().any(|field| line.split([' ', ']']).any(|word| word == field.reference))
    };
    change.lines().filter(|line| !of_a_field(line)).collect::<Vec<_>>().join("\n")
}
