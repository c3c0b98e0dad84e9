//! Finding an element by the ways a recipe says. The first that leads to exactly one element of the same
//! role and kind counts. Guesses nothing: a place alone is no proof that the thing in it is the same.

use std::time::Duration;

use legwork_protocol::{Code, ToolError};
use serde::Deserialize;
use serde_json::json;

use super::Element;
use super::verify::arguments;
use crate::run::Hands;

/// How long an element is waited for that is not there yet.
const PATIENCE: Duration = Duration::from_secs(5);

/// An element that was found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Its ref.
    pub(super) reference: String,
    /// The way that led to it is not the first, or its name is another: it was found for all that.
    pub(super) healed: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Matches {
    count: usize,
    items: Vec<Item>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Item {
    #[serde(rename = "ref")]
    reference: String,
    role: String,
    name: String,
    text: String,
    kind: Option<String>,
    visible: bool,
}

/// The element, waited for shortly if no way leads to it yet; `None` if none does.
pub(super) async fn seek(
    element: &Element,
    hands: &mut dyn Hands,
) -> Result<Option<Found>, ToolError> {
    if let Seen { same: Some(found), .. } = look(element, hands).await? {
        return Ok(Some(found));
    }
    let Some(first) = element.find.first() else { return Ok(None) };
    let timeout = format!("{}ms", PATIENCE.as_millis());
    let wait =
        json!({ "target": first, "state": "attached", "timeout": timeout, "observe": "none" });
    match hands.call("browser_wait", arguments(wait)).await {
        // It may have come some other way meanwhile.
        Ok(_) | Err(ToolError { code: Code::Timeout | Code::NotFound | Code::Ambiguous, .. }) => {}
        Err(error) => return Err(error),
    }
    let Seen { same, renamed } = look(element, hands).await?;
    Ok(same.or(renamed))
}

/// What the ways lead to.
#[derive(Default)]
struct Seen {
    /// The element by its name.
    same: Option<Found>,
    /// An element of another name that the page itself calls the same.
    renamed: Option<Found>,
}

async fn look(element: &Element, hands: &mut dyn Hands) -> Result<Seen, ToolError> {
    let mut seen = Seen::default();
    for (index, way) in element.find.iter().enumerate() {
        let Some(item) = one(way, element, hands).await? else { continue };
        let same = way.starts_with("role=") || is_called(&item, &element.name);
        let healed = (index > 0 || !same).then(|| told(way, &item));
        let found = Found { reference: item.reference, healed };
        if same {
            seen.same = Some(found);
            break;
        }
        // An id or an attribute is the page's own name for a thing; a place is not.
        if is_identity(way) && seen.renamed.is_none() {
            seen.renamed = Some(found);
        }
    }
    Ok(seen)
}

/// The one element that a way leads to, if there is one that fits.
async fn one(
    way: &str,
    element: &Element,
    hands: &mut dyn Hands,
) -> Result<Option<Item>, ToolError> {
    let query = json!({ "target": way, "limit": 10 });
    let reply = match hands.call("browser_query", arguments(query)).await {
        Ok(reply) => reply,
        Err(error) if is_of_the_way(error.code) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Matches { count, items } = Matches::deserialize(&reply.data).unwrap_or_default();
    if count > items.len() {
        return Ok(None);
    }
    let seen: Vec<&Item> = items.iter().filter(|item| item.visible).collect();
    let meant: Vec<&Item> = if seen.is_empty() { items.iter().collect() } else { seen };
    Ok(match meant[..] {
        [only] if fits(only, element) => Some(only.clone()),
        _ => None,
    })
}

/// Errors that say that this way leads nowhere; others say that nothing can be asked.
fn is_of_the_way(code: Code) -> bool {
    matches!(
        code,
        Code::NotFound
            | Code::Ambiguous
            | Code::StaleRef
            | Code::InvalidSelector
            | Code::UnsupportedSelector
            | Code::InvalidInput
    )
}

fn fits(item: &Item, element: &Element) -> bool {
    let kind = item.kind.as_deref().unwrap_or_default();
    // A recipe that was written by hand may say neither.
    (element.role.is_empty() || item.role == element.role)
        && (element.kind.is_empty() || kind == element.kind)
}

fn is_called(item: &Item, name: &str) -> bool {
    let wanted = plain(name);
    let text = if item.name.is_empty() { &item.text } else { &item.name };
    let has = plain(text);
    wanted.is_empty()
        || has == wanted
        || wanted.strip_suffix('…').is_some_and(|cut| has.starts_with(cut))
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_identity(way: &str) -> bool {
    let css = way.strip_prefix("css=").unwrap_or_default();
    css.starts_with('#') && !css.contains([' ', ':']) || css.contains('[') && !css.contains('>')
}

fn told(way: &str, item: &Item) -> String {
    let name = if item.name.is_empty() { &item.text } else { &item.name };
    let name: String = name.chars().take(60).collect();
    format!("{} {name:?} by {way}", item.role)
}

/// What there is instead of an element that is not found: the page's nearest things.
pub(super) async fn nearest(element: &Element, hands: &mut dyn Hands) -> String {
    let words = if element.name.is_empty() {
        element.find.first().cloned().unwrap_or_default()
    } else {
        element.name.clone()
    };
    let asked = hands.call("browser_find", arguments(json!({ "target": words }))).await;
    let told = match asked {
        Ok(reply) => reply.text,
        Err(error) => error.message,
    };
    told.chars().take(NEAREST).collect()
}

/// Characters of what is there instead.
const NEAREST: usize = 600;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_not_a_things_own_name() {
        for (way, is) in [
            ("css=#save", true),
            ("css=[data-testid=\"save\"]", true),
            ("css=input[name=\"email\"]", true),
            ("css=#list > li:nth-of-type(2) > button", false),
            ("css=button", false),
            ("xpath=/html/body/button", false),
            ("role=button[name=\"Save\" exact]", false),
        ] {
            assert_eq!(is_identity(way), is, "{way}");
        }
    }

    #[test]
    fn another_role_or_kind_is_another_element() {
        let element =
            Element { role: "textbox".into(), kind: "email".into(), ..Default::default() };
        let item = |role: &str, kind: Option<&str>| Item {
            role: role.into(),
            kind: kind.map(str::to_owned),
            ..Default::default()
        };
        assert!(fits(&item("textbox", Some("email")), &element));
        assert!(!fits(&item("textbox", Some("password")), &element));
        assert!(!fits(&item("button", None), &element));
    }
}
