//! What a page says, on its way into a reply: the walker's answer, its HTML as Markdown and text, and words
//! that were copied from it as a target.
#![no_main]

use legwork_engine::extract::{Mode, markdown, text};
use legwork_engine::{Target, fuzzing};
use url::Url;

libfuzzer_sys::fuzz_target!(|page: (u8, &str)| {
    let (budget, page) = page;
    fuzzing::snapshot(page, budget.into());
    let base = Url::parse("https://example.com/page").unwrap();
    for mode in [Mode::Whole, Mode::Article] {
        let _ = markdown(page, &base, mode);
    }
    let _ = text(page);
    let _ = Target::parse(page).to_string();
});
