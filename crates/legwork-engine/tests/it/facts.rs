//! What acting on an element would do is known before it is done, and only that element is acted on.

use std::time::Duration;

use legwork_engine::{Acting, Click, ElementFacts, Error, Intent, Target};

use crate::support::Rig;

const SOON: Duration = Duration::from_secs(5);

async fn facts(rig: &Rig, target: &str, intent: Intent) -> ElementFacts {
    rig.page.facts(&Target::parse(target), intent, SOON).await.unwrap()
}

fn sealed(facts: &ElementFacts) -> Target {
    let reference = facts.reference.parse().unwrap();
    Target::Sealed { reference, seal: facts.seal.clone() }
}

const CHECKOUT: &str = "<section><h2>Checkout</h2><form action=/buy method=post>
    <label>Card <input name=card autocomplete=cc-number></label><p>Total: 20.00 €</p>
    <input name=action><input name=elements><button>Pay now</button></form></section>
    <a href=/help>Help</a>";

#[tokio::test]
async fn a_button_is_known_by_its_form_and_the_amounts_around_it() {
    let rig = Rig::show(CHECKOUT).await;
    let pay = facts(&rig, "Pay now", Intent::Click(None)).await;
    assert_eq!((&*pay.role, &*pay.name, pay.submits), ("button", "Pay now", true));
    let form = pay.form.as_ref().unwrap();
    // The fields called "action" and "elements" do not stand in for the form's own.
    assert!(form.action.ends_with("/buy") && form.method == "post", "{form:?}");
    assert!(form.fields.iter().any(|word| word == "cc-number"), "{form:?}");
    assert!(!form.dirty);
    assert_eq!(pay.terms, ["20.00 €"]);
    assert_eq!(pay.around, "Checkout");
    rig.page.fill(&Target::parse("Card"), "4111", &Acting::default()).await.unwrap();
    let card = facts(&rig, "Card", Intent::Field).await;
    assert!(card.form.unwrap().dirty && !card.submits);
    let help = facts(&rig, "Help", Intent::Click(None)).await;
    assert!(help.link.unwrap().ends_with("/help"));
    rig.end().await;
}

#[tokio::test]
async fn what_a_click_would_hit_counts_not_the_wrapper_that_was_named() {
    let rig = Rig::show(
        "<form action=/buy><div id=innocent style='width:200px;height:60px'>
         <button style='width:200px;height:60px'><span id=word>Pay</span></button></div></form>",
    )
    .await;
    for target in ["#innocent", "#word"] {
        let hit = facts(&rig, target, Intent::Click(None)).await;
        assert_eq!((&*hit.name, hit.submits), ("Pay", true), "{target}");
    }
    rig.end().await;
}

#[tokio::test]
async fn an_element_that_changed_after_it_was_looked_at_is_not_acted_on() {
    let html = "<button onclick='document.title = this.textContent'>Next</button><a href=/x>Go</a>";
    let rig = Rig::show(html).await;
    let next = facts(&rig, "Next", Intent::Click(None)).await;
    rig.page.click(&sealed(&next), &Click::default()).await.unwrap();
    assert_eq!(rig.eval("document.title").await, "\"Next\"");
    for change in [
        "document.querySelector('button').textContent = 'Delete'",
        "document.querySelector('button').outerHTML = '<button>Delete</button>'",
    ] {
        rig.eval(change).await;
        let refused = rig.page.click(&sealed(&next), &Click::default()).await.unwrap_err();
        assert_eq!(refused.code(), "stale_ref", "{change}: {refused:?}");
    }
    let go = facts(&rig, "Go", Intent::Click(None)).await;
    rig.eval("document.querySelector('a').href = '/y'").await;
    let refused = rig.page.click(&sealed(&go), &Click::default()).await.unwrap_err();
    assert!(matches!(refused, Error::Changed(_)), "{refused:?}");
    assert_eq!(rig.eval("document.title").await, "\"Next\"");
    rig.end().await;
}

#[tokio::test]
async fn a_sealed_field_of_every_kind_can_still_be_filled() {
    let rig = Rig::show(
        "<label>Name <input></label><label><input type=checkbox> News</label>
         <label>Size <select><option>S<option>L</select></label><input type=password aria-label=Pin>",
    )
    .await;
    for (target, value) in [("Name", "Ada"), ("News", "true"), ("Size", "L"), ("Pin", "1234")] {
        let field = facts(&rig, target, Intent::Field).await;
        assert_eq!(field.secret, target == "Pin");
        rig.page.fill(&sealed(&field), value, &Acting::default()).await.unwrap();
    }
    let focused = rig.page.focused_facts(SOON).await.unwrap().unwrap();
    assert!(focused.secret, "{focused:?}");
    rig.end().await;
}
