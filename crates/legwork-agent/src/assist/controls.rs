//! What a snapshot shows, as far as the rules ask: controls with role, name and state, titles, words, and
//! which of them stand in frames. A snapshot's own brackets cannot be imitated by the page.

use super::phrase::Words;
use super::rules::Sought;

/// A page that was read.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// The document's title, its first headings and the names of open dialogs.
    pub(super) titles: Vec<Words>,
    /// All of its words.
    pub(super) words: Words,
    /// Those of them in frames.
    pub(super) framed: Words,
    /// There is more of it than was shown.
    pub(super) cut: bool,
    /// In reading order.
    pub(super) controls: Vec<Control>,
}

/// Something one can act on, or a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Control {
    pub(super) role: String,
    pub(super) name: Words,
    pub(super) states: String,
    pub(super) framed: bool,
}

impl Page {
    pub(super) fn read(title: &str, text: &str) -> Page {
        let mut page = Page { titles: vec![Words::of(title)], ..Page::default() };
        let (mut framed, mut frame) = (String::new(), None);
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            let begins = line.trim_start().trim_start_matches("+ ").trim_start();
            page.cut |= begins.starts_with("(… ");
            if frame.is_some_and(|at| indent <= at) {
                frame = None;
            }
            if is_head(begins, "frame") {
                frame = frame.or(Some(indent));
            }
            if begins.starts_with("# ")
                || is_head(begins, "dialog")
                || is_head(begins, "alertdialog")
            {
                page.titles.push(Words::of(begins));
            }
            if frame.is_some() {
                framed.push_str(line);
                framed.push('\n');
            }
            in_line(begins, frame.is_some(), &mut page.controls);
        }
        (page.words, page.framed) = (Words::of(text), Words::of(&framed));
        page
    }

    pub(super) fn matching<'a>(&'a self, sought: &'a Sought) -> impl Iterator<Item = usize> + 'a {
        let numbered = self.controls.iter().enumerate();
        numbered.filter(|(_, control)| is(control, sought)).map(|(at, _)| at)
    }

    pub(super) fn has(&self, sought: &Sought) -> bool {
        self.matching(sought).next().is_some()
    }

    pub(super) fn count(&self, role: &str) -> usize {
        self.controls.iter().filter(|control| control.role == role).count()
    }
}

fn is(control: &Control, sought: &Sought) -> bool {
    let role = sought.roles.contains(&control.role);
    let named = |phrases: &[_]| phrases.iter().any(|phrase| control.name.contain(phrase));
    let name = (sought.names.is_empty() && !sought.unnamed)
        || named(&sought.names)
        || (sought.unnamed && control.name.is_empty());
    let states = control.states.split_whitespace();
    let over = states.into_iter().any(|state| sought.not_states.iter().any(|not| not == state));
    role && name && !named(&sought.not_names) && !over
}

