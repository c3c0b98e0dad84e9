//! Home Assistant's HTTP interface, as far as lists need it. A refused token ends the run; whatever else
//! goes wrong is told and may work the next time.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::{SERVICE, Settings, socket};
use crate::item::ItemId;
use crate::list::ListError;

/// How long a call may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// An item as Home Assistant keeps it.
#[derive(Debug)]
pub(super) struct ListItem {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) completed: bool,
}

/// What is to change on an item.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Change {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) complete: Option<bool>,
}

pub(super) struct Api {
    client: Client,
    base: Url,
    token: SecretString,
}

impl Api {
    pub(super) fn new(settings: &Settings) -> Result<Api, ListError> {
        let base = address(&settings.url)?;
        let bearer = format!("Bearer {}", settings.token.expose_secret().trim());
        let mut bearer = HeaderValue::try_from(bearer).map_err(|_| {
            ListError::Settings(
                "the access token of Home Assistant has letters that none has".into(),
            )
        })?;
        bearer.set_sensitive(true);
        // The token goes to the address that was configured and nowhere else.
        let mut client = Client::builder()
            .timeout(PATIENCE)
            .redirect(redirect::Policy::none())
            .default_headers(HeaderMap::from_iter([(AUTHORIZATION, bearer)]));
        if is_loopback(&base) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| ListError::Settings(told(&error)))?;
        Ok(Api { client, base, token: settings.token.clone() })
    }

    /// The items of the shopping list.
    pub(super) async fn shopping_list(&self) -> Result<Vec<ListItem>, ListError> {
        let answer = self.send(self.client.get(self.at("api/shopping_list"))).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Err(failed(
                "it has no shopping list; add the integration \"Shopping list\" there",
            ));
        }
        let items: Vec<ShoppingItem> =
            successful(answer).await?.json().await.map_err(|error| failed(&told(&error)))?;
        let read = |ShoppingItem { id, name, complete }| ListItem { id, name, completed: complete };
        Ok(items.into_iter().map(read).collect())
    }

    /// The items of a to-do list. Only the WebSocket gives them in every version.
    pub(super) async fn todo_items(&self, entity: &str) -> Result<Vec<ListItem>, ListError> {
        let asked = socket::todo_items(&self.client, self.at("api/websocket"), &self.token, entity);
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(answer) => answer,
            Err(_) => Err(failed("it did not answer in time")),
        }
    }

    pub(super) async fn change_shopping_item(
        &self,
        id: &ItemId,
        change: &Change,
    ) -> Result<(), ListError> {
        let mut url = self.at("api/shopping_list/item");
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.push(id.as_str());
        }
        let answer = self.send(self.client.post(url).json(change)).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Err(ListError::Gone { id: id.clone() });
        }
        successful(answer).await.map(drop)
    }

    pub(super) async fn change_todo_item(
        &self,
        entity: &str,
        id: &ItemId,
        change: &Change,
    ) -> Result<(), ListError> {
        let data = UpdateTodo {
            entity_id: entity,
            item: id.as_str(),
            rename: change.name.as_deref(),
            status: change.complete.map(|_| "completed"),
        };
        self.service("todo", "update_item", &data).await
    }

    /// Calls a service.
    pub(super) async fn service(
        &self,
        domain: &str,
        service: &str,
        data: &impl Serialize,
    ) -> Result<(), ListError> {
        let url = self.at(&format!("api/services/{domain}/{service}"));
        let answer = self.send(self.client.post(url).json(data)).await?;
        successful(answer).await.map(drop)
    }

    fn at(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, ListError> {
        let answer = request.send().await.map_err(|error| failed(&told(&error)))?;
        refused(answer.status()).map_or(Ok(answer), Err)
    }
}

/// The error that a status is, if it says that the token is not good enough.
pub(super) fn refused(status: StatusCode) -> Option<ListError> {
    let hint = match status {
        StatusCode::UNAUTHORIZED => {
            "create a long-lived access token in your profile there, under Security, and use that"
        }
        StatusCode::FORBIDDEN => {
            "the user of the token may not do this, or this machine was banned after wrong tokens"
        }
        _ => return None,
    };
    Some(ListError::Refused { service: SERVICE, status: status.as_u16(), hint })
}

pub(super) fn failed(why: &str) -> ListError {
    ListError::Service { service: SERVICE, why: why.to_owned() }
}

/// An error with its causes, which is where it says what happened.
pub(super) fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

async fn successful(answer: Response) -> Result<Response, ListError> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let said = answer.text().await.unwrap_or_default();
    let said: String =
        said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
    Err(failed(&format!("it answered {status}: {said}")))
}

fn address(text: &str) -> Result<Url, ListError> {
    let wrong =
        |why: &str| ListError::Settings(format!("{text:?} is no address of Home Assistant: {why}"));
    let url = Url::parse(text.trim()).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(wrong("it begins with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("names and passwords do not belong in it"));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[derive(Deserialize)]
struct ShoppingItem {
    id: String,
    name: String,
    #[serde(default)]
    complete: bool,
}

#[derive(Serialize)]
struct UpdateTodo<'a> {
    entity_id: &'a str,
    item: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rename: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}
