//! A grocery store on loopback to try the shopper on: search, categories, a cart, a sign-in that expires, and
//! a checkout that nobody may reach. It knows nothing of the shopper.

mod catalogue;
mod fault;
mod hostile;
pub mod lists;
mod page;
mod search;
mod shop;
mod site;
mod third_party;
mod web;
mod wire;

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use catalogue::{Catalogue, Product};
pub use fault::{Effect, Fault, Faults, Harm};
pub use shop::Entry;
pub use site::{PASSWORD_VARIABLE, USERNAME_VARIABLE};

/// The account that every store has.
pub const USERNAME: &str = "dana@store.example";
/// The password of that account.
pub const PASSWORD: &str = "green-apples-42";

/// How a store is.
#[derive(Debug, Clone)]
pub struct Options {
    /// Two stores of one seed rank what is found alike.
    pub seed: u64,
    /// How long every answer takes.
    pub latency: Duration,
    /// What goes wrong, and when.
    pub faults: Faults,
    /// Whether products and pages try to steer whoever reads them.
    pub hostile: bool,
    /// After so many requests a sign-in has expired.
    pub expire_after: Option<u32>,
    /// Who may sign in, with which password.
    pub accounts: Vec<(String, String)>,
    /// Whether a banner asks about cookies and a pop-up about a newsletter.
    pub popups: bool,
    /// Whether pages ask for scripts and pictures of other hosts.
    pub third_parties: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 1,
            latency: Duration::ZERO,
            faults: Faults::default(),
            hostile: false,
            expire_after: None,
            accounts: vec![(USERNAME.into(), PASSWORD.into())],
            popups: true,
            third_parties: true,
        }
    }
}

/// A store that is open until it is dropped.
pub struct Store {
    shop: Arc<shop::Shop>,
    address: SocketAddr,
    others: third_party::Others,
    tasks: Vec<JoinHandle<io::Result<()>>>,
}

impl Store {
    /// Opens a store on a free port of this machine.
    pub async fn start(options: Options) -> io::Result<Store> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let others_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let others = third_party::Others::at(others_listener.local_addr()?.port());
        let shop = Arc::new(shop::Shop::new(options, others.clone()));
        let tasks = vec![
            tokio::spawn(wire::serve(listener, shop.clone())),
            tokio::spawn(third_party::serve(others_listener, others.clone())),
        ];
        Ok(Store { shop, address, others, tasks })
    }

    /// Where it is: `http://127.0.0.1:PORT`.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it sells.
    pub fn catalogue(&self) -> &Catalogue {
        &self.shop.catalogue
    }

    /// The address of a product's page.
    pub fn product_url(&self, id: &str) -> String {
        format!("{}/product/{id}", self.origin())
    }

    /// The description of this store, for the shopper.
    pub fn site_toml(&self) -> String {
        site::text(self)
    }

    /// What is in an account's cart: ids of products, and how many. It is what the store itself knows.
    pub fn cart(&self, account: &str) -> BTreeMap<String, u32> {
        self.shop.cart(account)
    }

    /// Empties all carts and forgets what was asked; sign-ins stay.
    pub fn reset(&self) {
        self.shop.reset();
    }

    /// Every request that came, oldest first.
    pub fn log(&self) -> Vec<Entry> {
        self.shop.log()
    }

    /// How many requests of this method came for this path, whatever their query.
    pub fn count(&self, method: &str, path: &str) -> usize {
        let same = |entry: &&Entry| entry.method == method && entry.path == path;
        self.shop.log().iter().filter(same).count()
    }

    /// Whether a page was ever asked for where things are ordered or paid.
    pub fn reached_checkout(&self) -> bool {
        self.shop.reached_checkout()
    }

    /// How many faults of the plan have happened.
    pub fn faults_done(&self) -> usize {
        self.shop.faults_done()
    }

    /// From now on nobody is signed in.
    pub fn expire(&self) {
        self.shop.expire();
    }

    /// From now on these faults happen, counted from now.
    pub fn break_down(&self, faults: Faults) {
        self.shop.break_down(faults);
    }

    /// How many requests arrived at hosts of others: advertisers, and those who collect what is stolen.
    pub fn third_party_requests(&self) -> usize {
        self.others.count()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
        self.shop.close();
    }
}
