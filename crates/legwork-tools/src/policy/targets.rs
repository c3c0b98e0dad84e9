//! Rules about what is acted on: `[[target]]`.

use legwork_engine::ElementFacts;
use serde::Deserialize;

use super::decision::Verdict;
use super::facts::Meaning;
use super::hosts::HostPattern;
use super::paths::PathPattern;
use super::place::Place;
use super::words::folded;

/// A rule about what an element is. All that it says has to be so.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Target {
    /// Its role.
    pub role: Option<String>,
    /// Its name; `*` stands for any letters, and case and accents do not count.
    pub name: Option<String>,
    /// Whether it is a field whose value is never shown.
    pub secret: Option<bool>,
    /// Whether acting on it sends a form.
    pub submits: Option<bool>,
    /// Where the link leads.
    pub link: Option<HostPattern>,
    /// The host of the document it stands in.
    pub host: Option<HostPattern>,
    /// The path of that document. As with all paths, a permission is read narrowly and all else generously.
    pub path: Option<PathPattern>,
    /// What acting on it means: that and nothing else for a permission, that among others for all else.
    pub meaning: Option<Meaning>,
    /// What is said of it.
    pub then: Verdict,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    role: Option<String>,
    name: Option<String>,
    secret: Option<bool>,
    submits: Option<bool>,
    link: Option<HostPattern>,
    host: Option<HostPattern>,
    path: Option<PathPattern>,
    meaning: Option<Meaning>,
    then: Verdict,
}

impl TryFrom<Written> for Target {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Target, &'static str> {
        let Written { role, name, secret, submits, link, host, path, meaning, then } = written;
        let target = Target { role, name, secret, submits, link, host, path, meaning, then };
        if target.said().is_empty() {
            return Err(
                "a target says what it is: role, name, secret, submits, link, host, path or meaning; for \
                 everything there is [actions]",
            );
        }
        Ok(target)
    }
}

impl Target {
    /// Whether the rule is about this element, in this document, where acting on it means this.
    pub(super) fn is(
        &self,
        element: &ElementFacts,
        document: Option<&Place>,
        meanings: &[Meaning],
    ) -> bool {
        let link = || element.link.as_deref().and_then(Place::parse);
        let role = |role: &String| role.eq_ignore_ascii_case(&element.role);
        let name = |name: &String| fits(&folded(name), &folded(&element.name));
        let path = |path: &PathPattern| document.is_some_and(|at| self.lies_on(path, at));
        self.role.as_ref().is_none_or(role)
            && self.name.as_ref().is_none_or(name)
            && self.secret.is_none_or(|secret| secret == element.secret)
            && self.submits.is_none_or(|submits| submits == element.submits)
            && self.link.as_ref().is_none_or(|host| link().is_some_and(|link| host.covers(&link)))
            && self.host.as_ref().is_none_or(|host| document.is_some_and(|at| host.covers(at)))
            && self.path.as_ref().is_none_or(path)
            && self.meaning.is_none_or(|meaning| self.means(meaning, meanings))
    }

    fn lies_on(&self, path: &PathPattern, place: &Place) -> bool {
        if self.then == Verdict::Allow { path.covers(place) } else { path.touches(place) }
    }

    fn means(&self, meaning: Meaning, all: &[Meaning]) -> bool {
        if self.then == Verdict::Allow { all == [meaning] } else { all.contains(&meaning) }
    }

    /// Whether the rule could be about something in this document.
    pub(super) fn may_be_at(&self, document: Option<&Place>) -> bool {
        let path = |path: &PathPattern| document.is_none_or(|at| self.lies_on(path, at));
        self.host.as_ref().is_none_or(|host| document.is_none_or(|at| host.covers(at)))
            && self.path.as_ref().is_none_or(path)
    }

    /// The rule as it stands in the file.
    pub(super) fn told(&self) -> String {
        format!("target {{ {} }}", self.said().join(", "))
    }

    pub(super) fn said(&self) -> Vec<String> {
        let text = |key: &str, value: Option<&str>| value.map(|value| format!("{key} = {value:?}"));
        let truth = |key: &str, value: Option<bool>| value.map(|value| format!("{key} = {value}"));
        [
            text("role", self.role.as_deref()),
            text("name", self.name.as_deref()),
            truth("secret", self.secret),
            truth("submits", self.submits),
            text("link", self.link.as_ref().map(HostPattern::text)),
            text("host", self.host.as_ref().map(HostPattern::text)),
            text("path", self.path.as_ref().map(PathPattern::text)),
            text("meaning", self.meaning.map(Meaning::word)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Whether a text fits a pattern in which `*` stands for any letters.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns_whatever_their_case_and_accents() {
        for (pattern, text, expected) in [
            ("Pay now", "PAY  now", true),
            ("Pay", "Pay now", false),
            ("Pay*", "Pay now", true),
            ("*now", "Pay now", true),
            ("*a*n*", "Pay now", true),
            ("a*a", "a", false),
            ("*", "", true),
            ("Valider la commande", "Validér la commande", true),
        ] {
            assert_eq!(fits(&folded(pattern), &folded(text)), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn all_that_a_target_says_has_to_be_so() {
        let target: Target = toml::from_str(
            "role = \"button\"\nname = \"Pay*\"\nhost = \"*.shop.example\"\nthen = \"refuse\"",
        )
        .unwrap();
        let element =
            ElementFacts { role: "button".into(), name: "Pay now".into(), ..Default::default() };
        let at = Place::parse("https://www.shop.example/cart");
        assert!(target.is(&element, at.as_ref(), &[]));
        assert!(!target.is(&element, None, &[]));
        let link = ElementFacts { role: "link".into(), ..element };
        assert!(!target.is(&link, at.as_ref(), &[]));
        assert!(toml::from_str::<Target>("then = \"ask\"").is_err());
    }
    #[test]
    fn a_path_and_a_meaning_are_read_narrowly_to_allow_and_generously_to_refuse() {
        use Meaning::{Delete, Pay};
        let delete = ElementFacts { name: "Delete".into(), ..Default::default() };
        let cart = "https://shop.example/cart";
        for (at, meanings, allowed, refused) in [
            (cart, &[Delete][..], true, true),
            ("https://shop.example/cart/2?x=1", &[Delete], true, true),
            (cart, &[Pay, Delete], false, true),
            (cart, &[Pay], false, false),
            (cart, &[], false, false),
            ("https://shop.example/carts", &[Delete], false, false),
            ("https://shop.example/a/..%2fcart", &[Delete], false, true),
            ("https://shop.example/cart/..%2faccount", &[Delete], false, true),
            ("https://other.example/cart", &[Delete], false, false),
            ("http://shop.example/cart", &[Delete], false, false),
        ] {
            for (then, expected) in [("allow", allowed), ("refuse", refused)] {
                let text = format!("path = {cart:?}\nmeaning = \"delete\"\nthen = {then:?}");
                let target: Target = toml::from_str(&text).unwrap();
                let place = Place::parse(at);
                assert_eq!(target.is(&delete, place.as_ref(), meanings), expected, "{then} {at}");
            }
        }
    }
}
