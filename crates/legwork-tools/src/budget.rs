//! Keeping replies short: how many tokens a text costs, and where to cut it.

/// About how many tokens a model reads a text as; rather more than fewer.
pub(crate) fn tokens(text: &str) -> usize {
    let mut estimate = Estimate::default();
    text.chars().for_each(|letter| estimate.add(letter));
    estimate.whole()
}

/// Where to cut a text so that the part before costs at most so many tokens: after a line, if one ends
/// there.
pub(crate) fn cut(text: &str, budget: usize) -> usize {
    let mut estimate = Estimate::default();
    let mut line_end = 0;
    for (at, letter) in text.char_indices() {
        estimate.add(letter);
        if estimate.whole() > budget {
            return if line_end > 0 { line_end } else { at.max(letter.len_utf8()) };
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
    tokens: usize,
    run: Run,
    length: usize,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Run {
    #[default]
    None,
    Letters,
    Digits,
    Spaces,
}

impl Estimate {
    fn add(&mut self, letter: char) {
        let run = match letter {
            'a'..='z' | 'A'..='Z' => Run::Letters,
            '0'..='9' => Run::Digits,
            ' ' => Run::Spaces,
            _ => Run::None,
        };
        if run != self.run || run == Run::None {
            self.tokens = self.whole();
            (self.run, self.length) = (run, 0);
        }
        self.length += 1;
    }

    fn whole(&self) -> usize {
        self.tokens
            + match self.run {
                Run::Letters => self.length.div_ceil(6),
                Run::Digits => self.length.div_ceil(3),
                // One space belongs to the word after it.
                Run::Spaces => self.length / 2,
                Run::None => self.length,
            }
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
            assert!(tokens(before) <= budget + 1, "{budget}: {before:?}");
            assert!(at > 0);
        }
        assert_eq!(cut(text, 100), text.len());
        assert_eq!(&text[..cut(text, 8)], "one two three\nfour five six\n");
    }
}
