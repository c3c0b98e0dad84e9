//! P1, P2: launching, isolation, crashes, and nothing left behind.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use legwork_engine::{
    Click, Condition, Config, Engine, Launch, Page, SessionOptions, Source, Target, Viewport,
};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{Reply, Rig, Site};

const LONG: Duration = Duration::from_secs(15);

/// Temporary profiles below a folder.
fn profiles(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries
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

/// Waits until nothing of the browser is left, at most a minute: a busy machine removes slowly.
async fn nothing_left(folder: &Path) {
    let give_up = tokio::time::Instant::now() + Duration::from_secs(60);
    let user = rustix::process::geteuid().as_raw();
    let saved = folder.join(format!("legwork-downloads-{user}"));
    while !(profiles(folder).is_empty() && processes(folder).is_empty() && !saved.exists()) {
        let files: Vec<_> = std::fs::read_dir(&saved).into_iter().flatten().collect();
        let left = format!("{:?}\n{:#?}\n{files:?}", profiles(folder), processes(folder));
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

fn program(folder: &Path) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "life::a_host_that_ends_normally_leaves_nothing", "--nocapture"])
        .env("TMPDIR", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

async fn host(folder: &Path, variable: &str) -> tokio::process::Child {
    let mut child = program(folder).env(variable, "1").spawn().unwrap();
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
async fn a_host_leaves_nothing_also_when_it_is_terminated_or_panics() {
    let scratch = Scratch::new("ends");
    let ended = program(&scratch.0).output().await.unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    nothing_left(&scratch.0).await;
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
    let scratch = Scratch::new("crash");
    let config = Config { downloads: Some(scratch.0.clone()), ..Default::default() };
    let rig = Rig::with(config, SessionOptions::default()).await;
    rig.set("<h1>One</h1>").await;
    let group = rig.session.process_id().await.unwrap();
    let profile = profile_of(group);
    assert!(profile.exists());
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
    // The supervisor was killed too, so it was ours to clear up.
    assert!(!profile.exists(), "{} is left", profile.display());
    let folders = || std::fs::read_dir(&scratch.0).unwrap().count();
    assert_eq!(folders(), 1, "the folder of the replaced browser is left");
    rig.end().await;
    assert_eq!(folders(), 0);
}

/// The temporary profile of the browser with that process group, from its supervisor.
fn profile_of(group: u32) -> PathBuf {
    let line = std::fs::read_to_string(format!("/proc/{group}/cmdline")).unwrap();
    let found = line.split('\0').find(|part| part.contains("/legwork-profile-"));
    PathBuf::from(found.unwrap_or_else(|| panic!("{line}")))
}

#[tokio::test]
async fn a_browser_that_stops_answering_is_ended_and_replaced() {
    let rig = Rig::show("<h1>One</h1>").await;
    let group = rig.session.process_id().await.unwrap();
    let pid = rustix::process::Pid::from_raw(group as i32).unwrap();
    let profile = profile_of(group);
    rustix::process::kill_process_group(pid, rustix::process::Signal::STOP).unwrap();
    // Also what has less time than a browser is given.
    let (target, quick) = (Target::parse("One"), Click::default());
    let (clicked, evaluated) =
        tokio::join!(rig.page.click(&target, &quick), rig.page.evaluate("1", Default::default()));
    for error in [clicked.unwrap_err(), evaluated.unwrap_err()] {
        assert_eq!(error.code(), "browser_crashed", "{error}");
    }
    let page = rig.session.page().await.unwrap();
    page.navigate("data:text/html,<h1>Two</h1>", LONG).await.unwrap();
    assert!(!profile.exists(), "{} is left", profile.display());
    rig.end().await;
}

#[tokio::test]
async fn an_extension_is_loaded_and_works_in_full_chrome() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = r#"{"manifest_version":3,"name":"Mark","version":"1","content_scripts":[{"matches":["<all_urls>"],"js":["mark.js"]}]}"#;
    std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
    std::fs::write(folder.path().join("mark.js"), "document.body.append('marked by it')").unwrap();
    let site = Site::start(|_| Reply::Html("<h1>Page</h1>".into())).await;
    let launch = |folder: &std::path::Path| {
        let args = vec![format!("--load-extension={}", folder.display())];
        Config { launch: Launch { args, ..Default::default() }, ..Default::default() }
    };
    let rig = Rig::with(launch(folder.path()), Default::default()).await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.page.wait(&Condition::Text("marked by it".into()), LONG).await.unwrap();
    rig.end().await;
    let engine = Engine::new(launch(&folder.path().join("none")));
    let error = engine.session(SessionOptions::default()).page().await.err().unwrap();
    assert!(error.to_string().contains("none: it is no extension"), "{error}");
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
    let site = Site::start(|request| match request.path.as_str() {
        "/kept.css" => Reply::Full {
            status: "200 OK",
            headers: vec![
                ("Content-Type", "text/css".into()),
                ("Cache-Control", "max-age=600".into()),
            ],
            body: b"p{color:red}".to_vec(),
        },
        "/empty" => Reply::Html("<p>Nothing</p>".into()),
        _ => Reply::Html("<link rel=stylesheet href=/kept.css><h1>Site</h1>".into()),
    })
    .await;
    let engine = Engine::new(Config::default());
    let (one, two) =
        (engine.session(SessionOptions::default()), engine.session(SessionOptions::default()));
    let (a, b) = (one.page().await.unwrap(), two.page().await.unwrap());
    assert_eq!(one.process_id().await, two.process_id().await);
    for page in [&a, &b] {
        // Of the first page of a process, Chrome may not report what is asked for ahead of the parser.
        page.navigate(&site.url("/empty"), LONG).await.unwrap();
        page.navigate(&site.url("/"), LONG).await.unwrap();
    }
    a.evaluate("document.cookie='who=a';localStorage.who='a'", Default::default()).await.unwrap();
    let seen =
        b.evaluate("document.cookie+(localStorage.who||'')", Default::default()).await.unwrap();
    assert_eq!(seen, "\"\"");
    let source = |page: &Page| {
        let requests = page.requests(100);
        requests.iter().rfind(|r| r.url.ends_with("/kept.css")).and_then(|r| r.source)
    };
    assert_eq!(source(&b), Some(Source::Network), "the cache of another session was used");
    a.navigate(&site.url("/again"), LONG).await.unwrap();
    let own = source(&a).expect("it is asked for again");
    assert_ne!(own, Source::Network, "its own cache is not used");
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
async fn a_profile_that_another_process_has_is_an_error_until_that_is_gone() {
    let scratch = Scratch::new("taken");
    let profile = scratch.0.join("p");
    std::fs::create_dir(&profile).unwrap();
    let mut other =
        tokio::process::Command::new("sleep").arg("600").kill_on_drop(true).spawn().unwrap();
    let pid = other.id().unwrap();
    // As Chrome marks a profile that it has open.
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let mark = format!("{}-{pid}", machine.trim());
    std::os::unix::fs::symlink(mark, profile.join("SingletonLock")).unwrap();
    let options = SessionOptions { user_data_dir: Some(profile), ..Default::default() };
    let engine = Engine::new(Config::default());
    let session = engine.session(options.clone());
    let error = tokio::time::timeout(Duration::from_secs(3), session.page()).await.unwrap();
    let error = error.err().unwrap();
    assert_eq!(error.code(), "profile_in_use", "{error}");
    assert!(error.to_string().contains(&format!("sleep (process {pid})")), "{error}");
    session.close().await;
    other.kill().await.unwrap();
    let page = engine.session(options).page().await.unwrap();
    assert_eq!(page.evaluate("1+1", Default::default()).await.unwrap(), "2");
    engine.close().await;
}

#[tokio::test]
async fn a_headless_shell_keeps_a_profile_too() {
    let site = Site::start(|_| Reply::Html("<h1>Site</h1>".into())).await;
    let scratch = Scratch::new("shell");
    let request = legwork_engine::find::Request {
        explicit: None,
        prefer: legwork_engine::find::Prefer::HeadlessShell,
    };
    let found = legwork_engine::find::find(&request, &legwork_engine::find::HostSystem).unwrap();
    let browser = Some(found.path.display().to_string());
    let launch = Launch { browser, user_data_dir: Some(scratch.0.join("p")), ..Default::default() };
    for script in ["document.cookie='who=me; max-age=600'; localStorage.who='me'", "1"] {
        let config = Config { launch: launch.clone(), ..Default::default() };
        let rig = Rig::with(config, SessionOptions::default()).await;
        rig.page.navigate(&site.url("/"), LONG).await.unwrap();
        rig.eval(script).await;
        let kept = rig.eval("document.cookie+' '+localStorage.who").await;
        assert_eq!(kept, "\"who=me me\"", "after {script}");
        rig.end().await;
    }
}

#[tokio::test]
async fn an_idle_session_closes_by_itself() {
    let config = Config { idle: Duration::from_secs(2), ..Default::default() };
    let engine = Engine::new(config);
    let session = engine.session(SessionOptions::default());
    let page = session.page().await.unwrap();
    let longer = Duration::from_secs(5);
    for busy in [Condition::Predicate("false".into()), Condition::Time(longer * 2)] {
        let error = page.wait(&busy, longer).await.unwrap_err();
        assert_eq!(error.code(), "timeout", "{busy}: {error}");
        assert!(!session.is_closed(), "{busy}: a session in use was closed");
    }
    session.closed().await;
    assert_eq!(session.page().await.err().unwrap().code(), "session_closed");
    engine.close().await;
}

#[tokio::test]
async fn closing_the_engine_closes_every_session_for_good() {
    let engine = Engine::new(Config::default());
    let shared = engine.session(SessionOptions::default());
    let own = engine.session(SessionOptions { isolate: true, ..Default::default() });
    let (page, _) = (shared.page().await.unwrap(), own.page().await.unwrap());
    let group = own.process_id().await.unwrap();
    let waiting = tokio::spawn(async move {
        page.wait(&Condition::Text("Nowhere".into()), Duration::from_secs(60)).await
    });
    tokio::task::yield_now().await;
    engine.close().await;
    assert_eq!(waiting.await.unwrap().unwrap_err().code(), "session_closed");
    assert!(!Path::new(&format!("/proc/{group}")).exists(), "the isolated Chrome is left");
    for session in [shared, own] {
        assert_eq!(session.page().await.err().unwrap().code(), "session_closed");
        assert!(session.take_notices().is_empty());
    }
}

#[tokio::test]
async fn a_shared_chrome_ends_with_its_last_session() {
    let engine = Engine::new(Config { linger: Duration::ZERO, ..Default::default() });
    let (one, two) =
        (engine.session(SessionOptions::default()), engine.session(SessionOptions::default()));
    one.page().await.unwrap();
    let page = two.page().await.unwrap();
    let profile = profile_of(one.process_id().await.unwrap());
    one.close().await;
    page.evaluate("1", Default::default()).await.unwrap();
    two.close().await;
    nothing_left(&profile).await;
    assert!(!profile.exists(), "{} is left", profile.display());
}

#[tokio::test]
async fn two_who_ask_at_once_get_the_same_tab() {
    let engine = Engine::new(Config::default());
    let session = engine.session(SessionOptions::default());
    let (one, two) = tokio::join!(session.page(), session.page());
    assert_eq!(one.unwrap().id(), two.unwrap().id());
    assert_eq!(session.tabs().await.unwrap().len(), 1);
    engine.close().await;
}

#[tokio::test]
async fn a_page_outlives_the_handle_of_its_session() {
    let engine = Engine::new(Config::default());
    let page = engine.session(SessionOptions::default()).page().await.unwrap();
    page.navigate("data:text/html,<h1>Still</h1>", LONG).await.unwrap();
    assert_eq!(page.evaluate("1+1", Default::default()).await.unwrap(), "2");
    engine.close().await;
    assert_eq!(page.evaluate("1", Default::default()).await.unwrap_err().code(), "session_closed");
}

#[tokio::test]
async fn the_twenty_first_tab_is_refused_by_name() {
    let engine = Engine::new(Config::default());
    let session = engine.session(SessionOptions::default());
    for _ in 0..20 {
        session.new_tab().await.unwrap();
    }
    let error = session.new_tab().await.err().unwrap();
    assert_eq!(error.to_string(), "a session may have 20 tabs: close one first");
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
    assert!(error.to_string().contains("(/bin/true)"), "{error}");
    let launch = Launch { browser: Some("/bin/cat".into()), ..Default::default() };
    let engine = Engine::new(Config { launch, ..Default::default() });
    let error = engine.session(SessionOptions::default()).page().await.err().unwrap();
    // What it printed is part of the error.
    assert!(error.to_string().contains("unrecognized option"), "{error}");
}

#[tokio::test]
async fn full_chrome_works_as_well() {
    let launch = Launch { full: true, ..Default::default() };
    let rig = Rig::with(Config { launch, ..Default::default() }, SessionOptions::default()).await;
    rig.set("<h1>Full</h1>").await;
    assert_eq!(rig.text().await, "# Full");
    rig.end().await;
}

/// A Chrome that somebody else started, and where it listens.
async fn theirs(
    prefer: legwork_engine::find::Prefer,
    args: &[&str],
    profile: &Path,
) -> (tokio::process::Child, Group, String) {
    let request = legwork_engine::find::Request { explicit: None, prefer };
    let found = legwork_engine::find::find(&request, &legwork_engine::find::HostSystem).unwrap();
    let mut theirs = tokio::process::Command::new(found.path)
        .args(["--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
        .args(args)
        .arg(format!("--user-data-dir={}", profile.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    // Chrome may be started by a script, which alone would be killed: its group is.
    let group = Group(rustix::process::Pid::from_raw(theirs.id().unwrap() as i32).unwrap());
    let mut lines = BufReader::new(theirs.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next_line().await.unwrap().expect("it says where it listens");
        if let Some(address) = line.strip_prefix("DevTools listening on ") {
            break address.to_owned();
        }
    };
    (theirs, group, address)
}

#[tokio::test]
async fn a_browser_somebody_else_started_is_joined_and_left_running() {
    let scratch = Scratch::new("attach");
    let profile = scratch.0.join("theirs");
    let prefer = legwork_engine::find::Prefer::HeadlessShell;
    let (mut theirs, group, address) = theirs(prefer, &["--headless"], &profile).await;
    let port = address.trim_start_matches("ws://").split('/').next().unwrap().to_owned();
    for url in [address.clone(), format!("http://{port}")] {
        let config = Config { attach: Some(url), ..Default::default() };
        let rig = Rig::with(config, SessionOptions::default()).await;
        rig.set("<h1>Theirs</h1>").await;
        assert_eq!(rig.text().await, "# Theirs");
        assert_eq!(rig.session.process_id().await, None);
        rig.end().await;
        assert!(theirs.try_wait().unwrap().is_none(), "it was ended with our session");
    }
    drop(group);
    theirs.wait().await.unwrap();
    nothing_left(&scratch.0).await;
}

/// Its own window is what a person watches; a Chrome without one says so in the name of its user agent.
#[tokio::test]
async fn in_a_joined_browser_an_element_is_outlined_first_unless_it_has_no_window() {
    let scratch = Scratch::new("outline");
    for (named, outlined) in [("--user-agent=Theirs/1.0", true), ("--mute-audio", false)] {
        let args = ["--headless=new", "--no-first-run", named];
        let profile = scratch.0.join(if outlined { "shown" } else { "hidden" });
        let prefer = legwork_engine::find::Prefer::Full;
        let (mut theirs, group, address) = theirs(prefer, &args, &profile).await;
        let config = Config { attach: Some(address), ..Default::default() };
        let rig = Rig::with(config, SessionOptions::default()).await;
        rig.set("<div style='width:300px;height:200px' onclick='0'>Go</div>").await;
        let picture = || async { rig.page.screenshot(&Default::default()).await.unwrap().bytes };
        let before = picture().await;
        let page = rig.page.clone();
        let clicks = tokio::spawn(async move {
            for _ in 0..4 {
                page.click(&"Go".into(), &Default::default()).await.unwrap();
            }
        });
        let mut seen = false;
        while !clicks.is_finished() {
            seen |= picture().await != before;
        }
        clicks.await.unwrap();
        assert_eq!(seen, outlined, "{named}");
        rig.end().await;
        drop(group);
        theirs.wait().await.unwrap();
    }
}

/// Processes that end with the test.
struct Group(rustix::process::Pid);

impl Drop for Group {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process_group(self.0, rustix::process::Signal::KILL);
    }
}

#[tokio::test]
async fn a_configured_profile_is_kept_without_the_session_naming_it() {
    let scratch = Scratch::new("configured");
    let folder = scratch.0.join("p");
    let launch = Launch { user_data_dir: Some(folder.clone()), ..Default::default() };
    let rig = Rig::with(Config { launch, ..Default::default() }, SessionOptions::default()).await;
    assert!(folder.join("Default").exists() || folder.join("Local State").exists());
    rig.end().await;
    assert!(folder.exists());
}

#[tokio::test]
async fn sessions_do_not_share_their_downloads() {
    let site = Site::start(|_| Reply::Full {
        status: "200 OK",
        headers: vec![
            ("Content-Type", "application/octet-stream".into()),
            ("Content-Disposition", "attachment; filename=same.txt".into()),
        ],
        body: b"hello".to_vec(),
    })
    .await;
    let scratch = Scratch::new("downloads");
    let engine = Engine::new(Config { downloads: Some(scratch.0.clone()), ..Default::default() });
    let mut paths = Vec::new();
    for _ in 0..2 {
        let session = engine.session(SessionOptions::default());
        let page = session.page().await.unwrap();
        page.navigate(&site.url("/same"), LONG).await.unwrap();
        let downloads = page.downloads().unwrap();
        assert_eq!(downloads.len(), 1, "{downloads:?}");
        paths.push(downloads[0].path.clone());
    }
    assert_ne!(paths[0].parent(), paths[1].parent());
    assert!(paths.iter().all(|path| path.ends_with("same.txt") && path.starts_with(&scratch.0)));
    engine.close().await;
    assert!(paths.iter().all(|path| path.exists()), "files outlive their session");
}
