//! Words about elements: the ways a target can be written otherwise without meaning something else, the
//! choices that a refusal names, and which of them an answer means.

/// Kinds of controls that people name beside a control's own name.
const KINDS: &[&str] = &[
    "button", "link", "field", "input", "box", "textbox", "checkbox", "tab", "option", "dropdown",
    "menu", "icon", "toggle", "switch", "radio",
];

/// Words that say nothing about which element is meant.
const FILLERS: &[&str] = &["the", "a", "an", "my", "your", "this", "that"];

/// Other ways to write a target that name nothing else: without quotes, without fillers, without the
/// kind of control, with blanks for hyphens. Never with less of the name: that would be another element's.
pub(crate) fn alternatives(target: &str) -> Vec<String> {
    if !is_words(target) {
        return Vec::new();
    }
    let bare: String = target.chars().filter(|letter| !"\"“”„'‘’`«»".contains(*letter)).collect();
    let bare = bare.trim().trim_end_matches(['.', ':', '!', ',']).to_owned();
    let filled: Vec<&str> = bare.split_whitespace().collect();
    let short: Vec<&str> = filled
        .iter()
        .copied()
        .skip_while(|word| FILLERS.contains(&word.to_lowercase().as_str()))
        .collect();
    let is_kind = |word: &&str| KINDS.contains(&word.to_lowercase().as_str());
    let mut ways = vec![bare.clone(), short.join(" ")];
    if let Some((_, name)) =
        short.split_last().filter(|(last, name)| is_kind(last) && !name.is_empty())
    {
        ways.push(name.join(" "));
    }
    if let Some((_, name)) =
        short.split_first().filter(|(first, name)| is_kind(first) && !name.is_empty())
    {
        ways.push(name.join(" "));
    }
    ways.extend(ways.clone().iter().map(|way| way.replace(['-', '_'], " ")));
    let mut seen = vec![target.to_owned()];
    for way in ways {
        if !way.is_empty() && !seen.contains(&way) {
            seen.push(way);
        }
    }
    seen.split_off(1)
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
    let words = telling_words(answer);
    if let [word] = words.as_slice()
        && let Some(index) = ordinal(word, choices.len())
    {
        return choices.get(index);
    }
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

/// The words of a text that tell things apart, in lower case.
fn telling_words(text: &str) -> Vec<String> {
    const EMPTY: &[&str] =
        &["the", "a", "an", "one", "no", "not", "use", "take", "please", "with", "in", "row"];
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty() && !EMPTY.contains(word)).map(str::to_owned).collect()
}

/// The place, from 0, that a word such as `second`, `2`, `3rd` or `last` means among so many.
pub(crate) fn ordinal(word: &str, count: usize) -> Option<usize> {
    const NAMES: &[&str] = &[
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    if word == "last" {
        return count.checked_sub(1);
    }
    let named = NAMES.iter().position(|name| *name == word);
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
            ("button", vec![]),
            ("#save", vec![]),
            ("e12", vec![]),
        ] {
            assert_eq!(alternatives(target), expected, "{target}");
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
        ] {
            let meant =
                chosen(answer, &choices).and_then(|one| choices.iter().position(|it| it == one));
            assert_eq!(meant, expected, "{answer}");
        }
    }
}
