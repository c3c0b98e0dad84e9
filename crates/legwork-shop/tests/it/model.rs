//! The shopper that asks a model, by a scripted one, in a real Chrome on the demo store.

use std::sync::Arc;

use legwork_agent::model::{Answer, Turn};
use legwork_demo::{Faults, Harm, Options, USERNAME};
use legwork_protocol::Boxed;
use legwork_shop::agent::{ModelFirst, ModelShopper};
use legwork_shop::errand::{
    Budget, Chooser, Errand, Floor, Outcome, Product, Shopper, Stage, Trouble,
};
use legwork_shop::item::{Item, ItemId, Status};
use legwork_shop::preferences::Preference;
use legwork_shop::shopper::Embedded;
use legwork_shop::summary::{Added, Cart};
use serde_json::{Value, json};

use crate::floor::Rig;
use crate::scripted::{Scripted, call, shown};
use crate::world::World;

const MILK: &str = "meadowbrook-2-milk-1-l";

fn shopper(model: &Arc<Scripted>) -> ModelShopper {
    ModelShopper::new(model.clone())
}

fn says(answers: impl IntoIterator<Item = Answer>) -> Arc<Scripted> {
    Arc::new(Scripted::says(answers))
}

fn open(rig: &Rig, product: &str) -> Answer {
    call("browser_navigate", json!({ "url": rig.store.product_url(product) }))
}

fn add() -> Answer {
    call("browser_click", json!({ "target": ".buy .main" }))
}

fn quantity(number: u32) -> Answer {
    let text = number.to_string();
    call("browser_type", json!({ "target": "Quantity", "text": text, "clear": true }))
}

/// A report of the milk, with some arguments changed.
fn report(rig: &Rig, changes: Value) -> Answer {
    let mut told = json!({
        "item_name": "2% Milk", "price_text": "$2.99", "price_cents": 299,
        "url": rig.store.product_url(MILK), "quantity": 1,
    });
    for (name, value) in changes.as_object().unwrap() {
        told[name] = value.clone();
    }
    call("report_item_added", told)
}

fn added(outcome: Result<Outcome, Trouble>) -> Added {
    match outcome {
        Ok(Outcome::Added(added)) => *added,
        other => panic!("{other:?}"),
    }
}

