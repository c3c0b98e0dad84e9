//! A JSON Schema as structured outputs take it: closed objects, and no keyword that the server does not enforce.
//! <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>

use serde_json::{Map, Value};

use super::super::schema;

/// What the server knows of a schema. The rest is told in its description, for the model to read.
const KNOWN: &[&str] = &[
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "items",
    "anyOf",
    "allOf",
    "$ref",
    "$defs",
    "title",
    "description",
    "additionalProperties",
    "$schema",
];

/// Formats of strings that the server knows.
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// The schema as the vendor's own SDK would write it: every object closed, one way to say each thing.
pub(super) fn closed(schema: &Map<String, Value>) -> Value {
    let mut closed = Map::new();
    let mut beyond = Vec::new();
    let literal = schema.contains_key("enum") || schema.contains_key("const");
    let chosen = ["anyOf", "oneOf", "allOf"].iter().any(|key| schema.contains_key(*key));
    let elsewhere = schema.contains_key("$ref");
    for (name, value) in schema {
        match name.as_str() {
            "$schema" | "additionalProperties" | "default" => {}
            "$defs" => drop(closed.insert(name.clone(), schema::each(value, self::closed))),
            // What is described elsewhere is described there.
            name if elsewhere && name != "$ref" => {}
            "type" if literal || chosen => {}
            "properties" => drop(closed.insert(name.clone(), schema::each(value, self::closed))),
            "items" => drop(closed.insert(name.clone(), schema::one(value, self::closed))),
            "anyOf" | "allOf" => {
                drop(closed.insert(name.clone(), schema::list(value, self::closed)))
            }
            "oneOf" => drop(closed.insert("anyOf".into(), schema::list(value, self::closed))),
            "format" if FORMATS.iter().any(|known| value == known) => {
                closed.insert(name.clone(), value.clone());
            }
            "minItems" if value.as_u64().is_some_and(|least| least <= 1) => {
                closed.insert(name.clone(), value.clone());
            }
            known if KNOWN.contains(&known) => drop(closed.insert(name.clone(), value.clone())),
            _ => beyond.push(format!("{name}: {value}")),
        }
    }
    if closed.get("type").is_some_and(|kind| kind == "object") {
        closed.insert("additionalProperties".into(), false.into());
        closed.entry("properties").or_insert_with(|| Map::new().into());
    }
    if !beyond.is_empty() {
        let before = closed.get("description").and_then(Value::as_str).unwrap_or_default();
        let told = format!("{before} ({})", beyond.join(", ")).trim_start().to_string();
        closed.insert("description".into(), told.into());
    }
    Value::Object(closed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_closed_and_what_the_server_does_not_know_is_told_in_words() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "age": { "type": "integer", "minimum": 1, "description": "In years" },
                "when": { "type": "string", "format": "date" },
                "which": { "oneOf": [{ "type": "null" }, { "type": "object", "properties": {} }] },
                "tags": { "type": "array", "minItems": 1, "maxItems": 3, "items": { "$ref": "#/$defs/Tag" } }
            },
            "required": ["age"],
            "$defs": { "Tag": { "type": "string", "format": "regex", "default": "x" } }
        });
        let expected = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "age": { "type": "integer", "description": "In years (minimum: 1)" },
                "when": { "type": "string", "format": "date" },
                "which": { "anyOf": [
                    { "type": "null" }, { "type": "object", "properties": {}, "additionalProperties": false }
                ] },
                "tags": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/Tag" }, "description": "(maxItems: 3)" }
            },
            "required": ["age"],
            "$defs": { "Tag": { "type": "string", "description": "(format: \"regex\")" } }
        });
        assert_eq!(closed(schema.as_object().unwrap()), expected);
    }
}
