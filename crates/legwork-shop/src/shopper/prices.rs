//! Finds the price in what a page says of a product.

use super::words::{spaced, words};
use crate::money::{Currency, Price, Terms};

/// More words than a price has.
const LONGEST: usize = 5;

/// What is to be paid: the text and what it means. Prices that were, savings and totals do not count, and a
/// price by weight only where there is no other. Of two that are left the lower one is paid, as a price that is
/// crossed out stands beside it; if they are too far apart for that, the first.
pub(crate) fn paid(text: &str, here: Currency) -> Option<(String, Price)> {
    let all = all(text, here);
    let by_piece: Vec<&Found> =
        all.iter().filter(|found| !matches!(found.price.terms, Terms::Per(_))).collect();
    let first = by_piece.first().copied().or(all.first())?;
    let floor = first.price.each().amount * rust_decimal::Decimal::new(3, 1);
    let near = by_piece.iter().filter(|found| found.price.each().amount >= floor);
    let lowest = near.min_by_key(|found| found.price.each().amount).copied().unwrap_or(first);
    Some((lowest.text.clone(), lowest.price.clone()))
}

/// All that may be paid for so many pieces: the texts and what they mean, in their order.
pub(crate) fn by_piece(text: &str, here: Currency) -> Vec<(String, Price)> {
    let found = all(text, here).into_iter().map(|found| (found.text, found.price));
    found.filter(|(_, price)| !matches!(price.terms, Terms::Per(_))).collect()
}

/// What stands before the first price.
pub(super) fn before(text: &str, here: Currency) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let end =
        (0..words.len()).find(|at| at_word(&words, *at, here).is_some()).unwrap_or(words.len());
    words[..end].join(" ")
}

struct Found {
    text: String,
    price: Price,
}

fn all(text: &str, here: Currency) -> Vec<Found> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let Some((price, used)) = at_word(&words, at, here) else {
            at += 1;
            continue;
        };
        if !is_unpaid(&words[..at], words.get(at + used)) {
            found.push(Found {
                text: words[at..at + used].join(" ").trim_matches(['(', ')', ',', ';']).to_owned(),
                price,
            });
        }
        at += used;
    }
    found
}

/// Whether what stands around a price says that it is not what is paid now.
fn is_unpaid(before: &[&str], after: Option<&&str>) -> bool {
    let last = |count: usize| spaced(&before[before.len().saturating_sub(count)..].join(" "));
    let told = |text: String| words().not_paid.contains(&text);
    told(last(1)) || told(last(2)) || after.is_some_and(|word| spaced(word) == "off")
}

/// The longest price that begins at a word, and how many words it has.
fn at_word(words: &[&str], at: usize, here: Currency) -> Option<(Price, usize)> {
    let most = LONGEST.min(words.len() - at);
    (1..=most).rev().find_map(|used| {
        let text = words[at..at + used].join(" ");
        let text = text.trim_matches(['(', ')', ',', ';']);
        let signed = text.contains(['$', '€', '£', '¥', '¢'])
            || Currency::ALL.iter().any(|code| names(text, *code));
        if !signed || text.ends_with('.') {
            return None;
        }
        Price::read(text, here).ok().map(|price| (price, used))
    })
}

fn names(text: &str, code: Currency) -> bool {
    let code = format!("{code:?}").to_uppercase();
    text.split_whitespace().any(|word| word == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_that_is_paid_is_found() {
        let cases = [
            ("Dairyland 1 L $3.49 $0.35 / 100 ml", "$3.49"),
            ("$5.99 $4.49", "$4.49"),
            ("Was $5.99 Now $4.49 Save $1.50", "$4.49"),
            ("$4.69 was $5.19", "$4.69"),
            ("was $5.19 $4.69", "$4.69"),
            ("2 for $5", "2 for $5"),
            ("Price $5.49", "$5.49"),
            ("Gala 3,99 €", "3,99 €"),
            ("$4.39 /kg", "$4.39 /kg"),
            ("£9.99 In stock (20 available) £0.50", "£9.99"),
            ("Chips 99¢", "99¢"),
        ];
        for (text, price) in cases {
            let here = if text.contains('€') { Currency::Eur } else { Currency::Cad };
            assert_eq!(paid(text, here).map(|(text, _)| text).as_deref(), Some(price), "{text}");
        }
        for text in ["", "Milk 1 L", "7up 12", "Total: $20.45", "You save $2.00"] {
            assert_eq!(paid(text, Currency::Cad), None, "{text}");
        }
        assert_eq!(
            before("Almond Butter Kraft 300 g $8.00", Currency::Cad),
            "Almond Butter Kraft 300 g"
        );
    }
}
