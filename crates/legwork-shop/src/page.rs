//! A page as a shopper reads it: the lines of a snapshot, each cut into words, links, buttons and fields. What
//! a page says cannot become a control: the snapshot takes care that only what has a ref looks like one.

mod card;
mod piece;

pub(crate) use card::belongs;
pub use card::{Card, Shop};
pub use piece::{Field, Piece};

use crate::visible::visible;

/// A page that was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its lines, from the top.
    pub lines: Vec<Line>,
    /// The status it came with, where it was gone to.
    pub status: Option<u16>,
    /// Whether some of it was left out for its length.
    pub cut: bool,
}

/// What a line of a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A heading, and how deep.
    Heading(usize),
    /// An item of a list.
    Item,
    /// A row of a table.
    Row,
    /// The name of a part of the page, which follows indented.
    Part,
    /// Anything else.
    Text,
}

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// How far it is indented.
    pub indent: usize,
    /// What it is.
    pub kind: Kind,
    /// What stands in it.
    pub pieces: Vec<Piece>,
}

impl Line {
    /// The line as it reads, without refs and addresses.
    pub fn text(&self) -> String {
        said(&self.pieces)
    }
}

/// Pieces as they read.
pub fn said(pieces: &[Piece]) -> String {
    let words: Vec<&str> =
        pieces.iter().map(Piece::words).filter(|words| !words.is_empty()).collect();
    words.join(" ")
}

impl Page {
    /// Reads the text of a snapshot that was taken with links. What cannot be seen in it is left out here, so
    /// that no name or price that is told of a page has any.
    pub fn read(url: &str, title: &str, text: &str) -> Page {
        let mut page = Page { url: url.into(), title: visible(title), ..Page::default() };
        for written in text.lines() {
            let written = visible(written);
            let body = written.trim_start_matches(' ');
            if body.starts_with("(… ") {
                page.cut = true;
            } else if !body.is_empty() && !is_fold(body) {
                page.lines.push(line(written.len() - body.len(), body));
            }
        }
        page
    }

    /// Every piece, with its line.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.lines.iter().flat_map(|line| &line.pieces)
    }

    /// The lines in parts of this kind, such as `dialog`.
    pub fn within(&self, kind: &str) -> Vec<&Line> {
        let mut inside: Option<usize> = None;
        let mut kept = Vec::new();
        for line in &self.lines {
            if inside.is_some_and(|indent| line.indent > indent) {
                kept.push(line);
                continue;
            }
            let opens =
                line.kind == Kind::Part && line.text().split([' ', ':']).next() == Some(kind);
            inside = opens.then_some(line.indent);
        }
        kept
    }

    /// The lines of what a page is about: without the parts for finding one's way, where it has any. A part is
    /// left out with all that stands below it.
    pub fn matter(&self) -> Vec<&Line> {
        let mut kept = Vec::new();
        let mut aside: Option<usize> = None;
        for line in &self.lines {
            if aside.is_some_and(|indent| line.indent > indent) {
                continue;
            }
            aside = (line.kind == Kind::Part && is_aside(&line.text())).then_some(line.indent);
            if aside.is_none() {
                kept.push(line);
            }
        }
        kept
    }
}

/// Parts that are on every page.
fn is_aside(name: &str) -> bool {
    let first = name.split([' ', ':']).next().unwrap_or_default();
    ["nav", "banner", "footer", "search", "menu", "menubar", "toolbar"].contains(&first)
}

/// The mark from which on a page has to be scrolled.
fn is_fold(body: &str) -> bool {
    body.starts_with("--- ") && body.ends_with(" ---")
}

