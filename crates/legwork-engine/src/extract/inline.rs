//! Text inside a paragraph: which characters Markdown would take for markup.

/// A text in which nothing will be taken for markup.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

/// Appends a text, with a backslash only where Markdown would otherwise see markup: every
/// needless one costs the reader.
pub(super) fn escape_into(out: &mut String, text: &str) {
    let mut before = out.chars().next_back();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if is_markup(before, letter, letters.peek().copied()) {
            out.push('\\');
        }
        out.push(letter);
        before = Some(letter);
    }
}

fn is_markup(before: Option<char>, letter: char, after: Option<char>) -> bool {
    let space = |side: Option<char>| side.is_none_or(char::is_whitespace);
    let word = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
    match letter {
        '`' => true,
        '*' => !(space(before) && space(after)),
        // Inside a word and between spaces, an underscore is only an underscore.
        '_' => !(word(before) && word(after) || space(before) && space(after)),
        '~' => after == Some('~'),
        '\\' => after.is_some_and(|after| after.is_ascii_punctuation()),
        '<' => after.is_some_and(|after| after.is_ascii_alphabetic() || "/!?".contains(after)),
        '(' => before == Some(']'),
        _ => false,
    }
}

/// Escapes what would make a line of a paragraph a heading, a quotation, a list or a rule.
pub(super) fn escape_line_start(line: &str) -> String {
    let mut letters = line.chars();
    let Some(first) = letters.next() else { return String::new() };
    let rest = letters.as_str();
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    let markup = match first {
        '#' => ends(rest.trim_start_matches('#')),
        '>' => true,
        '-' | '+' => ends(rest) || rest.trim_end().chars().all(|letter| letter == first),
        '=' => rest.trim_end().chars().all(|letter| letter == '='),
        '|' => true,
        _ => false,
    };
    if markup {
        return format!("\\{line}");
    }
    let digits = line.len() - line.trim_start_matches(|l: char| l.is_ascii_digit()).len();
    let after = &line[digits..];
    let numbered = (1..=9).contains(&digits) && after.starts_with(['.', ')']) && ends(&after[1..]);
    if numbered { format!("{}\\{after}", &line[..digits]) } else { line.to_owned() }
}

/// A code span around a text, with as many backticks as it takes.
pub(super) fn code_span(text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The length of the longest run of a character.
pub(super) fn longest_run(text: &str, wanted: char) -> usize {
    let runs = text.split(|letter| letter != wanted).map(str::len);
    runs.max().unwrap_or(0) / wanted.len_utf8()
}

/// A link or, with `!` before it, an image.
pub(super) fn link(text: &str, address: &str) -> String {
    let text = text.replace("  \n", " ").replace('\n', " ");
    let text = if balanced(&text) { text } else { text.replace('[', "\\[").replace(']', "\\]") };
    if address.contains(['(', ')', ' ']) {
        return format!("[{text}](<{address}>)");
    }
    format!("[{text}]({address})")
}

fn balanced(text: &str) -> bool {
    let mut open = 0i32;
    for letter in text.chars() {
        match letter {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        if open < 0 {
            return false;
        }
    }
    open == 0
}
