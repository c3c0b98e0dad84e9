//! Cuts one line of a snapshot into its pieces.

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Text(String),
    /// A link.
    Link {
        /// Its words.
        name: String,
        /// Its ref.
        reference: String,
        /// Where it leads, as the page writes it; empty if it leads nowhere.
        href: String,
    },
    /// A button.
    Button {
        /// Its words.
        name: String,
        /// Its ref.
        reference: String,
        /// Whether it can be pressed.
        enabled: bool,
    },
    /// Anything else one can act on.
    Field(Field),
}

/// A field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    /// What it is: `spinbutton`, `combobox` …
    pub role: String,
    /// What it is called.
    pub name: String,
    /// Its ref.
    pub reference: String,
    /// What it holds.
    pub value: Option<String>,
    /// What can be chosen.
    pub options: Vec<String>,
    /// The most it takes.
    pub most: Option<u32>,
    /// Whether it can be changed.
    pub enabled: bool,
}

impl Piece {
    /// What it says; of a field, what it holds.
    pub fn words(&self) -> &str {
        match self {
            Piece::Text(words) => words,
            Piece::Link { name, .. } | Piece::Button { name, .. } => name,
            Piece::Field(field) => field.value.as_deref().unwrap_or_default(),
        }
    }
}

/// What a control can be, apart from links and buttons; buttons that are called so stand in quotes.
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
    "draggable",
    "treeitem",
    "details",
    "listbox",
    "date",
    "time",
    "menuitemcheckbox",
    "menuitemradio",
];

/// Cuts a line.
pub(super) fn cut(line: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut words = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let found = match letter {
            '<' => link(&rest[1..]),
            '[' => control(&rest[1..]),
            '(' => tail(&rest[1..], &mut words),
            _ => None,
        };
        match found {
            Some((piece, after)) => {
                flush(&mut words, &mut pieces);
                pieces.push(piece);
                rest = after;
            }
            None => {
                words.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    flush(&mut words, &mut pieces);
    pieces
}

/// `clickable e9)` or `link e101 → /p/1)`, which says of the words before it that they are one.
fn tail<'t>(text: &'t str, words: &mut String) -> Option<(Piece, &'t str)> {
    let (role, after) = text.split_once(' ')?;
    let (reference, rest) = reference(after)?;
    let end = rest.find(')')?;
    let href = rest[..end].split_once("→ ").map(|(_, href)| href.trim().to_owned());
    let name = String::new();
    let piece = match role {
        "link" => Piece::Link {
            name,
            reference,
            href: href.filter(|href| !href.ends_with('…')).unwrap_or_default(),
        },
        "button" | "clickable" => {
            let name = std::mem::take(words).trim_matches([' ', '|']).to_owned();
            Piece::Button { name, reference, enabled: true }
        }
        _ => return None,
    };
    Some((piece, &rest[end + 1..]))
}

fn flush(words: &mut String, pieces: &mut Vec<Piece>) {
    // Bars stand between the cells of a row.
    let plain = words.trim_matches([' ', '|']);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain.to_owned()));
    }
    words.clear();
}

/// `Home e2 → /home>`, and what follows it.
fn link(text: &str) -> Option<(Piece, &str)> {
    let (name, reference, rest) = named(text, &['<', '>'])?;
    let end = rest.find('>')?;
    let about = &rest[..end];
    // An address that was cut off leads somewhere else.
    let href =
        about.split_once("→ ").map(|(_, href)| href.trim()).filter(|href| !href.ends_with('…'));
    let href = href.unwrap_or_default().to_owned();
    Some((Piece::Link { name, reference, href }, &rest[end + 1..]))
}

/// `Add e5 disabled]` or `spinbutton Quantity e8 = 1 (1-20)]`, and what follows it.
fn control(text: &str) -> Option<(Piece, &str)> {
    let role = ROLES
        .iter()
        .find(|role| text.strip_prefix(**role).is_some_and(|rest| rest.starts_with(' ')));
    let Some(role) = role else {
        let (name, reference, rest) = named(text, &['[', ']'])?;
        let end = rest.find(']')?;
        let enabled = !rest[..end].split(' ').any(|state| state == "disabled");
        return Some((Piece::Button { name, reference, enabled }, &rest[end + 1..]));
    };
    let (name, reference, rest) = named(&text[role.len() + 1..], &['[', ']'])?;
    let (states, value, rest) = valued(rest)?;
    let end = rest.find(']')?;
    let extra = &rest[..end];
    let options = extra.trim().strip_prefix("of ").map(options).unwrap_or_default();
    let enabled = !states.split(' ').any(|state| state == "disabled" || state == "readonly");
    let role = (*role).to_owned();
    let most = most(extra);
    let field = Field { role, name, reference, value, options, most, enabled };
    Some((Piece::Field(field), &rest[end + 1..]))
}

/// A name and its ref. A name that holds a bracket of the kind stands in quotes.
fn named<'t>(text: &'t str, brackets: &[char]) -> Option<(String, String, &'t str)> {
    if let Some(inside) = text.strip_prefix('"')
        && let Some((name, rest)) = quoted(inside)
        && let Some((reference, rest)) = rest.strip_prefix(' ').and_then(reference)
    {
        return Some((name, reference, rest));
    }
    if let Some((reference, rest)) = reference(text) {
        return Some((String::new(), reference, rest));
    }
    let end = text.find(brackets).unwrap_or(text.len());
    let places = text[..end].match_indices(" e").map(|(at, _)| at);
    let mut found = places.filter_map(|at| {
        let (reference, rest) = reference(&text[at + 1..])?;
        Some((text[..at].trim().to_owned(), reference, rest))
    });
    // With two of them, one is part of a name: nobody can say which.
    found.next().filter(|_| found.next().is_none())
}

/// `e12` at the beginning, with its end.
fn reference(text: &str) -> Option<(String, &str)> {
    let digits = text.strip_prefix('e')?;
    let count =
        digits.len() - digits.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let rest = &digits[count..];
    (count > 0 && rest.starts_with([' ', '>', ']', ')'])).then(|| (text[..=count].to_owned(), rest))
}

/// What stands up to the next quote, and what follows that.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if escaped => {
                out.pop();
                out.push('"');
            }
            '"' => return Some((out, &text[at + 1..])),
            other => out.push(other),
        }
        escaped = letter == '\\';
    }
    None
}

/// States, value and what follows: ` required = "x" of …]`.
fn valued(text: &str) -> Option<(&str, Option<String>, &str)> {
    let end = text.find(']')?;
    let Some(at) = text.find(" = ").filter(|at| *at < end) else { return Some((text, None, text)) };
    let (states, after) = (&text[..at], &text[at + 3..]);
    if let Some(inside) = after.strip_prefix('"') {
        let (value, rest) = quoted(inside)?;
        return Some((states, Some(value), rest));
    }
    let end = after.find([' ', ']'])?;
    Some((states, Some(after[..end].to_owned()), &after[end..]))
}

fn options(text: &str) -> Vec<String> {
    let all = text.split(", ").map(str::trim);
    all.filter(|option| !option.is_empty() && !option.starts_with('+')).map(str::to_owned).collect()
}

/// The end of a range: `(1-20)`.
fn most(extra: &str) -> Option<u32> {
    let (_, range) = extra.rsplit_once('(')?;
    let (_, most) = range.split_once(')')?.0.rsplit_once('-')?;
    most.trim().parse().ok()
}
