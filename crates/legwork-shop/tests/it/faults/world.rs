//! What a run needs: the store, a browser, a list in a file and its book; and what is held against them.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use legwork_demo::{Faults, Harm, Options, Store, USERNAME};
use legwork_protocol::Warden;
use legwork_shop::errand::Budget;
use legwork_shop::item::{Item, ItemId, Retry, Status};
use legwork_shop::list::{ListError, Listed, Mark, ShoppingListProvider, YamlList};
use legwork_shop::shopper::Embedded;
use legwork_shop::sign_in::Credentials;
use legwork_shop::site::{Phase, Site};
use legwork_shop::summary::Summary;
use legwork_shop::trip::{Settings, Trip};
use legwork_tools::{Files, Host, Rules};
use tempfile::TempDir;

use super::case::{Case, Kind, Step};
use super::patience::Timed;

const LIST: &str = "# for the weekend\n- 2x 2% milk 1 L\n- peanut butter\n- 3 lemons\n";

/// What is right in the end.
const RIGHT: [(&str, &str, u32); 3] = [
    ("2x 2% milk 1 L", "meadowbrook-2-milk-1-l", 2),
    ("peanut butter", "nutty-fox-smooth-peanut-butter-1-kg", 1),
    ("3 lemons", "farm-stand-lemon-each", 3),
];

/// How often a trip without a fault is made until all is done. One should do.
const REPAIRS: usize = 2;

pub struct World {
    store: Store,
    site: Arc<Site>,
    host: Host,
    timed: Timed,
    _files: TempDir,
}

/// How a run went.
pub enum Tried {
    /// Its fault came about, and all was right in the end.
    Ok(String),
    /// Its fault did not come about, so that nothing was tried.
    Missed(String),
    /// Something was wrong.
    Wrong(String),
    /// The machine does not let this fault be made.
    Impossible(&'static str),
}

impl World {
    pub async fn open() -> World {
        let store = Store::start(Options::default()).await.unwrap();
        let site = Arc::new(Site::parse(&store.site_toml()).unwrap());
        let files = tempfile::tempdir().unwrap();
        let host = browser(&site, files.path());
        let timed = Timed::new(host.clone());
        World { store, site, host, timed, _files: files }
    }

    pub async fn close(self) {
        self.host.close().await;
    }

    /// Makes a trip with a fault, then one without, and looks at list and cart after each.
    pub async fn try_out(&mut self, case: Case) -> Tried {
        self.store.reset();
        self.store.expire();
        self.timed.take_slow();
        let Some(folder) = Home::new(matches!(case.kind, Kind::DiskFull)) else {
            return Tried::Impossible("no small disk can be made here");
        };
        let (hit, first) = self.broken(case, &folder).await;
        let forms = self.store.count("POST", "/sign-in");
        // Once at the beginning; whoever meets the end of that waits for one who signs in for all.
        if matches!(case.kind, Kind::Shop(_, Harm::SignedOut)) && forms > 2 {
            return Tried::Wrong(format!("the form was sent {forms} times; {first}"));
        }
        match self.mended(case, &folder, first).await {
            Err(why) => Tried::Wrong(why),
            Ok(told) if hit => Tried::Ok(told),
            Ok(told) => Tried::Missed(told),
        }
    }

    /// What the trips after a fault say, if they make everything right.
    async fn mended(&self, case: Case, folder: &Home, first: String) -> Result<String, String> {
        self.store.break_down(Faults::default());
        folder.make_room();
        self.compare(&folder.list, false)
            .map_err(|why| format!("after the fault: {why}; {first}"))?;
        let mut told = first;
        for _ in 0..REPAIRS {
            if folder.open().await == 0 {
                break;
            }
            let list = Arc::new(YamlList::open(&folder.list).unwrap());
            let trip = trip(self.timed.clone(), &self.site, list, folder, case.lanes);
            told += &format!(" | {}", said(trip.run().await.map_err(|error| error.to_string())));
            self.compare(&folder.list, false).map_err(|why| format!("{why}; {told}"))?;
        }
        self.compare(&folder.list, true).map_err(|why| format!("in the end {why}; {told}"))?;
        match self.timed.take_slow() {
            slow if slow.is_empty() => Ok(told),
            slow => Err(format!("calls had no answer: {}; {told}", slow.join(", "))),
        }
    }

