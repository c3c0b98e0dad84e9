//! Going through a JSON Schema: the schemas within one, each made anew.

use serde_json::{Map, Value};

/// What makes a schema anew.
type Make<T> = fn(&Map<String, Value>) -> T;

/// A schema, made anew; what is none stays as it is.
pub(super) fn one<T: Into<Value>>(schema: &Value, make: Make<T>) -> Value {
    schema.as_object().map_or_else(|| schema.clone(), |schema| make(schema).into())
}

/// Every schema of a list.
pub(super) fn list<T: Into<Value>>(schemas: &Value, make: Make<T>) -> Value {
    let all = schemas.as_array().into_iter().flatten();
    all.map(|schema| one(schema, make)).collect::<Vec<_>>().into()
}

/// Every schema by its name.
pub(super) fn each<T: Into<Value>>(schemas: &Value, make: Make<T>) -> Value {
    let Some(named) = schemas.as_object() else { return schemas.clone() };
    let made = named.iter().map(|(name, schema)| (name.clone(), one(schema, make)));
    made.collect::<Map<_, _>>().into()
}
