//! The list, told what became of its items, one at a time. What it could not be told stands in the book and
//! is told at the end of the run, or when the next one begins.

use super::book::Owed;
use super::run::{Ending, Run};
use super::{News, TripError};
use crate::errand::{Outcome, Trouble};
use crate::item::{Duplicate, Item, ItemId, Worklist};
use crate::list::ListError;

/// What the list said to a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// It is marked.
    Yes,
    /// It does not have the item any more.
    Gone,
    /// Not now.
    Later,
}

impl Run<'_> {
    /// Tells the list what earlier runs could not. What is in the cart is told when its item has its turn,
    /// so that the summary has it.
    pub(super) async fn catch_up(&self) {
        for entry in self.register.entries().iter().filter(|entry| entry.got.is_none()) {
            if let Some(owed) = &entry.owed {
                self.mark(&entry.item, owed).await;
            }
        }
    }

    /// What is to be done, and what of the book is still worth keeping.
    pub(super) async fn worklist(&self) -> Result<Worklist, TripError> {
        let items = self.list().await?;
        let listed = |id: &ItemId| items.iter().any(|item| item.id == *id);
        self.noted(self.register.retain(|entry| entry.owed.is_some() || listed(&entry.item)));
        let work = Worklist::of(items, self.trip.settings.retry);
        for item in &work.skipped {
            let tags: Vec<_> = item.tags.iter().map(|tag| tag.word()).collect();
            self.note(&item.name, format!("left alone for its tags: {}", tags.join(" ")));
        }
        Ok(work)
    }

    /// The list, asked once more if it did not answer.
    async fn list(&self) -> Result<Vec<Item>, TripError> {
        match self.trip.list.get_uncompleted_items().await {
            Err(error) if !error.is_fatal() => {}
            listed => return Ok(listed?),
        }
        Ok(self.trip.list.get_uncompleted_items().await?)
    }

    /// Marks what says the same as another item.
    pub(super) async fn mark_duplicates(&self, work: &Worklist) {
        for Duplicate { item, of } in &work.duplicates {
            let all = work.todo.iter().chain(&work.skipped);
            let first = all.into_iter().find(|first| first.id == *of);
            let said = first.map_or(of.as_str(), |first| first.name.as_str());
            let owed = Owed::Duplicate(format!("says the same as {said:?}"));
            self.note(&item.name, format!("says the same as {said:?}; it is shopped for once"));
            self.owe_and_mark(&item.id, &owed).await;
        }
    }

    /// An item is over: the list is told, then those who watch.
    pub(super) async fn close(&self, at: usize, todo: &[Item], ending: Ending) {
        let item = &todo[at];
        match ending.owed() {
            None => {
                let text = "was taken off the list or checked off before it was begun";
                self.note(&item.name, text.to_owned());
                self.noted(self.register.told(&item.id));
            }
            Some(owed) => {
                if self.owe_and_mark(&item.id, &owed).await == Told::Gone {
                    let where_ = if owed == Owed::Completed { "; it is in the cart" } else { "" };
                    self.note(&item.name, format!("was taken off the list meanwhile{where_}"));
                }
            }
        }
        let over = self.over(item, &ending);
        self.endings().insert(at, ending);
        over.into_iter().for_each(|over| self.tell(News::Over(item.id.clone(), over)));
        self.tell_so_far(todo);
    }

    /// An ending as those who watch hear it; nothing where the price of what is in the cart is not known.
    fn over(&self, item: &Item, ending: &Ending) -> Option<Result<Outcome, Trouble>> {
        Some(match ending {
            Ending::Got(got) => Ok(Outcome::Added(Box::new(got.added(item, &self.trip.site)?))),
            Ending::NotFound { reason, out_of_stock } => {
                Ok(Outcome::NotFound { reason: reason.clone(), out_of_stock: *out_of_stock })
            }
            Ending::Failed(trouble) => Err(trouble.clone()),
            Ending::TakenOff => {
                let reason = "taken off the list before it was begun".to_owned();
                Ok(Outcome::NotFound { reason, out_of_stock: false })
            }
        })
    }

    /// Writes down that the list is to be told, and tells it.
    async fn owe_and_mark(&self, item: &ItemId, owed: &Owed) -> Told {
        self.noted(self.register.owe(item, owed.clone()));
        self.mark(item, owed).await
    }

    async fn mark(&self, item: &ItemId, owed: &Owed) -> Told {
        let _turn = self.list_turn.lock().await;
        let told = match self.trip.list.mark(item, owed.mark()).await {
            Ok(()) => Told::Yes,
            Err(ListError::Gone { .. }) => Told::Gone,
            Err(error) => {
                self.tell(News::ListBehind(item.clone(), error.to_string()));
                if error.is_fatal() {
                    self.end(error.to_string());
                }
                return Told::Later;
            }
        };
        self.noted(self.register.told(item));
        told
    }

    /// Tells the list once more what it could not be told, and the person what it still does not know.
    pub(super) async fn pay_debts(&self, names: &[Item]) {
        for entry in self.register.entries() {
            let Some(owed) = &entry.owed else { continue };
            if self.mark(&entry.item, owed).await != Told::Later {
                continue;
            }
            let item = names.iter().find(|item| item.id == entry.item);
            let name = item.map_or(entry.item.as_str(), |item| item.name.as_str());
            let what = match owed {
                Owed::Completed => "is in the cart, but",
                _ => "was not bought, and",
            };
            let text = format!("{what} the list could not be told; the next run tries that again");
            self.note(name, text);
        }
    }
}
