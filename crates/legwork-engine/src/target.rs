//! How an element is named by whoever wants to act on it: a ref, CSS, XPath, role and name, text, or
//! visible words with their context.

use std::fmt;

use serde::Serialize;

use crate::refs::Ref;

/// Names an element on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A ref from a snapshot.
    Ref(Ref),
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
    /// Visible words with context: `Remove in the row with Oat milk`.
    Words(String),
}

/// The shape the walker reads.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Wire<'a> {
    Ref {
        #[serde(rename = "ref")]
        reference: String,
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
    /// `css=#save`, anything that can only be CSS, and otherwise visible words.
    pub fn parse(text: &str) -> Target {
        let text = text.trim();
        if let Ok(reference) = text.parse() {
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
        let (role, rest) = text.split_once(['[', ' ']).unwrap_or((text, ""));
        let name = rest.trim_end_matches(']').trim_start_matches("name=").trim();
        let name = name.trim_matches(['"', '\'']);
        Target::Role { role: role.to_owned(), name: (!name.is_empty()).then(|| name.to_owned()) }
    }

    pub(crate) fn wire(&self) -> Wire<'_> {
        match self {
            Target::Ref(reference) => Wire::Ref { reference: reference.to_string() },
            Target::Css(css) => Wire::Css { css },
            Target::XPath(xpath) => Wire::XPath { xpath },
            Target::Role { role, name } => Wire::Role { role, name: name.as_deref(), exact: false },
            Target::Exactly { role, name } => Wire::Role { role, name: Some(name), exact: true },
            Target::Text(text) => Wire::Text { text },
            Target::Words(words) => Wire::Words { words },
        }
    }
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
            Target::Ref(reference) => write!(f, "{reference}"),
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
            ("role=dialog", Target::Role { role: "dialog".into(), name: None }),
        ] {
            assert_eq!(Target::parse(text), expected, "{text}");
        }
    }
}
