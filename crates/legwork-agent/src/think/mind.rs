//! What is kept in mind while a goal is pursued, and the loop's two ends: how it begins, and how an answer of
//! the model is followed, call by call.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};

use legwork_protocol::assistant::{AssistanceKind, Reaction};

use super::act::is_look;
use super::history::{Exchange, History, Kept, Piece};
use super::offer::{self, Command, Offer};
use super::size::{self, Limits};
use super::verify::Last;
use super::watch::Watch;
use super::{Achieved, Goal, Reports, prompt};
use crate::model::{Answer, Call, Model, Stop, Tool};
use crate::run::{Hands, Recalled};

/// A goal being pursued.
pub(super) struct Mind<'a> {
    pub(super) goal: &'a Goal,
    pub(super) model: &'a dyn Model,
    pub(super) hands: &'a mut dyn Hands,
    /// How the goal is reported, if not by `done`.
    pub(super) reports: Option<&'a mut dyn Reports>,
    pub(super) history: History,
    pub(super) limits: Limits,
    pub(super) system: String,
    pub(super) tools: Vec<Tool>,
    pub(super) watch: Watch,
    /// What came of the last action, and whether a `done` was doubted for it.
    pub(super) last: Last,
    /// Calls that were denied. They stay so.
    pub(super) denied: BTreeSet<String>,
    /// How often the person was asked for what a page wants, by kind and place.
    pub(super) asked: BTreeMap<(String, String), u32>,
    /// Places that were waited for once, in case they go by themselves.
    pub(super) passed: BTreeSet<(String, String)>,
    /// The person was told that nothing works.
    pub(super) stuck: bool,
    /// Where the browser is.
    pub(super) url: String,
    /// The page is drawn: its text says little.
    pub(super) drawn: bool,
    /// The model points at places in pictures, and so has to see what comes of it.
    pub(super) pointing: bool,
    /// What the person agreed to for the answer that is followed.
    pub(super) agreed: BTreeSet<String>,
    /// What the person said meanwhile.
    pub(super) heard: String,
    /// Answers in a row that called nothing.
    silent: u32,
}

/// What a call came to, before it is kept.
pub(super) struct Came {
    pub(super) pieces: Vec<Piece>,
    pub(super) failed: bool,
    /// A line for the summary; words of pages may be in it.
    pub(super) gist: String,
    /// Why calls after it in the same answer are not made.
    pub(super) ends: Option<&'static str>,
    pub(super) acknowledged: bool,
    /// What the model wants kept.
    pub(super) note: Option<String>,
}

impl Came {
    pub(super) fn of(pieces: Vec<Piece>, gist: impl Into<String>) -> Came {
        let (failed, ends, acknowledged, note) = (false, None, false, None);
        Came { pieces, failed, gist: gist.into(), ends, acknowledged, note }
    }

    pub(super) fn failed(self) -> Came {
        Came { failed: true, ends: Some("the call before it failed"), ..self }
    }
}

/// Letters of a note.
const NOTE: usize = 1_000;

/// Answers without a call after which it ends.
const SILENT: u32 = 3;

