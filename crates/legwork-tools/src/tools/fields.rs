//! Fields of a form: which one a label means, and whether a value suits it. Touches nothing.

use std::time::Duration;

use legwork_engine::{Condition, Item, Page, Target};
use legwork_protocol::{Code, FormFields, FormValue, Submit, ToolError};

use super::target;
use crate::answer::MASKED;
use crate::failure::from_engine;
use crate::secrets::has_secret;

/// Kinds of fields that take only what is written in one way and within limits, which the page is asked about.
const PICKED: [&str; 8] =
    ["number", "range", "date", "time", "month", "week", "datetime-local", "color"];

/// A field that was found, and what it is to hold.
pub(crate) struct Planned {
    /// As the caller called it.
    pub(crate) name: String,
    pub(crate) target: Target,
    pub(crate) reference: String,
    pub(crate) value: FormValue,
    /// The choice that is meant, where the name is that of a group.
    pub(crate) choice: Option<String>,
    /// The choice of its group that was taken before, where it is one of several.
    pub(crate) other: Option<String>,
    /// Its value is not to be told.
    pub(crate) secret: bool,
    /// It takes a file.
    pub(crate) is_file: bool,
    /// The button that sends its form.
    pub(crate) submit: Option<String>,
}

/// Finds every field and checks every value; all mistakes are told at once.
pub(crate) async fn plan(page: &Page, fields: &FormFields) -> Result<Vec<Planned>, ToolError> {
    let mut plan = Vec::new();
    let mut faults: Vec<ToolError> = Vec::new();
    for (name, value) in &fields.0 {
        match planned(page, name, value).await {
            Ok(planned) => plan.push(planned),
            Err(error) => faults.push(error),
        }
    }
    let Some(first) = faults.first().cloned() else { return Ok(plan) };
    let told: Vec<String> = faults.into_iter().map(|fault| fault.message).collect();
    Err(ToolError { message: format!("{}\n(nothing was filled)", told.join("\n")), ..first })
}

/// The field that is called this, which can hold the value.
async fn planned(page: &Page, name: &str, value: &FormValue) -> Result<Planned, ToolError> {
    let item = find(page, name, value).await?;
    let other = other_choice(page, &item).await;
    let kind = item.kind.clone().unwrap_or_default();
    let planned = suit(name, item, value)?;
    if PICKED.contains(&kind.as_str()) && !has_secret(&value.text()) {
        let text = value.text();
        let asked = page.expects_instead(&planned.target, text.trim(), Duration::from_secs(5));
        if let Some(takes) = asked.await.map_err(from_engine)? {
            return Err(wrong(name, &takes, value));
        }
    }
    Ok(Planned { other, ..planned })
}

/// The button that sends a filled form: the one named, or the form's own. Without one, Enter does.
pub(crate) fn button(submit: &Submit, plan: &[Planned]) -> Option<String> {
    match submit {
        Submit::Button(name) => Some(name.clone()),
        Submit::Own(_) => plan.iter().rev().find_map(|field| field.submit.clone()),
    }
}

