//! What a model is shown stays small: forty turns on large pages.

use std::path::Path;

use legwork_agent::model::{Abilities, Part, Request, Turn};
use legwork_agent::think::{Achieved, pursue};
use serde_json::{Value, json};

use crate::scripted::{Recorder, Scripted, call, calls, goal, words};
use crate::support::{Rig, Site, html};

/// About how many tokens a request takes: a third of its bytes, rather more than fewer, and 1,600 for a picture.
pub fn tokens(request: &Request) -> usize {
    let part = |part: &Part| match part {
        Part::Text(text) => text.len().div_ceil(3),
        Part::Picture(_) => 1_600,
    };
    let turn = |turn: &Turn| match turn {
        Turn::User(parts) => parts.iter().map(part).sum(),
        Turn::Tools(results) => results.iter().flat_map(|one| &one.parts).map(part).sum(),
        Turn::Model(answer) => {
            let calls = answer.calls.iter().map(|call| {
                let arguments = call.arguments.clone().map(Value::from).unwrap_or_default();
                call.name.len() + call.id.len() + arguments.to_string().len()
            });
            (answer.text.len() + calls.sum::<usize>()).div_ceil(3)
        }
    };
    let tool = |tool: &legwork_agent::model::Tool| {
        tool.name.len() + tool.about.len() + Value::from(tool.schema.clone()).to_string().len()
    };
    let fixed = request.system.len() + request.tools.iter().map(tool).sum::<usize>();
    fixed.div_ceil(3) + request.turns.iter().map(turn).sum::<usize>()
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
    let rig = Rig::new();
    let origin = site.origin();
    let mut turn = 0;
    let model = Scripted::by(move |_| {
        turn += 1;
        let url = format!("{origin}{}", PAGES[turn / 8 % PAGES.len()]);
        Ok(match turn % 8 {
            _ if turn == 40 => {
                call("browser_navigate", json!({ "url": format!("{origin}{LARGEST}") }))
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
    let requests = model.requests.lock().unwrap();
    let sizes: Vec<usize> = requests.iter().map(tokens).collect();
    let most = *sizes.iter().max().unwrap();
    println!(
        "{} requests, at most {most} tokens, {} in all",
        sizes.len(),
        sizes.iter().sum::<usize>()
    );
    assert!(requests.len() >= 41, "{}", requests.len());
    assert!(most < 60_000, "{sizes:?}");
    let last = crate::scripted::shown(requests.last().unwrap());
    assert!(last.contains("(an older view of the page"), "older views are told in a line");
    assert!(last.contains("The person says: mind the second chapter"));
    assert!(last.contains("Task: find the chapter on files"));
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
        requests.iter().all(|request| tokens(request) <= 3_700),
        "{:?}",
        requests.iter().map(tokens).collect::<Vec<_>>()
    );
}
