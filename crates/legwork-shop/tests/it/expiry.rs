//! A sign-in that ends in the middle: it is noticed also where no document is loaded, and made anew once for all
//! who need it. The banner stays through the same.

use std::sync::Arc;

use legwork_demo::{Faults, Harm, Options, USERNAME};
use legwork_shop::errand::Trouble;
use legwork_shop::page::{Page, Piece};
use legwork_shop::shopper::Embedded;
use serde_json::Map;

use crate::floor::Rig;
use crate::world::World;

/// The ref of a link on a page.
fn link(page: &Page, called: &str) -> String {
    let reference = |piece: &Piece| match piece {
        Piece::Link { name, reference, .. } if name == called => Some(reference.clone()),
        _ => None,
    };
    page.pieces().find_map(reference).unwrap_or_else(|| panic!("no {called} in {page:?}"))
}

impl Rig {
    /// Follows a link that the store's script follows without loading a document.
    async fn follow(&self, called: &str) -> Result<(), Trouble> {
        let page = self.lane.look().await?;
        let target = Map::from_iter([("target".to_owned(), link(&page, called).into())]);
        let reply = self.lane.call("browser_click", target).await?;
        assert_eq!(reply.data.get("navigated"), None, "a document was loaded: {}", reply.text);
        assert_ne!(reply.data["url"], page.url, "{}", reply.text);
        Ok(())
    }

    /// The window as a person sees it.
    async fn seen(&self) -> String {
        let taken = self.lane.call("browser_take_screenshot", Map::new()).await.unwrap();
        taken.images[0].data.clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_banner_stays_and_an_expired_sign_in_is_noticed_where_no_document_is_loaded() {
    let rig = Rig::open(Options { popups: false, ..Options::default() }).await;
    rig.lane.go(&rig.lane.site().home).await.unwrap();
    rig.banner("Currently shopping for: celery").await;
    rig.follow("Produce").await.unwrap();
    let with = rig.seen().await;
    rig.banner("").await;
    let without = rig.seen().await;
    assert_ne!(with, without, "the banner was gone");
    rig.banner("Currently shopping for: celery").await;
    assert_eq!(rig.seen().await, with, "nothing but the banner is another");
    rig.store.expire();
    let forms = rig.store.count("GET", "/sign-in");
    assert_eq!(rig.follow("Bakery").await, Err(Trouble::SignedOut));
    // Asked for once, by the store's script; the page that it was put in is the old one.
    assert_eq!(rig.store.count("GET", "/category/bakery"), 1);
    assert_eq!(rig.store.count("GET", "/sign-in"), forms);
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_at_a_time_whose_sign_in_has_expired_sign_in_once_more_between_them() {
    let world = World::open(Options::default()).await;
    let lines = ["celery", "3 lemons", "peanut butter", "2x 2% milk 1 L"].map(str::to_owned);
    world.store.break_down(Faults::one("GET", "/search", 2, Harm::SignedOut));
    let summary = world.shop(Arc::new(Embedded::default()), &lines, 2).await;
    assert_eq!(world.store.faults_done(), 1);
    assert_eq!(summary.added.len(), 4, "{}", summary.markdown());
    assert_eq!(world.store.cart(USERNAME).len(), 4);
    assert_eq!(world.store.count("POST", "/sign-in"), 2, "at the beginning, and once more");
    world.host.close().await;
}
