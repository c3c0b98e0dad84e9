//! Asks a model's server over HTTP: one JSON body there, one answer back, in one piece or as events. Keeps to
//! the deadline, asks again what is worth it, and lets no key out: not into errors, logs or redirects. What
//! bodies mean is each adapter's own.

mod fault;
mod words;

use std::ops::ControlFlow;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Response, StatusCode, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use tokio::time::Instant;
use url::{Host, Url};

pub(crate) use self::fault::Fault;
use super::retry::{self, Retry};
use super::stream::{Event, Events};
use super::{Answer, Delta, Heard, ModelError};

/// The most that is read of an answer in one piece: no vendor comes near.
const MOST: usize = 32 << 20;

/// Of a key that was cut off, this many letters may be seen.
const SHORTEST_PART: usize = 4;

/// The longest deadline that is counted; the clock's range is finite.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A server that models are asked at.
pub(crate) struct Http {
    client: Client,
    base: Url,
    key: Option<Key>,
    /// The model's name, for errors.
    model: String,
    retry: Retry,
}

/// A key and how it is shown to the server.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) value: SecretString,
    /// The header it goes in: `authorization`, `x-api-key` …
    pub(crate) header: &'static str,
    /// What stands before it there: `Bearer `, or nothing.
    pub(crate) prefix: &'static str,
    /// Where keys of this provider are looked for, for when it is not accepted.
    pub(crate) sought: String,
}

/// What is sent.
pub(crate) struct Post<'a, B: Serialize> {
    /// Below the base URL, without a leading slash.
    pub(crate) path: &'a str,
    pub(crate) query: &'a [(&'a str, &'a str)],
    pub(crate) headers: &'a [(&'static str, &'a str)],
    pub(crate) body: &'a B,
    /// For everything, retries included.
    pub(crate) deadline: Duration,
}

/// Reads one answer of one vendor. A new one is begun for every try.
pub(crate) trait Reader: Send {
    /// Takes an event of a stream; breaks when the answer is complete.
    fn event(&mut self, event: Event, heard: &Heard) -> Result<ControlFlow<()>, Fault>;

    /// The stream is over. [`Fault::Cut`] if the answer is not.
    fn end(self) -> Result<Answer, Fault>;

    /// Reads an answer that came in one piece.
    fn whole(self, body: &[u8]) -> Result<Answer, Fault>;
}

