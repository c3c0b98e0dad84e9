//! What is done in a window, on a screen that nobody sees: a real Chrome that is shown there, and hands that move
//! the mouse and the keys of that screen.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use legwork_demo::{Options, PASSWORD, Store, USERNAME};
use serde_json::{Value, json};

use crate::run::{answer, until};
use crate::support::{Site, User, at_terminal, at_terminal_seeing};

/// A screen of its own, which ends with the test.
struct Screen {
    server: Child,
    display: String,
}

impl Screen {
    fn start() -> Screen {
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]);
        server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = server.spawn().expect("run `scripts/setup --tests` first");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Screen { server, display: format!(":{}", number.trim()) }
    }

    /// Types into the window with this title. A line break is the Enter key.
    fn types(&self, title: &str, text: &str) {
        self.hands(title, &["windowfocus", "--sync", "type", "--delay", "20", text]);
    }

    /// Waits for a window with this title.
    fn shows(&self, title: &str) {
        self.hands(title, &[]);
    }

    fn hands(&self, title: &str, then: &[&str]) {
        let find = ["search", "--sync", "--onlyvisible", "--name", title];
        let mut hands = Command::new("xdotool");
        hands.args(find).args(then).env("DISPLAY", &self.display).stdout(Stdio::null());
        assert!(hands.status().expect("run `scripts/setup --tests` first").success());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn a_person_signs_in_in_a_window_and_the_store_is_shopped_as_them() {
    let (screen, form) = (Screen::start(), Site::start());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let store = runtime.block_on(Store::start(Options::default())).unwrap();
    let user = User::new().with("DISPLAY", &screen.display);
    // The form is on a host that is reached only while signing in.
    let own = format!("url = \"{}/sign-in\"", store.origin());
    let url = form.url(&format!("/focused?to={}/sign-in", store.origin()));
    let host = form.url("").replace("http://", "");
    let other = format!("url = \"{url}\"\nhosts = [\"{host}\"]");
    let description = store.site_toml();
    assert!(description.contains(&own), "{description}");
    std::fs::write(user.path("store.toml"), description.replace(&own, &other)).unwrap();
    let mut authenticate = user.start(&["authenticate", "--site", "store.toml"]);
    form.until_asked();
    form.release();
    screen.types("Log in here", &format!("{USERNAME}\t{PASSWORD}\n"));
    let mut said = BufReader::new(authenticate.stderr.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().starts_with("A window opens at Corner Store."));
    let rest: Vec<String> = said.map(Result::unwrap).collect();
    assert!(authenticate.wait().unwrap().success(), "{rest:?}");
    assert_eq!(store.count("POST", "/sign-in"), 1);
    // The profile is theirs from now on, and no name or password is needed.
    std::fs::write(user.path("list.txt"), "3 lemons\n").unwrap();
    user.done(&["shop", "list.txt", "--site", "store.toml"]);
    assert_eq!(store.cart(USERNAME).values().sum::<u32>(), 3);
    assert_eq!(store.count("POST", "/sign-in"), 1, "once is enough");
    let recorded = user.done(&["audit", "export"]);
    assert!(!recorded.contains(PASSWORD), "what is typed in the window is in no record");
}

#[test]
fn a_run_with_a_window_says_so_when_a_person_is_needed() {
    let (screen, site) = (Screen::start(), Site::start());
    let user = User::new().with("DISPLAY", &screen.display);
    user.done(&["open", &site.url("/")]);
    let answers = [("in the browser's window", "/stop\n")];
    let ended = at_terminal(&user, "run --headed 'read the page'", &answers);
    assert_eq!(ended.code, 130, "{}", ended.out);
    assert!(!ended.out.contains("has no window"), "{}", ended.out);
    assert_eq!(user.json(&["sessions"])["sessions"][0]["headless"], false);
}

#[test]
fn a_run_waits_for_a_sign_in_in_its_window_and_looks_again() {
    let (screen, site) = (Screen::start(), Site::start());
    let user = User::new().with("DISPLAY", &screen.display);
    user.done(&["open", "--headed", &site.url("/focused")]);
    site.until_asked();
    site.release();
    let answers = [("in the browser's window", ""), ("/stop ends the run", "\n")];
    let ended = at_terminal_seeing(&user, "run --headed 'read the page'", &answers, &|asked| {
        if asked == answers[0].0 {
            screen.types("Log in here", "ann@x.org\thunter2-by-hand\n");
            screen.shows("Dashboard");
        }
    });
    assert_eq!(ended.code, 0, "{}", ended.out);
    assert_eq!(ended.out.matches("!! You are needed: a sign-in").count(), 1, "{}", ended.out);
    assert!(ended.out.contains("Welcome, admin"), "{}", ended.out);
    let recorded = user.done(&["audit", "export"]);
    assert!(recorded.contains("browser_extract"), "{recorded}");
    assert!(!recorded.contains("browser_type") && !recorded.contains("by-hand"), "{recorded}");
}

/// A riddle for people, ready for the space bar, which it tells by asking for `/held`.
const RIDDLE: &str = "<!doctype html><title>One more step</title><h1>Verify you are human</h1>\
    <label><input type=checkbox autofocus onfocus=\"fetch('/held')\" onchange=\"location = '/dashboard'\">\
    I'm not a robot</label>";

#[test]
fn a_riddle_that_is_still_there_is_asked_for_once_more_and_solved_in_the_window() {
    let (screen, site) = (Screen::start(), Site::with(&[("/riddle", RIDDLE)]));
    let user = User::new().with("DISPLAY", &screen.display);
    user.done(&["open", "--headed", &site.url("/riddle")]);
    site.until_asked();
    site.release();
    let mut run = user.command(&["run", "--headed", "--json", "read the page"]);
    let mut run = run.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap());
    let mut before = Value::Null;
    for acts in [false, true] {
        let waiting = until(&mut lines, |state| {
            !state["assistance"].is_null() && state["assistance"]["id"] != before
        });
        assert_eq!(waiting["assistance"]["type"], "captcha", "{waiting}");
        before = waiting["assistance"]["id"].clone();
        if acts {
            screen.types("One more step", " ");
            screen.shows("Dashboard");
        }
        writeln!(run.stdin.as_mut().unwrap(), "{}", answer(&before, json!("done"))).unwrap();
    }
    let last = until(&mut lines, |state| !state["finished"].is_null());
    assert_eq!(last["status"], "completed", "{last}");
    assert!(last["finished"]["results"][0].as_str().unwrap().contains("Welcome, admin"), "{last}");
    drop(run.stdin.take());
    assert_eq!(run.wait().unwrap().code(), Some(0));
}

