//! The text of a policy file. What is read is also shown, and asked.
#![no_main]

use legwork_tools::Rules;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(rules) = Rules::parse(text) {
        let _ = rules.rate("example.com");
        if let Some(guard) = rules.guard() {
            let _ = guard.host("example.com", 443);
            let _ = guard.address("example.com", [127, 0, 0, 1].into(), 80);
        }
    }
});
