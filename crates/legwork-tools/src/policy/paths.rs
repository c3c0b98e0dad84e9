//! Which paths of hosts may be asked for. A block is read generously, as the most lenient server might
//! read the address; a permission is read narrowly.

use serde::Deserialize;

use super::hosts::HostPattern;
use super::place::Place;
use super::said::{Broken, Said};

/// Some paths, as a policy writes them: `/checkout`, `shop.example.com/account/**`, `**/delete`. It covers
/// what it names and everything below.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PathPattern {
    text: String,
    host: Option<HostPattern>,
    glob: Vec<Part>,
}

/// A piece of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Letter(char),
    /// `*`: any letters but `/`.
    Some,
    /// `**`: any letters.
    Any,
}

impl PathPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<PathPattern, String> {
        let whole = text.trim();
        if whole.contains(['?', '#']) {
            return Err(format!("{text:?} has a query or a fragment; only paths are compared"));
        }
        let host_at = whole.find("://").map_or(0, |at| at + 3);
        let Some(slash) = whole[host_at..].find('/').map(|at| at + host_at) else {
            return Err(format!("{text:?} is no path: it begins with /, ** or a host"));
        };
        let (host, path) = match &whole[..slash] {
            "" => (None, whole),
            "**" | "*" => (None, whole),
            host => (Some(HostPattern::parse(host)?), &whole[slash..]),
        };
        let path = path.strip_suffix("/**").unwrap_or(path).trim_end_matches('/');
        let path = path.strip_prefix('/').filter(|path| path.starts_with("**/")).unwrap_or(path);
        let glob = if path.is_empty() { Vec::new() } else { parts(&spelt_plainly(path)) };
        Ok(PathPattern { text: whole.to_owned(), host, glob })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn is_about(&self, place: &Place) -> bool {
        self.host.as_ref().is_none_or(|host| host.covers(place))
    }

    pub(super) fn touches(&self, place: &Place) -> bool {
        let host = self.host.as_ref().is_none_or(|host| host.touches(place));
        host && spellings(&place.path).iter().any(|path| covers(&self.glob, path))
    }

    pub(super) fn covers(&self, place: &Place) -> bool {
        self.is_about(place) && spellings(&place.path).iter().all(|path| covers(&self.glob, path))
    }
}

impl TryFrom<String> for PathPattern {
    type Error = String;

    fn try_from(text: String) -> Result<PathPattern, String> {
        PathPattern::parse(&text)
    }
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for letter in text.chars() {
        match (letter, parts.last()) {
            ('*', Some(Part::Some)) => {
                parts.pop();
                parts.push(Part::Any);
            }
            ('*', Some(Part::Any)) => {}
            ('*', _) => parts.push(Part::Some),
            (letter, _) => parts.push(Part::Letter(letter)),
        }
    }
    parts
}

/// Whether a pattern fits the whole of a path or its beginning up to a `/`. Every place in the pattern
/// that can be reached is followed at once, so no pattern takes long.
fn covers(glob: &[Part], path: &str) -> bool {
    let mut reached = vec![false; glob.len() + 1];
    reached[0] = true;
    skip(glob, &mut reached);
    for letter in path.chars() {
        if letter == '/' && reached[glob.len()] {
            return true;
        }
        let mut next = vec![false; glob.len() + 1];
        for (at, part) in glob.iter().enumerate().filter(|(at, _)| reached[*at]) {
            match part {
                Part::Letter(wanted) if *wanted == letter => next[at + 1] = true,
                Part::Some if letter != '/' => next[at] = true,
                Part::Any => next[at] = true,
                _ => {}
            }
        }
        reached = next;
        skip(glob, &mut reached);
    }
    reached[glob.len()]
}

/// A star may stand for nothing.
fn skip(glob: &[Part], reached: &mut [bool]) {
    for at in 0..glob.len() {
        if reached[at] && !matches!(glob[at], Part::Letter(_)) {
            reached[at + 1] = true;
        }
    }
}

/// A path as the browser sends it, and as a server may come to read it.
fn spellings(path: &str) -> [String; 2] {
    // Read once, without taking what was written by its number for a part of the structure.
    [decoded(path, b"/\\.;%").to_lowercase(), spelt_plainly(path)]
}

/// Percent signs resolved, dots and empty parts taken out, in lower case.
pub(super) fn spelt_plainly(path: &str) -> String {
    const ROUNDS: usize = 4;
    let mut text = path.to_owned();
    for _ in 0..ROUNDS {
        let decoded = decoded(&text, b"");
        if decoded == text {
            break;
        }
        text = decoded;
    }
    let mut whole: Vec<String> = Vec::new();
    for part in text.to_lowercase().split(['/', '\\']) {
        // Servers in Java take what follows `;` for parameters, those on Windows drop dots and blanks.
        let part = part.split([';', '\0']).next().unwrap_or_default();
        match part {
            ".." => drop(whole.pop()),
            _ => {
                let part = part.trim_end_matches(['.', ' ']);
                if !part.is_empty() {
                    whole.push(part.to_owned());
                }
            }
        }
    }
    let start = if path.starts_with("**") { "" } else { "/" };
    format!("{start}{}", whole.join("/"))
}

