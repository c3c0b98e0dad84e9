//! What a shop charges in, from the prices on a page.

use url::Url;

use crate::money::{Currency, Price};

/// A currency, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charges {
    /// So many prices on the page are in it.
    Seen(Currency, usize),
    /// Prices are in dollars; the end of the shop's name says whose.
    Dollars(Currency, usize),
    /// No price was seen; this is what people in that country pay with, or a guess.
    Unseen(Currency),
}

impl Charges {
    pub(super) fn currency(self) -> Currency {
        match self {
            Charges::Seen(currency, _)
            | Charges::Dollars(currency, _)
            | Charges::Unseen(currency) => currency,
        }
    }
}

/// What most prices of a page are in.
pub(super) fn charged(page: &str, home: &Url) -> Charges {
    let words: Vec<&str> = page.split_whitespace().collect();
    let alone = words.iter().filter(|word| signed(word)).map(|word| (*word).to_owned());
    // `1,99 €`, but not the end of one price and the beginning of the next.
    let apart = words.windows(2).filter(|pair| !signed_price(pair[0]) && is_sign(pair[1]));
    let apart = apart.map(|pair| pair.join(" "));
    let mut counts: Vec<(Currency, usize)> = Vec::new();
    let mut dollars = 0;
    for text in alone.chain(apart) {
        let Ok(price) = Price::read(&text, Currency::Usd) else { continue };
        if text.starts_with('$') || text.ends_with('$') {
            dollars += 1;
            continue;
        }
        match counts.iter_mut().find(|(currency, _)| *currency == price.shown.currency) {
            Some((_, count)) => *count += 1,
            None => counts.push((price.shown.currency, 1)),
        }
    }
    match counts.into_iter().max_by_key(|(_, count)| *count) {
        Some((currency, count)) if count >= dollars => Charges::Seen(currency, count),
        _ if dollars > 0 => Charges::Dollars(dollars_of(home), dollars),
        _ => Charges::Unseen(money_of(home)),
    }
}

const SIGNS: [&str; 4] = ["£", "€", "¥", "$"];

fn is_sign(word: &str) -> bool {
    SIGNS.contains(&word) || Currency::ALL.iter().any(|code| named(*code) == word)
}

fn named(currency: Currency) -> String {
    format!("{currency:?}").to_uppercase()
}

/// Whether a word has a sign of a currency and digits.
fn signed(word: &str) -> bool {
    SIGNS.iter().any(|sign| word.contains(sign))
        && word.contains(|letter: char| letter.is_ascii_digit())
}

fn signed_price(word: &str) -> bool {
    signed(word) && Price::read(word, Currency::Usd).is_ok()
}

fn ending(home: &Url) -> &str {
    home.domain().and_then(|name| name.rsplit('.').next()).unwrap_or_default()
}

fn dollars_of(home: &Url) -> Currency {
    match ending(home) {
        "ca" => Currency::Cad,
        "au" => Currency::Aud,
        "nz" => Currency::Nzd,
        _ => Currency::Usd,
    }
}

fn money_of(home: &Url) -> Currency {
    const EURO: [&str; 12] =
        ["de", "fr", "it", "es", "nl", "be", "at", "ie", "pt", "fi", "gr", "eu"];
    match ending(home) {
        "uk" => Currency::Gbp,
        "ch" => Currency::Chf,
        "jp" => Currency::Jpy,
        euro if EURO.contains(&euro) => Currency::Eur,
        _ => dollars_of(home),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_currency_is_the_one_that_most_prices_are_in() {
        let check = |page: &str, home: &str, expect: Charges| {
            assert_eq!(charged(page, &Url::parse(home).unwrap()), expect, "{page}");
        };
        let (uk, ca, com) = ("https://a.co.uk/", "https://a.ca/", "https://a.com/");
        check("£1.35 In stock £2.25", uk, Charges::Seen(Currency::Gbp, 2));
        check("milk 1,99 € bread 2,49 €", com, Charges::Seen(Currency::Eur, 2));
        check("3.50 CHF, was 4.00 CHF", com, Charges::Seen(Currency::Chf, 1));
        check("$3.49 $4.99", ca, Charges::Dollars(Currency::Cad, 2));
        check("$3.49 £4.99 $1.00", com, Charges::Dollars(Currency::Usd, 2));
        check("60 results, 20 a page", uk, Charges::Unseen(Currency::Gbp));
        check("", com, Charges::Unseen(Currency::Usd));
    }
}
