//! Words about elements: the ways a target can be written otherwise without meaning something else, the
//! choices that a refusal names, and which of them an answer means.

use crate::interpret::english::English;

/// Another way to write a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Naming {
    /// The target.
    pub(crate) words: String,
    /// It leaves out the kind of control, which may have been part of the name: a "Delete link" is no
    /// "Delete".
    pub(crate) says_less: bool,
}

/// Other ways to write a target: without quotes, without fillers, with blanks for hyphens, without the kind
/// of control.
pub(crate) fn alternatives(target: &str) -> Vec<Naming> {
    if !is_words(target) {
        return Vec::new();
    }
    let bare: String = target.chars().filter(|letter| !"\"“”„'‘’`«»".contains(*letter)).collect();
    let bare = bare.trim().trim_end_matches(['.', ':', '!', ',']).to_owned();
    let english = English::get();
    let filler = |word: &&str| english.has("fillers", &word.to_lowercase());
    let short: Vec<&str> = bare.split_whitespace().skip_while(filler).collect();
    let is_kind = |word: &&str| english.has("controls", &word.to_lowercase());
    let mut ways = vec![(bare.clone(), false), (short.join(" "), false)];
    let ends = [short.split_last(), short.split_first()];
    for (_, name) in
        ends.into_iter().flatten().filter(|(kind, name)| is_kind(kind) && !name.is_empty())
    {
        ways.push((name.join(" "), true));
    }
    let spaced = ways.clone().into_iter().map(|(way, less)| (way.replace(['-', '_'], " "), less));
    ways.extend(spaced);
    let mut list: Vec<Naming> = Vec::new();
    for (words, says_less) in ways {
        let known = words == target || list.iter().any(|one| one.words == words);
        if !words.is_empty() && !known {
            list.push(Naming { words, says_less });
        }
    }
    list
}

/// Whether a target is in words, and not a ref or a selector that means one thing only.
fn is_words(target: &str) -> bool {
    let target = target.trim();
    let reference = target
        .strip_prefix('e')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_digit()));
    let selector = target.starts_with(['#', '.', '[', '/', '(', '*', ':'])
        || ["css=", "xpath=", "text=", "role=", "point="]
            .iter()
            .any(|lead| target.starts_with(lead));
    !target.is_empty() && !reference && !selector
}

/// The elements that a refusal names: `… matches 2 elements: button "Add" e5 (row: Oat); button "Add" e9`.
pub(crate) fn named(message: &str) -> Vec<String> {
    const LEADS: &[&str] = &["elements: ", "it may be: ", "similar: ", "is the name of "];
    let first = message.lines().next().unwrap_or_default();
    let Some(list) = LEADS.iter().find_map(|lead| first.split_once(lead).map(|(_, list)| list))
    else {
        return Vec::new();
    };
    parts(list)
}

/// Splits at semicolons that are not part of a name or of what surrounds an element.
fn parts(list: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let (mut quoted, mut depth, mut before) = (false, 0_usize, ' ');
    for letter in list.chars() {
        match letter {
            '"' if before != '\\' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == ';' && !quoted && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(letter);
        }
        before = letter;
    }
    parts.push(part);
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The choice that an answer means: itself, its number, or the only one that says all its words.
pub(crate) fn chosen<'a>(answer: &str, choices: &'a [String]) -> Option<&'a String> {
    let answer = answer.trim();
    if let Some(same) = choices.iter().find(|choice| choice.eq_ignore_ascii_case(answer)) {
        return Some(same);
    }
    let answer = corrected(answer);
    if is_negated(answer) {
        return None;
    }
    let words = telling_words(answer);
    if let [word] = words.as_slice()
        && let Some(index) = ordinal(word, choices.len())
    {
        return choices.get(index);
    }
    saying(&words, choices)
}

/// The choice that something said earlier means, of other things perhaps: the only one that says all its
/// words. A number or a place in a row was meant for another list.
pub(crate) fn preferred<'a>(said: &str, choices: &'a [String]) -> Option<&'a String> {
    let said = corrected(said.trim());
    let words = telling_words(said);
    let counts = |word: &String| {
        word.contains(char::is_numeric) || ordinal(word, usize::MAX).is_some() || word == "next"
    };
    if is_negated(said) || words.iter().any(counts) {
        return None;
    }
    saying(&words, choices)
}

/// The only choice that says all these words.
fn saying<'a>(words: &[String], choices: &'a [String]) -> Option<&'a String> {
    let says = |choice: &&String| {
        let said = telling_words(choice);
        !words.is_empty() && words.iter().all(|word| said.contains(word))
    };
    let mut fitting = choices.iter().filter(says);
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