/// Letters that were written by their numbers, but for those to keep.
fn decoded(text: &str, keep: &[u8]) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = (bytes[at] == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let value = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        match value.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if !keep.contains(&byte) => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What is said of paths.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Paths {
    pub(super) allow: Vec<Said<PathPattern>>,
    pub(super) block: Vec<Said<PathPattern>>,
}

impl Paths {
    pub(super) fn is_open(&self) -> bool {
        self.allow.is_empty() && self.block.is_empty()
    }

    /// Whether an address may be asked for. What pages are made of is held to `block` alone: a list of
    /// allowed pages does not name every picture on them.
    pub(super) fn judge(&self, place: &Place, page: bool) -> Result<(), Broken> {
        // Files have paths as well; what has no host otherwise has none.
        if place.host.is_none() && place.scheme.as_deref() != Some("file") {
            return Ok(());
        }
        let path = &place.path;
        if let Some(pattern) = self.block.iter().find(|pattern| pattern.value.touches(place)) {
            let rule = pattern.rule(format!("paths.block {:?}", pattern.value.text));
            let because = format!("{path} is blocked; to reach it, that line has to be taken out");
            return Err(Broken::new(rule, because));
        }
        let about: Vec<_> = self.allow.iter().filter(|one| one.value.is_about(place)).collect();
        if !page || about.is_empty() || about.iter().any(|pattern| pattern.value.covers(place)) {
            return Ok(());
        }
        let because = format!(
            "{path} is not among the paths that the policy allows; to allow it, add {path:?} to [paths] \
             allow"
        );
        Err(Broken::new("paths.allow".to_owned(), because))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::said::Source;

    fn place(url: &str) -> Place {
        Place::parse(url).unwrap()
    }

    #[test]
    fn a_blocked_path_is_blocked_however_it_is_spelt() {
        for (pattern, path, blocked) in [
            ("/checkout", "/checkout", true),
            ("/checkout", "/checkout/", true),
            ("/checkout", "/checkout/step/2", true),
            ("/checkout", "/checkout?x=1", true),
            ("/checkout", "/Checkout", true),
            ("/checkout", "/CHECK%4FUT", true),
            ("/checkout", "/%63heckout", true),
            ("/checkout", "/%2563heckout", true),
            ("/checkout", "//checkout", true),
            ("/checkout", "/./a/../checkout", true),
            ("/checkout", "/a/%2e%2e/checkout", true),
            ("/checkout", "/a/..%2fcheckout", true),
            ("/checkout", "/a/..%5ccheckout", true),
            ("/checkout", "\\checkout", true),
            ("/checkout", "/checkout;jsessionid=1", true),
            ("/checkout", "/checkout%20", true),
            ("/checkout", "/checkout.", true),
            ("/checkout", "/checkout%00.png", true),
            ("/checkout", "/checkouts", false),
            ("/checkout", "/a/checkout", false),
            ("/checkout", "/a?next=/checkout", false),
            ("/checkout", "/", false),
            ("**/checkout", "/fr/checkout", true),
            ("**/checkout", "/checkout/x", true),
            ("**/checkout", "/recheckout", false),
            ("/**/checkout", "/a/b/checkout", true),
            ("/**/checkout", "/checkout", true),
            ("/account/*/edit", "/account/7/edit", true),
            ("/account/*/edit", "/account/7/8/edit", false),
            ("/account/**", "/account", true),
            ("/account/**", "/account/a/b", true),
            ("/a*", "/abc/d", true),
            ("/", "/anything", true),
            ("/prÉfé", "/pr%C3%A9f%C3%A9", true),
            ("a.com/x", "/x", true),
            ("*.a.com/x", "/x", true),
            ("b.com/x", "/x", false),
            ("http://a.com/x", "/x", false),
            ("https://a.com:443/x", "/x", true),
        ] {
            let pattern = PathPattern::parse(pattern).unwrap();
            let url = format!("https://a.com{path}");
            assert_eq!(pattern.touches(&place(&url)), blocked, "{pattern:?} {path}");
        }
    }

    #[test]
    fn an_allowed_path_is_one_in_every_spelling() {
        let pattern = PathPattern::parse("/shop").unwrap();
        for (path, allowed) in [
            ("/shop", true),
            ("/shop/a/b", true),
            ("/shop/../admin", false),
            ("/shop/..%2fadmin", false),
            ("/shop/%252e%252e/admin", false),
            ("/shop%2f..%2fadmin", false),
            ("/%73hop", true),
            ("/admin%2f..%2fshop", false),
            ("/admin/..;/shop", false),
            ("/admin/%2e%2e/shop", true),
        ] {
            let url = format!("https://a.com{path}");
            assert_eq!(pattern.covers(&place(&url)), allowed, "{path}");
        }
    }

    #[test]
    fn patterns_hold_for_letters_that_are_sent_by_number_and_for_files() {
        let pattern = PathPattern::parse("/café").unwrap();
        assert!(pattern.covers(&place("https://a.com/café/1")));
        let files = PathPattern::parse("/etc").unwrap();
        let paths =
            Paths { allow: vec![], block: vec![Said { value: files, source: Source::File }] };
        assert!(paths.judge(&place("file:///etc/passwd"), true).is_err());
        assert!(paths.judge(&place("file:///srv/x"), true).is_ok());
        assert!(paths.judge(&place("data:/etc"), true).is_ok());
    }

    #[test]
    fn what_is_no_path_is_told() {
        for wrong in ["checkout", "/a?b", "/a#b", "", "a b/x", "ftp://a.com/x"] {
            assert!(PathPattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        let pattern = PathPattern::parse(&format!("/{}", "**a*".repeat(50))).unwrap();
        let url = format!("https://a.com/{}", "a".repeat(2000));
        assert!(pattern.touches(&place(&url)));
    }
}
