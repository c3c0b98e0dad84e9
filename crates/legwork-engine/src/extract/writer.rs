//! Writes a tree of elements as Markdown or as plain text.
//!
//! A paragraph is gathered in `inline` and written out when a block ends. Lists and quotations
//! are levels that put something before every line.

mod block;
mod span;

use dom_query::NodeRef;
use url::Url;

use super::inline;

/// Script can nest elements deeper than any stack; below this, only text is taken.
const DEEPEST: usize = 400;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Markdown as GitHub reads it.
    Markdown,
    /// Text without markup.
    Plain,
}

/// What goes between the last block and the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Nothing,
    Line,
    Blank,
}

/// What a list item or a quotation puts before its lines.
struct Level {
    /// Before its first line, until that is written.
    first: Option<String>,
    rest: String,
}

pub(super) struct Writer<'a> {
    base: &'a Url,
    style: Style,
    out: String,
    /// The paragraph that is being gathered.
    inline: String,
    /// Where in `inline` the content of the nearest flat element begins.
    floor: usize,
    /// What separates blocks where they must stay on one line: in headings, links and cells.
    flat: Option<&'static str>,
    levels: Vec<Level>,
    gap: Gap,
    depth: usize,
    /// How many paragraphs were written, so that an element knows whether it is still in one.
    written: usize,
    /// How many list items are open.
    items: usize,
    /// How many elements are open that make text bold, and italic.
    emphasis: [usize; 2],
}

impl<'a> Writer<'a> {
    pub(super) fn new(base: &'a Url, style: Style) -> Self {
        Writer {
            base,
            style,
            out: String::new(),
            inline: String::new(),
            floor: 0,
            flat: None,
            levels: Vec::new(),
            gap: Gap::Nothing,
            depth: 0,
            written: 0,
            items: 0,
            emphasis: [0, 0],
        }
    }

    /// Everything that was written, with one newline at the end.
    pub(super) fn finish(mut self) -> String {
        self.flush();
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    pub(super) fn children(&mut self, node: NodeRef<'_>) {
        if self.depth >= DEEPEST {
            let text = node.text();
            return self.text(&text);
        }
        self.depth += 1;
        for child in node.children_it(false) {
            self.node(child);
        }
        self.depth -= 1;
    }

    fn node(&mut self, node: NodeRef<'_>) {
        if node.is_text() {
            let text = node.text();
            return self.text(&text);
        }
        let Some(name) = node.qual_name_ref() else { return };
        let name: &str = &name.local;
        if !self.block(node, name) {
            self.span(node, name);
        }
    }

    /// Adds text to the paragraph, with runs of white space as one space.
    fn text(&mut self, text: &str) {
        for (at, word) in text.split([' ', '\n', '\t', '\r', '\u{c}']).enumerate() {
            if at > 0 {
                self.space();
            }
            match self.style {
                Style::Markdown => inline::escape_into(&mut self.inline, word),
                Style::Plain => self.inline.push_str(word),
            }
        }
    }

    fn space(&mut self) {
        let ended = self.inline.ends_with([' ', '\n']) || self.inline.ends_with("<br>");
        if !self.inline.is_empty() && !ended {
            self.inline.push(' ');
        }
    }

    /// The end of one block and the beginning of another.
    fn boundary(&mut self) {
        let Some(separator) = self.flat else { return self.flush() };
        let kept = self.inline.trim_end().len();
        if kept > self.floor {
            self.inline.truncate(kept);
            if !self.inline.ends_with(separator) {
                self.inline.push_str(separator);
            }
        }
    }

    /// Writes the paragraph that was gathered.
    fn flush(&mut self) {
        let paragraph = std::mem::take(&mut self.inline);
        self.floor = 0;
        let paragraph = paragraph.trim();
        if paragraph.is_empty() {
            return;
        }
        let lines = paragraph.lines().map(|line| match self.style {
            Style::Markdown => inline::escape_line_start(line),
            Style::Plain => line.trim_end().to_owned(),
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        self.emit(&text);
    }

    /// Writes a block, each line with what the levels put before it.
    fn emit(&mut self, text: &str) {
        self.written += 1;
        match self.gap {
            Gap::Nothing => {}
            Gap::Line => self.out.push('\n'),
            Gap::Blank => {
                self.out.push('\n');
                let open = self.levels.iter().take_while(|level| level.first.is_none());
                let prefix: String = open.map(|level| level.rest.as_str()).collect();
                self.out.push_str(prefix.trim_end());
                self.out.push('\n');
            }
        }
        self.gap = Gap::Blank;
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.out.push('\n');
            }
            let start = self.out.len();
            for level in &mut self.levels {
                self.out.push_str(&level.first.take().unwrap_or_else(|| level.rest.clone()));
            }
            self.out.push_str(line);
            if line.is_empty() {
                let kept = self.out[start..].trim_end().len();
                self.out.truncate(start + kept);
            }
        }
    }

    /// Gathers the content of an element on one line, apart from the paragraph around it.
    fn one_line(&mut self, node: NodeRef<'_>, separator: &'static str) -> String {
        let around = std::mem::take(&mut self.inline);
        let floor = std::mem::replace(&mut self.floor, 0);
        let flat = self.flat.replace(separator);
        self.children(node);
        self.flat = flat;
        self.floor = floor;
        let line = std::mem::replace(&mut self.inline, around);
        let mut line = line.trim();
        while let Some(shorter) = line.strip_suffix(separator) {
            line = shorter.trim_end();
        }
        line.to_owned()
    }

    fn address(&self, address: &str) -> Option<String> {
        let address = address.trim();
        let unusable = address.is_empty() || starts_with_scheme(address, &["javascript:", "data:"]);
        if unusable { None } else { self.base.join(address).ok().map(String::from) }
    }
}

fn starts_with_scheme(address: &str, schemes: &[&str]) -> bool {
    let begins =
        |scheme: &&str| address.get(..scheme.len()).is_some_and(|a| a.eq_ignore_ascii_case(scheme));
    schemes.iter().any(begins)
}
