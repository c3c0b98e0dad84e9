//! A stall on loopback that is not honest about what it sells: a page without a button of its own beside another
//! product's, prices that rise on the way to the cart, and a first page that adds what its address names.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use legwork_protocol::{ToolHost, Warden as _};
use legwork_shop::agent::ModelShopper;
use legwork_shop::errand::{Budget, Errand, Floor, Outcome, Shopper, Stage, Trouble};
use legwork_shop::item::{Item, ItemId, Status};
use legwork_shop::lane::Lane;
use legwork_shop::preferences::Preference;
use legwork_shop::shopper::Embedded;
use legwork_shop::site::{Phase, Site};
use legwork_tools::{Files, Host, Rules, Settings};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::floor::Book;
use crate::scripted::{Scripted, call};

/// Name, and price among the results, on its page and in the cart.
const GOODS: [(&str, [&str; 3]); 3] = [
    ("Oat Milk", ["3.00", "3.00", "3.00"]),
    ("Rye Bread", ["2.00", "2.50", "2.75"]),
    ("Green Tea", ["4.00", "4.00", "4.00"]),
];

type Cart = Arc<Mutex<BTreeMap<usize, u32>>>;

/// How a stall goes about it.
#[derive(Clone, Copy)]
struct Manner {
    /// What its cart calls it to take something out.
    out: &'static str,
    /// What its pages run.
    script: &'static str,
}

struct Stall {
    origin: String,
    cart: Cart,
    book: Book,
    told: Mutex<Vec<Stage>>,
    host: Host,
    lane: Lane,
    task: tokio::task::JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl Stall {
    async fn open() -> Stall {
        Stall::with(Manner { out: "Remove", script: "" }).await
    }

    /// One whose pages run this script.
    async fn running(script: &'static str) -> Stall {
        Stall::with(Manner { out: "Remove", script }).await
    }

    async fn with(manner: Manner) -> Stall {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let cart = Cart::default();
        let kept = cart.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, kept.clone(), manner));
            }
        });
        let at = origin.trim_start_matches("http://");
        let site = format!(
            "name = \"Stall\"\nhome = \"{origin}/\"\nsearch = \"{origin}/find?q={{query}}\"\n\
             cart = \"{origin}/cart\"\ncurrency = \"CAD\"\nper_minute = 6000\n\
             [hosts]\nrequired = [\"{at}\"]\n[paths]\nblocked = [\"**/checkout*\"]\n"
        );
        let site = Arc::new(Site::parse(&site).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let rules = Arc::new(Rules::parse(&site.policy(Phase::Shopping)).unwrap());
        let files = Files::in_folder(folder.path());
        let host = Host::new(Settings { files, rules, ..Settings::default() });
        host.govern(&site.policy(Phase::Shopping)).await.unwrap();
        let shared: Arc<dyn ToolHost> = Arc::new(host.clone());
        let lane = Lane::new(shared, "shop", site);
        let (book, told) = Default::default();
        Stall { origin, cart, book, told, host, lane, task, _folder: folder }
    }

    async fn shop(
        &self,
        shopper: &dyn Shopper,
        line: &str,
        ceiling: Option<&str>,
    ) -> Result<Outcome, Trouble> {
        let item = Item::read(ItemId::new(line), line, Status::NeedsAction).unwrap();
        let preference = ceiling.map(|most| Preference {
            product: "Rye Bread".into(),
            url: format!("{}/p/1", self.origin).parse().unwrap(),
            size: None,
            brand: None,
            price_ceiling: Some(most.to_owned()),
        });
        let errand = Errand { item, preference, budget: Budget::default(), turns: 0 };
        let told = |stage: Stage| self.told.lock().unwrap().push(stage);
        let floor = Floor { lane: &self.lane, till: &self.book, person: None, told: &told };
        shopper.shop(&errand, &floor).await
    }

    fn cart(&self) -> Vec<(usize, u32)> {
        self.cart.lock().unwrap().iter().map(|(id, count)| (*id, *count)).collect()
    }

    fn notes(&self) -> Vec<String> {
        let noted = |stage: &Stage| match stage {
            Stage::Noted(text) => Some(text.clone()),
            _ => None,
        };
        self.told.lock().unwrap().iter().filter_map(noted).collect()
    }

    async fn close(self) {
        self.host.close().await;
        self.task.abort();
    }
}

async fn serve(stream: TcpStream, cart: Cart, Manner { out, script }: Manner) {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    if stream.read_line(&mut first).await.unwrap_or(0) == 0 {
        return;
    }
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    let page = answer(&path, &mut cart.lock().unwrap(), out);
    let page = format!("{page}<script>{script}</script>");
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{page}",
        page.len()
    );
    let _ = stream.write_all(head.as_bytes()).await;
}

