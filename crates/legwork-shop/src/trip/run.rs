//! A run under way: what its lanes share, and what has come of it so far.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use legwork_protocol::Blocked;

use super::attempt::Attempts;
use super::book::{BookError, Got, Owed};
use super::chrome;
use super::gate::Gate;
use super::look::Look;
use super::register::Register;
use super::{News, SESSION, Trip};
use crate::cart::Contents;
use crate::errand::{Stage, Trouble};
use crate::item::{Item, ItemId};
use crate::lane::Lane;
use crate::money;
use crate::preferences::{Preference, Preferences};
use crate::site::Phase;
use crate::summary::{Note, Steering};

/// What became of an item.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ending {
    /// It is in the cart.
    Got(Got),
    /// The shop does not have it.
    NotFound {
        /// Why nothing was taken.
        reason: String,
        /// Whether the shop has it at other times.
        out_of_stock: bool,
    },
    /// Something went wrong.
    Failed(Trouble),
    /// Somebody took it off the list before it was begun.
    TakenOff,
}

/// A run.
pub(super) struct Run<'t> {
    pub(super) trip: &'t Trip,
    pub(super) register: Register,
    pub(super) gate: Gate,
    look: &'t dyn Look,
    /// What became of the items, by their place in the list.
    pub(super) endings: Mutex<BTreeMap<usize, Ending>>,
    pub(super) heard: Mutex<Heard>,
    /// One change of the list at a time.
    pub(super) list_turn: tokio::sync::Mutex<()>,
}

/// What is told in the summary beside the items.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) notes: Vec<Note>,
    pub(super) steering: Vec<Steering>,
    pub(super) blocked: Vec<Blocked>,
    /// Why no further item is begun.
    pub(super) ended: Option<String>,
}