#[test]
fn what_a_person_does_in_a_window_is_recorded_and_done_again_without_one() {
    let (screen, site) = (Screen::start(), Site::start());
    let user = User::new().with("DISPLAY", &screen.display);
    // A session that has no window gets one.
    user.done(&["open", &site.url("/")]);
    let mut record = user.command(&["record", "seen.toml", &site.url("/focused")]);
    let mut record = record.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(record.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line.starts_with("recording: ")));
    site.until_asked();
    site.release();
    screen.types("Log in here", "ann@x.org\n");
    screen.shows("Dashboard");
    record.stdin.take().unwrap().write_all(b"\n").unwrap();
    let rest: Vec<String> = said.collect();
    assert!(record.wait().unwrap().success(), "{rest:?}");
    let recipe = std::fs::read_to_string(user.path("seen.toml")).unwrap();
    assert!(recipe.contains("ann@x.org") && recipe.contains("value = \"Enter\""), "{recipe}");
    user.done(&["daemon", "stop", "--all"]);
    site.release();
    let mut replay = user.command(&["replay", "seen.toml"]);
    let replayed = replay.env_remove("DISPLAY").output().unwrap();
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stderr));
    assert!(user.done(&["eval", "document.title"]).contains("Dashboard"), "{recipe}");
}
