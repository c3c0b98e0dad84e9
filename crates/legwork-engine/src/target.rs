//! How an element is named by whoever wants to act on it: a ref, CSS, XPath, role and name, text, or
//! visible words with their context.

use std::fmt;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::refs::Ref;

/// Names an element on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A ref from a snapshot.
    Ref(Ref),
    /// The element that was looked at before, if it is still what it was then.
    Sealed {
        /// Its ref.
        reference: Ref,
        /// [`crate::ElementFacts::seal`].
        seal: String,
    },
    /// A CSS selector; looks into shadow roots and frames.
    Css(String),
    /// An XPath expression.
    XPath(String),
    /// An ARIA role, and a name if given.
    Role {
        /// The role.
        role: String,
        /// The accessible name, or part of it.
        name: Option<String>,
    },
    /// A role and exactly this name.
    Exactly {
        /// The role.
        role: String,
        /// The accessible name, to the letter.
        name: String,
    },
    /// Visible text.
    Text(String),
    /// Visible words, read by these rules, of which the first that finds something counts:
    ///
    /// - `Log in`: the control of that name, else those whose names contain it, else the text itself.
    ///   Case does not matter, quotes and a leading `the` may be there or not.
    /// - `Log in button`, `button Log in`: only controls of that kind (button, link, checkbox, switch,
    ///   radio, field, input, textbox, tab, option, dropdown, combobox, select, menuitem, slider; and
    ///   at the end also icon, toggle).
    /// - `Remove in the row with Oat milk`, `Monthly in Repeat`, `Edit next to Address`: the one whose
    ///   closest surroundings say the rest. Between them stands in, on, under, within, inside, for,
    ///   from, of, at, near, beside or next to; then, if you like, what the surroundings are (row,
    ///   card, list, section, dialog, group, item, menu, form, table, line, panel, box) and with, of,
    ///   for, named, called, containing or that says.
    /// - `second Remove`, `3rd Help`, `last Add in the list`: of several, that one, as they stand on
    ///   the page. First to tenth, numbers, and last.
    /// - `the button`, `2nd checkbox`, `date`: those of that kind, where nothing is named so.
    Words(String),
}

/// The shape the walker reads.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Wire<'a> {
    Ref {
        #[serde(rename = "ref")]
        reference: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        seal: Option<&'a str>,
    },
    Css {
        css: &'a str,
    },
    XPath {
        xpath: &'a str,
    },
    Role {
        role: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
        exact: bool,
    },
    Text {
        text: &'a str,
    },
    Words {
        words: &'a str,
    },
}

impl Target {
    /// Reads a target as people write it: `e12`, `//a`, `role=button[name="Save"]`, `text=Save`,
    /// `css=#save`, anything that can only be CSS, and otherwise visible words. Something copied from a
    /// snapshot or a message, such as `[Save e12 disabled]`, means its ref.
    pub fn parse(text: &str) -> Target {
        let text = text.trim();
        if let Some(reference) = text.parse().ok().or_else(|| copied(text)) {
            return Target::Ref(reference);
        }
        let prefixed = |prefix: &str| text.strip_prefix(prefix).map(|rest| rest.trim().to_owned());
        if let Some(css) = prefixed("css=") {
            return Target::Css(css);
        }
        if let Some(xpath) = prefixed("xpath=") {
            return Target::XPath(xpath);
        }
        if let Some(words) = prefixed("text=") {
            return Target::Text(words);
        }
        if let Some(rest) = prefixed("role=") {
            return Target::role(&rest);
        }
        if text.starts_with("//") || text.starts_with("(//") || text.starts_with("./") {
            return Target::XPath(text.to_owned());
        }
        if looks_like_css(text) { Target::Css(text.into()) } else { Target::Words(text.into()) }
    }

    fn role(text: &str) -> Target {
        if let Some(exactly) = exactly(text) {
            return exactly;
        }
        let (role, rest) = text.split_once(['[', ' ']).unwrap_or((text, ""));
        let name = rest.trim_end_matches(']').trim_start_matches("name=").trim();
        let name = name.trim_matches(['"', '\'']);
        Target::Role { role: role.to_owned(), name: (!name.is_empty()).then(|| name.to_owned()) }
    }

