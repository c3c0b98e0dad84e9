//! Whether what came of a step is what came of it when it was recorded.

use legwork_protocol::{Reply, ToolError};
use serde_json::{Map, Value, json};

use super::Expect;
use super::draft::Data;
use crate::run::Hands;

/// How long an address or words are waited for.
const PATIENCE: &str = "10s";

/// What is not as it was: what was expected, and what there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) expected: String,
    pub(super) seen: String,
}

/// Verifies one outcome. `reference` is the element that was acted on.
pub(super) async fn verify(
    expect: &Expect,
    reply: &Reply,
    reference: Option<&str>,
    hands: &mut dyn Hands,
) -> Result<Option<Mismatch>, ToolError> {
    let data = Data::of(&reply.data);
    if expect.change && data.is_idle() {
        let expected = "something changes on the page".to_owned();
        return Ok(Some(Mismatch { expected, seen: "nothing changed".into() }));
    }
    if let Some(pattern) = &expect.address {
        let here = data.url.clone().unwrap_or_default();
        if !matches(pattern, &here) && !waited("url", pattern, hands).await? {
            let seen = address(hands).await.unwrap_or(here);
            return Ok(Some(Mismatch { expected: format!("the address {pattern}"), seen }));
        }
    }
    if let Some(words) = &expect.words
        && !data.said().contains(words.as_str())
        && !waited("text", words, hands).await?
    {
        let seen = reply.text.chars().take(600).collect();
        return Ok(Some(Mismatch { expected: format!("the words {words:?}"), seen }));
    }
    match (&expect.value, reference) {
        (Some(value), Some(reference)) => holds(value, reference, hands).await,
        _ => Ok(None),
    }
}

/// Whether the field holds the value; one that is gone by now cannot be asked.
async fn holds(
    value: &str,
    reference: &str,
    hands: &mut dyn Hands,
) -> Result<Option<Mismatch>, ToolError> {
    let query = json!({ "target": reference, "limit": 1 });
    let Ok(reply) = hands.call("browser_query", arguments(query)).await else { return Ok(None) };
    let held = reply.data["items"][0]["value"].as_str().map(str::to_owned);
    let differs = held.filter(|held| held.trim() != value.trim() && !held.contains('•'));
    Ok(differs.map(|held| Mismatch {
        expected: format!("the field holds {value:?}"),
        seen: format!("{held:?}"),
    }))
}

async fn waited(what: &str, value: &str, hands: &mut dyn Hands) -> Result<bool, ToolError> {
    let wait = json!({ what: value, "timeout": PATIENCE, "observe": "none" });
    match hands.call("browser_wait", arguments(wait)).await {
        Ok(_) => Ok(true),
        Err(error) if error.code == legwork_protocol::Code::Timeout => Ok(false),
        Err(error) => Err(error),
    }
}

/// Where the page is.
async fn address(hands: &mut dyn Hands) -> Option<String> {
    let listed = hands.call("browser_tabs", arguments(json!({ "action": "list" }))).await.ok()?;
    let tabs = listed.data.get("tabs")?.as_array()?;
    let front = tabs.iter().find(|tab| tab["front"] == Value::Bool(true))?;
    front["url"].as_str().map(str::to_owned)
}

/// Whether an address fits a pattern in which `*` stands for anything.
fn matches(pattern: &str, address: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = address.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The arguments of a call, written as an object.
pub(super) fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, address, fits) in [
            ("http://a/login", "http://a/login", true),
            ("http://a/login", "http://a/login?x=1", false),
            ("http://a/login*", "http://a/login?x=1", true),
            ("http://a/*/edit", "http://a/77/edit", true),
            ("http://a/*/edit", "http://a/77/view", false),
            ("http://a/*/b/*", "http://a/1/b/", true),
            ("http://b/*", "http://a/", false),
        ] {
            assert_eq!(matches(pattern, address), fits, "{pattern} {address}");
        }
    }
}
