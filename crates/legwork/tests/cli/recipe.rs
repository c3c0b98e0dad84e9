//! Recipes at the real program: saved with a run or of one, recorded, replayed, healed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::client;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

use crate::support::{Ended, Sidecar, Site, Theirs, User};

fn saved(user: &User, site: &Site) -> String {
    let text = format!(
        "go to {}, type admin@test.com into Email, press Log in, wait for Welcome, read the page",
        site.url("/")
    );
    let ended = user.run(&["run", &text, "--save-recipe", "log-in.toml", "--parameter", "Email"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("saved: log-in.toml (5 steps)"), "{}", ended.err);
    std::fs::read_to_string(user.path("log-in.toml")).unwrap()
}

#[test]
fn a_run_becomes_a_recipe_that_costs_nothing_to_repeat() {
    let (user, site) = (User::new(), Site::start());
    let recipe = saved(&user, &site);
    assert!(recipe.starts_with("name = \"log-in\"\n"), "{recipe}");
    assert!(recipe.contains("name = \"email\""), "{recipe}");
    let reply = user.json(&["replay", "log-in.toml", "Email=bob@test.com"]);
    assert_eq!(reply["done"], 5, "{reply}");
    assert_eq!((&reply["tokens"], &reply["healed"]), (&json!(0), &json!([])));
    assert!(reply["extracted"][0].as_str().unwrap().contains("Welcome, admin"), "{reply}");
    let plain = user.run(&["replay", "log-in.toml"]);
    assert_eq!(plain.code, 0, "{}", plain.err);
    assert!(plain.out.contains("Welcome, admin") && !plain.out.contains("steps"), "{}", plain.out);
    assert!(plain.err.contains("5 of 5 steps done, 0 healed, 0 tokens"), "{}", plain.err);
}

#[test]
fn a_run_of_before_becomes_a_recipe_and_what_cannot_become_one_says_why() {
    let (user, site) = (User::new().unlimited(), Site::start());
    let text = format!("go to {}, type ann@x.org into Email, press Log in", site.url("/"));
    user.done(&["run", &text]);
    let ended = user.run(&["run", "click the unicorn", "--save-recipe", "new.toml"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains("no recipe was written: "), "{}", ended.err);
    assert!(ended.err.contains("legwork runs save r"), "{}", ended.err);
    let runs = user.json(&["runs"]);
    let id = |at: usize| runs["runs"][at]["runId"].as_str().unwrap().to_owned();
    let (failed, done) = (id(0), id(1));
    let saved = user.run(&["runs", "save", &done, "log-in.toml", "--parameter", "Email"]);
    assert_eq!(saved.code, 0, "{}", saved.err);
    assert!(saved.err.contains("saved: log-in.toml (3 steps)"), "{}", saved.err);
    let recipe = std::fs::read_to_string(user.path("log-in.toml")).unwrap();
    assert_eq!(user.json(&["replay", "log-in.toml", "email=bob@x.org"])["done"], 3, "{recipe}");
    for (arguments, said) in [
        (["r0", "new.toml"], "error[not_found]: there is no run \"r0\""),
        ([&failed, "new.toml"], "is not completed: "),
        ([&done, "log-in.toml"], "error[invalid_input]: log-in.toml is there already"),
    ] {
        let ended = user.run(&[&["runs", "save"], &arguments[..]].concat());
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
    }
    for (parameter, said) in [
        ("Colour", "\"Colour\" is no parameter: nothing was entered in a field \"Colour\"; "),
        ("day=Monday", "\"day\" is no parameter: no step has \"Monday\"; "),
    ] {
        for arguments in [
            &["runs", "save", &done, "new.toml", "--parameter", parameter][..],
            &["run", &text, "--save-recipe", "new.toml", "--parameter", parameter],
        ] {
            let ended = user.run(arguments);
            assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
            assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
            assert!(ended.err.contains("\"Email\" (\"ann@x.org\")"), "{}", ended.err);
            assert!(ended.err.contains("hint: no recipe was written; "), "{}", ended.err);
        }
    }
    assert!(!user.path("new.toml").exists());
    assert_eq!(std::fs::read_to_string(user.path("log-in.toml")).unwrap(), recipe);
}

#[test]
fn a_new_recipe_takes_the_place_of_no_file() {
    let (user, site) = (User::new(), Site::start());
    std::fs::write(user.path("mine.toml"), "mine").unwrap();
    let url = site.url("/dashboard");
    let go = format!("go to {url}, read the page");
    let refused = |said: &str, file: &str| {
        let (what, hint) = match file {
            "mine.toml" => ("mine.toml is there already", "hint: name another file"),
            _ => ("no is no folder", "hint: make it"),
        };
        assert!(said.contains(&format!("error[invalid_input]: {what}")), "{said}");
        assert!(said.contains(hint), "{said}");
    };
    for file in ["mine.toml", "no/where.toml"] {
        for arguments in [&["run", &go, "--save-recipe", file][..], &["record", file, &url]] {
            let ended = user.run(arguments);
            assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
            refused(&ended.err, file);
        }
    }
    assert_eq!(user.json(&["runs"])["runs"], json!([]), "nothing was done in vain");
    assert_eq!(user.json(&["daemon", "status"])["running"], false, "nor any browser started");
    user.done(&["run", &go]);
    let id = user.json(&["runs"])["runs"][0]["runId"].as_str().unwrap().to_owned();
    for file in ["mine.toml", "no/where.toml"] {
        let saved = user.run(&["runs", "save", &id, file]);
        assert_eq!(saved.code, 2, "{}", saved.err);
        refused(&saved.err, file);
        let chat = user.fed(&["chat"], &format!("{go}\n/save {file}\n/save new-{}\n", file.len()));
        refused(&chat.err, file);
        assert!(user.path(&format!("new-{}", file.len())).exists(), "{}", chat.err);
    }
    assert_eq!(std::fs::read_to_string(user.path("mine.toml")).unwrap(), "mine");
}

#[test]
fn a_step_that_no_longer_fits_is_healed_or_stops_with_the_difference() {
    let (user, site) = (User::new(), Site::start());
    let recipe = saved(&user, &site);
    // The ways that are tried first lead nowhere any more.
    let moved = recipe.replace("name=\"Log in\" exact", "name=\"Sign in\" exact");
    std::fs::write(user.path("moved.toml"), &moved).unwrap();
    let ended = user.run(&["replay", "moved.toml", "--update"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("\nhealed 3: button \"Log in\""), "{}", ended.err);
    let again = user.json(&["replay", "moved.toml"]);
    assert_eq!(again["healed"], json!([]), "the recipe has learnt it: {again}");
    let wrong = recipe.replace("Welcome", "Farewell");
    std::fs::write(user.path("wrong.toml"), &wrong).unwrap();
    let ended = user.run(&["replay", "wrong.toml"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains("error[step_failed]: step "), "{}", ended.err);
    assert_eq!(std::fs::read_to_string(user.path("wrong.toml")).unwrap(), wrong);
    for (arguments, said) in [
        (&["replay", "nowhere.toml"][..], "error[file_error]: "),
        (&["replay", "log-in.toml", "colour=red"], "error[recipe_parameter]: "),
        (&["replay", "log-in.toml", "--heal"], "error[invalid_input]: --heal needs a model"),
        (&["replay", "log-in.toml", "red"], "error: invalid value 'red'"),
    ] {
        let ended = user.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn a_replay_that_lacks_a_secret_does_nothing_and_one_ends_when_its_time_is_over() {
    let (user, site) = (User::new(), Site::start());
    let go = format!("[[steps]]\ntool = \"navigate\"\nvalue = {:?}\n", site.url("/"));
    let enter = "[[steps]]\ntool = \"fill\"\nvalue = \"{{secret:mine}}\"\n[steps.element]\nfind = [\"Password\"]";
    let wait = "[[steps]]\ntool = \"wait\"\nwith = { text = \"Never\" }";
    for (name, last) in [("secret.toml", enter), ("wait.toml", wait)] {
        let text = format!("name = \"one\"\n{go}{last}\n");
        std::fs::write(user.path(name), text).unwrap();
    }
    let ended = user.run(&["replay", "secret.toml"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("error[not_found]: there is no secret \"mine\""), "{}", ended.err);
    assert_eq!(user.json(&["daemon", "status"])["running"], false, "no browser was started");
    user.done(&["open", &site.url("/dashboard")]);
    let ended = user.run(&["replay", "wait.toml", "--timeout", "3s"]);
    assert_eq!(ended.code, 5, "{}", ended.err);
    assert!(ended.err.contains("not done: wait"), "{}", ended.err);
    assert!(ended.err.contains("error[timeout]: "), "{}", ended.err);
}

#[test]
fn a_recording_begins_where_it_was_begun_and_ends_with_a_line() {
    let (user, site) = (User::new(), Site::start());
    let url = site.url("/dashboard");
    let record = ["record", "seen.toml", &url, "--as-is", "--parameter", "Colour"];
    let ended = user.fed(&record, "\n");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("this session has no window"), "{}", ended.err);
    assert!(ended.err.contains("warning: \"Colour\" is no parameter: "), "{}", ended.err);
    let recipe = std::fs::read_to_string(user.path("seen.toml")).unwrap();
    assert!(recipe.contains(&format!("value = \"{url}\"")), "{recipe}");
    user.done(&["open", "about:blank"]);
    assert_eq!(user.json(&["replay", "seen.toml"])["done"], 1);
    assert!(user.done(&["eval", "document.title"]).contains("Dashboard"));
}

#[test]
fn a_window_that_cannot_be_shown_leaves_the_session_as_it_was() {
    let (user, site) = (User::new(), Site::start());
    let url = site.url("/dashboard");
    user.done(&["open", &url]);
    let commands: [&[&str]; 4] = [
        &["run", "--headed", "read the page"],
        &["open", "--headed", "about:blank"],
        &["record", "seen.toml", "about:blank"],
        &["record", "seen.toml"],
    ];
    for arguments in commands {
        let ended = user.run(arguments);
        assert_eq!(ended.code, 3, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains("hint: there is no display"), "{arguments:?}: {}", ended.err);
        // The daemon has none, whatever is here.
        let shown = Ended::of(user.command(arguments).env("DISPLAY", ":1").output().unwrap());
        assert!(shown.err.contains("legwork daemon stop"), "{arguments:?}: {}", shown.err);
        assert!(user.done(&["snapshot"]).contains("Dashboard"), "{arguments:?}");
    }
    assert!(!user.path("seen.toml").exists());
    let missing = user.run(&["--session", "other", "record", "seen.toml"]);
    assert_eq!(missing.code, 3, "{}", missing.err);
    user.done(&["--session", "other", "open", &url]);
}

/// The hands of a person at a browser: trusted input, over a line of its own.
struct Hands {
    socket: WebSocket<TcpStream>,
    asked: u64,
    /// What was told while an answer was waited for.
    told: Vec<Value>,
}

impl Hands {
    /// At the page with this address.
    fn at(browser: &str, page: &str) -> Hands {
        let mut list = BufReader::new(TcpStream::connect(browser).unwrap());
        list.get_ref().set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let request = format!("GET /json/list HTTP/1.1\r\nHost: {browser}\r\n\r\n");
        list.get_mut().write_all(request.as_bytes()).unwrap();
        // The browser keeps the line open, so what it answers is counted.
        let (mut line, mut length) = (String::new(), 0);
        while list.read_line(&mut line).unwrap() > 2 {
            let header = line.to_ascii_lowercase();
            let said = header.strip_prefix("content-length:").map(|it| it.trim().parse().unwrap());
            length = said.unwrap_or(length);
            line.clear();
        }
        let mut answer = vec![0; length];
        list.read_exact(&mut answer).unwrap();
        let pages: Value = serde_json::from_slice(&answer).unwrap();
        let ours = |one: &&Value| one["type"] == "page" && one["url"] == page;
        let ours = pages.as_array().unwrap().iter().find(ours);
        let address = ours.unwrap_or_else(|| panic!("{pages}"))["webSocketDebuggerUrl"].clone();
        let stream = TcpStream::connect(browser).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (socket, _) = client(address.as_str().unwrap(), stream).unwrap();
        Hands { socket, asked: 0, told: Vec::new() }
    }

    fn hear(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let request = json!({ "id": id, "method": method, "params": params });
        self.socket.send(Message::text(request.to_string())).unwrap();
        loop {
            let mut heard = self.hear();
            if heard["id"] == id {
                assert!(heard["error"].is_null(), "{method}: {heard}");
                return heard["result"].take();
            }
            self.told.push(heard);
        }
    }

    fn until(&mut self, event: &str) {
        while !self.told.iter().any(|told| told["method"] == event) {
            let heard = self.hear();
            self.told.push(heard);
        }
    }

    fn click(&mut self, selector: &str) {
        let middle = format!(
            "(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('{selector}').getBoundingClientRect())"
        );
        let found =
            self.ask("Runtime.evaluate", json!({ "expression": middle, "returnByValue": true }));
        let (x, y) = (&found["result"]["value"][0], &found["result"]["value"][1]);
        for kind in ["mousePressed", "mouseReleased"] {
            let at = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", at);
        }
    }
}

#[test]
fn what_a_person_does_is_told_at_the_sidecars_own_door_while_it_is_recorded() {
    let theirs = Theirs::start(&User::new());
    let joined = format!("http://{}", theirs.address);
    let (user, site) = (User::new().with("LEGWORK_ATTACH", &joined), Site::start());
    let url = site.url("/");
    let mut sidecar = Sidecar::of(&user);
    let wrong = sidecar.ask("browser.record", json!({ "on": "yes" }));
    assert_eq!(wrong["error"]["data"]["code"], "ERR_INVALID_INPUT", "{wrong}");
    sidecar.ask("browser.subscribe", json!({ "events": ["user_acted"] }));
    sidecar.ask("browser_navigate", json!({ "url": url }));
    assert!(sidecar.told.is_empty(), "nothing is recorded yet: {:?}", sidecar.told);
    let on = sidecar.ask("browser.record", json!({ "on": true }));
    assert_eq!(on["result"], json!({ "recording": true }), "{on}");
    let mut person = Hands::at(&theirs.address, &url);
    person.ask("Page.enable", json!({}));
    person.click("#email");
    person.ask("Input.insertText", json!({ "text": "ann@x.org" }));
    person.click("button");
    person.until("Page.loadEventFired");
    sidecar.until(r#""name":"Log in""#);
    let all = json!(sidecar.told).to_string();
    assert!(all.contains("user_acted") && all.contains("ann@x.org"), "{all}");
    let off = sidecar.ask("browser.record", json!({ "on": false }));
    assert_eq!(off["result"], json!({ "recording": false }), "{off}");
    let before = sidecar.told.len();
    person.ask("Page.navigate", json!({ "url": url }));
    sidecar.ask("browser_wait", json!({ "target": "#email" }));
    assert_eq!(sidecar.told.len(), before, "{:?}", sidecar.told);
    sidecar.end();
}

#[test]
fn what_a_person_does_in_the_browser_is_recorded_and_done_again() {
    let theirs = Theirs::start(&User::new());
    let joined = format!("http://{}", theirs.address);
    let (user, site) = (User::new().with("LEGWORK_ATTACH", &joined), Site::start());
    let url = site.url("/");
    let mut record = user.command(&["record", "person.toml", &url, "--as-is"]);
    let mut record = record.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(record.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line.starts_with("recording: ")));
    let mut person = Hands::at(&theirs.address, &url);
    person.ask("Page.enable", json!({}));
    person.click("#email");
    person.ask("Input.insertText", json!({ "text": "ann@x.org" }));
    person.click("button");
    person.until("Page.loadEventFired");
    record.stdin.take().unwrap().write_all(b"\n").unwrap();
    let rest: Vec<String> = said.collect();
    assert!(record.wait().unwrap().success(), "{rest:?}");
    let recipe = std::fs::read_to_string(user.path("person.toml")).unwrap();
    assert!(recipe.contains("ann@x.org") && recipe.contains("Log in"), "{recipe}");
    user.done(&["open", "about:blank"]);
    assert_eq!(user.json(&["replay", "person.toml"])["done"], 3, "{recipe}");
    assert!(user.done(&["eval", "document.title"]).contains("Dashboard"), "{recipe}");
}
