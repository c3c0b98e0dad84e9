//! Fields: typing, filling, checking, choosing, uploading, each verified by reading the field back.

use std::path::PathBuf;
use std::time::Duration;

use legwork_cdp::dom::SetFileInputFiles;
use legwork_cdp::input::InsertText;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::act::{Acting, Click};
use crate::error::{Error, Obstacle, Result};
use crate::input;
use crate::keys;
use crate::outcome::{Effect, Outcome, Verdict};
use crate::page::Page;
use crate::prepare::{Need, Prepared};
use crate::settle::Mark;
use crate::target::Target;

/// An option of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// By what a person reads.
    Label(String),
    /// By the form's value.
    Value(String),
    /// By position, from 0.
    Index(usize),
}

#[derive(Deserialize)]
struct Chosen {
    chosen: Option<Vec<String>>,
    missing: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    options: Vec<String>,
    disabled: Option<String>,
    single: Option<bool>,
}

#[derive(Deserialize)]
struct Accepted {
    accepted: bool,
    #[serde(default)]
    expects: String,
}

#[derive(Deserialize)]
struct Focused {
    focused: bool,
    #[serde(default)]
    empty: bool,
}

impl Page {
    /// Gives an element the focus, with its contents selected or the caret at their end.
    pub(crate) async fn focus(
        &self,
        prepared: &Prepared,
        select: bool,
        deadline: Instant,
    ) -> Result<bool> {
        let args = serde_json::json!({ "ref": prepared.reference, "select": select });
        let state: Focused = self.call(&prepared.world, "focusField", &args, deadline).await?;
        if !state.focused {
            return Err(Error::NotActionable {
                target: prepared.description.clone(),
                obstacle: Obstacle::NotEditable("it does not take the focus".into()),
            });
        }
        Ok(state.empty)
    }

    /// Types with real key events; `clear` empties the field first.
    pub async fn type_text(
        &self,
        target: &Target,
        text: &str,
        clear: bool,
        acting: &Acting,
    ) -> Result<Outcome> {
        let deadline = acting.deadline();
        let prepared = self.prepare(target, acting.need(Need::FIELD), None, deadline).await?;
        let mark = Mark::now(&self.tab);
        let empty = self.focus(&prepared, clear, deadline).await?;
        let session = &self.tab.session;
        let mut sent = Vec::new();
        if clear && !empty {
            let delete = keys::parse_chord("Delete").map_err(|e| Error::Invalid(e.to_string()))?;
            sent.extend(input::press(session, &delete));
        }
        sent.extend(input::type_text(session, text));
        let secret = prepared.field.secret;
        let before = prepared.field.value.clone().unwrap_or_default();
        let outcome = self.finish(&mark, target, prepared, sent, acting).await?;
        let wanted = if clear { text.to_owned() } else { before + text };
        Ok(checked_value(outcome, &wanted, secret))
    }

    /// Sets a field to a value, whatever kind of field it is.
    pub async fn fill(&self, target: &Target, value: &str, acting: &Acting) -> Result<Outcome> {
        let deadline = acting.deadline();
        let need = Need { editable: false, ..acting.need(Need::FIELD) };
        let prepared = self.prepare(target, need, None, deadline).await?;
        match prepared.kind.as_str() {
            "checkbox" | "radio" | "switch" => {
                let on = wants_on(value).ok_or_else(|| {
                    Error::Invalid(format!(
                        "{} is checked or not: give true or false",
                        prepared.description
                    ))
                })?;
                self.check(target, on, acting).await
            }
            "select" | "combobox" | "listbox" => {
                self.select(target, &[Choice::Label(value.to_owned())], acting).await
            }
            "date" | "time" | "month" | "week" | "datetime-local" | "color" | "range" => {
                self.set_value(target, prepared, value, acting).await
            }
            "file" => self.upload(target, &[PathBuf::from(value)], acting).await,
            _ => self.insert(target, value, acting).await,
        }
    }

