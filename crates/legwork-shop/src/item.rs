//! One line of a shopping list: what is wanted and how many, what became of it, and which lines say the
//! same. It knows no shop and no file.

mod quantity;
mod tag;

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use quantity::{MOST, Wanted};
pub use tag::{Tag, Tags};

/// Names an item within its list, for as long as the list has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ItemId(String);

impl ItemId {
    /// An id as its list gives it.
    pub fn new(id: impl Into<String>) -> ItemId {
        ItemId(id.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Whether an item is still to be bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is to be bought.
    NeedsAction,
    /// It is in the cart.
    Completed,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What its list calls it by.
    pub id: ItemId,
    /// What somebody wrote, without the tags.
    pub name: String,
    /// What that means.
    pub wanted: Wanted,
    /// What earlier runs noted on it.
    pub tags: Tags,
    /// Whether it is still to be bought.
    pub status: Status,
}

impl Item {
    /// An item from what somebody wrote; `None` if that names nothing. Tags are read from the text.
    pub fn read(id: ItemId, written: &str, status: Status) -> Option<Item> {
        let (name, tags) = tag::split(written);
        let wanted = Wanted::read(&name)?;
        Some(Item { id, name, wanted, tags, status })
    }

    /// The name with its tags in canonical order, as lists keep it that have no other place for tags.
    pub fn tagged_name(&self) -> String {
        tag::join(&self.name, &self.tags)
    }
}

/// Whether what did not work before is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Yes.
    Again,
    /// No: what has a tag is left alone.
    Never,
}

/// An item that says the same as another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The item that says it again.
    pub item: Item,
    /// The one that is bought.
    pub of: ItemId,
}

/// What is to be done with the items of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worklist {
    /// To be bought, in the order of the list.
    pub todo: Vec<Item>,
    /// Say the same as one that comes before, and are to be marked.
    pub duplicates: Vec<Duplicate>,
    /// Left alone for their tags.
    pub skipped: Vec<Item>,
}

impl Worklist {
    /// Sorts out what a list gave. What is tagged as a duplicate stays one until somebody removes the tag:
    /// the item it repeats may be in the cart by now.
    pub fn of(items: Vec<Item>, retry: Retry) -> Worklist {
        let mut list = Worklist::default();
        let mut first: HashMap<(u32, String), ItemId> = HashMap::new();
        for item in items.into_iter().filter(|item| item.status == Status::NeedsAction) {
            if item.tags.has(Tag::Duplicate) {
                list.skipped.push(item);
            } else if let Some(of) = first.get(&item.wanted.key()) {
                list.duplicates.push(Duplicate { of: of.clone(), item });
            } else {
                first.insert(item.wanted.key(), item.id.clone());
                let to = match retry {
                    Retry::Never if !item.tags.is_empty() => &mut list.skipped,
                    _ => &mut list.todo,
                };
                to.push(item);
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(written: &[&str]) -> Vec<Item> {
        let item = |(at, text): (usize, &&str)| {
            Item::read(ItemId::new(at.to_string()), text, Status::NeedsAction).unwrap()
        };
        written.iter().enumerate().map(item).collect()
    }

    fn ids(items: &[Item]) -> Vec<&str> {
        items.iter().map(|item| item.id.as_str()).collect()
    }

    #[test]
    fn what_is_written_twice_is_bought_once_however_it_is_spelt() {
        let written = ["2x Milk", "eggs", "milk  (2)", "MILK x2", "milk", "Eggs", "2x 1l milk"];
        let list = Worklist::of(items(&written), Retry::Again);
        assert_eq!(ids(&list.todo), ["0", "1", "4", "6"]);
        let pairs: Vec<_> =
            list.duplicates.iter().map(|d| (d.item.id.as_str(), d.of.as_str())).collect();
        assert_eq!(pairs, [("2", "0"), ("3", "0"), ("5", "1")]);
    }

    #[test]
    fn a_marked_duplicate_is_not_bought_later_when_the_first_one_is_gone() {
        let list = Worklist::of(items(&["milk #dupe", "eggs"]), Retry::Again);
        assert_eq!((ids(&list.todo), ids(&list.skipped)), (vec!["1"], vec!["0"]));
    }

    #[test]
    fn what_did_not_work_is_tried_again_unless_told_otherwise() {
        let written = ["milk #failed", "eggs", "milk"];
        assert_eq!(ids(&Worklist::of(items(&written), Retry::Again).todo), ["0", "1"]);
        let list = Worklist::of(items(&written), Retry::Never);
        assert_eq!((ids(&list.todo), ids(&list.skipped)), (vec!["1"], vec!["0"]));
        assert_eq!(list.duplicates.len(), 1, "an untagged twin of a skipped item is not bought");
    }

    #[test]
    fn what_is_completed_is_not_bought() {
        let mut all = items(&["milk", "milk"]);
        all[0].status = Status::Completed;
        assert_eq!(ids(&Worklist::of(all, Retry::Again).todo), ["1"]);
    }

    #[test]
    fn nothing_is_no_item() {
        for written in ["", "  ", "#failed", "#404 #dupe"] {
            assert_eq!(Item::read(ItemId::new("1"), written, Status::NeedsAction), None);
        }
    }
}
