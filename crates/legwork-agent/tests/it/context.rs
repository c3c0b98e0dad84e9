//! What a model is shown stays small: forty turns on large pages.

use std::path::Path;

use legwork_agent::model::{Abilities, Part, Request, Turn};
use legwork_agent::think::{Achieved, pursue};
use serde_json::{Value, json};

use crate::kinds::kinds;
use crate::scripted::{Recorder, Scripted, call, calls, goal, words};
use crate::support::{Rig, Site, html};

/// How many tokens each request truly takes, with 1,600 for a picture.
pub fn tokens(requests: &[Request]) -> Vec<usize> {
    let (texts, pictures): (Vec<String>, Vec<usize>) = requests.iter().map(read).unzip();
    crate::o200k::tokens(&texts).iter().zip(pictures).map(|(text, n)| text + 1_600 * n).collect()
}

/// All that a request says, and how many pictures it shows.
fn read(request: &Request) -> (String, usize) {
    let mut said = vec![request.system.clone()];
    for tool in &request.tools {
        said.extend([tool.name.clone(), tool.about.clone()]);
        said.push(Value::from(tool.schema.clone()).to_string());
    }
    let mut parts: Vec<&Part> = Vec::new();
    for turn in &request.turns {
        match turn {
            Turn::User(shown) => parts.extend(shown),
            Turn::Tools(results) => parts.extend(results.iter().flat_map(|one| &one.parts)),
            Turn::Model(answer) => {
                said.push(answer.text.clone());
                for call in &answer.calls {
                    let arguments = call.arguments.clone().map(Value::from).unwrap_or_default();
                    said.extend([call.name.clone(), call.id.clone(), arguments.to_string()]);
                }
            }
        }
    }
    let mut pictures = 0;
    for part in parts {
        match part {
            Part::Text(text) => said.push(text.clone()),
            Part::Picture(_) => pictures += 1,
        }
    }
    (said.join("\n"), pictures)
}

#[test]
fn the_estimate_of_tokens_is_at_most_a_tenth_below_what_a_text_of_any_kind_costs() {
    let (names, texts): (Vec<&str>, Vec<String>) = kinds().into_iter().unzip();
    for ((name, text), truth) in names.iter().zip(&texts).zip(crate::o200k::tokens(&texts)) {
        let estimate = legwork_protocol::tokens::count(text);
        println!("{name}: {estimate} for {truth}, {:.2}", estimate as f64 / truth as f64);
        assert!(truth > 1_000, "{name}: {truth} is little");
        assert!(estimate * 10 >= truth * 9, "{name}: {estimate} for {truth}");
    }
}

/// Large pages of documentation, fetched by `make setup` where there are any; else one of as many rows.
fn page(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/docs/usr/share/doc");
    let rows = || {
        (0..20_000)
            .map(|n| format!("<h3>Part {n}</h3><p>Row {n} <a href=#{n}>link {n}</a></p>"))
            .collect()
    };
    std::fs::read_to_string(root.join(path.trim_start_matches('/'))).unwrap_or_else(|_| rows())
}

const PAGES: &[&str] = &[
    "/nodejs/api/fs.html",
    "/sqlite3/lang_select.html",
    "/sqlite3/capi3ref.html",
    "/nodejs/api/crypto.html",
    "/nodejs/api/n-api.html",
];

/// A page of 5.8 MB, which takes a browser several seconds: it is looked at once.
const LARGEST: &str = "/nodejs/api/all.html";

#[tokio::test(flavor = "multi_thread")]
async fn forty_turns_on_large_pages_stay_under_60_000_tokens_at_any_turn() {
    let site = Site::start(|path| html(&page(path))).await;
    let requests = forty_turns(&site.origin(), PAGES, LARGEST).await;
    let last = crate::scripted::shown(requests.last().unwrap());
    assert!(last.contains("(an older view of the page"), "older views are told in a line");
    assert!(last.contains("The person says: mind the second chapter"));
    assert!(last.contains("Task: find the chapter on files"));
}

/// Pages of texts that cost far more than their length suggests.
const DENSE: &[&str] = &["/Tibetan", "/compact JSON", "/Thai", "/base64", "/Chinese"];

#[tokio::test(flavor = "multi_thread")]
async fn forty_turns_on_pages_of_rare_scripts_and_codes_stay_under_60_000_tokens_too() {
    let site = dense().await;
    let requests = forty_turns(&site.origin(), DENSE, "/Hindi").await;
    let shown = requests.iter().map(crate::scripted::shown).collect::<String>();
    for word in ["ཚོང་ཁང་", "EUR", "สินค้า", "商店"] {
        assert!(shown.contains(word), "{word} was shown");
    }
}

/// A site with a page of each kind of text, in parts.
async fn dense() -> Site {
    let kinds = kinds();
    Site::start(move |path| {
        let name = path.trim_start_matches('/').replace("%20", " ");
        let found = kinds.iter().find(|(kind, _)| *kind == name);
        let text = found.map_or("", |(_, text)| text);
        let letters: Vec<char> = text.chars().collect();
        let part = |(n, line): (usize, &[char])| {
            let line: String = line.iter().collect();
            format!("<h3>Part {n}</h3><p>{line} <a href=#{n}>{line}</a></p>")
        };
        html(&letters.chunks(60).enumerate().map(part).collect::<String>())
    })
    .await
}

