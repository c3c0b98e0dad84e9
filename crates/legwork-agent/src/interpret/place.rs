//! Addresses as people say them: with a scheme or without one, or only a path on the site they are at.

use url::Url;

/// Endings that are files more often than hosts.
const FILES: &[&str] = &[
    "pdf", "html", "htm", "txt", "png", "jpg", "jpeg", "gif", "svg", "csv", "doc", "docx", "xls",
    "xlsx", "ppt", "pptx", "json", "xml", "js", "ts", "rs", "py", "css", "md", "exe", "gz", "mp3",
    "mp4", "webp",
];

/// Whether a word is an address.
pub fn looks_like_one(word: &str) -> bool {
    word.starts_with('/') && word.len() > 1 && !word.starts_with("//") || whole(word).is_some()
}

/// The address that a word stands for on this site; `None` for a path where no site is known.
pub fn address(word: &str, here: &str) -> Option<String> {
    if word.starts_with('/') && !word.starts_with("//") {
        let here = Url::parse(here).ok().filter(|url| url.has_host())?;
        return here.join(word).ok().map(String::from);
    }
    whole(word)
}

/// The host of an address.
pub fn host(address: &str) -> Option<String> {
    Url::parse(address).ok()?.host_str().map(str::to_owned)
}

fn whole(word: &str) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    if ["http://", "https://", "file://"].iter().any(|scheme| lower.starts_with(scheme)) {
        return Url::parse(word).ok().map(|_| word.to_owned());
    }
    if lower == "about:blank" {
        return Some(lower);
    }
    let end = word.find(['/', '?', '#']).unwrap_or(word.len());
    let (host, port) = word[..end].split_once(':').unwrap_or((&word[..end], "80"));
    let local = host.eq_ignore_ascii_case("localhost") || host.starts_with("127.");
    let known = local || is_address(host) || is_name(host, end < word.len());
    let scheme = if local { "http" } else { "https" };
    let whole = format!("{scheme}://{word}");
    (known && port.parse::<u16>().is_ok() && Url::parse(&whole).is_ok()).then_some(whole)
}

fn is_address(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Labels with dots between them, the last of letters only.
fn is_name(host: &str, has_path: bool) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let last = labels.last().copied().unwrap_or_default().to_ascii_lowercase();
    let plain = |label: &&str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    labels.len() > 1
        && labels.iter().all(plain)
        && last.len() > 1
        && last.chars().all(char::is_alphabetic)
        && (has_path || !FILES.contains(&last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_known_with_and_without_a_scheme() {
        for (word, expected) in [
            ("example.com", Some("https://example.com")),
            ("localhost:3000", Some("http://localhost:3000")),
            ("localhost", Some("http://localhost")),
            ("127.0.0.1:8080/x?y=1", Some("http://127.0.0.1:8080/x?y=1")),
            ("https://a.b/c#d", Some("https://a.b/c#d")),
            ("shop.example.co.uk/orders", Some("https://shop.example.co.uk/orders")),
            ("/orders", Some("https://here.example/orders")),
            ("münchen.de", Some("https://münchen.de")),
            ("report.pdf", None),
            ("jane@example.com", None),
            ("3.5", None),
            ("Settings", None),
            ("javascript:alert(1)", None),
            ("example.com:99999", None),
            ("a..b", None),
        ] {
            assert_eq!(address(word, "https://here.example/x").as_deref(), expected, "{word}");
        }
        assert_eq!(address("/orders", ""), None);
    }
}
