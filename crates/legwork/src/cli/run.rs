//! `legwork run`: plain language to finished work, in the same sessions as every other command.

use std::sync::Arc;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use legwork_agent::model::ModelError;
use legwork_agent::recipe::Wanted;
use legwork_agent::run::Assistant;
use legwork_protocol::assistant::{Budget, Execute, RunStatus, StateUpdate};
use legwork_protocol::{Code, Open, Span, ToolCall, ToolError, ToolHost};

use super::approve::Here;
use super::call::{Call, span};
use super::failure::{Exit, Failure};
use super::follow::{Ended, Follow, judged};
use super::keyboard::Keyboard;
use super::output::Output;
use super::recipe::{self, wanted};
use super::{Globals, develop, finish};
use crate::assistant::{self, Wish, assistant};
use crate::config::{Config, Dollars};
use crate::daemon::link::Reach;
use crate::view::Window;

/// What to do.
#[derive(Debug, Args)]
pub struct Arguments {
    /// What to do, in plain language; - reads it from standard input
    #[arg(required_unless_present = "resume")]
    instruction: Option<String>,
    /// Shows the tasks first, and begins when you agree
    #[arg(long)]
    plan: bool,
    /// Goes on with a run that was stopped, killed or failed; the last one if none is named
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with_all = ["instruction", "plan"])]
    resume: Option<String>,
    /// Saves what was done as a recipe, for `legwork replay`; a file that is there already is refused
    #[arg(long, value_name = "FILE")]
    save_recipe: Option<PathBuf>,
    /// With --save-recipe, what is another each time: name=value for whatever was that value, or a label
    #[arg(long, value_name = "NAME=VALUE|LABEL", value_parser = wanted, requires = "save_recipe")]
    parameter: Vec<Wanted>,
    #[command(flatten)]
    limits: Limits,
}

/// The model, and what a run may cost.
#[derive(Debug, Args)]
pub struct Limits {
    /// Model to ask for what the grammar does not understand: provider:name
    #[arg(long, value_name = "PROVIDER:NAME")]
    model: Option<String>,
    /// Turns of the model that the run may take
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: Option<u32>,
    /// Time that the run may be at work, such as 90s or 15m
    #[arg(long, value_name = "SPAN", value_parser = some_time)]
    time_budget: Option<Span>,
    /// Tokens that the run may read and write
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens: Option<u64>,
    /// US dollars that the run may cost, where the model's price is known
    #[arg(long, value_name = "DOLLARS", value_parser = Dollars::parse)]
    max_cost: Option<Dollars>,
}

/// A span in which something can be done.
fn some_time(text: &str) -> Result<Span, String> {
    match span(text)? {
        Span(time) if time.is_zero() => Err("nothing can be done in no time".to_owned()),
        span => Ok(span),
    }
}

impl Limits {
    /// What was said, and what is configured for the rest.
    pub(super) fn wish(&self, globals: &Globals, config: &Config) -> Wish {
        let usual = config.budget();
        let time = self.time_budget.or(globals.timeout);
        let budget = Budget {
            turns: self.max_turns.unwrap_or(usual.turns),
            seconds: time.map_or(usual.seconds, |Span(time)| time.as_secs().max(1)),
            tokens: self.max_tokens.unwrap_or(usual.tokens),
            cost_micros: self.max_cost.map(|Dollars(micros)| micros).or(usual.cost_micros),
        };
        Wish { model: self.model.clone(), budget: Some(budget) }
    }
}

/// What a run needs at this terminal.
pub(super) struct Desk {
    pub(super) reach: Arc<Reach>,
    pub(super) assistant: Assistant,
    pub(super) here: Option<Here>,
    pub(super) session: String,
    pub(super) window: Window,
}

impl Desk {
    /// Finds or starts the daemon.
    pub(super) async fn open(
        globals: &Globals,
        config: &Config,
        wish: &Wish,
    ) -> Result<Desk, Failure> {
        let reach = Arc::new(Reach::new(globals.place()?, globals.starting()?));
        let assistant = assistant(config, reach.clone(), "cli", wish).await;
        let assistant = assistant.map_err(Failure::unreadable)?;
        reach.ready().await?;
        let (here, session, window) = (None, globals.session(), Window::Shown);
        Ok(Desk { reach, assistant, here, session, window })
    }

    /// Sits down at the session, with a window if a person is to see it.
    pub(super) async fn attend(
        &mut self,
        globals: &Globals,
        config: &Config,
    ) -> Result<(), Failure> {
        self.window = window(&self.reach, &self.session, globals, config).await?;
        self.here = Here::attend(&self.session).await;
        Ok(())
    }

    /// What is to be done in this session.
    pub(super) fn execute(&self, instruction: &str, plan_first: bool) -> Execute {
        let session_id = Some(self.session.clone());
        Execute { instruction: instruction.to_owned(), session_id, plan_first, budget: None }
    }
}

/// Whether a session has a window, or will once it is opened. With `--headed` it gets one now.
pub(super) async fn window(
    reach: &Reach,
    session: &str,
    globals: &Globals,
    config: &Config,
) -> Result<Window, Failure> {
    if globals.headed {
        with_window(reach, session).await?;
    }
    let headless = match reach.session(session).await? {
        Some(open) => open.headless,
        None => !config.values.headed && config.values.attach.is_none(),
    };
    Ok(if headless { Window::None } else { Window::Shown })
}

