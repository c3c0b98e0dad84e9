//! Reads a snapshot's text the way a model would: which controls there are, what they are called, and
//! which line they stand on.

/// A snapshot, with its controls picked out.
pub struct View {
    pub text: String,
    pub items: Vec<Item>,
}

/// A control in a snapshot: `[checkbox Milk e12 checked]`, `<Home e3>`, `(tab e4 selected)`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    pub role: String,
    pub name: String,
    /// What the snapshot says in brackets for want of a name: an icon's word, a shape's look.
    pub hint: String,
    pub reference: String,
    /// States, value and options: whatever follows the ref.
    pub after: String,
    /// Which line it is on, from 0.
    pub line: usize,
}

const ROLES: &[&str] = &[
    "checkbox",
    "clickable",
    "combobox",
    "date",
    "draggable",
    "listbox",
    "menuitem",
    "option",
    "radio",
    "scrollable",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "time input",
    "treeitem",
];

impl View {
    pub fn read(text: &str) -> View {
        let items =
            text.lines().enumerate().flat_map(|(line, text)| items_in(text, line)).collect();
        View { text: text.to_owned(), items }
    }

    pub fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number).unwrap_or_default()
    }

    /// The number of the first line that has these words, after the goal itself.
    pub fn line_with(&self, words: &str) -> Result<usize, String> {
        let found = self.text.lines().enumerate().skip(1).find(|(_, line)| line.contains(words));
        found.map(|(number, _)| number).ok_or(format!("no line with {words:?}"))
    }

    pub fn role<'a>(&'a self, role: &'a str) -> impl Iterator<Item = &'a Item> {
        self.items.iter().filter(move |item| item.role == role)
    }

    /// The control of that role at that place, from 1.
    pub fn nth(&self, role: &str, place: usize) -> Result<&Item, String> {
        let mut all = self.items.iter().filter(|item| item.role == role);
        let found = place.checked_sub(1).and_then(|place| all.nth(place));
        found.ok_or(format!("no {role} number {place}"))
    }

    /// The control with this very name, whatever its role.
    pub fn named(&self, name: &str) -> Result<&Item, String> {
        let found = self.items.iter().find(|item| item.name == name);
        found.ok_or(format!("nothing is called {name:?}"))
    }

    /// The control on that line whose name or hint this is.
    pub fn on_line(&self, line: usize, word: &str) -> Result<&Item, String> {
        let fits = |item: &&Item| {
            item.line == line && (item.name == word || item.hint == format!("{word}?"))
        };
        self.items.iter().find(fits).ok_or(format!("no {word:?} on {:?}", self.line(line)))
    }

    /// The control without a name that has this hint.
    pub fn hinted(&self, hint: &str) -> Result<&Item, String> {
        let found = self.items.iter().find(|item| item.hint == format!("{hint}?"));
        found.ok_or(format!("nothing is hinted at as {hint:?}"))
    }

    /// The text between two phrases, wherever they first stand in this order.
    pub fn between(&self, before: &str, after: &str) -> Result<String, String> {
        between(&self.text, before, after)
    }
}

impl Item {
    pub fn value(&self) -> &str {
        let quoted = self.after.split_once("= \"").map_or("", |(_, rest)| rest);
        quoted.split_once('"').map_or(quoted, |(value, _)| value)
    }

    /// Where a drawn shape is: the middle of `10×20 at 5,7`.
    pub fn middle(&self) -> Option<(f64, f64)> {
        let look = self.hint.rsplit(", ").next()?;
        let (size, place) = look.split_once(" at ")?;
        let (width, height) = size.split_once('×')?;
        let (x, y) = place.split_once(',')?;
        let number = |text: &str| text.parse::<f64>().ok();
        Some((number(x)? + number(width)? / 2.0, number(y)? + number(height)? / 2.0))
    }
}

fn items_in(line: &str, number: usize) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['[', '<', '(']) {
        let inside = &rest[at + 1..];
        let close = match rest.as_bytes()[at] {
            b'[' => ']',
            b'<' => '>',
            _ => ')',
        };
        let Some(end) = end_of(inside, close) else { break };
        match item(&inside[..end], close) {
            Some(item) => {
                items.push(Item { line: number, ..item });
                rest = &inside[end + 1..];
            }
            None => rest = inside,
        }
    }
    items
}

