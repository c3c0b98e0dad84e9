//! The provider against a real Home Assistant, with both kinds of lists.

use anyhow::Context;
use legwork_shop::item::{Item, Retry, Worklist};
use legwork_shop::list::home_assistant::Settings;
use legwork_shop::list::{HomeAssistant, ListError, Mark, ShoppingListProvider};
use legwork_shop::site;
use legwork_shop::summary::{Failed, Summary};
use serde_json::json;

use crate::hass::Hass;

const WRITTEN: [&str; 7] =
    ["2x milk", "eggs", "tea #failed", "Milk (2)", "old bread", "thé vert", "sold out"];

fn list(hass: &Hass, list: &str) -> HomeAssistant {
    let token = hass.token.as_str().into();
    HomeAssistant::new(&Settings { url: hass.url.clone(), token, list: list.into() }).unwrap()
}

#[tokio::test]
async fn lists_of_a_real_home_assistant_are_shopped_from_and_marked_alone() -> anyhow::Result<()> {
    let mut hass = Hass::start().await?;
    for name in WRITTEN {
        hass.post("/api/shopping_list/item", &json!({ "name": name })).await?;
        let item = json!({ "entity_id": "todo.groceries", "item": name });
        hass.post("/api/services/todo/add_item", &item).await?;
    }
    go_through(&hass, "shopping_list").await.context("shopping_list")?;
    go_through(&hass, "todo.groceries").await.context("todo.groceries")?;
    summary_arrives(&hass).await?;
    wrong_tokens_are_fatal(&hass).await;
    let missing = list(&hass, "todo.nowhere").get_uncompleted_items().await.unwrap_err();
    assert!(!missing.is_fatal() && missing.to_string().contains("todo.nowhere"), "{missing}");
    hass.end().await?;
    for name in ["shopping_list", "todo.groceries"] {
        let error = list(&hass, name).get_uncompleted_items().await.unwrap_err();
        assert!(!error.is_fatal(), "a Home Assistant that is down may come back: {error}");
    }
    Ok(())
}

async fn now(hass: &Hass, name: &str) -> anyhow::Result<Vec<(String, bool)>> {
    if name == "shopping_list" { hass.shopping_list().await } else { hass.todo_list().await }
}

async fn go_through(hass: &Hass, name: &str) -> anyhow::Result<()> {
    let list = list(hass, name);
    let items = list.get_uncompleted_items().await?;
    let names: Vec<_> = items.iter().map(Item::tagged_name).collect();
    assert_eq!(names, WRITTEN);
    let work = Worklist::of(items.clone(), Retry::Again);
    assert_eq!((work.todo.len(), work.duplicates.len()), (6, 1));
    remove(hass, name, "old bread").await?;

    list.mark_completed(&items[0].id).await?;
    list.mark_not_found(&items[1].id, "nothing like it").await?;
    list.mark_not_found(&items[2].id, "nothing like it").await?;
    list.mark(&items[3].id, Mark::Duplicate("2x milk")).await?;
    let gone = list.mark_completed(&items[4].id).await.unwrap_err();
    assert!(matches!(gone, ListError::Gone { .. }) && !gone.is_fatal(), "{gone}");
    list.mark_failed(&items[5].id, "time-out").await?;
    list.mark(&items[6].id, Mark::OutOfStock("back on Monday")).await?;
    let expected = [
        ("2x milk", true),
        ("eggs #not_found", false),
        ("tea #not_found #failed", false),
        ("Milk (2) #dupe", false),
        ("thé vert #failed", false),
        ("sold out #out_of_stock", false),
    ];
    assert_eq!(sorted(now(hass, name).await?), sorted(owned(&expected)));

    list.mark_completed(&items[2].id).await?;
    let open = list.get_uncompleted_items().await?;
    assert_eq!(open.len(), 4);
    assert!(now(hass, name).await?.contains(&("tea".to_owned(), true)), "the tags are over");
    assert_eq!(Worklist::of(open, Retry::Never).todo, []);
    Ok(())
}

/// Takes an item off a list, as somebody else in the house might.
async fn remove(hass: &Hass, list: &str, item: &str) -> anyhow::Result<()> {
    if list == "shopping_list" {
        hass.post("/api/services/shopping_list/remove_item", &json!({ "name": item })).await?;
    } else {
        let data = json!({ "entity_id": list, "item": item });
        hass.post("/api/services/todo/remove_item", &data).await?;
    }
    Ok(())
}

/// Lists put what is completed at their end, or not.
fn sorted(mut items: Vec<(String, bool)>) -> Vec<(String, bool)> {
    items.sort();
    items
}

fn owned(items: &[(&str, bool)]) -> Vec<(String, bool)> {
    items.iter().map(|(name, done)| ((*name).to_owned(), *done)).collect()
}

async fn summary_arrives(hass: &Hass) -> anyhow::Result<()> {
    let mut summary = Summary::of(&site::metro());
    summary.failed.push(Failed { item: "thé vert".into(), error: "time-out".into() });
    list(hass, "shopping_list").send_summary(&summary).await?;
    // A second one takes the place of the first.
    list(hass, "todo.groceries").send_summary(&summary).await?;
    let shown = hass.ask(json!({ "type": "persistent_notification/get" })).await?;
    let shown: Vec<_> = shown.as_array().context("no list")?.iter().collect();
    let ours: Vec<_> =
        shown.iter().filter(|one| one["notification_id"] == "legwork_shopping").collect();
    assert_eq!(ours.len(), 1, "{shown:?}");
    assert_eq!(ours[0]["title"], "Shopping at metro.ca");
    assert_eq!(ours[0]["message"].as_str().map(str::trim), Some(summary.markdown().trim()));
    Ok(())
}

async fn wrong_tokens_are_fatal(hass: &Hass) {
    for name in ["shopping_list", "todo.groceries"] {
        let (url, token) = (hass.url.clone(), "wrong".into());
        let list = HomeAssistant::new(&Settings { url, token, list: name.into() }).unwrap();
        let error = list.get_uncompleted_items().await.unwrap_err();
        assert!(error.is_fatal(), "{error}");
        assert!(error.to_string().contains("long-lived access token"), "{error}");
    }
}
