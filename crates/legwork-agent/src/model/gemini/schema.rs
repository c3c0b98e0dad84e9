//! A JSON Schema in the words that Gemini reads: one type each, nothing that only Rust or another vendor means.
//! <https://ai.google.dev/gemini-api/docs/structured-output>

use serde_json::{Map, Value};

use super::super::schema;

/// The schema in portable words.
pub(super) fn portable(schema: &Map<String, Value>) -> Map<String, Value> {
    if let Some(only) = only_choice(schema) {
        let mut merged = portable(only);
        if let Some(about) = schema.get("description") {
            merged.insert("description".into(), about.clone());
        }
        return merged;
    }
    let mut said = Map::new();
    for (name, value) in schema {
        match name.as_str() {
            "$schema" | "default" | "examples" | "nullable" => {}
            // Rust's sizes of numbers.
            "format" if !is_string(schema) => {}
            "type" => drop(said.insert(name.clone(), one_type(value))),
            "const" => drop(said.insert("enum".into(), Value::Array(vec![value.clone()]))),
            "properties" | "$defs" => {
                drop(said.insert(name.clone(), schema::each(value, portable)))
            }
            "items" => drop(said.insert(name.clone(), schema::one(value, portable))),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let name = if name == "oneOf" { "anyOf" } else { name };
                said.insert(name.into(), schema::list(value, portable));
            }
            _ => drop(said.insert(name.clone(), value.clone())),
        }
    }
    said
}

/// What is left of a choice between something and nothing: in an object, what may be left out is not required.
fn only_choice(schema: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
    let is_null = |choice: &&Value| choice["type"] == "null";
    let mut rest = choices.iter().filter(|choice| !is_null(choice));
    match (rest.next(), rest.next()) {
        (Some(only), None) if choices.len() > 1 => only.as_object(),
        _ => None,
    }
}

/// `["integer", "null"]` is not understood everywhere.
fn one_type(kind: &Value) -> Value {
    let Some(kinds) = kind.as_array() else { return kind.clone() };
    let first = kinds.iter().find(|kind| *kind != "null");
    first.cloned().unwrap_or_else(|| "string".into())
}

fn is_string(schema: &Map<String, Value>) -> bool {
    schema.get("type").map(one_type).is_some_and(|kind| kind == "string")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_are_said_in_words_that_gemini_reads() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "count": { "type": ["integer", "null"], "format": "uint32", "minimum": 0 },
                "day": { "type": ["string", "null"], "format": "date" },
                "how": { "description": "The way", "anyOf": [{ "$ref": "#/$defs/Way" }, { "type": "null" }] },
                "kind": { "const": "a" },
                "both": { "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": ["string"] } }] }
            },
            "required": ["count"],
            "$defs": { "Way": { "type": "string", "enum": ["x"], "default": "x" } }
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "count": { "type": "integer", "minimum": 0 },
                "day": { "type": "string", "format": "date" },
                "how": { "$ref": "#/$defs/Way", "description": "The way" },
                "kind": { "enum": ["a"] },
                "both": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }
            },
            "required": ["count"],
            "$defs": { "Way": { "type": "string", "enum": ["x"] } }
        });
        assert_eq!(Value::Object(portable(schema.as_object().unwrap())), expected);
    }
}