    /// Replaces the text of a field in one go, as pasting would: the browser's own input event.
    async fn insert(&self, target: &Target, value: &str, acting: &Acting) -> Result<Outcome> {
        let deadline = acting.deadline();
        let prepared = self.prepare(target, acting.need(Need::FIELD), None, deadline).await?;
        if prepared.kind == "number" && value.trim().parse::<f64>().is_err() && !value.is_empty() {
            return Err(Error::Invalid(format!("{} takes a number", prepared.description)));
        }
        let mark = Mark::now(&self.tab);
        let empty = self.focus(&prepared, true, deadline).await?;
        let session = &self.tab.session;
        let mut sent = Vec::new();
        if !value.is_empty() {
            sent.push(session.send(&InsertText { text: value.to_owned() }));
        } else if !empty {
            let delete = keys::parse_chord("Delete").map_err(|e| Error::Invalid(e.to_string()))?;
            sent.extend(input::press(session, &delete));
        }
        let secret = prepared.field.secret;
        let outcome = self.finish(&mark, target, prepared, sent, acting).await?;
        Ok(checked_value(outcome, value, secret))
    }

    async fn set_value(
        &self,
        target: &Target,
        prepared: Prepared,
        value: &str,
        acting: &Acting,
    ) -> Result<Outcome> {
        let mark = Mark::now(&self.tab);
        let args = serde_json::json!({ "ref": prepared.reference, "value": value });
        let deadline = acting.deadline();
        let set: Accepted = self.call(&prepared.world, "setValue", &args, deadline).await?;
        if !set.accepted {
            return Err(Error::Invalid(format!(
                "{} does not take {value:?}: it takes {}",
                prepared.description, set.expects
            )));
        }
        self.finish(&mark, target, prepared, Vec::new(), acting).await
    }

    /// Checks or unchecks a box, switch or radio button; does nothing when it is so already.
    pub async fn check(&self, target: &Target, on: bool, acting: &Acting) -> Result<Outcome> {
        let deadline = acting.deadline();
        let need = Need { editable: false, visible: false, ..acting.need(Need::FIELD) };
        let prepared = self.prepare(target, need, None, deadline).await?;
        let Some(state) = prepared.field.checked else {
            return Err(Error::NotActionable {
                target: prepared.description,
                obstacle: Obstacle::Unsuitable("is not something to check".into()),
            });
        };
        if state == on {
            return Ok(Outcome {
                acted_on: Some(prepared.description),
                effects: vec![Effect::Checked(on)],
                ..Default::default()
            });
        }
        if prepared.kind == "radio" && !on {
            return Err(Error::Invalid(format!(
                "{} cannot be unchecked; choose another one of its group",
                prepared.description
            )));
        }
        let aim = self.visible_stand_in(&prepared, deadline).await?;
        let click = Click { acting: *acting, ..Default::default() };
        let mut outcome = self.click(&aim, &click).await?;
        outcome.acted_on = Some(prepared.description.clone());
        self.verify_checked(outcome, &prepared, on).await
    }

    /// Styled boxes hide the real one behind their label, which is what a person clicks.
    async fn visible_stand_in(&self, prepared: &Prepared, deadline: Instant) -> Result<Target> {
        #[derive(Deserialize)]
        struct StandIn {
            #[serde(rename = "ref")]
            reference: String,
        }
        let args = serde_json::json!({ "ref": prepared.reference });
        let stand_in: StandIn = self.call(&prepared.world, "standIn", &args, deadline).await?;
        Ok(Target::Ref(stand_in.reference.parse()?))
    }

    /// Reads the box again: a redraw may have replaced it, which is not a failure of the click.
    async fn verify_checked(
        &self,
        mut outcome: Outcome,
        prepared: &Prepared,
        on: bool,
    ) -> Result<Outcome> {
        if outcome.navigation().is_some() || outcome.dialog().is_some() {
            return Ok(outcome);
        }
        let target = Target::Ref(prepared.reference.parse()?);
        let deadline = Instant::now() + Duration::from_millis(500);
        let again = self.prepare(&target, Need::PRESENT, None, deadline).await;
        outcome.effects.retain(|effect| !matches!(effect, Effect::Checked(_)));
        match again.map(|again| again.field.checked) {
            Ok(Some(state)) => {
                outcome.effects.push(Effect::Checked(state));
                if state != on {
                    outcome.verdict = Verdict::NothingChanged;
                }
            }
            _ => {
                outcome.verdict =
                    Verdict::Unverified("it was redrawn and could not be read again".into());
            }
        }
        Ok(outcome)
    }

