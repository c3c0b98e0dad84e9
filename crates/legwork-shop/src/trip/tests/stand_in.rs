//! A shop, a browser, a list and a shopper in memory, which do what a plan says, also the wrong thing, and
//! can be killed at any step.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_protocol::{Blocked, Boxed, Called, Code, ToolCall, ToolError, ToolHost, Warden};
use tokio::sync::Notify;
use url::Url;

use super::super::look::Look;
use super::super::{News, Settings, Trip, TripError};
use crate::cart::{Contents, Intent, Line};
use crate::errand::{Budget, Errand, Floor, Outcome, Product, Shopped, Shopper, Stage, Trouble};
use crate::item::{Item, ItemId, Retry, Status, Tag};
use crate::lane::Lane;
use crate::list::{ListError, Listed, Mark, ShoppingListProvider};
use crate::money::{Currency, Price};
use crate::sign_in::Door;
use crate::site::{self, Site};
use crate::summary::{Added, Cart, Report, Steering, Summary};

/// What a shopper does when it is sent. The number is how many it puts in the cart before it ends so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Add,
    NotFound,
    OutOfStock,
    Network(u32),
    SignedOut(u32),
    Agent(u32),
    /// What is there may not stay.
    Left(u32),
    Panic(u32),
    Hang(u32),
    /// Ends with a network error, and the shop does it all the same once nobody waits any longer.
    Late,
}

/// Everything outside of the trip. It survives when a trip is killed.
#[derive(Default)]
pub struct World {
    pub cart: Mutex<BTreeMap<String, u32>>,
    /// What comes into the cart late.
    late: Mutex<Vec<(String, u32)>>,
    pub acts: Mutex<HashMap<String, VecDeque<Act>>>,
    /// The next looks at the cart fail so.
    pub looks: Mutex<VecDeque<Trouble>>,
    /// The next sign-ins end so.
    pub doors: Mutex<VecDeque<Result<(), Trouble>>>,
    /// The next marks fail so.
    pub marks: Mutex<VecDeque<ListError>>,
    /// Why the list does not take the summary; no answer at all where it does not say.
    pub untaken: Mutex<Option<Option<ListError>>>,
    pub items: Mutex<Vec<Item>>,
    pub entered: AtomicU32,
    pub shopping: AtomicU32,
    pub most_at_once: AtomicU32,
    pub in_cart_turn: AtomicBool,
    in_mark: AtomicBool,
    pub shared_product: AtomicBool,
    pub blocked: Mutex<Vec<Blocked>>,
    pub steering: Mutex<Option<Steering>>,
    pub told: Mutex<Vec<String>>,
    /// What a person was shown, and in which session.
    pub banners: Mutex<Vec<(String, String)>>,
    pub sent: Mutex<Vec<String>>,
    /// Turns of a model that were taken before, for each time a shopper was sent.
    pub turns: Mutex<Vec<u32>>,
    /// The summary of a trip that was none.
    pub undone: Mutex<Option<String>>,
    steps: AtomicUsize,
    /// At this step everything stops.
    pub kill_at: AtomicUsize,
    killed: Notify,
}

/// What is outside, shared by the parts of a trip.
#[derive(Clone)]
pub struct Outside(pub Arc<World>);

pub fn outside(written: &[&str]) -> Outside {
    let items = written.iter().enumerate().map(|(at, text)| {
        Item::read(ItemId::new(at.to_string()), text, Status::NeedsAction).unwrap()
    });
    let world = World { items: Mutex::new(items.collect()), ..World::default() };
    Outside(Arc::new(world))
}

impl Outside {
    pub fn plan(&self, item: &str, acts: &[Act]) -> &Outside {
        self.0.acts.lock().unwrap().insert(item.to_owned(), acts.iter().copied().collect());
        self
    }

    /// A trip in a folder.
    pub fn trip(&self, folder: &Path, lanes: usize) -> Trip {
        let me = self.clone();
        Trip {
            host: Arc::new(self.clone()),
            site: Arc::new(site::metro()),
            list: Arc::new(self.clone()),
            shopper: Arc::new(self.clone()),
            door: Some(Arc::new(self.clone())),
            person: None,
            watch: Arc::new(move |news| me.hear(news)),
            settings: Settings {
                retry: Retry::Again,
                concurrency: NonZeroUsize::new(lanes).unwrap(),
                budget: Budget { time: Duration::from_secs(300), turns: 40 },
                folder: folder.to_owned(),
                list: "list".into(),
                picture: None,
            },
        }
    }

    pub async fn run(&self, folder: &Path, lanes: usize) -> Result<Summary, TripError> {
        self.trip(folder, lanes).made(self, std::future::pending()).await
    }

