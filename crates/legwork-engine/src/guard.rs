//! What a session may reach. The engine asks before anything leaves; whoever hands the guard in knows the
//! rules. What the guard cannot be asked about does not leave.

use std::fmt;
use std::net::IpAddr;

/// Says what may be reached.
pub trait Guard: fmt::Debug + Send + Sync {
    /// Whether a name may be spoken to at all. Asked before it is looked up.
    fn host(&self, host: &str, port: u16) -> Result<(), Refused>;

    /// Whether a connection may be made to what the name was found to stand for.
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
    /// What it is for, in Chrome's words: `Document`, `Script`, `Fetch` …
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
    /// The page that wanted it, where known.
    pub page: Option<String>,
    /// The rule that says no.
    pub rule: String,
}
