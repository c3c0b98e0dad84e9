//! Whatever was acted on can be found again by each of the ways that were told.

use std::time::Duration;

use legwork_engine::{Acting, Click, Outcome, Target};

use crate::support::Rig;

const SHOP: &str = "<h1>Shop</h1><form id=sign-in>
    <label>Email <input type=email name=email></label>
    <label>Password <input type=password name=password value=hunter2></label>
    <button data-testid=enter>Log in</button></form>
    <ul><li>Oat milk <button>Remove</button></li><li>Bread <button>Remove</button></li></ul>
    <div style='cursor:pointer' onclick='this.title = 1'>Open the drawer</div>
    <p><span onclick='this.title = 1'></span><svg width=20 height=20 onclick='this.id = 1'><circle r=9 cx=9 cy=9 /></svg></p>
    <my-card></my-card><iframe srcdoc='<button>Inside</button>'></iframe>
    <script>customElements.define('my-card', class extends HTMLElement {
      connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<b>Card</b> <button>Turn</button>'; } });</script>";

const KEPT: Acting = Acting { timeout: Duration::from_secs(10), observe: true, known: true };

async fn click(rig: &Rig, target: &str) -> Outcome {
    let how = Click { acting: KEPT, ..Default::default() };
    rig.page.click(&Target::parse(target), &how).await.unwrap()
}

/// Every way leads to the element acted on, and to nothing else.
async fn leads_back(rig: &Rig, outcome: &Outcome) -> Vec<String> {
    let known = outcome.known.clone().unwrap();
    assert!(!known.find.is_empty(), "{known:?}");
    assert!(serde_json::to_string(&known.find).unwrap().len() < 800, "{known:?}");
    for way in &known.find {
        let found = rig.page.query(&Target::parse(way), 5).await.unwrap();
        let refs: Vec<&String> = found.items.iter().map(|item| &item.reference).collect();
        assert_eq!(refs, [outcome.reference.as_ref().unwrap()], "{way}");
        let item = &found.items[0];
        assert_eq!(
            (&item.role, item.kind.clone().unwrap_or_default()),
            (&known.role, known.kind.clone())
        );
    }
    known.find
}

#[tokio::test]
async fn every_way_that_is_told_leads_back_to_the_element() {
    let rig = Rig::show(SHOP).await;
    rig.text().await;
    let email = rig.page.fill(&Target::parse("Email"), "a@b.c", &KEPT).await.unwrap();
    let ways = leads_back(&rig, &email).await;
    assert_eq!(ways[0], r#"role=textbox[name="Email" exact]"#);
    assert!(ways.contains(&r#"css=input[name="email"]"#.to_owned()), "{ways:?}");
    for (target, expected) in [
        ("Remove in the row with Bread", r#""Remove" in "Bread""#),
        ("Open the drawer", r#"role=clickable[name="Open the drawer" exact]"#),
        ("Turn", r#"role=button[name="Turn" exact]"#),
        ("Inside", r#"role=button[name="Inside" exact]"#),
        ("css=svg", "css=svg"),
    ] {
        let ways = leads_back(&rig, &click(&rig, target).await).await;
        assert_eq!(ways[0], expected, "{ways:?}");
    }
    let ways = leads_back(&rig, &click(&rig, "css=[data-testid=enter]").await).await;
    assert!(ways.iter().any(|way| way == r#"css=[data-testid="enter"]"#), "{ways:?}");
    assert!(ways.iter().any(|way| way.starts_with("xpath=")), "{ways:?}");
    rig.end().await;
}

#[tokio::test]
async fn a_password_field_is_known_without_its_value() {
    let rig = Rig::show(SHOP).await;
    let password = Target::parse("Password");
    let typed = rig.page.type_text(&password, "swordfish", true, &KEPT).await.unwrap();
    let known = typed.known.unwrap();
    assert!(known.secret && known.kind == "password", "{known:?}");
    let told = format!("{known:?}");
    assert!(!told.contains("hunter2") && !told.contains("swordfish"), "{told}");
    rig.end().await;
}