    /// Runs until the step at which everything stops; `None` if it stopped there.
    pub async fn run_until_killed(
        &self,
        folder: &Path,
        lanes: usize,
        at: usize,
    ) -> Option<Summary> {
        self.0.steps.store(0, Ordering::SeqCst);
        self.0.kill_at.store(at, Ordering::SeqCst);
        let trip = self.trip(folder, lanes);
        let summary = tokio::select! {
            biased;
            () = self.0.killed.notified() => None,
            summary = trip.made(self, std::future::pending()) => summary.ok(),
        };
        self.0.kill_at.store(0, Ordering::SeqCst);
        self.0.in_cart_turn.store(false, Ordering::SeqCst);
        self.0.in_mark.store(false, Ordering::SeqCst);
        self.0.shopping.store(0, Ordering::SeqCst);
        summary
    }

    /// Something takes time here, and may never end.
    async fn step(&self) {
        let now = self.0.steps.fetch_add(1, Ordering::SeqCst) + 1;
        tokio::task::yield_now().await;
        if now == self.0.kill_at.load(Ordering::SeqCst) {
            self.0.killed.notify_one();
            std::future::pending::<()>().await;
        }
    }

    fn hear(&self, news: News) {
        let text = match news {
            News::Over(id, result) => format!("over {id} {}", result.is_ok()),
            News::ListBehind(id, _) => format!("behind {id}"),
            News::Already(id, _) => format!("already {id}"),
            News::Undone(summary) => {
                *self.0.undone.lock().unwrap() = Some(summary.markdown());
                return;
            }
            _ => return,
        };
        self.0.told.lock().unwrap().push(text);
    }

    fn product(&self, item: &Item) -> Product {
        let shared = self.0.shared_product.load(Ordering::SeqCst);
        let name = if shared { "The same".to_owned() } else { item.wanted.what.clone() };
        let url = format!("https://www.metro.ca/p/{}", name.replace(' ', "-"));
        Product {
            price: Price::read("$2.00", Currency::Cad).ok(),
            url: Url::parse(&url).unwrap(),
            name,
            brand: None,
            size: None,
            price_text: "$2.00".into(),
            available: true,
        }
    }

    fn put(&self, product: &str, quantity: u32) {
        if quantity > 0 {
            *self.0.cart.lock().unwrap().entry(product.to_owned()).or_default() += quantity;
        }
    }

    fn contents(&self) -> Contents {
        let line = |(product, quantity): (&String, &u32)| Line {
            product: product.clone(),
            url: Url::parse(&format!("https://www.metro.ca/p/{}", product.replace(' ', "-"))).ok(),
            quantity: *quantity,
            text: format!("{product} {quantity}"),
        };
        Contents { lines: self.0.cart.lock().unwrap().iter().map(line).collect() }
    }

    async fn shop_for(&self, errand: &Errand, floor: &Floor<'_>) -> Result<Outcome, Trouble> {
        self.step().await;
        if let Some(steering) = self.0.steering.lock().unwrap().clone() {
            (floor.told)(Stage::Steered(steering));
        }
        self.0.turns.lock().unwrap().push(errand.turns);
        (floor.told)(Stage::Thinking(errand.turns + 3));
        let name = &errand.item.wanted.what;
        let act = {
            let mut acts = self.0.acts.lock().unwrap();
            acts.get_mut(name).and_then(VecDeque::pop_front).unwrap_or(Act::Add)
        };
        let put = match act {
            Act::NotFound | Act::OutOfStock => {
                let out_of_stock = act == Act::OutOfStock;
                return Ok(Outcome::NotFound { reason: "none there".into(), out_of_stock });
            }
            Act::Add => errand.item.wanted.quantity,
            Act::Late => 0,
            Act::Network(put) | Act::SignedOut(put) | Act::Agent(put) | Act::Left(put) => put,
            Act::Panic(put) | Act::Hang(put) => put,
        };
        let product = self.product(&errand.item);
        let wanted = errand.item.wanted.quantity;
        let _turn = floor.till.turn().await;
        assert!(!self.0.in_cart_turn.swap(true, Ordering::SeqCst), "two at the cart");
        let _leave = Leave(&self.0.in_cart_turn);
        self.step().await;
        let before = self.contents();
        self.step().await;
        floor.till.intend(&errand.item.id, &Intent::of(&product, wanted, before)).await?;
        for _ in 0..put.min(wanted) {
            self.step().await;
            self.put(&product.name, 1);
        }
        self.step().await;
        match act {
            Act::Network(_) => return Err(Trouble::Network("connection reset".into())),
            Act::Late => {
                self.0.late.lock().unwrap().push((product.name, wanted));
                return Err(Trouble::TimedOut("no answer".into()));
            }
            Act::SignedOut(_) => return Err(Trouble::SignedOut),
            Act::Agent(_) => return Err(Trouble::Agent("confused".into())),
            Act::Left(_) => return Err(Trouble::Left("too expensive".into())),
            Act::Panic(_) => panic!("a bug"),
            Act::Hang(_) => std::future::pending().await,
            Act::Add | Act::NotFound | Act::OutOfStock => {}
        }
        Ok(Outcome::Added(Box::new(self.report(errand, &product, wanted, floor.lane.site()))))
    }

