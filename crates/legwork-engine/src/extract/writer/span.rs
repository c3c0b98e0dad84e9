//! Elements inside a paragraph.

use dom_query::NodeRef;

use super::block::is_block;
use super::{Style, Writer};
use crate::extract::inline;

/// Elements whose content is not text of the page: pictures, players, other documents, and form
/// fields, whose values may be secrets.
const LEFT_OUT: &[&str] = &[
    "audio", "base", "canvas", "datalist", "embed", "head", "iframe", "link", "map", "meta",
    "object", "optgroup", "option", "script", "select", "style", "svg", "template", "textarea",
    "title", "video",
];

const BOLD: usize = 0;
const ITALIC: usize = 1;

/// Signs that documentation generators put beside headings as links to them.
const PERMALINKS: &[&str] = &["§", "¶", "🔗", "#", "\\#"];

impl Writer<'_> {
    /// Writes an element into the paragraph.
    pub(super) fn span(&mut self, node: NodeRef<'_>, name: &str) {
        if LEFT_OUT.contains(&name) {
            return;
        }
        match name {
            "br" => self.line_break(),
            "a" => self.link(node),
            "img" => self.image(node),
            "b" | "strong" => self.emphasis(node, BOLD, "**"),
            "i" | "em" | "cite" | "dfn" => self.emphasis(node, ITALIC, "*"),
            "del" | "s" | "strike" => self.enclose(node, "~~", "~~"),
            "sub" => self.enclose(node, "<sub>", "</sub>"),
            "sup" => self.enclose(node, "<sup>", "</sup>"),
            "q" => self.enclose(node, "\"", "\""),
            "code" | "kbd" | "samp" | "tt" => {
                let text = node.text();
                self.code(&text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            "button" => {
                self.space();
                self.children(node);
                self.space();
            }
            "input" => self.input(node),
            "math" => self.formula(node),
            _ => self.children(node),
        }
    }

    fn line_break(&mut self) {
        if self.flat.is_some() {
            return self.boundary();
        }
        let kept = self.inline.trim_end().len();
        self.inline.truncate(kept);
        if kept > 0 {
            self.inline.push_str("  \n");
        }
    }

    pub(super) fn code(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.style {
            Style::Markdown => self.inline.push_str(&inline::code_span(text)),
            Style::Plain => self.inline.push_str(text),
        }
    }

    fn emphasis(&mut self, node: NodeRef<'_>, kind: usize, marker: &'static str) {
        if self.emphasis[kind] > 0 {
            return self.children(node);
        }
        self.emphasis[kind] += 1;
        self.enclose(node, marker, marker);
        self.emphasis[kind] -= 1;
    }

    /// Puts markers around the text of an element, inside the spaces at its ends. An element that
    /// holds paragraphs gets none.
    fn enclose(&mut self, node: NodeRef<'_>, open: &str, close: &str) {
        let (start, written) = (self.inline.len(), self.written);
        self.children(node);
        if self.style == Style::Plain || self.written != written || self.inline.len() < start {
            return;
        }
        let inner = self.inline.split_off(start);
        let text = inner.trim();
        // Footnote marks read better as they are.
        if text.is_empty() || (open == "<sup>" && text.contains('[')) {
            return self.inline.push_str(&inner);
        }
        let (before, after) = around(&inner, text);
        let joined = before.is_empty() && open == close && self.inline.ends_with(close);
        if joined && open == "**" && !self.inline.ends_with("\\**") {
            self.inline.truncate(self.inline.len() - close.len());
            self.inline.push_str(text);
        } else {
            self.inline.extend([before, open, text]);
        }
        self.inline.extend([close, after]);
    }

    fn link(&mut self, node: NodeRef<'_>) {
        let address = node.attr("href").and_then(|address| self.address(&address));
        let Some(address) = address.filter(|_| self.style == Style::Markdown) else {
            return self.children(node);
        };
        let blocks = node
            .descendants_it()
            .any(|part| part.qual_name_ref().is_some_and(|name| is_block(&name.local)));
        if blocks {
            self.space();
        }
        let start = self.inline.len();
        let floor = std::mem::replace(&mut self.floor, start);
        let flat = self.flat.replace(self.flat.unwrap_or(" "));
        self.children(node);
        self.flat = flat;
        self.floor = floor;
        let inner = self.inline.split_off(start.min(self.inline.len()));
        let label = node.attr("aria-label").or_else(|| node.attr("title"));
        let label = label.map(|label| inline::escaped(label.trim())).unwrap_or_default();
        let shown = inner.trim().trim_end_matches("<br>");
        let text = if shown.is_empty() { label.as_str() } else { shown };
        let (before, after) = around(&inner, inner.trim());
        self.inline.push_str(before);
        if !text.is_empty() && !PERMALINKS.contains(&text) {
            self.inline.push_str(&inline::link(text, &address));
        }
        self.inline.push_str(after);
        if blocks {
            self.space();
        }
    }

    fn image(&mut self, node: NodeRef<'_>) {
        let pixel = |name| node.attr(name).is_some_and(|size| matches!(&*size, "0" | "1"));
        if pixel("width") && pixel("height") {
            return;
        }
        let alternative = node.attr("alt").unwrap_or_default();
        let alternative = alternative.split_whitespace().collect::<Vec<_>>().join(" ");
        // Pictures that load late keep their address elsewhere until then.
        let sources = ["src", "data-src", "data-original"];
        let address = sources.iter().find_map(|name| self.address(&node.attr(name)?));
        match (self.style, address) {
            (Style::Markdown, Some(address)) => {
                let image = inline::link(&inline::escaped(&alternative), &address);
                self.inline.push('!');
                self.inline.push_str(&image);
            }
            _ => self.text(&alternative),
        }
    }

    /// Only the ticks of a task list: what fields hold is not text of the page.
    fn input(&mut self, node: NodeRef<'_>) {
        let checkbox = node.attr("type").is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
        if checkbox && self.items > 0 {
            self.inline.push_str(if node.has_attr("checked") { "[x] " } else { "[ ] " });
        }
    }

    fn formula(&mut self, node: NodeRef<'_>) {
        match node.attr("alttext") {
            Some(formula) => self.inline.push_str(&format!("${}$", formula.trim())),
            None => self.children(node),
        }
    }
}

/// The white space before and after the trimmed text.
fn around<'t>(inner: &'t str, text: &str) -> (&'t str, &'t str) {
    let start = inner.len() - inner.trim_start().len();
    (&inner[..start], &inner[(start + text.len()).min(inner.len())..])
}
