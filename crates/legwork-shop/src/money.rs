//! Prices, to the cent. A price is read whole or not at all: a text that could mean two amounts is an
//! error, never a guess.

mod currency;
mod number;

use std::fmt;

use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};

pub use currency::Currency;

/// An amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Money {
    /// How much, in whole units of the currency and its parts.
    pub amount: Decimal,
    /// Of what.
    pub currency: Currency,
}

impl Money {
    /// An amount in the currency's smallest coin.
    pub fn from_cents(cents: u64, currency: Currency) -> Money {
        let amount = Decimal::from(cents) / currency.coins();
        Money { amount: amount.round_dp(currency.decimals()), currency }
    }

    /// The amount in the currency's smallest coin, if it comes out even.
    pub fn cents(&self) -> Option<u64> {
        let coins = self.amount.checked_mul(self.currency.coins())?;
        if coins.is_integer() { coins.to_u64() } else { None }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.currency.format(self.amount))
    }
}

/// What an amount buys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Terms {
    /// One piece.
    Each,
    /// So many together: `2 for $5`.
    Together(u32),
    /// So much by weight or volume: `kg`, `100 g`.
    Per(String),
}

/// A price as a shop shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The amount that is shown.
    pub shown: Money,
    /// What it buys.
    pub terms: Terms,
}

impl Price {
    /// Reads a price. `here` is the currency of the shop, which `$` alone stands for.
    pub fn read(text: &str, here: Currency) -> Result<Price, PriceError> {
        let told = |why: String| PriceError::Unreadable { text: text.to_owned(), why };
        let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (count, rest) = number::together(&plain);
        let (amount, before, after) = number::amount(rest).map_err(told)?;
        let (currency, in_coins, after) = currency::around(before, after, here).map_err(told)?;
        let decimals = if in_coins { 0 } else { currency.decimals() };
        let amount = number::value(amount, decimals).map_err(told)?;
        let amount = if in_coins { amount / currency.coins() } else { amount };
        let terms = terms(count, after).ok_or_else(|| told(format!("{after:?} is not known")))?;
        Ok(Price { shown: Money { amount, currency }, terms })
    }

    /// What one piece costs, rounded to the coin. By weight it is what the shop shows, since the weight is
    /// not known here.
    pub fn each(&self) -> Money {
        let Terms::Together(count) = self.terms else { return self.shown };
        let each = self.shown.amount / Decimal::from(count);
        let to = RoundingStrategy::MidpointAwayFromZero;
        let decimals = self.shown.currency.decimals();
        Money { amount: each.round_dp_with_strategy(decimals, to), ..self.shown }
    }

    /// What so many pieces cost: as often as the terms are met at that price, and the rest one by one.
    /// `None` if it is more money than there is.
    pub fn of(&self, quantity: u32) -> Option<Money> {
        let times = |count: u32, amount: Decimal| amount.checked_mul(Decimal::from(count));
        let amount = match self.terms {
            Terms::Together(count) => {
                let whole = times(quantity / count, self.shown.amount)?;
                whole.checked_add(times(quantity % count, self.each().amount)?)?
            }
            _ => times(quantity, self.shown.amount)?,
        };
        Some(Money { amount, ..self.shown })
    }

    /// Reads a price that is said twice, as text and in cents for one piece, and holds them against each
    /// other.
    pub fn agreed(text: &str, cents: u64, here: Currency) -> Result<Price, PriceError> {
        let price = Price::read(text, here)?;
        let each = price.each().cents();
        if each == Some(cents) {
            return Ok(price);
        }
        let read = each.map_or("more than can be counted".into(), |each| each.to_string());
        Err(PriceError::Disagree { text: text.to_owned(), read, cents })
    }
}

/// Adds amounts up; `None` if they are not of one currency, or more money than there is.
pub fn total(amounts: impl IntoIterator<Item = Money>, currency: Currency) -> Option<Money> {
    let mut sum = Decimal::ZERO;
    for money in amounts {
        if money.currency != currency {
            return None;
        }
        sum = sum.checked_add(money.amount)?;
    }
    Some(Money { amount: sum, currency })
}

/// Why a price is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceError {
    /// It does not say one amount.
    #[error("{text:?} is not a price: {why}")]
    Unreadable {
        /// What was to be read.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// Text and cents say different things.
    #[error("the price {text:?} is {read} cents each, not {cents}")]
    Disagree {
        /// The text.
        text: String,
        /// What it comes to.
        read: String,
        /// What was said beside it.
        cents: u64,
    },
}

