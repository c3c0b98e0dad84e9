//! A page's HTML as Markdown or as text: pure conversion, no browser.
//!
//! What nobody sees is left out (scripts, styles, hidden elements), and so are the values of form
//! fields, which may be secrets. Visibility that only style sheets know cannot be judged here; the
//! caller may leave such elements out of the HTML it hands in.

mod inline;
mod language;
mod table;
mod writer;

use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability};
use url::Url;

use writer::{Style, Writer};

/// Which part of a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The article: the main text without menus, side bars and footers.
    Article,
    /// The whole page.
    Whole,
}

/// A page as Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extract {
    /// The page's title.
    pub title: Option<String>,
    /// The text. It begins with the title as a heading where the page itself has none.
    pub markdown: String,
    /// What the text holds: the whole page where an article was asked for and there is none.
    pub mode: Mode,
}

impl Extract {
    /// Puts more after it, parted by a line.
    pub(crate) fn append(&mut self, markdown: &str) {
        if !markdown.is_empty() {
            self.markdown.push_str("\n\n---\n\n");
            self.markdown.push_str(markdown);
        }
    }
}

/// Converts a page to Markdown, with links and images resolved against `base`, or against the
/// `<base>` that the page declares.
pub fn markdown(html: &str, base: &Url, mode: Mode) -> Extract {
    let document = visible(html);
    let base = declared_base(&document, base);
    let title = title(&document);
    let (shown, mode) = match mode {
        Mode::Whole => (document, Mode::Whole),
        Mode::Article => match article(document) {
            Some(article) => (article, Mode::Article),
            None => (visible(html), Mode::Whole),
        },
    };
    let text = write(shown.body_or_root(), &base, Style::Markdown);
    Extract { markdown: with_title(text, title.as_deref()), title, mode }
}

/// The page as plain text: one line per paragraph, list items with a dash, table cells apart.
pub fn text(html: &str) -> String {
    let document = visible(html);
    let nowhere = Url::parse("about:blank").expect("about:blank is a URL");
    write(document.body_or_root(), &nowhere, Style::Plain)
}

trait BodyOrRoot {
    fn body_or_root(&self) -> NodeRef<'_>;
}

impl BodyOrRoot for Document {
    fn body_or_root(&self) -> NodeRef<'_> {
        self.body().unwrap_or_else(|| self.root())
    }
}

fn write(node: NodeRef<'_>, base: &Url, style: Style) -> String {
    let mut writer = Writer::new(base, style);
    writer.children(node);
    writer.finish()
}

/// The page's article, if the page looks like one that has an article.
fn article(document: Document) -> Option<Document> {
    if is_deeper_than(document.root(), DEEPEST_ARTICLE) {
        return None;
    }
    // Classes carry the languages of code blocks, and no class reaches the Markdown.
    // Paragraphs of Chinese and Japanese say as much in half the characters the default asks for.
    let config =
        Config { keep_classes: true, readable_min_content_length: 60, ..Config::default() };
    // Without an address it leaves links as they are; the writer resolves them.
    let mut readability = Readability::with_document(document, None, Some(config)).ok()?;
    if !readability.is_probably_readable() {
        return None;
    }
    let article = readability.parse().ok()?;
    Some(Document::from(article.content))
}

/// Judging elements by their ancestors takes minutes on trees that only a script can build.
const DEEPEST_ARTICLE: usize = 1000;

fn is_deeper_than(root: NodeRef<'_>, limit: usize) -> bool {
    let mut depth = 0;
    let mut node = root;
    loop {
        if let Some(child) = node.first_child() {
            depth += 1;
            node = child;
            if depth > limit {
                return true;
            }
            continue;
        }
        while node.next_sibling().is_none() {
            match node.parent() {
                Some(parent) if depth > 1 => node = parent,
                _ => return false,
            }
            depth -= 1;
        }
        match node.next_sibling() {
            Some(sibling) => node = sibling,
            None => return false,
        }
    }
}

/// Parses a page and drops what cannot be seen.
fn visible(html: &str) -> Document {
    let document = Document::from(html);
    let hidden: Vec<NodeRef<'_>> = document.root().descendants_it().filter(is_hidden).collect();
    for node in &hidden {
        node.remove_from_parent();
    }
    document
}

const UNSEEN: &[&str] = &["script", "style", "noscript", "template"];

fn is_hidden(node: &NodeRef<'_>) -> bool {
    let Some(element) = node.element_ref() else { return false };
    let name: &str = &element.name.local;
    if UNSEEN.contains(&name) {
        return true;
    }
    let closed_dialog = name == "dialog" && !element.attrs.iter().any(|a| &*a.name.local == "open");
    closed_dialog
        || element.attrs.iter().any(|attribute| match &*attribute.name.local {
            "hidden" => true,
            "style" => hides(&attribute.value),
            _ => false,
        })
}

/// Whether an inline style takes the element off the page.
fn hides(style: &str) -> bool {
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(property, value)| {
        let value = value.trim().trim_end_matches("!important").trim_end();
        match property.trim().to_ascii_lowercase().as_str() {
            "display" => value.eq_ignore_ascii_case("none"),
            "visibility" => value.eq_ignore_ascii_case("hidden"),
            _ => false,
        }
    })
}

fn declared_base(document: &Document, base: &Url) -> Url {
    let declared = document.base_uri().and_then(|declared| base.join(&declared).ok());
    declared.unwrap_or_else(|| base.clone())
}

fn title(document: &Document) -> Option<String> {
    let of = |selector| {
        let text = document.select_single(selector).text();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(text).filter(|text| !text.is_empty())
    };
    of("head > title").or_else(|| of("h1"))
}

/// Puts the title on top, unless a first-level heading is in the text already.
fn with_title(text: String, title: Option<&str>) -> String {
    let Some(title) = title else { return text };
    if text.starts_with("# ") || text.contains("\n# ") {
        return text;
    }
    let title = inline::escaped(title);
    if text.is_empty() { format!("# {title}\n") } else { format!("# {title}\n\n{text}") }
}

#[cfg(test)]
mod tests;
