//! The types of the assistant's messages in TypeScript, `ui/src/protocol.ts`, made from the schemas of the
//! Rust ones so that the two cannot drift. A schema that this does not know is an error, never an `any`.

use std::fmt::Write;

use anyhow::{Context, bail, ensure};
use legwork_protocol::assistant::Message;
use serde_json::{Map, Value};

use crate::repository::Repository;

const PLACE: &str = "ui/src/protocol.ts";

/// Where `scripts/setup` puts the compiler.
const COMPILER: &str = ".cache/typescript/node_modules/.bin/tsc";

const HEAD: &str = "// Made by `cargo xtask types --write` from `legwork_protocol::assistant`. Change the Rust types instead.\n\
                    //\n\
                    // A property with a question mark may be left out.\n";

type Schema = Map<String, Value>;

/// Checks that the types say what the messages are; `--write` writes them.
pub fn check(repository: &Repository, arguments: &[String]) -> anyhow::Result<()> {
    let text = types(&serde_json::to_value(schemars::schema_for!(Message))?)?;
    if arguments.iter().any(|argument| argument == "--write") {
        std::fs::create_dir_all(repository.path("ui/src")).context("ui/src cannot be made")?;
        let written = std::fs::write(repository.path(PLACE), text);
        written.with_context(|| format!("{PLACE} cannot be written"))?;
        eprintln!("{PLACE} is written.");
        return Ok(());
    }
    let same = repository.read(PLACE).is_ok_and(|written| written == text);
    ensure!(same, "{PLACE} is out of date; run `cargo xtask types --write`");
    let there = repository.path(COMPILER).exists();
    ensure!(there, "TypeScript is missing; `scripts/setup --tests` gets it");
    repository.run(COMPILER, ["--strict", "--noEmit", PLACE])?;
    eprintln!("{PLACE} says what the messages are, and TypeScript reads it.");
    Ok(())
}

/// The schema and those it refers to, one type each.
fn types(schema: &Value) -> anyhow::Result<String> {
    let schema = schema.as_object().context("the schema is no object")?;
    let title = schema.get("title").and_then(Value::as_str).context("the schema has no title")?;
    let mut text = HEAD.to_owned();
    let others = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    let named = others.map(|(name, one)| (name.as_str(), one.as_object()));
    for (name, one) in std::iter::once((title, Some(schema))).chain(named) {
        let one = one.with_context(|| format!("{name} is no object"))?;
        let written = written(one, 0).with_context(|| name.to_owned())?;
        // Choices begin on a line of their own.
        let space = if written.starts_with('\n') { "" } else { " " };
        let _ = write!(text, "\n{}export type {name} ={space}{written};\n", about(one, 0));
    }
    Ok(text)
}

/// What a schema says of itself, as a comment in front of it.
fn about(schema: &Schema, depth: usize) -> String {
    let Some(about) = schema.get("description").and_then(Value::as_str) else {
        return String::new();
    };
    let lines: Vec<&str> = about.split_whitespace().collect();
    format!("{}/** {} */\n", indent(depth), lines.join(" ").replace("*/", "* /"))
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// A schema as an expression of TypeScript.
fn written(schema: &Schema, depth: usize) -> anyhow::Result<String> {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.strip_prefix("#/$defs/").with_context(|| format!("{name} is elsewhere"))?;
        return Ok(name.to_owned());
    }
    let own = own(schema, depth)?;
    let choices = ["oneOf", "anyOf"].into_iter().find_map(|word| schema.get(word)?.as_array());
    let Some(choices) = choices else {
        return own.with_context(|| format!("not known: {}", Value::Object(schema.clone())));
    };
    let choices = union(choices, depth)?;
    Ok(match own {
        Some(own) => format!("{own} & ({choices}\n{})", indent(depth)),
        None => choices,
    })
}

