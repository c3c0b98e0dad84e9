//! A guarded browser looks no name up by itself: what it asked of its resolver is in its own log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use legwork_engine::{
    Config, Engine, Guard, Launch, Lookup, NAVIGATION, Refused, Resolver, SessionOptions, Wanted,
};

use crate::support::{Reply, Site};

#[derive(Debug)]
struct Open;

impl Guard for Open {
    fn host(&self, _: &str, _: u16) -> Result<(), Refused> {
        Ok(())
    }

    fn address(&self, _: &str, _: std::net::IpAddr, _: u16) -> Result<(), Refused> {
        Ok(())
    }

    fn request(&self, _: &Wanted<'_>) -> Result<(), Refused> {
        Ok(())
    }

    fn reads_addresses(&self) -> bool {
        false
    }
}

/// Every name is this machine.
#[derive(Debug)]
struct Here;

impl Resolver for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
        Box::pin(async { Ok(vec![std::net::IpAddr::from([127, 0, 0, 1])]) })
    }
}

#[tokio::test]
async fn a_guarded_browser_looks_no_name_up_by_itself() {
    let unguarded = looked_up(None).await;
    assert!(unguarded.contains("img.lookup.test"), "the log tells nothing of lookups");
    let guarded = looked_up(Some(Arc::new(Open))).await;
    assert!(guarded.contains("127.0.0.1"), "the log tells nothing of lookups: {guarded}");
    assert!(!guarded.contains("lookup.test"), "it looked names up: {guarded}");
}

/// A name that stands for an allowed address first and for a forbidden one from then on.
#[derive(Debug, Default)]
struct Rebinding {
    elsewhere: AtomicBool,
    asked: AtomicUsize,
}

impl Resolver for Rebinding {
    fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let last = if self.elsewhere.load(Ordering::SeqCst) { 2 } else { 1 };
        Box::pin(async move { Ok(vec![std::net::IpAddr::from([127, 0, 0, last])]) })
    }
}

#[tokio::test]
async fn a_name_that_is_bound_anew_leads_nowhere_that_the_policy_does_not_allow() {
    // A connection that is kept would go on leading where it did.
    let home = Site::start(|_| Reply::Full {
        status: "200 OK",
        headers: vec![("Content-Type", "text/html".into()), ("Connection", "close".into())],
        body: b"<h1>Home</h1>".to_vec(),
    })
    .await;
    let forbidden = std::net::TcpListener::bind(("127.0.0.2", home.port)).unwrap();
    forbidden.set_nonblocking(true).unwrap();
    let allow = format!("[\"rebind.test:{0}\", \"127.0.0.1:{0}\"]", home.port);
    let policy = format!("preset = \"guarded\"\n[hosts]\nallow = {allow}\n");
    let guard = legwork_tools::Rules::parse(&policy).unwrap().guard();
    let names = Arc::new(Rebinding::default());
    let engine = Engine::new(Config { resolver: Some(names.clone()), ..Default::default() });
    let session = engine.session(SessionOptions { guard, ..Default::default() });
    let page = session.page().await.unwrap();
    let url = format!("http://rebind.test:{}/", home.port);
    page.navigate(&url, NAVIGATION).await.unwrap();
    names.elsewhere.store(true, Ordering::SeqCst);
    let before = names.asked.load(Ordering::SeqCst);
    let refused = page.navigate(&format!("{url}again"), NAVIGATION).await.unwrap_err();
    assert_eq!(refused.code(), "denied", "{refused}");
    assert!(names.asked.load(Ordering::SeqCst) > before, "it was not looked up again");
    assert!(forbidden.accept().is_err(), "the forbidden server was reached");
    session.close().await;
    engine.close().await;
}

/// The hosts that a browser was made to look up by itself, as its log names them.
async fn looked_up(guard: Option<Arc<dyn Guard>>) -> String {
    let site = Site::start(|_| {
        let ahead = ["dns-prefetch", "preconnect", "prefetch"]
            .map(|how| format!("<link rel={how} href='http://{how}.lookup.test/'>"));
        Reply::Html(
            ahead.concat()
                + "<img src='http://img.lookup.test/'><script>\
            new WebSocket('ws://socket.lookup.test/');\
            const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:stun.lookup.test' }] });\
            c.createDataChannel('d'); c.createOffer().then(o => c.setLocalDescription(o))</script>",
        )
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("net.json");
    let args = vec![format!("--log-net-log={}", log.display())];
    let launch = Launch { args, full: true, ..Default::default() };
    let config = Config { launch, resolver: Some(Arc::new(Here)), ..Default::default() };
    let engine = Engine::new(config);
    let user_data_dir = Some(folder.path().join("profile"));
    let session = engine.session(SessionOptions { guard, user_data_dir, ..Default::default() });
    let page = session.page().await.unwrap();
    page.navigate(&site.url("/"), NAVIGATION).await.unwrap();
    session.close().await;
    engine.close().await;
    let log = std::fs::read_to_string(log).unwrap();
    hosts(&log)
}

/// The hosts of the log's resolver events, a line each. The log has one event to a line.
fn hosts(log: &str) -> String {
    let kind = |name: &str| {
        let after = log.split(&format!("\"{name}\":")).nth(1)?;
        after.split([',', '}']).next().map(|number| format!("\"type\":{}}}", number.trim()))
    };
    let kinds: Vec<String> = ["HOST_RESOLVER_MANAGER_REQUEST", "HOST_RESOLVER_MANAGER_JOB"]
        .into_iter()
        .filter_map(kind)
        .collect();
    assert_eq!(kinds.len(), 2, "the log knows no lookups");
    let of_resolver = |line: &&str| kinds.iter().any(|kind| line.contains(kind.as_str()));
    log.lines().filter(of_resolver).collect::<Vec<_>>().join("\n")
}
