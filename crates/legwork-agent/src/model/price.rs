//! What models cost, as listed: `prices.toml` holds the list, what is set overrides it, and what is in neither
//! has no price.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Price, Tokens};

/// A model of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) price: Price,
    /// Tokens that fit.
    pub(crate) window: Option<u64>,
}

#[derive(Deserialize)]
struct List {
    /// When it was written down.
    date: String,
    #[serde(flatten)]
    providers: BTreeMap<String, BTreeMap<String, Line>>,
}

/// US dollars for a million tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    input: f64,
    /// As much as what is read anew, where a cache costs no less.
    cached: Option<f64>,
    output: f64,
    window: Option<u64>,
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    toml::from_str(include_str!("prices.toml")).expect("the list of prices is read by a test")
});

/// What a model costs at a provider, also under a name with a date (`gpt-5.4-2026-03-05`).
pub(crate) fn of(provider: Option<&str>, model: &str) -> Option<Listed> {
    let lines = LIST.providers.get(provider?)?;
    let line = lines.get(model).or_else(|| lines.get(undated(model)))?;
    let millionths = |dollars: f64| (dollars * 1e6).round() as u64;
    let input = millionths(line.input);
    let cached = line.cached.map_or(input, millionths);
    let price = Price { input, cached, output: millionths(line.output) };
    Some(Listed { price, window: line.window })
}

/// When the prices were written down: `2026-11-16`.
pub fn prices_listed_on() -> &'static str {
    &LIST.date
}

impl Price {
    /// What so many tokens cost, in millionths of a US dollar, rounded up: a cap must not be passed by rounding.
    pub fn cost(&self, tokens: Tokens) -> u64 {
        let fresh = tokens.input.saturating_sub(tokens.cached);
        let parts =
            [(fresh, self.input), (tokens.cached, self.cached), (tokens.output, self.output)];
        let sum: u128 =
            parts.iter().map(|(count, price)| u128::from(*count) * u128::from(*price)).sum();
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// A name without the date that vendors put behind it.
fn undated(model: &str) -> &str {
    let dated = |text: &str| {
        let digits = text.chars().filter(char::is_ascii_digit).count();
        digits == 8 && text.chars().all(|letter| letter.is_ascii_digit() || letter == '-')
    };
    let ends = [model.len().checked_sub(11), model.len().checked_sub(9)];
    let found = ends.into_iter().flatten().find(|&end| {
        model.is_char_boundary(end) && model[end..].starts_with('-') && dated(&model[end + 1..])
    });
    found.map_or(model, |end| &model[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_sensible() {
        assert_eq!(prices_listed_on().len(), 10);
        assert_eq!(LIST.providers.keys().collect::<Vec<_>>(), ["anthropic", "gemini", "openai"]);
        for (provider, lines) in &LIST.providers {
            for (model, line) in lines {
                let cached = line.cached.unwrap_or(line.input);
                let sensible = 0.0 < cached && cached <= line.input && line.input < line.output;
                assert!(sensible && line.output < 1000.0, "{provider}:{model}");
            }
        }
    }

    #[test]
    fn a_name_with_a_date_costs_what_the_name_costs() {
        let check = |provider, model, expected: Option<u64>| {
            let found = of(Some(provider), model).map(|listed| listed.price.output);
            assert_eq!(found, expected, "{provider}:{model}");
        };
        check("openai", "gpt-5.4", Some(15_000_000));
        check("openai", "gpt-5.4-2026-03-05", Some(15_000_000));
        check("anthropic", "claude-haiku-4-5-20251001", Some(5_000_000));
        check("openai", "gpt-5.4-mini-2026-03-17", Some(4_500_000));
        check("openai", "gpt-5.4-turbo", None);
        check("openai", "-2026-03-05", None);
        check("anthropic", "gpt-5.4", None);
        assert_eq!(of(None, "gpt-5.4"), None);
    }

    #[test]
    fn a_cost_counts_what_was_cached_and_rounds_up() {
        let price = Price { input: 2_000_000, cached: 200_000, output: 10_000_000 };
        let cost = |input, cached, output| price.cost(Tokens { input, cached, output });
        assert_eq!(cost(1_000_000, 0, 0), 2_000_000);
        assert_eq!(cost(1_000_000, 500_000, 100_000), 1_000_000 + 100_000 + 1_000_000);
        assert_eq!(cost(0, 1, 0), 1);
        assert_eq!(cost(u64::MAX, 0, u64::MAX), u64::MAX);
    }
}
