//! The shopper that needs no model, in a real Chrome on the demo store.

use std::time::Instant;

use legwork_demo::{Effect, Faults, Harm, Options};
use legwork_shop::cart;
use legwork_shop::errand::{Outcome, Stage, Trouble};
use legwork_shop::preferences::Preference;
use legwork_shop::shopper::Embedded;
use legwork_shop::summary::{Added, Cart};

use crate::floor::{Rig, Takes};

fn added(outcome: Result<Outcome, Trouble>) -> Added {
    match outcome {
        Ok(Outcome::Added(added)) => *added,
        other => panic!("{other:?}"),
    }
}

fn reason(outcome: Result<Outcome, Trouble>) -> (String, bool) {
    match outcome {
        Ok(Outcome::NotFound { reason, out_of_stock }) => (reason, out_of_stock),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_searched_for_chosen_added_once_and_seen_in_the_cart() {
    let rig = Rig::open(Options::default()).await;
    let shopper = Embedded::default();
    let began = Instant::now();
    let cases = [
        ("2x 2% milk 1 L", "meadowbrook-2-milk-1-l", 2),
        ("peanut butter", "nutty-fox-smooth-peanut-butter-1-kg", 1),
        ("bananna", "farm-stand-bananas-each", 1),
        ("3 lemons", "farm-stand-lemon-each", 3),
        ("Basics salted butter", "basics-salted-butter-454-g", 1),
    ];
    for (line, _, quantity) in cases {
        let added = added(rig.shop(&shopper, line).await);
        assert_eq!(added.quantity, quantity, "{line}");
        assert!(
            matches!(added.cart, Cart::Shows { quantity: shown, .. } if shown == quantity),
            "{added:?}"
        );
    }
    println!("{} items in {:?}", cases.len(), began.elapsed());
    let mut expected: Vec<_> =
        cases.iter().map(|(_, id, quantity)| ((*id).to_owned(), *quantity)).collect();
    expected.sort();
    assert_eq!(rig.cart(), expected);
    assert!(!rig.store.reached_checkout());
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_reported_and_nothing_is_taken_instead() {
    let rig = Rig::open(Options::default()).await;
    let shopper = Embedded::default();
    for line in ["unicorn meat", "light bulbs", "beer", "Lactantia butter", "3 L milk"] {
        let (reason, out_of_stock) = reason(rig.shop(&shopper, line).await);
        assert!(!reason.is_empty() && !out_of_stock, "{line}: {reason}");
    }
    let (reason, out_of_stock) = reason(rig.shop(&shopper, "strawberries").await);
    assert!(out_of_stock, "{reason}");
    assert_eq!(rig.cart(), []);
    assert_eq!(rig.book.intents.lock().unwrap().len(), 0);
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remembered_product_is_added_without_a_search_unless_it_costs_too_much() {
    let rig = Rig::open(Options::default()).await;
    let shopper = Embedded::default();
    let preference = |ceiling: &str| Preference {
        product: "Oat Milk Barista".into(),
        url: rig.store.product_url("oatfield-oat-milk-barista-946-ml").parse().unwrap(),
        size: None,
        brand: None,
        price_ceiling: Some(ceiling.into()),
    };
    let taken = added(rig.errand(&shopper, "milk", Some(preference("$4.49")), None).await);
    assert_eq!(taken.product, "Oat Milk Barista");
    assert_eq!(rig.store.count("GET", "/search"), 0);
    // Another is looked for, and what is no oat milk does not take its place.
    let (why, _) = reason(rig.errand(&shopper, "milk", Some(preference("$4.48")), None).await);
    assert!(
        why.contains("Oat Milk Barista, chosen before, cannot be had: it costs $4.49"),
        "{why}"
    );
    assert!(rig.store.count("GET", "/search") > 0);
    assert!(taken.chosen.is_none());
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_chosen_before_and_cannot_be_had_is_replaced_by_its_like_with_a_note_or_by_a_person()
 {
    let rig = Rig::open(Options::default()).await;
    let shopper = Embedded::default();
    let skim = |page: &str, size: Option<&str>| Preference {
        product: "Skim Milk".into(),
        url: rig.store.product_url(page).parse().unwrap(),
        size: size.map(str::to_owned),
        brand: None,
        price_ceiling: None,
    };
    let notes = || {
        let told = rig.told.lock().unwrap().clone();
        let noted = |stage: Stage| match stage {
            Stage::Noted(text) => Some(text),
            _ => None,
        };
        told.into_iter().filter_map(noted).collect::<Vec<_>>()
    };
    // One litre is sold out, and two litres are not what was chosen.
    let one_litre = skim("meadowbrook-skim-milk-1-l", None);
    let outcome = rig.errand(&shopper, "skim milk", Some(one_litre.clone()), None).await;
    let (why, out_of_stock) = reason(outcome);
    assert!(out_of_stock && why.contains("chosen before, cannot be had"), "{why}");
    assert!(why.contains("Skim Milk ($4.59)"), "what there is instead is told: {why}");
    assert_eq!((rig.cart(), notes()), (vec![], vec![]));
    // A person says what is wanted instead.
    let outcome = rig.errand(&shopper, "skim milk", Some(one_litre), Some(&Takes("Skim"))).await;
    assert_eq!(added(outcome).url.path(), "/product/lakeshore-skim-milk-2-l");
    assert!(notes()[0].contains("Skim Milk was taken instead"), "{:?}", notes());
    // The same in the same size, from another page.
    let gone = skim("gone", Some("2 L"));
    let taken = added(rig.errand(&shopper, "skim milk", Some(gone), None).await);
    assert_eq!(taken.url.path(), "/product/lakeshore-skim-milk-2-l");
    assert!(notes()[1].contains("its page is gone; Skim Milk was taken instead"), "{:?}", notes());
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_can_be_asked_says_how_many_are_meant_and_what_else_will_do() {
    let rig = Rig::open(Options::default()).await;
    let shopper = Embedded::default();
    let (why, _) = reason(rig.shop(&shopper, "12 large white eggs").await);
    assert!(why.contains("not clear how many"), "{why}");
    let outcome = rig.errand(&shopper, "12 large white eggs", None, Some(&Takes("12 × "))).await;
    assert_eq!(added(outcome).quantity, 12);
    let outcome = rig.errand(&shopper, "12 large white eggs", None, Some(&Takes("1 × "))).await;
    assert_eq!(added(outcome).quantity, 1);
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_can_be_asked_chooses_and_who_cannot_is_told_what_there_was() {
    let rig = Rig::open(Options::default()).await;
    let shopper = Embedded::default();
    let (reason, _) = reason(rig.shop(&shopper, "oil").await);
    assert!(reason.contains("Canola Oil ($4.99: \"canola\" makes"), "{reason}");
    let chosen = added(rig.errand(&shopper, "oil", None, Some(&Takes("Canola"))).await);
    assert_eq!(chosen.product, "Canola Oil");
    assert!(rig.told.lock().unwrap().contains(&Stage::Asking));
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_sign_in_is_noticed_wherever_it_happens() {
    let rig = Rig::open(Options::default()).await;
    let shopper = Embedded::default();
    for (method, path) in
        [("GET", "/search"), ("GET", "/cart"), ("GET", "/product/*"), ("POST", "/cart/add")]
    {
        rig.sign_in().await;
        rig.store.break_down(Faults::one(method, path, 1, Harm::SignedOut));
        assert_eq!(rig.shop(&shopper, "celery").await, Err(Trouble::SignedOut), "{path}");
        assert_eq!(rig.cart(), [], "{path}");
    }
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_shop_breaks_down_the_cart_tells_what_came_of_it() {
    let rig = Rig::open(Options::default()).await;
    let shopper = Embedded::default();
    for (method, path, harm) in [
        ("GET", "/search", Harm::Fails(500)),
        ("GET", "/cart", Harm::Fails(503)),
        ("GET", "/product/*", Harm::Cut(Effect::None)),
        ("POST", "/cart/add", Harm::Fails(500)),
        ("POST", "/cart/add", Harm::Cut(Effect::None)),
    ] {
        rig.store.break_down(Faults::one(method, path, 1, harm));
        let outcome = rig.shop(&shopper, "celery").await;
        assert!(matches!(outcome, Err(Trouble::Network(_))), "{path} {harm:?}: {outcome:?}");
        assert_eq!(rig.cart(), [], "{path} {harm:?}");
    }
    rig.store.break_down(Faults::one("POST", "/cart/add", 1, Harm::Cut(Effect::Done)));
    let celery = added(rig.shop(&shopper, "2 celery").await);
    assert_eq!(celery.quantity, 2);
    assert_eq!(rig.cart(), [("farm-stand-celery-each".to_owned(), 2)]);
    rig.store.break_down(Faults::one("GET", "/cart", 2, Harm::Fails(500)));
    let outcome = rig.shop(&shopper, "limes").await;
    assert!(matches!(outcome, Err(Trouble::Network(_))), "{outcome:?}");
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_means_ill_is_told_of_and_gets_nothing() {
    let rig = Rig::open(Options { hostile: true, ..Options::default() }).await;
    let shopper = Embedded::default();
    for line in
        ["2x milk", "white bread", "bananas", "large white eggs", "salted butter", "spaghetti"]
    {
        let before = rig.cart();
        match rig.shop(&shopper, line).await {
            Ok(Outcome::Added(added)) => {
                assert!(
                    matches!(added.cart, Cart::Shows { quantity, .. } if quantity == added.quantity),
                    "{added:?}"
                );
            }
            _ => assert_eq!(rig.cart(), before, "{line}"),
        }
    }
    assert!(rig.cart().iter().all(|(_, quantity)| *quantity <= 2), "{:?}", rig.cart());
    assert!(!rig.store.reached_checkout());
    assert!(!rig.steered().is_empty());
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cart_that_cannot_be_read_is_not_an_empty_one() {
    let rig = Rig::open(Options::default()).await;
    assert_eq!(cart::read(&rig.lane).await.unwrap().lines, []);
    rig.store.break_down(Faults::one("GET", "/cart", 1, Harm::Fails(500)));
    assert!(matches!(cart::read(&rig.lane).await, Err(Trouble::Network(_))));
    rig.store.expire();
    assert_eq!(cart::read(&rig.lane).await, Err(Trouble::SignedOut));
    rig.close().await;
}
