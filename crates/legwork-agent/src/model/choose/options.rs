//! What is said of a model behind its name: `ollama:qwen3:8b?window=32768&vision=no`. Goes before the settings, so
//! that one line of configuration says all about a model.

use super::super::{ModelError, Price};
use super::{Calls, ModelSettings};

/// The name without what is said behind it, and the settings with it.
pub(super) fn read<'a>(
    name: &'a str,
    settings: &ModelSettings,
) -> Result<(&'a str, ModelSettings), ModelError> {
    let mut settings = settings.clone();
    let Some((name, options)) = name.split_once('?') else { return Ok((name, settings)) };
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        let known = match key {
            "vision" => yes_or_no(value).map(|yes| settings.vision = Some(yes)),
            "streaming" => yes_or_no(value).map(|yes| settings.streaming = yes),
            "window" => value.parse().ok().map(|tokens| settings.window = Some(tokens)),
            "calls" => calls(value).map(|calls| settings.calls = Some(calls)),
            "price" => price(value).map(|price| {
                settings.prices.insert(name.into(), price);
            }),
            _ => None,
        };
        if known.is_none() {
            return Err(ModelError::Unknown(format!(
                "{name}: {option:?} is not understood; {TAKES}"
            )));
        }
    }
    Ok((name, settings))
}

const TAKES: &str = "behind ? a model takes window=TOKENS, vision=yes|no, calls=native|schema, \
    price=INPUT/CACHED/OUTPUT in dollars for a million tokens, and streaming=yes|no";

fn yes_or_no(value: &str) -> Option<bool> {
    match value {
        "yes" | "true" | "" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

fn calls(value: &str) -> Option<Calls> {
    match value {
        "native" => Some(Calls::Native),
        "schema" => Some(Calls::Schema),
        _ => None,
    }
}

/// `2.50/0.25/15`, or `2.50/15` where nothing is cheaper for being cached.
fn price(value: &str) -> Option<Price> {
    let amounts = value.split('/').map(|amount| {
        let dollars: f64 = amount.parse().ok()?;
        (0.0..=100_000.0).contains(&dollars).then(|| (dollars * 1e6).round() as u64)
    });
    match amounts.collect::<Option<Vec<_>>>()?[..] {
        [input, output] => Some(Price { input, cached: input, output }),
        [input, cached, output] => Some(Price { input, cached, output }),
        _ => None,
    }
}
