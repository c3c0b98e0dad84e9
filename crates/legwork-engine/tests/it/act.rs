use std::time::Duration;

use legwork_engine::{Acting, Click, Effect, Target, Verdict};

use crate::support::{Rig, told};

#[tokio::test]
async fn a_click_says_what_changed() {
    let rig = Rig::show(
        "<h1>Shop</h1><button onclick=\"document.getElementById('o').textContent='Added to cart'\">Add</button><p id=o></p>",
    )
    .await;
    println!("{}", rig.text().await);
    let outcome = rig.page.click(&Target::parse("Add"), &Click::default()).await.unwrap();
    println!("{} {}", rig.eval("document.body.innerHTML").await, rig.text().await);
    assert_eq!(outcome.verdict, Verdict::Done, "{}", told(&outcome));
    assert!(outcome.change.contains("+ Added to cart"), "{}", told(&outcome));
    assert!(outcome.acted_on.as_deref().unwrap().contains("Add"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn a_click_that_does_nothing_says_so() {
    let rig = Rig::show("<button>Nothing</button>").await;
    let outcome = rig.page.click(&Target::parse("Nothing"), &Click::default()).await.unwrap();
    println!("{}", told(&outcome));
    assert_eq!(outcome.verdict, Verdict::NothingChanged, "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn filling_a_field_tells_its_value_before_and_after() {
    let rig = Rig::show("<label>Email <input value=old></label>").await;
    let outcome =
        rig.page.fill(&Target::parse("Email"), "a@b.c", &Acting::default()).await.unwrap();
    let expected = Effect::Value { before: "old".into(), after: "a@b.c".into() };
    assert!(outcome.effects.contains(&expected), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn a_disabled_button_is_an_error_at_once() {
    let rig = Rig::show("<button disabled>Pay</button>").await;
    let error = rig.page.click(&Target::parse("Pay"), &Click::default()).await.unwrap_err();
    assert_eq!(error.code(), "not_actionable");
    assert!(error.to_string().contains("is disabled"), "{error}");
    let _ = Duration::ZERO;
    rig.end().await;
}