    fn marked(&self, id: &ItemId, mark: Mark<'_>) -> Result<(), ListError> {
        let mut items = self.0.items.lock().unwrap();
        let found = items.iter_mut().find(|item| item.id == *id);
        let item = found.ok_or_else(|| ListError::Gone { id: id.clone() })?;
        match mark.tag() {
            Some((tag, _)) => item.tags.add(tag),
            None => {
                item.status = Status::Completed;
                item.tags = item.tags.iter().filter(|tag| *tag == Tag::Duplicate).collect();
            }
        }
        Ok(())
    }

    fn report(&self, errand: &Errand, product: &Product, quantity: u32, site: &Site) -> Added {
        let report = Report {
            item_name: &product.name,
            price_text: "$2.00",
            price_cents: 200,
            url: product.url.as_str(),
            quantity,
        };
        let shown = self.contents().count(&product.name, Some(&product.url));
        let cart = Cart::Shows { quantity: shown, line: product.name.clone() };
        Added { cart, ..Added::reported(&errand.item.name, &report, site).unwrap() }
    }
}

/// Leaves a turn, also when it is torn away.
struct Leave<'a>(&'a AtomicBool);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// Counts those who shop at the same time.
struct Shopping<'a>(&'a World);

impl Drop for Shopping<'_> {
    fn drop(&mut self) {
        self.0.shopping.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shopper for Outside {
    fn shop<'a>(&'a self, errand: &'a Errand, floor: &'a Floor<'a>) -> Shopped<'a> {
        Box::pin(async move {
            let now = self.0.shopping.fetch_add(1, Ordering::SeqCst) + 1;
            let _shopping = Shopping(&self.0);
            self.0.most_at_once.fetch_max(now, Ordering::SeqCst);
            self.shop_for(errand, floor).await
        })
    }
}

impl Look for Outside {
    fn contents<'a>(&'a self, _: &'a Lane) -> Boxed<'a, Result<Contents, Trouble>> {
        Box::pin(async move {
            self.step().await;
            if let Some(trouble) = self.0.looks.lock().unwrap().pop_front() {
                return Err(trouble);
            }
            Ok(Outside::contents(self))
        })
    }
}

impl Door for Outside {
    fn enter<'a>(
        &'a self,
        _: &'a dyn Warden,
        _: &'a str,
        _: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>> {
        Box::pin(async move {
            assert_eq!(self.0.shopping.load(Ordering::SeqCst), 0, "an agent runs");
            self.step().await;
            self.0.entered.fetch_add(1, Ordering::SeqCst);
            self.0.doors.lock().unwrap().pop_front().unwrap_or(Ok(()))
        })
    }
}

impl ToolHost for Outside {
    fn call(&self, _: ToolCall) -> Called<'_> {
        Box::pin(async { Err(ToolError::new(Code::UnknownTool, "there is no browser here")) })
    }

    fn end<'a>(&'a self, _: &'a str) -> Boxed<'a, ()> {
        Box::pin(async {})
    }
}

impl Warden for Outside {
    fn govern<'a>(&'a self, policy: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        Box::pin(async move {
            assert!(policy.contains("preset = \"guarded\""));
            self.step().await;
            // Whatever was late is there by now.
            for (product, quantity) in self.0.late.lock().unwrap().drain(..) {
                self.put(&product, quantity);
            }
            Ok(())
        })
    }

    fn beside<'a>(&'a self, _: &'a str, _: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        Box::pin(async { Ok(()) })
    }

    fn banner<'a>(&'a self, session: &'a str, text: &'a str) -> Boxed<'a, Result<(), ToolError>> {
        Box::pin(async move {
            self.0.banners.lock().unwrap().push((session.to_owned(), text.to_owned()));
            Ok(())
        })
    }

    fn blocked(&self) -> Vec<Blocked> {
        std::mem::take(&mut *self.0.blocked.lock().unwrap())
    }
}

impl ShoppingListProvider for Outside {
    fn get_uncompleted_items(&self) -> Listed<'_, Vec<Item>> {
        Box::pin(async {
            self.step().await;
            let open = |item: &&Item| item.status == Status::NeedsAction;
            Ok(self.0.items.lock().unwrap().iter().filter(open).cloned().collect())
        })
    }

    fn mark<'a>(&'a self, id: &'a ItemId, mark: Mark<'a>) -> Listed<'a, ()> {
        Box::pin(async move {
            assert!(!self.0.in_mark.swap(true, Ordering::SeqCst), "two at the list");
            let _leave = Leave(&self.0.in_mark);
            self.step().await;
            if let Some(error) = self.0.marks.lock().unwrap().pop_front() {
                return Err(error);
            }
            self.marked(id, mark)?;
            self.step().await;
            Ok(())
        })
    }

    fn send_summary<'a>(&'a self, summary: &'a Summary) -> Listed<'a, ()> {
        Box::pin(async {
            self.step().await;
            let untaken = self.0.untaken.lock().unwrap().take();
            match untaken {
                Some(Some(error)) => return Err(error),
                Some(None) => std::future::pending().await,
                None => {}
            }
            self.0.sent.lock().unwrap().push(summary.markdown());
            Ok(())
        })
    }
}
