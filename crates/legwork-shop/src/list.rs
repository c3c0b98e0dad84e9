//! Who keeps the shopping list. One trait; a file or a service behind it. A provider changes only the item
//! it is told of, at once, and leaves what others wrote as they wrote it.

pub(crate) mod file;
pub mod home_assistant;
mod import;
mod text;
mod yaml;

use std::path::{Path, PathBuf};
use std::pin::Pin;

use crate::item::{Item, ItemId, Tag};
use crate::summary::Summary;

pub use home_assistant::HomeAssistant;
pub use import::{Import, Resume};
pub use text::TextList;
pub use yaml::YamlList;

/// An answer of a list, on its way.
pub type Listed<'a, T> = Pin<Box<dyn Future<Output = Result<T, ListError>> + Send + 'a>>;

/// A list that can be shopped from.
pub trait ShoppingListProvider: Send + Sync {
    /// What is still to be bought, in the order of the list, with what earlier runs noted on it.
    fn get_uncompleted_items(&self) -> Listed<'_, Vec<Item>>;

    /// Writes down what became of an item. The other marks are spellings of this one.
    fn mark<'a>(&'a self, item: &'a ItemId, mark: Mark<'a>) -> Listed<'a, ()>;

    /// Gives the list the summary of a run.
    fn send_summary<'a>(&'a self, summary: &'a Summary) -> Listed<'a, ()>;

    /// The item is in the cart.
    fn mark_completed<'a>(&'a self, item: &'a ItemId) -> Listed<'a, ()> {
        self.mark(item, Mark::Completed)
    }

    /// The shop does not have it.
    fn mark_not_found<'a>(&'a self, item: &'a ItemId, explanation: &'a str) -> Listed<'a, ()> {
        self.mark(item, Mark::NotFound(explanation))
    }

    /// Something went wrong on the way.
    fn mark_failed<'a>(&'a self, item: &'a ItemId, error: &'a str) -> Listed<'a, ()> {
        self.mark(item, Mark::Failed(error))
    }
}

/// What became of an item, with the reason where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark<'a> {
    /// It is in the cart.
    Completed,
    /// The shop does not seem to sell it.
    NotFound(&'a str),
    /// The shop sells it, but has none now.
    OutOfStock(&'a str),
    /// Something went wrong.
    Failed(&'a str),
    /// Another item says the same.
    Duplicate(&'a str),
}

impl<'a> Mark<'a> {
    /// The tag that says so, and why; nothing for what worked.
    pub(crate) fn tag(self) -> Option<(Tag, &'a str)> {
        match self {
            Mark::Completed => None,
            Mark::NotFound(why) => Some((Tag::NotFound, why)),
            Mark::OutOfStock(why) => Some((Tag::OutOfStock, why)),
            Mark::Failed(why) => Some((Tag::Failed, why)),
            Mark::Duplicate(why) => Some((Tag::Duplicate, why)),
        }
    }
}

/// What a list could not do.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The list is there, but says something that cannot be understood.
    #[error("{}{}: {why}", path.display(), at(*place))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Line and column, from 1.
        place: Option<(usize, usize)>,
        /// What is wrong.
        why: String,
    },
    /// The list cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The list could not be changed; it is as it was.
    #[error("{} could not be written, and is as it was: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Somebody took the item off the list meanwhile.
    #[error("{:?} is no longer on the list", id.as_str())]
    Gone {
        /// The item.
        id: ItemId,
    },
    /// The service does not let us in.
    #[error("{service} refuses the access token ({status}): {hint}")]
    Refused {
        /// Which service.
        service: &'static str,
        /// The HTTP status.
        status: u16,
        /// What to do about it.
        hint: &'static str,
    },
    /// What the list is configured with cannot work.
    #[error("{0}")]
    Settings(String),
    /// The service does not answer, or not as it should.
    #[error("{service} did not do it: {why}")]
    Service {
        /// Which service.
        service: &'static str,
        /// What happened.
        why: String,
    },
}

impl ListError {
    /// Whether nothing more can be done with this list. After any other error the next item may well work.
    pub fn is_fatal(&self) -> bool {
        match self {
            ListError::Unreadable { .. } | ListError::Read { .. } => true,
            ListError::Refused { .. } | ListError::Settings(_) => true,
            ListError::Write { .. } | ListError::Gone { .. } | ListError::Service { .. } => false,
        }
    }
}

fn at(place: Option<(usize, usize)>) -> String {
    place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"))
}

/// The list in a file, by the ending of its name: YAML, a table (kept in a YAML file beside it), or text.
pub fn open(path: &Path, resume: Resume) -> Result<Box<dyn ShoppingListProvider>, ListError> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    Ok(match ending.as_deref() {
        Some("yaml" | "yml") => Box::new(YamlList::open(path)?),
        Some("csv" | "tsv") => {
            let beside = path.with_extension("shopping.yaml");
            Box::new(Import::from_csv_file(path)?.kept_in(&beside, resume)?)
        }
        _ => Box::new(TextList::open(path)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_is_opened_by_its_ending() {
        let folder = tempfile::tempdir().unwrap();
        let cases = [
            ("list.yaml", "items: [milk]\n"),
            ("list.YML", "- milk\n"),
            ("list.csv", "name\nmilk\n"),
            ("list.txt", "milk\n"),
            ("list", "- [ ] milk\n"),
        ];
        for (name, text) in cases {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let list = open(&path, Resume::GoOn).unwrap();
            let items = list.get_uncompleted_items().await.unwrap();
            assert_eq!((items.len(), items[0].name.as_str()), (1, "milk"), "{name}");
            list.mark_completed(&items[0].id).await.unwrap();
            let again = open(&path, Resume::GoOn).unwrap();
            assert_eq!(again.get_uncompleted_items().await.unwrap(), [], "{name}");
        }
        let missing = open(&folder.path().join("none.yaml"), Resume::GoOn).err().unwrap();
        assert!(missing.is_fatal() && missing.to_string().contains("none.yaml"), "{missing}");
    }
}
