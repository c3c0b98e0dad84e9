//! The JSON Schema of arguments, as short as it can be said: models read it with every request.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of a type without what readers do not need: titles, formats, null as a type.
pub(crate) fn of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    match schema {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn tidy(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for word in ["title", "$schema", "format", "default", "minimum", "maximum"] {
        map.remove(word);
    }
    drop_null(map);
    collapse_enum(map);
    state_default(map);
    map.remove("additionalProperties");
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        for property in properties.values_mut() {
            tidy(property);
            leave_to_whole(property);
        }
    }
    let is_described = map.contains_key("description");
    if let Some(items) = map.get_mut("items") {
        tidy(items);
        // What an item is, its list has said.
        if let Value::Object(item) = items
            && (is_described || item.contains_key("enum"))
        {
            item.remove("description");
        }
    }
}

/// What the members of an argument are, its own description has said.
fn leave_to_whole(argument: &mut Value) {
    if argument.get("description").is_none() {
        return;
    }
    for members in ["/properties", "/items/properties"] {
        let Some(Value::Object(members)) = argument.pointer_mut(members) else { continue };
        for member in members.values_mut().filter_map(Value::as_object_mut) {
            member.remove("description");
        }
    }
}

/// An option is what it holds: that it may be left out, `required` says.
fn drop_null(map: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = map.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [one] = &kinds[..] {
            map["type"] = one.clone();
        }
    }
    let Some(Value::Array(choices)) = map.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type") != Some(&Value::from("null")));
    if let [Value::Object(one)] = &mut choices[..] {
        let one = std::mem::take(one);
        map.remove("anyOf");
        for (word, value) in one {
            map.entry(word).or_insert(value);
        }
    }
}

/// A description that is nothing but a default is said by the word that schemas have for it.
fn state_default(map: &mut Map<String, Value>) {
    let said = map.get("description").and_then(Value::as_str).unwrap_or_default();
    let Some(value) = said.strip_prefix("Default ").filter(|value| !value.contains(' ')) else {
        return;
    };
    let value = match map.get("type").and_then(Value::as_str) {
        Some("string") => Value::from(value),
        Some("integer") => match value.parse::<i64>() {
            Ok(number) => Value::from(number),
            Err(_) => return,
        },
        _ => return,
    };
    map.remove("description");
    map.insert("default".into(), value);
}

/// Named values, one after the other.
fn collapse_enum(map: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = map.get("oneOf") else { return };
    let mut names = Vec::new();
    for choice in choices {
        match (choice.get("const"), choice.get("enum")) {
            (Some(name), _) => names.push(name.clone()),
            (_, Some(Value::Array(several))) => names.extend(several.iter().cloned()),
            _ => return,
        }
    }
    map.remove("oneOf");
    map.insert("type".into(), "string".into());
    map.insert("enum".into(), names.into());
}