/// The field that is called this, waited for shortly if it is not there yet (W5).
async fn find(page: &Page, name: &str, value: &FormValue) -> Result<Item, ToolError> {
    let mut found = look(page, name, value).await?;
    if found.is_empty() {
        let soon = Duration::from_secs(1);
        let appears = Condition::Attached(target(name)?);
        if page.wait(&appears, soon).await.is_ok() {
            found = look(page, name, value).await?;
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(ToolError::new(Code::NotFound, format!("no field is called {name:?}"))
            .with_hint("browser_snapshot(interactive: true) lists the fields")),
        _ => {
            let listed: Vec<String> = found.iter().take(8).map(described).collect();
            let message = format!("{name:?} is the name of {}", listed.join("; "));
            Err(ToolError::new(Code::Ambiguous, message).with_hint("use a ref for that field"))
        }
    }
}

/// Fields by what they are called, then by their name in the form, then as a group of choices.
async fn look(page: &Page, name: &str, value: &FormValue) -> Result<Vec<Item>, ToolError> {
    let target = target(name)?;
    let plain = matches!(target, Target::Words(_));
    let mut named = fields(page, &target).await?;
    if plain && named.len() > 1 {
        let same = |item: &Item| bare(&item.name) == bare(name);
        let exact: Vec<Item> = named.iter().filter(|item| same(item)).cloned().collect();
        if !exact.is_empty() {
            named = exact;
        }
    }
    if !named.is_empty() || !plain {
        return Ok(named);
    }
    let quoted = serde_json::to_string(name).unwrap_or_default();
    let css = format!("[name={quoted}], [placeholder={quoted}], [id={quoted}]");
    let by_attribute = fields(page, &Target::Css(css)).await?;
    let choices = |item: &Item| matches!(item.kind.as_deref(), Some("radio" | "checkbox"));
    if !by_attribute.is_empty() && !by_attribute.iter().all(choices) {
        return Ok(by_attribute);
    }
    // The label names a group, and the value one of its choices.
    let among = match by_attribute.is_empty() {
        true => fields(page, &Target::Words(format!("{} in {name}", value.text()))).await?,
        false => by_attribute,
    };
    let wanted = bare(&value.text());
    let own = |item: &Item| item.attributes.get("value").is_some_and(|own| bare(own) == wanted);
    let meant = |item: &Item| choices(item) && (bare(&item.name) == wanted || own(item));
    Ok(among.into_iter().filter(meant).collect())
}

async fn fields(page: &Page, target: &Target) -> Result<Vec<Item>, ToolError> {
    let found = page.query(target, 30).await.map_err(from_engine)?;
    Ok(found.items.into_iter().filter(|item| item.kind.is_some()).collect())
}

/// The radio button of the same group that is chosen now, to be chosen again by whoever takes it back.
async fn other_choice(page: &Page, item: &Item) -> Option<String> {
    let group = item.attributes.get("name").filter(|_| item.kind.as_deref() == Some("radio"))?;
    let quoted = serde_json::to_string(group).ok()?;
    let css = format!("input[type=radio][name={quoted}]:checked");
    let found = page.query(&Target::Css(css), 2).await.ok()?;
    match found.items.as_slice() {
        [one] => Some(one.reference.clone()),
        _ => None,
    }
}

/// A label without the marks that surround it.
fn bare(label: &str) -> String {
    label.trim().trim_end_matches(['*', ':']).trim().to_lowercase()
}

fn described(item: &Item) -> String {
    format!("{} {:?} {}", item.role, item.name, item.reference)
}

/// Checks that the field can hold the value.
fn suit(name: &str, item: Item, value: &FormValue) -> Result<Planned, ToolError> {
    let kind = item.kind.as_deref().unwrap_or_default();
    // Where a label names a group, its choice is what gets checked.
    let chosen = matches!(kind, "radio" | "checkbox") && bare(&item.name) != bare(name);
    let named = takes_secret(name, kind, value)?;
    let suited = match (kind, value) {
        (_, value) if named => value.clone(),
        ("checkbox" | "radio" | "switch", FormValue::Text(_)) if chosen => FormValue::Checked(true),
        ("checkbox" | "radio" | "switch", value) => match checked(value) {
            Some(on) => FormValue::Checked(on),
            None => return Err(wrong(name, "true or false", value)),
        },
        ("select", FormValue::Text(_) | FormValue::Options(_)) => {
            if let Some(missing) = missing_option(&item.options, value) {
                let listed = item.options.iter().take(30).cloned().collect::<Vec<_>>().join(", ");
                let message = format!("{name:?} has no option {missing:?}; it has {listed}");
                return Err(ToolError::new(Code::NotFound, message));
            }
            value.clone()
        }
        _ => match unsuitable(kind, value) {
            Some(takes) => return Err(wrong(name, takes, value)),
            None => value.clone(),
        },
    };
    if !item.enabled {
        let message = format!("{name:?} ({}) is disabled", described(&item));
        return Err(ToolError::new(Code::NotActionable, message));
    }
    Ok(Planned {
        is_file: kind == "file",
        secret: named || kind == "password" || item.value.as_deref() == Some(MASKED),
        choice: chosen.then(|| value.text()),
        other: None,
        name: name.to_owned(),
        target: Target::parse(&item.reference),
        reference: item.reference,
        value: suited,
        submit: item.submit,
    })
}

/// Whether the value names a secret, which is refused where none can be entered. What it is, is not known
/// yet: the field is asked when it is entered.
fn takes_secret(name: &str, kind: &str, value: &FormValue) -> Result<bool, ToolError> {
    let named = has_secret(&value.text());
    match (kind, value) {
        _ if !named => Ok(false),
        ("checkbox" | "radio" | "switch" | "file", _) => {
            Err(ToolError::invalid(format!("{name:?} takes no secret")))
        }
        (_, FormValue::Options(_)) => {
            Err(ToolError::invalid("a secret can be chosen by itself only"))
        }
        _ => Ok(true),
    }
}

fn wrong(name: &str, takes: &str, value: &FormValue) -> ToolError {
    ToolError::invalid(format!("{name:?} takes {takes}, not {:?}", value.text()))
}

/// What a field of this kind takes instead, if it does not take the value.
fn unsuitable(kind: &str, value: &FormValue) -> Option<&'static str> {
    let text = value.text();
    let lacks = |sign: char| !text.is_empty() && !text.contains(sign);
    match (kind, value) {
        // Nothing at all empties the field.
        ("number" | "date", FormValue::Text(text)) if text.is_empty() => None,
        ("number" | "range", _) if text.trim().parse::<f64>().is_err() => Some("a number"),
        ("date", _) if !is_shaped(&text, "dddd-dd-dd") => Some("a date such as 2026-11-30"),
        ("time", _) if lacks(':') => Some("a time such as 14:30"),
        ("email", _) if lacks('@') => Some("an email address"),
        ("url", _) if lacks(':') => Some("an address such as https://example.com"),
        (_, FormValue::Checked(_)) => Some("text"),
        ("combobox" | "listbox", FormValue::Options(_)) => None,
        (_, FormValue::Options(_)) => Some("one value"),
        _ => None,
    }
}