    /// The trip with the fault: whether it came about, and what was said in the end.
    async fn broken(&self, case: Case, home: &Home) -> (bool, String) {
        let list = Arc::new(YamlList::open(&home.list).unwrap());
        let trip = |list| trip(self.timed.clone(), &self.site, list, home, case.lanes);
        let run = async |list| said(trip(list).run().await.map_err(|error| error.to_string()));
        match case.kind {
            Kind::Shop(step, harm) => {
                let all = self.plan(step, harm);
                let told = run(list).await;
                (self.store.faults_done() == all, told)
            }
            Kind::Browser(step, effect) => {
                let all = self.plan(step, Harm::Hangs(effect));
                let kill = async {
                    self.held(all).await;
                    kill_browser(std::process::id());
                    // Whoever is left waits for nothing any more.
                    std::future::pending::<()>().await
                };
                let told = tokio::select! { told = run(list) => told, () = kill => unreachable!() };
                (self.store.faults_done() == all, told)
            }
            Kind::Program(step, effect) => {
                let all = self.plan(step, Harm::Hangs(effect));
                self.killed(home, case.lanes, all).await
            }
            Kind::Mark(nth) => {
                let list = Arc::new(Full { list, nth, marks: AtomicU32::new(0) });
                let told = run(list.clone()).await;
                (list.marks.load(Ordering::SeqCst) >= nth, told)
            }
            Kind::DiskFull => {
                home.fill();
                let told = run(list).await;
                (told.contains("could not be told"), told)
            }
        }
    }

    /// From now on the shop does this to this request; how many faults that takes.
    fn plan(&self, step: Step, harm: Harm) -> usize {
        let faults = step.faults(harm);
        let all = faults.0.len();
        self.store.break_down(faults);
        all
    }

    /// Waits until the shop has the request that it keeps.
    async fn held(&self, all: usize) {
        let mut often = tokio::time::interval(Duration::from_millis(10));
        while self.store.faults_done() < all {
            often.tick().await;
        }
    }

    /// Starts the trip as a program of its own and kills it when the shop has the request.
    async fn killed(&self, home: &Home, lanes: usize, all: usize) -> (bool, String) {
        let site = home.folder.path().join("site.toml");
        std::fs::write(&site, self.store.site_toml()).unwrap();
        let mut program = tokio::process::Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "faults::a_program_to_be_killed", "--nocapture"])
            .env("FAULT_SITE", &site)
            .env("FAULT_LIST", &home.list)
            .env("FAULT_FOLDER", home.folder.path())
            .env("FAULT_LANES", lanes.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let ended = tokio::select! {
            ended = program.wait() => Some(ended.unwrap()),
            () = self.held(all) => None,
        };
        match ended {
            Some(ended) => (false, format!("it ended before: {ended}")),
            None => {
                program.kill().await.unwrap();
                (true, "killed".into())
            }
        }
    }

    /// Holds the list and the cart against what is right. What the list calls done has to be there, and
    /// nothing more than was asked for; in the end everything is done.
    fn compare(&self, list: &Path, in_the_end: bool) -> Result<(), String> {
        let cart = self.store.cart(USERNAME);
        let list = YamlList::open(list).unwrap().items().unwrap();
        for (name, product, quantity) in RIGHT {
            let there = cart.get(product).copied().unwrap_or(0);
            let item =
                list.iter().find(|item| item.name == name).ok_or(format!("{name} is lost"))?;
            let done = item.status == Status::Completed;
            if there > quantity || (done || in_the_end) && there != quantity {
                return Err(format!("the cart has {there} of {product}, not {quantity}"));
            }
            if done && !item.tags.is_empty() {
                return Err(format!("the list says that {name} is done, and {}", item.tags));
            }
            if in_the_end && !done {
                return Err(format!("the list does not say that {name} is done"));
            }
        }
        if cart.len() > RIGHT.len() || self.store.reached_checkout() {
            return Err(format!("something else happened: {cart:?}"));
        }
        match self.store.third_party_requests() {
            0 => Ok(()),
            count => Err(format!("{count} requests went to others")),
        }
    }
}

fn browser(site: &Site, files: &Path) -> Host {
    let rules = Arc::new(Rules::parse(&site.policy(Phase::Shopping)).unwrap());
    let files = Files::in_folder(files);
    Host::new(legwork_tools::Settings { files, rules, ..legwork_tools::Settings::default() })
}

fn trip(
    host: impl Warden + 'static,
    site: &Arc<Site>,
    list: Arc<dyn ShoppingListProvider>,
    home: &Home,
    lanes: usize,
) -> Trip {
    Trip {
        host: Arc::new(host),
        site: site.clone(),
        list,
        shopper: Arc::new(Embedded::default()),
        door: Some(Arc::new(Credentials)),
        person: None,
        watch: Arc::new(|news| {
            if std::env::var_os("FAULT_NEWS").is_some() {
                eprintln!("{news:?}");
            }
        }),
        settings: Settings {
            retry: Retry::Again,
            concurrency: NonZeroUsize::new(lanes).unwrap(),
            budget: Budget { time: Duration::from_secs(25), turns: 40 },
            folder: home.folder.path().to_owned(),
            list: "list".into(),
            picture: None,
        },
    }
}