/// The line above what a frame or dialog holds: `frame reCAPTCHA:`.
fn is_head(line: &str, word: &str) -> bool {
    let rest = line.strip_prefix(word).and_then(|rest| rest.strip_suffix(':'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

const ROLES: &[&str] = &[
    "checkbox",
    "radio",
    "switch",
    "textbox",
    "searchbox",
    "combobox",
    "slider",
    "spinbutton",
    "tab",
    "menuitem",
    "option",
    "clickable",
    "draggable",
    "treeitem",
    "details",
    "listbox",
    "button",
    "link",
];

fn in_line(line: &str, framed: bool, out: &mut Vec<Control>) {
    let mut at = 0;
    while let Some(found) = line[at..].find(['[', '<', '(']) {
        let open = at + found;
        let rest = &line[open + 1..];
        let read = match line.as_bytes()[open] {
            b'[' => bracketed(rest, ']'),
            b'<' => bracketed(rest, '>'),
            _ => picture(rest).or_else(|| tail(&line[at..open], rest)),
        };
        at = open + 1;
        if let Some((role, name, states, length)) = read {
            // What only a screen reader says names a control as well.
            let (states, heard) = states.split_once(" (aria-only: ").unwrap_or((states, ""));
            let name = Words::of(&format!("{name} {heard}"));
            out.push(Control { role, name, states: states.to_owned(), framed });
            at += length;
        }
    }
}

/// Role, name, what is behind the ref, and how long it is.
type Read<'a> = Option<(String, &'a str, &'a str, usize)>;

fn bracketed(rest: &str, close: char) -> Read<'_> {
    let first = rest.split([' ', close]).next().unwrap_or_default();
    let (role, named) = match first {
        _ if close == '>' => ("link", 0),
        word if ROLES.contains(&word) && word != "link" => (word, word.len()),
        _ => ("button", 0),
    };
    let (name_end, behind) = reference(rest, named, close)?;
    let end = closing(rest, behind, close)?;
    Some((role.to_owned(), &rest[named..name_end], &rest[behind..end], end + 1))
}

/// `(img: a cat)`.
fn picture(rest: &str) -> Read<'_> {
    let name = rest.strip_prefix("img: ")?;
    let end = name.find(')')?;
    Some(("img".to_owned(), &name[..end], "", end + "img: )".len()))
}

/// `I agree (checkbox e4 checked)`: what is named by the words before it.
fn tail<'a>(before: &'a str, rest: &'a str) -> Read<'a> {
    let role = rest.split(' ').next().filter(|word| ROLES.contains(word))?;
    let (name_end, behind) = reference(rest, role.len(), ')')?;
    let end = closing(rest, behind, ')')?;
    (name_end == role.len()).then(|| (role.to_owned(), before, &rest[behind..end], end + 1))
}

/// Where the name ends and where the ref behind it does.
fn reference(rest: &str, from: usize, close: char) -> Option<(usize, usize)> {
    let mut quoted = false;
    let bytes = rest.as_bytes();
    for at in from..bytes.len() {
        match bytes[at] {
            b'"' if at == 0 || bytes[at - 1] != b'\\' => quoted = !quoted,
            b'[' | b'<' if !quoted => return None,
            b'e' if !quoted && (at == 0 || bytes[at - 1] == b' ') => {
                let digits =
                    bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let end = at + 1 + digits;
                let ends =
                    rest[end..].chars().next().is_some_and(|next| next == ' ' || next == close);
                if digits > 0 && ends {
                    return Some((at.saturating_sub(1).max(from), end));
                }
            }
            byte if !quoted && byte == close as u8 => return None,
            _ => {}
        }
    }
    None
}

/// Where it is closed, outside of quotes.
fn closing(rest: &str, from: usize, close: char) -> Option<usize> {
    let mut quoted = false;
    let bytes = rest.as_bytes();
    (from..bytes.len()).find(|&at| match bytes[at] {
        b'"' if bytes[at - 1] != b'\\' => {
            quoted = !quoted;
            false
        }
        byte => !quoted && byte == close as u8,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_read_with_role_name_and_state() {
        let text = r#"main:
 # Sign in to [Acme]
 [textbox Email(you@x.y) e3 focused = "a]b"] [textbox "a [b] e9" e4] [Sign in e6 disabled] <Home e7>
 text about e5 and [nothing] (img: CAPTCHA) I agree (checkbox e8 checked)
frame reCAPTCHA:
 [checkbox I'm not a robot e12]
[textbox e13]"#;
        let page = Page::read("Title", text);
        let shown: Vec<String> = page
            .controls
            .iter()
            .map(|one| {
                let framed = if one.framed { " framed" } else { "" };
                format!("{} {:?}{}{framed}", one.role, one.name, one.states)
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#"textbox Words(["email", "you", "x", "y"]) focused = "a]b""#,
                r#"textbox Words(["a", "b", "e9"])"#,
                r#"button Words(["sign", "in"]) disabled"#,
                r#"link Words(["home"])"#,
                r#"img Words(["captcha"])"#,
                r#"checkbox Words(["i", "agree"]) checked"#,
                r#"checkbox Words(["im", "not", "a", "robot"]) framed"#,
                r#"textbox Words([])"#,
            ]
        );
        assert_eq!(page.titles, [Words::of("Title"), Words::of("Sign in to [Acme]")]);
    }
}
