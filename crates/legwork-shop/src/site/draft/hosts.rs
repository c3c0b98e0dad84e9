//! Whom a shop's pages load from, sorted: its own hosts, those whose business is known, and strangers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;
use url::{Host, Url};

use super::visit::Request;

/// Hosts as the description lists them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sorted {
    /// The shop's own.
    pub(super) own: BTreeSet<String>,
    /// Known ones, by what they are for.
    pub(super) allowed: BTreeMap<String, BTreeSet<String>>,
    /// Known ones that a cart is filled without.
    pub(super) blocked: BTreeMap<String, BTreeSet<String>>,
    /// The others, and what came from them.
    pub(super) strangers: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    group: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    why: String,
    treat: Treat,
    hosts: Vec<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Treat {
    Allow,
    Block,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    toml::from_str(include_str!("hosts.toml"))
        .expect("the hosts that are built in are tried by a test")
});

/// Sorts what the pages of a shop have loaded.
pub(super) fn sort(home: &Url, requests: &[Request]) -> Sorted {
    let mut sorted = Sorted::default();
    sorted.own.extend(listed(home));
    for request in requests {
        let Ok(url) = Url::parse(&request.url) else { continue };
        if !matches!(url.scheme(), "http" | "https" | "ws" | "wss") {
            continue;
        }
        let Some(host) = listed(&url) else { continue };
        if of_one_site(home, &url) {
            sorted.own.insert(host);
        } else if let Some(group) = known(&url) {
            let groups = match group.treat {
                Treat::Allow => &mut sorted.allowed,
                Treat::Block => &mut sorted.blocked,
            };
            groups.entry(group.why.clone()).or_default().insert(host);
        } else {
            sorted.strangers.entry(host).or_default().insert(request.kind.to_lowercase());
        }
    }
    sorted
}

impl Sorted {
    /// The strangers, with what came from each, always in the same order.
    pub(super) fn unknown(&self) -> Vec<(&str, String)> {
        let served = |kinds: &BTreeSet<String>| {
            kinds.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        };
        self.strangers.iter().map(|(host, kinds)| (host.as_str(), served(kinds))).collect()
    }

    /// Lets a stranger in, since somebody said so.
    pub(super) fn let_in(&mut self, host: &str) {
        if self.strangers.remove(host).is_some() {
            let why = "not known; somebody who knows the shop let them in";
            self.allowed.entry(why.to_owned()).or_default().insert(host.to_owned());
        }
    }
}

/// An address's host as a description lists it, with its port where that is not the usual one.
pub(super) fn listed(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// Whether an address is on this machine.
pub(super) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether two addresses belong to whoever registered one name.
pub(super) fn of_one_site(one: &Url, two: &Url) -> bool {
    match (one.host(), two.host()) {
        (Some(Host::Domain(one)), Some(Host::Domain(two))) => {
            one == two || registered(one).is_some_and(|name| registered(two) == Some(name))
        }
        // Whoever has an address does not have the other ports of it.
        (Some(_), Some(_)) => listed(one) == listed(two),
        _ => false,
    }
}

fn registered(host: &str) -> Option<&str> {
    psl::domain_str(host)
}

fn known(url: &Url) -> Option<&'static Group> {
    let host = url.domain()?;
    let is_at = |name: &String| {
        host.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    KNOWN.group.iter().find(|group| group.hosts.iter().any(is_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(url: &str, kind: &str) -> Request {
        Request { url: url.into(), kind: kind.into() }
    }

    fn names(hosts: &BTreeSet<String>) -> Vec<&str> {
        hosts.iter().map(String::as_str).collect()
    }

    #[test]
    fn what_a_shop_loads_is_sorted_by_whose_it_is() {
        let home = Url::parse("https://www.shop.co.uk/").unwrap();
        let requests = [
            request("https://img.shop.co.uk/a.png", "Image"),
            request("https://other.co.uk/a.js", "Script"),
            request("https://www.googletagmanager.com/gtm.js", "Script"),
            request("https://notgoogletagmanager.com/gtm.js", "Script"),
            request("https://fonts.gstatic.com/a.woff2", "Font"),
            request("https://js.stripe.com/v3", "Script"),
            request("data:text/plain,hello", "Image"),
            request("wss://live.shop.co.uk/socket", "WebSocket"),
        ];
        let sorted = sort(&home, &requests);
        assert_eq!(names(&sorted.own), ["img.shop.co.uk", "live.shop.co.uk", "www.shop.co.uk"]);
        let strangers: Vec<_> = sorted.strangers.keys().collect();
        assert_eq!(strangers, ["notgoogletagmanager.com", "other.co.uk"]);
        assert_eq!(sorted.blocked.len(), 2);
        assert_eq!(names(&sorted.allowed["web fonts"]), ["fonts.gstatic.com"]);
    }

    #[test]
    fn an_address_shares_nothing_with_its_other_ports() {
        let home = Url::parse("http://127.0.0.1:8000/").unwrap();
        let sorted = sort(&home, &[request("http://127.0.0.1:9000/a.js", "Script")]);
        assert_eq!(names(&sorted.own), ["127.0.0.1:8000"]);
        assert_eq!(sorted.strangers.keys().collect::<Vec<_>>(), ["127.0.0.1:9000"]);
    }
}