fn said(run: Result<Summary, String>) -> String {
    let summary = match run {
        Ok(summary) => summary,
        Err(error) => return error,
    };
    let Summary { added, not_found, failed, resumed, notes, .. } = &summary;
    let mut text = format!("{} added", added.len() + resumed.len());
    let failed = failed.iter().map(|one| format!("{} failed: {}", one.item, one.error));
    let not_found = not_found.iter().map(|one| format!("{} not found: {}", one.item, one.reason));
    let notes = notes.iter().map(|note| format!("{}: {}", note.about, note.text));
    for line in failed.chain(not_found).chain(notes) {
        text += &format!("; {}", line.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    text
}

/// The program that is killed.
pub async fn be_the_program() {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(site), Some(list), Some(folder)) =
        (variable("FAULT_SITE"), variable("FAULT_LIST"), variable("FAULT_FOLDER"))
    else {
        return;
    };
    let lanes = std::env::var("FAULT_LANES").unwrap().parse().unwrap();
    let site = Arc::new(Site::open(&site).unwrap());
    let files = tempfile::tempdir().unwrap();
    let host = browser(&site, files.path());
    let opened = Arc::new(YamlList::open(&list).unwrap());
    let mut trip = trip(host.clone(), &site, opened, &Home::new(false).unwrap(), lanes);
    trip.settings.folder = folder;
    trip.run().await.unwrap();
    host.close().await;
}

/// Kills the browsers that a process started, by their numbers: each is below a shell that cleans up after it,
/// and may have a shell of its own.
fn kill_browser(parent: u32) {
    let mut below: Vec<u32> = children(parent).into_iter().flat_map(children).collect();
    let mut at = 0;
    while at < below.len() {
        below.extend(children(below[at]));
        at += 1;
    }
    for process in below {
        // One that has ended with its parent is as good as killed.
        let _ = std::process::Command::new("kill")
            .args(["-9", &process.to_string()])
            .stderr(Stdio::null())
            .status();
    }
}

fn children(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |number: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        after_name.split(' ').nth(1) == Some(&parent.to_string())
    };
    numbers.filter(is_child).collect()
}

/// Where the list and its book are. The list may be on a disk of its own that is very small.
struct Home {
    folder: TempDir,
    list: PathBuf,
    disk: Option<PathBuf>,
}

impl Home {
    /// A new one; `None` if a small disk is wanted and cannot be made.
    fn new(small: bool) -> Option<Home> {
        let folder = tempfile::tempdir().unwrap();
        let mut place = folder.path().to_owned();
        let mut disk = None;
        if small {
            place = folder.path().join("disk");
            std::fs::create_dir(&place).unwrap();
            let mount = std::process::Command::new("mount")
                .args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"])
                .arg(&place)
                .stderr(Stdio::null())
                .status();
            if !mount.is_ok_and(|status| status.success()) {
                return None;
            }
            disk = Some(place.clone());
        }
        let list = place.join("list.yaml");
        std::fs::write(&list, LIST).unwrap();
        Some(Home { folder, list, disk })
    }

    /// How many items are open.
    async fn open(&self) -> usize {
        let list = YamlList::open(&self.list).unwrap();
        list.get_uncompleted_items().await.unwrap().len()
    }

    /// Fills the disk.
    fn fill(&self) {
        let Some(disk) = &self.disk else { return };
        while std::fs::write(
            disk.join(format!("{}", std::fs::read_dir(disk).unwrap().count())),
            [1; 4096],
        )
        .is_ok()
        {}
    }

    /// Makes room on it again.
    fn make_room(&self) {
        let Some(disk) = &self.disk else { return };
        for entry in std::fs::read_dir(disk).unwrap().flatten() {
            if entry.path() != self.list {
                std::fs::remove_file(entry.path()).unwrap();
            }
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(disk) = &self.disk {
            let _ = std::process::Command::new("umount").arg(disk).status();
        }
    }
}

/// A list that does not take some marks.
struct Full {
    list: Arc<YamlList>,
    nth: u32,
    marks: AtomicU32,
}

impl ShoppingListProvider for Full {
    fn get_uncompleted_items(&self) -> Listed<'_, Vec<Item>> {
        self.list.get_uncompleted_items()
    }

    fn mark<'a>(&'a self, item: &'a ItemId, mark: Mark<'a>) -> Listed<'a, ()> {
        let now = self.marks.fetch_add(1, Ordering::SeqCst) + 1;
        if now == self.nth || now == self.nth + 1 {
            let why = "no space left on device".to_owned();
            let error = ListError::Write { path: "list.yaml".into(), why };
            return Box::pin(std::future::ready(Err(error)));
        }
        self.list.mark(item, mark)
    }

    fn send_summary<'a>(&'a self, summary: &'a Summary) -> Listed<'a, ()> {
        self.list.send_summary(summary)
    }
}
