//! The page as watchers see it.

use std::collections::BTreeMap;

use legwork_protocol::assistant::{
    Bounds, BrowserState, ElementSnapshot, ReadyState, ViewportInfo,
};
use legwork_protocol::{ToolCall, ToolError, ToolHost};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What can be acted on, for those who only watch.
const ELEMENTS: &str = "css=a[href], button, input:not([type=hidden]), select, textarea, summary, \
    [role=button], [role=link], [role=checkbox], [role=radio], [role=tab], [role=menuitem], \
    [role=option], [role=switch], [role=combobox], [contenteditable=true]";

/// Elements that are told.
const MOST: u32 = 300;

/// What a snapshot says of a page.
#[derive(Deserialize)]
struct Seen {
    #[serde(default)]
    url: String,
    #[serde(default)]
    title: String,
}

/// What a query says of its elements.
#[derive(Deserialize)]
struct Found {
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "ref")]
    reference: String,
    #[serde(default)]
    tag: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    text: String,
    attributes: BTreeMap<String, String>,
    visible: bool,
    #[serde(rename = "box")]
    area: Bounds,
}

/// Looks at the page of a session.
pub(super) async fn look(
    host: &dyn ToolHost,
    session: &str,
    door: &'static str,
) -> Result<BrowserState, ToolError> {
    let call = |tool: &str, arguments: Value| {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        host.call(ToolCall { door, ..ToolCall::new(session, tool, arguments) })
    };
    let seen: Seen = read(call("browser_snapshot", json!({ "max_tokens": 100 })).await?.data)?;
    let query = json!({ "target": ELEMENTS, "limit": MOST });
    let found: Found = read(call("browser_query", query).await?.data)?;
    Ok(BrowserState {
        url: seen.url,
        title: seen.title,
        // A look waits until the page is there.
        ready_state: ReadyState::Complete,
        elements: found.items.into_iter().map(element).collect(),
        viewport: ViewportInfo::default(),
    })
}

fn read<T: serde::de::DeserializeOwned>(data: Value) -> Result<T, ToolError> {
    serde_json::from_value(data).map_err(|error| {
        ToolError::new(
            legwork_protocol::Code::Internal,
            format!("the page cannot be read: {error}"),
        )
    })
}

fn element(item: Item) -> ElementSnapshot {
    let words = if item.text.is_empty() { item.name } else { item.text };
    ElementSnapshot {
        selector: item.reference,
        id: item.attributes.get("id").cloned(),
        tag_name: item.tag,
        text: (!words.is_empty()).then_some(words),
        attributes: item.attributes,
        bounding_box: item.area,
        visible: item.visible,
    }
}
