//! `legwork approve`: a person answers what calls ask. It wants a terminal, so that a program that makes
//! calls does not answer its own questions in passing.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};

use clap::Args;
use legwork_protocol::{Answer, Code, Question};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

use super::failure::{Exit, Failure};
use super::show;
use crate::approve::Asker;
use crate::config::Config;

/// What to answer.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The question; without one, each that waits is asked here
    id: Option<String>,
    /// Answers no
    #[arg(long, conflicts_with = "always")]
    deny: bool,
    /// Answers yes, and does not ask again for this action on this site
    #[arg(long)]
    always: bool,
    /// Stays and asks here whatever is asked from now on
    #[arg(long, conflicts_with_all = ["id", "list", "remembered", "forget"])]
    watch: bool,
    /// Only lists what waits for an answer
    #[arg(long)]
    list: bool,
    /// Lists what is always allowed
    #[arg(long, conflicts_with_all = ["id", "list"])]
    remembered: bool,
    /// Asks again for something that was always allowed
    #[arg(long, value_name = "ID", conflicts_with_all = ["id", "list", "remembered"])]
    forget: Option<String>,
}

pub(super) async fn run(arguments: Arguments, config: &Config, json: bool) -> Result<(), Failure> {
    let approvals = config.approvals();
    if arguments.remembered {
        let known = approvals.remembered()?;
        let line =
            |one: &legwork_tools::Remembered| format!("{} {} on {}", one.id, one.action, one.site);
        return show::line(&match json {
            true => json!(known).to_string(),
            false if known.is_empty() => "nothing is always allowed".to_owned(),
            false => known.iter().map(line).collect::<Vec<_>>().join("\n"),
        });
    }
    let askers = Asker::all().await.map_err(|error| Failure::daemon(&error))?;
    if arguments.list {
        return list(askers, json).await;
    }
    if !at_terminal() {
        let message = "a person approves at a terminal, and this is none";
        return Err(Failure::new(Exit::Usage, Code::Denied.text(), message)
            .with_hint("open a terminal and run it there; --list works anywhere"));
    }
    if let Some(id) = arguments.forget {
        let forgotten = approvals.forget(&id)?;
        return show::line(&format!("asks again: {} on {}", forgotten.action, forgotten.site));
    }
    let answer = match (arguments.deny, arguments.always) {
        (true, _) => Answer::Deny,
        (_, true) => Answer::Always,
        _ => Answer::Approve,
    };
    match arguments.id {
        Some(id) => one(askers, &id, answer).await,
        None => each(askers, arguments.watch).await,
    }
}

/// Whether somebody can read a question here and type an answer.
pub(super) fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

async fn list(askers: Vec<Asker>, json: bool) -> Result<(), Failure> {
    let mut waiting: Vec<Question> = Vec::new();
    for mut asker in askers {
        waiting.extend(asker.pending().await.unwrap_or_default());
    }
    show::line(&match json {
        true => json!(waiting).to_string(),
        false if waiting.is_empty() => "nothing waits for an answer".to_owned(),
        false => waiting.iter().map(shown).collect::<Vec<_>>().join("\n"),
    })
}

fn shown(question: &Question) -> String {
    let Question { id, session, door, action, site, because, .. } = question;
    format!("{id}  {action}\n    on {site}, session {session:?}, through {door}\n    {because}")
}

async fn one(askers: Vec<Asker>, id: &str, answer: Answer) -> Result<(), Failure> {
    for mut asker in askers {
        let waiting = asker.pending().await.unwrap_or_default();
        if waiting.iter().any(|question| question.id == id) {
            let question = asker.answer(id, answer).await;
            let question = question.map_err(|error| Failure::daemon(&error))?;
            return show::line(&said(answer, &question));
        }
    }
    let message = format!("no question {id:?} waits for an answer");
    Err(Failure::new(Exit::Tool, Code::NotFound.text(), message)
        .with_hint("`legwork approve --list` lists those that do"))
}

fn said(answer: Answer, question: &Question) -> String {
    let word = match answer {
        Answer::Approve => "approved",
        Answer::Always => "always allowed",
        Answer::Deny => "denied",
    };
    format!("{word}: {} on {}", question.action, question.site)
}

/// Asks at this terminal whatever waits; goes on with what comes if it is to watch.
async fn each(askers: Vec<Asker>, watch: bool) -> Result<(), Failure> {
    let mut keyboard = BufReader::new(tokio::io::stdin()).lines();
    if watch {
        eprintln!("legwork: waiting for questions; Ctrl-C ends");
    }
    let mut open: Vec<Asker> = Vec::new();
    let mut asked = false;
    for mut asker in askers {
        let waiting = match watch {
            true => asker.attend(None).await,
            false => asker.pending().await,
        };
        for question in waiting.unwrap_or_default() {
            asked = true;
            ask(&mut asker, &question, &mut keyboard).await?;
        }
        open.push(asker);
    }
    if !watch {
        return if asked { Ok(()) } else { show::line("nothing waits for an answer") };
    }
    while !open.is_empty() {
        let (question, at) = next(&mut open, None).await;
        match question {
            Some(question) => ask(&mut open[at], &question, &mut keyboard).await?,
            None => drop(open.remove(at)),
        }
    }
    show::line("nothing that could ask runs any more")
}

