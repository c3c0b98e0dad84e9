//! A visit to a shop through tools, with what they answer as types.

use std::collections::BTreeMap;

use legwork_protocol::{Reply, ToolError, ToolHost};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;

use crate::lane::Caller;

/// A session in which a shop is visited.
pub(super) struct Visit<'a> {
    pub(super) host: &'a dyn ToolHost,
    pub(super) session: &'a str,
}

/// An element of a page.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Element {
    #[serde(rename = "ref", default)]
    pub(super) reference: String,
    #[serde(default)]
    pub(super) tag: String,
    #[serde(default)]
    pub(super) role: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) visible: bool,
    #[serde(default)]
    pub(super) enabled: bool,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

/// Where a call led.
#[derive(Debug, Deserialize)]
pub(super) struct Arrival {
    pub(super) url: Url,
    /// What the server answered, if it was asked.
    pub(super) status: Option<u16>,
}

/// A request that pages made.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Request {
    pub(super) url: String,
    #[serde(rename = "type", default)]
    pub(super) kind: String,
}

impl Visit<'_> {
    pub(super) async fn open(&self, url: &Url) -> Result<Arrival, ToolError> {
        let arguments = json!({ "url": url.as_str(), "observe": "none" });
        data(self.call("browser_navigate", arguments).await?)
    }

    /// Types words into a field and sends them off.
    pub(super) async fn submit(&self, field: &Element, words: &str) -> Result<Arrival, ToolError> {
        let target = &field.reference;
        let arguments = json!({
            "target": target, "text": words, "clear": true, "submit": true, "observe": "none",
        });
        data(self.call("browser_type", arguments).await?)
    }

    pub(super) async fn click(&self, element: &Element) -> Result<Arrival, ToolError> {
        let arguments = json!({ "target": element.reference, "observe": "none" });
        data(self.call("browser_click", arguments).await?)
    }

    /// The elements that a CSS selector finds, from the top of the page.
    pub(super) async fn elements(&self, css: &str) -> Result<Vec<Element>, ToolError> {
        #[derive(Deserialize)]
        struct Found {
            items: Vec<Element>,
        }
        let arguments = json!({ "target": format!("css={css}"), "limit": 500 });
        let found: Found = data(self.call("browser_query", arguments).await?)?;
        Ok(found.items)
    }

    /// The page as text.
    pub(super) async fn page(&self) -> Result<String, ToolError> {
        #[derive(Deserialize)]
        struct Seen {
            page: String,
        }
        let arguments = json!({ "max_tokens": 20_000 });
        let seen: Seen = data(self.call("browser_snapshot", arguments).await?)?;
        Ok(seen.page)
    }

    /// What the pages of this visit have loaded.
    pub(super) async fn requests(&self) -> Result<Vec<Request>, ToolError> {
        #[derive(Deserialize)]
        struct Made {
            requests: Vec<Request>,
        }
        let arguments = json!({ "limit": 5_000 });
        let made: Made = data(self.call("browser_get_network_sources", arguments).await?)?;
        Ok(made.requests)
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let Visit { host, session } = *self;
        Caller { host, session, door: "shop" }.call(tool, &arguments).await
    }
}

fn data<T: DeserializeOwned>(reply: Reply) -> Result<T, ToolError> {
    serde_json::from_value(reply.data)
        .map_err(|error| ToolError::invalid(format!("the tool's answer cannot be read: {error}")))
}
