//! On a trip nobody sits at the browser who could be asked: every call has its answer at once, also one that
//! a person would be asked about elsewhere.

use std::sync::Arc;
use std::time::Duration;

use legwork_demo::{Options, Store};
use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost, Warden};
use legwork_shop::errand::Trouble;
use legwork_shop::shopper::Embedded;
use legwork_shop::site::{Phase, Site};
use legwork_shop::trip::{Trip, TripError};
use legwork_tools::{Files, Host, Rules, Settings};
use serde_json::{Value, json};

use crate::corner::Corner;
use crate::world::World;

/// Much more than a call takes, and much less than a person is waited for.
const SOON: Duration = Duration::from_secs(30);

async fn call(host: &Host, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
    let arguments = serde_json::from_value(arguments).unwrap();
    let called = host.call(ToolCall::new("shop", tool, arguments));
    tokio::time::timeout(SOON, called).await.expect("somebody was waited for")
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_waited_for_when_a_page_is_left_with_something_typed() {
    let store = Store::start(Options::default()).await.unwrap();
    let site = Site::parse(&store.site_toml()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rules = Arc::new(Rules::parse(&site.policy(Phase::Shopping)).unwrap());
    let files = Files::in_folder(folder.path());
    let host = Host::new(Settings { files, rules, ..Settings::default() });
    let typed =
        [(Phase::SignIn, "/sign-in", "Email"), (Phase::Shopping, "/", "css=input[type=search]")];
    for (phase, path, field) in typed {
        host.govern(&site.policy(phase)).await.unwrap();
        let url = format!("{}{path}", store.origin());
        call(&host, "browser_navigate", json!({ "url": url })).await.unwrap();
        call(&host, "browser_type", json!({ "target": field, "text": "7" })).await.unwrap();
        let home = json!({ "url": store.origin() });
        call(&host, "browser_navigate", home)
            .await
            .unwrap_or_else(|error| panic!("{phase:?}: {error}"));
    }
    host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_waited_for_when_a_page_asks_something_and_the_answer_is_yes() {
    let shop = Corner::open().await;
    let folder = tempfile::tempdir().unwrap();
    let rules = Arc::new(Rules::parse(&shop.site().policy(Phase::Shopping)).unwrap());
    let files = Files::in_folder(folder.path());
    let host = Host::new(Settings { files, rules, ..Settings::default() });
    for phase in [Phase::SignIn, Phase::Shopping] {
        host.govern(&shop.site().policy(phase)).await.unwrap();
        let go = json!({ "url": shop.url("/way/asking") });
        call(&host, "browser_navigate", go).await.unwrap();
        let asked = call(&host, "browser_click", json!({ "target": "Go on" })).await.unwrap();
        assert_eq!(asked.data["dialog"], "confirm", "{}", asked.text);
        let yes = call(&host, "browser_handle_dialog", json!({ "accept": true })).await;
        let refused = yes.expect_err("a yes was allowed");
        assert_eq!(refused.code, Code::Denied, "{phase:?}: {refused}");
        assert!(refused.message.contains("dialog = \"refuse\""), "{phase:?}: {refused}");
        call(&host, "browser_handle_dialog", json!({ "accept": false })).await.unwrap();
    }
    assert_eq!(shop.asked_for("/yes"), [""; 0]);
    host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_that_wants_a_sign_in_says_so_also_where_nothing_tells_who_is_signed_in() {
    let world = World::open(Options::default()).await;
    let mut blind = (*world.site).clone();
    blind.signed_in = None;
    let trip = world.trip(Arc::new(Embedded::default()), &["milk".into()], 1);
    let ended = Trip { site: Arc::new(blind), door: None, ..trip }.run().await;
    assert!(matches!(ended, Err(TripError::SignIn(Trouble::SignedOut))), "{ended:?}");
    world.host.close().await;
}
