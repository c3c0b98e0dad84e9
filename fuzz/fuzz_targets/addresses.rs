//! An address against rules that allow one host only: whatever is let through leads there.
#![no_main]

use std::sync::{Arc, LazyLock};

use legwork_engine::{Guard, Wanted};
use legwork_tools::Rules;
use url::Url;

static GUARD: LazyLock<Arc<dyn Guard>> = LazyLock::new(|| {
    let policy = "preset = \"guarded\"\n[hosts]\nallow = [\"https://good.example.com\"]\n";
    Rules::parse(policy).unwrap().guard().unwrap()
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = legwork_engine::address(text);
    let wanted = Wanted { url: text, method: "GET", kind: "Document", page: None };
    if GUARD.request(&wanted).is_err() {
        return;
    }
    let url = Url::parse(text).expect("what cannot be read is not let through");
    let inner = match url.scheme() {
        "blob" => Url::parse(url.path()).ok(),
        _ => Some(url.clone()),
    };
    let nowhere = matches!(url.scheme(), "about" | "data") || url.as_str() == "chrome-error://chromewebdata/";
    let host = inner.as_ref().and_then(|url| url.host_str()).map(|host| host.trim_end_matches('.'));
    assert!(nowhere || host == Some("good.example.com"), "{text:?} leads to {host:?}");
});
