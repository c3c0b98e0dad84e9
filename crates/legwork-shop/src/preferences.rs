//! What was chosen for an item once, to be used first the next time. The choices are in a file that people
//! edit: comments, order and what they wrote stay, and a change is written whole or not at all.

mod ceiling;
mod text;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use url::Url;

pub(crate) use self::ceiling::over;
use self::text::Document;
use crate::list::ListError;
use crate::list::file::{self, ListFile};
use crate::summary::Added;

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preference {
    /// What the shop calls the product.
    pub product: String,
    /// Its page.
    pub url: Url,
    /// Its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Its brand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// The most that one may cost, as a price is written: `$5.00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_ceiling: Option<String>,
}

impl From<&Added> for Preference {
    fn from(added: &Added) -> Preference {
        let Added { product, url, .. } = added.clone();
        Preference { product, url, size: None, brand: None, price_ceiling: None }
    }
}

/// A choice, and what it was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remembered {
    /// The name of the shop.
    pub shop: String,
    /// What the list says, without the quantity.
    pub item: String,
    /// What was chosen.
    #[serde(flatten)]
    pub preference: Preference,
}

/// The file of the choices. It is read each time it is asked, so that what somebody edits meanwhile counts;
/// a file that is not there has no choices.
#[derive(Debug, Clone)]
pub struct Preferences {
    path: PathBuf,
}

const HEADING: &str = "\
# What was chosen once, per shop and item. Edit it as you like; `legwork shop prefs` shows it.
# price_ceiling is the most that one may cost.
";

impl Preferences {
    /// The choices that are kept in a folder, in `preferences.yaml`.
    pub fn in_folder(folder: &Path) -> Preferences {
        Preferences { path: folder.join("preferences.yaml") }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All choices, in the order of the file.
    pub fn all(&self) -> Result<Vec<Remembered>, ListError> {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => Ok(self.document(&text)?.all()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(ListError::Read { path: self.path.clone(), error }),
        }
    }

    /// What was chosen for an item, whose quantity does not count: `milk`, not `2x milk`.
    pub fn find(&self, shop: &str, what: &str) -> Result<Option<Preference>, ListError> {
        let (shop, what) = (key(shop), key(what));
        let meant = |one: &Remembered| key(&one.shop) == shop && key(&one.item) == what;
        Ok(self.all()?.into_iter().find(meant).map(|found| found.preference))
    }

    /// Remembers a choice, in the place of the one before. What one may cost at most was said by a person, and
    /// holds until a person says something else.
    pub fn remember(
        &self,
        shop: &str,
        what: &str,
        preference: &Preference,
    ) -> Result<(), ListError> {
        if !self.path.exists() {
            file::write(&self.path, HEADING)?;
        }
        ListFile::new(&self.path)?.change(|text| {
            let document = self.document(text)?;
            let known = |one: &&Remembered| key(&one.shop) == key(shop);
            let all = document.all();
            // What is there keeps its spelling.
            let named = all.iter().find(known).map_or(shop, |one| &one.shop);
            let before = all.iter().filter(known).find(|one| key(&one.item) == key(what));
            let item = before.map_or_else(|| key(what), |one| one.item.clone());
            let ceiling = before.and_then(|one| one.preference.price_ceiling.clone());
            let price_ceiling = preference.price_ceiling.clone().or(ceiling);
            let preference = Preference { price_ceiling, ..preference.clone() };
            document.with(text, named, &item, &preference).map_err(|why| self.unwritten(&why))
        })
    }

    /// Forgets a choice; says what it was, if there was one.
    pub fn forget(&self, shop: &str, what: &str) -> Result<Option<Preference>, ListError> {
        let (shop, what) = (key(shop), key(what));
        let meant = |one: &Remembered| key(&one.shop) == shop && key(&one.item) == what;
        let Some(found) = self.all()?.into_iter().find(meant) else { return Ok(None) };
        ListFile::new(&self.path)?.change(|text| {
            let document = self.document(text)?;
            document.without(text, &found.shop, &found.item).map_err(|why| self.unwritten(&why))
        })?;
        Ok(Some(found.preference))
    }

    fn document(&self, text: &str) -> Result<Document, ListError> {
        let unreadable =
            |(place, why)| ListError::Unreadable { path: self.path.clone(), place, why };
        Document::read(text).map_err(unreadable)
    }

    fn unwritten(&self, why: &str) -> ListError {
        ListError::Write { path: self.path.clone(), why: why.to_owned() }
    }
}

/// What two ways to write the same have in common: the words, in small letters.
fn key(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests;
