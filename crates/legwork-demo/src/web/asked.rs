//! A request, read once.

use std::collections::HashMap;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::header::COOKIE;
use url::form_urlencoded;

/// The longest form that is read.
const LONGEST: usize = 16 * 1024;

pub(super) struct Asked {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query_text: String,
    /// Whether the store's own script asks, which reads JSON.
    pub(super) scripted: bool,
    query: HashMap<String, String>,
    form: HashMap<String, String>,
    cookies: HashMap<String, String>,
}

impl Asked {
    /// `None` if its body is too long or does not come.
    pub(super) async fn read(request: Request) -> Option<Asked> {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, LONGEST).await.ok()?;
        let cookies = head.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
        let query_text = head.uri.query().unwrap_or_default().to_owned();
        Some(Asked {
            method: head.method.to_string(),
            path: head.uri.path().to_owned(),
            scripted: head.headers.get("x-requested-with").is_some_and(|by| by == "store"),
            query: pairs_of(query_text.as_bytes()),
            query_text,
            form: pairs_of(&body),
            cookies: pairs.map(|(name, value)| (name.trim().into(), value.trim().into())).collect(),
        })
    }

    pub(super) fn query(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    pub(super) fn form(&self, name: &str) -> &str {
        self.form.get(name).map_or("", String::as_str)
    }

    pub(super) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }
}

fn pairs_of(text: &[u8]) -> HashMap<String, String> {
    form_urlencoded::parse(text).into_owned().collect()
}
