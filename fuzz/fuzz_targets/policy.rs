//! The text of a policy file. What is read is also shown, and asked.
#![no_main]

use legwork_tools::{Facts, Kind, Rules};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(rules) = Rules::parse(text) {
        let _ = rules.lines();
        let page = Some("https://example.com/cart".parse().expect("it is an address"));
        for kind in Kind::ALL {
            let _ = rules.decide(&facts(*kind, page.clone()));
        }
        let _ = rules.rate("example.com");
        if let Some(guard) = rules.guard() {
            let _ = guard.host("example.com", 443);
            let _ = guard.address("example.com", [127, 0, 0, 1].into(), 80);
        }
    }
});

fn facts(kind: Kind, page: Option<url::Url>) -> Facts {
    Facts {
        session: "default".to_owned(),
        tool: "browser_click",
        kind,
        page,
        frame: None,
        to: None,
        element: None,
        files: Vec::new(),
        profile: None,
        secrets: vec!["shop".to_owned()],
        dialog: None,
        unsaved: true,
        resends: true,
        at: Some(std::time::UNIX_EPOCH),
        meanings: Vec::new(),
    }
}
