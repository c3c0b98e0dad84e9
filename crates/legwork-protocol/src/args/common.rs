//! Arguments that several tools share: spans of time, what to observe, one or many.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// What a reply shows of the page after an action.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Observe {
    /// Nothing.
    None,
    /// What changed; a new document in full.
    #[default]
    Change,
    /// The whole page.
    Full,
}

/// A span of time, written `500ms`, `15s` or `2m`. A bare number is milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub Duration);

impl Span {
    /// The longest that may be asked for: what waits longer has been forgotten.
    pub const LONGEST: Duration = Duration::from_secs(60 * 60);

    /// Reads a span as people write it.
    pub fn parse(text: &str) -> Result<Span, String> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unreadable = || format!("{text:?} is no time span; write 500ms, 15s or 2m");
        let number: f64 = number.parse().map_err(|_| unreadable())?;
        let seconds = match unit.trim() {
            "" | "ms" => number / 1000.0,
            "s" | "sec" | "seconds" => number,
            "m" | "min" | "minutes" => number * 60.0,
            "h" => number * 3600.0,
            _ => return Err(unreadable()),
        };
        if seconds > Span::LONGEST.as_secs_f64() {
            return Err(format!("{text} is too long; at most 1h"));
        }
        Duration::try_from_secs_f64(seconds).map(Span).map_err(|_| unreadable())
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{}ms", self.0.as_millis()))
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Span;
            fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
                out.write_str("a time span such as \"15s\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Span, E> {
                Span::parse(text).map_err(E::custom)
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Span, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Span, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Span, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Span".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// One thing, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OneOrMany(pub Vec<String>);

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OneOrMany, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a string or a list of strings")]
        enum Either {
            One(String),
            Many(Vec<String>),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::One(one) => OneOrMany(vec![one]),
            Either::Many(many) => OneOrMany(many),
        })
    }
}

impl JsonSchema for OneOrMany {
    fn schema_name() -> Cow<'static, str> {
        "OneOrMany".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
    }

    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        for (text, expected) in [
            ("500ms", Some(500)),
            ("15s", Some(15_000)),
            ("1.5s", Some(1_500)),
            ("2m", Some(120_000)),
            ("250", Some(250)),
            ("1h", Some(3_600_000)),
            ("2h", None),
            ("-1s", None),
            ("soon", None),
            ("", None),
            ("15 parsecs", None),
            ("1.2.3s", None),
        ] {
            let read = Span::parse(text).ok().map(|span| span.0.as_millis());
            assert_eq!(read, expected, "{text}");
        }
    }
}
