//! The browsers that the table is run in.

use std::sync::Arc;

use legwork_engine::{Config, Engine, Guard, Launch, Session, SessionOptions};

use crate::cases::Chrome;
use crate::forbidden::Names;
use crate::run::Mode;
use crate::tls;

/// A session in a browser of the kind that is asked for.
pub struct Started {
    pub engine: Engine,
    pub session: Session,
    theirs: Option<Theirs>,
    _profile: Option<tempfile::TempDir>,
}

/// WebRTC on loopback is what UDP can be heard by here.
const LOOPBACK: &str = "--allow-loopback-in-peer-connection";
/// Names that a browser without the proxy has to know by itself.
const KNOWN: &str = "--host-resolver-rules=MAP localhost 127.0.0.1,MAP *.localhost 127.0.0.1,\
    MAP [::1] [::1],EXCLUDE 127.0.0.1,EXCLUDE 127.0.0.2,EXCLUDE [::ffff:7f00:2],MAP * 127.0.0.2";
/// Without the proxy a server on this machine is one that pages must not speak to unasked.
const LOCAL: &str = "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebRTC";

impl Started {
    pub async fn new(mode: Mode, chrome: Chrome, rules: Arc<dyn Guard>) -> Started {
        let mut config = Config { resolver: Some(Arc::new(Names)), ..Default::default() };
        let mut theirs = None;
        let mut args = vec![LOOPBACK.to_owned(), tls::trusted()];
        if !mode.is_guarded() {
            args.extend([KNOWN.to_owned(), LOCAL.to_owned()]);
        }
        let full = chrome != Chrome::Shell;
        config.launch = Launch { args, full, ..Default::default() };
        if mode.is_attached() {
            let started = Theirs::start(full).await;
            config.attach = Some(started.address.clone());
            theirs = Some(started);
        }
        let guard = mode.is_guarded().then_some(rules);
        let engine = Engine::new(config);
        let profile = (chrome == Chrome::Profile).then(|| tempfile::tempdir().unwrap());
        let user_data_dir = profile.as_ref().map(|profile| profile.path().to_owned());
        let options = SessionOptions { guard, user_data_dir, ..Default::default() };
        let session = engine.session(options);
        Started { engine, session, theirs, _profile: profile }
    }

    pub async fn end(self) {
        self.session.close().await;
        self.engine.close().await;
        drop(self.theirs);
    }
}

/// A browser that somebody else started.
struct Theirs {
    address: String,
    process: tokio::process::Child,
    group: Option<rustix::process::Pid>,
    _profile: tempfile::TempDir,
}

impl Theirs {
    async fn start(full: bool) -> Theirs {
        use legwork_engine::find::Prefer;
        use tokio::io::{AsyncBufReadExt, BufReader};
        let prefer = if full { Prefer::Full } else { Prefer::HeadlessShell };
        let request = legwork_engine::find::Request { explicit: None, prefer };
        let found =
            legwork_engine::find::find(&request, &legwork_engine::find::HostSystem).unwrap();
        let profile = tempfile::Builder::new().prefix("legwork-theirs-").tempdir().unwrap();
        let mut process = tokio::process::Command::new(found.path)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
            .args([LOOPBACK, KNOWN, &tls::trusted()])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let group = process.id().and_then(|id| rustix::process::Pid::from_raw(id as i32));
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next_line().await.unwrap().expect("it says where it listens");
            if let Some(address) = line.strip_prefix("DevTools listening on ") {
                break address.to_owned();
            }
        };
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Theirs { address, process, group, _profile: profile }
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.process.start_kill();
    }
}