fn answer(asked: &str, cart: &mut BTreeMap<usize, u32>, out: &str) -> String {
    let (path, query) = asked.split_once('?').unwrap_or((asked, ""));
    let of = |name: &str| {
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        pairs.find(|(key, _)| key == name).and_then(|(_, value)| value.parse::<u32>().ok())
    };
    let id = of("id").or(of("add-to-cart")).map(|id| id as usize).filter(|id| *id < GOODS.len());
    match (path, id) {
        ("/add", Some(id)) => *cart.entry(id).or_default() += of("quantity").unwrap_or(1),
        ("/", Some(id)) => *cart.entry(id).or_default() += 1,
        ("/remove", Some(id)) => _ = cart.remove(&id),
        _ => {}
    }
    match path.strip_prefix("/p/").and_then(|id| id.parse::<usize>().ok()) {
        Some(id) if id < GOODS.len() => product(id),
        _ if path == "/find" => format!("<main><h1>Results</h1><ul>{}</ul></main>", results()),
        _ if path == "/" => "<h1>Stall</h1>".to_owned(),
        _ => shown(cart, out),
    }
}

fn results() -> String {
    let card = |(id, (name, [price, ..])): (usize, &(&str, [&str; 3]))| {
        format!("<li><a href=/p/{id}>{name}</a> ${price}</li>")
    };
    GOODS.iter().enumerate().map(card).collect()
}

fn product(id: usize) -> String {
    let (name, [_, price, _]) = GOODS[id];
    let form = |id: usize| {
        format!(
            "<form action=/add><input type=hidden name=id value={id}><label>Quantity <input \
             type=number name=quantity value=1 min=1></label><button>Add to cart</button></form>"
        )
    };
    let own = if id == 0 { "<p>Only at the stall itself</p>".to_owned() } else { form(id) };
    let other = (id + 1) % GOODS.len();
    let (beside, [price_beside, ..]) = GOODS[other];
    format!(
        "<main><h1>{name}</h1><p>${price}</p>{own}<h2>You may also like</h2><ul><li>\
         <a href=/p/{other}>{beside}</a> ${price_beside} {}</li></ul></main>",
        form(other)
    )
}

