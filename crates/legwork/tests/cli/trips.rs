//! Whole trips by the real program, in a real Chrome, in the demo store on loopback.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_demo::{
    Faults, Harm, Options, PASSWORD, PASSWORD_VARIABLE, Store, USERNAME, USERNAME_VARIABLE,
};
use serde_json::{Value, json};

use crate::support::{Ended, User, at_terminal, children, kill_group, signal};

/// A store that is open, a user who is known there, and the folder with the store's description.
struct Shop {
    user: User,
    store: Store,
    _runtime: tokio::runtime::Runtime,
}

impl Shop {
    fn open(options: Options) -> Shop {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let store = runtime.block_on(Store::start(options)).unwrap();
        let user = User::new().with(USERNAME_VARIABLE, USERNAME).with(PASSWORD_VARIABLE, PASSWORD);
        let shop = Shop { user, store, _runtime: runtime };
        std::fs::create_dir_all(shop.user.path(".config/legwork/shop/sites")).unwrap();
        shop.write(".config/legwork/shop/sites/store.toml", &shop.store.site_toml());
        shop.write(".config/legwork/shop/config.yaml", "site: store\n");
        shop
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.user.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.user.path(name)).unwrap()
    }

    /// What the store itself says is in the cart.
    fn cart(&self) -> BTreeMap<String, u32> {
        self.store.cart(USERNAME)
    }

    /// Shops without the credentials in the environment.
    fn as_stranger(&self, arguments: &[&str]) -> Ended {
        let mut command = self.user.command(arguments);
        command.env_remove(USERNAME_VARIABLE).env_remove(PASSWORD_VARIABLE);
        Ended::of(command.output().unwrap())
    }
}

fn cart(lines: &[(&str, u32)]) -> BTreeMap<String, u32> {
    lines.iter().map(|(id, quantity)| ((*id).to_owned(), *quantity)).collect()
}

const MILK: &str = "meadowbrook-2-milk-1-l";
const PEANUT_BUTTER: &str = "nutty-fox-smooth-peanut-butter-1-kg";
const LEMON: &str = "farm-stand-lemon-each";

