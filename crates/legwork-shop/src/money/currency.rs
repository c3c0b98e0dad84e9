//! The currencies that are known, how each is written, and which one a text means.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// A currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs, reason = "the codes of ISO 4217 say it")]
pub enum Currency {
    Aud,
    Cad,
    Chf,
    Eur,
    Gbp,
    Jpy,
    Nzd,
    Usd,
}

use Currency::{Aud, Cad, Chf, Eur, Gbp, Jpy, Nzd, Usd};

impl Currency {
    /// All of them.
    pub const ALL: &[Currency] = &[Aud, Cad, Chf, Eur, Gbp, Jpy, Nzd, Usd];

    /// How many digits stand behind the point.
    pub fn decimals(self) -> u32 {
        if self == Jpy { 0 } else { 2 }
    }

    /// How many of its smallest coin make one.
    pub(super) fn coins(self) -> Decimal {
        Decimal::from(10_u32.pow(self.decimals()))
    }

    /// An amount as it is written in this currency's shops.
    pub(super) fn format(self, amount: Decimal) -> String {
        let number = format!("{amount:.*}", self.decimals() as usize);
        match self {
            Aud | Cad | Nzd | Usd => format!("${number}"),
            Gbp => format!("£{number}"),
            Jpy => format!("¥{number}"),
            Chf => format!("CHF {number}"),
            Eur => format!("{} €", number.replace('.', ",")),
        }
    }

    fn is_dollar(self) -> bool {
        matches!(self, Aud | Cad | Nzd | Usd)
    }
}

/// How currencies are called in prices; the longer ones come first.
const SIGNS: &[(&str, Currency)] = &[
    ("CA$", Cad),
    ("C$", Cad),
    ("US$", Usd),
    ("AU$", Aud),
    ("A$", Aud),
    ("NZ$", Nzd),
    ("AUD", Aud),
    ("CAD", Cad),
    ("CHF", Chf),
    ("EUR", Eur),
    ("GBP", Gbp),
    ("JPY", Jpy),
    ("NZD", Nzd),
    ("USD", Usd),
    ("€", Eur),
    ("£", Gbp),
    ("¥", Jpy),
];

/// The currency that stands before or after a number, whether the number counts its smallest coin, and
/// what else stands after it.
pub(super) fn around<'t>(
    before: &str,
    after: &'t str,
    here: Currency,
) -> Result<(Currency, bool, &'t str), String> {
    let (ahead, rest) = sign(before.trim(), here)?;
    if !rest.is_empty() {
        return Err(format!("{rest:?} is not known"));
    }
    let after = after.trim();
    let coins = after.strip_prefix('¢');
    match coins {
        Some(_) if ahead.is_some() => Err("it names two currencies".into()),
        Some(rest) => Ok((here, true, rest)),
        None => {
            let (behind, rest) = sign(after, here)?;
            // `$5.00 CAD` says the same twice; `$5.00 €` does not.
            match (ahead, behind) {
                (Some(one), Some(two)) if one != two => Err("it names two currencies".into()),
                (one, two) => Ok((one.or(two).unwrap_or(here), false, rest)),
            }
        }
    }
}

/// The currency at the beginning of a text, and what follows.
fn sign(text: &str, here: Currency) -> Result<(Option<Currency>, &str), String> {
    let named = |(sign, currency): &(&str, Currency)| {
        let head = text.get(..sign.len())?;
        head.eq_ignore_ascii_case(sign).then_some((Some(*currency), text[sign.len()..].trim()))
    };
    if let Some(found) = SIGNS.iter().find_map(named) {
        return Ok(found);
    }
    match text.strip_prefix('$') {
        Some(_) if !here.is_dollar() => Err("it does not say which dollars".into()),
        Some(rest) => Ok((Some(here), rest.trim())),
        None => Ok((None, text)),
    }
}
