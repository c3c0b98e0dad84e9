//! Elements that stand on lines of their own.

use dom_query::NodeRef;

use super::{Gap, Level, Style, Writer};
use crate::extract::{inline, language, table};

/// Elements that break a line and mean nothing else here.
const PLAIN_BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "body",
    "caption",
    "center",
    "details",
    "dialog",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hgroup",
    "html",
    "legend",
    "main",
    "nav",
    "p",
    "search",
    "section",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
];

const OTHER_BLOCKS: &[&str] = &[
    "blockquote",
    "dd",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "menu",
    "ol",
    "pre",
    "summary",
    "table",
    "ul",
];

/// Whether an element of this name stands on lines of its own.
pub(super) fn is_block(name: &str) -> bool {
    PLAIN_BLOCKS.contains(&name) || OTHER_BLOCKS.contains(&name)
}

impl Writer<'_> {
    /// Writes the element if it is a block, and says whether it was.
    pub(super) fn block(&mut self, node: NodeRef<'_>, name: &str) -> bool {
        if !is_block(name) {
            return false;
        }
        self.boundary();
        match name {
            "pre" => self.preformatted(node),
            "hr" => self.rule(),
            _ if self.flat.is_some() => self.children(node),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(node, name),
            "ul" | "menu" => self.list(node, None),
            "ol" => {
                let start = node.attr("start").and_then(|start| start.trim().parse().ok());
                self.list(node, Some(start.unwrap_or(1)));
            }
            "li" => self.item(node, "- ".to_owned()),
            "blockquote" => self.level(node, "> ".to_owned(), "> ".to_owned()),
            "dt" | "summary" => self.term(node),
            "dd" => self.definition(node),
            "table" => self.table(node),
            _ => self.children(node),
        }
        self.boundary();
        true
    }

    fn heading(&mut self, node: NodeRef<'_>, name: &str) {
        let text = self.one_line(node, " ");
        if text.is_empty() {
            return;
        }
        let level = name[1..].parse().unwrap_or(1);
        match self.style {
            Style::Markdown => self.emit(&format!("{} {text}", "#".repeat(level))),
            Style::Plain => self.emit(&text),
        }
    }

    fn rule(&mut self) {
        if self.flat.is_none() && self.style == Style::Markdown {
            self.emit("---");
        }
    }

    fn list(&mut self, node: NodeRef<'_>, numbered: Option<i64>) {
        if self.items > 0 && self.gap == Gap::Blank {
            self.gap = Gap::Line;
        }
        let mut number = numbered;
        let before = self.written;
        for child in node.children_it(false) {
            if !child.has_name("li") {
                self.node(child);
                continue;
            }
            self.flush();
            if self.written > before {
                self.gap = Gap::Line;
            }
            let marker = number.map_or("- ".to_owned(), |number| format!("{number}. "));
            number = number.map(|number| number.saturating_add(1));
            self.item(child, marker);
        }
        self.flush();
    }

    fn item(&mut self, node: NodeRef<'_>, marker: String) {
        let rest = " ".repeat(marker.len());
        self.items += 1;
        self.level(node, marker, rest);
        self.items -= 1;
    }

    fn level(&mut self, node: NodeRef<'_>, first: String, rest: String) {
        self.levels.push(Level { first: Some(first), rest });
        self.children(node);
        self.flush();
        self.levels.pop();
    }

    fn term(&mut self, node: NodeRef<'_>) {
        let text = self.one_line(node, " ");
        if text.is_empty() {
            return;
        }
        let marked = self.style == Style::Markdown && !text.contains("**");
        self.emit(&if marked { format!("**{text}**") } else { text });
    }

    fn definition(&mut self, node: NodeRef<'_>) {
        if self.gap == Gap::Blank {
            self.gap = Gap::Line;
        }
        self.level(node, ": ".to_owned(), "  ".to_owned());
    }

    fn preformatted(&mut self, node: NodeRef<'_>) {
        let text = verbatim(node);
        let text = text.trim_matches('\n').trim_end();
        if text.is_empty() {
            return;
        }
        if self.flat.is_some() {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            return self.code(&line);
        }
        if self.style == Style::Plain {
            return self.emit(text);
        }
        let fence = "`".repeat(inline::longest_run(text, '`').max(2) + 1);
        let language = language::of(node).unwrap_or_default();
        self.emit(&format!("{fence}{language}\n{text}\n{fence}"));
    }

    fn table(&mut self, node: NodeRef<'_>) {
        let Some(rows) = table::data(node) else { return self.children(node) };
        let caption = node.element_children().into_iter().find(|child| child.has_name("caption"));
        if let Some(caption) = caption {
            self.term(caption);
        }
        let separator = if self.style == Style::Markdown { "<br>" } else { " " };
        let grid = table::grid(&rows, |cell| {
            let text = self.one_line(cell, separator);
            let text = text.replace("  \n", separator).replace('\n', " ");
            if self.style == Style::Markdown { text.replace('|', "\\|") } else { text }
        });
        match self.style {
            Style::Markdown => self.emit(&table::markdown(&rows, &grid)),
            Style::Plain => self.emit(&table::plain(&grid)),
        }
    }
}

/// The text of a preformatted element, where `<br>` is a line break.
fn verbatim(node: NodeRef<'_>) -> String {
    let mut text = String::new();
    for part in node.descendants_it() {
        if part.is_text() {
            text.push_str(&part.text());
        } else if part.has_name("br") {
            text.push('\n');
        }
    }
    text.replace("\r\n", "\n")
}
