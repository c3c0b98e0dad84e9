//! Who may connect: whoever has the token, comes from a page of ours or from no page at all, and calls us by
//! our own name. A web page that reaches the port by a name of its own is turned away.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Panel;
use crate::token;

/// Before a token that is given as a protocol, which is all that a page can send along.
const BEARER: &str = "bearer.";

/// Whether it is known who connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The token is right.
    Yes,
    /// The token is wrong.
    No,
    /// None was given yet.
    Unsaid,
}

/// Who may connect.
pub(super) struct Access {
    token: String,
    hosts: [String; 2],
    origins: Vec<String>,
}

impl Access {
    pub(super) fn new(port: u16, token: String, extension: Option<String>) -> Access {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        let own = hosts.iter().map(|host| format!("http://{host}"));
        let extension = extension.map(|id| format!("chrome-extension://{id}"));
        let origins = own.chain(extension).collect();
        Access { token, hosts, origins }
    }

    /// Lets a request through that calls us by our name and comes from nowhere else.
    pub(super) async fn check(
        State(panel): State<Arc<Panel>>,
        request: Request,
        next: Next,
    ) -> Response {
        match panel.access.may_ask(request.headers()) {
            true => next.run(request).await,
            false => refused(StatusCode::FORBIDDEN, "this page may not talk to legwork"),
        }
    }

    /// Each of the headers is there once at most: of two, it is not known which others go by.
    fn may_ask(&self, headers: &HeaderMap) -> bool {
        let one = |name| {
            let mut all = headers.get_all(name).iter();
            match (all.next(), all.next()) {
                (None, _) => Ok(None),
                (Some(value), None) => value.to_str().map(Some).map_err(drop),
                _ => Err(()),
            }
        };
        let host = matches!(one(HOST), Ok(Some(host)) if self.hosts.iter().any(|own| own == host));
        let origin = match one(ORIGIN) {
            Ok(None) => true,
            Ok(Some(origin)) => self.origins.iter().any(|own| own == origin),
            Err(()) => false,
        };
        host && origin
    }

    /// Whether the token came as a protocol.
    pub(super) fn known(&self, headers: &HeaderMap) -> Known {
        let offered = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
        let offered =
            offered.filter_map(|value| value.to_str().ok()).flat_map(|list| list.split(','));
        let mut tokens = offered.filter_map(|word| word.trim().strip_prefix(BEARER));
        match tokens.next() {
            None => Known::Unsaid,
            Some(given) if self.is_token(given) => Known::Yes,
            Some(_) => Known::No,
        }
    }

    pub(super) fn is_token(&self, given: &str) -> bool {
        token::equal(&self.token, given)
    }
}

pub(super) fn refused(status: StatusCode, sentence: &'static str) -> Response {
    (status, format!("{sentence}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_and_pages_are_let_in() {
        let access = Access::new(7412, "sesame".into(), Some("abcdef".into()));
        for (headers, expected) in [
            (&[("host", "127.0.0.1:7412")][..], true),
            (&[("host", "localhost:7412")], true),
            (&[("host", "localhost:7412"), ("origin", "http://127.0.0.1:7412")], true),
            (&[("host", "localhost:7412"), ("origin", "chrome-extension://abcdef")], true),
            (&[("host", "localhost:7412"), ("origin", "chrome-extension://other")], false),
            (&[("host", "localhost:7412"), ("origin", "https://127.0.0.1:7412")], false),
            (&[("host", "localhost:7412"), ("origin", "http://localhost:1")], false),
            (&[("host", "localhost:7412"), ("origin", "null")], false),
            (&[("host", "localhost:7412"), ("origin", "http://evil.example")], false),
            (&[("host", "evil.example:7412")], false),
            (&[("host", "127.0.0.1")], false),
            (&[("host", "127.0.0.1:7412"), ("host", "evil.example")], false),
            (&[("origin", "http://127.0.0.1:7412")], false),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(*name, value.parse().unwrap());
            }
            assert_eq!(access.may_ask(&map), expected, "{headers:?}");
        }
    }

    #[test]
    fn a_token_may_come_as_a_protocol_and_a_wrong_one_is_refused() {
        let access = Access::new(1, "sesame".into(), None);
        for (offered, expected) in [
            (None, Known::Unsaid),
            (Some("legwork.v1"), Known::Unsaid),
            (Some("legwork.v1, bearer.sesame"), Known::Yes),
            (Some("bearer.sesam"), Known::No),
            (Some("bearer., legwork.v1"), Known::No),
        ] {
            let mut map = HeaderMap::new();
            if let Some(offered) = offered {
                map.insert("sec-websocket-protocol", offered.parse().unwrap());
            }
            assert_eq!(access.known(&map), expected, "{offered:?}");
        }
    }
}
