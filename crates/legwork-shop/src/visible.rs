//! Text of others, as far as it can be seen. Pages, models and files say what they like; what is kept of it moves
//! no cursor, turns no line around and hides no letter.

/// The text without what is not seen: controls become spaces, letters without width go.
pub(crate) fn visible(text: &str) -> String {
    let seen = text.chars().filter(|letter| !is_unseen(*letter));
    seen.map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Letters without width that join or hide, and those that turn the direction of writing.
pub(crate) fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a letter has those after it shown in an order that is not theirs. The marks that writing from right to
/// left asks for are none of these.
pub(crate) fn turns(letter: char) -> bool {
    matches!(letter, '\u{202d}' | '\u{202e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_not_kept() {
        let cases = [
            ("Oat milk, 1 L €3", "Oat milk, 1 L €3"),
            ("a\u{1b}[31mb\u{9b}2Jc\u{85}d", "a [31mb 2Jc d"),
            ("\u{202e}klim\u{202c} choco\u{ad}late\u{e0041}", "klim chocolate"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected);
        }
    }
}