/// A person may have to act in the browser, and sees it then; at the same address as before.
async fn with_window(reach: &Reach, session: &str) -> Result<(), Failure> {
    let before = reach.session(session).await?.and_then(|open| open.url);
    let url = before.unwrap_or_else(|| "about:blank".to_owned());
    let open = Open { url, headless: Some(false), ..Default::default() };
    let call = Call::of("browser_open", open).map_err(|error| Failure::usage(&error))?;
    reach.call(ToolCall::new(session, &call.tool, call.arguments)).await?;
    Ok(())
}

pub(super) fn run(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    finish(threads()?, whole(globals, arguments))
}

/// Runs save each step, which may take the disk a while: that is for threads of their own, so that an
/// interrupt is heard at once.
pub(super) fn threads() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.context("no async runtime").map_err(|error| Failure::internal(&error))
}

async fn whole(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    let config = globals.load(false)?;
    arguments.save_recipe.as_deref().map_or(Ok(()), recipe::vacant)?;
    let instruction = arguments.instruction.map(develop::or_standard_input).transpose();
    let instruction = instruction.map_err(|error| Failure::usage(&error))?;
    let wish = arguments.limits.wish(globals, &config);
    let opened = async {
        let mut desk = Desk::open(globals, &config, &wish).await?;
        if let (Some(_), Some(why)) = (&arguments.limits.max_cost, desk.assistant.uncapped()) {
            eprintln!("warning: {why}");
        }
        let resumed = match instruction {
            Some(_) => None,
            None => Some(unfinished(&desk.assistant, arguments.resume.as_deref(), globals)?),
        };
        if let Some(run) = &resumed {
            desk.session.clone_from(&run.session_id);
            if !globals.json {
                eprintln!("legwork: going on with {} in session {:?}", run.run_id, run.session_id);
            }
        }
        desk.attend(globals, &config).await?;
        Ok::<_, Failure>((desk, resumed))
    };
    let (mut desk, resumed) = tokio::select! {
        opened = opened => opened?,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted()),
    };
    let told = desk.assistant.subscribe();
    let run = match resumed {
        Some(run) => desk.assistant.resume(&run.run_id).map(|()| run.run_id),
        None => {
            let execute = desk.execute(&instruction.unwrap_or_default(), arguments.plan);
            desk.assistant.start(execute, "run")
        }
    };
    let run = run.map_err(refused)?;
    let mut keyboard = Keyboard::new(globals.json);
    let mut output = Output::new(globals.json, desk.window, keyboard.who);
    let follow = Follow::new(&desk.assistant, &mut output, &mut keyboard, &mut desk.here);
    let ended = follow.run(&run, told).await?;
    let (Ended::Over(state) | Ended::Interrupted(state) | Ended::Unattended(state, _)) = &ended;
    output.ended(state)?;
    let meant = judged(&ended, trouble(&desk));
    let meant = meant.map_err(|failure| match &arguments.save_recipe {
        Some(file) => failure.and_hint(&recipe::unsaved(state, file)),
        None => failure,
    });
    if let Ended::Interrupted(_) = ended {
        // The process ends now. Letting go of the run could wait for the disk; that its process is gone
        // says as much.
        std::mem::forget(desk);
        return meant;
    }
    meant?;
    match &arguments.save_recipe {
        Some(file) => recipe::save(&desk.assistant, state, file, &arguments.parameter),
        None => Ok(()),
    }
}

/// What kept a run from being done, other than the page: the browser, the daemon or the model.
pub(super) fn trouble(desk: &Desk) -> Option<Failure> {
    let unusable = |error: ModelError| match error {
        ModelError::Key { .. } | ModelError::Refused { status: 404, .. } => {
            Failure::unreadable(assistant::unusable(error))
        }
        _ => Failure::new(Exit::Tool, Code::StepFailed.text(), error.to_string())
            .with_hint("docs/models.md has how models are reached"),
    };
    let model = desk.assistant.trouble().map(unusable);
    desk.reach.trouble().map(Failure::from).or(model)
}

/// Why a run was not begun.
pub(super) fn refused(error: legwork_agent::run::RunError) -> Failure {
    Failure::unreadable(ToolError::from(error))
}

/// The run that was named, or the last one that is not over: of the session, if one was named.
fn unfinished(
    assistant: &Assistant,
    named: Option<&str>,
    globals: &Globals,
) -> Result<StateUpdate, Failure> {
    let named = named.filter(|name| !name.is_empty());
    let session = globals.named_session();
    let meant = |run: &StateUpdate| match named {
        Some(name) => run.run_id == name,
        None => {
            let here = session.as_ref().is_none_or(|session| *session == run.session_id);
            let done_or_under_way =
                [RunStatus::Completed, RunStatus::Interpreting, RunStatus::Running];
            here && !done_or_under_way.contains(&run.status)
        }
    };
    let found = assistant.runs().map_err(refused)?.into_iter().find(meant);
    found.ok_or_else(|| {
        let (code, message) = match (named, &session) {
            (Some(name), _) => (Code::NotFound, format!("there is no run {name:?}")),
            (None, Some(session)) => {
                let message = format!("there is no run to go on with in session {session:?}");
                (Code::InvalidInput, message)
            }
            (None, None) => (Code::InvalidInput, "there is no run to go on with".to_owned()),
        };
        Failure::new(Exit::Usage, code.text(), message).with_hint("`legwork runs` lists them")
    })
}
