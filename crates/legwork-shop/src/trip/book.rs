//! The book of a list at a shop: what is about to be put in the cart, what was seen there, and what the list
//! has not been told. It is on the disk before anything is added, so that no crash makes it twice.

mod file;

use serde::{Deserialize, Serialize};
use url::Url;

use super::settle::{self, Age, Verdict};
use crate::cart::{Contents, Intent, Line};
use crate::item::{Item, ItemId};
use crate::list::Mark;
use crate::money::Price;
use crate::site::Site;
use crate::summary::{Added, Cart};

pub(super) use file::{BookError, BookFile};

/// What is not settled yet, item by item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Book {
    /// The list, so that a book is never taken for another's.
    pub(super) list: String,
    /// The shop.
    pub(super) site: String,
    entries: Vec<Entry>,
}

/// What is known of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// The item.
    pub(super) item: ItemId,
    /// What was about to be added; nobody has seen yet whether it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) intent: Option<Intent>,
    /// What was seen in the cart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) got: Option<Got>,
    /// What the list has not been told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) owed: Option<Owed>,
}

/// Something that was seen in the cart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Got {
    /// What the shop calls it.
    pub(super) product: String,
    /// Its page, where known.
    pub(super) url: Option<Url>,
    /// Its price as the shop writes it, where known.
    pub(super) price: Option<String>,
    /// How many.
    pub(super) quantity: u32,
}

/// A mark, kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Owed {
    /// See [`Mark`].
    Completed,
    /// See [`Mark`].
    NotFound(String),
    /// See [`Mark`].
    OutOfStock(String),
    /// See [`Mark`].
    Failed(String),
    /// See [`Mark`].
    Duplicate(String),
}

impl Owed {
    /// The mark as lists take it.
    pub(super) fn mark(&self) -> Mark<'_> {
        match self {
            Owed::Completed => Mark::Completed,
            Owed::NotFound(why) => Mark::NotFound(why),
            Owed::OutOfStock(why) => Mark::OutOfStock(why),
            Owed::Failed(why) => Mark::Failed(why),
            Owed::Duplicate(why) => Mark::Duplicate(why),
        }
    }
}

impl Got {
    /// What was reported.
    pub(super) fn reported(added: &Added) -> Got {
        Got {
            product: added.product.clone(),
            url: Some(added.url.clone()),
            price: Some(added.price_text.clone()),
            quantity: added.quantity,
        }
    }

    /// What it adds to the cart.
    fn line(&self) -> Line {
        let Got { product, url, quantity, .. } = self.clone();
        Line { product, url, quantity, text: String::new() }
    }

    /// The same as a summary has it; `None` where the page or the price is not known.
    pub(super) fn added(&self, item: &Item, site: &Site) -> Option<Added> {
        let price_text = self.price.clone()?;
        let price = Price::read(&price_text, site.currency).ok()?;
        if price.shown.currency != site.currency {
            return None;
        }
        Some(Added {
            wanted: item.wanted.clone(),
            product: self.product.clone(),
            price_text,
            price,
            url: self.url.clone()?,
            quantity: self.quantity,
            cart: Cart::Unseen,
        })
    }
}

impl Book {
    /// An empty book.
    pub(super) fn new(list: &str, site: &str) -> Book {
        Book { list: list.to_owned(), site: site.to_owned(), entries: Vec::new() }
    }

    /// What is known of an item.
    pub(super) fn entry(&self, item: &ItemId) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.item == *item)
    }

    /// All that is not settled.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn entry_mut(&mut self, item: &ItemId) -> &mut Entry {
        let found = self.entries.iter().position(|entry| entry.item == *item);
        let at = found.unwrap_or_else(|| {
            let item = item.clone();
            self.entries.push(Entry { item, intent: None, got: None, owed: None });
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }

    /// Something is about to be added. What is only the rest of an earlier intent does not take its place:
    /// the earlier one says what the cart was before any of it.
    pub(super) fn intend(&mut self, item: &ItemId, intent: &Intent) {
        self.to_the_end(item);
        let entry = self.entry_mut(item);
        let rest = entry.intent.as_ref().is_some_and(|earlier| is_rest_of(intent, earlier));
        if !rest {
            entry.intent = Some(intent.clone());
        }
    }

    /// It was seen in the cart, and the list is to be told. For what was intended earlier and is still in
    /// doubt, it counts as there before; what was intended later has seen it.
    pub(super) fn got(&mut self, item: &ItemId, got: &Got) {
        let earlier = self.entries.iter_mut().take_while(|entry| entry.item != *item);
        for doubt in earlier.filter_map(|entry| entry.intent.as_mut()) {
            doubt.before.lines.push(got.line());
        }
        let entry = self.entry_mut(item);
        (entry.intent, entry.got, entry.owed) = (None, Some(got.clone()), Some(Owed::Completed));
    }

    /// What the cart says of an item in doubt. What was intended after it is judged first: its cart before
    /// had all in it that came of this one.
    pub(super) fn verdict(&self, item: &ItemId, now: &Contents, age: Age) -> Option<Verdict> {
        let mut explained = Vec::new();
        for entry in self.entries.iter().rev() {
            let Some(mut intent) = entry.intent.clone() else { continue };
            intent.before.lines.extend(explained.iter().cloned());
            let verdict = settle::verdict(&intent, now, age);
            if entry.item == *item {
                return Some(verdict);
            }
            if let Verdict::Done(got) | Verdict::Rest(got, _) = verdict {
                explained.push(got.line());
            }
        }
        None
    }

    /// The entry of an item that is about to be added is the last: entries are in the order of their intents.
    fn to_the_end(&mut self, item: &ItemId) {
        if let Some(at) = self.entries.iter().position(|entry| entry.item == *item) {
            let entry = self.entries.remove(at);
            self.entries.push(entry);
        }
    }

    /// It was looked for in the cart, and nothing of it is there.
    pub(super) fn nothing(&mut self, item: &ItemId) {
        self.entry_mut(item).intent = None;
        self.tidy();
    }

    /// The list is to be told.
    pub(super) fn owe(&mut self, item: &ItemId, owed: Owed) {
        self.entry_mut(item).owed = Some(owed);
    }

    /// The list was told, or does not have the item any more. What is in doubt stays.
    pub(super) fn told(&mut self, item: &ItemId) {
        let entry = self.entry_mut(item);
        (entry.got, entry.owed) = (None, None);
        self.tidy();
    }

    /// Keeps only entries that this says yes to.
    pub(super) fn retain(&mut self, keep: impl Fn(&Entry) -> bool) {
        self.entries.retain(keep);
    }

    fn tidy(&mut self) {
        self.entries
            .retain(|entry| entry.intent.is_some() || entry.got.is_some() || entry.owed.is_some());
    }
}

/// Whether an intent would bring about just what an earlier one was to.
fn is_rest_of(intent: &Intent, earlier: &Intent) -> bool {
    let aim = |intent: &Intent| {
        let (name, url) = intent.product.as_ref()?;
        Some(settle::count(&intent.before, name, Some(url)) + intent.quantity)
    };
    let same = |one: &Intent, other: &Intent| match (&one.product, &other.product) {
        (Some((_, one)), Some((_, other))) => one == other,
        _ => false,
    };
    same(intent, earlier) && intent.quantity < earlier.quantity && aim(intent) == aim(earlier)
}

impl Entry {
    /// Whether somebody has to look at the cart.
    pub(super) fn in_doubt(&self) -> bool {
        self.intent.is_some()
    }
}
