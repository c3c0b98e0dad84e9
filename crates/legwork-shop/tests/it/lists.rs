//! Generated lists, shopped for in the demo store without a model, judged by the store's own cart. What a
//! right cart is says `legwork_demo::lists`, from the catalogue alone.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork_demo::lists::{Answer, Judgement, Lists, ShoppingList, Wish};
use legwork_demo::{Catalogue, Options, Store, USERNAME};
use legwork_shop::errand::Budget;
use legwork_shop::item::{Retry, Wanted};
use legwork_shop::list::TextList;
use legwork_shop::shopper::Embedded;
use legwork_shop::site::Site;
use legwork_shop::summary::Summary;
use legwork_shop::trip::{Settings, Trip};

use crate::customer::{Browser, Customer};

/// The seed of the lists that nobody looks at while the shopper is made; `docs/lists.md` tells of it.
const HELD_OUT: u64 = 20_261_122;

/// A list that was shopped for.
struct Shopped {
    number: u64,
    list: ShoppingList,
    judgement: Judgement,
    /// Items of which nothing is in the cart, rightly or not, and of which the summary says nothing.
    unsaid: Vec<String>,
    summary: Summary,
}

#[tokio::test]
async fn lists_as_people_write_them_end_with_the_right_cart() {
    let shopped = shop(1, 0..8).await;
    let told = report(1, &shopped);
    assert!(right(&shopped) >= 7, "{told}");
    assert!(shopped.iter().all(|one| one.judgement.wrong.is_empty()), "{told}");
    assert!(shopped.iter().all(|one| one.unsaid.is_empty()), "{told}");
}

/// `make lists` runs it, and leaves its report where `LEGWORK_LISTS_REPORT` says.
#[tokio::test]
#[ignore = "a hundred lists take a quarter of an hour: make lists"]
async fn a_hundred_lists_as_people_write_them_alone() {
    let said = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let seed = said("LEGWORK_LISTS_SEED").unwrap_or(HELD_OUT);
    let first = said("LEGWORK_LISTS_FIRST").unwrap_or(0);
    let many = said("LEGWORK_LISTS_COUNT").unwrap_or(100);
    let shopped = shop(seed, first..first + many).await;
    let told = report(seed, &shopped);
    println!("{told}");
    if let Ok(path) = std::env::var("LEGWORK_LISTS_REPORT") {
        std::fs::write(path, &told).unwrap();
    }
    assert!(!shopped.is_empty(), "no list was shopped for");
    assert!(right(&shopped) * 100 >= shopped.len() * 95, "fewer than 95 of 100 lists are right");
    assert!(shopped.iter().all(|one| one.judgement.wrong.is_empty()), "something wrong was bought");
    assert!(shopped.iter().all(|one| one.unsaid.is_empty()), "something is missing in silence");
}

async fn shop(seed: u64, numbers: std::ops::Range<u64>) -> Vec<Shopped> {
    let store = Store::start(Options { seed, ..Options::default() }).await.unwrap();
    let browser = Browser::new();
    let catalogue = Catalogue::bundled();
    let lists = Lists::of(&catalogue, seed);
    let mut shopped = Vec::new();
    for number in numbers {
        let began = Instant::now();
        let one = shop_one(&store, &browser, number, lists.list(number)).await;
        let word = if one.judgement.is_right() { "right" } else { "not right" };
        eprintln!("list {number}: {word} in {:.1} s", began.elapsed().as_secs_f32());
        one.told().iter().for_each(|line| eprintln!("{line}"));
        shopped.push(one);
    }
    assert!(!store.reached_checkout());
    assert_eq!(store.third_party_requests(), 0);
    browser.close().await;
    shopped
}

