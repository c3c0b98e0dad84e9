//! Searching, adding, signing in, and what the store remembers of it.

use legwork_demo::{Options, PASSWORD, Store, USERNAME};

use crate::customer::Customer;

const MILK: &str = "meadowbrook-2-milk-1-l";

async fn store() -> Store {
    Store::start(Options::default()).await.unwrap()
}

#[tokio::test]
async fn what_is_added_is_in_the_cart_and_on_its_page() {
    let store = store().await;
    let customer = Customer::signed_in(&store).await;
    let answer = customer.post("/cart/add", &format!("product={MILK}&quantity=2")).await.unwrap();
    assert_eq!(answer.status, 303);
    customer.post("/cart/add", &format!("product={MILK}")).await.unwrap();
    assert_eq!(store.cart(USERNAME)[MILK], 3);
    let page = customer.get("/cart").await.unwrap().text;
    assert!(page.contains("value=\"3\"") && page.contains("$8.97"), "{page}");
    customer.post("/cart/update", &format!("product={MILK}&quantity=1")).await.unwrap();
    assert_eq!(store.cart(USERNAME)[MILK], 1);
    customer.post("/cart/remove", &format!("product={MILK}")).await.unwrap();
    assert!(store.cart(USERNAME).is_empty());
    assert_eq!(store.count("POST", "/cart/add"), 2);
    assert!(!store.reached_checkout());
}

#[tokio::test]
async fn who_is_not_signed_in_has_no_cart() {
    let store = store().await;
    let mut stranger = Customer::of(&store);
    assert_eq!(stranger.sign_in(USERNAME, "guess").await.unwrap().status, 401);
    let answer = stranger.post("/cart/add", &format!("product={MILK}")).await.unwrap();
    assert!(answer.status == 303 && answer.text.contains("location: /sign-in"), "{}", answer.text);
    assert!(store.cart(USERNAME).is_empty());
    assert!(!stranger.get("/").await.unwrap().text.contains("id=\"account\""));
    stranger.sign_in(USERNAME, PASSWORD).await.unwrap();
    assert!(stranger.get("/").await.unwrap().text.contains("id=\"account\""));
    store.expire();
    assert!(!stranger.get("/").await.unwrap().text.contains("id=\"account\""));
}

#[tokio::test]
async fn a_sign_in_lasts_so_many_requests() {
    let options = Options { expire_after: Some(2), ..Options::default() };
    let store = Store::start(options).await.unwrap();
    let customer = Customer::signed_in(&store).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(customer.get("/cart").await.unwrap().status);
    }
    assert_eq!(statuses, [200, 200, 303]);
}

#[tokio::test]
async fn what_is_out_of_stock_or_too_much_is_not_added() {
    let store = store().await;
    let customer = Customer::signed_in(&store).await;
    let forms = ["product=meadowbrook-skim-milk-1-l", "product=nothing", "product=x&quantity=-1"];
    for form in forms {
        assert_eq!(customer.post("/cart/add", form).await.unwrap().status, 422, "{form}");
    }
    let page = customer.get("/product/meadowbrook-skim-milk-1-l").await.unwrap().text;
    assert!(page.contains("Out of stock"));
    assert!(store.cart(USERNAME).is_empty());
}

#[tokio::test]
async fn a_search_shows_cards_pages_and_what_was_meant() {
    let store = store().await;
    let customer = Customer::of(&store);
    let page = customer.get("/search?q=milk").await.unwrap().text;
    assert!(page.contains("Page 2") && page.matches("class=\"card\"").count() == 20);
    let page = customer.get("/search?q=spagetti").await.unwrap().text;
    assert!(page.contains("Did you mean <a href=\"/search?q=spaghetti\">"), "{page}");
    let page = customer.get("/search?q=xylophone").await.unwrap().text;
    assert!(page.contains("No results for") && page.contains("Popular right now"));
}

#[tokio::test]
async fn whoever_reaches_the_checkout_is_remembered() {
    let store = store().await;
    Customer::of(&store).get("/checkout?product=x").await.unwrap();
    assert!(store.reached_checkout());
    let entry = &store.log()[0];
    assert_eq!((&*entry.path, &*entry.query), ("/checkout", "product=x"));
}
