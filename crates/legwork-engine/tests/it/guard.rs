//! What a guard is to its session: what it tells, and that it is in force wherever the browser comes from.

use std::net::IpAddr;
use std::sync::Arc;

use legwork_engine::{
    Config, Effect, Error, Guard, Guarded, Launch, Lookup, NAVIGATION, Refused, Resolver,
    SessionOptions, Wanted,
};

use crate::support::{Reply, Rig, Site};

/// Lets 127.0.0.1 through, without paths that are secret.
#[derive(Debug)]
struct Home {
    paths: bool,
}

impl Guard for Home {
    fn host(&self, host: &str, _: u16) -> Result<(), Refused> {
        refuse(host != "127.0.0.1", "hosts.allow")
    }

    fn address(&self, _: &str, address: IpAddr, _: u16) -> Result<(), Refused> {
        refuse(address != IpAddr::from([127, 0, 0, 1]), "addresses.private")
    }

    fn request(&self, request: &Wanted<'_>) -> Result<(), Refused> {
        refuse(self.paths && request.url.contains("/secret"), "paths.block")
    }

    fn reads_addresses(&self) -> bool {
        self.paths
    }
}

fn refuse(no: bool, rule: &str) -> Result<(), Refused> {
    if no { Err(Refused { rule: rule.to_owned() }) } else { Ok(()) }
}

fn guarded(paths: bool) -> SessionOptions {
    SessionOptions { guard: Some(Arc::new(Home { paths })), ..Default::default() }
}

async fn site() -> Site {
    Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html("<h1>Home</h1><a href='http://127.0.0.2:8999/away'>Away</a>".into()),
        "/scripts" => Reply::Html(
            "<h1>Scripts</h1><script src='http://cdn.evil.test/x.js'></script>\
             <script src='https://cdn.evil.test/y.js'></script><img src='/secret.png'>\
             <script>new WebSocket('wss://socket.evil.test/').onerror = () => document.title = 'shut'</script>"
                .into(),
        ),
        "/on" => Reply::Full {
            status: "302 Found",
            headers: vec![("Location", "https://evil.test/landing".into())],
            body: vec![],
        },
        "/secret" => Reply::Html("<h1>Secret</h1>".into()),
        _ => Reply::NotFound,
    })
    .await
}

#[tokio::test]
async fn a_guarded_page_loads_and_tells_what_was_blocked() {
    let site = site().await;
    let rig = Rig::with(Config::default(), guarded(false)).await;
    assert_eq!(rig.session.guarded(), Guarded::Proxy);
    let outcome = rig.page.navigate(&site.url("/scripts"), NAVIGATION).await.unwrap();
    assert!(rig.text().await.contains("# Scripts"));
    let told = outcome.to_string();
    assert_eq!(told.matches("blocked: cdn").count(), 1, "{told}");
    assert!(told.contains("blocked: cdn.evil.test (Script), rule hosts.allow"), "{told}");
    let blocked = rig.session.blocked();
    let script =
        blocked.iter().find(|one| one.url.as_deref() == Some("https://cdn.evil.test/y.js"));
    assert_eq!(script.unwrap().page, Some(site.url("/scripts")), "{blocked:?}");
    let title = legwork_engine::Condition::Predicate("document.title == 'shut'".into());
    rig.page.wait(&title, NAVIGATION).await.unwrap();
    let blocked = rig.session.blocked();
    let socket = blocked.iter().find(|one| one.host == "socket.evil.test");
    assert_eq!(socket.unwrap().kind, "WebSocket", "{blocked:?}");
    rig.end().await;
}

#[tokio::test]
async fn a_blocked_navigation_is_an_error_that_names_the_rule() {
    let site = site().await;
    let rig = Rig::with(Config::default(), guarded(false)).await;
    for (url, blocked) in [
        ("http://evil.test:81/x", "http://evil.test:81/x"),
        ("https://evil.test/x", "https://evil.test/x"),
        (&site.url("/on"), "https://evil.test/landing"),
    ] {
        match rig.page.navigate(url, NAVIGATION).await {
            Err(Error::Blocked { url, rule }) => {
                assert_eq!((url.as_str(), rule.as_str()), (blocked, "hosts.allow"));
            }
            other => panic!("{url}: {other:?}"),
        }
    }
    rig.page.navigate(&site.url("/"), NAVIGATION).await.unwrap();
    let outcome =
        rig.page.click(&legwork_engine::Target::parse("Away"), &Default::default()).await.unwrap();
    let told = outcome.to_string();
    assert!(told.contains("/away failed: blocked by the rule hosts.allow"), "{told}");
    assert!(outcome.effects.iter().any(|e| matches!(e, Effect::Blocked(_))), "{told}");
    rig.end().await;
}

#[tokio::test]
async fn rules_on_paths_are_kept_by_interception() {
    let site = site().await;
    let rig = Rig::with(Config::default(), guarded(true)).await;
    assert_eq!(rig.session.guarded(), Guarded::ProxyAndInterception);
    let outcome = rig.page.navigate(&site.url("/scripts"), NAVIGATION).await.unwrap();
    let told = outcome.to_string();
    assert!(told.contains("(Image), rule paths.block"), "{told}");
    let error = rig.page.navigate(&site.url("/secret"), NAVIGATION).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{} is blocked by the rule paths.block", site.url("/secret"))
    );
    rig.end().await;
}

