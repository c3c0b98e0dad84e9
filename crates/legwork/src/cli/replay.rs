//! `legwork replay`: a recipe is done again, each step verified, without a model unless one may heal it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use legwork_agent::model::Model;
use legwork_agent::recipe::{End, Recipe, Replayed, replay};
use legwork_protocol::{Code, Span, ToolError};
use serde_json::json;

use super::approve::{self, Here};
use super::call::too_late;
use super::failure::{Exit, Failure};
use super::player::{Player, Spending};
use super::recipe::unusable;
use super::run::{Limits, window};
use super::{Globals, finish, runtime, show};
use crate::assistant::model;
use crate::config::Config;
use crate::daemon::link::Reach;
use crate::view::clean;

/// What to do again.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The recipe
    file: PathBuf,
    /// What its parameters are this time
    #[arg(value_name = "NAME=VALUE", value_parser = value)]
    values: Vec<(String, String)>,
    /// Lets the model do a step that no longer fits, where its other descriptions do not find the element
    #[arg(long)]
    heal: bool,
    /// Writes healed steps into the recipe
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    limits: Limits,
}

fn value(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = pair.ok_or("expected NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

pub(super) fn run(globals: &Globals, arguments: &Arguments) -> Result<(), Failure> {
    let recipe = Recipe::read(&arguments.file).map_err(|error| unusable(&error))?;
    finish(runtime()?, whole(globals, arguments, &recipe))
}

async fn whole(globals: &Globals, arguments: &Arguments, recipe: &Recipe) -> Result<(), Failure> {
    let config = globals.load(false)?;
    let texts = recipe.steps.iter().filter_map(|step| step.value.as_ref());
    texts
        .into_iter()
        .try_for_each(|text| config.vault.named(text).map(drop))
        .map_err(Failure::unreadable)?;
    let healer = healer(globals, arguments, &config).await?;
    let reach = Arc::new(Reach::new(globals.place()?, globals.starting()?));
    let session = globals.session();
    let price = healer.as_ref().and_then(|model| model.price());
    let budget = arguments.limits.wish(globals, &config).budget.unwrap_or_else(|| config.budget());
    let done = Arc::new(Mutex::new(String::new()));
    let told = done.clone();
    let mut player = Player::new(reach.clone(), &session, Spending::new(budget, price));
    let json = globals.json;
    player.tell = Box::new(move |what| {
        if !json {
            eprintln!("  … {}", clean(what));
        }
        what.clone_into(&mut told.lock().unwrap_or_else(PoisonError::into_inner));
    });
    let values: BTreeMap<String, String> = arguments.values.iter().cloned().collect();
    let played = async {
        reach.ready().await?;
        player.window = window(&reach, &session, globals, &config).await?;
        let person = Here::attend(&session).await;
        tokio::select! {
            played = replay(recipe, &values, &mut player, healer.as_deref()) => {
                played.map_err(|error| unusable(&error))
            }
            () = approve::answer(person) => std::future::pending().await,
        }
    };
    let replayed = tokio::select! {
        played = played => played?,
        () = limit(globals.timeout) => return Err(undone(&done, too_late(globals.timeout).into())),
        _ = tokio::signal::ctrl_c() => return Err(undone(&done, Failure::interrupted())),
    };
    tell(globals, recipe, &replayed)?;
    if arguments.update && !replayed.healed.is_empty() {
        let healed = recipe.with_healed(&replayed);
        healed.write(&arguments.file).map_err(|error| unusable(&error))?;
        eprintln!("updated: {}", arguments.file.display());
    }
    judged(&replayed, arguments.heal)
}

/// Says what was under way when it was ended.
fn undone(under_way: &Mutex<String>, failure: Failure) -> Failure {
    let last = under_way.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if !last.is_empty() {
        eprintln!("not done: {} and what follows it", clean(&last));
    }
    failure
}

/// The time that the whole may take, if there is a limit.
async fn limit(time: Option<Span>) {
    match time {
        Some(Span(time)) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}

/// The model that may heal, if one may.
async fn healer(
    globals: &Globals,
    arguments: &Arguments,
    config: &Config,
) -> Result<Option<Arc<dyn Model>>, Failure> {
    if !arguments.heal {
        return Ok(None);
    }
    let wish = arguments.limits.wish(globals, config);
    let healer = model(config, wish.model.as_deref()).await.map_err(Failure::unreadable)?;
    match healer {
        Some(model) => Ok(Some(model)),
        None => Err(Failure::unreadable(
            ToolError::invalid("--heal needs a model").with_hint("name one with --model"),
        )),
    }
}

/// What came of it: what was read on standard output, the rest beside it.
fn tell(globals: &Globals, recipe: &Recipe, replayed: &Replayed) -> Result<(), Failure> {
    let Replayed { done, skipped, idle, healed, extracted, tokens, .. } = replayed;
    let (steps, tokens) = (recipe.steps.len(), tokens.input + tokens.output);
    if globals.json {
        let healed: Vec<_> =
            healed.iter().map(|one| json!({ "step": one.step, "told": one.told })).collect();
        let whole = json!({
            "done": done, "steps": steps, "skipped": skipped, "idle": idle,
            "healed": healed, "extracted": extracted, "tokens": tokens,
        });
        return show::line(&whole.to_string());
    }
    for one in healed {
        eprintln!("healed {}: {}", one.step, clean(&one.told));
    }
    for step in idle {
        eprintln!("step {step} changed nothing, and the recipe does not say that it should");
    }
    let (healed, skipped) = (healed.len(), skipped.len());
    let left_out = if skipped > 0 { format!(", {skipped} left out") } else { String::new() };
    eprintln!("{done} of {steps} steps done{left_out}, {healed} healed, {tokens} tokens");
    match extracted.is_empty() {
        true => Ok(()),
        false => show::line(&extracted.join("\n")),
    }
}

fn judged(replayed: &Replayed, may_heal: bool) -> Result<(), Failure> {
    match &replayed.end {
        End::Finished => Ok(()),
        End::Skipped => {
            let steps: Vec<String> = replayed.skipped.iter().map(usize::to_string).collect();
            let message = format!("left out by you: step {}", steps.join(", "));
            Err(Failure::new(Exit::Tool, Code::StepFailed.text(), message))
        }
        End::Differs(difference) => {
            let hint = match (difference.may_be_done, may_heal) {
                (true, _) => "it may have been done: look at the page before you do it again",
                (false, true) => "change the step in the recipe, or record it again",
                (false, false) => "--heal lets a model do it; or change the step in the recipe",
            };
            let message = clean(&difference.to_string());
            Err(Failure::new(Exit::Tool, Code::StepFailed.text(), message).with_hint(hint))
        }
        End::Failed { step, error } => {
            let message = format!("step {step}: {}", error.message);
            Err(Failure::from(ToolError { message, ..error.clone() }))
        }
        End::Stopped => Err(Failure::new(Exit::Interrupted, Code::Cancelled.text(), "stopped")),
    }
}