#[test]
fn a_list_in_a_file_becomes_a_cart_and_the_list_and_the_summary_say_so() {
    let shop = Shop::open(Options::default());
    shop.write(
        "list.yaml",
        "# for the weekend\nitems:\n  - 2x 2% milk 1 L  # not the skimmed\n  - name: 3 lemons\n    aisle: 2\n  - unicorn meat\n",
    );
    let arguments = ["shop", "list.yaml", "--summary", "sum.md", "--picture", "cart.png"];
    let ended = shop.user.run(&arguments);
    assert_eq!(ended.code, 6, "{}{}", ended.out, ended.err);
    assert_eq!(shop.cart(), cart(&[(MILK, 2), (LEMON, 3)]));
    assert!(!shop.store.reached_checkout());
    assert!(ended.err.contains("error[incomplete]: not everything is in the cart: 1 not found"));
    for said in [
        "shopping at Corner Store: 3 items",
        "in the cart 3 lemons: 3 × ",
        "not found unicorn meat",
    ] {
        assert_eq!(ended.err.matches(said).count(), 1, "{said}: {}", ended.err);
    }
    assert!(!ended.err.contains('\x1b') && !ended.err.contains(PASSWORD), "{}", ended.err);
    assert!(ended.out.starts_with("# Shopping at Corner Store"), "{}", ended.out);
    assert_eq!(shop.read("sum.md").trim(), ended.out.trim());
    assert_eq!(&std::fs::read(shop.user.path("cart.png")).unwrap()[1..4], b"PNG");
    let list = shop.read("list.yaml");
    assert!(list.contains("# for the weekend") && list.contains("# not the skimmed"), "{list}");
    assert_eq!(list.matches("status: completed").count(), 2, "{list}");
    assert!(list.contains("#404") && list.contains("aisle: 2"), "{list}");
    // A second run finds nothing to do but what was not found, and adds nothing.
    let again = shop.user.run(&["shop", "list.yaml", "--no-retry"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(shop.cart(), cart(&[(MILK, 2), (LEMON, 3)]));
    assert!(shop.user.done(&["audit", "verify"]).contains("whole"), "every call is recorded");
}

#[test]
fn standard_input_is_shopped_in_three_tabs_and_json_stands_alone() {
    let shop = Shop::open(Options::default());
    let text = "peanut butter\n3 lemons\n2x 2% milk 1 L\ncelery\n";
    let ended = shop.user.fed(&["shop", "-", "--concurrency", "3", "--json"], text);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let whole = [(MILK, 2), (LEMON, 3), (PEANUT_BUTTER, 1), ("farm-stand-celery-each", 1)];
    assert_eq!(shop.cart(), cart(&whole));
    let summary: Value = serde_json::from_str(&ended.out).unwrap();
    let added = summary["added"].as_array().unwrap();
    assert_eq!(added.len(), 4);
    let why = |one: &Value| one["chosen"].as_str().is_some_and(|why| why.contains("points"));
    assert!(added.iter().all(why), "{}", ended.out);
    assert_eq!(summary["site"], "Corner Store");
    assert_eq!(ended.err, "", "nothing but the result");
    let kept = shop.read(".config/legwork/shop/standard_input.yaml");
    assert_eq!(kept.matches("status: completed").count(), 4, "{kept}");
}

#[test]
fn a_table_is_shopped_from_and_the_list_beside_it_says_what_is_done() {
    let shop = Shop::open(Options::default());
    let table = "product;qty;aisle\n2% milk 1 L;2;4\nlemons;3;1\nunicorn meat;1;\n";
    shop.write("list.csv", table);
    let ended = shop.user.run(&["shop", "list.csv"]);
    assert_eq!(ended.code, 6, "{}{}", ended.out, ended.err);
    assert_eq!(shop.cart(), cart(&[(MILK, 2), (LEMON, 3)]));
    assert_eq!(shop.read("list.csv"), table, "a table is not written back");
    let kept = shop.read("list.shopping.yaml");
    assert_eq!(kept.matches("status: completed").count(), 2, "{kept}");
    assert!(kept.contains("unicorn meat") && kept.contains("#404"), "{kept}");
    // A second run goes on there, and buys nothing twice; from the beginning it would.
    let again = shop.user.run(&["shop", "list.csv", "--no-retry"]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert_eq!(shop.cart(), cart(&[(MILK, 2), (LEMON, 3)]));
}

#[test]
fn the_most_detailed_log_of_a_whole_trip_holds_no_credential() {
    let shop = Shop::open(Options::default());
    shop.write("list.txt", "3 lemons\n");
    // It signs in at the beginning, and again when that has expired.
    shop.store.break_down(Faults::one("GET", "/product/*", 1, Harm::SignedOut));
    let ended = shop.user.run(&["--log", "trace", "shop", "list.txt"]);
    assert_eq!(ended.code, 0, "{}", ended.out);
    assert_eq!(shop.cart(), cart(&[(LEMON, 3)]));
    assert_eq!(shop.store.count("POST", "/sign-in"), 2);
    assert!(ended.err.contains("TRACE"), "it was no such log");
    for secret in [PASSWORD, USERNAME] {
        let encoded = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect::<String>();
        for said in [&ended.err, &ended.out] {
            let line = said.lines().find(|line| line.contains(secret) || line.contains(&encoded));
            assert_eq!(line, None);
        }
    }
    let holding = |text| holding(&shop.user.path("."), text);
    assert!(!holding("3 lemons").is_empty(), "the list at least says so");
    assert_eq!(holding(PASSWORD), Vec::<PathBuf>::new());
}

/// The files below a folder that hold a text as it is, except for the browser's own.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        match kind.is_dir() {
            true if entry.file_name() != "profiles" => found.extend(holding(&path, text)),
            false if kind.is_file() => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                    found.push(path);
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn what_was_chosen_before_is_added_without_a_search() {
    let shop = Shop::open(Options::default());
    let url = shop.store.product_url(LEMON);
    let set = ["shop", "prefs", "set", "sour things", "--product", "Lemon", "--url", &url];
    shop.user.done(&set);
    shop.write("list.txt", "2x sour things\n");
    let ended = shop.user.run(&["shop", "list.txt"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert_eq!(shop.cart(), cart(&[(LEMON, 2)]));
    assert_eq!(shop.store.count("GET", "/search"), 0);
    assert_eq!(shop.read("list.txt"), "[x] 2x sour things\n");
    // What is chosen without asking is remembered where that is wanted.
    shop.write("more.txt", "celery\n");
    assert_eq!(shop.user.run(&["shop", "more.txt", "--remember"]).code, 0);
    assert!(
        shop.user
            .done(&["shop", "prefs", "show", "celery"])
            .contains("/product/farm-stand-celery-each")
    );
}

#[test]
fn a_person_at_a_terminal_chooses_and_is_not_asked_twice() {
    let shop = Shop::open(Options::default());
    shop.write("list.txt", "oil\n");
    let nobody = shop.user.run(&["shop", "list.txt"]);
    assert_eq!(nobody.code, 6, "{}", nobody.err);
    assert!(shop.cart().is_empty(), "what is not clear is not taken");
    let told = at_terminal(&shop.user, "shop list.txt", &[("Which one is", "1\n")]);
    let (code, told) = (told.code, told.out);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("0. none of them") && told.contains('$'), "{told}");
    assert!(told.contains("# Shopping at Corner Store"), "{told}");
    assert!(told.contains("Estimated total: **$") && !told.contains('\\'), "{told}");
    assert!(told.contains("[Look at the cart](<http://"), "{told}");
    assert_eq!(shop.cart().len(), 1, "{told}");
    let chosen = shop.user.done(&["shop", "prefs", "show", "oil"]);
    assert!(chosen.contains("/product/"), "{chosen}");
    let searches = shop.store.count("GET", "/search");
    shop.write("list.txt", "3x Oil\n");
    assert_eq!(shop.user.run(&["shop", "list.txt"]).code, 0);
    assert_eq!(shop.store.count("GET", "/search"), searches, "no search for what was chosen");
}

#[test]
fn an_item_that_takes_longer_than_it_may_fails_and_stays_on_the_list() {
    let latency = Duration::from_millis(500);
    let shop = Shop::open(Options { latency, ..Options::default() });
    shop.write("list.txt", "celery\n");
    let ended = shop.user.run(&["shop", "list.txt", "--time-budget", "1s"]);
    assert_eq!(ended.code, 6, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("celery: time-out after 1s"), "{}", ended.out);
    assert!(shop.read("list.txt").contains("celery #failed"), "{}", shop.read("list.txt"));
    assert!(shop.cart().is_empty(), "{:?}", shop.cart());
}

#[test]
fn a_model_that_was_named_shops_with_so_many_turns_and_is_told_no_password() {
    let shop = Shop::open(Options::default());
    let (url, asked) = looking();
    let user = &shop.user;
    shop.write("list.txt", "celery\n");
    let arguments =
        ["shop", "list.txt", "--model", "chat:x?streaming=no", "--max-turns", "2", "--no-ask"];
    let ended = user.command(&arguments).env("OPENAI_BASE_URL", &url).output().unwrap();
    let ended = Ended::of(ended);
    assert_eq!(ended.code, 6, "{}{}", ended.out, ended.err);
    let said = "celery: no result after 2 turns of the model";
    assert!(ended.out.contains(said), "{}", ended.out);
    assert!(shop.read("list.txt").contains("celery #failed"), "{}", shop.read("list.txt"));
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[0].contains("The thing: celery"), "{}", asked[0]);
    for asked in asked.iter() {
        assert!(!asked.contains(PASSWORD) && !asked.contains(USERNAME), "{asked}");
    }
}

/// A server of a model that looks for the same each time, and what it was asked.
fn looking() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = BufReader::new(stream);
            let (mut line, mut length) = (String::new(), 0);
            while stream.read_line(&mut line).unwrap() > 2 {
                let said = line.to_ascii_lowercase();
                let said = said.strip_prefix("content-length:").map(|said| said.trim().parse());
                length = said.map_or(length, Result::unwrap);
                line.clear();
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            heard.lock().unwrap().push(String::from_utf8(body).unwrap());
            let call = json!({ "name": "browser_find", "arguments": "{\"text\":\"celery\"}" });
            let call = json!({ "id": "call_1", "type": "function", "function": call });
            let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
            let choice = json!({ "message": message, "finish_reason": "tool_calls" });
            let answer = json!({ "choices": [choice] }).to_string();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
            let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, asked)
}

#[test]
fn an_interrupted_trip_is_gone_on_with_and_nothing_is_added_twice() {
    stopped_and_gone_on_with(|_, trip| signal("-INT", trip));
}

#[test]
fn a_trip_is_stopped_from_another_terminal_and_gone_on_with() {
    stopped_and_gone_on_with(|shop, _| {
        let status = shop.user.done(&["status"]);
        assert!(status.contains("sessions of process "), "{status}");
        assert_eq!(shop.user.done(&["stop", "--all"]), "stopped 1 call\n");
    });
}

#[test]
fn a_trip_that_is_killed_is_gone_on_with_in_its_profile_and_nothing_is_added_twice() {
    for moment in ["in the cart ", ": adding "] {
        let shop = slow();
        shop.user.done(&["authenticate", "--with-credentials"]);
        let (mut child, lines) = begun(&shop, moment);
        signal("-KILL", child.id());
        child.wait().unwrap();
        drop(lines);
        assert!(shop.cart().len() < 4, "it was killed: {:?}", shop.cart());
        gone_on_with(&shop, shop.as_stranger(&["shop", "list.txt"]));
    }
}

#[test]
fn a_trip_whose_browser_is_killed_goes_on_in_its_profile_and_nothing_is_added_twice() {
    for moment in ["in the cart ", ": adding "] {
        let shop = slow();
        let (child, lines) = begun(&shop, moment);
        let browsers = children(child.id());
        assert_eq!(browsers.len(), 1, "{browsers:?}");
        kill_group(browsers[0]);
        assert!(shop.cart().len() < 4, "it was killed: {:?}", shop.cart());
        let told: Vec<String> = lines.map(Result::unwrap).collect();
        let mut ended = Ended::of(child.wait_with_output().unwrap());
        ended.err = told.join("\n");
        gone_on_with(&shop, ended);
    }
}

fn stopped_and_gone_on_with(stop: impl Fn(&Shop, u32)) {
    let shop = slow();
    let (mut child, lines) = begun(&shop, "in the cart ");
    stop(&shop, child.id());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.iter().any(|line| line.contains("the book keeps what is done")), "{rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    assert!(shop.cart().len() < 4, "it was interrupted: {:?}", shop.cart());
    gone_on_with(&shop, shop.user.run(&["shop", "list.txt"]));
}

/// A store with time to do something meanwhile, and a list of four items.
fn slow() -> Shop {
    let latency = Duration::from_millis(50);
    let shop = Shop::open(Options { latency, ..Options::default() });
    shop.write("list.txt", "3 lemons\npeanut butter\n2x 2% milk 1 L\ncelery\n");
    shop
}

/// A trip that has come as far as a line that says this.
fn begun(shop: &Shop, moment: &str) -> (Child, Lines<BufReader<ChildStderr>>) {
    let mut child = shop.user.start(&["shop", "list.txt"]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().contains(moment)).unwrap().unwrap();
    (child, lines)
}

fn gone_on_with(shop: &Shop, ended: Ended) {
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let whole = [(MILK, 2), (LEMON, 3), (PEANUT_BUTTER, 1), ("farm-stand-celery-each", 1)];
    assert_eq!(shop.cart(), cart(&whole));
    assert_eq!(shop.read("list.txt").matches("[x]").count(), 4);
}

#[test]
fn with_two_items_at_a_time_every_line_is_whole_and_says_whose_it_is() {
    let shop = slow();
    let ended = shop.user.run(&["shop", "list.txt", "--concurrency", "2"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let items = ["3 lemons", "peanut butter", "2x 2% milk 1 L", "celery"];
    let of_the_trip = ["shopping at Corner Store: 4 items", "signed in", "not reached: "];
    // Of each item, at which lines it is spoken of.
    let mut spoken = vec![Vec::new(); items.len()];
    for (at, line) in ended.err.lines().enumerate() {
        let said = ["  … ", "in the cart "].iter().find_map(|word| line.strip_prefix(word));
        let of = |name: &&str| said.is_some_and(|said| said.starts_with(&format!("{name}: ")));
        match items.iter().position(of) {
            Some(item) => spoken[item].push((at, line.starts_with("in the cart "))),
            None => {
                let known = of_the_trip.iter().any(|said| line.starts_with(said));
                assert!(known, "{line:?} in\n{}", ended.err);
            }
        }
        // Two lines in one would have two beginnings.
        let beginnings = line.matches("  … ").count() + line.matches("in the cart ").count();
        assert!(beginnings <= 1, "{line:?}");
    }
    for (item, lines) in items.iter().zip(&spoken) {
        let ends: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].1).collect();
        assert!(lines.len() > 1, "{item}");
        assert_eq!(ends, [lines.len() - 1], "{item} is done once, and nothing is said of it then");
    }
    let under_way =
        |lines: &[(usize, bool)], at: usize| lines[0].0 < at && at < lines[lines.len() - 1].0;
    let at_once = spoken.iter().any(|one| spoken.iter().any(|other| under_way(one, other[0].0)));
    assert!(at_once, "no two were under way at the same time\n{}", ended.err);
}

#[test]
fn who_is_not_signed_in_is_told_how_and_a_sign_in_is_kept() {
    let shop = Shop::open(Options::default());
    shop.write("list.txt", "3 lemons\n");
    let ended = shop.as_stranger(&["shop", "list.txt"]);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    for said in ["error[signed_out]", "legwork authenticate", USERNAME_VARIABLE] {
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
    }
    assert_eq!(shop.read("list.txt"), "3 lemons\n");
    let ended = shop.as_stranger(&["authenticate", "--with-credentials"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains(PASSWORD_VARIABLE), "{}", ended.err);
    let ended = shop.user.run(&["--log", "trace", "authenticate", "--with-credentials"]);
    assert!(ended.out.starts_with("signed in to Corner Store"), "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("TRACE"), "{}", ended.err);
    assert!(!ended.err.contains(PASSWORD) && !ended.err.contains(USERNAME), "{}", ended.err);
    let ended = shop.as_stranger(&["shop", "list.txt"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert_eq!(shop.cart(), cart(&[(LEMON, 3)]));
}

#[test]
fn a_draft_of_the_store_can_be_checked_and_says_what_it_lacks() {
    let shop = Shop::open(Options::default());
    let ended = shop.user.run(&["site", "new", &shop.store.origin(), "-o", "draft.toml"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("it lacks: [signed_in]"), "{}", ended.err);
    assert!(shop.read("draft.toml").contains("# NOT FOUND: [signed_in]"));
    let told = shop.user.done(&["site", "check", "draft.toml"]);
    assert!(told.starts_with("ok: draft.toml") && told.contains("not by hand"), "{told}");
    let again = shop.user.run(&["site", "new", &shop.store.origin(), "-o", "draft.toml"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("is there already"), "{}", again.err);
    // Where nothing tells whether one is signed in, nothing says that one is.
    shop.write(
        "draft.toml",
        &shop.read("draft.toml").replace("per_minute = 20", "per_minute = 600"),
    );
    shop.write("list.txt", "3 lemons\n");
    let ended = shop.as_stranger(&["shop", "list.txt", "--site", "draft.toml"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains("error[signed_out]"), "{}", ended.err);
    assert!(
        ended.err.contains("tells whether you are signed in: add [signed_in]"),
        "{}",
        ended.err
    );
    assert!(!ended.err.contains("\nsigned in\n"), "{}", ended.err);
}

#[test]
fn what_a_visit_does_not_show_is_asked_at_a_terminal_and_the_store_can_then_be_shopped() {
    let shop = Shop::open(Options::default());
    let new = format!("site new {} -o store.toml", shop.store.origin());
    let answers =
        [("Without which", "7\n"), ("is none of the numbers", "1\n"), ("What is on", "#account\n")];
    let told = at_terminal(&shop.user, &new, &answers);
    assert_eq!(told.code, 0, "{}", told.out);
    assert!(!told.out.contains("it lacks"), "{}", told.out);
    let draft = shop.read("store.toml");
    assert!(draft.contains("[signed_in]\nselector = \"#account\""), "{draft}");
    assert_eq!(draft.matches("allow = false").count(), 1, "one of two was let in: {draft}");
    // As many actions a minute as a test has time for, and who shops is known by other names.
    let draft = draft.replace("per_minute = 20", "per_minute = 600");
    let draft = draft.replace("LEGWORK_127_0_0_1_", "LEGWORK_DEMO_");
    shop.write("store.toml", &draft);
    shop.write("list.txt", "3 lemons\n");
    let ended = shop.user.run(&["shop", "list.txt", "--site", "store.toml"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert_eq!(shop.cart(), cart(&[(LEMON, 3)]));
}
