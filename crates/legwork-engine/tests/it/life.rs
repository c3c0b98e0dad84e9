//! P1, P2: launching, isolation, crashes, and nothing left behind.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use legwork_engine::{Config, Engine, Launch, SessionOptions, Viewport};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{Reply, Rig, Site};

const LONG: Duration = Duration::from_secs(15);

/// Temporary profiles below a folder.
fn profiles(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("legwork-profile-"))
        })
        .collect()
}

/// Processes that have the folder in their command line.
fn processes(folder: &Path) -> Vec<String> {
    let needle = folder.display().to_string();
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
        .filter(|line| line.contains(&needle))
        .collect()
}

/// Waits until nothing of the browser is left, at most ten seconds.
async fn nothing_left(folder: &Path) {
    let give_up = tokio::time::Instant::now() + Duration::from_secs(10);
    while !(profiles(folder).is_empty() && processes(folder).is_empty()) {
        let left = format!("{:?}\n{:#?}", profiles(folder), processes(folder));
        assert!(tokio::time::Instant::now() < give_up, "left behind: {left}");
        // Processes end without telling us: there is nothing to wait on but time.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A folder for temporary files of this test alone.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("legwork-test-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The host that the tests below start and kill: this very test program, told by its environment.
#[tokio::test]
async fn a_host_that_ends_normally_leaves_nothing() {
    let rig = Rig::show("<h1>Host</h1>").await;
    if std::env::var_os("LEGWORK_TEST_HOLD").is_some() {
        eprintln!("holding");
        std::future::pending::<()>().await;
    }
    if std::env::var_os("LEGWORK_TEST_PANIC").is_some() {
        eprintln!("holding");
        panic!("as asked");
    }
    let text = rig.text().await;
    assert_eq!(text, "# Host");
    rig.end().await;
    if let Some(folder) = std::env::var_os("TMPDIR") {
        assert_eq!(profiles(Path::new(&folder)), Vec::<PathBuf>::new());
    }
}

async fn host(folder: &Path, variable: &str) -> tokio::process::Child {
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "life::a_host_that_ends_normally_leaves_nothing", "--nocapture"])
        .env("TMPDIR", folder)
        .env(variable, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.contains("holding") {
            return child;
        }
    }
    panic!("the host did not come up");
}

#[tokio::test]
async fn fifty_killed_hosts_leave_no_chrome_and_no_profile() {
    let scratch = Scratch::new("kills");
    for round in 0..25 {
        // Two at a time, one per core.
        let (mut one, mut two) = tokio::join!(
            host(&scratch.0, "LEGWORK_TEST_HOLD"),
            host(&scratch.0, "LEGWORK_TEST_HOLD")
        );
        assert_eq!(profiles(&scratch.0).len(), 2, "round {round}");
        one.start_kill().unwrap();
        two.start_kill().unwrap();
        one.wait().await.unwrap();
        two.wait().await.unwrap();
        nothing_left(&scratch.0).await;
    }
}

#[tokio::test]
async fn a_terminated_or_panicking_host_leaves_nothing() {
    let scratch = Scratch::new("ends");
    let mut child = host(&scratch.0, "LEGWORK_TEST_HOLD").await;
    let pid = rustix::process::Pid::from_raw(child.id().unwrap() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    child.wait().await.unwrap();
    nothing_left(&scratch.0).await;
    let mut child = host(&scratch.0, "LEGWORK_TEST_PANIC").await;
    assert!(!child.wait().await.unwrap().success());
    nothing_left(&scratch.0).await;
}

#[tokio::test]
async fn a_crashed_browser_fails_what_is_pending_and_is_replaced() {
    let rig = Rig::show("<h1>One</h1>").await;
    let group = rig.session.process_id().await.unwrap();
    let page = rig.page.clone();
    let pending =
        tokio::spawn(
            async move { page.evaluate("new Promise(() => {})", Default::default()).await },
        );
    rig.eval("1").await;
    let pid = rustix::process::Pid::from_raw(group as i32).unwrap();
    rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).unwrap();
    let error = pending.await.unwrap().unwrap_err();
    assert_eq!(error.code(), "browser_crashed", "{error}");
    let page = rig.session.page().await.unwrap();
    assert!(rig.session.take_notices()[0].contains("crashed"));
    page.navigate("data:text/html,<h1>Two</h1>", LONG).await.unwrap();
    rig.end().await;
}

#[tokio::test]
async fn a_browser_that_stops_answering_is_ended_and_replaced() {
    let rig = Rig::show("<h1>One</h1>").await;
    let group = rig.session.process_id().await.unwrap();
    let pid = rustix::process::Pid::from_raw(group as i32).unwrap();
    rustix::process::kill_process_group(pid, rustix::process::Signal::STOP).unwrap();
    let error = rig.page.evaluate("1", Default::default()).await.unwrap_err();
    assert_eq!(error.code(), "browser_crashed", "{error}");
    let page = rig.session.page().await.unwrap();
    page.navigate("data:text/html,<h1>Two</h1>", LONG).await.unwrap();
    rig.end().await;
}

