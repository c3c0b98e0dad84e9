//! The most that one may cost, held against a price. A ceiling that cannot be read holds against every price.

use crate::money::{Currency, Price};

/// Why a price is too high, if it is.
pub(crate) fn over(ceiling: Option<&str>, price: &Price, here: Currency) -> Option<String> {
    let most = match Price::read(ceiling?, here) {
        Ok(most) => most.each(),
        Err(error) => return Some(error.to_string()),
    };
    let each = price.each();
    let over = each.currency != most.currency || each.amount > most.amount;
    over.then(|| format!("it costs {each}, which is more than {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_over_a_ceiling_or_is_not() {
        let cases = [
            (None, "$9.99", false),
            (Some("$5.00"), "$5.00", false),
            (Some("$5.00"), "$5.01", true),
            (Some("$5.00"), "2 for $9", false),
            (Some("$5.00"), "2 for $11", true),
            (Some("$5.00"), "4,00 €", true),
            (Some("five"), "$1.00", true),
        ];
        for (ceiling, price, expected) in cases {
            let read = Price::read(price, Currency::Cad).unwrap();
            let over = over(ceiling, &read, Currency::Cad);
            assert_eq!(over.is_some(), expected, "{ceiling:?} {price}: {over:?}");
        }
    }
}
