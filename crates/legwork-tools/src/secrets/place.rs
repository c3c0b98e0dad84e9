//! Where secrets stand in a call: names in texts that are entered in fields, and nowhere else.

use legwork_protocol::{Action, FormValue, ToolError};
use serde_json::Value;

const OPENED: &str = "{{secret:";

/// Whether this may be the name of a secret.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

/// Whether a text names a secret, in whatever spelling.
pub(crate) fn has_secret(text: &str) -> bool {
    text.match_indices("{{").any(|(at, _)| {
        let inside = text[at..].trim_start_matches('{').trim_start();
        inside.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("secret"))
    })
}

/// The secrets a text names, each once. What was meant as one and is spelt otherwise is refused: it would
/// be typed as it stands.
pub(super) fn names_in(text: &str) -> Result<Vec<String>, ToolError> {
    let mut names: Vec<String> = Vec::new();
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPENED) {
        left.push_str(before);
        let named = after.split_once("}}").filter(|(name, _)| is_name(name));
        let Some((name, behind)) = named else { return Err(misspelt()) };
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        left.push(' ');
        rest = behind;
    }
    left.push_str(rest);
    if has_secret(&left) { Err(misspelt()) } else { Ok(names) }
}

fn misspelt() -> ToolError {
    ToolError::invalid("a secret is written {{secret:NAME}}, without spaces")
}

/// The secrets a call would enter. A call that has one where no field is filled is refused.
pub(crate) fn names(action: &Action) -> Result<Vec<String>, ToolError> {
    let entered = entered(action);
    let mut names = Vec::new();
    for text in &entered {
        for name in names_in(text)? {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut anywhere = 0;
    count(&action.arguments(), &mut anywhere);
    let in_fields = entered.iter().filter(|text| has_secret(text)).count();
    if anywhere == in_fields {
        return Ok(names);
    }
    let tool = action.tool();
    let error = ToolError::invalid(format!(
        "a secret is only for text that {tool} enters in a field: not for addresses, targets, scripts, keys or files"
    ));
    Err(error.with_hint("use {{secret:NAME}} in browser_type, browser_fill_form or browser_select"))
}

/// The texts of a call that are entered in fields.
fn entered(action: &Action) -> Vec<String> {
    match action {
        Action::Type(one) => vec![one.text.clone()],
        Action::Select(one) => one.option.0.clone(),
        Action::HandleDialog(one) => one.text.iter().cloned().collect(),
        Action::FillForm(form) => {
            form.fields.0.iter().flat_map(|(_, value)| texts(value)).collect()
        }
        _ => Vec::new(),
    }
}

fn texts(value: &FormValue) -> Vec<String> {
    match value {
        FormValue::Text(text) => vec![text.clone()],
        FormValue::Options(options) => options.clone(),
        FormValue::Checked(_) | FormValue::Number(_) => Vec::new(),
    }
}

/// Counts the texts in which a secret is named, names of fields included.
fn count(value: &Value, found: &mut usize) {
    match value {
        Value::String(text) => *found += usize::from(has_secret(text)),
        Value::Array(items) => items.iter().for_each(|item| count(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, inner)| {
            *found += usize::from(has_secret(name));
            count(inner, found);
        }),
        _ => {}
    }
}
