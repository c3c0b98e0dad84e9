//! What runs note on items, in words that people can read and remove.

use std::collections::BTreeSet;
use std::fmt;

/// A note on an item. The order is the one they are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// The shop does not seem to sell it.
    NotFound,
    /// The shop sells it, but has none now.
    OutOfStock,
    /// Something went wrong on the way.
    Failed,
    /// Another item says the same.
    Duplicate,
}

impl Tag {
    const ALL: [Tag; 4] = [Tag::NotFound, Tag::OutOfStock, Tag::Failed, Tag::Duplicate];

    /// The tag as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Tag::NotFound => "#not_found",
            Tag::OutOfStock => "#out_of_stock",
            Tag::Failed => "#failed",
            Tag::Duplicate => "#dupe",
        }
    }

    /// The tag that a word is; `#404` says not found as well.
    pub fn read(word: &str) -> Option<Tag> {
        let word = word.trim().to_ascii_lowercase();
        match word.as_str() {
            "#404" => Some(Tag::NotFound),
            _ => Tag::ALL.into_iter().find(|tag| tag.word() == word),
        }
    }
}

/// The tags of an item, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags(BTreeSet<Tag>);

impl Tags {
    /// Whether a tag is among them.
    pub fn has(&self, tag: Tag) -> bool {
        self.0.contains(&tag)
    }

    /// Adds a tag.
    pub fn add(&mut self, tag: Tag) {
        self.0.insert(tag);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tags in canonical order.
    pub fn iter(&self) -> impl Iterator<Item = Tag> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<Tag> for Tags {
    fn from_iter<T: IntoIterator<Item = Tag>>(tags: T) -> Tags {
        Tags(tags.into_iter().collect())
    }
}

impl fmt::Display for Tags {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.iter().map(Tag::word).collect();
        out.write_str(&words.join(" "))
    }
}

/// The name and the tags in what somebody wrote. A tag counts wherever it stands; other words with `#`
/// belong to the name. The spaces within the name stay, so that a tag does not change what it is called.
pub(super) fn split(written: &str) -> (String, Tags) {
    let tags: Tags = written.split_whitespace().filter_map(Tag::read).collect();
    let pieces = written.trim().split_inclusive(char::is_whitespace);
    let name: String = pieces.filter(|piece| Tag::read(piece).is_none()).collect();
    (name.trim().to_owned(), tags)
}

/// A name with its tags behind it.
pub(super) fn join(name: &str, tags: &Tags) -> String {
    if tags.is_empty() { name.to_owned() } else { format!("{name} {tags}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_are_read_anywhere_and_written_in_their_order() {
        let cases = [
            ("milk", "milk", "milk"),
            ("milk #failed #not_found", "milk", "milk #not_found #failed"),
            ("milk #404", "milk", "milk #not_found"),
            ("#dupe 2%  milk #DUPE", "2%  milk", "2%  milk #dupe"),
            ("#1 best  mustard", "#1 best  mustard", "#1 best  mustard"),
            (
                "tea #dupe #failed #out_of_stock #not_found",
                "tea",
                "tea #not_found #out_of_stock #failed #dupe",
            ),
        ];
        for (written, name, again) in cases {
            let (found, tags) = split(written);
            assert_eq!(found, name, "{written}");
            assert_eq!(join(&found, &tags), again, "{written}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_the_same_with_and_without_tags(written in "\\PC*|([a-z]{0,3}[ \u{2000}]{0,2}(#dupe)?){0,4}") {
            let (name, mut tags) = split(&written);
            tags.add(Tag::Failed);
            prop_assert_eq!(split(&name).0, name.clone());
            if !name.is_empty() {
                prop_assert_eq!(split(&join(&name, &tags)), (name, tags));
            }
        }
    }
}