/// A person at this terminal, who is asked what a call of this session asks.
pub(super) struct Here {
    session: String,
    open: Vec<Asker>,
    /// What came while another answer was given.
    waiting: VecDeque<(Question, usize)>,
}

impl Here {
    /// Whoever sits at this terminal, if it is one. Without one nobody is asked here.
    pub(super) async fn attend(session: &str) -> Option<Here> {
        if !at_terminal() {
            return None;
        }
        let mut open = Vec::new();
        for mut asker in Asker::all().await.ok()? {
            if asker.attend(Some(session.to_owned())).await.is_ok() {
                open.push(asker);
            }
        }
        Some(Here { session: session.to_owned(), open, waiting: VecDeque::new() })
    }

    /// The next question, and which of the processes asks it. It may be given up and asked for again. Never
    /// comes if nothing runs that could ask.
    pub(super) async fn next(&mut self) -> (Question, usize) {
        if let Some(question) = self.waiting.pop_front() {
            return question;
        }
        loop {
            if self.open.is_empty() {
                return std::future::pending().await;
            }
            match next(&mut self.open, Some(&self.session)).await {
                (Some(question), at) => return (question, at),
                (None, at) => drop(self.open.remove(at)),
            }
        }
    }

    /// Answers with what the person typed; says how that went, and nothing if it is no answer.
    pub(super) async fn reply(
        &mut self,
        (question, at): &(Question, usize),
        line: &str,
    ) -> Option<String> {
        let answer = meant(Some(line))?;
        let Some(asker) = self.open.get_mut(*at) else {
            return Some("the process that asked has ended".to_owned());
        };
        let told = match asker.answer(&question.id, answer).await {
            Ok(question) => said(answer, &question),
            Err(error) => format!("{error:#}"),
        };
        // What was asked meanwhile was told between, and is asked for again.
        let more = asker.pending().await.unwrap_or_default().into_iter();
        let more = more.filter(|one| one.session == self.session && one.id != question.id);
        self.waiting.extend(more.map(|one| (one, *at)));
        Some(told)
    }
}

/// The question and what can be answered, as lines.
pub(super) fn asked(question: &Question) -> String {
    format!("{}\n{CHOICES}", shown(question))
}

const CHOICES: &str = "Approve? [y]es, [n]o, [a]lways on this site: ";

/// Puts questions to whoever is here, for as long as it is let.
pub(super) async fn answer(person: Option<Here>) {
    let Some(Here { session, mut open, .. }) = person else {
        return std::future::pending().await;
    };
    let mut keyboard = BufReader::new(tokio::io::stdin()).lines();
    while !open.is_empty() {
        let (question, at) = next(&mut open, Some(&session)).await;
        let asked = match question {
            Some(question) => ask(&mut open[at], &question, &mut keyboard).await.is_ok(),
            None => false,
        };
        if !asked {
            open.remove(at);
        }
    }
}

/// The next question of any process, about one session or about any; `None` when that process has ended.
async fn next(open: &mut [Asker], session: Option<&str>) -> (Option<Question>, usize) {
    let meant = |question: &Question| session.is_none_or(|session| question.session == session);
    let each = open.iter_mut().enumerate().map(|(at, asker)| {
        Box::pin(async move {
            loop {
                let Ok(questions) = asker.questions().await else { return (None, at) };
                if let Some(question) = questions.into_iter().find(meant) {
                    return (Some(question), at);
                }
            }
        })
    });
    futures_util::future::select_all(each).await.0
}

async fn ask(
    asker: &mut Asker,
    question: &Question,
    keyboard: &mut Lines<BufReader<Stdin>>,
) -> Result<(), Failure> {
    eprintln!("{}", shown(question));
    loop {
        eprint!("{CHOICES}");
        let _ = std::io::stderr().flush();
        let line = keyboard.next_line().await.ok().flatten();
        let Some(answer) = meant(line.as_deref()) else { continue };
        match asker.answer(&question.id, answer).await {
            Ok(question) => eprintln!("{}", said(answer, &question)),
            Err(error) => eprintln!("{error:#}"),
        }
        return Ok(());
    }
}

/// What a line answers; nothing if it is no answer. A keyboard that is gone says no.
fn meant(line: Option<&str>) -> Option<Answer> {
    match line.map(str::trim) {
        Some("y" | "yes") => Some(Answer::Approve),
        Some("a" | "always") => Some(Answer::Always),
        Some("n" | "no") | None => Some(Answer::Deny),
        Some(_) => None,
    }
}
