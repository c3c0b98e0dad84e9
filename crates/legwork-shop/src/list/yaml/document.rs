//! What a YAML list says, and where in the text it says it.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use serde_json::Value;
use yaml_edit::{Mapping, Scalar, Sequence, YamlFile, YamlNode};

use super::ListError;
use crate::item::{Item, ItemId, MOST, Status, Tag};

/// A list, read.
pub(super) struct Document {
    /// The whole content, as another reader sees it.
    pub(super) content: Value,
    /// Comments in their order.
    pub(super) comments: Vec<String>,
    /// The items in their order.
    pub(super) entries: Vec<Entry>,
}

/// An item, and where it stands.
pub(super) struct Entry {
    pub(super) item: Item,
    pub(super) place: Place,
    /// Between `[` and `]`, or between `{` and `}`.
    pub(super) in_flow: bool,
}

/// Where an item stands.
pub(super) enum Place {
    /// It is only a word.
    Word(Text),
    /// It has fields.
    Fields {
        name: Text,
        status: Option<Found>,
        tags: Option<Found>,
        explanation: Option<Found>,
        /// Where the keys begin, in letters from the beginning of the line.
        column: usize,
    },
}

/// A scalar: where it is, and what it says.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) at: Range<usize>,
    pub(super) says: String,
}

/// A value of a field.
pub(super) enum Found {
    /// There is none; one belongs at this byte, after a space.
    Nothing(usize),
    Text(Text),
    /// A list: its own range, those of its elements, and whether it is in brackets.
    List {
        at: Range<usize>,
        elements: Vec<Text>,
        in_flow: bool,
    },
}

/// A mistake in a list, at a byte or a place.
pub(super) struct Mistake {
    place: Option<(usize, usize)>,
    why: String,
}

impl Mistake {
    fn at(text: &str, byte: usize, why: impl Into<String>) -> Mistake {
        let line = text[..byte].matches('\n').count() + 1;
        Mistake { place: Some((line, column(text, byte) + 1)), why: why.into() }
    }

    pub(super) fn in_file(self, path: &Path) -> ListError {
        ListError::Unreadable { path: path.to_owned(), place: self.place, why: self.why }
    }
}

/// How many letters stand before a byte on its line.
pub(super) fn column(text: &str, byte: usize) -> usize {
    let start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..byte].chars().count()
}

impl Document {
    /// Reads a list: a sequence, or a mapping with one under `items`.
    pub(super) fn read(text: &str) -> Result<Document, Mistake> {
        let content: Value = if text.trim().is_empty() {
            Value::Null
        } else {
            serde_saphyr::from_str(text).map_err(unreadable)?
        };
        let parsed = YamlFile::parse(text);
        if let Some(error) = parsed.positioned_errors().first() {
            return Err(Mistake::at(text, error.range.start as usize, error.message.clone()));
        }
        let file = parsed.tree();
        let comments = file.comments().map(|comment| comment.text().to_owned()).collect();
        let mut reader = Reader { text, ids: HashSet::new() };
        let entries = match file.document() {
            Some(document) => reader.list(&document)?,
            None => Vec::new(),
        };
        let listed = listed(&content).map_or(0, <[Value]>::len);
        if listed != entries.len() {
            let why = format!("it has {listed} items, and {} were understood", entries.len());
            return Err(Mistake { place: None, why });
        }
        Ok(Document { content, comments, entries })
    }
}

/// The items in the content of a list.
pub(super) fn listed(content: &Value) -> Option<&[Value]> {
    let items = if content.is_array() { content } else { content.get("items")? };
    items.as_array().map(Vec::as_slice)
}

fn unreadable(error: serde_saphyr::Error) -> Mistake {
    let place = error.location().map(|at| (at.line() as usize, at.column() as usize));
    let why = error.to_string();
    Mistake { place, why: why.lines().next().unwrap_or("it is not YAML").to_owned() }
}

/// Goes through a document and remembers which ids were given.
struct Reader<'t> {
    text: &'t str,
    ids: HashSet<String>,
}

