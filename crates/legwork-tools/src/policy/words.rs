//! Names as they are compared: lower case, without accents, one blank between words.

/// A text as it is compared.
pub(super) fn folded(text: &str) -> String {
    let letters: String = text.chars().flat_map(char::to_lowercase).flat_map(plain).collect();
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a text, without signs. An elision is two words: `l'accès`.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = folded(text);
    let split = text.split(|letter: char| !letter.is_alphanumeric() && letter != '*');
    split.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A letter without its accent; what only decorates, or cannot be seen, is nothing.
fn plain(letter: char) -> impl Iterator<Item = char> {
    let plain: &'static str = match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => "o",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ý' | 'ÿ' => "y",
        'æ' => "ae",
        'œ' => "oe",
        // Accents that stand alone, soft hyphens, joiners, marks of direction.
        '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => "",
        _ => return Either::One(std::iter::once(letter)),
    };
    Either::Many(plain.chars())
}

/// One letter or a few.
enum Either {
    One(std::iter::Once<char>),
    Many(std::str::Chars<'static>),
}

impl Iterator for Either {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        match self {
            Either::One(one) => one.next(),
            Either::Many(many) => many.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_accents_and_hidden_letters() {
        for (text, expected) in [
            ("  Passer\u{a0}la COMMANDE ", "passer la commande"),
            ("Re\u{301}initialiser", "reinitialiser"),
            ("De\u{ad}le\u{200b}te", "delete"),
            ("Cœur", "coeur"),
        ] {
            assert_eq!(folded(text), expected);
        }
        assert_eq!(words("Accorder l’accès (2)"), ["accorder", "l", "acces", "2"]);
        assert_eq!(words("Pay $12.50"), ["pay", "12", "50"]);
    }
}
