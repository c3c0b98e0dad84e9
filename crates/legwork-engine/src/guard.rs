//! What a session may reach. The engine asks before anything leaves; whoever hands the guard in knows the
//! rules. What the guard cannot be asked about does not leave.
//!
//! - [`proxy`] is what a browser of ours has to go through: it judges names, looks them up itself and
//!   judges the address it is about to connect to. [`request`] reads what it is asked, [`relay`] passes
//!   bodies on, [`peer`] tells strangers apart.
//! - [`intercept`] judges whole addresses, for rules that only they can answer, and for browsers that somebody
//!   else started. One of ours stops every request itself, above its targets; in another every target does.
//! - [`flags`] is how a browser of ours is started, so that it finds nothing but the proxy, and does not
//!   fetch for pages by itself what nobody could judge.
//! - [`gate`] asks the guard for both, and remembers what it refused.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use gate::Gate;
use proxy::Proxy;
use resolve::{Resolver, System};

use crate::error::Error;

pub(crate) mod flags;
pub(crate) mod gate;
pub(crate) mod intercept;
mod peer;
pub(crate) mod proxy;
mod relay;
pub mod request;
pub(crate) mod resolve;

/// Says what may be reached.
pub trait Guard: fmt::Debug + Send + Sync {
    /// Whether a name may be spoken to at all. Asked before it is looked up. The name is as a URL parser
    /// writes it: lower case, ASCII, addresses in their plain form, IPv6 in brackets; and without a dot at
    /// the end.
    fn host(&self, host: &str, port: u16) -> Result<(), Refused>;

    /// Whether a connection may be made to what the name was found to stand for. An IPv4 address that was
    /// written as IPv6 comes as IPv4.
    fn address(&self, host: &str, address: IpAddr, port: u16) -> Result<(), Refused>;

    /// Whether a request may be sent, where the whole of it can be seen.
    fn request(&self, request: &Wanted<'_>) -> Result<(), Refused>;

    /// Whether there are rules that only the whole address can answer, such as paths. Without them a
    /// browser behind the proxy needs no interception.
    fn reads_addresses(&self) -> bool;
}

/// A request that a page wants to send.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The whole address.
    pub url: &'a str,
    /// The method.
    pub method: &'a str,
    /// What it is for, in Chrome's words: `Document`, `Script`, `Fetch` …; `connection` where it is seen
    /// only as such.
    pub kind: &'a str,
    /// The address of the page that wants it.
    pub page: Option<&'a str>,
}

/// The rule that says no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The rule, as it stands in the policy.
    pub rule: String,
}

/// Something that was not let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The host, with its port where it is not the usual one.
    pub host: String,
    /// The whole address, where it was seen.
    pub url: Option<String>,
    /// What it was for: `Document`, `Script`, `connection` …
    pub kind: String,
    /// The page that wanted it, where known. What has none may be the browser's own: one with a profile
    /// calls its maker.
    pub page: Option<String>,
    /// The rule that says no.
    pub rule: String,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blocked { host, url, kind, rule, .. } = self;
        let what = if host.is_empty() { url.as_deref().unwrap_or("an address") } else { host };
        write!(f, "{what} ({kind}), rule {rule}")
    }
}

/// What keeps a session from places it may not reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarded {
    /// Nothing: it has no guard.
    No,
    /// Every connection goes through the proxy.
    Proxy,
    /// Every connection goes through the proxy, and every request is seen whole.
    ProxyAndInterception,
    /// Every request that the browser shows is seen whole. Somebody else started the browser: WebSockets,
    /// WebRTC, lookups and connections made ahead of need are not seen, nor is the address that a name
    /// stands for, nor always what a tab sends last, nor what the browser fetches by itself for a page.
    Interception,
}

impl fmt::Display for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Guarded::No => "none",
            Guarded::Proxy => "proxy",
            Guarded::ProxyAndInterception => "proxy and interception",
            Guarded::Interception => {
                "interception only; WebSockets, WebRTC and the addresses behind names are not judged"
            }
        })
    }
}

/// How a session's guard is in force in one browser. The proxy ends with it.
#[derive(Clone)]
pub(crate) struct Fence {
    pub(crate) gate: Arc<Gate>,
    /// Absent in a browser that somebody else started.
    pub(crate) proxy: Option<Arc<Proxy>>,
}

impl Fence {
    /// Puts a guard in force, or says why it cannot be.
    pub(crate) async fn raise(
        gate: Option<Arc<Gate>>,
        attached: bool,
        resolver: Option<Arc<dyn Resolver>>,
    ) -> Result<Option<Fence>, Error> {
        let Some(gate) = gate else { return Ok(None) };
        if attached {
            return Ok(Some(Fence { gate, proxy: None }));
        }
        let resolver = resolver.unwrap_or_else(|| Arc::new(System));
        let proxy = Proxy::start(gate.clone(), resolver).await.map_err(|error| {
            Error::Invalid(format!("the guard of the session cannot listen on loopback: {error}"))
        })?;
        Ok(Some(Fence { gate, proxy: Some(Arc::new(proxy)) }))
    }

    /// Whether every request has to be seen whole.
    pub(crate) fn intercepts(&self) -> bool {
        self.proxy.is_none() || self.gate.reads_addresses()
    }

    /// The proxy as Chrome is told of it.
    pub(crate) fn proxy_server(&self) -> Option<String> {
        self.proxy.as_ref().map(|proxy| format!("http://{}:{}", flags::PROXY_NAME, proxy.port()))
    }
}
