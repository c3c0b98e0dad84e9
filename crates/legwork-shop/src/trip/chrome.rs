//! What Chrome asks for by itself: whether it is up to date, which sites are known to be bad, how forms are
//! filled in. No shop lacks it, so people who read a summary are not told; the record of the run has it.

use legwork_protocol::Blocked;

/// The hosts that Chrome calls unasked, with all below those that begin with a dot.
const CALLED: &[&str] = &[
    ".clients.google.com",
    ".gvt1.com",
    ".gvt2.com",
    "accounts.google.com",
    "chrome.google.com",
    "clients1.google.com",
    "clients2.google.com",
    "clients3.google.com",
    "clients4.google.com",
    "clientservices.googleapis.com",
    "content-autofill.googleapis.com",
    "dl.google.com",
    "mtalk.google.com",
    "optimizationguide-pa.googleapis.com",
    "passwordsleakcheck-pa.googleapis.com",
    "safebrowsing.google.com",
    "safebrowsing.googleapis.com",
    "sb-ssl.google.com",
    "tools.google.com",
    "update.googleapis.com",
    "www.google.com",
    "www.googleapis.com",
];

/// Whether this was the browser's own doing. What a page is known to have asked for is never
/// taken for that, wherever it goes.
pub(super) fn asked_for(blocked: &Blocked) -> bool {
    let host = blocked.host.split(':').next().unwrap_or_default();
    let called = |known: &&str| match known.strip_prefix('.') {
        Some(above) => host == above || host.ends_with(*known),
        None => host == *known,
    };
    blocked.page.is_none() && CALLED.iter().any(called)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_page_asked_for_is_the_browsers_own() {
        let one = |host: &str, page: Option<&str>| Blocked {
            host: host.into(),
            url: None,
            kind: "connection".into(),
            page: page.map(Into::into),
            rule: "hosts.allow".into(),
        };
        assert!(asked_for(&one("update.googleapis.com", None)));
        assert!(asked_for(&one("edgedl.me.gvt1.com:80", None)));
        for (host, page) in [
            ("www.google.com", Some("https://shop.example/")),
            ("notgvt1.com", None),
            ("evil.example", None),
            ("fonts.googleapis.com", None),
        ] {
            assert!(!asked_for(&one(host, page)), "{host}");
        }
    }
}