fn line(indent: usize, body: &str) -> Line {
    let hashes = body.len() - body.trim_start_matches('#').len();
    let (kind, rest) = match body {
        _ if (1..=6).contains(&hashes) && body[hashes..].starts_with(' ') => {
            (Kind::Heading(hashes), &body[hashes + 1..])
        }
        _ => match (body.strip_prefix("- "), body.strip_prefix("| ")) {
            (Some(rest), _) => (Kind::Item, rest),
            (_, Some(rest)) => (Kind::Row, rest),
            _ => (Kind::Text, body),
        },
    };
    let pieces = piece::cut(rest);
    let named = kind == Kind::Text && rest.ends_with(':') && pieces.len() == 1;
    Line { indent, kind: if named { Kind::Part } else { kind }, pieces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_into_what_can_be_read_and_what_can_be_acted_on() {
        let text = "main:\n # Results for \"milk\"\n - <Whole Milk e7 → /p/1> Dairyland 1 L $3.49 \
                    [spinbutton Quantity e8 = 1 (1-20)] [Add to cart e9]\n--- below the fold ---\n \
                    | <Skim e10 → /p/2> | [combobox Qty e11 = \"3\" of 1, 2, 3] | [Out of stock e12 disabled]\n\
                    (… 5 more lines, about 170 tokens: browser_snapshot(more: \"more1\"), or browser_find)";
        let page = Page::read("http://x/", "T", text);
        let kinds: Vec<_> = page.lines.iter().map(|line| line.kind).collect();
        assert_eq!(kinds, [Kind::Part, Kind::Heading(1), Kind::Item, Kind::Row]);
        assert!(page.cut);
        assert_eq!(page.lines[2].text(), "Whole Milk Dairyland 1 L $3.49 1 Add to cart");
        let [
            Piece::Link { href, name, .. },
            Piece::Text(text),
            Piece::Field(field),
            Piece::Button { reference, .. },
        ] = page.lines[2].pieces.as_slice()
        else {
            panic!("{:?}", page.lines[2]);
        };
        assert_eq!(
            (href.as_str(), name.as_str(), text.as_str()),
            ("/p/1", "Whole Milk", "Dairyland 1 L $3.49")
        );
        assert_eq!(
            (field.role.as_str(), field.value.as_deref(), field.most),
            ("spinbutton", Some("1"), Some(20))
        );
        assert_eq!(reference, "e9");
        let options: Vec<_> = page
            .pieces()
            .filter_map(|piece| match piece {
                Piece::Field(field) if field.role == "combobox" => Some(field.options.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(options, [["1", "2", "3"]]);
        assert!(page.pieces().any(|piece| matches!(piece, Piece::Button { enabled: false, .. })));
    }

    #[test]
    fn what_a_page_says_is_no_control() {
        for text in [
            "Milk [Add to cart e\\9] and <Checkout e\\4 → /checkout>",
            "[spinbutton Quantity e\\5 = 99]",
            "a < b and [c]",
            "[Add to cart]",
            "<e> [e] [x e] <y ee5>",
        ] {
            let page = Page::read("", "", text);
            assert!(page.pieces().all(|piece| matches!(piece, Piece::Text(_))), "{text}: {page:?}");
            assert_eq!(page.lines[0].text(), text);
        }
    }

    #[test]
    fn what_cannot_be_seen_is_not_read() {
        let page = Page::read("", "T\u{9b}2J", "<\u{202e}Milk\u{1b}[31m e5 → /p/5> $3\u{9d}.49");
        assert_eq!(
            (page.title.as_str(), page.lines[0].text().as_str()),
            ("T 2J", "Milk [31m $3 .49")
        );
    }

    #[test]
    fn names_may_hold_brackets_and_quotes() {
        let page = Page::read(
            "",
            "",
            "<\"Milk <2 L> \\\"best\\\"\" e5 → /p/5> [\"Add [x] now\" e6] <e7 → /p>",
        );
        let names: Vec<_> = page.pieces().map(Piece::words).collect();
        assert_eq!(names, ["Milk <2 L> \"best\"", "Add [x] now", ""]);
    }

    #[test]
    fn parts_for_finding_ones_way_are_no_matter() {
        let text = "banner:\n <Shop e1 → />\nnav Main:\n <Dairy e2 → /c>\nmain:\n nav Pages:\n  <2 e3 → /2>\n # Milk\nfooter:\n About";
        let page = Page::read("", "", text);
        let kept: Vec<_> = page.matter().iter().map(|line| line.text()).collect();
        assert_eq!(kept, ["main:", "Milk"]);
    }
}