#[tokio::test]
async fn a_crashed_page_is_told_and_replaced() {
    let rig = Rig::show("<h1>One</h1>").await;
    let error = rig.page.navigate("chrome://crash", LONG).await.unwrap_err();
    assert_eq!(error.code(), "page_crashed", "{error}");
    let page = rig.session.page().await.unwrap();
    assert!(rig.session.take_notices()[0].contains("page had crashed"));
    page.navigate("data:text/html,<h1>Two</h1>", LONG).await.unwrap();
    rig.end().await;
}

#[tokio::test]
async fn sessions_share_a_chrome_and_nothing_else() {
    let site = Site::start(|_| Reply::Html("<h1>Site</h1>".into())).await;
    let engine = Engine::new(Config::default());
    let (one, two) =
        (engine.session(SessionOptions::default()), engine.session(SessionOptions::default()));
    let (a, b) = (one.page().await.unwrap(), two.page().await.unwrap());
    assert_eq!(one.process_id().await, two.process_id().await);
    a.navigate(&site.url("/"), LONG).await.unwrap();
    b.navigate(&site.url("/"), LONG).await.unwrap();
    a.evaluate("document.cookie='who=a';localStorage.who='a'", Default::default()).await.unwrap();
    let seen =
        b.evaluate("document.cookie+(localStorage.who||'')", Default::default()).await.unwrap();
    assert_eq!(seen, "\"\"");
    let own = engine.session(SessionOptions { isolate: true, ..Default::default() });
    own.page().await.unwrap();
    assert_ne!(one.process_id().await, own.process_id().await);
    own.close().await;
    one.close().await;
    assert_eq!(one.page().await.err().unwrap().code(), "session_closed");
    assert!(b.evaluate("1", Default::default()).await.is_ok());
    engine.close().await;
}

#[tokio::test]
async fn a_profile_directory_keeps_what_it_holds_and_names_who_has_it() {
    let site = Site::start(|_| Reply::Html("<h1>Site</h1>".into())).await;
    let scratch = Scratch::new("profile");
    let options = SessionOptions { user_data_dir: Some(scratch.0.join("p")), ..Default::default() };
    let engine = Engine::new(Config::default());
    let session = engine.session(options.clone());
    let page = session.page().await.unwrap();
    page.navigate(&site.url("/"), LONG).await.unwrap();
    page.evaluate("localStorage.who='me'", Default::default()).await.unwrap();
    let other = engine.session(options.clone());
    let error = other.page().await.err().unwrap();
    assert_eq!(error.code(), "profile_in_use");
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    session.close().await;
    let again = engine.session(options);
    let page = again.page().await.unwrap();
    page.navigate(&site.url("/"), LONG).await.unwrap();
    assert_eq!(page.evaluate("localStorage.who", Default::default()).await.unwrap(), "\"me\"");
    again.close().await;
}

#[tokio::test]
async fn an_idle_session_closes_by_itself() {
    let config = Config { idle: Duration::from_secs(2), ..Default::default() };
    let engine = Engine::new(config);
    let session = engine.session(SessionOptions::default());
    let page = session.page().await.unwrap();
    let closed = page
        .wait(&legwork_engine::Condition::Predicate("false".into()), Duration::from_secs(10))
        .await;
    assert!(matches!(closed.unwrap_err().code(), "page_closed" | "browser_crashed"));
    assert!(session.is_closed());
    engine.close().await;
}

#[tokio::test]
async fn the_window_has_the_size_asked_for() {
    let rig = Rig::new().await;
    assert_eq!(rig.eval("innerWidth+'x'+innerHeight").await, "\"1280x720\"");
    rig.page.resize(Viewport { width: 400, height: 300, scale: 2.0 }).await.unwrap();
    assert_eq!(rig.eval("innerWidth+'x'+innerHeight+'@'+devicePixelRatio").await, "\"400x300@2\"");
    let error = rig.page.resize(Viewport { width: 0, height: 300, scale: 1.0 }).await.unwrap_err();
    assert_eq!(error.to_string(), "Invalid dimensions: width and height must be positive");
    rig.end().await;
}

#[tokio::test]
async fn a_browser_that_is_not_there_is_named_with_what_to_do() {
    let launch = Launch { browser: Some("/no/such/chrome".into()), ..Default::default() };
    let engine = Engine::new(Config { launch, ..Default::default() });
    let error = engine.session(SessionOptions::default()).page().await.err().unwrap();
    assert_eq!(error.code(), "ERR_BROWSER_NOT_FOUND");
    assert!(error.to_string().contains("/no/such/chrome"), "{error}");
    let launch = Launch { browser: Some("/bin/true".into()), ..Default::default() };
    let engine = Engine::new(Config { launch, ..Default::default() });
    let error = engine.session(SessionOptions::default()).page().await.err().unwrap();
    assert_eq!(error.code(), "launch_failed", "{error}");
}

#[tokio::test]
async fn full_chrome_and_a_browser_somebody_else_started_work_as_well() {
    let launch = Launch { full: true, ..Default::default() };
    let rig = Rig::with(Config { launch, ..Default::default() }, SessionOptions::default()).await;
    rig.set("<h1>Full</h1>").await;
    assert_eq!(rig.text().await, "# Full");
    rig.end().await;
}
