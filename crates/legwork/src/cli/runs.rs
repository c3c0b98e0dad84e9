//! `legwork runs`: which there were, how they ended, what was done in one of them; making recipes of them, and
//! deleting them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use legwork_agent::recipe::Wanted;
use legwork_agent::run::{Assistant, RunError, Settings, Step, StepState};
use legwork_protocol::Code;
use legwork_protocol::assistant::{RunStatus, StateUpdate};
use serde_json::json;

use super::failure::{Exit, Failure};
use super::recipe::{self, wanted};
use super::run::refused;
use super::{Globals, show};
use crate::daemon::link::Reach;
use crate::view::{self, clean, status};

/// Which runs.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// What to do with them
    #[command(subcommand)]
    change: Option<Change>,
    /// Only this one, with its tasks and steps
    id: Option<String>,
    /// How many, the latest first
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

/// What can be done with runs that are over.
#[derive(Debug, Subcommand)]
enum Change {
    /// Saves what was done in a completed run as a recipe, for `legwork replay`
    #[command(
        after_help = "Example:\n  legwork runs save r3f9c01ab22de7788 order.toml --parameter item=\"Oat milk\""
    )]
    Save {
        /// Which
        id: String,
        /// The file of the recipe; one that is there already stays, and is refused
        file: PathBuf,
        /// What is another each time: name=value for whatever was that value, or the label of a field
        #[arg(long, value_name = "NAME=VALUE|LABEL", value_parser = wanted)]
        parameter: Vec<Wanted>,
    },
    /// Deletes runs with their steps, for good
    #[command(after_help = "Example:\n  legwork runs delete r3f9c01ab22de7788")]
    Delete {
        /// Which
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Deletes all but the latest runs; those that are under way or wait for somebody stay
    #[command(after_help = "Example:\n  legwork runs prune --keep 20")]
    Prune {
        /// How many to keep
        #[arg(long, value_name = "NUMBER", default_value_t = 100)]
        keep: usize,
    },
}

pub(super) fn run(globals: &Globals, arguments: &Arguments) -> Result<(), Failure> {
    let config = globals.load(false)?;
    // Nothing is called, so no daemon is started.
    let reach = Arc::new(Reach::new(globals.place()?, globals.starting()?));
    let settings = Settings::in_folder(config.runs_folder());
    let assistant = Assistant::new(reach, settings).map_err(refused)?;
    if let Some(change) = &arguments.change {
        return change.make(&assistant, globals.json);
    }
    let runs = assistant.runs().map_err(refused)?;
    let Some(id) = &arguments.id else {
        let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
        let runs = &runs[..limit.min(runs.len())];
        return list(runs, globals.json);
    };
    let state = named(runs, id)?;
    let steps = assistant.steps(id).map_err(refused)?;
    match globals.json {
        true => show::line(&json!({ "run": state, "steps": steps }).to_string()),
        false => one(&state, &steps),
    }
}

/// The run of this name.
fn named(runs: Vec<StateUpdate>, id: &str) -> Result<StateUpdate, Failure> {
    let found = runs.into_iter().find(|run| run.run_id == id);
    found.ok_or_else(|| refused(RunError::Unknown(id.to_owned())))
}

impl Change {
    fn make(&self, assistant: &Assistant, as_json: bool) -> Result<(), Failure> {
        let deleted = match self {
            Change::Save { id, file, parameter } => {
                return save(assistant, id, file, parameter);
            }
            Change::Delete { ids } => {
                for id in ids {
                    assistant.delete(id).map_err(refused)?;
                }
                ids.len()
            }
            Change::Prune { keep } => assistant.prune(*keep).map_err(refused)?,
        };
        show::line(&match (as_json, deleted) {
            (true, _) => json!({ "deleted": deleted }).to_string(),
            (false, 1) => "1 run deleted".to_owned(),
            (false, _) => format!("{deleted} runs deleted"),
        })
    }
}

/// Makes a recipe of a run. Half of an errand is none.
fn save(
    assistant: &Assistant,
    id: &str,
    file: &Path,
    parameters: &[Wanted],
) -> Result<(), Failure> {
    let state = named(assistant.runs().map_err(refused)?, id)?;
    if state.status != RunStatus::Completed {
        let message = format!("the run {id} is not completed: {}", status(&state));
        let hint = match state.status {
            RunStatus::Interpreting | RunStatus::Running => {
                "it is under way: save it when it is over".to_owned()
            }
            _ => format!("it goes on with: legwork run --resume {id}"),
        };
        let failure = Failure::new(Exit::Usage, Code::InvalidInput.text(), message);
        return Err(failure.with_hint(hint));
    }
    recipe::save(assistant, &state, file, parameters)
}

fn list(runs: &[StateUpdate], as_json: bool) -> Result<(), Failure> {
    let line = |run: &StateUpdate| {
        let (id, status, words) = (&run.run_id, status(run), clean(&run.instruction));
        format!("{id}  {status:<11} {words}")
    };
    show::line(&match as_json {
        true => json!({ "runs": runs }).to_string(),
        false if runs.is_empty() => "there are no runs yet".to_owned(),
        false => runs.iter().map(line).collect::<Vec<_>>().join("\n"),
    })
}

fn one(state: &StateUpdate, steps: &[Step]) -> Result<(), Failure> {
    let mut lines =
        vec![format!("{} in session {:?}", clean(&state.instruction), state.session_id)];
    lines.extend(view::ending(state).into_iter().map(|line| line.text));
    lines.extend(steps.iter().map(|step| {
        let how = match step.state {
            StepState::Begun => "begun",
            StepState::Done => "done",
            StepState::Failed => "failed",
        };
        let arguments = serde_json::Value::Object(step.arguments.clone());
        format!("{:>3} {how:<6} {} {}", step.number, step.tool, clean(&arguments.to_string()))
    }));
    show::line(&lines.join("\n"))
}
