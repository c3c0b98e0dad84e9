//! What a person answered takes its place in the instruction, which is then read again.

use legwork_protocol::assistant::TaskContext;
use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::token::{Token, tokens};
use super::{Understood, by_grammar, leave, read};

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answered {
    /// In their own words.
    Own(String),
    /// By one of the choices they were offered: its words may be a page's.
    Chosen {
        /// The choice.
        chosen: String,
    },
}

impl Answered {
    /// The words of an answer to a question with these choices.
    pub(crate) fn of(words: String, choices: &[String]) -> Answered {
        match choices.contains(&words) {
            true => Answered::Chosen { chosen: words },
            false => Answered::Own(words),
        }
    }

    pub(crate) fn words(&self) -> &str {
        let (Answered::Own(words) | Answered::Chosen { chosen: words }) = self;
        words
    }

    /// The person's own words, if they are.
    pub(crate) fn own(&self) -> Option<&str> {
        match self {
            Answered::Own(words) => Some(words),
            Answered::Chosen { .. } => None,
        }
    }
}

/// The instruction with the answer in it; nothing if the grammar has no question about it.
pub fn put(instruction: &str, context: &TaskContext, answer: &str) -> Option<String> {
    let answer = answer.trim();
    let (part, new, offered) = match read(instruction, context) {
        Ok(_) => return None,
        Err(Fault::Beyond { part, .. }) => {
            let left = leave::out(instruction, context);
            // Whoever wants nothing to be done wants nothing of the rest either.
            if answer.eq_ignore_ascii_case(leave::NOTHING) {
                return Some(leave::NOTHING.to_owned());
            }
            match left.filter(|left| left.is_meant(answer)) {
                Some(left) => (left.part, leave::NOTHING.to_owned(), false),
                None => (part, answer.to_owned(), false),
            }
        }
        Err(Fault::Doubt(doubt)) => {
            let own = || {
                let whole = matches!(by_grammar(answer, context), Understood::Tasks(_));
                let (before, behind) = &doubt.frame;
                if whole { answer.to_owned() } else { format!("{before}{answer}{behind}") }
            };
            let offered = chosen(&doubt.choices, answer).cloned();
            let is_offered = offered.is_some();
            (doubt.part, offered.unwrap_or_else(own), is_offered)
        }
    };
    let (before, behind) = (instruction.get(..part.start)?, instruction.get(part.end..)?);
    let whole = format!("{before}{new}{behind}");
    (!offered || is_kept(&whole, &new, part.start)).then_some(whole)
}

/// Whether what is quoted in a choice is still quoted where it now stands. A choice may have a page's words in
/// it, and a lonely quote before it would turn them into more to do.
fn is_kept(whole: &str, new: &str, at: usize) -> bool {
    let read = tokens(whole);
    let same = |one: &Token, other: &Token| {
        (one.kind, &one.text) == (other.kind, &other.text)
            && one.span == (other.span.start + at..other.span.end + at)
    };
    let quotes = tokens(new).into_iter().filter(Token::literal);
    quotes.into_iter().all(|quote| read.iter().any(|token| same(token, &quote)))
}

/// The choice that is said as it was offered, or by its number: a choice that is a number itself comes first.
pub fn chosen<'a>(choices: &'a [String], answer: &str) -> Option<&'a String> {
    let answer = answer.trim();
    let said = choices.iter().find(|choice| choice.eq_ignore_ascii_case(answer));
    let number = answer.trim_end_matches(['.', ')']).parse::<usize>().ok();
    said.or_else(|| choices.get(number?.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_named_or_numbered_and_its_name_comes_first() {
        let choices = ["Go ahead", "Cancel", "1"].map(str::to_owned);
        for (answer, expected) in [
            ("2", Some("Cancel")),
            (" 2. ", Some("Cancel")),
            ("go ahead", Some("Go ahead")),
            ("1", Some("1")),
            ("4", None),
            ("0", None),
            ("later", None),
        ] {
            assert_eq!(chosen(&choices, answer).map(String::as_str), expected, "{answer}");
        }
    }
}