impl<'a> Mind<'a> {
    pub(super) fn new(
        goal: &'a Goal,
        model: &'a dyn Model,
        hands: &'a mut dyn Hands,
        reports: Option<&'a mut dyn Reports>,
    ) -> Mind<'a> {
        let abilities = model.abilities();
        let limits = Limits::of(abilities);
        let history = History::new(limits);
        let offer = if size::is_small(abilities) { Offer::Few } else { Offer::All };
        let own = reports.as_ref().map(|reports| reports.tools()).unwrap_or_default();
        Mind {
            system: prompt::system(&history.fence, abilities.vision, &own),
            tools: offer::tools(offer, &own),
            goal,
            model,
            hands,
            reports,
            history,
            limits,
            watch: Watch::default(),
            last: Last::default(),
            denied: BTreeSet::new(),
            asked: BTreeMap::new(),
            passed: BTreeSet::new(),
            stuck: false,
            url: goal.context.current_url.clone(),
            drawn: false,
            pointing: false,
            agreed: BTreeSet::new(),
            heard: String::new(),
            silent: 0,
        }
    }

    /// Says the task, looks at the page, and has a person see to what it wants of one.
    pub(super) async fn begin(&mut self) -> ControlFlow<Achieved> {
        let recalled = self.hands.recalled();
        for known in &recalled {
            if let Recalled::Answered { answer: Reaction::Said(words), chosen: false, .. } = known {
                self.heard += &format!("{words}\n");
            }
        }
        self.history.begin(prompt::first(self.goal, self.hands.before()));
        self.history.begin(recalled.into_iter().flat_map(prompt::recalled));
        self.hands.doing("looking at the page");
        let seen = self.look().await?;
        self.history.begin([Piece::ours("The page now:")].into_iter().chain(seen));
        Continue(())
    }

    /// Follows an answer: makes its calls, in order, until one of them ends the task.
    pub(super) async fn follow(&mut self, answer: Answer) -> ControlFlow<Achieved> {
        if answer.stop == Stop::Refused {
            let said = prompt::short(answer.text.trim(), 500);
            return Break(Achieved::Failed(format!("the model will not do this: {said}")));
        }
        if answer.calls.is_empty() {
            return self.nothing_called(answer);
        }
        self.silent = 0;
        self.agreed.clear();
        let calls = answer.calls.clone();
        let mut exchange = Exchange::of(answer);
        let mut ends = None;
        for call in &calls {
            let came = match ends {
                Some(why) if !self.may_look(call) => not_made(why),
                _ => self.make(call, &calls).await?,
            };
            ends = ends.or(came.ends);
            exchange.gist.extend(Some(came.gist.clone()).filter(|gist| !gist.is_empty()));
            exchange.notes.extend(came.note.clone());
            exchange.results.push(self.kept(call, came));
        }
        self.show_what_came_of_pointing(&mut exchange).await;
        self.history.push(exchange);
        Continue(())
    }

    /// Whether a call may be made although one before it in the same answer surprised: it only looks, and
    /// wants nothing agreed to that was not.
    fn may_look(&self, call: &Call) -> bool {
        let agreed = call.safety.as_ref().is_none_or(|terms| self.agreed.contains(terms));
        agreed && matches!(self.read(call), Ok(Command::Tool(action)) if is_look(&action))
    }

    async fn make(&mut self, call: &Call, calls: &[Call]) -> ControlFlow<Achieved, Came> {
        let command = match self.read(call) {
            Ok(command) => command,
            Err(error) => return self.malformed(call, &error).await,
        };
        if let Some(terms) = &call.safety
            && !self.agreed.contains(terms)
        {
            let bound = calls.iter().filter(|one| one.safety.as_ref() == Some(terms));
            match self.agree(&bound.collect::<Vec<_>>(), terms).await? {
                Ok(()) => _ = self.agreed.insert(terms.clone()),
                Err(came) => return Continue(came),
            }
        }
        let came = match command {
            Command::Done(done) => self.doubt(done).await?,
            Command::Note(note) => self.note(&note.text),
            Command::GiveUp(given) => return Break(Achieved::Failed(given.reason)),
            Command::Assist(asked) => self.assist(asked).await?,
            Command::Tool(action) => self.act(action).await?,
            Command::Report(tool, arguments) => self.report(call, &tool, arguments).await?,
        };
        Continue(Came { acknowledged: call.safety.is_some(), ..came })
    }

    fn note(&mut self, text: &str) -> Came {
        let text = prompt::short(text.trim(), NOTE);
        self.hands.note(&text);
        Came { note: Some(text), ..Came::of(vec![Piece::ours("Kept.")], "") }
    }

    fn kept(&self, call: &Call, came: Came) -> Kept {
        Kept {
            id: call.id.clone(),
            name: call.name.clone(),
            pieces: came.pieces,
            failed: came.failed,
            url: (!self.url.is_empty()).then(|| self.url.clone()),
            acknowledged: came.acknowledged,
        }
    }

    /// An answer that calls nothing decides nothing.
    fn nothing_called(&mut self, answer: Answer) -> ControlFlow<Achieved> {
        self.silent += 1;
        if self.silent >= SILENT {
            let said = prompt::short(answer.text.trim(), 500);
            let why = format!("the model stopped without saying whether it is done: {said}");
            return Break(Achieved::Failed(why));
        }
        let remark = match answer.stop {
            Stop::Length => {
                "Your answer was cut off before it called anything. Be brief and call a tool."
            }
            _ => {
                "Nothing was called, so nothing happened. Call a tool: to go on, to say that the task is done, or \
                 give_up if it cannot be."
            }
        };
        self.history.push(Exchange::of(answer));
        self.history.remark(Piece::ours(remark));
        Continue(())
    }

    /// The kind of help and the page it is for.
    pub(super) fn place(&self, kind: AssistanceKind) -> (String, String) {
        let page = self.url.split(['?', '#']).next().unwrap_or_default();
        (format!("{kind:?}"), page.to_owned())
    }
}

fn not_made(why: &str) -> Came {
    let told = format!("Not done, because {why}. Look at its answer first.");
    Came { failed: true, ..Came::of(vec![Piece::Ours(told)], "") }
}