fn checked(value: &FormValue) -> Option<bool> {
    match value {
        FormValue::Checked(on) => Some(*on),
        FormValue::Text(text) => match text.trim().to_lowercase().as_str() {
            "true" | "on" | "yes" | "checked" => Some(true),
            "false" | "off" | "no" | "unchecked" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn missing_option(options: &[String], value: &FormValue) -> Option<String> {
    let wanted = match value {
        FormValue::Options(wanted) => wanted.clone(),
        other => vec![other.text()],
    };
    let known = |wanted: &String| options.iter().any(|option| bare(option) == bare(wanted));
    wanted.into_iter().find(|wanted| !known(wanted))
}

/// Whether a text has this shape, `d` standing for a digit.
fn is_shaped(text: &str, shape: &str) -> bool {
    let text = text.trim();
    text.len() == shape.len()
        && text.chars().zip(shape.chars()).all(|(letter, wanted)| match wanted {
            'd' => letter.is_ascii_digit(),
            other => letter == other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: &str, options: &[&str]) -> Item {
        serde_json::from_value(serde_json::json!({
            "ref": "e1", "name": "Field", "box": { "x": 0.0, "y": 0.0, "width": 1.0, "height": 1.0 },
            "control": true, "visible": true, "enabled": true, "kind": kind, "options": options,
        }))
        .unwrap()
    }

    #[test]
    fn values_are_checked_against_the_field() {
        let text = |text: &str| FormValue::Text(text.to_owned());
        for (kind, value, suits) in [
            ("text", text("x"), true),
            ("text", FormValue::Checked(true), false),
            ("checkbox", FormValue::Checked(true), true),
            ("checkbox", text("yes"), true),
            ("checkbox", text("maybe"), false),
            ("number", text("12.5"), true),
            ("number", FormValue::Number(3.0), true),
            ("number", text("many"), false),
            ("date", text("2026-11-30"), true),
            ("date", text("30.11.2026"), false),
            ("time", text("14:30"), true),
            ("time", text("noon"), false),
            ("email", text("a@b.c"), true),
            ("email", text("nobody"), false),
            ("url", text("example"), false),
            ("select", text("red "), true),
            ("select", text("blue"), false),
            ("select", FormValue::Options(vec!["Red".into(), "Green".into()]), true),
            ("textarea", FormValue::Options(vec!["a".into()]), false),
        ] {
            let planned = suit("Field", item(kind, &["Red", "Green"]), &value);
            assert_eq!(planned.is_ok(), suits, "{kind} {value:?}");
        }
    }
}
