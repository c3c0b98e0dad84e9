//! What replies cost a model, counted with the vocabulary `o200k_base`.

use serde_json::{Value, json};

use crate::o200k::tokens;
use crate::support::{Client, Site};

#[test]
fn signing_in_takes_two_calls_and_few_tokens() {
    let site = Site::new();
    let mut client = Client::new(&[]);
    let opened = client.text("browser_navigate", json!({ "url": site.url("/login") }));
    let fields = json!({ "User": "ada", "Password": "secret" });
    let signed_in = client.text("browser_fill_form", json!({ "fields": fields, "submit": true }));
    assert!(signed_in.contains("Welcome, ada"), "{signed_in}");
    let sum: usize = tokens(&[opened, signed_in]).iter().sum();
    assert!(sum <= 350, "{sum} tokens");
}

/// Pages whose text costs more tokens than its length suggests, and pages with much of everything.
fn pages() -> Vec<(&'static str, String)> {
    let many = |one: &dyn Fn(usize) -> String| (0..3_000).map(one).collect::<String>();
    vec![
        ("words", many(&|n| format!("<p>All work and no play makes paragraph {n} dull.</p>"))),
        ("Chinese", many(&|n| format!("<p>第{n}条 我们今天去商店买了一些东西</p>"))),
        ("dictionary", many(&|n| format!("<p>{n} 籲 古同呼 為請求之意 虋 赤粱粟也</p>"))),
        ("Amharic", many(&|n| format!("<p>ሰላም እንዴት ነህ {n}</p>"))),
        ("hieroglyphs", many(&|n| format!("<p>{n} 𓀀𓀁𓂀</p>"))),
        ("emoji", many(&|n| format!("<a href=/{n}>🧑🏽‍🚀🦩🪬🫠 {n}</a>"))),
        ("digits", many(&|n| format!("<td>{}</td>", n.pow(3) * 7_919 % 1_000_003))),
        ("symbols", many(&|n| format!("<button>⌁⍼⎌⏚ ¶§†‡ {n}</button>"))),
        ("Thai", many(&|n| format!("<li>ราคาสินค้า ๙๙๙ บาท ลำดับ {n}</li>"))),
        ("one long word", format!("<p>{}</p>", "Zx9-q".repeat(20_000))),
        ("base64", format!("<p>{}</p>", many(&|n| format!("{:x}Kq", n * 2_654_435_761)))),
        ("long title", format!("<title>{}</title><p>Short</p>", "Lorem ipsum ".repeat(9_000))),
        (
            "title and page",
            many(&|n| match n {
                0 => format!("<title>{}</title>", "𓀀𓀁𓂀 ".repeat(900)),
                n => format!("<p>All work and no play makes paragraph {n} dull.</p>"),
            }),
        ),
        ("fields", many(&|n| format!("<label>Feld №{n} <input value='ü{n}ß'></label>"))),
        ("marks", many(&|n| format!("<p>a\u{301}\u{302}\u{303}{n}\u{304}</p>"))),
    ]
}

#[test]
fn what_is_not_asked_to_be_longer_stays_under_four_thousand_tokens_on_any_page() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::new(&[]);
    let mut replies: Vec<(String, String)> = Vec::new();
    for (name, body) in pages() {
        let file = folder.path().join("page.html");
        std::fs::write(&file, format!("<!doctype html><meta charset=utf-8><body>{body}")).unwrap();
        let url = json!({ "url": format!("file://{}", file.display()) });
        replies.push((format!("{name}, opened"), client.text("browser_navigate", url)));
        for (how, arguments) in
            [("whole", json!({})), ("interactive", json!({ "interactive": true }))]
        {
            replies.push((format!("{name}, {how}"), client.text("browser_snapshot", arguments)));
        }
        let grow =
            "document.body.append(...[...document.body.children].map(one => one.cloneNode(true)))";
        let grown: Value = json!({ "expression": grow });
        client.text("browser_eval", grown);
        let change = client.text("browser_press_key", json!({ "key": "Shift" }));
        replies.push((format!("{name}, changed"), change));
    }
    let (names, texts): (Vec<String>, Vec<String>) = replies.into_iter().unzip();
    for (name, count) in names.iter().zip(tokens(&texts)) {
        println!("{name}: {count}");
        assert!(count < 4_000, "{name}: {count} tokens");
    }
}

#[test]
fn a_reply_is_short_on_the_wire_whatever_is_asked_of_a_long_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let body: String = (0..8_000).map(|n| format!("<p>All work and no play: {n}.</p>")).collect();
    std::fs::write(&file, format!("<!doctype html><meta charset=utf-8><body>{body}")).unwrap();
    let mut client = Client::new(&[]);
    client.text("browser_navigate", json!({ "url": format!("file://{}", file.display()) }));
    let look = json!({ "tool": "browser_snapshot" });
    for (tool, arguments) in [
        ("browser_extract", json!({})),
        ("browser_extract", json!({ "format": "html" })),
        ("browser_query", json!({ "target": "p", "limit": 500 })),
        ("browser_batch", json!({ "steps": [look, look, look, look, look] })),
        ("browser_eval", json!({ "expression": "throw new Error('lorem ipsum '.repeat(9000))" })),
    ] {
        client.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let line = client.line();
        assert!(line.len() < 60_000, "{tool} {arguments}: {} bytes", line.len());
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer["result"]["structuredContent"].is_object(), "{tool} {arguments}");
    }
}

#[test]
fn a_picture_is_sent_once() {
    let mut client = Client::new(&[]);
    client.text("browser_navigate", json!({ "url": "data:text/html,<h1>Hello</h1>" }));
    let shot = json!({ "format": "screenshot_base64" });
    let step = json!({ "tool": "browser_extract", "format": "screenshot_base64" });
    for (tool, arguments) in
        [("browser_extract", shot), ("browser_batch", json!({ "steps": [step] }))]
    {
        client.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let line = client.line();
        let answer: Value = serde_json::from_str(&line).unwrap();
        let image = answer["result"]["content"][1]["data"].as_str().unwrap();
        assert_eq!(line.matches(image).count(), 1, "{tool}: {} bytes", line.len());
        assert!(line.len() < image.len() + 2_000, "{tool}: {} bytes", line.len());
    }
}
