//! The number in a price: where it is, and what its points and commas mean.

use rust_decimal::Decimal;

/// `2 for …`, `2/…`: how many an amount is for, and the rest.
pub(super) fn together(text: &str) -> (Option<u32>, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (count, rest) = text.split_at(end);
    let after = ["for ", "pour ", "/"].iter().find_map(|word| rest.trim_start().strip_prefix(word));
    match (count.parse(), after) {
        (Ok(count), Some(after)) if count > 0 => (Some(count), after),
        _ => (None, text),
    }
}

/// The one number in a text, and what stands before and after it.
pub(super) fn amount(text: &str) -> Result<(&str, &str, &str), String> {
    let start = text.find(|letter: char| letter.is_ascii_digit()).ok_or("there is no number")?;
    let start = if text[..start].ends_with(['.', ',']) { start - 1 } else { start };
    let within =
        |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '\'' | '’' | ' ');
    let end = text[start..].find(|letter| !within(letter)).map_or(text.len(), |end| start + end);
    let number = text[start..end].trim_end_matches([' ', '.', ',', '\'', '’']);
    let (before, after) = (&text[..start], &text[start + number.len()..]);
    if before.contains(['-', '−', '–']) {
        return Err("it is less than nothing".into());
    }
    Ok((number, before, after))
}

/// What a number says, whichever of point and comma its writer uses for the decimals.
pub(super) fn value(number: &str, decimals: u32) -> Result<Decimal, String> {
    let (whole, part) = match number.rfind(['.', ',']) {
        // Three digits after the only kind of mark are thousands: no price has a tenth of a cent.
        Some(at) if is_thousands(number, at) => (number, ""),
        Some(at) => (&number[..at], &number[at + 1..]),
        None => (number, ""),
    };
    if !part.is_empty() && part.len() as u32 != decimals {
        return Err(format!("{number:?} has {} digits behind the point", part.len()));
    }
    let whole = ungrouped(whole).ok_or_else(|| format!("{number:?} is not one number"))?;
    let spelt = format!("{}.{}", if whole.is_empty() { "0" } else { &whole }, part);
    let spelt = spelt.trim_end_matches('.');
    Decimal::from_str_exact(spelt).map_err(|_| format!("{number:?} is not an amount"))
}

fn is_thousands(number: &str, at: usize) -> bool {
    let mark = &number[at..=at];
    let other = if mark == "." { "," } else { "." };
    number.len() - at == 4 && !number.contains(other) && !number.starts_with(['0', '.', ','])
}

/// The digits of a whole number without what groups them by three; `None` if they are not grouped so.
fn ungrouped(whole: &str) -> Option<String> {
    let marks: Vec<char> = whole.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    if marks.windows(2).any(|pair| pair[0] != pair[1]) {
        return None;
    }
    let mut groups = whole.split(|letter: char| !letter.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let rest: Vec<_> = groups.collect();
    let fits = rest.is_empty() || (1..=3).contains(&first.len());
    (fits && rest.iter().all(|group| group.len() == 3)).then(|| format!("{first}{}", rest.concat()))
}
