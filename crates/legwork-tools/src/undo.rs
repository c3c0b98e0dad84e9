//! What a session did and how it is taken back. A history of the last deeds is kept while the session
//! lasts; each is taken back by an action that is judged and recorded like any other, and checked
//! afterwards.

mod deed;
mod take_back;

use legwork_local::clock::now;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork_engine::{Effect, Outcome, Page};
use legwork_protocol::{Called, FormValue, ToolCall, ToolError, ToolHost};
use serde_json::{Map, Value};

use crate::answer::shortened;
use crate::desk::Desk;
use crate::host::Host;
use deed::{Deed, Held, Step, Undo, cannot};

pub(crate) use deed::Way;

/// How many deeds are remembered.
const MOST: usize = 50;

/// Characters of what was done that are kept.
const WHAT: usize = 200;

/// What these are called in the record; no tool has such a name.
const UNDO: &str = "legwork.undo";
const HISTORY: &str = "legwork.history";

/// What is asked of the past.
pub(crate) enum Asked {
    /// What was done.
    History,
    /// Take the last so many back.
    Undo(usize),
}

impl Asked {
    /// Reads a call that is about the past; most are not.
    pub(crate) fn read(
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Option<Asked>, ToolError> {
        match tool {
            HISTORY => Ok(Some(Asked::History)),
            UNDO => {
                let count = arguments.get("count").and_then(Value::as_u64).unwrap_or(1);
                match usize::try_from(count).ok().filter(|count| (1..=MOST).contains(count)) {
                    Some(count) => Ok(Some(Asked::Undo(count))),
                    None => Err(ToolError::invalid(format!("count is 1 to {MOST}"))),
                }
            }
            _ => Ok(None),
        }
    }
}

impl Host {
    /// What was done in a session, newest last, and what of it can be undone.
    pub fn history(&self, session: &str, door: &'static str) -> Called<'_> {
        self.call(ToolCall { door, ..ToolCall::new(session, HISTORY, Map::new()) })
    }

    /// Takes back the last deeds of a session, newest first. Each is judged, done and recorded as an action
    /// of this call, and checked; what cannot be taken back says why.
    pub fn undo(&self, session: &str, count: usize, door: &'static str) -> Called<'_> {
        let arguments = Map::from_iter([("count".to_owned(), count.into())]);
        self.call(ToolCall { door, ..ToolCall::new(session, UNDO, arguments) })
    }
}

/// Remembers what an outcome tells.
pub(crate) async fn note(desk: &Desk, page: &Page, verb: &str, outcome: &Outcome) {
    let new_tab = |effect: &Effect| matches!(effect, Effect::NewTab { .. });
    let opened = match desk.open_session() {
        // Tabs are in the order in which they were opened.
        Some(session) if outcome.effects.iter().any(new_tab) => session.tabs().await.ok(),
        _ => None,
    };
    let opened = opened.and_then(|tabs| tabs.last().map(|tab| tab.id().to_owned()));
    let opened = opened.filter(|tab| tab != page.id());
    desk.history.see(&outcome.effects);
    if let Some(undo) = deed::undo(verb, outcome, opened) {
        let what = match &outcome.acted_on {
            Some(acted_on) => format!("{verb} {acted_on}"),
            None => verb.to_owned(),
        };
        desk.history.note(page.id(), &what, undo);
    }
}

/// The deeds of a session.
#[derive(Default)]
pub(crate) struct History(Mutex<Past>);

#[derive(Default)]
struct Past {
    done: u64,
    deeds: VecDeque<Deed>,
    /// While something is taken back, what is seen to happen goes here and is no deed.
    seen: Option<Vec<Effect>>,
}

impl History {
    fn past(&self) -> MutexGuard<'_, Past> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn see(&self, effects: &[Effect]) {
        if let Some(seen) = &mut self.past().seen {
            seen.extend_from_slice(effects);
        }
    }

    fn note(&self, tab: &str, what: &str, undo: Undo) {
        let mut past = self.past();
        if past.seen.is_some() {
            return;
        }
        past.done += 1;
        let (number, time) = (past.done, now());
        let what = shortened(&what.replace('\n', " "), WHAT);
        past.deeds.push_back(Deed { number, time, what, tab: tab.to_owned(), undo });
        if past.deeds.len() > MOST {
            past.deeds.pop_front();
        }
    }

    /// Something was done that cannot be taken back.
    pub(crate) fn cannot(&self, page: &Page, what: &str, why: &str) {
        self.note(page.id(), what, cannot(why));
    }

    /// A script ran, as scripts often do only to look.
    pub(crate) fn note_script(&self, page: &Page) {
        let why = "what a script changed is not known".to_owned();
        self.note(page.id(), "ran a script", Undo::Unknown(why));
    }

    /// The page went somewhere.
    pub(crate) fn note_move(&self, page: &Page, verb: &str, way: Way, outcome: &Outcome) {
        self.see(&outcome.effects);
        if let Some(undo) = deed::undo_move(way, outcome) {
            self.note(page.id(), &format!("{verb} {}", page.url()), undo);
        }
    }

    /// A tab was opened while this one was in front.
    pub(crate) fn note_tab(&self, before: Option<&str>, opened: &Page) {
        let tab = opened.id().to_owned();
        self.note(
            before.unwrap_or(&tab),
            "opened a tab",
            Undo::By(Step::Close { tab: tab.clone() }),
        );
    }

    /// A tab was brought to the front of this one.
    pub(crate) fn note_front(&self, before: Option<String>, page: &Page) {
        if let Some(tab) = before.filter(|tab| tab != page.id()) {
            self.note(page.id(), "switched to another tab", Undo::By(Step::Front { tab }));
        }
    }

    /// Fields of a form were filled.
    pub(crate) fn note_form(&self, page: &Page, form: Form) {
        let Form { names, held, why, sends } = form;
        if names.is_empty() {
            return;
        }
        let undo = match why {
            _ if sends => cannot(deed::SENT),
            Some(why) => Undo::Cannot(why),
            None => Undo::By(Step::Fields(held)),
        };
        let sent = if sends { " and sent the form" } else { "" };
        self.note(page.id(), &format!("filled {}{sent}", names.join(", ")), undo);
    }

    /// All of it is gone with its pages.
    pub(crate) fn clear(&self) {
        self.past().deeds.clear();
    }
}

/// What filling a form changes, field by field.
pub(crate) struct Form {
    names: Vec<String>,
    held: Vec<Held>,
    /// Why it cannot be taken back.
    why: Option<String>,
    sends: bool,
}

impl Form {
    pub(crate) fn new(sends: bool) -> Form {
        Form { names: Vec::new(), held: Vec::new(), why: None, sends }
    }

    /// A field was filled; `other` is the choice of its group that was taken before.
    pub(crate) fn add(&mut self, name: &str, other: Option<&str>, outcome: &Outcome) {
        let chosen = outcome.effects.contains(&Effect::Checked(true));
        let undo = match (other, outcome.field.as_deref()) {
            // It is as it was.
            (_, None) => return,
            (Some(other), Some(field)) if chosen && other == field => return,
            (Some(other), Some(_)) if chosen => {
                let (reference, value) = (other.to_owned(), FormValue::Checked(true));
                Some(Undo::By(Step::Fields(vec![Held { reference, value }])))
            }
            _ => deed::undo("typed into", outcome, None),
        };
        match undo {
            None => return,
            Some(Undo::By(Step::Fields(held))) => self.held.extend(held),
            Some(Undo::By(_)) => self.why = Some(format!("{name}: {}", deed::UNKNOWN)),
            Some(Undo::Cannot(why) | Undo::Unknown(why)) => {
                self.why = Some(format!("{name}: {why}"));
            }
        }
        self.names.push(name.to_owned());
    }
}