    /// Refuses a target that names nothing.
    pub(crate) fn check(&self) -> Result<()> {
        let named = match self {
            Target::Ref(_) | Target::Sealed { .. } => true,
            Target::Css(text) | Target::XPath(text) | Target::Text(text) | Target::Words(text) => {
                !text.trim().is_empty()
            }
            Target::Role { role, .. } | Target::Exactly { role, .. } => !role.is_empty(),
        };
        let empty = "the target is empty: give a ref such as e5, a selector, or visible words";
        named.then_some(()).ok_or_else(|| Error::Invalid(empty.into()))
    }

    pub(crate) fn wire(&self) -> Wire<'_> {
        match self {
            Target::Ref(reference) => Wire::Ref { reference: reference.to_string(), seal: None },
            Target::Sealed { reference, seal } => {
                Wire::Ref { reference: reference.to_string(), seal: Some(seal) }
            }
            Target::Css(css) => Wire::Css { css },
            Target::XPath(xpath) => Wire::XPath { xpath },
            Target::Role { role, name } => Wire::Role { role, name: name.as_deref(), exact: false },
            Target::Exactly { role, name } => Wire::Role { role, name: Some(name), exact: true },
            Target::Text(text) => Wire::Text { text },
            Target::Words(words) => Wire::Words { words },
        }
    }
}

/// `button[name="Save" exact]`: this role, and this name to the letter, written as a JSON string.
fn exactly(text: &str) -> Option<Target> {
    let (role, rest) = text.split_once("[name=")?;
    let name = serde_json::from_str(rest.strip_suffix(" exact]")?).ok()?;
    Some(Target::Exactly { role: role.trim().to_owned(), name })
}

/// The ref in something copied from a snapshot, `[Save e12]` or `<Help e5>`, or from a message, `button
/// "Save" e12`. What the page says never looks like that: the walker sees to it.
fn copied(text: &str) -> Option<Ref> {
    if text.starts_with('/') || text.starts_with("./") {
        return None;
    }
    let bare = without_quoted(text);
    let mut items = bare.split(['[', '<']).skip(1).filter_map(|item| {
        let (inner, _) = item.split_once([']', '>'])?;
        inner.split_whitespace().find_map(plain_ref)
    });
    if let Some(one) = items.next() {
        return items.next().is_none().then_some(one);
    }
    let tail = bare.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let named = bare.split_once("\"\" ").map(|(_, rest)| rest);
    match (tail, named) {
        (Some(tail), _) => tail.split_whitespace().nth(1).and_then(plain_ref),
        (None, Some(rest)) => rest.split_whitespace().next().and_then(plain_ref),
        (None, None) => None,
    }
}

/// A ref as the walker writes it.
fn plain_ref(word: &str) -> Option<Ref> {
    word.parse().ok().filter(|reference: &Ref| reference.to_string() == word)
}

/// The text with nothing between its quotes; a quote after a backslash is none.
fn without_quoted(text: &str) -> String {
    let mut bare = String::new();
    let (mut quoted, mut before) = (false, ' ');
    for letter in text.chars() {
        let quote = letter == '"' && before != '\\';
        if quote || !quoted {
            bare.push(letter);
        }
        quoted ^= quote;
        before = letter;
    }
    bare
}

