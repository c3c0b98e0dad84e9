//! Boxes, switches, radio buttons and lists: native ones, and those that pages draw themselves.

use std::time::Duration;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::act::{Acting, Click};
use crate::error::{Error, Obstacle, Result};
use crate::facts::Intent;
use crate::input::Sent;
use crate::outcome::{Effect, Outcome, Verdict};
use crate::page::Page;
use crate::prepare::{Need, Prepared};
use crate::refs::Ref;
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

impl Page {
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
                known: prepared.known,
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
        let click = Click { acting: acting.until(deadline), ..Default::default() };
        let mut outcome = self.click(&aim, &click).await?;
        outcome.acted_on = Some(prepared.description.clone());
        outcome.known = prepared.known.clone();
        outcome.field = Some(prepared.reference.clone());
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
        let sending = self.sending(Some(target), prepared, acting).await;
        let prepared = &sending.prepared;
        let args = serde_json::json!({ "ref": prepared.reference, "choices": choices });
        let answer: Chosen = self.call(&prepared.world, "chooseOptions", &args, deadline).await?;
        if let Some(problem) = chosen_problem(prepared, choices, &answer) {
            return Err(problem);
        }
        let secret = prepared.field.secret;
        let chosen = answer.chosen.unwrap_or_default().join(", ");
        let chosen = if secret { "••••".to_owned() } else { chosen };
        let mut outcome = self.finish(sending, Sent::default()).await?;
        let told =
            |effect: &Effect| matches!(effect, Effect::Value { .. } | Effect::Navigated { .. });
        if !outcome.effects.iter().any(told) && outcome.dialog().is_none() {
            // It was chosen already.
            outcome.verdict = Verdict::Done;
            outcome.effects = vec![Effect::Value { before: chosen.clone(), after: chosen }];
        }
        Ok(outcome)
    }

    /// Opens a list that the page draws itself, and clicks the option.
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
        let list = List { target, prepared: &prepared, choice, deadline };
        let mut option = self.option_of(&list, false).await?;
        if option.reference.is_none() {
            option = self.open_list(&list, acting).await?;
        }
        let Some(reference) = option.reference else {
            return Err(Error::NoOption {
                option: shown_choice(choice),
                list: prepared.description,
                options: option.options,
            });
        };
        let click = Click { acting: acting.until(deadline), ..Default::default() };
        let option = self.judged_option(&list, reference.parse()?).await?;
        let mut outcome = self.click(&option, &click).await?;
        let option = outcome.acted_on.unwrap_or_default();
        outcome.acted_on = Some(format!("{option} in {}", prepared.description));
        outcome.known = prepared.known.clone();
        outcome.field = Some(prepared.reference.clone());
        self.read_choice(&mut outcome, &prepared).await;
        Ok(outcome)
    }

    /// The option, sealed where its list is. What was judged before the list was open is the name that was
    /// asked for, so the option has to be called that, lead nowhere and send nothing.
    async fn judged_option(&self, list: &List<'_>, reference: Ref) -> Result<Target> {
        let option = Target::Ref(reference);
        if !matches!(list.target, Target::Sealed { .. }) {
            return Ok(option);
        }
        let within = list.deadline.saturating_duration_since(Instant::now());
        let facts = self.facts(&option, Intent::Click(None), within).await?;
        let plain =
            |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let called =
            matches!(list.choice, Choice::Label(label) if plain(label) == plain(&facts.name));
        if !called || facts.submits || facts.link.is_some() {
            return Err(Error::Unjudged(facts.description));
        }
        Ok(Target::Sealed { reference, seal: facts.seal })
    }

    /// Opens the list of a control and waits for the option, typing its name where one can type.
    async fn open_list(&self, list: &List<'_>, acting: &Acting) -> Result<OptionFound> {
        let List { target, prepared, choice, deadline } = *list;
        let control = Target::Ref(prepared.reference.parse()?);
        // What was judged is what is opened, or nothing is.
        let opened = if let Target::Sealed { .. } = target { target } else { &control };
        let quick = Acting { observe: false, ..acting.until(deadline) };
        let nothing = serde_json::json!({});
        let _: IgnoredAny = self.call(&prepared.world, "noteLists", &nothing, deadline).await?;
        self.click(opened, &Click { acting: quick, ..Default::default() }).await?;
        let mut option = self.option_of(list, true).await?;
        if let (None, Choice::Label(label), true) = (&option.reference, choice, option.editable) {
            self.type_text(&control, label, true, &quick).await?;
            option = self.option_of(list, true).await?;
        }
        while option.reference.is_none() && Instant::now() < deadline {
            self.next_change(deadline).await?;
            let again = self.option_of(list, true).await?;
            let at_rest = !again.options.is_empty() && again.options == option.options;
            option = again;
            if at_rest {
                break;
            }
        }
        Ok(option)
    }

    /// Tells what the control says now, where it can still be read.
    async fn read_choice(&self, outcome: &mut Outcome, prepared: &Prepared) {
        let told =
            |effect: &Effect| matches!(effect, Effect::Value { .. } | Effect::Navigated { .. });
        let Ok(reference) = prepared.reference.parse() else { return };
        if outcome.effects.iter().any(told) || outcome.dialog().is_some() {
            return;
        }
        let soon = Instant::now() + Duration::from_millis(500);
        let again = self.prepare(&Target::Ref(reference), Need::PRESENT, None, soon).await;
        let Ok(Some(after)) = again.map(|again| again.field.value) else { return };
        let before = prepared.field.value.clone().unwrap_or_default();
        if before != after {
            outcome.effects.push(Effect::Value { before, after });
        }
    }

    async fn option_of(&self, list: &List<'_>, opened: bool) -> Result<OptionFound> {
        let List { prepared, choice, deadline, .. } = *list;
        let find =
            serde_json::json!({ "ref": prepared.reference, "choice": choice, "opened": opened });
        self.call(&prepared.world, "findListOption", &find, deadline).await
    }
}

/// A list to choose in.
#[derive(Clone, Copy)]
struct List<'a> {
    /// As it was named.
    target: &'a Target,
    prepared: &'a Prepared,
    choice: &'a Choice,
    deadline: Instant,
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
        return Some(Error::NoOption {
            option: choices.iter().map(shown_choice).collect::<Vec<_>>().join(", "),
            list: prepared.description.clone(),
            options: answer.options.clone(),
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
