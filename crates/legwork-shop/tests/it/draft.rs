//! Drafting a description from a visit, in a real browser.

use std::sync::Arc;

use legwork_demo::{Options, Store};
use legwork_shop::site::draft::{self, DraftError, Drafted};
use legwork_shop::site::{Locator, Phase, Site};
use legwork_tools::{Host, Rules, Settings};
use url::Url;

use crate::oscar::Oscar;

async fn drafted(url: &Url) -> Result<Drafted, DraftError> {
    let rules = Arc::new(Rules::parse(&draft::policy(url)).unwrap());
    let host = Host::new(Settings { rules, ..Settings::default() });
    let seen = draft::visit(&host, "draft", url).await;
    host.close().await;
    seen?.drafted()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_shop_is_described_from_one_visit() -> anyhow::Result<()> {
    let oscar = Oscar::start().await?;
    let made = drafted(&Url::parse(&oscar.url)?).await?;
    let (site, true_site) = (Site::parse(&made.toml)?, oscar.site());
    assert_eq!(site.search_url("oat milk"), true_site.search_url("oat milk"), "{}", made.toml);
    assert_eq!(site.cart, true_site.cart);
    assert_eq!(site.currency, true_site.currency);
    assert_eq!(site.hosts.required, true_site.hosts.required);
    assert_eq!(site.hosts.optional[0].hosts, ["ajax.googleapis.com"]);

    let form = site.sign_in.as_ref().unwrap();
    assert_eq!(form.url, true_site.sign_in.as_ref().unwrap().url);
    let selector = |id: &str| Locator::Selector(format!("[id=\"{id}\"]"));
    assert_eq!(form.fields[0].at, selector("id_login-username"));
    assert_eq!(form.fields[1].at, selector("id_login-password"));
    assert_eq!(form.submit, Locator::Label("Log In".into()));
    assert_eq!(site.paths.sign_in, ["/accounts/login*"]);
    assert!(site.paths.blocked.contains(&"**/checkout*".to_owned()));
    for phase in [Phase::Shopping, Phase::SignIn] {
        Rules::parse(&site.policy(phase)).unwrap();
    }
    let told = |what: &str| made.notes.iter().any(|note| note.contains(what));
    assert!(told("[signed_in]") && told("the usual ones"), "{:?}", made.notes);
    assert_eq!(oscar.books().await?.baskets, [], "a visit puts nothing in the basket");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_with_pop_ups_and_strangers_is_described_and_strangers_are_not_allowed()
-> anyhow::Result<()> {
    let store = Store::start(Options::default()).await?;
    let true_site = Site::parse(&store.site_toml())?;
    let made = drafted(&true_site.home).await?;
    let site = Site::parse(&made.toml)?;
    assert_eq!(site.search_url("oat milk"), true_site.search_url("oat milk"), "{}", made.toml);
    assert_eq!(site.cart, true_site.cart);
    assert!(made.notes.iter().any(|note| note.contains("the cart was not seen")), "{made:?}");
    assert_eq!(site.hosts.required, true_site.hosts.required);
    let form = site.sign_in.as_ref().unwrap();
    assert_eq!(form.url, true_site.sign_in.as_ref().unwrap().url);
    assert!(made.toml.contains("whose dollars"), "{}", made.toml);
    assert!(site.hosts.optional.iter().any(|group| !group.allow), "{}", made.toml);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_shop_is_not_described_as_one() -> anyhow::Result<()> {
    let oscar = Oscar::start().await?;
    let missing = Url::parse(&format!("{}/nowhere/", oscar.url))?;
    let error = drafted(&missing).await.unwrap_err();
    assert!(matches!(error, DraftError::Refused { status: 404, .. }), "{error}");
    // A stylesheet has neither a search field nor a way to a cart.
    let style = Url::parse(&format!("{}/static/oscar/css/styles.css", oscar.url))?;
    let error = drafted(&style).await.unwrap_err();
    assert!(matches!(error, DraftError::NoShop { .. }), "{error}");
    let nobody = Url::parse("http://127.0.0.1:1/")?;
    let error = drafted(&nobody).await.unwrap_err();
    assert!(matches!(error, DraftError::Closed { .. }), "{error}");
    Ok(())
}
