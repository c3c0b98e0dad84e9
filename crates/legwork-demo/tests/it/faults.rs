//! What goes wrong does so as planned, with the effect that was planned.

use std::time::Duration;

use legwork_demo::{Effect, Faults, Harm, Options, Store, USERNAME};

use crate::customer::Customer;

const ADD: &str = "product=meadowbrook-2-milk-1-l";

/// Adds twice; the first time something goes wrong. What the two answers were, and what the cart has.
async fn add_twice(harm: Harm) -> ([Option<u16>; 2], u32) {
    let faults = Faults::one("POST", "/cart/add", 1, harm);
    let store = Store::start(Options { faults, ..Options::default() }).await.unwrap();
    let customer = Customer::signed_in(&store).await;
    let hangs = matches!(harm, Harm::Hangs(_));
    let limit = if hangs { Duration::from_millis(300) } else { Duration::from_secs(30) };
    let first = tokio::time::timeout(limit, customer.post("/cart/add", ADD)).await;
    assert_eq!(first.is_err(), hangs);
    let second = customer.post("/cart/add", ADD).await;
    assert_eq!(store.faults_done(), 1);
    let statuses = [first.unwrap_or_default(), second].map(|answer| answer.map(|a| a.status));
    (statuses, store.cart(USERNAME).values().sum())
}

#[tokio::test]
async fn a_request_is_harmed_once_before_or_after_its_effect() {
    let cases = [
        (Harm::Fails(500), [Some(500), Some(303)], 1),
        (Harm::Cut(Effect::None), [None, Some(303)], 1),
        (Harm::Cut(Effect::Done), [None, Some(303)], 2),
        (Harm::Hangs(Effect::None), [None, Some(303)], 1),
        (Harm::Hangs(Effect::Done), [None, Some(303)], 2),
        // To the sign-in, both times.
        (Harm::SignedOut, [Some(303), Some(303)], 0),
    ];
    for (harm, statuses, in_cart) in cases {
        assert_eq!(add_twice(harm).await, (statuses, in_cart), "{harm:?}");
    }
}

#[tokio::test]
async fn who_waits_is_let_go_when_the_store_closes() {
    let faults = Faults::one("GET", "/", 1, Harm::Hangs(Effect::None));
    let store = Store::start(Options { faults, ..Options::default() }).await.unwrap();
    let customer = Customer::of(&store);
    let waiting = tokio::spawn(async move { customer.get("/").await.is_none() });
    while store.faults_done() == 0 {
        tokio::task::yield_now().await;
    }
    drop(store);
    assert!(waiting.await.unwrap());
}
