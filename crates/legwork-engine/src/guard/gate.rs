//! The engine's side of a guard: asks it, and remembers what it refused. One for each guarded session,
//! whatever becomes of its browsers.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use url::Url;

use super::request::{self, Place};
use super::{Blocked, Guard, Refused, Wanted};

/// What of a session's refusals is remembered.
const KEPT: usize = 500;

#[derive(Debug)]
pub(crate) struct Gate {
    guard: Arc<dyn Guard>,
    ledger: Mutex<Ledger>,
}

#[derive(Debug, Default)]
struct Ledger {
    /// Everything, and what nobody has asked for yet.
    blocked: Refusals,
    news: Refusals,
    /// Places no connection was made to, and the rule that says so.
    refused: VecDeque<(Place, String)>,
}

/// What a refusal is recorded as before it is known what wanted the connection.
const CONNECTION: &str = "connection";

impl Gate {
    pub(crate) fn new(guard: Arc<dyn Guard>) -> Arc<Gate> {
        Arc::new(Gate { guard, ledger: Mutex::default() })
    }

    /// Whether requests have to be seen whole.
    pub(crate) fn reads_addresses(&self) -> bool {
        self.guard.reads_addresses()
    }

    /// Whether a place may be spoken to at all.
    pub(crate) fn host(&self, place: &Place) -> Result<(), Refused> {
        let asked = self.guard.host(&place.host, place.port);
        asked.inspect_err(|refused| self.ledger().refuse(place, refused))
    }

    /// Whether a place may be reached at that address.
    pub(crate) fn address(&self, place: &Place, address: IpAddr) -> Result<(), Refused> {
        // An IPv4 address in IPv6 clothes is reached over IPv4 and judged as such.
        let asked = self.guard.address(&place.host, address.to_canonical(), place.port);
        asked.inspect_err(|refused| self.ledger().refuse(place, refused))
    }

    /// Whether a request may be sent that is seen whole. What has no meaning as an address is refused.
    pub(crate) fn request(&self, wanted: &Wanted<'_>) -> Result<(), Refused> {
        let asked = self.judge(wanted);
        asked.inspect_err(|refused| {
            let place = Url::parse(wanted.url).ok().and_then(|url| Place::of(&url));
            let host = place.map_or_else(String::new, |place| shown(&place));
            self.ledger().record(&Blocked {
                host,
                url: Some(wanted.url.to_owned()),
                kind: wanted.kind.to_owned(),
                page: wanted.page.map(str::to_owned),
                rule: refused.rule.clone(),
            });
        })
    }

    fn judge(&self, wanted: &Wanted<'_>) -> Result<(), Refused> {
        let unreadable = || Refused { rule: "addresses that cannot be read".to_owned() };
        let url = Url::parse(wanted.url).map_err(|_| unreadable())?;
        if matches!(url.scheme(), "http" | "https" | "ws" | "wss" | "ftp") {
            let place = Place::of(&url).ok_or_else(unreadable)?;
            self.guard.host(&place.host, place.port)?;
            if let Some(address) = place.address {
                self.guard.address(&place.host, address.to_canonical(), place.port)?;
            }
        }
        self.guard.request(wanted)
    }

    /// What was refused so far, oldest first.
    pub(crate) fn blocked(&self) -> Vec<Blocked> {
        self.ledger().blocked.0.iter().cloned().collect()
    }

    /// What was refused since this was last asked, oldest first.
    pub(crate) fn take_blocked(&self) -> Vec<Blocked> {
        std::mem::take(&mut self.ledger().news).0.into()
    }