/// Six tenths of the window are for what is shown.
#[tokio::test(flavor = "multi_thread")]
async fn a_small_window_is_not_overrun_by_what_costs_more_than_its_length_suggests() {
    let site = dense().await;
    for kind in ["base64", "compact%20JSON", "Amharic"] {
        let rig = Rig::new();
        let url = format!("{}/{kind}", site.origin());
        rig.call("browser_navigate", json!({ "url": url })).await.unwrap();
        let mut turn = 0;
        let model = Scripted::by(move |_| {
            turn += 1;
            Ok(match turn {
                8 => call("give_up", json!({ "reason": "end" })),
                _ => call("browser_extract", json!({ "whole": true })),
            })
        })
        .able(Abilities { window: Some(8_192), ..Abilities::default() });
        pursue(&goal("look around"), &model, &mut Recorder::new(&rig.host)).await.unwrap();
        let sizes = tokens(&model.requests.lock().unwrap());
        println!("{kind}: {sizes:?}");
        assert!(sizes.iter().all(|size| *size <= 4_915), "{kind}: {sizes:?}");
    }
}

/// Goes from page to page and looks at each in every way; the requests are under 60,000 tokens each.
async fn forty_turns(origin: &str, pages: &'static [&str], last: &'static str) -> Vec<Request> {
    let rig = Rig::new();
    let origin = origin.to_owned();
    let mut turn = 0;
    let model = Scripted::by(move |_| {
        turn += 1;
        let url = format!("{origin}{}", pages[turn / 8 % pages.len()]);
        Ok(match turn % 8 {
            _ if turn == 40 => {
                call("browser_navigate", json!({ "url": format!("{origin}{last}") }))
            }
            _ if turn > 40 => call("give_up", json!({ "reason": "forty turns" })),
            0 | 1 if turn < 2 || turn % 8 == 0 => call("browser_navigate", json!({ "url": url })),
            1 => call("browser_snapshot", json!({ "max_tokens": 100_000 })),
            2 => calls([
                ("browser_snapshot", json!({ "interactive": true })),
                ("browser_snapshot", json!({ "links": true })),
            ]),
            3 => call("browser_extract", json!({ "whole": true, "max_tokens": 100_000 })),
            4 => call(
                "browser_scroll",
                json!({ "to": if turn % 16 < 8 { "bottom" } else { "top" } }),
            ),
            5 => call("browser_find", json!({ "target": "file" })),
            6 => call("browser_extract", json!({})),
            _ => call("browser_scroll", json!({ "dy": 3000 })),
        })
    });
    let mut hands = Recorder::new(&rig.host);
    hands.remarks = vec![(1, "mind the second chapter".into())];
    let end = pursue(&goal("find the chapter on files"), &model, &mut hands).await.unwrap();
    assert_eq!(end, Achieved::Failed("forty turns".into()));
    let requests = std::mem::take(&mut *model.requests.lock().unwrap());
    let sizes = tokens(&requests);
    assert!(sizes.len() >= 41, "{}", sizes.len());
    assert!(sizes.iter().all(|size| *size < 60_000), "{sizes:?}");
    requests
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_that_grows_too_long_is_said_in_fewer_words_by_the_model() {
    let page = "<h1>Counter</h1><button onclick='n.textContent = ++i'>Count</button><p id=n></p><script>i = 0</script>";
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let mut turn = 0;
    let model = Scripted::by(move |request| {
        if request.tools.is_empty() {
            return Ok(words("It was counted several times."));
        }
        turn += 1;
        Ok(match turn {
            2 => call("note", json!({ "text": "the counter began at one" })),
            50 => call("give_up", json!({ "reason": "end" })),
            _ => call("browser_click", json!({ "target": "Count" })),
        })
    })
    .able(Abilities { window: Some(6_000), ..Abilities::default() });
    pursue(&goal("count to fifty"), &model, &mut Recorder::new(&rig.host)).await.unwrap();
    let requests = model.requests.lock().unwrap();
    let condensing = requests.iter().filter(|request| request.tools.is_empty());
    for request in condensing.clone() {
        let text = crate::scripted::shown(request);
        assert!(
            text.contains("Task: count to fifty") && text.contains("clicked button \"Count\""),
            "{text}"
        );
    }
    let (condensed, all) = (condensing.count(), requests.len());
    assert!((1..10).contains(&condensed), "{condensed} of {all}");
    let last = crate::scripted::shown(requests.last().unwrap());
    assert!(last.contains("It was counted several times."), "{last}");
    assert!(
        last.contains("What you noted:") && last.contains("the counter began at one"),
        "{last}"
    );
    let sizes = tokens(&requests);
    assert!(sizes.iter().all(|size| *size <= 3_700), "{sizes:?}");
}