impl Http {
    /// A server for a model. Loopback is never reached through a proxy.
    pub(crate) fn new(model: &str, base: Url, key: Option<Key>) -> Result<Http, ModelError> {
        let builder = Client::builder()
            .redirect(redirect::Policy::none())
            .user_agent(concat!("legwork/", env!("CARGO_PKG_VERSION")));
        let builder = if is_loopback(&base) { builder.no_proxy() } else { builder };
        let unusable = |why: &str| ModelError::Unknown(format!("{model}: {why}"));
        if !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
            return Err(unusable("its base URL has to begin with http:// or https://"));
        }
        let client = builder.build().map_err(|error| unusable(&words::of_error(error)))?;
        Ok(Http { client, base, key, model: model.into(), retry: Retry::default() })
    }

    /// The same with other waits, for tests.
    #[cfg(test)]
    pub(crate) fn retrying(self, retry: Retry) -> Http {
        Http { retry, ..self }
    }

    /// Asks, and asks again what is worth it, until the deadline. Dropping it cancels the request.
    pub(crate) async fn ask<B: Serialize + Sync, R: Reader>(
        &self,
        post: Post<'_, B>,
        heard: &Heard,
        begin: impl Fn() -> R + Send + Sync,
    ) -> Result<Answer, ModelError> {
        let until = Instant::now() + post.deadline.min(LONGEST);
        let body = serde_json::to_vec(post.body).map_err(|error| ModelError::Garbled {
            model: self.model.clone(),
            message: format!("the request cannot be written: {error}"),
        })?;
        let asking = async {
            let mut tried = 0;
            loop {
                tried += 1;
                match self.once(&post, body.clone(), heard, begin()).await {
                    Ok(answer) => return Ok(answer),
                    Err(fault) => self.pause(fault, tried, until, heard).await?,
                }
            }
        };
        let limit = post.deadline;
        let timed_out = |_| ModelError::TimedOut { model: self.model.clone(), limit };
        tokio::time::timeout_at(until, asking).await.map_err(timed_out)?
    }

    /// Waits before another try, if there is to be one.
    async fn pause(
        &self,
        fault: Fault,
        tried: u32,
        until: Instant,
        heard: &Heard,
    ) -> Result<(), ModelError> {
        if let Fault::Unusable { usage, .. } = fault {
            heard(Delta::Wasted(usage));
        }
        let Some(wished) = fault.again().filter(|_| tried < self.retry.tries) else {
            return Err(self.error(fault, tried));
        };
        let wait = self.retry.wait(tried, wished);
        let left = until.saturating_duration_since(Instant::now());
        if wait >= left {
            let fault = fault.and(&format!("there is no time left to wait {wait:.1?}"));
            return Err(self.error(fault, tried));
        }
        if let Fault::Cut(_) = fault {
            // Its beginning is paid for, and nobody said how much that was.
            heard(Delta::Wasted(crate::model::Tokens::default()));
        }
        heard(Delta::Retrying(wait, self.masked(fault.words())));
        tracing::debug!(model = self.model, tried, ?wait, "asking the model again");
        tokio::time::sleep(wait).await;
        Ok(())
    }

    async fn once<B: Serialize, R: Reader>(
        &self,
        post: &Post<'_, B>,
        body: Vec<u8>,
        heard: &Heard,
        reader: R,
    ) -> Result<Answer, Fault> {
        let request = self.client.post(self.url(post)).headers(self.headers(post)?).body(body);
        let sent = request.send().await;
        let response = sent.map_err(|error| self.unreached(error))?;
        if response.status() != StatusCode::OK {
            return Err(self.refusal(response).await);
        }
        if is_events(response.headers()) {
            self.events(response, heard, reader).await
        } else {
            let (body, whole) = read(response, MOST).await;
            if !whole {
                return Err(Fault::Cut("it broke off".into()));
            }
            reader.whole(&body)
        }
    }

    /// Why a server was not reached, and where it was looked for.
    fn unreached(&self, error: reqwest::Error) -> Fault {
        let is_absent = error.is_connect();
        let message = words::of_error(error);
        Fault::passing(match is_absent {
            true => {
                let address = self.base.origin().ascii_serialization();
                format!("{message}; it was looked for at {address}: is it running?")
            }
            false => message,
        })
    }

    async fn events<R: Reader>(
        &self,
        mut response: Response,
        heard: &Heard,
        mut reader: R,
    ) -> Result<Answer, Fault> {
        let mut events = Events::default();
        loop {
            let piece =
                response.chunk().await.map_err(|error| Fault::Cut(words::of_error(error)))?;
            let Some(piece) = piece else { return reader.end() };
            let too_large = |_| Fault::Garbled("it is larger than any answer should be".into());
            for event in events.take(&piece).map_err(too_large)? {
                if reader.event(event, heard)?.is_break() {
                    return reader.end();
                }
            }
        }
    }

    /// Why a server said anything but yes.
    async fn refusal(&self, response: Response) -> Fault {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let (body, _) = read(response, 64 << 10).await;
        let said = words::of_body(&body);
        let message = match said.words {
            words if !words.is_empty() => words,
            _ if (300..400).contains(&status) => redirected(&headers),
            _ => StatusCode::from_u16(status)
                .ok()
                .and_then(|status| status.canonical_reason())
                .unwrap_or("it does not say why")
                .to_string(),
        };
        // No quota is left until somebody pays: asking again is in vain.
        let lasting = said.code.as_deref() == Some("insufficient_quota");
        match status {
            401 | 403 => Fault::Key { status, message },
            _ if !lasting && retry::passes(status, &headers) => Fault::Passing {
                message: format!("{message} ({status})"),
                wished: retry::wished(&headers, SystemTime::now()),
            },
            _ => Fault::Refused { status, message },
        }
    }

    fn url<B: Serialize>(&self, post: &Post<'_, B>) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{}", self.base.path().trim_end_matches('/'), post.path));
        if !post.query.is_empty() {
            url.query_pairs_mut().extend_pairs(post.query);
        }
        url
    }

    fn headers<B: Serialize>(&self, post: &Post<'_, B>) -> Result<HeaderMap, Fault> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in post.headers {
            let unusable = |_| Fault::Garbled(format!("{name} cannot be sent as a header"));
            headers.insert(*name, HeaderValue::from_str(value).map_err(unusable)?);
        }
        if let Some(key) = &self.key {
            let value = format!("{}{}", key.prefix, key.value.expose_secret());
            let message = "the key has characters that no key has".to_string();
            let mut value =
                HeaderValue::try_from(value).map_err(|_| Fault::Key { status: 401, message })?;
            value.set_sensitive(true);
            headers.insert(key.header, value);
        }
        Ok(headers)
    }

    fn error(&self, fault: Fault, tries: u32) -> ModelError {
        let model = self.model.clone();
        match fault {
            Fault::Passing { message, .. } | Fault::Unusable { message, .. } => {
                ModelError::Unavailable { model, tries, message: self.masked(&message) }
            }
            Fault::Cut(message) | Fault::Garbled(message) => {
                ModelError::Garbled { model, message: self.masked(&message) }
            }
            Fault::Refused { status, message } => {
                ModelError::Refused { model, status, message: self.masked(&message) }
            }
            Fault::Key { status, message } => {
                let sought = match &self.key {
                    Some(key) => format!("the key was not accepted; {}", key.sought),
                    None => "no key was sent".into(),
                };
                let message = format!("{} ({status}): {sought}", self.masked(&message));
                ModelError::Key { model, message }
            }
        }
    }

    /// A server may repeat the key in its complaint, and the complaint may have been cut off within it.
    fn masked(&self, message: &str) -> String {
        let Some(key) = self.key.as_ref().map(|key| key.value.expose_secret()) else {
            return message.into();
        };
        if key.is_empty() {
            return message.into();
        }
        let whole = message.replace(key, "[key]");
        let begins = |end: &usize| key.is_char_boundary(*end);
        let parts = (SHORTEST_PART..key.len()).rev().filter(begins);
        parts.fold(whole, |text, end| text.replace(&format!("{}…", &key[..end]), "[key]…"))
    }
}

/// Whether a URL leads to this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn is_events(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// Where a redirect points, which is told and not followed: the key was meant for this server.
fn redirected(headers: &HeaderMap) -> String {
    let target = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let target = target.and_then(|target| target.parse::<Url>().ok());
    let target = target.and_then(|url| url.host_str().map(str::to_string));
    let target = target.map(|host| format!(" to {host}")).unwrap_or_default();
    format!("a redirect{target}, which is not followed; check the base URL")
}

/// What a body holds up to a limit, and whether that is all of it.
async fn read(mut response: Response, most: usize) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if body.len() + piece.len() <= most => body.extend_from_slice(&piece),
            Ok(None) => return (body, true),
            Ok(Some(_)) | Err(_) => return (body, false),
        }
    }
}

#[cfg(test)]
mod tests;
