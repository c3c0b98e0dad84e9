//! A browser that the test plays, in which interception is or is not to be had.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use legwork_cdp::{BrowserContextId, Connection, FakePeer, Transport};
use serde_json::{Value, json};

use super::super::gate::Gate;
use super::super::{Guard, Refused};
use super::*;
use crate::activity::Activity;
use crate::context::Viewport;
use crate::registry::Registry;

/// Nothing may be reached but `/open`.
#[derive(Debug)]
struct Rules;

impl Guard for Rules {
    fn host(&self, _: &str, _: u16) -> Result<(), Refused> {
        Ok(())
    }

    fn address(&self, _: &str, _: IpAddr, _: u16) -> Result<(), Refused> {
        Ok(())
    }

    fn request(&self, request: &Wanted<'_>) -> Result<(), Refused> {
        let open = request.url.ends_with("/open");
        if open { Ok(()) } else { Err(Refused { rule: "paths".to_owned() }) }
    }

    fn reads_addresses(&self) -> bool {
        true
    }
}

struct Played {
    peer: FakePeer,
    registry: Arc<Registry>,
    _context: Arc<Context>,
    _connection: Connection,
}

impl Played {
    fn start() -> Played {
        let (transport, peer) = Transport::fake();
        let registry = Arc::new(Registry::default());
        let connection = Connection::open(transport, registry.clone());
        registry.connect(&connection);
        let fence = Fence { gate: Gate::new(Arc::new(Rules)), proxy: None };
        let id = Some(BrowserContextId::from("C"));
        let (folder, viewport) = (PathBuf::new(), Viewport::default());
        let (activity, events) = (Activity::new(), crate::context::events());
        let context =
            Context::new(id, connection.clone(), folder, viewport, activity, events, Some(fence));
        let context = Arc::new(context);
        registry.add(&context);
        Played { peer, registry, _context: context, _connection: connection }
    }

    fn attach(&self, kind: &str) {
        let info = json!({
            "targetId": "T", "type": kind, "title": "", "url": "", "attached": true,
            "canAccessOpener": false, "browserContextId": "C",
        });
        let event = json!({ "sessionId": "S", "targetInfo": info, "waitingForDebugger": true });
        self.peer.event(None, "Target.attachedToTarget", event);
    }

    /// The next command of that name, and the names of those before it.
    async fn until(&mut self, method: &str) -> (Value, Vec<String>) {
        let mut before = Vec::new();
        loop {
            let command = self.peer.recv().await.expect("a command was sent");
            let name = command["method"].as_str().unwrap_or_default().to_owned();
            if name == method {
                return (command, before);
            }
            before.push(name);
        }
    }
}

const RUN: &str = "Runtime.runIfWaitingForDebugger";

#[tokio::test]
async fn a_target_runs_once_its_requests_are_seen() {
    for kind in ["page", "service_worker", "shared_worker"] {
        let mut played = Played::start();
        played.attach(kind);
        let (enable, before) = played.until("Fetch.enable").await;
        assert!(!before.iter().any(|name| name == RUN), "{kind}: {before:?}");
        played.peer.answer(&enable, json!({}));
        played.until(RUN).await;
    }
}

#[tokio::test]
async fn a_target_runs_at_once_where_the_browser_itself_stops_its_requests() {
    for kind in ["page", "service_worker", "shared_worker"] {
        let mut played = Played::start();
        played.registry.stops_above();
        played.attach(kind);
        let (_, before) = played.until(RUN).await;
        let sent = |name: &str| before.iter().any(|one| one == name);
        assert!(!sent("Fetch.enable") && sent("Page.setPrerenderingAllowed"), "{kind}: {before:?}");
    }
}

#[tokio::test]
async fn a_target_whose_requests_cannot_be_seen_never_runs_and_is_closed() {
    for kind in ["page", "service_worker", "shared_worker", "webview"] {
        let mut played = Played::start();
        played.attach(kind);
        if kind != "webview" {
            let (enable, before) = played.until("Fetch.enable").await;
            assert!(!before.iter().any(|name| name == RUN), "{kind}: {before:?}");
            played.peer.refuse(&enable, -32000, "not to be had");
        }
        let (close, before) = played.until("Target.closeTarget").await;
        assert_eq!(close["params"]["targetId"], "T");
        assert!(!before.iter().any(|name| name == RUN), "{kind}: {before:?}");
    }
}

#[tokio::test]
async fn a_request_goes_on_or_fails_as_the_guard_says() {
    let mut played = Played::start();
    played.attach("page");
    let (enable, _) = played.until("Fetch.enable").await;
    played.peer.answer(&enable, json!({}));
    for (url, method) in [
        ("http://a.test/open", "Fetch.continueRequest"),
        ("http://a.test/shut", "Fetch.failRequest"),
        ("not an address", "Fetch.failRequest"),
        ("file:///etc/passwd", "Fetch.failRequest"),
    ] {
        let request = json!({ "url": url, "method": "GET", "headers": {} });
        let paused = json!({
            "requestId": url, "request": request, "frameId": "T", "resourceType": "Image",
        });
        played.peer.event(Some("S"), "Fetch.requestPaused", paused);
        let (answer, _) = played.until(method).await;
        assert_eq!(answer["params"]["requestId"], url);
    }
}

#[tokio::test]
async fn what_the_browser_itself_stops_is_judged_whosever_it_is() {
    let mut played = Played::start();
    played.attach("page");
    for (frame, url, method) in [
        ("T", "http://a.test/open", "Fetch.continueRequest"),
        ("T", "http://a.test/shut", "Fetch.failRequest"),
        ("gone", "http://a.test/open", "Fetch.continueRequest"),
        ("gone", "http://a.test/shut", "Fetch.failRequest"),
    ] {
        let request = json!({ "url": url, "method": "POST", "headers": {} });
        let paused = json!({
            "requestId": url, "request": request, "frameId": frame, "resourceType": "Ping",
        });
        played.peer.event(None, "Fetch.requestPaused", paused);
        let (answer, _) = played.until(method).await;
        assert_eq!(
            (&answer["params"]["requestId"], &answer["sessionId"]),
            (&json!(url), &Value::Null)
        );
    }
}