#[tokio::test]
async fn a_lasting_profile_is_guarded_as_well() {
    let site = site().await;
    let folder = tempfile_dir("profile");
    let options = SessionOptions { user_data_dir: Some(folder.clone()), ..guarded(false) };
    let rig = Rig::with(Config::default(), options).await;
    rig.page.navigate(&site.url("/"), NAVIGATION).await.unwrap();
    assert!(rig.text().await.contains("# Home"));
    let error = rig.page.navigate(&site.other_site("/"), NAVIGATION).await.unwrap_err();
    assert_eq!(error.code(), "denied");
    // Chrome's own calls, which only a profile makes, have no page.
    let blocked = rig.session.blocked().into_iter();
    let hosts: Vec<String> = blocked.filter(|one| one.page.is_some()).map(|one| one.host).collect();
    assert_eq!(hosts, [format!("localhost:{}", site.port)]);
    rig.end().await;
    std::fs::remove_dir_all(folder).unwrap();
}

fn tempfile_dir(name: &str) -> std::path::PathBuf {
    let dir = std::env::temp_dir().join(format!("legwork-guard-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

#[tokio::test]
async fn an_argument_that_leads_around_the_guard_stops_the_start() {
    for argument in
        ["--no-proxy-server", "--proxy-server=socks5://x", "--host-resolver-rules=MAP * x"]
    {
        let launch = Launch { args: vec![argument.into()], ..Default::default() };
        let engine = legwork_engine::Engine::new(Config { launch, ..Default::default() });
        let error = engine.session(guarded(false)).page().await.err().unwrap();
        assert!(error.to_string().contains(argument), "{error}");
    }
}

/// Stands for 127.0.0.1 when it is looked up first, and for 127.0.0.2 from then on.
#[derive(Debug, Default)]
struct Rebinds(std::sync::atomic::AtomicUsize);

impl Resolver for Rebinds {
    fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
        let first = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        Box::pin(async move { Ok(vec![IpAddr::from([127, 0, 0, if first { 1 } else { 2 }])]) })
    }
}

/// Any name, as long as it stands for 127.0.0.1.
#[derive(Debug)]
struct ByAddress;

impl Guard for ByAddress {
    fn host(&self, _: &str, _: u16) -> Result<(), Refused> {
        Ok(())
    }

    fn address(&self, _: &str, address: IpAddr, _: u16) -> Result<(), Refused> {
        refuse(address != IpAddr::from([127, 0, 0, 1]), "addresses.private")
    }

    fn request(&self, _: &Wanted<'_>) -> Result<(), Refused> {
        Ok(())
    }

    fn reads_addresses(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn a_name_that_comes_to_stand_for_a_private_address_is_refused() {
    let site = Site::start(|_| Reply::Full {
        status: "200 OK",
        headers: vec![("Content-Type", "text/html".into()), ("Connection", "close".into())],
        body: b"<h1>Rebind</h1>".to_vec(),
    })
    .await;
    let forbidden = std::net::TcpListener::bind(("127.0.0.2", site.port)).unwrap();
    forbidden.set_nonblocking(true).unwrap();
    let config = Config { resolver: Some(Arc::new(Rebinds::default())), ..Default::default() };
    let options = SessionOptions { guard: Some(Arc::new(ByAddress)), ..Default::default() };
    let rig = Rig::with(config, options).await;
    let url = format!("http://rebind.test:{}/", site.port);
    rig.page.navigate(&url, NAVIGATION).await.unwrap();
    assert!(rig.text().await.contains("# Rebind"));
    let error = rig.page.navigate(&format!("{url}again"), NAVIGATION).await.unwrap_err();
    assert!(error.to_string().ends_with("blocked by the rule addresses.private"), "{error}");
    let error = rig.page.navigate("http://169.254.169.254/latest/", NAVIGATION).await.unwrap_err();
    assert!(error.to_string().ends_with("blocked by the rule addresses.private"), "{error}");
    rig.end().await;
    let came = forbidden.accept().map(|(_, from)| from).map_err(|error| error.kind());
    assert_eq!(came, Err(std::io::ErrorKind::WouldBlock), "no connection came");
}

#[tokio::test]
async fn a_guarded_tab_that_wants_to_stay_is_closed() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(
            "<button onclick='this.textContent = 1'>Edit</button><script>\
             addEventListener('beforeunload', e => { e.preventDefault(); e.returnValue = 'x' });\
             addEventListener('pagehide', () => navigator.sendBeacon('/secret'))</script>"
                .into(),
        ),
        _ => Reply::NotFound,
    })
    .await;
    let rig = Rig::with(Config::default(), guarded(true)).await;
    let page = rig.session.new_tab().await.unwrap();
    page.navigate(&site.url("/"), NAVIGATION).await.unwrap();
    page.click(&legwork_engine::Target::parse("Edit"), &Default::default()).await.unwrap();
    page.close().await.unwrap();
    rig.end().await;
}