    /// Chooses in a list: a native select, or a custom dropdown, opened and clicked like a person
    /// would.
    pub async fn select(
        &self,
        target: &Target,
        choices: &[Choice],
        acting: &Acting,
    ) -> Result<Outcome> {
        if choices.is_empty() {
            return Err(Error::Invalid("nothing to choose was given".into()));
        }
        let deadline = acting.deadline();
        let need = Need { editable: false, ..acting.need(Need::FIELD) };
        let prepared = self.prepare(target, need, None, deadline).await?;
        if prepared.kind != "select" {
            return self.select_custom(target, prepared, choices, acting).await;
        }
        let mark = Mark::now(&self.tab);
        let args = serde_json::json!({ "ref": prepared.reference, "choices": choices });
        let answer: Chosen = self.call(&prepared.world, "chooseOptions", &args, deadline).await?;
        if let Some(problem) = chosen_problem(&prepared, choices, &answer) {
            return Err(problem);
        }
        let chosen = answer.chosen.unwrap_or_default().join(", ");
        let mut outcome = self.finish(&mark, target, prepared, Vec::new(), acting).await?;
        if outcome.verdict == Verdict::NothingChanged {
            // It was chosen already.
            outcome.verdict = Verdict::Done;
            outcome.effects.push(Effect::Value { before: chosen.clone(), after: chosen });
        }
        Ok(outcome)
    }

    async fn select_custom(
        &self,
        target: &Target,
        prepared: Prepared,
        choices: &[Choice],
        acting: &Acting,
    ) -> Result<Outcome> {
        let deadline = acting.deadline();
        let [choice] = choices else {
            return Err(Error::Invalid("choose one option at a time in a custom list".into()));
        };
        let described = prepared.description.clone();
        let reference = Target::Ref(prepared.reference.parse()?);
        let quick = Acting { observe: false, ..*acting };
        let find = serde_json::json!({ "ref": prepared.reference, "choice": choice });
        let mut option = self.option_of(&prepared, &find, deadline).await?;
        if option.reference.is_none() {
            self.click(&reference, &Click { acting: quick, ..Default::default() }).await?;
            option = self.option_of(&prepared, &find, deadline).await?;
        }
        if let (None, Choice::Label(label), true) = (&option.reference, choice, option.editable) {
            // A combobox one can type into shows its options as one types.
            self.type_text(&reference, label, true, &quick).await?;
        }
        while option.reference.is_none() && Instant::now() < deadline {
            self.next_change(deadline).await?;
            option = self.option_of(&prepared, &find, deadline).await?;
            if !option.options.is_empty() && self.quiet_list(&option, &prepared, &find).await? {
                break;
            }
        }
        let Some(reference) = option.reference else {
            return Err(Error::NotFound {
                target: format!("option {} of {described}", shown_choice(choice)),
                near: option.options,
            });
        };
        let _ = target;
        let click = Click { acting: *acting, ..Default::default() };
        let mut outcome = self.click(&Target::Ref(reference.parse()?), &click).await?;
        outcome.acted_on = Some(format!("{} in {described}", outcome.acted_on.unwrap_or_default()));
        Ok(outcome)
    }

    /// Whether the list has come to rest without what is looked for.
    async fn quiet_list(
        &self,
        seen: &OptionFound,
        prepared: &Prepared,
        find: &serde_json::Value,
    ) -> Result<bool> {
        let soon = Instant::now() + Duration::from_millis(300);
        self.next_change(soon).await?;
        let again = self.option_of(prepared, find, soon + Duration::from_secs(1)).await?;
        Ok(again.reference.is_none() && again.options == seen.options)
    }

    async fn option_of(
        &self,
        prepared: &Prepared,
        find: &serde_json::Value,
        deadline: Instant,
    ) -> Result<OptionFound> {
        self.call(&prepared.world, "findListOption", find, deadline).await
    }