    /// The refusal that made a request fail, if one did: recorded with what the page tells of it.
    pub(crate) fn blame(&self, url: &str, kind: &str, page: &str) -> Option<Blocked> {
        let place = Url::parse(url).ok().and_then(|url| Place::of(&url))?;
        let mut ledger = self.ledger();
        let seen = |one: &&Blocked| one.url.as_deref() == Some(url) && one.kind == kind;
        if let Some(seen) = ledger.blocked.0.iter().rev().find(seen) {
            return Some(seen.clone());
        }
        let (_, rule) = ledger.refused.iter().rev().find(|(refused, _)| *refused == place)?;
        let blocked = Blocked {
            host: shown(&place),
            url: Some(url.to_owned()),
            kind: kind.to_owned(),
            page: Some(page.to_owned()),
            rule: rule.clone(),
        };
        let Ledger { blocked: all, news, .. } = &mut *ledger;
        for list in [all, news] {
            list.0.retain(|one| {
                one.kind != CONNECTION || one.host != blocked.host || one.rule != blocked.rule
            });
        }
        ledger.record(&blocked);
        Some(blocked)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger {
    fn refuse(&mut self, place: &Place, refused: &Refused) {
        let entry = (place.clone(), refused.rule.clone());
        if !self.refused.contains(&entry) {
            keep(&mut self.refused, entry);
        }
        let blocked = Blocked {
            host: shown(place),
            url: None,
            kind: CONNECTION.to_owned(),
            page: None,
            rule: refused.rule.clone(),
        };
        for list in [&mut self.blocked, &mut self.news] {
            let same = |one: &Blocked| one.host == blocked.host && one.rule == blocked.rule;
            if !list.0.iter().any(same) {
                keep(&mut list.0, blocked.clone());
            }
        }
    }

    fn record(&mut self, blocked: &Blocked) {
        self.blocked.add(blocked);
        self.news.add(blocked);
    }
}

/// What was refused, each once: a page that asks without end is one entry.
#[derive(Debug, Default)]
struct Refusals(VecDeque<Blocked>);

impl Refusals {
    fn add(&mut self, blocked: &Blocked) {
        if !self.0.contains(blocked) {
            keep(&mut self.0, blocked.clone());
        }
    }
}

/// Adds the newest and forgets the oldest.
fn keep<T>(queue: &mut VecDeque<T>, newest: T) {
    if queue.len() == KEPT {
        queue.pop_front();
    }
    queue.push_back(newest);
}

fn shown(place: &Place) -> String {
    match place.port {
        80 | 443 => place.host.clone(),
        _ => place.shown(0),
    }
}

impl Place {
    /// Where an address leads to over the network; nothing if it does not.
    fn of(url: &Url) -> Option<Place> {
        let port = url.port().or_else(|| match url.scheme() {
            "http" | "ws" => Some(80),
            "https" | "wss" => Some(443),
            "ftp" => Some(21),
            _ => None,
        });
        request::place(url.host_str()?, Some(port?)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Only(&'static str);

    impl Guard for Only {
        fn host(&self, host: &str, _: u16) -> Result<(), Refused> {
            if host == self.0 { Ok(()) } else { Err(Refused { rule: "hosts".into() }) }
        }

        fn address(&self, _: &str, address: IpAddr, _: u16) -> Result<(), Refused> {
            let private = address.is_loopback();
            if private { Err(Refused { rule: "private".into() }) } else { Ok(()) }
        }

        fn request(&self, request: &Wanted<'_>) -> Result<(), Refused> {
            let admin = request.url.contains("/admin") || request.url.starts_with("file:");
            if admin { Err(Refused { rule: "paths".into() }) } else { Ok(()) }
        }

        fn reads_addresses(&self) -> bool {
            true
        }
    }

    fn wanted(url: &str) -> Wanted<'_> {
        Wanted { url, method: "GET", kind: "Image", page: None }
    }

    #[test]
    fn a_request_is_judged_by_host_address_and_whole() {
        let gate = Gate::new(Arc::new(Only("a.test")));
        let rule = |url| gate.request(&wanted(url)).err().map(|refused| refused.rule);
        assert_eq!(rule("http://a.test/x"), None);
        assert_eq!(rule("http://A.test./x"), None);
        assert_eq!(rule("http://a.test/admin").as_deref(), Some("paths"));
        assert_eq!(rule("http://a.test@b.test/").as_deref(), Some("hosts"));
        assert_eq!(rule("file:///etc/passwd").as_deref(), Some("paths"));
        assert_eq!(rule("data:text/html,x"), None);
        assert_eq!(rule("http://").as_deref(), Some("addresses that cannot be read"));
        assert_eq!(rule("chrome-extension://a/x.js"), None);
        assert_eq!(rule("chrome-extension://a/admin").as_deref(), Some("paths"));
        let local = Gate::new(Arc::new(Only("[::ffff:7f00:1]")));
        let refused = local.request(&wanted("http://[::ffff:127.0.0.1]/")).unwrap_err();
        assert_eq!(refused.rule, "private");
    }

    #[test]
    fn a_refused_connection_is_recorded_once_and_learns_what_wanted_it() {
        let gate = Gate::new(Arc::new(Only("a.test")));
        let place = request::place("b.test:443", None).unwrap();
        for _ in 0..3 {
            gate.host(&place).unwrap_err();
        }
        assert_eq!(gate.blocked().len(), 1);
        assert_eq!(gate.blocked()[0].kind, "connection");
        let blamed = gate.blame("https://b.test/x.js", "Script", "http://a.test/").unwrap();
        assert_eq!((blamed.host.as_str(), blamed.rule.as_str()), ("b.test", "hosts"));
        assert_eq!(gate.blocked(), [blamed]);
        assert!(gate.blame("https://a.test/x.js", "Script", "http://a.test/").is_none());
    }

    #[test]
    fn what_was_taken_is_news_again_only_when_it_is_refused_again() {
        let gate = Gate::new(Arc::new(Only("a.test")));
        let place = request::place("b.test:443", None).unwrap();
        gate.host(&place).unwrap_err();
        gate.request(&wanted("http://a.test/admin")).unwrap_err();
        let kinds = |taken: Vec<Blocked>| taken.into_iter().map(|one| one.kind).collect::<Vec<_>>();
        assert_eq!(kinds(gate.take_blocked()), ["connection", "Image"]);
        assert!(gate.take_blocked().is_empty());
        gate.request(&wanted("http://a.test/admin")).unwrap_err();
        assert_eq!(kinds(gate.take_blocked()), ["Image"]);
        assert_eq!(gate.blocked().len(), 2);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let gate = Gate::new(Arc::new(Only("a.test")));
        for n in 0..2 * KEPT {
            gate.host(&request::place(&format!("h{n}.test"), Some(80)).unwrap()).unwrap_err();
        }
        assert_eq!(gate.blocked().len(), KEPT);
        assert_eq!(gate.blocked()[KEPT - 1].host, format!("h{}.test", 2 * KEPT - 1));
    }
}
