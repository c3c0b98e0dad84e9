//! The protected browser: what an agent cannot reach while it shops, and how one gets signed in (G4-G6).

use std::path::Path;
use std::sync::Arc;

use legwork_protocol::{Reply, ToolCall, ToolError, ToolHost as _, Warden};
use legwork_shop::agent::ModelShopper;
use legwork_shop::errand::{Budget, Errand, Floor, Shopper as _, Trouble};
use legwork_shop::item::{Item, ItemId, Status};
use legwork_shop::lane::Lane;
use legwork_shop::page::Piece;
use legwork_shop::sign_in::{Credentials, Door as _, Kept, Manual};
use legwork_shop::site::{Phase, Site};
use legwork_tools::{Files, Host, Settings};
use serde_json::{Map, Value, json};

use crate::corner::{Corner, FORBIDDEN, PASSWORD, USER, WAYS};
use crate::floor::Book;
use crate::records::Records;
use crate::scripted::{Scripted, call};

struct Rig {
    shop: Corner,
    site: Site,
    host: Host,
    records: Arc<Records>,
    _folder: tempfile::TempDir,
}

impl Rig {
    async fn new() -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let files = folder.path().join("files");
        Rig::with(folder, &files).await
    }

    async fn with(folder: tempfile::TempDir, files: &Path) -> Rig {
        let shop = Corner::open().await;
        let records = Arc::new(Records::default());
        let settings = Settings {
            files: Files::in_folder(files),
            audit: records.clone(),
            ..Default::default()
        };
        let site = shop.site();
        Rig { shop, site, host: Host::new(settings), records, _folder: folder }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        self.host.call(ToolCall::new("shop", tool, arguments)).await
    }

    async fn go(&self, path: &str) -> Result<Reply, ToolError> {
        self.call("browser_navigate", json!({ "url": self.shop.url(path) })).await
    }

    async fn enter(&self) -> Result<(), Trouble> {
        Credentials.enter(&self.host, "shop", &self.site).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_way_leads_an_agent_to_checkout_payment_account_or_sign_in() {
    let rig = Rig::new().await;
    rig.host.govern(&rig.site.policy(Phase::Shopping)).await.unwrap();
    for to in FORBIDDEN {
        rig.go(to).await.unwrap_err();
        for way in WAYS {
            // Some ways are refused before the page is there to be told of.
            let _ = rig.go(&format!("/way/{way}?to={to}")).await;
            if ["link", "open", "spa", "closing"].contains(&way) {
                let _ = rig.call("browser_click", json!({ "target": "Go on" })).await;
            }
        }
        // What a way set in motion has to be over before it counts as not heard.
        rig.go("/").await.unwrap();
        assert_eq!(rig.shop.asked_for(to), [""; 0], "{to}");
    }
    for way in WAYS {
        assert!(!rig.shop.asked_for(&format!("/way/{way}")).is_empty(), "{way} was not tried");
    }
    let blocked = Warden::blocked(&rig.host);
    for to in FORBIDDEN {
        let of = |url: &Option<String>| url.as_ref().is_some_and(|url| url.ends_with(to));
        let why = blocked.iter().find(|one| of(&one.url)).unwrap_or_else(|| panic!("{to}"));
        assert!(why.rule.contains("paths"), "{why:?}");
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_signed_in_in_a_phase_of_its_own_and_stays_so_while_shopping() {
    let rig = Rig::new().await;
    rig.enter().await.unwrap();
    assert_eq!(rig.shop.asked_for("/login").len(), 2, "{:?}", rig.shop.heard());
    let home = rig.go("/").await.unwrap();
    assert!(home.text.contains("Hello {{secret:corner-user}}"), "{}", home.text);
    rig.go("/login").await.unwrap_err();
    let back = rig.call("browser_back", json!({})).await;
    assert!(!format!("{back:?}").contains("Password"), "{back:?}");
    // Who is known is not signed in again.
    rig.enter().await.unwrap();
    assert_eq!(rig.shop.asked_for("/login").len(), 2, "{:?}", rig.shop.heard());
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_can_name_no_credential_and_is_shown_none() {
    let rig = Rig::new().await;
    rig.enter().await.unwrap();
    let mut left = String::new();
    left += &rig.go("/find?q=milk").await.unwrap().text;
    for (tool, arguments) in [
        ("browser_navigate", json!({ "url": rig.shop.url("/") })),
        ("browser_snapshot", json!({})),
        ("browser_extract", json!({ "format": "html", "whole": true })),
        ("browser_type", json!({ "target": "css=body", "text": "{{secret:corner-password}}" })),
        ("browser_get_network_sources", json!({})),
        ("browser_recent_console_logs", json!({})),
    ] {
        left += &match rig.call(tool, arguments).await {
            Ok(reply) => format!("{}{}", reply.text, reply.data),
            Err(error) => error.told(),
        };
    }
    left += &rig.records.all();
    for variable in [USER, PASSWORD] {
        let value = std::env::var(variable).unwrap();
        assert!(!left.contains(&value), "{left}");
    }
    assert!(left.contains("there is no secret corner-password"), "{left}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_to_a_model_has_a_credential_in_it() {
    let rig = Rig::new().await;
    rig.enter().await.unwrap();
    let lane = Lane::new(Arc::new(rig.host.clone()), "shop", Arc::new(rig.site.clone()));
    // The first page greets by name; the rest asks for what was entered in every way there is.
    let model = Arc::new(Scripted::says([
        call("browser_navigate", json!({ "url": rig.shop.url("/") })),
        call("browser_extract", json!({ "format": "html", "whole": true })),
        call("browser_type", json!({ "target": "css=body", "text": "{{secret:corner-password}}" })),
        call("browser_navigate", json!({ "url": rig.shop.url("/login") })),
        call("give_up", json!({ "reason": "there is no milk" })),
    ]));
    let item = Item::read(ItemId::new("milk"), "milk", Status::NeedsAction).unwrap();
    let errand = Errand { item, preference: None, budget: Budget::default(), turns: 0 };
    let book = Book::default();
    let floor = Floor { lane: &lane, till: &book, person: None, told: &|_| {} };
    let outcome = ModelShopper::new(model.clone()).shop(&errand, &floor).await;
    let requests = format!("{:?}", model.requests.lock().unwrap());
    assert_eq!(model.requests.lock().unwrap().len(), 5, "{outcome:?}");
    assert!(requests.contains("Hello {{secret:corner-user}}"), "{requests}");
    for variable in [USER, PASSWORD] {
        let value = std::env::var(variable).unwrap();
        assert!(!requests.contains(&value), "{variable} in {requests}");
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_credentials_end_signed_out_and_in_the_shopping_phase() {
    let rig = Rig::new().await;
    let mut site = rig.site.clone();
    let form = site.sign_in.as_mut().unwrap();
    form.fields[1].env = "CARGO_PKG_VERSION".into();
    let refused = Credentials.enter(&rig.host, "shop", &site).await.unwrap_err();
    assert_eq!(refused, Trouble::SignedOut);
    rig.go("/login").await.unwrap_err();
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_goes_wrong_while_signing_in_what_follows_is_the_shopping_phase() {
    let rig = Rig::new().await;
    let mut site = rig.site.clone();
    let form = site.sign_in.as_mut().unwrap();
    form.submit = legwork_shop::site::Locator::Label("No such button".into());
    let trouble = Credentials.enter(&rig.host, "shop", &site).await.unwrap_err();
    assert!(matches!(trouble, Trouble::Agent(_)), "{trouble:?}");
    rig.go("/login").await.unwrap_err();
    let secret = json!({ "fields": { "q": "{{secret:corner-user}}" } });
    let refused = rig.call("browser_fill_form", secret).await.unwrap_err();
    assert!(refused.told().contains("secret") || refused.told().contains("field"), "{refused:?}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_that_is_not_set_is_named_before_anything_is_opened() {
    let rig = Rig::new().await;
    let mut site = rig.site.clone();
    let form = site.sign_in.as_mut().unwrap();
    form.fields[0].env = "LEGWORK_TEST_IS_NOT_SET".into();
    let trouble = Credentials.enter(&rig.host, "shop", &site).await.unwrap_err();
    assert!(trouble.to_string().contains("LEGWORK_TEST_IS_NOT_SET"), "{trouble}");
    assert_eq!(rig.shop.heard(), [""; 0]);
    assert!(rig.host.sessions().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_that_is_not_signed_in_is_said_to_be_so() {
    let rig = Rig::new().await;
    let out = Kept.enter(&rig.host, "shop", &rig.site).await.unwrap_err();
    assert_eq!(out, Trouble::SignedOut);
    rig.enter().await.unwrap();
    Kept.enter(&rig.host, "shop", &rig.site).await.unwrap();
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_loaded_anew_at_its_own_address_is_asked_whether_it_still_knows_us() {
    let rig = Rig::new().await;
    rig.enter().await.unwrap();
    let lane = Lane::new(Arc::new(rig.host.clone()), "shop", Arc::new(rig.site.clone()));
    let cart = rig.site.cart.clone();
    lane.go(&cart).await.unwrap();
    let press = json!({ "target": "Update" }).as_object().cloned().unwrap();
    let out = lane.attempt("browser_click", press).await.unwrap_err();
    assert_eq!(out, Trouble::SignedOut, "by a model");
    let page = lane.go(&cart).await.unwrap();
    let update = page.pieces().find_map(|piece| match piece {
        Piece::Button { name, reference, .. } if name == "Update" => Some(reference.clone()),
        _ => None,
    });
    let out = lane.click(&update.unwrap()).await.unwrap_err();
    assert_eq!(out, Trouble::SignedOut, "without one");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_by_hand_needs_a_screen_and_a_way_to_tell() {
    let rig = Rig::new().await;
    let mut blind = rig.site.clone();
    blind.signed_in = None;
    let manual = Manual::default();
    let trouble = manual.enter(&rig.host, "shop", &blind).await.unwrap_err();
    assert!(trouble.to_string().contains("[signed_in]"), "{trouble}");
    if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
        let trouble = manual.enter(&rig.host, "shop", &rig.site).await.unwrap_err();
        assert!(trouble.to_string().contains("no display"), "{trouble}");
    }
    assert_eq!(rig.shop.heard(), [""; 0]);
}
