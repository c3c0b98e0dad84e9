//! The rules as the engine asks for them: before a name is looked up, before a connection is made, before
//! a request is sent.

use std::net::IpAddr;

use legwork_engine::{Guard, Refused, Wanted};

use super::hosts::{HostPattern, Hosts};
use super::paths::Paths;
use super::place::{HostName, Place};
use super::said::Broken;

/// What is said of the network.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    pub(super) hosts: Hosts,
    pub(super) paths: Paths,
    /// Paths of single sites.
    pub(super) sites: Vec<(Vec<HostPattern>, Paths)>,
}

impl Network {
    /// Whether nothing is restricted.
    pub(super) fn is_open(&self) -> bool {
        self.hosts.is_open() && !self.has_paths()
    }

    fn has_paths(&self) -> bool {
        !self.paths.is_open() || self.sites.iter().any(|(_, paths)| !paths.is_open())
    }

    /// Whether an address may be asked for; `page` says that it is to be one.
    pub(super) fn judge(&self, place: &Place, page: bool) -> Result<(), Broken> {
        self.hosts.judge(place)?;
        self.paths.judge(place, page)?;
        for (hosts, paths) in &self.sites {
            let Some(host) = hosts.iter().find(|host| host.covers(place)) else { continue };
            let named = |broken: Broken| Broken {
                rule: format!("site {:?} {}", host.text(), broken.rule),
                ..broken
            };
            paths.judge(place, page).map_err(named)?;
        }
        Ok(())
    }
}

impl Guard for Network {
    fn host(&self, host: &str, port: u16) -> Result<(), Refused> {
        let host = HostName::parse(host).ok_or_else(unreadable)?;
        self.hosts.judge(&Place::connection(host, port)).map_err(refused)
    }

    fn address(&self, host: &str, address: IpAddr, port: u16) -> Result<(), Refused> {
        let host = HostName::parse(host).ok_or_else(unreadable)?;
        self.hosts.address(&Place::connection(host, port), address).map_err(refused)
    }

    fn request(&self, request: &Wanted<'_>) -> Result<(), Refused> {
        let place = Place::parse(request.url).ok_or_else(unreadable)?;
        let page = request.kind.eq_ignore_ascii_case("document");
        self.judge(&place, page).map_err(refused)
    }

    fn reads_addresses(&self) -> bool {
        self.has_paths() || self.hosts.needs_addresses()
    }
}

fn refused(broken: Broken) -> Refused {
    Refused { rule: broken.rule }
}

/// What cannot be read is not let through.
fn unreadable() -> Refused {
    Refused { rule: "hosts (the address cannot be read)".into() }
}
