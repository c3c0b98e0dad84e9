//! `legwork shop` as a household has it: the list in a real Home Assistant, the basket in a shop nobody here
//! wrote, and both say afterwards what was done.

#[path = "../../../legwork-shop/tests/it/hass.rs"]
mod hass;
#[path = "../../../legwork-shop/tests/it/oscar.rs"]
mod oscar;

use anyhow::Context;
use serde_json::{Value, json};

use self::hass::Hass;
use self::oscar::{CUSTOMER, Oscar, VARIABLES};
use crate::support::{Ended, User};

const LIST: &str = "todo.groceries";

/// Somebody with a list, a shop and an account there.
struct Household {
    hass: Hass,
    oscar: Oscar,
    user: User,
}

impl Household {
    async fn new() -> anyhow::Result<Household> {
        let (hass, oscar) = tokio::try_join!(Hass::start(), Oscar::start())?;
        let user = User::new()
            .with(VARIABLES.0, CUSTOMER.0)
            .with(VARIABLES.1, CUSTOMER.1)
            .with("HOME_ASSISTANT_URL", &hass.url)
            .with("HOME_ASSISTANT_TOKEN", &hass.token);
        std::fs::write(user.path("harbour.toml"), oscar.site_toml())?;
        Ok(Household { hass, oscar, user })
    }

    async fn write_down(&self, names: &[&str]) -> anyhow::Result<()> {
        for name in names {
            let item = json!({ "entity_id": LIST, "item": name });
            self.hass.post("/api/services/todo/add_item", &item).await?;
        }
        Ok(())
    }

    async fn shop(&self, more: &[&str]) -> anyhow::Result<Ended> {
        let arguments = ["shop", "--home-assistant", LIST, "--site", "harbour.toml"];
        let mut command = self.user.command(&[&arguments, more].concat());
        Ok(Ended::of(tokio::task::spawn_blocking(move || command.output()).await??))
    }

    /// What the shop's own database has in the customer's basket; nothing else was begun there.
    async fn basket(&self) -> anyhow::Result<Vec<(String, u32)>> {
        let books = self.oscar.books().await?;
        assert_eq!(books.orders, 0);
        assert!(books.baskets.iter().all(|line| line.owner == CUSTOMER.0), "{books:?}");
        let asked = self.oscar.asked()?;
        assert!(asked.iter().any(|request| request.starts_with("GET /search/")), "{asked:?}");
        assert!(!asked.iter().any(|request| request.contains("/checkout")), "{asked:?}");
        Ok(books.baskets.into_iter().map(|line| (line.product, line.quantity)).collect())
    }

    async fn list(&self) -> anyhow::Result<Vec<(String, bool)>> {
        let mut items = self.hass.todo_list().await?;
        items.sort();
        Ok(items)
    }

    /// What Home Assistant shows of the last trip.
    async fn notification(&self) -> anyhow::Result<String> {
        let shown = self.hass.ask(json!({ "type": "persistent_notification/get" })).await?;
        let shown = shown.as_array().context("no list")?;
        let ours = shown.iter().find(|one| one["notification_id"] == "legwork_shopping");
        Ok(ours.and_then(|one| one["message"].as_str()).context("no notification")?.to_owned())
    }
}

fn owned<T: Copy>(lines: &[(&str, T)]) -> Vec<(String, T)> {
    lines.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_in_home_assistant_becomes_a_basket_in_a_real_shop_once() -> anyhow::Result<()> {
    let house = Household::new().await?;
    let written = [
        "2x carrots",
        "oat milk",
        "Carrots (2)",
        "barista oat milk",
        "unobtainium",
        "semi-skimmed milk",
    ];
    house.write_down(&written).await?;
    let would = house.shop(&["--dry-run"]).await?;
    let (shown, at) = (would.out, &house.hass.url);
    assert!(shown.contains(&format!("from {LIST} at {at}, this would be bought")), "{shown}");
    assert!(shown.contains("2 × carrots") && shown.contains("Carrots (2): said before"), "{shown}");
    assert_eq!(house.list().await?.len(), written.len(), "a dry run changes nothing");
    let ended = house.shop(&["--concurrency", "2"]).await?;
    assert_eq!(ended.code, 6, "two things cannot be had: {}{}", ended.out, ended.err);
    let bought = [
        ("Carrots 1 kg", 2),
        ("Meadowlark Oat Milk 1 L", 1),
        ("Milbrook Semi-Skimmed Milk 2 L", 1),
    ];
    assert_eq!(house.basket().await?, owned(&bought), "{}{}", ended.out, ended.err);
    let after = [
        ("2x carrots", true),
        ("Carrots (2) #dupe", false),
        ("barista oat milk #out_of_stock", false),
        ("oat milk", true),
        ("semi-skimmed milk", true),
        ("unobtainium #not_found", false),
    ];
    assert_eq!(house.list().await?, owned(&after));
    assert!(ended.out.contains("3 in the cart, 2 not found, 0 failed"), "{}", ended.out);
    assert!(ended.out.contains("**£5.50**"), "{}", ended.out);
    assert_eq!(house.notification().await?.trim(), ended.out.trim());
    assert!(!format!("{}{}", ended.out, ended.err).contains(CUSTOMER.1), "the password is nowhere");

    // The next day one thing more is wanted; the profile is still signed in, and what is in the basket stays.
    house.write_down(&["red lentils"]).await?;
    let ended = house.shop(&["--no-retry", "--json"]).await?;
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let summary: Value = serde_json::from_str(&ended.out)?;
    assert_eq!(summary["added"].as_array().map(Vec::len), Some(1), "{summary}");
    assert_eq!(house.basket().await?, owned(&[&bought[..], &[("Red Lentils 500 g", 1)]].concat()));
    assert!(house.list().await?.contains(&("red lentils".to_owned(), true)));
    let signed_in = |request: &&String| *request == "POST /accounts/login/";
    assert_eq!(house.oscar.asked()?.iter().filter(signed_in).count(), 1, "once is enough");
    let verified = house.user.done(&["audit", "verify"]);
    assert!(verified.contains("whole"), "{verified}");
    Ok(())
}
