//! The arguments of a call as models write them: JSON in a string, and not always JSON.

use serde_json::{Map, Value};

/// Reads the arguments of a call. An error is a sentence for the model. A call without any is written as
/// nothing at all by some.
pub(crate) fn read(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let wrong =
        |what: String| format!("The arguments were not a JSON object ({what}); nothing was done.");
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(other) => Err(wrong(format!("they were {}", kind(&other)))),
        Err(error) => Err(wrong(error.to_string())),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_arguments_is_a_sentence() {
        let said =
            |text: &str| read(text).map(|arguments| arguments.len()).map_err(|e| e.to_string());
        assert_eq!(said(""), Ok(0));
        assert_eq!(said(r#"{"a": 1}"#), Ok(1));
        assert!(said("[1]").unwrap_err().contains("they were a list"));
        assert!(said(r#""{}""#).unwrap_err().contains("a string"));
        assert!(said(r#"{"a": "#).unwrap_err().contains("EOF while parsing"));
    }
}
