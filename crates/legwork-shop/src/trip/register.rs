//! Where the cart's turn and its book are kept. Nobody gets a turn while what another was about to add is in
//! doubt, since only an untouched cart can tell.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_protocol::Boxed;
use tokio::sync::{Notify, OwnedMutexGuard};

use super::book::{Book, BookError, BookFile, Entry, Got, Owed};
use super::settle::{Age, Verdict};
use super::stopwatch::Stopwatch;
use crate::cart::{Contents, Intent, Till};
use crate::errand::Trouble;
use crate::item::ItemId;

/// The book of a run, and whose turn it is.
pub(super) struct Register {
    file: BookFile,
    book: Mutex<Book>,
    turn: Arc<tokio::sync::Mutex<()>>,
    /// Items of which somebody will find out whether they are in the cart.
    doubts: Mutex<HashSet<ItemId>>,
    cleared: Notify,
}

/// The register as one item's shopper sees it.
pub(super) struct ItemTill<'a> {
    pub(super) register: &'a Register,
    pub(super) item: &'a ItemId,
    pub(super) watch: &'a Stopwatch,
}

impl Register {
    /// Takes hold of the book of a list at a shop.
    pub(super) fn open(folder: &Path, list: &str, site: &str) -> Result<Register, BookError> {
        let (file, book) = BookFile::open(folder, list, site)?;
        let (turn, doubts, cleared) = Default::default();
        Ok(Register { file, book: Mutex::new(book), turn, doubts: Mutex::new(doubts), cleared })
    }

    /// What is known of an item.
    pub(super) fn entry(&self, item: &ItemId) -> Option<Entry> {
        self.book().entry(item).cloned()
    }

    /// What is not settled.
    pub(super) fn entries(&self) -> Vec<Entry> {
        self.book().entries().to_vec()
    }

    /// What the cart says of an item, if that is in doubt.
    pub(super) fn verdict(&self, item: &ItemId, now: &Contents, age: Age) -> Option<Verdict> {
        self.book().verdict(item, now, age)
    }

    /// It was seen in the cart.
    pub(super) fn got(&self, item: &ItemId, got: &Got) -> Result<(), BookError> {
        let written = self.change(|book| book.got(item, got));
        self.clear(item);
        written
    }

    /// Nothing of it is in the cart.
    pub(super) fn nothing(&self, item: &ItemId) -> Result<(), BookError> {
        let written = self.change(|book| book.nothing(item));
        self.clear(item);
        written
    }

    /// Nothing of it is in the cart yet. It stays in the book, since a slow shop may do it still; what was not
    /// chosen beforehand does not, since later it could not be told from what others add.
    pub(super) fn not_yet(&self, item: &ItemId) -> Result<(), BookError> {
        let intent = self.entry(item).and_then(|entry| entry.intent);
        match intent.is_some_and(|intent| intent.product.is_some()) {
            true => {
                self.give_up(item);
                Ok(())
            }
            false => self.nothing(item),
        }
    }

    /// Whether it is in the cart could not be found out; others need not wait for that any longer.
    pub(super) fn give_up(&self, item: &ItemId) {
        self.clear(item);
    }

    /// The list is to be told.
    pub(super) fn owe(&self, item: &ItemId, owed: Owed) -> Result<(), BookError> {
        self.change(|book| book.owe(item, owed))
    }

    /// The list was told.
    pub(super) fn told(&self, item: &ItemId) -> Result<(), BookError> {
        self.change(|book| book.told(item))
    }

    /// Keeps only entries that this says yes to.
    pub(super) fn retain(&self, keep: impl Fn(&Entry) -> bool) -> Result<(), BookError> {
        self.change(|book| book.retain(&keep))
    }

    /// The cart's turn for whoever finds out about an item in doubt.
    pub(super) async fn turn_to_look(&self) -> OwnedMutexGuard<()> {
        self.turn.clone().lock_owned().await
    }

    async fn turn_to_add(&self, item: &ItemId) -> OwnedMutexGuard<()> {
        loop {
            let cleared = self.cleared.notified();
            let turn = self.turn.clone().lock_owned().await;
            if self.doubts().iter().all(|doubt| doubt == item) {
                return turn;
            }
            drop(turn);
            cleared.await;
        }
    }

    fn intend(&self, item: &ItemId, intent: &Intent) -> Result<(), Trouble> {
        let before = self.book().clone();
        let verdict = before.verdict(item, &intent.before, Age::Now);
        let part = verdict.map_or(Ok(None), |verdict| still_missing(verdict, intent))?;
        self.change(|book| book.intend(item, intent, part)).map_err(|error| {
            *self.book() = before;
            Trouble::Agent(format!("nothing was added, because it could not be noted: {error}"))
        })?;
        self.doubts().insert(item.clone());
        Ok(())
    }

    /// What cannot be written is known for the rest of the run all the same.
    fn change(&self, change: impl FnOnce(&mut Book)) -> Result<(), BookError> {
        let mut book = self.book();
        let before = book.clone();
        change(&mut book);
        if *book == before { Ok(()) } else { self.file.write(&book) }
    }

    fn clear(&self, item: &ItemId) {
        self.doubts().remove(item);
        self.cleared.notify_waiters();
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doubts(&self) -> MutexGuard<'_, HashSet<ItemId>> {
        self.doubts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Before something is added again, the cart must not show that it came there after all: a shop may do late
/// what nobody waited for any longer. Says what is there of it.
fn still_missing(verdict: Verdict, intent: &Intent) -> Result<Option<Got>, Trouble> {
    match verdict {
        Verdict::Nothing => Ok(None),
        Verdict::Rest(part, rest) if intent.quantity <= rest => Ok(Some(part)),
        _ => Err(Trouble::Agent("it came into the cart, or the cart changed, meanwhile".into())),
    }
}

impl Till for ItemTill<'_> {
    fn turn(&self) -> Boxed<'_, OwnedMutexGuard<()>> {
        Box::pin(async {
            let _waiting = self.watch.pause();
            self.register.turn_to_add(self.item).await
        })
    }

    fn intend<'a>(
        &'a self,
        item: &'a ItemId,
        intent: &'a Intent,
    ) -> Boxed<'a, Result<(), Trouble>> {
        Box::pin(async move {
            if item != self.item {
                let why = "a shopper may write down only what it was sent for";
                return Err(Trouble::Agent(why.to_owned()));
            }
            self.register.intend(item, intent)
        })
    }

    fn not_added<'a>(&'a self, item: &'a ItemId) -> Boxed<'a, ()> {
        if item == self.item {
            // What cannot be written is known for the rest of the run; the next one asks the cart.
            let _ = self.register.nothing(item);
        }
        Box::pin(std::future::ready(()))
    }
}