    /// Gives files to a file field.
    pub async fn upload(
        &self,
        target: &Target,
        files: &[PathBuf],
        acting: &Acting,
    ) -> Result<Outcome> {
        let files = files.iter().map(readable).collect::<Result<Vec<_>>>()?;
        let deadline = acting.deadline();
        let need = Need { visible: false, editable: false, ..acting.need(Need::FIELD) };
        let prepared = self.prepare(target, need, None, deadline).await?;
        if prepared.kind != "file" {
            return Err(Error::NotActionable {
                target: prepared.description,
                obstacle: Obstacle::Unsuitable("is not a file field".into()),
            });
        }
        let mark = Mark::now(&self.tab);
        let declaration = "(ref) => legwork.node(ref)";
        let object_id = self.handle(&prepared.world, declaration, &prepared.reference).await?;
        let command = SetFileInputFiles { files, object_id, ..Default::default() };
        let sent = prepared.world.session.send(&command);
        match self.tab.unless_blocked(sent).await {
            Err(Error::Protocol(message)) => {
                return Err(Error::Invalid(format!("{}: {message}", prepared.description)));
            }
            other => other?,
        };
        self.finish(&mark, target, prepared, Vec::new(), acting).await
    }
}

#[derive(Deserialize)]
struct OptionFound {
    #[serde(rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    editable: bool,
}

fn chosen_problem(prepared: &Prepared, choices: &[Choice], answer: &Chosen) -> Option<Error> {
    if answer.missing.is_some() {
        let wanted = choices.iter().map(shown_choice).collect::<Vec<_>>().join(", ");
        return Some(Error::NotFound {
            target: format!("option {wanted} of {}", prepared.description),
            near: answer.options.clone(),
        });
    }
    if let Some(label) = &answer.disabled {
        return Some(Error::NotActionable {
            target: format!("option {label:?} of {}", prepared.description),
            obstacle: Obstacle::Disabled,
        });
    }
    answer.single.map(|_| Error::Invalid(format!("{} takes one option", prepared.description)))
}

fn shown_choice(choice: &Choice) -> String {
    match choice {
        Choice::Label(label) => format!("{label:?}"),
        Choice::Value(value) => format!("with value {value:?}"),
        Choice::Index(index) => format!("number {index}"),
    }
}

fn wants_on(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "checked" | "1" => Some(true),
        "false" | "off" | "no" | "unchecked" | "0" | "" => Some(false),
        _ => None,
    }
}

fn readable(path: &PathBuf) -> Result<String> {
    let refused = |reason: &str| Error::File { path: path.clone(), reason: reason.to_owned() };
    let metadata = std::fs::metadata(path).map_err(|e| refused(&e.to_string()))?;
    if metadata.is_dir() {
        return Err(refused("is a directory; give the files in it one by one"));
    }
    std::fs::File::open(path).map_err(|e| refused(&e.to_string()))?;
    let absolute = std::fs::canonicalize(path).map_err(|e| refused(&e.to_string()))?;
    Ok(absolute.display().to_string())
}

/// Says so when the field holds something else than what was entered.
fn checked_value(mut outcome: Outcome, wanted: &str, secret: bool) -> Outcome {
    let held = outcome.effects.iter().find_map(|effect| match effect {
        Effect::Value { after, .. } => Some(after.clone()),
        _ => None,
    });
    match held {
        Some(held) if !secret && held.trim_end() != wanted.trim_end() => {
            outcome.verdict =
                Verdict::Unverified(format!("the field holds {held:?}, not {wanted:?}"));
        }
        None if outcome.verdict == Verdict::NothingChanged => {}
        _ => {}
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_and_no_are_understood_in_the_usual_words() {
        for (word, expected) in [("true", Some(true)), ("Off", Some(false)), ("maybe", None)] {
            assert_eq!(wants_on(word), expected, "{word}");
        }
    }

    #[test]
    fn a_directory_is_refused_with_its_reason() {
        let error = readable(&std::env::temp_dir()).unwrap_err();
        assert!(error.to_string().contains("is a directory"), "{error}");
        assert!(readable(&PathBuf::from("/no/such/file")).is_err());
    }
}
