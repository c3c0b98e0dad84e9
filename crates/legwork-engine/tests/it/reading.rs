//! The page as a document: all that a person reads who scrolls through it, and nothing else.

use std::time::Duration;

use legwork_engine::extract::Mode;
use legwork_engine::{Click, SnapshotOptions, Target};

use crate::support::{Rig, Site};

const LONG: Duration = Duration::from_secs(15);
const READ: &[&str] = &[
    "First part",
    "Second part",
    "Far part",
    "below.",
    "a  b\n c",
    "one",
    "Press me",
    "Held words",
    "Large",
    "Boxless",
    "seen again",
    "More",
    "In the shadow",
];
const UNREAD: &[&str] = &["unseen", "never shown", "nor this", "folded", "1234"];

async fn put_off() -> (Site, Rig) {
    let site = Site::pages().await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("put_off.html"), LONG).await.unwrap();
    (site, rig)
}

fn check(what: &str, text: &str) {
    for words in READ {
        assert!(text.contains(words), "{what} has lost {words:?}:\n{text}");
    }
    for words in UNREAD {
        assert!(!text.contains(words), "{what} shows {words:?}:\n{text}");
    }
}

#[tokio::test]
async fn what_is_drawn_only_when_scrolled_to_is_read_all_the_same() {
    let (_site, rig) = put_off().await;
    let text = rig.page.text().await.unwrap();
    check("the text", &text);
    assert!(text.contains("Words far below.\nNext line\n") && text.contains("one\ttwo"), "{text}");
    check("the Markdown", &rig.page.markdown(Mode::Whole).await.unwrap().markdown);
    check("the snapshot", &rig.text().await);
    let html = rig.page.html().await.unwrap();
    assert!(html.contains("never shown") && !html.contains("1234"), "{html}");
    rig.end().await;
}

#[tokio::test]
async fn what_is_drawn_only_when_scrolled_to_is_found_and_clicked() {
    let (_site, rig) = put_off().await;
    let found = rig.page.query(&Target::parse("#far"), 5).await.unwrap();
    assert!(found.items[0].text.starts_with("Far part"), "{:?}", found.items[0]);
    let found = rig.page.query(&Target::parse("seen again"), 5).await;
    assert_eq!(found.unwrap().count, 1);
    let controls = SnapshotOptions { interactive: true, ..Default::default() };
    let controls = rig.page.snapshot(&controls).await.unwrap().text;
    assert!(
        controls.contains("= \"Held words\"") && controls.contains("= \"Large\""),
        "{controls}"
    );
    let around = rig.page.find(&Target::parse("Press me"), None).await.unwrap().text;
    assert!(around.contains("[Press me "), "{around}");
    rig.page.click(&Target::parse("Press me"), &Click::default()).await.unwrap();
    assert!(rig.text().await.contains("[Pressed "));
    rig.end().await;
}
