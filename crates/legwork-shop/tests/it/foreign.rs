//! The shopper that needs no model, in a shop nobody here wrote.

use std::sync::Arc;

use legwork_protocol::{ToolCall, ToolHost};
use legwork_shop::errand::{Budget, Errand, Floor, Outcome, Shopper, Stage, Trouble};
use legwork_shop::item::{Item, ItemId, Status};
use legwork_shop::lane::Lane;
use legwork_shop::shopper::Embedded;
use legwork_shop::site::Phase;
use legwork_shop::summary::Cart;
use legwork_tools::{Host, Rules, Settings};
use serde_json::{Value, json};

use crate::floor::Book;
use crate::oscar::{CUSTOMER, Oscar};

/// A customer of the shop, signed in.
struct Customer {
    oscar: Oscar,
    host: Host,
    lane: Lane,
    book: Book,
}

impl Customer {
    async fn enter() -> anyhow::Result<Customer> {
        let oscar = Oscar::start().await?;
        let site = Arc::new(oscar.site());
        let rules = Arc::new(Rules::parse(&site.policy(Phase::SignIn)).unwrap());
        let host = Host::new(Settings { rules, ..Settings::default() });
        let form = &site.sign_in.as_ref().unwrap();
        call(&host, "browser_navigate", json!({ "url": form.url })).await;
        let fields = json!({ "#id_login-username": CUSTOMER.0, "#id_login-password": CUSTOMER.1 });
        let submit = "button[name=login_submit]";
        call(&host, "browser_fill_form", json!({ "fields": fields, "submit": submit })).await;
        let lane = Lane::new(Arc::new(host.clone()), "shop", site);
        Ok(Customer { oscar, host, lane, book: Book::default() })
    }

    async fn shop(&self, line: &str) -> Result<Outcome, Trouble> {
        let item = Item::read(ItemId::new(line), line, Status::NeedsAction).unwrap();
        let errand = Errand { item, preference: None, budget: Budget::default(), turns: 0 };
        let told = |_: Stage| {};
        let floor = Floor { lane: &self.lane, till: &self.book, person: None, told: &told };
        Embedded::default().shop(&errand, &floor).await
    }

    /// What the shop's database has in the customer's basket.
    async fn basket(&self) -> anyhow::Result<Vec<(String, u32)>> {
        let books = self.oscar.books().await?;
        assert_eq!(books.orders, 0);
        assert!(books.baskets.iter().all(|line| line.owner == CUSTOMER.0), "{books:?}");
        Ok(books.baskets.into_iter().map(|line| (line.product, line.quantity)).collect())
    }
}

async fn call(host: &Host, tool: &str, arguments: Value) {
    let arguments = serde_json::from_value(arguments).unwrap();
    host.call(ToolCall::new("shop", tool, arguments)).await.unwrap();
}

/// What a list says, what of it is to be in the basket, and how many.
const BOUGHT: [(&str, &str, u32); 9] = [
    ("semi-skimmed milk", "Milbrook Semi-Skimmed Milk 2 L", 1),
    ("2x carrots", "Carrots 1 kg", 2),
    ("oat milk", "Meadowlark Oat Milk 1 L", 1),
    ("crunchy peanut butter", "Crunchy Peanut Butter 340 g", 1),
    ("3 red lentils", "Red Lentils 500 g", 3),
    ("whole milk 2 L", "Milbrook Whole Milk 2 L", 1),
    ("eggs, 12 pack", "Free Range Eggs 12 pack", 1),
    ("washing-up liquid", "Washing-up Liquid 500 ml", 1),
    ("wholemeal bread", "Harbour Wholemeal Bread 800 g", 1),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_basket_is_filled_in_a_shop_nobody_here_wrote() -> anyhow::Result<()> {
    let customer = Customer::enter().await?;
    let mut expected = Vec::new();
    for (line, product, quantity) in BOUGHT {
        let began = std::time::Instant::now();
        match customer.shop(line).await {
            Ok(Outcome::Added(added)) => {
                assert_eq!((added.product.as_str(), added.quantity), (product, quantity));
                let seen =
                    matches!(added.cart, Cart::Shows { quantity: seen, .. } if seen == quantity);
                assert!(seen, "{added:?}");
            }
            other => panic!("{line}: {other:?}"),
        }
        println!("{line}: {:?}", began.elapsed());
        expected.push((product.to_owned(), quantity));
    }
    expected.sort();
    assert_eq!(customer.basket().await?, expected);
    customer.host.close().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_strange_shop_does_not_have_is_reported_and_nothing_else_is_taken()
-> anyhow::Result<()> {
    let customer = Customer::enter().await?;
    for (line, sold_out) in [
        ("barista oat milk", true),
        ("avocado", true),
        ("laundry capsules", true),
        ("unobtainium", false),
        ("2 kg carrots", false),
        ("goat milk", false),
        ("milk chocolate", false),
        ("Northgate green tea", false),
    ] {
        match customer.shop(line).await {
            Ok(Outcome::NotFound { out_of_stock, reason }) => {
                assert_eq!(out_of_stock, sold_out, "{line}: {reason}");
                println!("{line}: {reason}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }
    assert_eq!(customer.basket().await?, []);
    customer.host.close().await;
    Ok(())
}
