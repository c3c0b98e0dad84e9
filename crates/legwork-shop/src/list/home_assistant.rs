//! A list in Home Assistant: its own shopping list, or any to-do list. Tags stand in the name, behind it and
//! in their order, since that is what people see there; the summary is a notification.

mod api;
mod socket;

use secrecy::SecretString;
use serde::Serialize;

use self::api::{Api, Change, ListItem};
use super::{ListError, Listed, Mark, ShoppingListProvider};
use crate::item::{Item, ItemId, Status, Tag, Tags};
use crate::summary::Summary;

const SERVICE: &str = "Home Assistant";

/// Where a list is, and how to get there.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address of Home Assistant: `http://homeassistant.local:8123`.
    pub url: String,
    /// A long-lived access token.
    pub token: SecretString,
    /// Which list: `shopping_list`, or an entity like `todo.groceries`.
    pub list: String,
}

/// A list in Home Assistant.
pub struct HomeAssistant {
    api: Api,
    list: Kind,
}

/// The two kinds of lists there.
enum Kind {
    ShoppingList,
    /// The entity of a to-do list.
    Todo(String),
}

impl HomeAssistant {
    /// A list that is reached when it is asked for; nothing is called yet.
    pub fn new(settings: &Settings) -> Result<HomeAssistant, ListError> {
        let list = match settings.list.trim() {
            "shopping_list" => Kind::ShoppingList,
            entity if is_entity(entity) => Kind::Todo(entity.to_owned()),
            other => {
                let why = "a list of Home Assistant is `shopping_list`, or a `todo.` entity";
                return Err(ListError::Settings(format!("{why}; {other:?} is neither")));
            }
        };
        Ok(HomeAssistant { api: Api::new(settings)?, list })
    }

    async fn items(&self) -> Result<Vec<Item>, ListError> {
        let found = match &self.list {
            Kind::ShoppingList => self.api.shopping_list().await?,
            Kind::Todo(entity) => self.api.todo_items(entity).await?,
        };
        let read = |ListItem { id, name, completed }| {
            let status = if completed { Status::Completed } else { Status::NeedsAction };
            Item::read(ItemId::new(id), &name, status)
        };
        Ok(found.into_iter().filter_map(read).collect())
    }

    /// The list is read again first, so that a name somebody changed meanwhile keeps its change.
    async fn change(&self, id: &ItemId, mark: Mark<'_>) -> Result<(), ListError> {
        let item = self.items().await?.into_iter().find(|item| item.id == *id);
        let item = item.ok_or_else(|| ListError::Gone { id: id.clone() })?;
        let change = changed(&item, mark);
        if change == Change::default() {
            return Ok(());
        }
        match &self.list {
            Kind::ShoppingList => self.api.change_shopping_item(id, &change).await,
            Kind::Todo(entity) => self.api.change_todo_item(entity, id, &change).await,
        }
    }
}

impl ShoppingListProvider for HomeAssistant {
    fn get_uncompleted_items(&self) -> Listed<'_, Vec<Item>> {
        Box::pin(async {
            let mut items = self.items().await?;
            items.retain(|item| item.status == Status::NeedsAction);
            Ok(items)
        })
    }

    fn mark<'a>(&'a self, item: &'a ItemId, mark: Mark<'a>) -> Listed<'a, ()> {
        Box::pin(self.change(item, mark))
    }

    fn send_summary<'a>(&'a self, summary: &'a Summary) -> Listed<'a, ()> {
        let notification = Notification {
            title: format!("Shopping at {}", summary.site),
            message: summary.markdown(),
            notification_id: "legwork_shopping",
        };
        Box::pin(async move {
            self.api.service("persistent_notification", "create", &notification).await
        })
    }
}

/// A notification; a later one with the same id takes its place.
#[derive(Serialize)]
struct Notification {
    title: String,
    message: String,
    notification_id: &'static str,
}

fn is_entity(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.strip_prefix("todo.").is_some_and(|name| !name.is_empty() && name.bytes().all(known))
}

/// What a mark changes. What is in the cart loses the tags of earlier runs that went wrong.
fn changed(item: &Item, mark: Mark) -> Change {
    let mut now = item.clone();
    match mark.tag() {
        Some((tag, _)) => now.tags.add(tag),
        None => now.tags = now.tags.iter().filter(|tag| *tag == Tag::Duplicate).collect::<Tags>(),
    }
    let renamed = now.tags != item.tags;
    let complete = mark.tag().is_none() && item.status != Status::Completed;
    Change { name: renamed.then(|| now.tagged_name()), complete: complete.then_some(true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str, list: &str) -> Settings {
        Settings { url: url.into(), token: "secret".into(), list: list.into() }
    }

    #[test]
    fn a_list_that_cannot_be_one_is_refused_before_anything_is_called() {
        let here = "http://127.0.0.1:8123";
        for list in ["shopping_list", "todo.groceries", " todo.a_1 "] {
            assert!(HomeAssistant::new(&settings(here, list)).is_ok(), "{list}");
        }
        for (url, list) in [
            (here, "groceries"),
            (here, "todo."),
            (here, "todo.a/../b"),
            ("homeassistant.local", "shopping_list"),
            ("ftp://127.0.0.1", "shopping_list"),
            ("http://me:pw@127.0.0.1", "shopping_list"),
        ] {
            let error = HomeAssistant::new(&settings(url, list)).err().unwrap();
            assert!(error.is_fatal(), "{error}");
        }
    }

    #[test]
    fn the_token_is_not_shown() {
        assert!(!format!("{:?}", settings("http://127.0.0.1", "todo.a")).contains("secret"));
    }

    /// Answers every request with the same status.
    async fn answering(head: &'static str) -> (String, tokio::task::JoinHandle<()>) {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let answer = format!(
                    "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        (url, server)
    }

    #[tokio::test]
    async fn only_a_refusal_ends_the_run() {
        let cases = [
            ("401 Unauthorized", true),
            ("403 Forbidden", true),
            ("200 OK", false),
            ("404 Not Found", false),
            ("500 Internal Server Error", false),
            ("502 Bad Gateway", false),
            ("302 Found\r\nlocation: http://127.0.0.1:1/", false),
            ("nonsense", false),
        ];
        for (head, fatal) in cases {
            let (url, server) = answering(head).await;
            for list in ["shopping_list", "todo.groceries"] {
                let list = HomeAssistant::new(&settings(&url, list)).unwrap();
                let error = list.get_uncompleted_items().await.unwrap_err();
                assert_eq!(error.is_fatal(), fatal, "{head}: {error}");
                assert!(!error.to_string().contains("secret"), "{error}");
            }
            server.abort();
        }
    }

    #[test]
    fn marks_change_the_name_and_the_state() {
        let cases = [
            ("milk", Mark::Completed, None, Some(true)),
            ("milk #failed", Mark::Completed, Some("milk"), Some(true)),
            ("milk #failed", Mark::NotFound(""), Some("milk #not_found #failed"), None),
            ("milk #not_found", Mark::NotFound(""), None, None),
            ("milk", Mark::OutOfStock(""), Some("milk #out_of_stock"), None),
            ("milk #failed", Mark::Duplicate(""), Some("milk #failed #dupe"), None),
        ];
        for (name, mark, renamed, complete) in cases {
            let item = Item::read(ItemId::new("1"), name, Status::NeedsAction).unwrap();
            let expected = Change { name: renamed.map(str::to_owned), complete };
            assert_eq!(changed(&item, mark), expected, "{name}");
        }
    }
}