/// The terms in what follows an amount.
fn terms(count: Option<u32>, after: &str) -> Option<Terms> {
    let after = after.trim().to_lowercase();
    let each =
        ["", "ea", "ea.", "each", "avg. ea.", "/ea", "/ea.", "ch", "ch.", "chacun", "l'unité"];
    match count {
        _ if !each.contains(&after.as_str()) => {
            let unit = after.strip_prefix('/').or_else(|| after.strip_prefix("per "))?.trim();
            let (digits, name) = unit.split_at(unit.find(|c: char| !c.is_ascii_digit())?);
            let known = ["kg", "g", "lb", "lbs", "oz", "l", "ml"].contains(&name.trim());
            (count.is_none() && known)
                .then(|| Terms::Per(format!("{digits} {}", name.trim()).trim().into()))
        }
        Some(count) => Some(Terms::Together(count)),
        None => Some(Terms::Each),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CAD: Currency = Currency::Cad;

    #[test]
    fn prices_are_read_as_shops_write_them() {
        let cases = [
            ("$12.34", "12.34", CAD),
            ("12,34 $", "12.34", CAD),
            ("12,34\u{a0}$", "12.34", CAD),
            ("€ 3,99", "3.99", Currency::Eur),
            ("3,99 €", "3.99", Currency::Eur),
            ("1 234,56 $", "1234.56", CAD),
            ("1\u{202f}234,56 $", "1234.56", CAD),
            ("$1,234.56", "1234.56", CAD),
            ("$1,234", "1234", CAD),
            ("1.234,56 €", "1234.56", Currency::Eur),
            ("CHF 1'234.50", "1234.50", Currency::Chf),
            ("CA$5", "5", CAD),
            ("CAD 5.00", "5.00", CAD),
            ("US$5.25", "5.25", Currency::Usd),
            (".99", "0.99", CAD),
            ("$.99", "0.99", CAD),
            ("99¢", "0.99", CAD),
            ("5", "5", CAD),
            ("$0.00", "0.00", CAD),
            ("£2.50", "2.50", Currency::Gbp),
            ("¥500", "500", Currency::Jpy),
            ("$4.49 ea.", "4.49", CAD),
            ("  $4.49   each ", "4.49", CAD),
        ];
        for (text, amount, currency) in cases {
            let price = Price::read(text, CAD).unwrap();
            assert_eq!(price.shown, Money { amount: amount.parse().unwrap(), currency }, "{text}");
            assert_eq!(price.terms, Terms::Each, "{text}");
        }
    }

    #[test]
    fn what_could_mean_two_things_is_not_a_price() {
        let cases = [
            "",
            "free",
            "$",
            "$5.99 $4.49",
            "was 5.99 now 4.49",
            "-$5",
            "$1.2",
            "$1.2345",
            "1.23.4",
            "1,23,4",
            "$12,34.56",
            "0,999",
            "5 apples",
            "5.00 $ €",
            "$€5",
            "CAD 5 USD",
            "$12 34",
            "¥5.50",
            "0 for $5",
            "2 for",
            "2 for $5 /kg",
            "$5 per visit",
            "1e5",
            "٣",
            "99999999999999999999999999999999",
        ];
        for text in cases {
            assert!(Price::read(text, CAD).is_err(), "{text}: {:?}", Price::read(text, CAD));
        }
    }

    #[test]
    fn terms_are_told_from_the_price_of_one() {
        let cases = [
            ("2 for $5", Terms::Together(2), 250),
            ("2/$5", Terms::Together(2), 250),
            ("2 / 5,00 $", Terms::Together(2), 250),
            ("3 for $5.00", Terms::Together(3), 167),
            ("2 pour 5,00 $", Terms::Together(2), 250),
            ("$4.39 /kg", Terms::Per("kg".into()), 439),
            ("$0.88 / 100 g", Terms::Per("100 g".into()), 88),
            ("$4.39 per lb", Terms::Per("lb".into()), 439),
        ];
        for (text, terms, cents) in cases {
            let price = Price::read(text, CAD).unwrap();
            assert_eq!((&price.terms, price.each().cents()), (&terms, Some(cents)), "{text}");
        }
    }

    #[test]
    fn so_many_cost_what_the_terms_say_and_the_rest_singly() {
        let cases =
            [("2 for $5", 4, 1000), ("2 for $5", 3, 750), ("3 for $5", 4, 667), ("$.99", 3, 297)];
        for (text, quantity, cents) in cases {
            let price = Price::read(text, CAD).unwrap();
            assert_eq!(price.of(quantity).unwrap().cents(), Some(cents), "{text}");
        }
    }

    #[test]
    fn text_and_cents_have_to_agree() {
        assert!(Price::agreed("$12.34", 1234, CAD).is_ok());
        assert!(Price::agreed("2 for $5", 250, CAD).is_ok());
        for (text, cents) in [("$12.34", 1243), ("$12.34", 12), ("2 for $5", 500), ("$5", 5)] {
            let error = Price::agreed(text, cents, CAD).unwrap_err();
            assert!(matches!(error, PriceError::Disagree { .. }), "{error}");
        }
        let told = Price::agreed("$12.34", 12, CAD).unwrap_err().to_string();
        assert_eq!(told, "the price \"$12.34\" is 1234 cents each, not 12");
    }

    #[test]
    fn totals_are_exact_and_of_one_currency() {
        let cents = |cents| Money::from_cents(cents, CAD);
        let sum = total([cents(10), cents(20), cents(1)], CAD).unwrap();
        assert_eq!(sum.to_string(), "$0.31");
        assert_eq!(total([], CAD).unwrap().to_string(), "$0.00");
        assert_eq!(total([cents(10), Money::from_cents(10, Currency::Eur)], CAD), None);
    }

    #[test]
    fn amounts_are_written_as_their_currency_is() {
        let cases = [
            (Currency::Cad, "$1234.50"),
            (Currency::Eur, "1234,50 €"),
            (Currency::Gbp, "£1234.50"),
            (Currency::Chf, "CHF 1234.50"),
            (Currency::Jpy, "¥123450"),
        ];
        for (currency, text) in cases {
            assert_eq!(Money::from_cents(123_450, currency).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same(cents in 0..100_000_000_u64, at in 0..Currency::ALL.len()) {
            let money = Money::from_cents(cents, Currency::ALL[at]);
            let price = Price::read(&money.to_string(), Currency::ALL[at]).unwrap();
            prop_assert_eq!(price.shown, money);
            prop_assert_eq!(money.cents(), Some(cents));
        }

        #[test]
        fn reading_never_panics(text in "\\PC*|[0-9., $€¢/a-z]{0,16}", quantity in 0..2000_u32) {
            if let Ok(price) = Price::read(&text, CAD) {
                let _ = (price.each().cents(), price.of(quantity));
            }
        }
    }
}