/// Where the bracket closes, past quoted text and brackets of its own kind inside.
fn end_of(text: &str, close: char) -> Option<usize> {
    let mut quoted = false;
    let mut depth = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            '(' if close == ')' => depth += 1,
            ')' if close == ')' && depth > 0 => depth -= 1,
            c if c == close && !quoted => return Some(at),
            _ => {}
        }
        before = c;
    }
    None
}

fn item(inside: &str, close: char) -> Option<Item> {
    let (head, reference, after) = split_at_ref(inside)?;
    let role = ROLES.iter().find(|role| {
        head.strip_prefix(**role).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    let (role, name) = match (close, role) {
        ('>', _) => ("link", head),
        (_, Some(role)) => (*role, head[role.len()..].trim()),
        _ => ("button", head),
    };
    if close == ')' && !ROLES.contains(&role) {
        return None;
    }
    let (name, hint) = match name.strip_suffix(')').and_then(|name| name.rsplit_once('(')) {
        Some((name, hint)) => (name.trim(), hint),
        None => (name, ""),
    };
    Some(Item {
        role: role.to_owned(),
        name: unquoted(name),
        hint: hint.to_owned(),
        reference: reference.to_owned(),
        after: after.to_owned(),
        line: 0,
    })
}

fn split_at_ref(inside: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    for word in inside.split(' ') {
        let digits = word.strip_prefix('e').unwrap_or_default();
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            let end = from + word.len();
            return Some((inside[..from].trim(), word, inside[end..].trim()));
        }
        from += word.len() + 1;
    }
    None
}

fn unquoted(name: &str) -> String {
    let inner = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    inner.map_or(name.to_owned(), |inner| inner.replace("\\\"", "\""))
}

/// The text between two phrases; to the end if the second is empty.
pub fn between(text: &str, before: &str, after: &str) -> Result<String, String> {
    let (_, rest) = text.split_once(before).ok_or(format!("no {before:?} in {text:?}"))?;
    if after.is_empty() {
        return Ok(rest.to_owned());
    }
    let (found, _) = rest.split_once(after).ok_or(format!("no {after:?} after {before:?}"))?;
    Ok(found.to_owned())
}

/// What stands in double quotes.
pub fn quoted(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The numbers of `1st`, `2nd`, `3rd`, `12th` in a text.
pub fn ordinals(text: &str) -> Vec<usize> {
    let number = |word: &str| {
        let digits = word.trim_end_matches("st").trim_end_matches("nd").trim_end_matches("rd");
        let digits = digits.trim_end_matches("th");
        if digits == word { None } else { digits.parse().ok() }
    };
    text.split(' ').filter_map(number).collect()
}

#[test]
fn controls_are_read_out_of_a_snapshot() {
    let view = View::read(
        "Set [5,11] and \"go\".\n [checkbox Milk (2%) e12 checked] <Home e3 selected> (tab e4)\n\
         [textbox \"Say \\\"hi\\\"\" e5 = \"a ] b\"] [e7] [clickable (trash?) e8 (row: x)] Buy [Submit e9]\n\
         [clickable 8 (text, green, 6×11 at 69,177) e10]",
    );
    let read: Vec<_> =
        view.items.iter().map(|i| (&*i.role, &*i.name, &*i.hint, &*i.reference)).collect();
    assert_eq!(
        read,
        [
            ("checkbox", "Milk", "2%", "e12"),
            ("link", "Home", "", "e3"),
            ("tab", "", "", "e4"),
            ("textbox", "Say \"hi\"", "", "e5"),
            ("button", "", "", "e7"),
            ("clickable", "", "trash?", "e8"),
            ("button", "Submit", "", "e9"),
            ("clickable", "8", "text, green, 6×11 at 69,177", "e10"),
        ]
    );
    assert_eq!(view.items[3].value(), "a ] b");
    assert_eq!(view.items[7].middle(), Some((72.0, 182.5)));
    assert_eq!(ordinals("Focus into the 3rd box, not the 12th"), [3, 12]);
}
