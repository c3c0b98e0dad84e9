//! A list in a YAML file, as people write it by hand: words, or mappings with what they need. What they
//! wrote stays as it is, to the letter; a mark adds to its item and touches nothing else.

mod document;
mod edit;

use std::path::Path;

use self::document::Document;
use super::file::ListFile;
use super::{ListError, Listed, Mark, ShoppingListProvider};
use crate::item::{Item, ItemId, Status};
use crate::summary::Summary;

/// A list in a YAML file.
pub struct YamlList {
    file: ListFile,
}

impl YamlList {
    /// Opens a list, and reads it once to see that it can be.
    pub fn open(path: &Path) -> Result<YamlList, ListError> {
        let list = YamlList { file: ListFile::new(path)? };
        list.items()?;
        Ok(list)
    }

    /// All items, also those that are completed.
    pub fn items(&self) -> Result<Vec<Item>, ListError> {
        let document = self.document(&self.file.read()?)?;
        Ok(document.entries.into_iter().map(|entry| entry.item).collect())
    }

    /// How many items a text has that would be written to a path.
    pub(super) fn count(path: &Path, text: &str) -> Result<usize, ListError> {
        let document = Document::read(text).map_err(|mistake| mistake.in_file(path))?;
        Ok(document.entries.len())
    }

    fn document(&self, text: &str) -> Result<Document, ListError> {
        Document::read(text).map_err(|mistake| mistake.in_file(self.file.path()))
    }

    fn marked(&self, text: &str, id: &ItemId, mark: Mark) -> Result<String, ListError> {
        let document = self.document(text)?;
        let found = document.entries.iter().position(|entry| entry.item.id == *id);
        let at = found.ok_or_else(|| ListError::Gone { id: id.clone() })?;
        edit::marked(text, &document, at, mark).map_err(|why| {
            let why = format!("{why}; the item is {:?}", id.as_str());
            ListError::Write { path: self.file.path().to_owned(), why }
        })
    }
}

impl ShoppingListProvider for YamlList {
    fn get_uncompleted_items(&self) -> Listed<'_, Vec<Item>> {
        Box::pin(async {
            let open = |item: &Item| item.status == Status::NeedsAction;
            Ok(self.items()?.into_iter().filter(open).collect())
        })
    }

    fn mark<'a>(&'a self, item: &'a ItemId, mark: Mark<'a>) -> Listed<'a, ()> {
        Box::pin(async move { self.file.change(|text| self.marked(text, item, mark)) })
    }

    fn send_summary<'a>(&'a self, summary: &'a Summary) -> Listed<'a, ()> {
        Box::pin(async move { self.file.send_summary(summary) })
    }
}

#[cfg(test)]
mod tests;