/// Only what no sentence would be: an id, class, attribute, combinator or pseudo-class, or the plain
/// name of an HTML element that is not a word people click on.
fn looks_like_css(text: &str) -> bool {
    const TAGS: &[&str] = &[
        "a", "button", "input", "select", "textarea", "form", "div", "span", "li", "ul", "ol",
        "td", "tr", "table", "img", "svg", "canvas", "iframe", "label", "h1", "h2", "h3", "p",
        "nav", "main", "body", "header", "footer", "section", "article", "option", "dialog",
        "video", "audio", "summary",
    ];
    if TAGS.contains(&text) {
        return true;
    }
    let first = text.chars().next().unwrap_or(' ');
    if matches!(first, '#' | '.' | '[' | '*' | ':') {
        return text.len() > 1 && !text.ends_with('.');
    }
    let head: String =
        text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let rest = &text[head.len()..];
    let after = rest.chars().next();
    let known = TAGS.contains(&head.as_str()) || head.contains('-');
    known
        && match after {
            Some('#' | '[' | ':') => true,
            Some('.') => rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
            Some(' ') => rest.trim_start().starts_with(['>', '+', '~', '.', '#', '[']),
            Some('>' | '+' | '~' | ',') => true,
            _ => false,
        }
}

impl From<&str> for Target {
    fn from(text: &str) -> Target {
        Target::parse(text)
    }
}

impl From<Ref> for Target {
    fn from(reference: Ref) -> Target {
        Target::Ref(reference)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Ref(reference) | Target::Sealed { reference, .. } => write!(f, "{reference}"),
            Target::Css(css) => write!(f, "Selector '{css}'"),
            Target::XPath(xpath) => write!(f, "XPath '{xpath}'"),
            Target::Role { role, name: Some(name) } | Target::Exactly { role, name } => {
                write!(f, "{role} \"{name}\"")
            }
            Target::Role { role, name: None } => write!(f, "role {role}"),
            Target::Text(text) => write!(f, "Text \"{text}\""),
            Target::Words(words) => write!(f, "\"{words}\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_as_people_write_them() {
        let css = |text: &str| Target::Css(text.to_owned());
        let words = |text: &str| Target::Words(text.to_owned());
        for (text, expected) in [
            ("e12", Target::Ref(Ref(12))),
            ("E12", Target::Ref(Ref(12))),
            ("[Sign in e4]", Target::Ref(Ref(4))),
            ("<Help e5 → /help>", Target::Ref(Ref(5))),
            ("[textbox Email e3 = \"x e9\"]", Target::Ref(Ref(3))),
            ("[\"Plan \\\"e5\" e12 disabled]", Target::Ref(Ref(12))),
            ("[Cell E5 e12]", Target::Ref(Ref(12))),
            ("- Oat milk $3.49 [Add e5]", Target::Ref(Ref(5))),
            ("button \"Add\" e5 (row: Oat milk)", Target::Ref(Ref(5))),
            ("(link e5 visited)", Target::Ref(Ref(5))),
            ("[Add e5] [Remove e6]", css("[Add e5] [Remove e6]")),
            ("Room e5", words("Room e5")),
            ("Room (block e5)", words("Room (block e5)")),
            ("input[name=e5]", css("input[name=e5]")),
            ("#save", css("#save")),
            (".btn.primary", css(".btn.primary")),
            ("button[type='submit']", css("button[type='submit']")),
            ("div > a", css("div > a")),
            ("my-field", words("my-field")),
            ("my-field#x", css("my-field#x")),
            ("button", css("button")),
            ("//a[1]", Target::XPath("//a[1]".into())),
            ("Log in", words("Log in")),
            ("Remove in the row with Oat milk", words("Remove in the row with Oat milk")),
            ("a good day", words("a good day")),
            ("text=Save", Target::Text("Save".into())),
            ("css=x", css("x")),
            (
                "role=button[name=\"Save\"]",
                Target::Role { role: "button".into(), name: Some("Save".into()) },
            ),
            (
                r#"role=time input[name="At \"5\"]" exact]"#,
                Target::Exactly { role: "time input".into(), name: "At \"5\"]".into() },
            ),
            ("role=dialog", Target::Role { role: "dialog".into(), name: None }),
        ] {
            assert_eq!(Target::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_target_that_names_nothing_is_refused() {
        for text in ["", "  ", "css=", "text= ", "role="] {
            let error = Target::parse(text).check().unwrap_err();
            assert_eq!(error.code(), "invalid_input", "{text}");
        }
    }
}
