//! `legwork shop` and what belongs to it, at the real program. What needs no browser is here; trips are in
//! `trips`.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use crate::support::{Ended, User};

const SITE: &str = r#"name = "Corner shop"
home = "https://shop.example/"
search = "https://shop.example/find?q={query}"
cart = "https://shop.example/cart"
currency = "CAD"

[hosts]
required = ["shop.example"]

[paths]
blocked = ["**/checkout*"]
"#;

/// A user with a shop of their own, which is the configured one.
fn customer() -> User {
    let user = User::new();
    std::fs::create_dir_all(user.path(".config/legwork/shop/sites")).unwrap();
    write(&user, ".config/legwork/shop/sites/corner.toml", SITE);
    write(&user, ".config/legwork/shop/config.yaml", "site: corner\n");
    user
}

fn write(user: &User, name: &str, text: &str) {
    std::fs::write(user.path(name), text).unwrap();
}

fn read(user: &User, name: &str) -> String {
    std::fs::read_to_string(user.path(name)).unwrap()
}

fn refused(ended: &Ended, said: &[&str]) {
    assert_eq!(ended.code, 2, "{}{}", ended.out, ended.err);
    for word in said {
        assert!(ended.err.contains(word), "{word}: {}", ended.err);
    }
}

#[test]
fn a_site_is_checked_and_every_mistake_told_with_its_line() {
    let user = User::new();
    write(&user, "good.toml", SITE);
    let told = user.done(&["site", "check", "good.toml"]);
    assert!(told.starts_with("ok: good.toml describes Corner shop"), "{told}");
    assert!(told.contains("**/checkout*") && told.contains("pay = \"refuse\""), "{told}");
    let told = user.done(&["site", "check", "metro"]);
    assert!(told.starts_with("ok: metro describes metro.ca, which signs in with LEGWORK_METRO_"));
    refused(&user.run(&["site", "check", "metr"]), &["did you mean \"metro\"?"]);
    let wrong = SITE.replace("{query}", "x").replace("shop.example/cart", "other.example/cart");
    write(&user, "wrong.toml", &wrong);
    let ended = user.run(&["site", "check", "wrong.toml"]);
    refused(&ended, &["error[invalid_site]: wrong.toml has 2 mistakes"]);
    assert!(ended.out.contains("wrong.toml:3:10: it has to say {query} once"), "{}", ended.out);
    assert!(ended.out.contains("wrong.toml:4:8: "), "{}", ended.out);
    write(&user, "word.toml", &SITE.replace("currency", "curency"));
    let ended = user.run(&["site", "check", "word.toml"]);
    refused(&ended, &["has a mistake"]);
    assert!(
        ended.out.contains("word.toml:5:1: ") && ended.out.contains("did you mean `currency`?")
    );
    let ended = user.run(&["site", "check", "wrong.toml", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((ended.code, told["mistakes"][0]["line"].as_u64()), (2, Some(3)));
}

#[test]
fn sites_are_known_by_name_and_the_users_own_come_first() {
    let user = customer();
    let told = user.done(&["site", "list"]);
    assert!(told.contains("corner: Corner shop (https://shop.example/)"), "{told}");
    assert!(told.contains("metro: metro.ca"), "{told}");
    assert!(user.done(&["site", "show", "metro"]).contains("name = \"metro.ca\""));
    write(&user, ".config/legwork/shop/sites/metro.toml", &SITE.replace("Corner", "My metro"));
    assert!(user.done(&["site", "show", "metro"]).contains("My metro"));
    assert!(user.done(&["site", "check", "metro"]).contains("metro.toml describes My metro"));
    let ended = user.run(&["site", "show", "cornr"]);
    refused(&ended, &["there is no site \"cornr\"", "did you mean \"corner\"?"]);
}

#[test]
fn what_was_chosen_can_be_set_shown_and_forgotten() {
    let user = customer();
    assert_eq!(user.done(&["shop", "prefs"]).trim(), "nothing was chosen yet");
    let url = "https://shop.example/p/1";
    let set = ["shop", "prefs", "set", "2x Oat  Milk", "--product", "Oat 1 L", "--url", url];
    user.done(&set);
    user.done(&["shop", "prefs", "set", "oat milk", "--price-ceiling", "5.00"]);
    let told = user.json(&["shop", "prefs", "show", "OAT milk"]);
    let one = &told["preferences"][0];
    assert_eq!(
        (one["product"].as_str(), one["price_ceiling"].as_str()),
        (Some("Oat 1 L"), Some("5.00"))
    );
    let path = user.done(&["shop", "prefs", "path"]);
    let text = std::fs::read_to_string(path.trim()).unwrap();
    assert!(text.contains("Corner shop:\n  oat milk:\n    product: \"Oat 1 L\"\n"), "{text}");
    assert!(user.done(&["shop", "prefs"]).contains("oat milk: Oat 1 L, at most 5.00"));
    for (arguments, said) in [
        (&["set", "tea", "--url", url][..], "--product and --url are needed"),
        (&["set", "tea", "--product", "T", "--url", "https://else.example/1"], "is not a page of"),
        (&["set", "oat milk", "--price-ceiling", "cheap"], "is not a price"),
        (&["show", "oat milk", "--site", "nowhere"], "there is no site"),
    ] {
        refused(&user.run(&[&["shop", "prefs"], arguments].concat()), &[said]);
    }
    let ended = user.run(&["shop", "prefs", "forget", "oat mlk"]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("did you mean \"oat milk\"?"), "{}", ended.err);
    user.done(&["shop", "prefs", "forget", "oat milk"]);
    assert_eq!(user.done(&["shop", "prefs"]).trim(), "nothing was chosen yet");
}

#[test]
fn an_editor_changes_what_was_chosen_and_is_told_of_mistakes() {
    let user = customer().with("EDITOR", "sh -c 'printf \"shop: [\" > \"$0\"'");
    let ended = user.run(&["shop", "prefs", "edit"]);
    refused(&ended, &["preferences.yaml:1:"]);
    let user = customer().with("EDITOR", "true");
    assert!(user.done(&["shop", "prefs", "edit"]).starts_with("0 remembered in "));
}

#[test]
fn a_dry_run_says_what_would_be_bought_and_changes_nothing() {
    let user = customer();
    let list = "# mine\n- 2x milk\n- Oat milk\n- milk x2\n- {name: tea, tags: ['#404']}\n";
    write(&user, "list.yaml", list);
    let url = "https://shop.example/p/1";
    user.done(&["shop", "prefs", "set", "oat milk", "--product", "Oat 1 L", "--url", url]);
    let told = user.done(&["shop", "list.yaml", "--dry-run"]);
    for line in ["2 × milk\n", "1 × Oat milk (Oat 1 L)", "1 × tea", "milk x2: said before"] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let told = user.done(&["shop", "--shopping-list", "list.yaml", "--dry-run", "--no-retry"]);
    assert!(told.contains("tea #not_found: left alone"), "{told}");
    assert_eq!(read(&user, "list.yaml"), list);
    let ended = user.fed(&["shop", "-", "--dry-run", "--json"], "milk\n- [x] salt\n3 bananas\n");
    let told: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(told["items"][1]["quantity"], 3, "{told}");
    assert_eq!(told["items"].as_array().unwrap().len(), 2);
    write(&user, "list.csv", "name,quantity\nmilk,2\n");
    assert!(user.done(&["shop", "list.csv", "--dry-run"]).contains("2 × milk"));
    let kept = ["list.shopping.yaml", ".config/legwork/shop/standard_input.yaml"];
    assert!(kept.iter().all(|name| !user.path(name).exists()), "nothing is kept by a dry run");
}

#[test]
fn a_dry_run_of_a_list_that_is_half_bought_has_only_what_is_left() {
    let user = customer();
    let kept = "- {name: milk, status: completed}\n- 2x eggs\n";
    write(&user, "list.csv", "name,quantity\nmilk,1\neggs,2\ntea,3\n");
    write(&user, "list.shopping.yaml", kept);
    write(&user, ".config/legwork/shop/standard_input.yaml", kept);
    let bought = |told: &str| {
        let lines = told.lines().filter(|line| line.contains(" × ")).map(str::trim);
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = ["1 × milk", "2 × eggs", "3 × tea"];
    assert_eq!(bought(&user.done(&["shop", "list.csv", "--dry-run"])), whole[1..]);
    assert_eq!(bought(&user.done(&["shop", "list.csv", "--dry-run", "--afresh"])), whole);
    let typed = "milk\n2x eggs\n3x tea\n";
    assert_eq!(bought(&user.fed(&["shop", "-", "--dry-run"], typed).out), whole[1..]);
    for name in ["list.shopping.yaml", ".config/legwork/shop/standard_input.yaml"] {
        assert_eq!(read(&user, name), kept, "a dry run changes nothing");
    }
}

#[test]
fn who_cannot_sign_in_by_hand_here_is_told_before_a_window_is_announced() {
    let user = customer();
    let ended = user.run(&["authenticate", "--site", "metro"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    let both = "set LEGWORK_METRO_USERNAME and LEGWORK_METRO_PASSWORD and say --with-credentials";
    for said in ["error[sign_in_failed]", "no display", both] {
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
    }
    assert!(!ended.err.contains("A window opens"), "{}", ended.err);
    let ended = user.run(&["authenticate"]);
    assert!(ended.err.contains("Corner shop has no [signed_in]"), "{}", ended.err);
}

#[test]
fn what_cannot_be_shopped_is_told_before_anything_starts() {
    let user = customer();
    write(&user, "list.yaml", "- milk\n");
    write(&user, "bad.yaml", "items: milk\n");
    let cases: &[(&[&str], &[&str])] = &[
        (&["shop", "none.yaml"], &["none.yaml cannot be read"]),
        (&["shop", "bad.yaml"], &["bad.yaml:1:"]),
        (&["shop"], &["which list?", "shopping_list.yaml"]),
        (&["shop", "list.yaml", "--site", "metr"], &["did you mean \"metro\"?"]),
        (&["shop", "list.yaml", "--policy", "open"], &["--policy is not for shopping"]),
        (&["shop", "list.yaml", "--concurrency", "9"], &["expected 1 to 8"]),
        (&["shop", "list.yaml", "--time-budget", "300"], &["too short"]),
        (&["shop", "list.yaml", "--home-assistant"], &["cannot be used with"]),
        (&["shop", "--home-assistant"], &["HOME_ASSISTANT_URL"]),
    ];
    for (arguments, said) in cases {
        refused(&user.run(arguments), said);
    }
    write(&user, ".config/legwork/shop/config.yaml", "site: corner\nconcurency: 2\n");
    let ended = user.run(&["shop", "list.yaml"]);
    refused(
        &ended,
        &["config.yaml:2:1: there is no key `concurency`; did you mean `concurrency`?"],
    );
    std::fs::remove_file(user.path(".config/legwork/shop/config.yaml")).unwrap();
    refused(&user.run(&["shop", "list.yaml"]), &["which shop?", "corner, metro", "config.yaml"]);
}

/// Somebody's Home Assistant, which knows one token. Gives the tokens that were shown.
fn home_assistant() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (show, shown) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream);
            let (mut line, mut token) = (String::new(), String::new());
            while lines.read_line(&mut line).unwrap_or(0) > 2 {
                let (name, value) = line.split_once(':').unwrap_or_default();
                if name.eq_ignore_ascii_case("authorization") {
                    token = value.trim().to_owned();
                }
                line.clear();
            }
            let (status, body) = match token.as_str() {
                "Bearer right" => ("200 OK", "[]"),
                _ => ("401 Unauthorized", "401: Unauthorized"),
            };
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n");
            let rest = format!("Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
            let _ = lines.get_mut().write_all(format!("{head}{rest}").as_bytes());
            let _ = show.send(token);
        }
    });
    (address, shown)
}

#[test]
fn a_service_that_refuses_the_token_is_no_usage_mistake() {
    let (address, shown) = home_assistant();
    let user = |token: &str| {
        customer().with("HOME_ASSISTANT_URL", &address).with("HOME_ASSISTANT_TOKEN", token)
    };
    let ask = ["shop", "--home-assistant", "shopping_list", "--dry-run"];
    let ended = user("sesame-4711").run(&ask);
    assert_eq!(shown.recv().unwrap(), "Bearer sesame-4711");
    assert_eq!(ended.code, 1, "{}", ended.err);
    for word in ["error[refused]", "401", "long-lived access token"] {
        assert!(ended.err.contains(word), "{word}: {}", ended.err);
    }
    assert!(!ended.err.contains("sesame"), "{}", ended.err);
    let ended = user("right").run(&ask);
    assert_eq!(shown.recv().unwrap(), "Bearer right");
    assert!(!ended.err.contains("refused"), "{}", ended.err);
}

#[test]
fn a_service_that_is_not_there_is_no_usage_mistake() {
    let user = customer().with("HOME_ASSISTANT_URL", "http://127.0.0.1:1");
    refused(
        &user.run(&["shop", "--home-assistant", "--dry-run"]),
        &["the token of Home Assistant"],
    );
    let user = customer()
        .with("HOME_ASSISTANT_URL", "http://127.0.0.1:1")
        .with("HOME_ASSISTANT_TOKEN", "sesame-4711");
    refused(
        &user.run(&["shop", "--home-assistant", "milk", "--dry-run"]),
        &["\"milk\" is neither"],
    );
    // What the file does not say of it, the environment does.
    let config = "site: corner\nhome_assistant:\n  list: todo.food\n";
    write(&user, ".config/legwork/shop/config.yaml", config);
    let ended = user.run(&["shop", "--dry-run"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(
        ended.err.contains("list_unreachable") && !ended.err.contains("sesame"),
        "{}",
        ended.err
    );
}
