//! A world for properties of runs: one Chrome, pages made up for each case, and a host in between that sees
//! every call and may answer in the browser's place.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use legwork_agent::run::Assistant;
use legwork_protocol::{Called, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::Host;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::errand::settings;
use crate::support::{Rig, Site, html};

/// Cases of each property.
pub const CASES: u32 = 100;

/// Names of buttons as they are met. None is part of another.
pub const BUTTONS: &[&str] = &[
    "Add to basket",
    "Save draft",
    "Send message",
    "Log out",
    "Show details",
    "Apply coupon",
    "Start trial",
    "Download report",
    "Mark as read",
    "Follow",
    "Retry payment",
    "Archive thread",
    "Pin note",
    "Share link",
    "Mute channel",
    "Invite teammate",
];

/// Labels of fields as they are met.
pub const FIELDS: &[&str] =
    &["First name", "Last name", "Email", "City", "Phone", "Coupon code", "Company", "Comment"];

/// Colours of things that come in several.
pub const COLOURS: &[&str] = &["red", "blue", "green", "black", "white"];

/// A site whose pages are added as they are needed, and a browser.
pub struct World {
    pub rig: Rig,
    site: Site,
    pages: Arc<Mutex<Vec<String>>>,
}

impl World {
    pub async fn new() -> World {
        let pages: Arc<Mutex<Vec<String>>> = Arc::default();
        let served = pages.clone();
        let site = Site::start(move |path| {
            let number = path.trim_start_matches("/p").parse::<usize>().ok();
            let pages = served.lock().unwrap();
            html(number.and_then(|at| pages.get(at)).map_or("<h1>No such page</h1>", |it| it))
        })
        .await;
        World { rig: Rig::new(), site, pages }
    }

    /// Serves a page and gives its address. Every press of a button is counted and shown.
    pub fn page(&self, body: &str) -> String {
        let script = "<title>A page</title><script>
            const counts = {};
            function hit(name) {
                counts[name] = (counts[name] ?? 0) + 1;
                document.getElementById('log').textContent = 'Pressed ' + JSON.stringify(counts);
            }</script>";
        let mut pages = self.pages.lock().unwrap();
        pages.push(format!("{script}{body}<p id=log role=status>Nothing pressed</p>"));
        format!("{}/p{}", self.site.origin(), pages.len() - 1)
    }

    /// An assistant with a folder of its own, whose calls the watcher sees.
    pub fn assistant(&self, watcher: Watcher) -> (Arc<Assistant>, Arc<Watched>, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let host = Arc::new(Watched {
            host: self.rig.host.clone(),
            calls: AtomicUsize::new(0),
            watcher: Mutex::new(watcher),
        });
        let assistant = Arc::new(Assistant::new(host.clone(), settings(folder.path())).unwrap());
        (assistant, host, folder)
    }

    /// What the page says to a script.
    pub async fn eval(&self, expression: &str) -> Value {
        let reply = self.rig.call("browser_eval", json!({ "expression": expression })).await;
        reply.unwrap().data["value"].clone()
    }

    /// How often a button was pressed.
    pub async fn presses(&self, name: &str) -> u64 {
        self.eval(&format!("counts[{name:?}] ?? 0")).await.as_u64().unwrap()
    }
}

pub fn button(name: &str) -> String {
    format!("<button onclick=\"hit('{name}')\">{name}</button>\n")
}

pub fn field(label: &str) -> String {
    format!("<label>{label} <input></label>\n")
}

/// Sees a call before the browser does; an answer is given in its place.
pub type Watcher = Box<dyn FnMut(&ToolCall, usize) -> Option<Result<Reply, ToolError>> + Send>;

/// A host that is watched.
pub struct Watched {
    host: Arc<Host>,
    calls: AtomicUsize,
    watcher: Mutex<Watcher>,
}

impl ToolHost for Watched {
    fn call(&self, call: ToolCall) -> Called<'_> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let instead = (self.watcher.lock().unwrap())(&call, number);
        match instead {
            Some(answer) => Box::pin(async move { answer }),
            None => self.host.call(call),
        }
    }

    fn end<'a>(
        &'a self,
        session: &'a str,
    ) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        self.host.end(session)
    }
}

/// Nobody watches.
pub fn nobody() -> Watcher {
    Box::new(|_, _| None)
}

/// Checks a property in one browser. What panics fails, and is made smaller a few times.
pub fn holds<S, F>(strategy: S, check: impl Fn(Arc<World>, S::Value) -> F)
where
    S: Strategy,
    S::Value: std::fmt::Debug,
    F: Future<Output = ()>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let world = Arc::new(runtime.block_on(World::new()));
    let config = Config {
        cases: CASES,
        max_shrink_iters: 12,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let seen = AtomicUsize::new(0);
    let result = runner.run(&strategy, |case| {
        seen.fetch_add(1, Ordering::SeqCst);
        runtime.block_on(check(world.clone(), case));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    assert!(seen.load(Ordering::SeqCst) >= CASES as usize);
    runtime.block_on(world.rig.host.close());
}

/// Some of these names, each once, in any order.
pub fn some(
    names: &'static [&'static str],
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<&'static str>> {
    proptest::sample::subsequence(names.to_vec(), count).prop_shuffle()
}

/// A text as people type it.
pub fn typed() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z][a-z]{2,9}",
        "[a-z]{3,8}@example\\.(com|org)",
        "[0-9]{1,6}",
        "[A-Za-zäöüßéñ ]{1,20}".prop_map(|text| format!("x{text}y")),
        Just("O'Brien & Söhne <3".to_owned()),
    ]
}
