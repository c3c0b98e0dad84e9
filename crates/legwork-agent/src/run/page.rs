//! The page as watchers see it.

use std::collections::BTreeMap;

use legwork_protocol::assistant::{
    Bounds, BrowserState, ElementSnapshot, ReadyState, ViewportInfo,
};
use legwork_protocol::{ToolCall, ToolError, ToolHost};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Hands;

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
    window: Option<Window>,
}

#[derive(Deserialize)]
struct Window {
    width: f64,
    height: f64,
    x: f64,
    y: f64,
    ready: ReadyState,
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
    let seen = call("browser_snapshot", json!({ "max_tokens": 100 })).await?.data;
    let found = call("browser_query", Value::Object(query())).await?.data;
    state(seen, found)
}

/// The size of the window, and how far the page in it is scrolled.
pub(crate) async fn viewport(hands: &mut dyn Hands) -> Option<ViewportInfo> {
    // Any query tells of the window; of an element that says little there is nothing to be read beside it.
    let query = [("target".to_owned(), "css=title".into()), ("limit".to_owned(), 1.into())];
    let found = hands.call("browser_query", Map::from_iter(query)).await.ok()?;
    read::<Found>(found.data).ok()?.window.map(in_view)
}

/// The arguments of the query whose answer [`state`] reads.
pub(super) fn query() -> Map<String, Value> {
    Map::from_iter([("target".to_owned(), ELEMENTS.into()), ("limit".to_owned(), MOST.into())])
}

/// A page as a snapshot and a query tell it.
pub(super) fn state(seen: Value, found: Value) -> Result<BrowserState, ToolError> {
    let (seen, found): (Seen, Found) = (read(seen)?, read(found)?);
    Ok(BrowserState {
        url: seen.url,
        title: seen.title,
        ready_state: found.window.as_ref().map(|window| window.ready).unwrap_or_default(),
        viewport: found.window.map(in_view).unwrap_or_default(),
        elements: found.items.into_iter().map(element).collect(),
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

fn in_view(window: Window) -> ViewportInfo {
    let Window { width, height, x: scroll_x, y: scroll_y, .. } = window;
    ViewportInfo { width, height, scroll_x, scroll_y }
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