async fn shop_one(store: &Store, browser: &Browser, number: u64, list: ShoppingList) -> Shopped {
    store.reset();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.txt");
    std::fs::write(&path, list.text()).unwrap();
    let trip = Trip {
        host: browser.warden(),
        site: Arc::new(Site::parse(&store.site_toml()).unwrap()),
        list: Arc::new(TextList::open(&path).unwrap()),
        shopper: Arc::new(Embedded::default()),
        door: Some(Arc::new(Customer)),
        person: None,
        watch: Arc::new(|_| {}),
        settings: Settings {
            retry: Retry::Again,
            concurrency: NonZeroUsize::MIN,
            budget: Budget { time: Duration::from_secs(60), ..Budget::default() },
            folder: folder.path().to_owned(),
            list: path.display().to_string(),
            picture: None,
        },
    };
    let summary = trip.run().await.unwrap();
    let judgement = list.judge(&store.cart(USERNAME));
    let absent = |wish: &&Wish| matches!(wish.answer, Answer::NotSold | Answer::OutOfStock);
    let absent = list.wishes.iter().filter(absent).map(|wish| &wish.written);
    let missing = judgement.missing.iter().chain(absent);
    let unsaid = missing.filter(|written| !is_told(&summary, written)).cloned().collect();
    Shopped { number, list, judgement, unsaid, summary }
}

/// Whether the summary says of an item that it is not in the cart.
fn is_told(summary: &Summary, written: &str) -> bool {
    let short = Wanted::read(written).unwrap().to_string();
    let not_found = summary.not_found.iter().map(|one| &one.item);
    let mut items = not_found.chain(summary.failed.iter().map(|one| &one.item));
    items.any(|item| item == written || *item == short)
}

fn right(shopped: &[Shopped]) -> usize {
    shopped.iter().filter(|one| one.judgement.is_right()).count()
}

/// What came of it, for people.
fn report(seed: u64, shopped: &[Shopped]) -> String {
    let mut text = format!(
        "# {} generated lists of ten items, seed {seed}\n\n\
         {} lists ended with exactly the right cart, without a model and with nobody to ask.\n\n",
        shopped.len(),
        right(shopped)
    );
    let wrong: usize = shopped.iter().map(|one| one.judgement.wrong.len()).sum();
    let missing: usize = shopped.iter().map(|one| one.judgement.missing.len()).sum();
    let unsaid: usize = shopped.iter().map(|one| one.unsaid.len()).sum();
    let counts =
        [(wrong, "wrong in a cart"), (missing, "missing"), (unsaid, "missing and not reported")];
    for (count, what) in counts {
        writeln!(text, "- {count} {what}").unwrap();
    }
    for one in shopped.iter().filter(|one| !one.judgement.is_right()) {
        writeln!(text, "\n## List {}\n", one.number).unwrap();
        text += &one.told().join("\n");
        text.push('\n');
    }
    text
}

impl Shopped {
    /// What is not right, a line for each.
    fn told(&self) -> Vec<String> {
        let Judgement { wrong, missing } = &self.judgement;
        let wrong = wrong.iter().map(|line| format!("- wrong: {line}"));
        let missing =
            missing.iter().map(|written| format!("- missing: {written:?}: {}", self.why(written)));
        let failed = self.summary.failed.iter();
        let failed =
            failed.map(|one| format!("- reported as failed: {:?}: {}", one.item, one.error));
        let unsaid = self.unsaid.iter().map(|written| format!("- nothing is said of {written:?}"));
        wrong.chain(missing).chain(unsaid).chain(failed).collect()
    }

    /// What the summary says of an item that is missing, and what would have been right.
    fn why(&self, written: &str) -> String {
        let short = Wanted::read(written).unwrap().to_string();
        let is = |item: &String| item == written || *item == short;
        let not_found = self.summary.not_found.iter().map(|one| (&one.item, &one.reason));
        let failed = self.summary.failed.iter().map(|one| (&one.item, &one.error));
        let said = not_found.chain(failed).find(|(item, _)| is(item)).map(|(_, why)| why.as_str());
        let wish = self.list.wishes.iter().find(|wish| wish.written == written);
        format!(
            "{}; right is {:?}",
            said.unwrap_or("nothing was said"),
            wish.map(|wish| &wish.answer)
        )
    }
}