fn calm() -> Options {
    Options { popups: false, ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn g3_an_item_is_found_added_reported_and_seen_in_the_cart() {
    let rig = Rig::open(calm()).await;
    let report = report(&rig, json!({ "quantity": 2 }));
    let model = says([open(&rig, MILK), quantity(2), add(), report]);
    let added = added(rig.shop(&shopper(&model), "2x 2% milk 1 L").await);
    assert_eq!((added.product.as_str(), added.quantity), ("2% Milk", 2));
    assert!(matches!(added.cart, Cart::Shows { quantity: 2, .. }), "{added:?}");
    assert_eq!(rig.cart(), [(MILK.to_owned(), 2)]);
    let intents = rig.book.intents.lock().unwrap().clone();
    assert_eq!((intents.len(), intents[0].quantity, &intents[0].product), (1, 2, &None));
    assert!(intents[0].before.lines.is_empty());
    // The agent begins at the results of the search, and its page is its own again after the cart was read.
    let first = shown(&model.requests.lock().unwrap()[0]);
    assert!(first.contains("The thing: 2% milk 1 L") && first.contains("Meadowbrook"), "{first}");
    assert!(!model.result(1).contains("Your cart"), "{}", model.result(1));
    let told = rig.told.lock().unwrap().clone();
    assert!(told.contains(&Stage::Thinking(4)) && !told.contains(&Stage::Thinking(5)), "{told:?}");
    assert_eq!(rig.store.count("POST", "/cart/add"), 1);
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn g3_a_report_that_is_wrong_is_refused_and_can_be_corrected() {
    let rig = Rig::open(calm()).await;
    let wrong = [
        (json!({ "price_cents": 2.99 }), "invalid type"),
        (json!({ "price_cents": 399 }), "is 299 cents each, not 399"),
        (json!({ "quantity": 24 }), "asks for 1, not for 24"),
    ];
    let reports = wrong.iter().map(|(changes, _)| report(&rig, changes.clone()));
    let model =
        says([open(&rig, MILK), add()].into_iter().chain(reports).chain([report(&rig, json!({}))]));
    let added = added(rig.shop(&shopper(&model), "2% milk 1 L").await);
    assert!(matches!(added.cart, Cart::Shows { quantity: 1, .. }), "{added:?}");
    for (at, (_, reason)) in wrong.iter().enumerate() {
        let result = model.result(at + 3);
        assert!(result.contains("Failed (invalid_input)") && result.contains(reason), "{result}");
    }
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn g3_what_is_not_found_is_told_with_the_explanation_unless_the_cart_says_otherwise() {
    let rig = Rig::open(calm()).await;
    let not_found = || {
        let told =
            json!({ "item_name": "unicorn", "explanation": "No unicorn, and it is sold out." });
        call("report_item_not_found", told)
    };
    let model = says([not_found()]);
    let outcome = rig.shop(&shopper(&model), "unicorn").await;
    let reason = "No unicorn, and it is sold out.".to_owned();
    assert_eq!(outcome, Ok(Outcome::NotFound { reason, out_of_stock: true }));
    assert!(rig.book.intents.lock().unwrap().is_empty(), "nothing was touched");
    let model = says([open(&rig, MILK), add(), not_found()]);
    let outcome = rig.shop(&shopper(&model), "unicorn").await;
    let Err(Trouble::Agent(why)) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("reported as not found") && why.contains("from 0 to 1"), "{why}");
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn g3_a_report_is_believed_and_what_the_cart_shows_stands_beside_it() {
    let rig = Rig::open(calm()).await;
    let model = says([report(&rig, json!({}))]);
    assert_eq!(added(rig.shop(&shopper(&model), "2% milk 1 L").await).cart, Cart::Missing);
    let model = says([open(&rig, MILK), quantity(24), add(), report(&rig, json!({}))]);
    let added = added(rig.shop(&shopper(&model), "2% milk 1 L").await);
    assert!(matches!(added.cart, Cart::Shows { quantity: 24, .. }), "{added:?}");
    rig.close().await;
}

/// Shops with so many turns, and somebody to ask if there is one.
async fn within(
    rig: &Rig,
    shopper: &dyn Shopper,
    line: &str,
    (turns, person): (u32, Option<&dyn Chooser>),
) -> Result<Outcome, Trouble> {
    after(rig, shopper, line, (0, turns, person)).await
}

/// The same, when earlier attempts took some of the turns.
async fn after(
    rig: &Rig,
    shopper: &dyn Shopper,
    line: &str,
    (taken, turns, person): (u32, u32, Option<&dyn Chooser>),
) -> Result<Outcome, Trouble> {
    let item = Item::read(ItemId::new(line), line, Status::NeedsAction).unwrap();
    let budget = Budget { turns, ..Budget::default() };
    let errand = Errand { item, preference: None, budget, turns: taken };
    let told = |stage: Stage| rig.told.lock().unwrap().push(stage);
    let floor = Floor { lane: &rig.lane, till: &rig.book, person, told: &told };
    shopper.shop(&errand, &floor).await
}

#[tokio::test(flavor = "multi_thread")]
async fn g7_an_item_ends_when_its_turns_are_used_up_and_no_turn_more_is_asked_for() {
    let rig = Rig::open(calm()).await;
    let look = || call("browser_find", json!({ "target": "Milk" }));
    for (answers, changed) in
        [([look(), look(), look()], false), ([open(&rig, MILK), add(), look()], true)]
    {
        let model = says(answers);
        let outcome = within(&rig, &shopper(&model), "2% milk 1 L", (3, None)).await;
        let Err(Trouble::TimedOut(why)) = outcome else { panic!("{outcome:?}") };
        assert!(why.contains("no result after 3 turns of the model"), "{why}");
        assert_eq!(why.contains("the cart changed: \"2% Milk\" from 0 to 1"), changed, "{why}");
        assert_eq!(model.requests.lock().unwrap().len(), 3);
    }
    let model = says([look(), look(), look()]);
    let outcome = after(&rig, &shopper(&model), "2% milk 1 L", (2, 3, None)).await;
    let Err(Trouble::TimedOut(why)) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("no result after 3 turns of the model"), "{why}");
    assert_eq!(model.requests.lock().unwrap().len(), 1, "two were taken before");
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn g4_an_expired_sign_in_ends_the_item_at_the_next_page() {
    let faults = Faults::one("GET", "/search", 2, Harm::SignedOut);
    let rig = Rig::open(Options { faults, ..calm() }).await;
    let search = format!("{}/search?q=whole+milk", rig.store.origin());
    let model = says([call("browser_navigate", json!({ "url": search }))]);
    let outcome = rig.shop(&shopper(&model), "whole milk").await;
    assert_eq!(outcome, Err(Trouble::SignedOut));
    assert_eq!(model.requests.lock().unwrap().len(), 1);
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn g4_an_expired_sign_in_is_noticed_when_something_is_added() {
    let faults = Faults::one("POST", "/cart/add", 1, Harm::SignedOut);
    let rig = Rig::open(Options { faults, ..calm() }).await;
    // It takes the word of a page for it that nothing happened, and says it worked.
    let model = says([open(&rig, MILK), add(), report(&rig, json!({}))]);
    assert_eq!(rig.shop(&shopper(&model), "2% milk 1 L").await, Err(Trouble::SignedOut));
    assert_eq!(rig.cart(), []);
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn g8_a_cart_that_fails_once_is_looked_at_again_after_a_report() {
    // The first look is before anything is added.
    let faults = Faults::one("GET", "/cart", 2, Harm::Fails(500));
    let rig = Rig::open(Options { faults, ..calm() }).await;
    let model = says([open(&rig, MILK), add(), report(&rig, json!({}))]);
    let added = added(rig.shop(&shopper(&model), "2% milk 1 L").await);
    assert!(matches!(added.cart, Cart::Shows { quantity: 1, .. }), "{added:?}");
    rig.close().await;
}

/// Takes the choice that holds these words, and remembers what there was to choose from.
struct Person(&'static str);

impl Chooser for Person {
    fn choose<'a>(&'a self, _: &'a Item, products: &'a [Product]) -> Boxed<'a, Option<usize>> {
        let at = products.iter().position(|product| product.name.contains(self.0));
        Box::pin(std::future::ready(at))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_model_asks_goes_to_the_person_if_there_is_one_and_something_to_choose() {
    let rig = Rig::open(calm()).await;
    let ask = || {
        let choices = json!(["2% Milk 1 L", "Whole Milk 1 L"]);
        let asked = json!({ "type": "custom", "message": "Which milk?", "choices": choices });
        call("request_assistance", asked)
    };
    let given_up = || call("give_up", json!({ "reason": "heard" }));
    let model = says([ask(), given_up()]);
    let person = Person("Whole");
    let outcome = within(&rig, &shopper(&model), "milk", (5, Some(&person))).await;
    assert_eq!(outcome, Err(Trouble::Agent("heard".into())));
    let told = model.result(1);
    let chosen = told.split("The person chose:").nth(1).unwrap_or(&told);
    assert_eq!(chosen.lines().nth(2), Some("Whole Milk 1 L"), "{told}");
    let nobody = Person("none of these");
    let outcome = within(&rig, &shopper(&says([ask()])), "milk", (5, Some(&nobody))).await;
    assert!(
        matches!(&outcome, Ok(Outcome::NotFound { reason, .. }) if reason.contains("Which milk?")),
        "{outcome:?}"
    );
    let outcome = within(&rig, &shopper(&says([ask()])), "milk", (5, None)).await;
    assert!(
        matches!(&outcome, Err(Trouble::Agent(why)) if why.contains("Which milk?")),
        "{outcome:?}"
    );
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_from_the_start_still_adds_what_was_chosen_before_without_it() {
    let rig = Rig::open(calm()).await;
    let asked = says([call("give_up", json!({ "reason": "asked" }))]);
    let shopper = ModelFirst(Arc::new(ModelShopper::new(asked.clone())));
    let preference = Preference {
        product: "2% Milk".into(),
        url: rig.store.product_url(MILK).parse().unwrap(),
        size: None,
        brand: None,
        price_ceiling: None,
    };
    let outcome = rig.errand(&shopper, "milk", Some(preference.clone()), None).await;
    assert_eq!(added(outcome).product, "2% Milk");
    assert!(asked.requests.lock().unwrap().is_empty());
    let gone = Preference { url: rig.store.product_url("gone").parse().unwrap(), ..preference };
    let outcome = rig.errand(&shopper, "2% milk 1 L", Some(gone), None).await;
    assert_eq!(outcome, Err(Trouble::Agent("asked".into())));
    let model = says([open(&rig, MILK), add(), report(&rig, json!({}))]);
    let takes = ModelFirst(Arc::new(ModelShopper::new(model)));
    let gone = Preference {
        product: "Skim Milk".into(),
        url: rig.store.product_url("gone").parse().unwrap(),
        size: None,
        brand: None,
        price_ceiling: None,
    };
    added(rig.errand(&takes, "2% milk 1 L", Some(gone), None).await);
    let noted = |stage: &Stage| matches!(stage, Stage::Noted(text) if text.contains("Skim Milk, chosen before"));
    assert!(rig.told.lock().unwrap().iter().any(noted), "{:?}", rig.told);
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_clear_is_handed_over_to_the_model() {
    let rig = Rig::open(calm()).await;
    let model = says([open(&rig, MILK), add(), report(&rig, json!({}))]);
    let embedded = Embedded { next: Some(Arc::new(shopper(&model))) };
    let added = added(rig.shop(&embedded, "Lactantia butter").await);
    assert_eq!(added.product, "2% Milk");
    assert_eq!(model.requests.lock().unwrap().len(), 3);
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_agents_at_once_put_each_its_own_thing_in_the_cart() {
    let world = World::open(calm()).await;
    let things = ["meadowbrook-2-milk-1-l", "farm-stand-lemon-each", "basics-salted-butter-454-g"];
    let urls: Vec<String> = things.iter().map(|id| world.store.product_url(id)).collect();
    // Each agent is told apart by its task, and by how many turns it had.
    let model = Arc::new(Scripted::by(move |request| {
        let task = shown(request);
        let at = things.iter().position(|id| task.contains(&format!("The thing: {id}"))).unwrap();
        let turn = request.turns.iter().filter(|turn| matches!(turn, Turn::Model(_))).count();
        Ok(match turn {
            0 => call("browser_navigate", json!({ "url": urls[at] })),
            1 => add(),
            _ => {
                let told = json!({ "item_name": things[at], "price_text": "$1.00", "price_cents": 100, "url": urls[at] });
                call("report_item_added", told)
            }
        })
    }));
    let lines: Vec<String> = things.iter().map(|id| (*id).to_owned()).collect();
    let summary = world.shop(Arc::new(ModelShopper::new(model)), &lines, 3).await;
    let told = summary.markdown();
    assert_eq!(summary.added.len(), 3, "{told}");
    assert!(summary.steering.is_empty() && summary.others.is_empty(), "{told}");
    let all_once = |added: &Added| matches!(added.cart, Cart::Shows { quantity: 1, .. });
    assert!(summary.added.iter().all(all_once), "{told}");
    let cart = world.store.cart(USERNAME);
    assert!(cart.len() == 3 && cart.values().all(|quantity| *quantity == 1), "{cart:?}");
    world.host.close().await;
}
