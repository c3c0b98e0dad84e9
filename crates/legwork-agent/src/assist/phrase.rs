//! Phrases looked for in texts, by the word: case, punctuation and apostrophes do not count.

use serde::Deserialize;

/// A phrase of the rules. `*` stands for up to three words; with `=` in front it is the whole text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(super) struct Phrase {
    words: Vec<String>,
    whole: bool,
}

/// The most words that `*` stands for.
const GAP: usize = 3;

impl From<String> for Phrase {
    fn from(text: String) -> Phrase {
        let (rest, whole) = match text.strip_prefix('=') {
            Some(rest) => (rest, true),
            None => (text.as_str(), false),
        };
        let words = rest.split_whitespace().flat_map(|word| match word {
            "*" => vec!["*".to_owned()],
            word => Words::of(word).0,
        });
        Phrase { words: words.collect(), whole }
    }
}

/// A text as its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn of(text: &str) -> Words {
        let plain: String = text
            .chars()
            .filter(|letter| !matches!(letter, '\'' | '’' | '‘' | '`' | '´'))
            .map(|letter| if letter.is_alphanumeric() { letter } else { ' ' })
            .collect();
        Words(plain.split_whitespace().map(str::to_lowercase).collect())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contain(&self, phrase: &Phrase) -> bool {
        match phrase.whole {
            true => begins(&self.0, &phrase.words) == Some(self.0.len()),
            false => (0..self.0.len()).any(|at| begins(&self.0[at..], &phrase.words).is_some()),
        }
    }
}

/// How many words the phrase takes at the beginning of the text.
fn begins(text: &[String], phrase: &[String]) -> Option<usize> {
    let Some((first, rest)) = phrase.split_first() else { return Some(0) };
    if first == "*" {
        let gaps = 0..=GAP.min(text.len());
        return gaps.rev().find_map(|gap| begins(&text[gap..], rest).map(|taken| taken + gap));
    }
    match text.split_first() {
        Some((word, behind)) if word == first => begins(behind, rest).map(|taken| taken + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_by_its_words() {
        for (phrase, text, found) in [
            ("im not a robot", "I’m not a robot", true),
            ("i'm not a robot", "I'M NOT A ROBOT!", true),
            ("sign in", "Please sign in.", true),
            ("sign in", "A design in blue", false),
            ("sign in", "Assign ink", false),
            ("code * sent", "the code that we have sent you", true),
            ("code * sent", "the code sent to you", true),
            ("code * sent", "the code that you have not been sent", false),
            ("=code", "Code:", true),
            ("=code", "Postal code", false),
            ("=digit *", "Digit 3", true),
            ("=digit *", "Digit 3 of 6 here", false),
        ] {
            let phrase = Phrase::from(phrase.to_owned());
            assert_eq!(Words::of(text).contain(&phrase), found, "{phrase:?} in {text:?}");
        }
    }
}
