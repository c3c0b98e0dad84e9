//! The table again where the forbidden thing is a path of an allowed server, over TLS. The proxy sees a host and a
//! port there, so that the path rests on interception; a browser that is joined has nothing else anyway. What must
//! not arrive is a request for `/checkout`.

use std::sync::{Arc, OnceLock};

use crate::cases::{self, Case, Chrome, Place};
use crate::forbidden::Forbidden;
use crate::home;
use crate::support::{self, Reply, Request, Routes};
use crate::tls::Server;

/// What nothing stops, nor is the guard asked about it.
pub const NOT_STOPPED: &[&str] = &[
    // Fetch interception does not see WebSockets, and TLS hides their path from the proxy.
    "websocket to a path",
];

/// What only a browser that we start stops: it has these services off, and is intercepted as a whole. In one that
/// is joined, requests of windows that close themselves and of tabs that are closed are nobody's.
pub const ONLY_OURS: &[&str] = &[
    "background fetch",
    "content policy report to an endpoint",
    "federated sign-in",
    "fetch of a window that closes itself",
    "full: federated sign-in",
    "payment method",
    "speculative prefetch",
    "speculative prefetch, redirected",
    "speculative prerender",
    "window that closes itself",
];

/// What a guarded browser does not offer at all.
pub const UNASKED: &[&str] = &[
    "background fetch",
    "content policy report to an endpoint",
    "federated sign-in",
    "full: federated sign-in",
    "payment method",
    "speculative prefetch",
    "speculative prefetch, redirected",
    "speculative prerender",
];

/// Every case that is about a whole address, and those that take TLS.
pub fn cases() -> Vec<Case> {
    let whole = |case: &Case| {
        let header = case.header.map_or("", |(_, value)| value);
        let texts = [&case.html, case.script, header];
        !texts.iter().any(|text| ["{h}", "{p}", "{g}"].iter().any(|mark| text.contains(mark)))
    };
    let mut cases: Vec<Case> = cases::cases().into_iter().filter(whole).collect();
    let over_tls = |(name, place, html, script): &(&str, Place, &str, &'static str)| Case {
        place: *place,
        script,
        ..cases::case(name, html)
    };
    cases.extend(OVER_TLS.iter().map(over_tls));
    cases.extend(FULL.iter().map(over_tls).map(|case| Case { chrome: Chrome::Full, ..case }));
    cases.push(Case {
        header: Some((
            "Content-Security-Policy",
            "img-src 'none'; report-to r\r\nReporting-Endpoints: r=\"{u}\"",
        )),
        place: Place::Tab,
        chrome: Chrome::Full,
        ..cases::case("content policy report to an endpoint", "<img src='/nothing.png'>")
    });
    cases
}

/// The shop: the pages of the cases, and paths that must not be asked for.
pub async fn serve(cases: Arc<Vec<Case>>, forbidden: &Forbidden) -> Server {
    let port = Arc::new(OnceLock::new());
    let known = port.clone();
    let pages = home::routes(cases, move |text, number| {
        let port: u16 = *known.get().unwrap_or(&0);
        let url = format!("https://shop.test:{port}/checkout/{number}");
        text.replace("{u}", &url).replace("{n}", &number.to_string())
    });
    let heard = forbidden.hear_of();
    let routes: Routes = Arc::new(move |request: &Request| {
        heard(&request.path);
        match pages(request) {
            Reply::NotFound => Reply::Full { status: "200 OK", headers: vec![], body: vec![] },
            page => page,
        }
    });
    let serve = move |stream| support::serve(stream, routes.clone());
    let server = Server::start("http/1.1", serve).await;
    port.set(server.port).unwrap();
    server
}

