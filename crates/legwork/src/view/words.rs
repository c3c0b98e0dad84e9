//! Words for a terminal: cleaned, cut and wrapped by what they take up on it, and numbers as people read
//! them.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text on one line, without anything that a terminal would act on or that hides or turns around
/// what stands beside it.
pub fn clean(text: &str) -> String {
    let shown: String =
        text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter }).collect();
    let shown: String = shown.chars().filter(|letter| !is_unseen(*letter)).collect();
    shown.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Controls, marks of direction, letters without width that join or hide, and tags.
fn is_unseen(letter: char) -> bool {
    let odd = matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    letter.is_control() || odd
}

/// At most so many columns of it.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |letter: &char| {
        let wide = letter.width().unwrap_or(0);
        let fits = wide <= room;
        room = room.saturating_sub(wide);
        fits
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{kept}…")
}

/// The whole text in lines of at most so many columns. A word that is longer is broken.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace().flat_map(|word| pieces(word, width)) {
        let line = lines.last_mut().expect("there is a line from the beginning");
        if line.is_empty() {
            line.push_str(&word);
        } else if line.width() + 1 + word.width() <= width {
            line.push(' ');
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in word.chars() {
        let piece = pieces.last_mut().expect("there is a piece from the beginning");
        if piece.width() + letter.width().unwrap_or(0) > width {
            pieces.push(letter.to_string());
        } else {
            piece.push(letter);
        }
    }
    pieces
}

/// A time span: `0.8 s`, `12 s`, `3 min 05 s`.
pub(super) fn span(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// So many of something: `1 turn`, `12,340 tokens`.
pub(super) fn number(count: u64, what: &str) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let more = if count == 1 { "" } else { "s" };
    format!("{grouped} {what}{more}")
}

/// Millionths of a dollar, with the cents that matter.
pub(super) fn dollars(micros: u64) -> String {
    format!("${}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100)
}
