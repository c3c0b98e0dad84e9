//! Requests of a page: what was asked, what came back, from where it was served, and which of them
//! are still under way. It only records; the guard is elsewhere.

use std::collections::{HashMap, VecDeque};

use legwork_cdp::{RequestId, network as cdp};

/// From where a response was served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The network.
    Network,
    /// A service worker.
    ServiceWorker,
    /// The disk cache.
    DiskCache,
    /// The memory cache.
    MemoryCache,
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// GET, POST, …
    pub method: String,
    /// The address.
    pub url: String,
    /// Chrome's resource type: Document, Script, Fetch, …
    pub kind: String,
    /// HTTP status, once there is a response.
    pub status: Option<i64>,
    /// Media type of the response.
    pub mime_type: Option<String>,
    /// Bytes over the wire, once finished.
    pub size: Option<f64>,
    /// Seconds from start to end, once finished.
    pub duration: Option<f64>,
    /// Why it failed.
    pub failure: Option<String>,
    /// From where it was served.
    pub source: Option<Source>,
    started: f64,
}

/// The last requests of a page, oldest first.
#[derive(Debug, Default)]
pub struct Network {
    order: VecDeque<RequestId>,
    records: HashMap<RequestId, Request>,
    in_flight: HashMap<RequestId, u64>,
    redirects: u64,
    /// Documents that were asked for by sending something, which loading them again sends again.
    posted: VecDeque<RequestId>,
    /// WebSockets that are open or being opened, by address.
    sockets: HashMap<RequestId, String>,
}

const CAPACITY: usize = 1000;

impl Network {
    /// Records a request and tells whether its answer is worth waiting for.
    pub(crate) fn begin(&mut self, event: cdp::RequestWillBeSent, sequence: u64) -> bool {
        let kind = event.kind.unwrap_or_default();
        if let Some(response) = event.redirect_response {
            self.redirect(&event.request_id, response, event.timestamp);
        }
        if kind == "Document" {
            self.note_document(&event.request_id, &event.request.method);
        }
        let waited_for = is_waited_for(&kind);
        if waited_for {
            self.in_flight.insert(event.request_id.clone(), sequence);
        }
        let record = Request {
            method: event.request.method,
            url: event.request.url,
            kind,
            status: None,
            mime_type: None,
            size: None,
            duration: None,
            failure: None,
            source: None,
            started: event.timestamp,
        };
        self.insert(event.request_id, record);
        waited_for
    }

    /// What is redirected after it was sent is asked for under the same id, and no longer sends anything.
    fn note_document(&mut self, id: &RequestId, method: &str) {
        self.posted.retain(|known| known != id);
        if !matches!(method, "GET" | "HEAD") {
            self.posted.push_back(id.clone());
        }
        if self.posted.len() > CAPACITY {
            self.posted.pop_front();
        }
    }

    /// Whether a document came of sending something.
    pub(crate) fn was_posted(&self, id: &RequestId) -> bool {
        self.posted.contains(id)
    }

    fn insert(&mut self, id: RequestId, record: Request) {
        if self.records.insert(id.clone(), record).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            self.records.remove(&oldest);
        }
    }

    /// A redirect answers the old request under the same id; it is kept under a name of its own.
    fn redirect(&mut self, id: &RequestId, response: cdp::Response, at: f64) {
        let Some(mut record) = self.records.remove(id) else { return };
        record.answer(response);
        record.duration = Some(at - record.started);
        self.redirects += 1;
        let own = RequestId::from(format!("{id}-redirect-{}", self.redirects));
        if let Some(slot) = self.order.iter_mut().rev().find(|slot| *slot == id) {
            *slot = own.clone();
        }
        self.records.insert(own, record);
    }

    pub(crate) fn respond(&mut self, event: cdp::ResponseReceived) {
        if let Some(record) = self.records.get_mut(&event.request_id) {
            record.answer(event.response);
        }
    }

    pub(crate) fn served_from_memory(&mut self, id: &RequestId) {
        if let Some(record) = self.records.get_mut(id) {
            record.source = Some(Source::MemoryCache);
        }
    }

    /// Ends a request; true if somebody may have been waiting for it.
    pub(crate) fn finish(&mut self, id: &RequestId, size: Option<f64>, at: f64) -> bool {
        if let Some(record) = self.records.get_mut(id) {
            record.size = size;
            record.duration = Some(at - record.started);
        }
        self.in_flight.remove(id).is_some()
    }

    pub(crate) fn fail(&mut self, id: &RequestId, reason: String, at: f64) -> bool {
        if let Some(record) = self.records.get_mut(id) {
            record.failure = Some(reason);
        }
        self.finish(id, None, at)
    }

    /// Remembers where a WebSocket leads to.
    pub(crate) fn socket(&mut self, id: RequestId, url: String) {
        if self.sockets.len() < CAPACITY {
            self.sockets.insert(id, url);
        }
    }

    /// Forgets a WebSocket that closed and tells where it led to.
    pub(crate) fn socket_closed(&mut self, id: &RequestId) -> Option<String> {
        self.sockets.remove(id)
    }

    /// The address and kind of a request.
    pub(crate) fn asked(&self, id: &RequestId) -> Option<(&str, &str)> {
        self.records.get(id).map(|record| (record.url.as_str(), record.kind.as_str()))
    }

    /// Why a request failed, if it did.
    pub(crate) fn failure(&self, id: &RequestId) -> Option<&str> {
        self.records.get(id)?.failure.as_deref()
    }

    /// Requests worth waiting for that began after the given moment and are still under way.
    pub(crate) fn under_way_since(&self, sequence: u64) -> usize {
        self.in_flight.values().filter(|&&began| began > sequence).count()
    }

    pub(crate) fn under_way(&self) -> usize {
        self.in_flight.len()
    }

    pub(crate) fn forget_in_flight(&mut self) {
        self.in_flight.clear();
    }

    pub(crate) fn recent(&self, limit: usize) -> Vec<Request> {
        let skip = self.order.len().saturating_sub(limit);
        self.order.iter().skip(skip).filter_map(|id| self.records.get(id)).cloned().collect()
    }
}

impl Request {
    fn answer(&mut self, response: cdp::Response) {
        self.status = http_status(&response);
        self.mime_type = Some(response.mime_type);
        let source = if response.from_service_worker.unwrap_or(false) {
            Source::ServiceWorker
        } else if response.from_disk_cache.unwrap_or(false) {
            Source::DiskCache
        } else {
            Source::Network
        };
        self.source.get_or_insert(source);
    }
}

/// The status of an answer that came over HTTP. Chrome makes up a 200 for files and data addresses.
pub(crate) fn http_status(response: &cdp::Response) -> Option<i64> {
    response.url.starts_with("http").then_some(response.status)
}

/// Pictures, fonts, media, beacons and open-ended streams change nothing a model reads.
fn is_waited_for(kind: &str) -> bool {
    matches!(kind, "Document" | "Script" | "Stylesheet" | "XHR" | "Fetch")
}