impl<'t> Run<'t> {
    pub(super) fn new(trip: &'t Trip, register: Register, look: &'t dyn Look) -> Run<'t> {
        let (endings, heard, list_turn) = Default::default();
        Run { trip, register, gate: Gate::new(), look, endings, heard, list_turn }
    }

    /// Shops for the items, several at a time, until none is left or the run has to end.
    pub(super) async fn shop(&self, todo: &[Item]) {
        let next = AtomicUsize::new(0);
        let lanes = self.trip.settings.concurrency.get().min(todo.len());
        join_all((0..lanes).map(|number| self.shop_in_lane(number, todo, &next))).await;
    }

    async fn shop_in_lane(&self, number: usize, todo: &[Item], next: &AtomicUsize) {
        let Some(lane) = self.lane(number).await else { return };
        while self.ended().is_none() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = todo.get(at) else { return };
            let ending = self.item(&lane, item).await;
            self.hear_blocked();
            self.close(at, todo, ending).await;
        }
    }

    /// The lane in the first session.
    pub(super) fn first_lane(&self) -> Lane {
        Lane::new(self.trip.host.clone(), SESSION, self.trip.site.clone())
    }

    /// The first lane, or one beside it. If there can be none, the others do the work.
    async fn lane(&self, number: usize) -> Option<Lane> {
        if number == 0 {
            return Some(self.first_lane());
        }
        let host = self.trip.host.clone();
        let session = format!("{SESSION}-{}", number + 1);
        if let Err(error) = host.beside(&session, SESSION).await {
            let text = format!("fewer items were shopped for at a time: {}", error.told());
            self.note_once("the browser", text);
            return None;
        }
        Some(Lane::new(host, &session, self.trip.site.clone()))
    }

    async fn item(&self, lane: &Lane, item: &Item) -> Ending {
        if let Some(got) = self.register.entry(&item.id).and_then(|entry| entry.got) {
            self.already(item, &got);
            return Ending::Got(got);
        }
        if self.was_taken_off(&item.id).await {
            return Ending::TakenOff;
        }
        Attempts::new(self, lane, item).go().await
    }

    /// Whether somebody took an item off the list, or checked it off, since the run began. A list that does
    /// not answer says neither.
    async fn was_taken_off(&self, item: &ItemId) -> bool {
        let _turn = self.list_turn.lock().await;
        let listed = self.trip.list.get_uncompleted_items().await;
        listed.is_ok_and(|items| items.iter().all(|listed| listed.id != *item))
    }

    /// Shows the person who looks on what is shopped for.
    pub(super) async fn banner(&self, lane: &Lane, item: &Item) {
        let text = self.trip.site.banner(&item.name);
        if let Err(error) = self.trip.host.banner(lane.session(), &text).await {
            self.note_once("the banner", format!("it could not be shown: {}", error.told()));
        }
    }

    /// What was chosen for an item before.
    pub(super) fn preference(&self, item: &Item) -> Option<Preference> {
        let Trip { site, settings, .. } = self.trip;
        let found = Preferences::in_folder(&settings.folder).find(&site.name, &item.wanted.what);
        found.unwrap_or_else(|error| {
            self.note_once("the preferences", format!("they could not be used: {error}"));
            None
        })
    }

    /// What the cart shows.
    pub(super) async fn contents(
        &self,
        lane: &Lane,
        within: Duration,
    ) -> Result<Contents, Trouble> {
        let looked = tokio::time::timeout(within, self.look.contents(lane)).await;
        let slow = |_| Trouble::Network("the cart could not be looked at in time".to_owned());
        looked.map_err(slow)?
    }

    /// Looks at the cart, once more if that did not work, and when one is signed in again where that is why.
    /// `signed` says whether that was done before.
    pub(super) async fn look_again(
        &self,
        lane: &Lane,
        within: Duration,
        signed: &mut bool,
    ) -> Result<Contents, Trouble> {
        let mut again = true;
        loop {
            let pass = self.gate.pass().await;
            let number = pass.number;
            let looked = tokio::select! {
                biased;
                looked = self.contents(lane, within) => looked,
                () = self.gate.closing(number) => continue,
            };
            drop(pass);
            match looked {
                Ok(now) => return Ok(now),
                Err(Trouble::SignedOut) => self.sign_in_once(number, signed).await?,
                Err(trouble) if !std::mem::replace(&mut again, false) => return Err(trouble),
                Err(_) => {}
            }
        }
    }

    /// Signs in once more, or waits until somebody else has; not if that was done before.
    pub(super) async fn sign_in_once(
        &self,
        expired: u64,
        signed: &mut bool,
    ) -> Result<(), Trouble> {
        if std::mem::replace(signed, true) {
            return Err(Trouble::NotLetIn("the shop asks to sign in again and again".into()));
        }
        self.sign_in_again(expired).await
    }

    /// Signs in and sees to it that agents shop under the rules for that, whatever came of it.
    pub(super) async fn enter(&self) -> Result<(), Trouble> {
        let Trip { host, site, door, .. } = self.trip;
        let entered = match door {
            Some(door) => door.enter(host.as_ref(), SESSION, site).await,
            None => Ok(()),
        };
        if let Err(error) = host.govern(&site.policy(Phase::Shopping)).await {
            let why = format!("the rules for shopping could not be set: {}", error.told());
            self.end(why.clone());
            return Err(Trouble::Agent(why));
        }
        entered
    }

    /// Signs in again after a sign-in that no longer holds.
    async fn sign_in_again(&self, expired: u64) -> Result<(), Trouble> {
        if self.trip.door.is_none() {
            let why = "the shop asks to sign in, and there is no way to";
            return Err(Trouble::NotLetIn(why.to_owned()));
        }
        let enter = async { self.enter().await.inspect(|()| self.tell(News::SignedIn)) };
        let entered = self.gate.renew(expired, enter).await;
        entered.map_err(|trouble| Trouble::NotLetIn(trouble.to_string()))
    }

    /// Tells of a stage, and keeps what is told at the end.
    pub(super) fn tell_stage(&self, item: &Item, stage: Stage) {
        if let Stage::Steered(steering) = &stage {
            let mut heard = self.heard();
            if !heard.steering.contains(steering) {
                heard.steering.push(steering.clone());
            }
        }
        if let Stage::Noted(text) = &stage {
            let note = Note { about: item.name.clone(), text: text.clone() };
            let mut heard = self.heard();
            if !heard.notes.contains(&note) {
                heard.notes.push(note);
            }
        }
        self.tell(News::Doing(item.id.clone(), stage));
    }

    /// Something was found in the cart that an interrupted attempt had put there.
    pub(super) fn already(&self, item: &Item, got: &Got) {
        let what = format!("{} × {}", got.quantity, got.product);
        let text = format!("{what} was in the cart already, from an attempt that was interrupted");
        self.note(&item.name, text);
        self.tell(News::Already(item.id.clone(), what));
    }

    /// Collects what was not let through.
    pub(super) fn hear_blocked(&self) {
        let blocked = self.trip.host.blocked().into_iter();
        for blocked in blocked.filter(|one| !chrome::asked_for(one)) {
            self.heard().blocked.push(blocked.clone());
            self.tell(News::Blocked(blocked));
        }
    }

    /// What is in the cart so far costs this much.
    pub(super) fn tell_so_far(&self, todo: &[Item]) {
        let site = &self.trip.site;
        let endings = self.endings();
        let costs = endings.iter().filter_map(|(at, ending)| match ending {
            Ending::Got(got) => got.added(todo.get(*at)?, site)?.cost(),
            _ => None,
        });
        let total = money::total(costs, site.currency);
        drop(endings);
        total.into_iter().for_each(|total| self.tell(News::SoFar(total)));
    }

    pub(super) fn tell(&self, news: News) {
        (self.trip.watch)(news);
    }

    /// Keeps something worth knowing.
    pub(super) fn note(&self, about: &str, text: String) {
        self.heard().notes.push(Note { about: about.to_owned(), text });
    }

    /// The same, but said only once however often it happens.
    pub(super) fn note_once(&self, about: &str, text: String) {
        let mut heard = self.heard();
        if heard.notes.iter().all(|note| note.about != about) {
            heard.notes.push(Note { about: about.to_owned(), text });
        }
    }

    /// What could not be written in the book is told; this run knows it all the same.
    pub(super) fn noted(&self, written: Result<(), BookError>) {
        if let Err(error) = written {
            self.note_once("the book", format!("it could not be written: {error}"));
        }
    }

    /// No further item is begun.
    pub(super) fn end(&self, why: String) {
        self.heard().ended.get_or_insert(why);
    }

    pub(super) fn ended(&self) -> Option<String> {
        self.heard().ended.clone()
    }

    pub(super) fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn endings(&self) -> MutexGuard<'_, BTreeMap<usize, Ending>> {
        self.endings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ending {
    /// What the list is told; nothing where somebody took the item off it.
    pub(super) fn owed(&self) -> Option<Owed> {
        Some(match self {
            Ending::Got(_) => Owed::Completed,
            Ending::NotFound { reason, out_of_stock: false } => Owed::NotFound(reason.clone()),
            Ending::NotFound { reason, out_of_stock: true } => Owed::OutOfStock(reason.clone()),
            Ending::Failed(error) => Owed::Failed(error.to_string()),
            Ending::TakenOff => return None,
        })
    }
}
