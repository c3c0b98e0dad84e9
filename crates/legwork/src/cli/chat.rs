//! `legwork chat`: instructions one after the other in one session, each of which knows of those before.
//! What is typed while one is done is said to it.

use std::path::Path;

use clap::Args;
use legwork_protocol::assistant::StateUpdate;
use legwork_protocol::{Code, ToolError};

use super::failure::{Exit, Failure};
use super::follow::{Ended, Follow, judged};
use super::keyboard::{Keyboard, Who};
use super::output::Output;
use super::run::{Desk, Limits, threads, trouble};
use super::{Globals, finish, recipe};
use crate::assistant::assistant;
use crate::config::Config;

/// How to talk.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Shows the tasks of each instruction first
    #[arg(long)]
    plan: bool,
    #[command(flatten)]
    limits: Limits,
}

const HELP: &str = "Say what to do. While it is done: words are heard, /stop ends it.
/plan       shows the tasks first, or no longer
/model NAME asks another model; /model alone, none
/save FILE  saves what was done last as a recipe, in a new file
/quit       ends";

struct Chat<'a> {
    globals: &'a Globals,
    config: Config,
    limits: Limits,
    desk: Desk,
    plan: bool,
    last: Option<StateUpdate>,
    /// Instructions that were not done.
    undone: usize,
    output: Output,
    keyboard: Keyboard,
}

pub(super) fn run(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    finish(threads()?, whole(globals, arguments))
}

async fn whole(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    let config = globals.load(false)?;
    let Arguments { plan, limits } = arguments;
    let mut desk = Desk::open(globals, &config, &limits.wish(globals, &config)).await?;
    desk.attend(globals, &config).await?;
    let keyboard = Keyboard::new(false);
    let output = Output::new(globals.json, desk.window, keyboard.who);
    let (last, undone) = (None, 0);
    let mut chat = Chat { globals, config, limits, desk, plan, last, undone, output, keyboard };
    let is_person = chat.keyboard.who == Who::Person;
    if is_person {
        eprintln!("{HELP}");
    }
    chat.converse().await?;
    // A person has seen what was not done; a script sees how it ended.
    let message = match chat.undone {
        _ if is_person => return Ok(()),
        0 => return Ok(()),
        1 => "1 instruction was not done".to_owned(),
        undone => format!("{undone} instructions were not done"),
    };
    Err(Failure::new(Exit::Tool, Code::StepFailed.text(), message))
}

impl Chat<'_> {
    async fn converse(&mut self) -> Result<(), Failure> {
        loop {
            if self.keyboard.who == Who::Person {
                eprint!("> ");
            }
            let line = tokio::select! {
                line = self.keyboard.line() => line,
                _ = tokio::signal::ctrl_c() => None,
            };
            let Some(line) = line else { return Ok(()) };
            let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            match (word, rest.trim()) {
                ("", _) => {}
                ("/quit" | "/exit", _) => return Ok(()),
                ("/plan", _) => {
                    self.plan = !self.plan;
                    let shown = if self.plan { "are shown first" } else { "begin at once" };
                    eprintln!("tasks {shown}");
                }
                ("/model", name) => self.ask_another(name).await,
                ("/save", file) => self.save(file),
                ("/stop", _) => eprintln!("nothing is being done"),
                (word, _) if word.starts_with('/') => eprintln!("{HELP}"),
                _ => self.done(line.trim()).await?,
            }
        }
    }

    /// Does what was said. What went wrong is told, and the conversation goes on.
    async fn done(&mut self, instruction: &str) -> Result<(), Failure> {
        let told = self.desk.assistant.subscribe();
        let execute = self.desk.execute(instruction, self.plan);
        let run = match self.desk.assistant.start(execute, "chat") {
            Ok(run) => run,
            Err(error) => {
                eprintln!("{}", ToolError::from(error).told());
                self.undone += 1;
                return Ok(());
            }
        };
        // From a pipe, the next line is the next instruction and nothing said to this one.
        let mut nobody = Keyboard::nobody();
        let keyboard = match self.keyboard.who {
            Who::Person => &mut self.keyboard,
            _ => &mut nobody,
        };
        let desk = &mut self.desk;
        let follow = Follow::new(&desk.assistant, &mut self.output, keyboard, &mut desk.here);
        let ended = follow.run(&run, told).await?;
        let (Ended::Over(state) | Ended::Interrupted(state) | Ended::Unattended(state, _)) = &ended;
        self.output.ended(state)?;
        if let Err(failure) = judged(&ended, trouble(&self.desk)) {
            failure.tell(self.globals.json);
            self.undone += 1;
        }
        let (Ended::Over(state) | Ended::Interrupted(state) | Ended::Unattended(state, _)) = ended;
        self.last = Some(state);
        Ok(())
    }

    async fn ask_another(&mut self, name: &str) {
        let mut wish = self.limits.wish(self.globals, &self.config);
        wish.model = (!name.is_empty()).then(|| name.to_owned());
        let mut config = self.config.clone();
        if name.is_empty() {
            config.values.model = None;
        }
        match assistant(&config, self.desk.reach.clone(), "cli", &wish).await {
            Ok(assistant) => self.desk.assistant = assistant,
            Err(error) => eprintln!("{}", error.told()),
        }
    }

    fn save(&self, file: &str) {
        let saved = match (&self.last, file) {
            (_, "") => return eprintln!("/save wants a file: /save errand.toml"),
            (None, _) => return eprintln!("nothing was done yet"),
            (Some(state), file) => recipe::save(&self.desk.assistant, state, Path::new(file), &[]),
        };
        if let Err(failure) = saved {
            failure.tell(false);
        }
    }
}
