//! What `max_tokens` and budgets count: how many tokens a text costs a model, and where to cut it.

/// About how many tokens a model reads a text as; rather more than fewer.
pub fn count(text: &str) -> usize {
    let mut estimate = Estimate::default();
    text.chars().for_each(|letter| estimate.add(letter));
    estimate.whole()
}

/// Where to cut a text so that the part before costs at most so many tokens: after a line, if one ends
/// there.
pub fn cut(text: &str, budget: usize) -> usize {
    let mut estimate = Estimate::default();
    let mut line_end = 0;
    for (at, letter) in text.char_indices() {
        estimate.add(letter);
        if estimate.whole() > budget {
            return if line_end > 0 {
                line_end
            } else if at == 0 {
                letter.len_utf8()
            } else {
                at
            };
        }
        if letter == '\n' {
            line_end = at + 1;
        }
    }
    text.len()
}

/// Words count by their length, digits by threes, signs one by one, other scripts by the letter.
#[derive(Default)]
struct Estimate {
    halves: usize,
    run: Run,
    length: usize,
    last: Option<char>,
    /// The letters follow a digit, as in codes.
    in_code: bool,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Run {
    #[default]
    None,
    Letters,
    Digits,
    Spaces,
}

/// The longest run of letters that is still a word.
const WORD: usize = 24;

impl Estimate {
    fn add(&mut self, letter: char) {
        let run = match letter {
            'a'..='z' | 'A'..='Z' => Run::Letters,
            '0'..='9' => Run::Digits,
            ' ' => Run::Spaces,
            _ => Run::None,
        };
        // In codes and names of things capitals begin words: aB, getName.
        let small = |last: char| last.is_ascii_lowercase();
        let begins = letter.is_ascii_uppercase() && self.last.is_some_and(small);
        if run != self.run || run == Run::None || begins {
            self.halves = self.in_halves();
            self.in_code = run == Run::Letters && self.run == Run::Digits;
            (self.run, self.length) = (run, 0);
        }
        // Vocabularies have few words in capitals, and codes are full of them.
        let capitals = |last: char| last.is_ascii_uppercase() && letter.is_ascii_uppercase();
        self.halves += usize::from(self.last.is_some_and(capitals));
        self.length += 1;
        self.last = Some(letter);
    }

    fn in_halves(&self) -> usize {
        let length = self.length;
        self.halves
            + match self.run {
                Run::Letters if length > WORD => WORD / 3 + (length - WORD),
                Run::Letters if self.in_code => 2 * length.min(3).max(length.div_ceil(6)),
                Run::Letters => 2 * length.div_ceil(6),
                Run::Digits => 2 * length.div_ceil(3),
                // One space belongs to the word after it.
                Run::Spaces => 2 * (length / 2),
                Run::None => self.last.map_or(0, half_tokens),
            }
    }

    fn whole(&self) -> usize {
        self.in_halves().div_ceil(2)
    }
}

/// What a letter of another script or a sign costs in half tokens, measured with `o200k_base`: little where
/// a vocabulary has words of the script, up to one for each byte where it has none.
fn half_tokens(letter: char) -> usize {
    match u32::from(letter) {
        0..0x300 | 0x370..0x700 | 0x900..0xE80 | 0x1000..0x1100 | 0x1780..0x1800 => 2,
        0x1E00..0x1F00 | 0x2010..0x2020 | 0x2022 | 0x2026 | 0x20AC | 0x3000..0x3100 => 2,
        0x4E00..0xA000 | 0xAC00..0xD7A4 | 0xFF00..0xFFF0 => 3,
        0x300..0x370 | 0x2000..0x2380 | 0x2480..0x2800 => 5,
        0..0x10000 => 6,
        _ => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_lines_within_its_budget() {
        let text = "one two three\nfour five six\nseven eight nine\n";
        for budget in 1..20 {
            let at = cut(text, budget);
            let before = &text[..at];
            assert!(count(before) <= budget + 1, "{budget}: {before:?}");
            assert!(at > 0);
        }
        assert_eq!(cut(text, 100), text.len());
        assert_eq!(&text[..cut(text, 8)], "one two three\nfour five six\n");
    }
}
