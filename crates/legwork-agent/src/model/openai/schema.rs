//! Whether a JSON Schema is one that OpenAI enforces to the letter: every object closed, every property required.
//! <https://platform.openai.com/docs/guides/structured-outputs>

use serde_json::{Map, Value};

/// Keywords that the strict subset leaves out.
const BEYOND: &[&str] =
    &["allOf", "oneOf", "not", "if", "dependentRequired", "patternProperties", "default"];

/// Whether a schema may be marked strict.
pub(crate) fn is_strict(schema: &Map<String, Value>) -> bool {
    if BEYOND.iter().any(|keyword| schema.contains_key(*keyword)) {
        return false;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if properties.is_some() || schema.get("type").and_then(Value::as_str) == Some("object") {
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let required = schema.get("required").and_then(Value::as_array);
        let all = properties.into_iter().flat_map(Map::keys).all(|name| {
            required.is_some_and(|required| required.iter().any(|r| r.as_str() == Some(name)))
        });
        if !closed || !all {
            return false;
        }
    }
    parts(schema).all(is_strict)
}

/// The schemas inside a schema.
fn parts(schema: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let named = ["properties", "$defs", "definitions"];
    let named = named.into_iter().filter_map(|key| schema.get(key)?.as_object());
    let listed = ["anyOf", "prefixItems"].into_iter().filter_map(|key| schema.get(key)?.as_array());
    let single = schema.get("items").into_iter();
    named.flat_map(Map::values).chain(listed.flatten()).chain(single).filter_map(Value::as_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_closed_schemas_with_all_properties_required_are_strict() {
        let check = |schema: &str, expected: bool| {
            assert_eq!(is_strict(&serde_json::from_str(schema).unwrap()), expected, "{schema}");
        };
        check(r#"{"type":"string"}"#, true);
        check(r#"{"type":"object"}"#, false);
        check(r#"{"type":"object","properties":{},"additionalProperties":false}"#, true);
        let closed = r#"{"type":"object","properties":{"a":{"type":"array","items":ITEM}},"required":["a"],"additionalProperties":false}"#;
        check(&closed.replace("ITEM", r#"{"type":"string"}"#), true);
        check(&closed.replace("ITEM", r#"{"type":"object","properties":{"b":{}}}"#), false);
        check(&closed.replace("ITEM", r#"{"anyOf":[{"type":"null"},{"type":"object"}]}"#), false);
        check(&closed.replace("ITEM", r#"{"oneOf":[{"type":"null"}]}"#), false);
        check(&closed.replace(r#"["a"]"#, "[]").replace("ITEM", "{}"), false);
    }
}
