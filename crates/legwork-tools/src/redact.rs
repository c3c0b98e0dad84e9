//! Masking: what a secret was read as never leaves, in whatever spelling a page or a program gave it.
//!
//! Instead of listing spellings, a text is read as what it stands for (`spelling`), and the values are
//! looked for in that; where one is found, the text it was read from is replaced by `{{secret:NAME}}`.
//! While no secret has been read, nothing is looked at.

mod spelling;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use legwork_engine::ElementFacts;
use legwork_protocol::{Action, Reply, ToolError};
use memchr::memmem;
use serde_json::Value;
use url::Url;
use zeroize::Zeroizing;

use crate::policy::Facts;
use spelling::{View, base64_parts, folded, hex, latin};

/// Values shorter than this stand in half of all texts.
pub(crate) const SHORTEST: usize = 4;

/// One-time codes that are remembered for each secret.
const CODES: usize = 8;

/// Knows the values of secrets that were read so far. Clones know the same.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<RwLock<Vec<Known>>>,
}

/// One value, and how it may be met.
struct Known {
    name: String,
    value: Zeroizing<Vec<u8>>,
    /// As it is met in a text that was read as what it stands for.
    plain: Vec<Zeroizing<Vec<u8>>>,
    /// As it is met inside base64, with the letters before and behind that hold some of its bits.
    base64: Vec<(Zeroizing<Vec<u8>>, usize, usize)>,
}

impl Known {
    fn new(name: &str, value: &str) -> Known {
        let own = |bytes: Vec<u8>| Zeroizing::new(bytes);
        let mut bytes = vec![own(value.as_bytes().to_vec())];
        bytes.extend(latin(value).map(own));
        let mut plain: Vec<_> = bytes.iter().map(|one| own(folded(one))).collect();
        plain.extend(bytes.iter().map(|one| own(hex(one))));
        // What is left of a value that consists of escapes may be next to nothing.
        plain.retain(|one| one.len() >= SHORTEST);
        let base64 = bytes.iter().flat_map(|one| base64_parts(one)).collect();
        let value = own(value.as_bytes().to_vec());
        Known { name: name.to_owned(), value, plain, base64 }
    }

    /// Adds where the value stands in the text.
    fn find(&self, text: &str, view: &View, letters: &View, found: &mut Vec<Range<usize>>) {
        let raw = memmem::find_iter(text.as_bytes(), &self.value[..]);
        found.extend(raw.map(|at| at..at + self.value.len()));
        for plain in &self.plain {
            let met = memmem::find_iter(&view.bytes, &plain[..]);
            found.extend(met.map(|at| view.span(at..at + plain.len())));
            found.extend(view.cut_off(plain));
        }
        for (part, before, behind) in &self.base64 {
            for at in memmem::find_iter(&letters.bytes, &part[..]) {
                found.push(letters.span_of_letters(at..at + part.len(), *before, *behind));
            }
            found.extend(letters.cut_off(part));
        }
    }
}

/// Whether a value is met everywhere, or what is left of it where it is read as escapes.
pub(crate) fn is_too_short(value: &str) -> bool {
    value.chars().count() < SHORTEST || folded(value.as_bytes()).len() < SHORTEST
}