/// What is about the end of tabs and workers, and what Chrome offers under TLS only. A document that is
/// open in a frame keeps the page from being loaded, and so closed, before a worker runs.
const OVER_TLS: &[(&str, Place, &str, &str)] = &[
    (
        "deferred fetch as the tab closes",
        Place::Closed,
        "<script>fetchLater('{u}', { method: 'POST', body: 'x' })</script>",
        "",
    ),
    (
        "beacon of a frame as the tab closes",
        Place::Closed,
        "<iframe srcdoc=\"<script>addEventListener('pagehide', () => navigator.sendBeacon('{u}', 'x'))</script>\"></iframe>",
        "",
    ),
    (
        "worker as the tab closes",
        Place::Closed,
        "<iframe id=f></iframe><script>f.contentDocument.open(); new Worker('/script/{n}').onmessage = () => f.contentDocument.close()</script>",
        "setInterval(() => fetch('{u}', { keepalive: true, method: 'POST', body: 'x' }).catch(() => 0), 5); postMessage(1)",
    ),
    (
        "shared worker as the tab closes",
        Place::Closed,
        "<iframe id=f></iframe><script>f.contentDocument.open(); new SharedWorker('/script/{n}').port.onmessage = () => f.contentDocument.close()</script>",
        "setInterval(() => fetch('{u}', { keepalive: true, method: 'POST', body: 'x' }).catch(() => 0), 5); onconnect = e => e.ports[0].postMessage(1)",
    ),
    (
        "redirected beacon as the tab closes",
        Place::Closed,
        "<script>addEventListener('pagehide', () => navigator.sendBeacon('/to/{n}/307', 'x'))</script>",
        "",
    ),
    (
        "fetch of a window that closes itself",
        Place::Tab,
        "<script>if (location.search) { addEventListener('pagehide', () => fetch('{u}', { keepalive: true, method: 'POST', body: 'x' })); setTimeout(() => window.close(), 50) } else window.open('?w')</script>",
        "",
    ),
    (
        "window that is closed as it asks",
        Place::Tab,
        "<script>const w = window.open('about:blank'); w.eval(\"navigator.sendBeacon('{u}', 'x')\"); w.close()</script>",
        "",
    ),
    (
        "frame that is removed as it asks",
        Place::Tab,
        "<iframe id=i></iframe><script>onload = () => { i.contentWindow.fetch('{u}', { keepalive: true, method: 'POST', body: 'x' }); i.remove() }</script>",
        "",
    ),
    (
        "worker that is ended as it asks",
        Place::Tab,
        "<script>const w = new Worker('/script/{n}'); w.onmessage = () => w.terminate()</script>",
        "fetch('{u}', { keepalive: true, method: 'POST', body: 'x' }); postMessage(1)",
    ),
    (
        "federated sign-in",
        Place::Tab,
        "<script>navigator.credentials.get({ identity: { providers: [{ configURL: '{u}', clientId: 'x' }] } }).catch(() => 0)</script>",
        "",
    ),
    (
        "websocket to a path",
        Place::Tab,
        "<script>new WebSocket('{u}'.replace('https', 'wss'))</script>",
        "",
    ),
];

/// The services of a full Chrome, and what it does otherwise than a headless shell.
const FULL: &[(&str, Place, &str, &str)] = &[
    (
        "background fetch",
        Place::Tab,
        "<script>navigator.serviceWorker.register('/script/{n}', { scope: '/case/{n}' }).then(() => navigator.serviceWorker.ready).then(r => r.backgroundFetch.fetch('a', ['{u}']))</script>",
        "addEventListener('install', () => skipWaiting()); addEventListener('activate', e => e.waitUntil(clients.claim()))",
    ),
    (
        "payment method",
        Place::Tab,
        "<script>const r = new PaymentRequest([{ supportedMethods: '{u}' }], { total: { label: 'x', amount: { currency: 'USD', value: '1' } } }); r.canMakePayment(); r.show().catch(() => 0)</script>",
        "",
    ),
    (
        "full: beacon as the tab closes",
        Place::Closed,
        "<script>addEventListener('pagehide', () => navigator.sendBeacon('{u}', 'x'))</script>",
        "",
    ),
    (
        "full: federated sign-in",
        Place::Tab,
        "<script>navigator.credentials.get({ identity: { providers: [{ configURL: '{u}', clientId: 'x' }] } }).catch(() => 0)</script>",
        "",
    ),
];
