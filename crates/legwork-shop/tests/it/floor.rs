//! A shop floor for tests: the demo store, a real Chrome that is signed in there, and a book for the cart.

use std::sync::{Arc, Mutex};

use legwork_demo::{Options, Store, USERNAME};
use legwork_protocol::{Boxed, Warden as _};
use legwork_shop::cart::{Intent, Till};
use legwork_shop::errand::{
    Budget, Chooser, Errand, Floor, Outcome, Product, Shopper, Stage, Trouble,
};
use legwork_shop::item::{Item, ItemId, Status};
use legwork_shop::lane::Lane;
use legwork_shop::preferences::Preference;
use legwork_shop::sign_in::Door;
use legwork_shop::site::{Phase, Site};
use legwork_tools::{Files, Host, Rules, Settings};

use crate::customer::Customer;

/// The store, the browser and what was told.
pub struct Rig {
    pub store: Store,
    pub lane: Lane,
    pub book: Book,
    pub told: Mutex<Vec<Stage>>,
    host: Host,
    _folder: tempfile::TempDir,
}

/// Writes down what is intended.
#[derive(Default)]
pub struct Book {
    turn: Arc<tokio::sync::Mutex<()>>,
    pub intents: Mutex<Vec<Intent>>,
}

impl Till for Book {
    fn turn(&self) -> Boxed<'_, tokio::sync::OwnedMutexGuard<()>> {
        Box::pin(self.turn.clone().lock_owned())
    }

    fn intend<'a>(&'a self, _: &'a ItemId, intent: &'a Intent) -> Boxed<'a, Result<(), Trouble>> {
        self.intents.lock().unwrap().push(intent.clone());
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Takes the product whose name holds these words.
pub struct Takes(pub &'static str);

impl Chooser for Takes {
    fn choose<'a>(&'a self, _: &'a Item, products: &'a [Product]) -> Boxed<'a, Option<usize>> {
        let at = products.iter().position(|product| product.name.contains(self.0));
        Box::pin(std::future::ready(at))
    }
}

impl Rig {
    /// A store that is so, and somebody signed in there.
    pub async fn open(options: Options) -> Rig {
        let store = Store::start(options).await.unwrap();
        let site = Arc::new(Site::parse(&store.site_toml()).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let rules = Arc::new(Rules::parse(&site.policy(Phase::SignIn)).unwrap());
        let files = Files::in_folder(folder.path());
        let host = Host::new(Settings { files, rules, ..Settings::default() });
        let lane = Lane::new(Arc::new(host.clone()), "shop", site);
        let (book, told) = Default::default();
        let rig = Rig { store, lane, book, told, host, _folder: folder };
        rig.sign_in().await;
        rig
    }

    pub async fn sign_in(&self) {
        Customer.enter(&self.host, "shop", self.lane.site()).await.unwrap();
    }

    /// Shows a person this at the top of every page.
    pub async fn banner(&self, text: &str) {
        self.host.banner("shop", text).await.unwrap();
    }

    /// Shops for what a line of a list says.
    pub async fn shop(&self, shopper: &dyn Shopper, line: &str) -> Result<Outcome, Trouble> {
        self.errand(shopper, line, None, None).await
    }

    pub async fn errand(
        &self,
        shopper: &dyn Shopper,
        line: &str,
        preference: Option<Preference>,
        person: Option<&dyn Chooser>,
    ) -> Result<Outcome, Trouble> {
        let item = Item::read(ItemId::new(line), line, Status::NeedsAction).unwrap();
        let errand = Errand { item, preference, budget: Budget::default(), turns: 0 };
        let told = |stage: Stage| self.told.lock().unwrap().push(stage);
        let floor = Floor { lane: &self.lane, till: &self.book, person, told: &told };
        shopper.shop(&errand, &floor).await
    }

    /// What the store itself has in the cart.
    pub fn cart(&self) -> Vec<(String, u32)> {
        self.store.cart(USERNAME).into_iter().collect()
    }

    /// What tried to steer, as far as it was told.
    pub fn steered(&self) -> Vec<String> {
        let told = self.told.lock().unwrap();
        let attempts = told.iter().filter_map(|stage| match stage {
            Stage::Steered(steering) => Some(steering.attempt.clone()),
            _ => None,
        });
        attempts.collect()
    }

    pub async fn close(self) {
        self.host.close().await;
    }
}