impl Redactor {
    /// Learns a value. A code that changes all the time is forgotten after some others.
    pub(crate) fn learn(&self, name: &str, value: &str, code: bool) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let same = |one: &Known| one.name == name && one.value[..] == *value.as_bytes();
        if known.iter().any(same) {
            return;
        }
        let own = known.iter().filter(|one| one.name == name).count();
        if code && own >= CODES {
            // The first one known by this name is the seed.
            let oldest = known.iter().enumerate().filter(|(_, one)| one.name == name).nth(1);
            let oldest = oldest.map(|(at, _)| at);
            oldest.map(|at| known.remove(at));
        }
        known.push(Known::new(name, value));
    }

    fn knows_nothing(&self) -> bool {
        self.known.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Whether any value was read so far.
    pub(crate) fn knows_something(&self) -> bool {
        !self.knows_nothing()
    }

    /// Whether the text holds a value.
    pub(crate) fn finds(&self, text: &str) -> bool {
        matches!(self.mask(text), Cow::Owned(_))
    }

    /// The text without the values.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() || text.len() < SHORTEST {
            return Cow::Borrowed(text);
        }
        let (view, letters) = View::of(text);
        let mut found: Vec<(Range<usize>, &str)> = Vec::new();
        for one in known.iter() {
            let mut spans = Vec::new();
            one.find(text, &view, &letters, &mut spans);
            found.extend(spans.into_iter().map(|span| (span, one.name.as_str())));
        }
        found.retain(|(span, _)| !is_masked(text, span, &known));
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        Cow::Owned(replaced(text, &found))
    }

    /// The same for whatever a program is told.
    pub(crate) fn value(&self, value: &mut Value, except: &dyn Fn(&str) -> bool) {
        if self.knows_nothing() {
            return;
        }
        match value {
            Value::String(text) if !except(text) => {
                if let Cow::Owned(masked) = self.mask(text) {
                    *text = masked;
                }
            }
            Value::Number(number) => {
                if let Cow::Owned(masked) = self.mask(&number.to_string()) {
                    *value = Value::String(masked);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item, except)),
            Value::Object(fields) => {
                let all = std::mem::take(fields);
                for (name, mut inner) in all {
                    self.value(&mut inner, except);
                    fields.insert(self.mask(&name).into_owned(), inner);
                }
            }
            _ => {}
        }
    }

    /// A reply without the values.
    pub fn reply(&self, mut reply: Reply) -> Reply {
        if self.knows_nothing() {
            return reply;
        }
        if let Cow::Owned(masked) = self.mask(&reply.text) {
            reply.text = masked;
        }
        // A picture that is data as well is none the less a picture.
        let images = &reply.images;
        let picture = |text: &str| images.iter().any(|image| image.data == text);
        self.value(&mut reply.data, &picture);
        reply
    }

    /// The arguments of an action, without the values, for the records.
    pub(crate) fn arguments(&self, action: &Action) -> String {
        let mut arguments = action.arguments();
        self.value(&mut arguments, &|_| false);
        arguments.to_string()
    }

    /// What is known of an action, without the values, for the records.
    pub(crate) fn facts(&self, facts: &Facts) -> Facts {
        let mut facts = facts.clone();
        if self.knows_nothing() {
            return facts;
        }
        for url in [&mut facts.page, &mut facts.frame, &mut facts.to] {
            *url = url.take().and_then(|url| self.url(url));
        }
        facts.dialog = facts.dialog.map(|text| self.mask(&text).into_owned());
        if let Some(element) = &mut facts.element {
            self.element(element);
        }
        facts
    }

    /// An address without the values; none at all if it cannot be said without.
    fn url(&self, url: Url) -> Option<Url> {
        match self.mask(url.as_str()) {
            Cow::Borrowed(_) => Some(url),
            Cow::Owned(masked) => masked.parse().ok(),
        }
    }

    fn element(&self, element: &mut ElementFacts) {
        let mask = |text: &mut String| *text = self.mask(text).into_owned();
        [&mut element.name, &mut element.description, &mut element.around, &mut element.document]
            .into_iter()
            .chain([&mut element.confirm])
            .chain(&mut element.link)
            .chain(&mut element.terms)
            .chain([&mut element.seal])
            .for_each(mask);
        if let Some(form) = &mut element.form {
            [&mut form.action, &mut form.name].into_iter().chain(&mut form.fields).for_each(mask);
        }
        if let Some(submitter) = &mut element.submitter {
            self.element(submitter);
        }
    }

    /// An error without the values.
    pub fn error(&self, error: ToolError) -> ToolError {
        if self.knows_nothing() {
            return error;
        }
        ToolError {
            code: error.code,
            message: self.mask(&error.message).into_owned(),
            hint: error.hint.map(|hint| self.mask(&hint).into_owned()),
        }
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
        out.debug_tuple("Redactor").field(&names).finish()
    }
}

/// What stands for a secret in a text.
pub(crate) fn mark(name: &str) -> String {
    format!("{{{{secret:{name}}}}}")
}

/// Whether the place is in a mark already: a value may be a part of its own mark.
fn is_masked(text: &str, span: &Range<usize>, known: &[Known]) -> bool {
    known.iter().any(|one| {
        let mark = mark(&one.name);
        let from = text.floor_char_boundary(span.start.saturating_sub(mark.len()));
        let to = text.ceil_char_boundary((span.end + mark.len()).min(text.len()));
        let mut marks = text[from..to].match_indices(&mark);
        marks.any(|(at, _)| from + at <= span.start && span.end <= from + at + mark.len())
    })
}

/// The text with a mark in the place of everything found; what overlaps is one.
fn replaced(text: &str, found: &[(Range<usize>, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (span, name) in found {
        if span.end <= done {
            continue;
        }
        if span.start >= done {
            out.push_str(&text[done..span.start]);
            out.push_str(&mark(name));
        }
        done = span.end;
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests;
