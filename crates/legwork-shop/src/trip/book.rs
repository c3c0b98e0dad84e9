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
    /// What an earlier attempt has put in the cart of it, and the intent knows of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<Got>,
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
    /// Why it was chosen, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) chosen: Option<String>,
    /// What the cart showed of it when it was added.
    #[serde(default, skip_serializing_if = "Cart::is_unseen")]
    pub(super) cart: Cart,
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
            chosen: added.chosen.clone(),
            cart: added.cart.clone(),
        }
    }

    /// What is left of it without so many.
    fn less(&self, known: u32) -> Got {
        Got { quantity: self.quantity.saturating_sub(known), ..self.clone() }
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
            item: item.name.clone(),
            product: self.product.clone(),
            price_text,
            price,
            url: self.url.clone()?,
            quantity: self.quantity,
            cart: self.cart.clone(),
            chosen: self.chosen.clone(),
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
            self.entries.push(Entry { item, intent: None, part: None, got: None, owed: None });
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }

    /// Something is about to be added. Of an intent before it, this much is in the cart by now.
    pub(super) fn intend(&mut self, item: &ItemId, intent: &Intent, part: Option<Got>) {
        let known = self.known(item);
        if let Some(part) = &part {
            self.seen(item, &part.less(known));
        }
        if let Some(at) = self.entries.iter().position(|entry| entry.item == *item) {
            // Entries are in the order of their intents.
            let entry = self.entries.remove(at);
            self.entries.push(entry);
        }
        let entry = self.entry_mut(item);
        (entry.intent, entry.part) = (Some(intent.clone()), part);
    }

    /// It was seen in the cart, and the list is to be told.
    pub(super) fn got(&mut self, item: &ItemId, got: &Got) {
        let known = self.known(item);
        self.seen(item, &got.less(known));
        let entry = self.entry_mut(item);
        (entry.intent, entry.part) = (None, None);
        (entry.got, entry.owed) = (Some(got.clone()), Some(Owed::Completed));
    }

    /// For what was intended earlier and is still in doubt, what was seen now counts as there before. What was
    /// intended later has seen it, unless it came late.
    fn seen(&mut self, item: &ItemId, more: &Got) {
        let at = self.entries.iter().position(|entry| entry.item == *item);
        let at = at.unwrap_or(self.entries.len());
        for (place, entry) in self.entries.iter_mut().enumerate().filter(|(place, _)| *place != at)
        {
            let Some(doubt) = &mut entry.intent else { continue };
            let known = match &doubt.product {
                _ if place < at => 0,
                Some((name, url)) if !more.line().is_of(name, Some(url)) => {
                    doubt.before.count(&more.product, more.url.as_ref())
                }
                // Of the same product it cannot be told.
                _ => more.quantity,
            };
            if more.quantity > known {
                doubt.before.lines.push(more.less(known).line());
            }
        }
    }

    /// How many of an item its intent knows to be in the cart.
    fn known(&self, item: &ItemId) -> u32 {
        let part = self.entry(item).and_then(|entry| entry.part.as_ref());
        part.map_or(0, |part| part.quantity)
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
                return Some(with_part(verdict, entry.part.as_ref(), &intent, now));
            }
            if let Verdict::Done(got) | Verdict::Rest(got, _) = verdict {
                explained.push(got.line());
            }
        }
        None
    }

    /// It was looked for in the cart, and nothing of it is there.
    pub(super) fn nothing(&mut self, item: &ItemId) {
        let entry = self.entry_mut(item);
        (entry.intent, entry.part) = (None, None);
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

/// A verdict on the rest of something, told of the whole. What was put there before is gone if the cart has
/// fewer than when the rest was intended.
fn with_part(verdict: Verdict, part: Option<&Got>, intent: &Intent, now: &Contents) -> Verdict {
    let Some(part) = part else { return verdict };
    let all = |got: Got| Got { quantity: got.quantity + part.quantity, ..got };
    let count = |cart: &Contents| cart.count(&part.product, part.url.as_ref());
    match verdict {
        Verdict::Done(got) => Verdict::Done(all(got)),
        Verdict::Rest(got, rest) => Verdict::Rest(all(got), rest),
        Verdict::Nothing if count(now) >= count(&intent.before) => {
            Verdict::Rest(part.clone(), intent.quantity)
        }
        other => other,
    }
}

impl Entry {
    /// Whether somebody has to look at the cart.
    pub(super) fn in_doubt(&self) -> bool {
        self.intent.is_some()
    }
}
