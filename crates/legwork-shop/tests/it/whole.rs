//! From a list in a real Home Assistant to a basket in a real shop, and back.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use legwork_protocol::{Boxed, ToolCall, Warden};
use legwork_shop::errand::{Budget, Trouble};
use legwork_shop::item::Retry;
use legwork_shop::list::HomeAssistant;
use legwork_shop::list::home_assistant;
use legwork_shop::shopper::Embedded;
use legwork_shop::sign_in::Door;
use legwork_shop::site::{Phase, Site};
use legwork_shop::summary::Summary;
use legwork_shop::trip::{News, Settings, Trip};
use legwork_tools::{Host, Rules};
use serde_json::{Value, json};

use crate::hass::Hass;
use crate::oscar::{CUSTOMER, Oscar};

const LIST: &str = "todo.groceries";

/// Signs the customer in, in the phase that is for it.
struct Ada;

impl Door for Ada {
    fn enter<'a>(
        &'a self,
        host: &'a dyn Warden,
        session: &'a str,
        site: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>> {
        Box::pin(async move {
            host.govern(&site.policy(Phase::SignIn)).await.unwrap();
            let form = site.sign_in.as_ref().unwrap();
            call(host, session, "browser_navigate", json!({ "url": form.url })).await;
            let fields =
                json!({ "#id_login-username": CUSTOMER.0, "#id_login-password": CUSTOMER.1 });
            let fill = json!({ "fields": fields, "submit": "button[name=login_submit]" });
            call(host, session, "browser_fill_form", fill).await;
            host.govern(&site.policy(Phase::Shopping)).await.unwrap();
            Ok(())
        })
    }
}

async fn call(host: &dyn Warden, session: &str, tool: &str, arguments: Value) {
    let arguments = serde_json::from_value(arguments).unwrap();
    host.call(ToolCall::new(session, tool, arguments)).await.unwrap();
}

/// A trip from the list to the shop, in a browser of its own.
async fn shop(
    hass: &Hass,
    oscar: &Oscar,
    folder: &Path,
    at_a_time: usize,
) -> anyhow::Result<Summary> {
    let site = Arc::new(oscar.site());
    let rules = Arc::new(Rules::parse(&site.policy(Phase::Shopping)).unwrap());
    let host = Host::new(legwork_tools::Settings { rules, ..Default::default() });
    let list = home_assistant::Settings {
        url: hass.url.clone(),
        token: hass.token.as_str().into(),
        list: LIST.into(),
    };
    let trip = Trip {
        host: Arc::new(host.clone()),
        site,
        list: Arc::new(HomeAssistant::new(&list)?),
        shopper: Arc::new(Embedded::default()),
        door: Some(Arc::new(Ada)),
        person: None,
        watch: Arc::new(|news| {
            if let News::Over(..) = news {
                println!("{news:?}");
            }
        }),
        settings: Settings {
            retry: Retry::Again,
            concurrency: NonZeroUsize::new(at_a_time).unwrap(),
            budget: Budget::default(),
            folder: folder.to_owned(),
            list: format!("{} {LIST}", hass.url),
            picture: None,
        },
    };
    let summary = trip.run().await?;
    host.close().await;
    Ok(summary)
}

async fn write_down(hass: &Hass, names: &[&str]) -> anyhow::Result<()> {
    for name in names {
        let item = json!({ "entity_id": LIST, "item": name });
        hass.post("/api/services/todo/add_item", &item).await?;
    }
    Ok(())
}

/// What the shop's own database has in the customer's basket; nothing else was begun there.
async fn basket(oscar: &Oscar) -> anyhow::Result<Vec<(String, u32)>> {
    let books = oscar.books().await?;
    assert_eq!(books.orders, 0);
    assert!(books.baskets.iter().all(|line| line.owner == CUSTOMER.0), "{books:?}");
    let asked = oscar.asked()?;
    assert!(asked.iter().any(|request| request.starts_with("GET /search/")), "{asked:?}");
    assert!(!asked.iter().any(|request| request.contains("/checkout")), "{asked:?}");
    Ok(books.baskets.into_iter().map(|line| (line.product, line.quantity)).collect())
}

fn owned<T: Copy>(lines: &[(&str, T)]) -> Vec<(String, T)> {
    lines.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

async fn list(hass: &Hass) -> anyhow::Result<Vec<(String, bool)>> {
    let mut items = hass.todo_list().await?;
    items.sort();
    Ok(items)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_in_home_assistant_becomes_a_basket_in_a_real_shop_once() -> anyhow::Result<()> {
    let (hass, oscar) = tokio::try_join!(Hass::start(), Oscar::start())?;
    let folder = tempfile::tempdir()?;
    let written = [
        "2x carrots",
        "oat milk",
        "Carrots (2)",
        "barista oat milk",
        "unobtainium",
        "whole milk 2 L",
    ];
    write_down(&hass, &written).await?;
    let summary = shop(&hass, &oscar, folder.path(), 2).await?;

    let mut bought =
        vec![("Carrots 1 kg", 2), ("Meadowlark Oat Milk 1 L", 1), ("Milbrook Whole Milk 2 L", 1)];
    assert_eq!(basket(&oscar).await?, owned(&bought), "{}", summary.markdown());
    let after = [
        ("2x carrots", true),
        ("Carrots (2) #dupe", false),
        ("barista oat milk #out_of_stock", false),
        ("oat milk", true),
        ("unobtainium #not_found", false),
        ("whole milk 2 L", true),
    ];
    assert_eq!(list(&hass).await?, owned(&after));
    assert_eq!((summary.added.len(), summary.not_found.len(), summary.failed.len()), (3, 2, 0));
    assert_eq!(notification(&hass).await?.trim(), summary.markdown().trim());
    assert!(summary.markdown().contains("£5.60"), "{}", summary.markdown());

    // The next day: one thing more is wanted, and what is in the basket stays as it is.
    write_down(&hass, &["red lentils"]).await?;
    let summary = shop(&hass, &oscar, folder.path(), 1).await?;
    bought.push(("Red Lentils 500 g", 1));
    assert_eq!(basket(&oscar).await?, owned(&bought), "{}", summary.markdown());
    assert_eq!(summary.added.len(), 1);
    assert_eq!(notification(&hass).await?.trim(), summary.markdown().trim());
    Ok(())
}

/// What Home Assistant shows of the trip.
async fn notification(hass: &Hass) -> anyhow::Result<String> {
    let shown = hass.ask(json!({ "type": "persistent_notification/get" })).await?;
    let shown = shown.as_array().context("no list")?;
    let ours = shown.iter().find(|one| one["notification_id"] == "legwork_shopping");
    Ok(ours.and_then(|one| one["message"].as_str()).context("no notification")?.to_owned())
}