/// One of several, each with what is said of it.
fn union(choices: &[Value], depth: usize) -> anyhow::Result<String> {
    let mut text = String::new();
    for choice in choices {
        let choice = choice.as_object().context("a choice is no object")?;
        let place = indent(depth + 1);
        let about = about(choice, depth + 1);
        let _ = write!(text, "\n{about}{place}| {}", written(choice, depth + 1)?);
    }
    Ok(text)
}

/// What a schema says without its choices; nothing if it says nothing.
fn own(schema: &Schema, depth: usize) -> anyhow::Result<Option<String>> {
    if let Some(value) = schema.get("const") {
        return Ok(Some(value.to_string()));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return Ok(Some(values.join(" | ")));
    }
    let kinds: Vec<&str> = match schema.get("type") {
        None => return Ok(None),
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(other) => bail!("the type {other} is not known"),
    };
    let each = kinds.into_iter().map(|kind| of_kind(kind, schema, depth));
    Ok(Some(each.collect::<anyhow::Result<Vec<_>>>()?.join(" | ")))
}

fn of_kind(kind: &str, schema: &Schema, depth: usize) -> anyhow::Result<String> {
    Ok(match kind {
        "string" | "boolean" | "null" => kind.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let items =
                schema.get("items").and_then(Value::as_object).context("a list of what?")?;
            format!("Array<{}>", written(items, depth)?)
        }
        "object" => object(schema, depth)?,
        other => bail!("the type {other:?} is not known"),
    })
}

fn object(schema: &Schema, depth: usize) -> anyhow::Result<String> {
    if let Some(Value::Object(values)) = schema.get("additionalProperties") {
        return Ok(format!("Record<string, {}>", written(values, depth)?));
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let mut text = String::from("{\n");
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let property = property.as_object().with_context(|| format!("{name} is no object"))?;
        let (mark, property) = match is_required(name) {
            true => ("", property.clone()),
            false => ("?", without_null(property)),
        };
        let kind = written(&property, depth + 1).with_context(|| name.clone())?;
        let place = indent(depth + 1);
        let _ = writeln!(text, "{}{place}{name}{mark}: {kind};", about(&property, depth + 1));
    }
    let _ = write!(text, "{}}}", indent(depth));
    Ok(text)
}

/// What may be left out is left out; it is never sent as `null`.
fn without_null(property: &Schema) -> Schema {
    let mut property = property.clone();
    if let Some(Value::Array(kinds)) = property.get_mut("type") {
        kinds.retain(|kind| kind != "null");
    }
    if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if let [one] = choices.as_slice()
            && let Some(Value::String(name)) = one.get("$ref").cloned()
        {
            property.remove("anyOf");
            property.insert("$ref".to_owned(), name.into());
        }
    }
    property
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_form_of_a_schema_has_its_type() {
        for (schema, expected) in [
            (json!({ "type": "integer", "format": "uint32" }), "number"),
            (json!({ "type": ["string", "null"] }), "string | null"),
            (json!({ "$ref": "#/$defs/Task" }), "Task"),
            (json!({ "const": "x" }), "\"x\""),
            (json!({ "enum": ["a", "b"] }), "\"a\" | \"b\""),
            (json!({ "type": "array", "items": { "$ref": "#/$defs/Task" } }), "Array<Task>"),
            (
                json!({ "type": "object", "additionalProperties": { "type": "string" } }),
                "Record<string, string>",
            ),
            (
                json!({ "type": "object", "required": ["a"], "properties": {
                    "a": { "type": "boolean" },
                    "b": { "anyOf": [{ "$ref": "#/$defs/B" }, { "type": "null" }], "description": "Why." },
                } }),
                "{\n  a: boolean;\n  /** Why. */\n  b?: B;\n}",
            ),
        ] {
            let schema = schema.as_object().unwrap();
            assert_eq!(written(schema, 0).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for schema in [json!({}), json!({ "type": "tuple" }), json!({ "allOf": [] })] {
            assert!(written(schema.as_object().unwrap(), 0).is_err(), "{schema}");
        }
    }
}