/// What is said without the "no" that corrects what was done, `no, the oat one`, or counts: `no. 2`.
fn corrected(said: &str) -> &str {
    let Some(rest) = said.get(..2).filter(|no| no.eq_ignore_ascii_case("no")).map(|_| &said[2..])
    else {
        return said;
    };
    let counts =
        |rest: &&str| rest.trim_start().starts_with(|letter: char| letter.is_ascii_digit());
    let counted = rest.strip_prefix('.').filter(counts);
    rest.strip_prefix(',').or(counted).map_or(said, str::trim_start)
}

/// Whether an answer says what is not meant: which one is, does not follow.
pub(crate) fn is_negated(said: &str) -> bool {
    let lower = corrected(said.trim()).to_lowercase().replace('’', "'");
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.any(|word| English::get().has("negations", word) || word.ends_with("n't"))
}

/// What an answer that is none of the choices means: `the oat milk one` is the target beside those words,
/// anything else another target.
pub(crate) fn narrowed(target: &str, answer: &str) -> String {
    let answer = answer.trim();
    match answer.to_lowercase().strip_suffix(" one") {
        Some(rest) if is_words(target) => {
            format!("{target} in {}", rest.trim_start_matches("the ").trim())
        }
        _ => answer.to_owned(),
    }
}

/// The words of a text that tell things apart, in lower case.
fn telling_words(text: &str) -> Vec<String> {
    let english = English::get();
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| !word.is_empty() && !english.has("empty", word))
        .map(str::to_owned)
        .collect()
}

/// The place, from 0, that a word such as `second`, `2`, `3rd` or `last` means among so many.
pub(crate) fn ordinal(word: &str, count: usize) -> Option<usize> {
    if word == "last" {
        return count.checked_sub(1);
    }
    let named = English::get().list("ordinals").iter().position(|name| name == word);
    let digits = word.trim_end_matches(char::is_alphabetic);
    let numbered = || digits.parse::<usize>().ok()?.checked_sub(1);
    named.or_else(numbered).filter(|index| *index < count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_written_otherwise_without_meaning_less() {
        for (target, expected) in [
            ("the \"Log in\" button", vec!["the Log in button", "Log in button", "Log in"]),
            ("Sign-up", vec!["Sign up"]),
            ("field Email", vec!["Email"]),
            ("Delete account", vec![]),
            ("#save", vec![]),
            ("e12", vec![]),
        ] {
            let ways = alternatives(target);
            let words: Vec<&str> = ways.iter().map(|way| way.words.as_str()).collect();
            assert_eq!(words, expected, "{target}");
            let less = ways.iter().filter(|way| way.says_less).count();
            assert_eq!(
                less,
                usize::from(
                    target.contains("button ")
                        || target.ends_with("button")
                        || target.starts_with("field")
                ),
                "{target}"
            );
        }
    }

    #[test]
    fn choices_are_read_out_of_a_refusal() {
        let message =
            "\"Add\" matches 2 elements: button \"Add; now\" e5 (row: Oat; 1 l); button \"Add\" e9";
        let choices = named(message);
        assert_eq!(choices, ["button \"Add; now\" e5 (row: Oat; 1 l)", "button \"Add\" e9"]);
        assert!(named("\"Add\" not found; there is button \"Save\" e1").is_empty());
        for (answer, expected) in [
            ("2", Some(1)),
            ("the second one", Some(1)),
            ("last", Some(1)),
            ("the oat one", Some(0)),
            ("button \"Add\" e9", Some(1)),
            ("add", None),
            ("", None),
            ("third", None),
            ("no. 2", Some(1)),
            ("no, the oat one", Some(0)),
            ("not the first one", None),
            ("no, not the first one", None),
            ("No first", None),
            ("not 2", None),
            ("don’t take oat", None),
            ("the one without oat", None),
        ] {
            let meant =
                chosen(answer, &choices).and_then(|one| choices.iter().position(|it| it == one));
            assert_eq!(meant, expected, "{answer}");
        }
        for (said, expected) in [
            ("the oat one", Some(0)),
            ("no, use oat please", Some(0)),
            ("never oat", None),
            ("not the oat one", None),
            ("2", None),
            ("the first one", None),
            ("last", None),
            ("1 l oat", None),
            ("button \"Add\" e9", None),
            ("", None),
        ] {
            let meant =
                preferred(said, &choices).and_then(|one| choices.iter().position(|it| it == one));
            assert_eq!(meant, expected, "{said}");
        }
    }
}