impl Reader<'_> {
    fn list(&mut self, document: &yaml_edit::Document) -> Result<Vec<Entry>, Mistake> {
        let items = match (document.as_sequence(), document.as_mapping()) {
            (Some(items), _) => items,
            (None, Some(mapping)) => match mapping.get("items") {
                Some(YamlNode::Sequence(items)) => items,
                Some(YamlNode::Scalar(nothing)) if nothing.is_null() => return Ok(Vec::new()),
                Some(other) => return Err(self.mistake(&other, "`items` has to be a list")),
                None => return Err(Mistake::at(self.text, 0, "there is no list under `items`")),
            },
            (None, None) if document.to_string().trim().is_empty() => return Ok(Vec::new()),
            (None, None) if document.as_scalar().is_none_or(|it| it.is_null()) => {
                return Ok(Vec::new());
            }
            _ => return Err(Mistake::at(self.text, 0, "it is not a list")),
        };
        items.values().map(|item| self.entry(&item, items.is_flow_style())).collect()
    }

    fn entry(&mut self, node: &YamlNode, in_flow: bool) -> Result<Entry, Mistake> {
        match node {
            YamlNode::Scalar(word) => {
                let name = text_of(word);
                let item = self.item(node, None, &name.says, Status::NeedsAction)?;
                Ok(Entry { item, place: Place::Word(name), in_flow })
            }
            YamlNode::Mapping(fields) => self.fields(node, fields, in_flow),
            other => Err(self.mistake(other, "an item is a word, or a mapping with a `name`")),
        }
    }

    fn fields(&mut self, node: &YamlNode, map: &Mapping, in_flow: bool) -> Result<Entry, Mistake> {
        let Some(Found::Text(name)) = self.field(map, "name")? else {
            return Err(self.mistake(node, "an item needs a `name`"));
        };
        let id = match self.field(map, "id")? {
            Some(Found::Text(id)) if !id.says.is_empty() => Some(id.says),
            _ => None,
        };
        let [status, tags, explanation] =
            [self.field(map, "status")?, self.field(map, "tags")?, self.field(map, "explanation")?];
        let mut item = self.item(node, id, &name.says, self.status(node, &status)?)?;
        tags_of(&tags).into_iter().for_each(|tag| item.tags.add(tag));
        self.quantity(node, map, &mut item)?;
        let key = map.entries().find(|entry| entry.key_matches("name"));
        let key =
            key.and_then(|entry| entry.key_node()).ok_or_else(|| self.mistake(node, "no name"))?;
        let column = column(self.text, key.byte_range().start as usize);
        let place = Place::Fields { name, status, tags, explanation, column };
        Ok(Entry { item, place, in_flow: in_flow || map.is_flow_style() })
    }

    /// The value of a field, if the field is there.
    fn field(&self, map: &Mapping, key: &str) -> Result<Option<Found>, Mistake> {
        let Some(entry) = map.entries().find(|entry| entry.key_matches(key)) else {
            return Ok(None);
        };
        let key_end = entry.key_node().map_or(0, |key| key.byte_range().end as usize);
        let value = entry.value_node();
        match &value {
            None => Ok(Some(self.nothing(key_end))),
            Some(YamlNode::Scalar(text)) if text.value().is_empty() => {
                Ok(Some(self.nothing(key_end)))
            }
            Some(YamlNode::Scalar(text)) => Ok(Some(Found::Text(text_of(text)))),
            Some(YamlNode::Sequence(list)) => self.sequence(list).map(Some),
            Some(other) => Err(self.mistake(other, format!("`{key}` cannot be this"))),
        }
    }

    fn nothing(&self, key_end: usize) -> Found {
        let colon = self.text[key_end..].find(':').map_or(key_end, |at| key_end + at + 1);
        Found::Nothing(colon)
    }

    fn sequence(&self, list: &Sequence) -> Result<Found, Mistake> {
        let element = |node: YamlNode| match &node {
            YamlNode::Scalar(text) => Ok(text_of(text)),
            other => Err(self.mistake(other, "a tag is a word")),
        };
        let elements: Result<Vec<Text>, Mistake> = list.values().map(element).collect();
        let range = list.byte_range();
        let at = range.start as usize..range.end as usize;
        Ok(Found::List { at, elements: elements?, in_flow: list.is_flow_style() })
    }

    fn status(&self, node: &YamlNode, found: &Option<Found>) -> Result<Status, Mistake> {
        match found {
            None | Some(Found::Nothing(_)) => Ok(Status::NeedsAction),
            Some(Found::Text(text)) if text.says == "needs_action" => Ok(Status::NeedsAction),
            Some(Found::Text(text)) if text.says == "completed" => Ok(Status::Completed),
            Some(_) => Err(self.mistake(node, "`status` is needs_action or completed")),
        }
    }

    /// A quantity in a field of its own counts, unless the name says another one.
    fn quantity(&self, node: &YamlNode, map: &Mapping, item: &mut Item) -> Result<(), Mistake> {
        let Some(Found::Text(text)) = self.field(map, "quantity")? else { return Ok(()) };
        let quantity = text.says.trim().parse().ok().filter(|number| (1..=MOST).contains(number));
        let said = item.wanted.quantity;
        match quantity {
            Some(number) if said == 1 || said == number => item.wanted.quantity = number,
            Some(_) => {
                return Err(self.mistake(node, "name and `quantity` say different quantities"));
            }
            None => {
                return Err(self.mistake(node, format!("`quantity` is a number from 1 to {MOST}")));
            }
        }
        Ok(())
    }

    /// An item with an id of its own: the one that is written, else its name, which tags do not change, else
    /// the name with a number.
    fn item(
        &mut self,
        node: &YamlNode,
        id: Option<String>,
        name: &str,
        status: Status,
    ) -> Result<Item, Mistake> {
        let mut item = Item::read(ItemId::new(""), name, status)
            .ok_or_else(|| self.mistake(node, "an item needs a name"))?;
        let wanted = id.unwrap_or_else(|| item.name.clone());
        let numbered = (2..).map(|number| format!("{wanted}~{number}"));
        let mut candidates = std::iter::once(wanted.clone()).chain(numbered);
        let id = candidates.find(|id| !self.ids.contains(id)).unwrap_or(wanted.clone());
        self.ids.insert(id.clone());
        item.id = ItemId::new(id);
        Ok(item)
    }

    fn mistake(&self, node: &YamlNode, why: impl Into<String>) -> Mistake {
        Mistake::at(self.text, node.byte_range().start as usize, why)
    }
}

fn text_of(scalar: &Scalar) -> Text {
    let range = scalar.byte_range();
    Text { at: range.start as usize..range.end as usize, says: scalar.as_string() }
}

/// The tag that a word is, with or without its `#`.
pub(super) fn tag_of(word: &str) -> Option<Tag> {
    let word = word.trim();
    Tag::read(word).or_else(|| Tag::read(&format!("#{word}")))
}

/// The tags that are known among those that are written, with or without their `#`.
pub(super) fn tags_of(found: &Option<Found>) -> Vec<Tag> {
    let read = |text: &Text| tag_of(&text.says);
    match found {
        Some(Found::List { elements, .. }) => elements.iter().filter_map(read).collect(),
        Some(Found::Text(text)) => read(text).into_iter().collect(),
        Some(Found::Nothing(_)) | None => Vec::new(),
    }
}
