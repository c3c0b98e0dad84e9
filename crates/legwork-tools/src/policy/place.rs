//! Where an address leads, as rules see it: scheme, host, port and path, in the one spelling that the
//! browser uses as well. Every address is read by the WHATWG parser and by nothing else.

use std::net::IpAddr;

use url::{Host, Url};

/// A host: a name in lower case without the dot at its end, or an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum HostName {
    /// A name.
    Name(String),
    /// An address, however it was spelt.
    Address(IpAddr),
}

impl HostName {
    /// Reads a host that stands alone, as in `Host:` or `CONNECT`.
    pub(super) fn parse(text: &str) -> Option<HostName> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(HostName::Address(address.to_canonical()));
        }
        Host::parse(text).ok().and_then(HostName::of)
    }

    fn of<T: AsRef<str>>(host: Host<T>) -> Option<HostName> {
        match host {
            Host::Ipv4(address) => Some(HostName::Address(address.into())),
            Host::Ipv6(address) => Some(HostName::Address(IpAddr::V6(address).to_canonical())),
            Host::Domain(name) => {
                let name = name.as_ref().trim_end_matches('.').to_ascii_lowercase();
                (!name.is_empty()).then_some(HostName::Name(name))
            }
        }
    }
}

impl std::fmt::Display for HostName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HostName::Name(name) => out.write_str(name),
            HostName::Address(IpAddr::V6(address)) => write!(out, "[{address}]"),
            HostName::Address(address) => write!(out, "{address}"),
        }
    }
}

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The scheme; `ws` and `wss` are `http` and `https` here. None where only a connection is seen.
    pub(super) scheme: Option<String>,
    /// The host, where there is one.
    pub(super) host: Option<HostName>,
    /// The port, where there is one.
    pub(super) port: Option<u16>,
    /// The path.
    pub(super) path: String,
}

/// An address inside an address, inside an address … is nobody's honest link.
const DEEPEST: usize = 4;

impl Place {
    /// Reads an address. What cannot be read leads nowhere good: none.
    pub(super) fn parse(text: &str) -> Option<Place> {
        Place::of(&Url::parse(text).ok()?)
    }

    /// Where an address leads, looking into those that hold another one.
    pub(super) fn of(url: &Url) -> Option<Place> {
        let mut url = url.clone();
        for _ in 0..DEEPEST {
            let inside = match url.scheme() {
                "view-source" | "filesystem" => &url.as_str()[url.scheme().len() + 1..],
                // The documents of opaque origins make such: there is nobody behind them.
                "blob" if url.path().starts_with("null/") => return Some(Place::blank()),
                "blob" => url.path(),
                _ => return Place::plain(&url),
            };
            url = Url::parse(inside).ok()?;
        }
        None
    }

    /// A connection, of which only its end is known.
    pub(super) fn connection(host: HostName, port: u16) -> Place {
        Place { scheme: None, host: Some(host), port: Some(port), path: String::new() }
    }

    fn blank() -> Place {
        Place { scheme: Some("about".into()), host: None, port: None, path: "blank".into() }
    }

    fn plain(url: &Url) -> Option<Place> {
        let scheme = match url.scheme() {
            "ws" => "http",
            "wss" => "https",
            // The browser's own page about an address that failed.
            "chrome-error" if url.as_str() == "chrome-error://chromewebdata/" => {
                return Some(Place::blank());
            }
            // All others of these are other names for pages of the browser's own.
            "about" if !matches!(url.path(), "blank" | "srcdoc") => "chrome",
            other => other,
        };
        let port = url.port_or_known_default();
        let web = matches!(scheme, "http" | "https" | "ftp");
        let host = match url.host() {
            // A name in an address of an unknown scheme was not made canonical by the parser.
            Some(Host::Domain(name)) if !web => Some(HostName::parse(name)?),
            Some(host) => Some(HostName::of(host)?),
            None if web => return None,
            None => None,
        };
        Some(Place { scheme: Some(scheme.to_owned()), host, port, path: url.path().to_owned() })
    }

    /// Leads nowhere: an empty page.
    pub(super) fn is_blank(&self) -> bool {
        self.scheme.as_deref() == Some("about")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let Some(place) = Place::parse(text) else { return "unreadable".to_owned() };
        let host = place.host.map_or("-".to_owned(), |host| host.to_string());
        let port = place.port.map_or(String::new(), |port| format!(":{port}"));
        format!("{} {host}{port}", place.scheme.unwrap_or_default())
    }

    #[test]
    fn addresses_lead_where_the_browser_goes() {
        for (text, expected) in [
            ("https://example.com/", "https example.com:443"),
            ("https://example.com:password@malicious.com", "https malicious.com:443"),
            ("https://example.com@malicious.com", "https malicious.com:443"),
            ("https://example.com%20@malicious.com", "https malicious.com:443"),
            ("https://example.com%3A@malicious.com", "https malicious.com:443"),
            ("https://evil.com\\@example.com/", "https evil.com:443"),
            ("https:evil.com", "https evil.com:443"),
            ("https:/\\evil.com", "https evil.com:443"),
            ("ht\ntps://ev\til.com", "https evil.com:443"),
            ("https://EXAMPLE.com.:8443/", "https example.com:8443"),
            ("https://ex%61mple.com", "https example.com:443"),
            ("https://ｅｘａｍｐｌｅ。com", "https example.com:443"),
            ("https://exämple.com", "https xn--exmple-cua.com:443"),
            ("http://0x7f.1/", "http 127.0.0.1:80"),
            ("http://2130706433/", "http 127.0.0.1:80"),
            ("http://017700000001/", "http 127.0.0.1:80"),
            ("http://127.1./", "http 127.0.0.1:80"),
            ("http://[::ffff:127.0.0.1]/", "http 127.0.0.1:80"),
            ("http://[::ffff:7f00:1]/", "http 127.0.0.1:80"),
            ("http://[0:0:0:0:0:0:0:1]:81/", "http [::1]:81"),
            ("http://①②⑦.0.0.1/", "http 127.0.0.1:80"),
            ("ws://example.com/x", "http example.com:80"),
            ("wss://example.com/x", "https example.com:443"),
            ("view-source:https://evil.com/", "https evil.com:443"),
            ("blob:https://evil.com/6b0a", "https evil.com:443"),
            ("blob:null/6b0a", "about -"),
            ("blob:file:///x", "file -"),
            ("filesystem:https://evil.com/temporary/x", "https evil.com:443"),
            ("view-source:view-source:http://a.com", "http a.com:80"),
            ("view-source:nonsense", "unreadable"),
            ("view-source:view-source:view-source:view-source:http://a.com", "unreadable"),
            ("data:text/html,https://example.com", "data -"),
            ("javascript:alert(1)", "javascript -"),
            ("file:///etc/passwd", "file -"),
            ("file://server/share", "file server"),
            ("ftp://example.com/x", "ftp example.com:21"),
            ("about:blank", "about -"),
            ("about:srcdoc", "about -"),
            ("about:blank#x", "about -"),
            ("about:settings", "chrome -"),
            ("chrome-error://chromewebdata/", "about -"),
            ("chrome-error://a.com/", "chrome-error a.com"),
            ("https://", "unreadable"),
            ("https://./", "unreadable"),
            ("https://exa mple.com", "unreadable"),
            ("http://1.2.3.4.5/", "unreadable"),
            ("http://256.1.1.1/", "unreadable"),
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }
}
