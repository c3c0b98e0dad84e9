//! Pages as they are met, seen through a real Chrome: those that need a person are recognised as what they
//! are, and the others are left alone.

use legwork_agent::assist::{Seen, recognise};
use legwork_protocol::assistant::AssistanceKind;
use serde_json::json;

use crate::support::{Rig, Site, html};

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/assist");

/// The pages of the folder, each at its name; `OTHER` in them is another origin of the same server.
pub async fn pages() -> Site {
    Site::start(|path| {
        let (path, port) = path.split_once("?port=").unwrap_or((path, "0"));
        let page = std::fs::read_to_string(format!("{PAGES}{path}.html")).unwrap_or_default();
        html(&page.replace("OTHER", &format!("http://localhost:{port}")))
    })
    .await
}

/// Names of the pages; what is before the first dash is what they need.
pub fn names() -> Vec<String> {
    let files = std::fs::read_dir(PAGES).unwrap().map(|file| file.unwrap().path());
    let pages = files.filter(|path| path.extension().is_some_and(|kind| kind == "html"));
    let mut names: Vec<String> =
        pages.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub fn kind(name: &str) -> Option<AssistanceKind> {
    match name.split('-').next().unwrap() {
        "captcha" => Some(AssistanceKind::Captcha),
        "login" => Some(AssistanceKind::Login),
        "two_factor" => Some(AssistanceKind::TwoFactor),
        "none" => None,
        other => panic!("{other} is no kind of page"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_a_person_is_recognised_and_nothing_else_is() {
    let (site, rig) = (pages().await, Rig::new());
    let mut wrong = Vec::new();
    for name in names() {
        let url = format!("{}/{name}?port={}", site.origin(), site.port);
        rig.call("browser_navigate", json!({ "url": url })).await.unwrap();
        let reply = rig.call("browser_snapshot", json!({})).await.unwrap();
        let need = recognise(&Seen::of(&reply, "order two bikes").unwrap());
        if need.as_ref().map(|need| need.kind) != kind(&name) {
            wrong.push(format!("{name}: {need:?}\n{}", reply.text));
        }
        if let Some(need) = need {
            assert_eq!(need.may_pass, name == "captcha-checking", "{name}: {need:?}");
            assert!(need.context.contains(&name) && !need.context.contains("port="), "{need:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    rig.host.close().await;
}
