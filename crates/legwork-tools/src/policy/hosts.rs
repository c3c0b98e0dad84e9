//! Which hosts may be spoken to: what is blocked, what is listed, and what is said of the rest.

use std::net::IpAddr;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::addresses::{Range, Zone, forms};
use super::place::{HostName, Place};
use super::said::{Broken, Said, Stance};

/// Some hosts, as a policy writes them: `example.com`, `*.example.com`, `https://example.com:8443`,
/// `localhost:3000`, `10.0.0.0/8`, `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    text: String,
    scheme: Option<&'static str>,
    who: Who,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Who {
    Any,
    Exactly(HostName),
    /// A name and all below it.
    Under(String),
    Range(Range),
}

impl HostPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<HostPattern, String> {
        let whole = text.trim();
        let wrong = |why: &str| Err(format!("{text:?} names no host: {why}"));
        if let Some(range) = Range::parse(whole) {
            let who = Who::Range(range);
            return Ok(HostPattern { text: whole.to_owned(), scheme: None, who, port: None });
        }
        let (scheme, rest) = match whole.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, whole),
        };
        let scheme = match scheme.as_deref() {
            None => None,
            Some("http" | "ws") => Some("http"),
            Some("https" | "wss") => Some("https"),
            Some(_) => return wrong("a host has the scheme http or https, or none for both"),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#', '\\']) {
            return wrong("write paths under [paths], and ranges such as \"10.0.0.0/8\"");
        }
        if rest.contains('@') {
            return wrong("a user's name does not belong here");
        }
        let (host, port) = split_port(rest).ok_or_else(|| format!("{text:?} has no such port"))?;
        let Some(who) = Who::parse(host) else {
            return wrong("write example.com, *.example.com, an address, or * for every host");
        };
        Ok(HostPattern { text: whole.to_owned(), scheme, who, port })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a host is one of these, whatever scheme and port are said.
    pub(super) fn names(&self, host: &HostName) -> bool {
        self.who.is(host)
    }

    /// Whether a place is one of these.
    pub(super) fn covers(&self, place: &Place) -> bool {
        self.fits(place) && place.host.as_ref().is_some_and(|host| self.who.is(host))
    }

    /// Whether a place is one of these in any way of reading it, also by an address inside its own.
    pub(super) fn touches(&self, place: &Place) -> bool {
        let any_form = |host: &HostName| match host {
            HostName::Name(_) => self.who.is(host),
            HostName::Address(address) => {
                forms(*address).into_iter().any(|form| self.who.is(&HostName::Address(form)))
            }
        };
        self.fits(place) && place.host.as_ref().is_some_and(any_form)
    }

    /// Scheme and port. `https://example.com` means its usual port; `example.com` means every port.
    fn fits(&self, place: &Place) -> bool {
        let scheme = match (self.scheme, place.scheme.as_deref()) {
            (Some(wanted), Some(scheme)) => wanted == scheme,
            _ => true,
        };
        let usual = self.scheme.map(|scheme| if scheme == "https" { 443 } else { 80 });
        let port = self.port.or(usual).is_none_or(|port| place.port == Some(port));
        scheme && port
    }

    /// The zone that the pattern speaks of.
    pub(super) fn zone(&self) -> Zone {
        match &self.who {
            Who::Any => Zone::Public,
            Who::Exactly(HostName::Name(name)) | Who::Under(name) => Zone::of_name(name),
            Who::Exactly(HostName::Address(address)) => Zone::of(*address),
            Who::Range(range) => range.zone(),
        }
    }

    /// Whether a permission for these means hosts of the zone: `*` does not mean private ones, and only
    /// its own name means the metadata service.
    fn means(&self, zone: Zone) -> bool {
        match zone {
            Zone::Public => true,
            Zone::Private => self.who != Who::Any,
            Zone::Metadata => matches!(self.who, Who::Exactly(_)),
        }
    }
}

impl<'de> Deserialize<'de> for HostPattern {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<HostPattern, D::Error> {
        HostPattern::parse(&String::deserialize(reader)?).map_err(D::Error::custom)
    }
}

impl Who {
    fn parse(host: &str) -> Option<Who> {
        if host == "*" {
            return Some(Who::Any);
        }
        if let Some(base) = host.strip_prefix("*.") {
            return match HostName::parse(base).filter(|_| !base.contains('*'))? {
                HostName::Name(name) => Some(Who::Under(name)),
                HostName::Address(_) => None,
            };
        }
        let host = Some(host).filter(|host| !host.is_empty() && !host.contains('*'))?;
        HostName::parse(host).map(Who::Exactly)
    }

    fn is(&self, host: &HostName) -> bool {
        match (self, host) {
            (Who::Any, _) => true,
            (Who::Exactly(wanted), host) => wanted == host,
            (Who::Under(base), HostName::Name(name)) => {
                let above = name.strip_suffix(base.as_str());
                above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            }
            (Who::Range(range), HostName::Address(address)) => range.contains(*address),
            (Who::Under(_), HostName::Address(_)) | (Who::Range(_), HostName::Name(_)) => false,
        }
    }
}