fn shown(cart: &BTreeMap<usize, u32>, out: &str) -> String {
    let line = |(id, count): (&usize, &u32)| {
        let (name, [.., price]) = GOODS[*id];
        let all: f64 = price.parse::<f64>().unwrap() * f64::from(*count);
        format!(
            "<tr><td><a href=/p/{id}>{name}</a><td>${price}<td>Qty: {count}<td>${all:.2}\
             <td><form action=/remove><button name=id value={id}>{out}</button></form></tr>"
        )
    };
    let lines: String = cart.iter().map(line).collect();
    let lines = if lines.is_empty() { "<p>Your cart is empty</p>".into() } else { lines };
    format!("<main><h1>Your cart</h1><table>{lines}</table></main>")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_only_sells_something_else_puts_nothing_in_the_cart() {
    let stall = Stall::open().await;
    let outcome = stall.shop(&Embedded::default(), "oat milk", None).await;
    let Ok(Outcome::NotFound { reason, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(reason.contains("nothing on its page puts it in the cart"), "{reason}");
    assert_eq!(stall.cart(), []);
    assert!(stall.book.intents.lock().unwrap().is_empty());
    stall.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_price_of_the_cart_is_reported_and_what_was_said_before_is_told() {
    let stall = Stall::open().await;
    let outcome = stall.shop(&Embedded::default(), "2 rye bread", None).await;
    let Ok(Outcome::Added(added)) = outcome else { panic!("{outcome:?}") };
    assert_eq!((added.price_text.as_str(), added.quantity), ("$2.75", 2));
    assert_eq!(added.cost().unwrap().to_string(), "$5.50");
    let notes = stall.notes();
    assert!(notes[0].contains("$2.00 among the results and $2.50 on its page"), "{notes:?}");
    assert!(notes[1].contains("$2.50 on its page and $2.75 in the cart"), "{notes:?}");
    assert_eq!(stall.cart(), [(1, 2)]);
    let outcome = stall.shop(&Embedded::default(), "green tea", None).await;
    assert!(matches!(outcome, Ok(Outcome::Added(_))), "{outcome:?}");
    assert_eq!(stall.notes().len(), 2, "{:?}", stall.notes());
    stall.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_price_ceiling_holds_against_the_highest_price_that_the_shop_says() {
    let stall = Stall::open().await;
    for (ceiling, adds, why) in [
        ("$2.40", 0, "it costs $2.50, which is more than $2.40"),
        ("$2.60", 1, "it costs $2.75, which is more than $2.60"),
    ] {
        stall.book.intents.lock().unwrap().clear();
        let outcome = stall.shop(&Embedded::default(), "rye bread", Some(ceiling)).await;
        let Ok(Outcome::NotFound { reason, .. }) = outcome else { panic!("{outcome:?}") };
        assert!(reason.contains(why), "{reason}");
        assert_eq!(stall.book.intents.lock().unwrap().len(), adds, "{ceiling}");
        assert_eq!(stall.cart(), [], "{ceiling}");
    }
    let outcome = stall.shop(&Embedded::default(), "rye bread", Some("$2.75")).await;
    assert!(matches!(outcome, Ok(Outcome::Added(_))), "{outcome:?}");
    stall.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_expensive_is_taken_out_of_a_cart_that_only_says_delete() {
    let stall = Stall::with(Manner { out: "Delete", script: "" }).await;
    stall.cart.lock().unwrap().insert(2, 1);
    let outcome = stall.shop(&Embedded::default(), "2 rye bread", Some("$2.60")).await;
    let Ok(Outcome::NotFound { reason, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(reason.contains("taken out of the cart again"), "{reason}");
    assert_eq!(stall.cart(), [(2, 1)], "what was there before stays");
    stall.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_adds_by_an_address_is_in_the_book_before_and_costs_what_the_cart_says() {
    let stall = Stall::open().await;
    let url = format!("{}/?add-to-cart=1", stall.origin);
    let told = json!({
        "item_name": "Rye Bread", "price_text": "$2.50", "price_cents": 250,
        "url": format!("{}/p/1", stall.origin),
    });
    let answers = || {
        [call("browser_navigate", json!({ "url": url })), call("report_item_added", told.clone())]
    };
    let model = ModelShopper::new(Arc::new(Scripted::says(answers())));
    let outcome = stall.shop(&model, "rye bread", None).await;
    let Ok(Outcome::Added(added)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(added.price_text, "$2.75");
    assert!(stall.notes()[0].contains("$2.50 as it was reported and $2.75 in the cart"));
    {
        let intents = stall.book.intents.lock().unwrap();
        assert_eq!(intents.len(), 1);
        assert!(intents[0].before.lines.is_empty(), "it was written before anything was added");
    }
    let reports_only = ModelShopper::new(Arc::new(Scripted::says(answers().into_iter().skip(1))));
    let outcome = stall.shop(&reports_only, "rye bread", Some("$2.60")).await;
    let Err(Trouble::Agent(why)) = outcome else { panic!("{outcome:?}") };
    assert!(why.ends_with("it was in the cart before, and stays"), "{why}");
    assert_eq!(stall.cart(), [(1, 1)], "what it did not add it does not take out");
    stall.cart.lock().unwrap().clear();
    let model = ModelShopper::new(Arc::new(Scripted::says(answers())));
    let outcome = stall.shop(&model, "rye bread", Some("$2.60")).await;
    let Ok(Outcome::NotFound { reason, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(reason.contains("which is more than $2.60"), "{reason}");
    assert!(reason.contains("taken out of the cart again"), "{reason}");
    assert_eq!(stall.cart(), []);
    stall.close().await;
}

/// Both of these are sold, whatever the stall asks on its pages.
async fn both_are_bought(stall: &Stall, script: &str) {
    for (line, product) in [("2 rye bread", 1), ("green tea", 2)] {
        let outcome = stall.shop(&Embedded::default(), line, None).await;
        assert!(matches!(outcome, Ok(Outcome::Added(_))), "{script}: {line}: {outcome:?}");
        assert!(stall.cart().iter().any(|(id, _)| *id == product), "{script}");
    }
    assert_eq!(stall.cart(), [(1, 2), (2, 1)], "{script}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_shop_says_in_an_alert_keeps_nobody_from_the_next_item() {
    for script in [
        "if (location.pathname == '/add') alert('Added! And have you heard of our card?')",
        "if (location.pathname == '/add') setTimeout(() => { alert('Added!'); alert('Thanks!') }, 300)",
        "document.addEventListener('submit', () => alert('It goes into the cart'))",
        "addEventListener('beforeunload', (event) => event.preventDefault())",
    ] {
        let stall = Stall::running(script).await;
        both_are_bought(&stall, script).await;
        stall.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_shop_asks_gets_a_no_and_the_next_item_is_bought_all_the_same() {
    let stall = Stall::running(
        "document.addEventListener('submit', (event) => {
             const yes = location.pathname != '/p/1' || confirm('Rye bread is for members. Join?')
             if (!yes) event.preventDefault()
         })",
    )
    .await;
    let outcome = stall.shop(&Embedded::default(), "rye bread", None).await;
    let Err(Trouble::Network(why)) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("did not put Rye Bread in the cart"), "{why}");
    let outcome = stall.shop(&Embedded::default(), "green tea", None).await;
    assert!(matches!(outcome, Ok(Outcome::Added(_))), "{outcome:?}");
    assert_eq!(stall.cart(), [(2, 1)]);
    stall.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_without_end_costs_its_own_item_only() {
    let stall = Stall::running("while (location.pathname == '/p/1') alert('Rye!')").await;
    let outcome = stall.shop(&Embedded::default(), "rye bread", None).await;
    assert!(outcome.is_err(), "{outcome:?}");
    let outcome = stall.shop(&Embedded::default(), "green tea", None).await;
    assert!(matches!(outcome, Ok(Outcome::Added(_))), "{outcome:?}");
    assert_eq!(stall.cart(), [(2, 1)]);
    stall.close().await;
}
