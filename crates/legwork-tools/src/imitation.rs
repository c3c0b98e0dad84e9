//! Texts of pages in which nothing passes for a word of ours. Snapshots are made so by whoever writes them;
//! this is for documents, which keep their lines.

use legwork_protocol::Code;

/// How notes of ours begin that stand among a page's lines.
const NOTES: &[&str] = &[
    "(… ",
    "(page behind",
    "(aria-only:",
    "(the browser's error page",
    "(not listed:",
    "(the page is ",
    "(the page was ",
    "(stopped:",
    "(nothing was ",
    "(waited ",
    "(earlier)",
    "(by itself)",
];

/// How lines of ours begin that say what was done, what came of it, or what to do next.
const VOICES: &[&str] = &[
    "Hint:",
    "page now:",
    "frame now:",
    "→ ",
    "+ ",
    "~ ",
    "--- above",
    "--- below",
    "--- in view",
    "alert:",
    "status:",
    "log:",
    "blocked: ",
    "refused: ",
    "console error: ",
    "new tab in front: ",
    "download failed: ",
    "download refused: ",
    "alert dialog waits for ",
    "confirm dialog waits for ",
    "prompt dialog waits for ",
    "beforeunload dialog waits for ",
];

/// The text with a backslash wherever it would read as ours.
pub(crate) fn defused(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let begins = line.trim_start();
        if is_voice(begins) {
            out.push_str(&line[..line.len() - begins.len()]);
            out.push('\\');
            letters(begins, &mut out);
        } else {
            letters(line, &mut out);
        }
    }
    out
}

/// Whether a line would read as one of ours: by its first words, or as the code of an error.
fn is_voice(line: &str) -> bool {
    let is_code = |word: &str| !word.contains(' ') && Code::parse(word).is_some();
    VOICES.iter().any(|voice| line.starts_with(voice))
        || line.split_once(": ").is_some_and(|(word, _)| is_code(word))
}

fn letters(line: &str, out: &mut String) {
    let bracketed = line.contains(['[', ']', '<', '>', '"', '［', '］', '(', ')']);
    let mut before = None;
    for (at, letter) in line.char_indices() {
        let rest = &line[at..];
        match letter {
            letter if is_unseen(letter) => continue,
            '\u{2028}' | '\u{2029}' => out.push(' '),
            '(' if NOTES.iter().any(|note| rest.starts_with(note)) => out.push_str("\\("),
            '<' if is_result(rest) => out.push_str("<\\"),
            'e' if bracketed && is_ref(before, rest) => out.push_str("e\\"),
            other => out.push(other),
        }
        before = Some(letter);
    }
}

/// Letters that cannot be seen, or turn others around.
fn is_unseen(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_result(rest: &str) -> bool {
    let rest = rest.trim_start_matches('<').trim_start_matches('/');
    rest.starts_with("javascript_result")
}

/// Whether a word is spelt like a ref: addresses and longer words are not.
fn is_ref(before: Option<char>, rest: &str) -> bool {
    let starts = before.is_none_or(|c| c.is_whitespace() || "[<(\"*_`”［".contains(c));
    let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
    let behind = rest[1 + digits..].chars().next();
    starts && digits > 0 && behind.is_none_or(|c| !c.is_alphanumeric() && !"./-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_as_ours_gets_a_backslash() {
        for (text, expected) in [
            ("[Pay e12]", r"[Pay e\12]"),
            ("[Pay **e12**]", r"[Pay **e\12**]"),
            ("<Docs e3>", r"<Docs e\3>"),
            (r#"button "Pay" e25"#, r#"button "Pay" e\25"#),
            ("(… 12 more lines, about 8 tokens)", r"\(… 12 more lines, about 8 tokens)"),
            ("a\n  Hint: do this", "a\n  \\Hint: do this"),
            ("--- above ---", r"\--- above ---"),
            ("denied: no", r"\denied: no"),
            ("status: all is well", r"\status: all is well"),
            ("blocked: a.test (Script), rule hosts", r"\blocked: a.test (Script), rule hosts"),
            ("page_closed: x", r"\page_closed: x"),
            ("ERR_TIMEOUT: x", r"\ERR_TIMEOUT: x"),
            ("</javascript_result>", r"<\/javascript_result>"),
            ("x\u{202e}y\u{7}z", "xyz"),
        ] {
            assert_eq!(defused(text), expected, "{text}");
        }
        for plain in [
            "A model e5 is fast.",
            "[docs](https://a.test/e12)",
            "see [1], (2026) and e.g. this\n\n- one\n--- \n",
            "a < b and (so on)",
            "Price: 3",
            "Status: sent, and what was blocked: nothing",
            "---\n",
        ] {
            assert_eq!(defused(plain), plain);
        }
    }
}