/// Host and port of `host:port`, `[::1]:port`, `host`, or an IPv6 address without brackets.
fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    let at = match text.rfind(']') {
        Some(end) => text[end..].find(':').map(|at| at + end),
        None if text.matches(':').count() > 1 => None,
        None => text.find(':'),
    };
    let Some(at) = at else { return Some((text, None)) };
    match &text[at + 1..] {
        "*" => Some((&text[..at], None)),
        port => port.parse().ok().filter(|port| *port > 0).map(|port| (&text[..at], Some(port))),
    }
}

/// What is said of hosts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hosts {
    pub(super) allow: Vec<Said<HostPattern>>,
    pub(super) block: Vec<Said<HostPattern>>,
    pub(super) public: Said<Stance>,
    pub(super) private: Said<Stance>,
    pub(super) metadata: Said<Stance>,
    /// Schemes that may be used; all of them if none is said.
    pub(super) schemes: Option<Said<Vec<String>>>,
}

impl Hosts {
    /// Whether nothing is restricted.
    pub(super) fn is_open(&self) -> bool {
        let zones = [&self.public, &self.private, &self.metadata];
        self.block.is_empty()
            && self.schemes.is_none()
            && zones.iter().all(|zone| zone.value == Stance::Allow)
    }

    /// Whether some rule needs the whole address to be judged: a connection does not tell its scheme. Schemes
    /// beside those of the web need none, since no page of the web may load what is not of the web, and where a
    /// caller wants to go is judged before it goes.
    pub(super) fn needs_addresses(&self) -> bool {
        let web = |said: &Said<Vec<String>>| {
            ["http", "https"].iter().all(|wanted| said.value.iter().any(|known| known == wanted))
        };
        let one_of_two = self.schemes.as_ref().is_some_and(|said| !web(said));
        let mut patterns = self.allow.iter().chain(&self.block);
        one_of_two || patterns.any(|pattern| pattern.value.scheme.is_some())
    }

    /// Whether a scheme may be used and a host be spoken to, going by what they are called.
    pub(super) fn judge(&self, place: &Place) -> Result<(), Broken> {
        if place.is_blank() {
            return Ok(());
        }
        self.scheme(place)?;
        let Some(host) = &place.host else { return Ok(()) };
        if let Some(pattern) = self.block.iter().find(|pattern| pattern.value.touches(place)) {
            return Err(blocked(pattern, host));
        }
        let zone = match host {
            HostName::Name(name) => Zone::of_name(name),
            HostName::Address(address) => Zone::of(*address),
        };
        if self.is_listed(place, zone) {
            return Ok(());
        }
        self.zone(zone, host)
    }

    /// Whether a connection may be made to what a name was found to stand for. A name that is listed
    /// does not open a private address: whoever owns the name says what it stands for.
    pub(super) fn address(&self, name: &Place, address: IpAddr) -> Result<(), Broken> {
        self.judge(name)?;
        let here = HostName::Address(address.to_canonical());
        let place = Place { host: Some(here.clone()), ..name.clone() };
        if let Some(pattern) = self.block.iter().find(|pattern| pattern.value.touches(&place)) {
            return Err(blocked(pattern, &here));
        }
        let zone = Zone::of(address);
        let loopback = address.to_canonical().is_loopback() && is_localhost(name);
        let named = zone == Zone::Public || loopback;
        if self.is_listed(&place, zone) || (named && self.is_listed(name, zone)) {
            return Ok(());
        }
        self.zone(zone, &here)
    }

    fn is_listed(&self, place: &Place, zone: Zone) -> bool {
        let listed = |pattern: &HostPattern| pattern.means(zone) && pattern.covers(place);
        self.allow.iter().any(|pattern| listed(&pattern.value))
    }

    fn zone(&self, zone: Zone, host: &HostName) -> Result<(), Broken> {
        let said = match zone {
            Zone::Public => &self.public,
            Zone::Private => &self.private,
            Zone::Metadata => &self.metadata,
        };
        if said.value == Stance::Allow {
            return Ok(());
        }
        let why = match zone {
            Zone::Public => "is not among the hosts that the policy allows",
            Zone::Private => "is of this machine or a private network, which the policy refuses",
            Zone::Metadata => {
                "is where a cloud hands out the machine's credentials, which the policy refuses"
            }
        };
        let because =
            format!("{host} {why}; to allow it, add {:?} to [hosts] allow", host.to_string());
        Err(Broken::new(said.rule(format!("hosts.{} = \"refuse\"", zone.word())), because))
    }

    fn scheme(&self, place: &Place) -> Result<(), Broken> {
        let (Some(said), Some(scheme)) = (&self.schemes, &place.scheme) else { return Ok(()) };
        if said.value.iter().any(|known| known == scheme) {
            return Ok(());
        }
        let because = format!(
            "{scheme}: addresses are not allowed; to allow them, add {scheme:?} to schemes under [hosts]"
        );
        Err(Broken::new(said.rule("hosts.schemes".to_owned()), because))
    }
}

fn blocked(pattern: &Said<HostPattern>, host: &HostName) -> Broken {
    let rule = pattern.rule(format!("hosts.block {:?}", pattern.value.text));
    Broken::new(rule, format!("{host} is blocked; to reach it, that line has to be taken out"))
}

/// Browsers answer for these names themselves: always loopback.
fn is_localhost(place: &Place) -> bool {
    match &place.host {
        Some(HostName::Name(name)) => name == "localhost" || name.ends_with(".localhost"),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
