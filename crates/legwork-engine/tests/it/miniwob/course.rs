//! The MiniWoB++ pages on a loopback server, and the episodes played on them. Knows nothing of how a
//! task is solved.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_engine::{Condition, Config, Engine, Page, SessionOptions};

use crate::support::Site;

/// The pages, and the browser they are tried in.
pub struct Course {
    pub site: Site,
    root: PathBuf,
    engine: Engine,
}

/// How many tabs work at once.
const TABS: usize = 3;

/// Loading, starting and asking an episode each take this long at most.
pub const PATIENCE: Duration = Duration::from_secs(15);

pub type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

impl Course {
    pub async fn open() -> Arc<Course> {
        let root = root();
        let site = Site::folder(root.clone()).await;
        Arc::new(Course { site, root, engine: Engine::new(Config::default()) })
    }

    /// The names of all tasks: `click-test`, `flight/AA`.
    pub fn tasks(&self) -> Vec<String> {
        let names = |folder: &str| -> Vec<String> {
            let entries = std::fs::read_dir(self.root.join(folder)).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let small = names("miniwob").into_iter();
        let small = small.filter_map(|name| name.strip_suffix(".html").map(str::to_owned));
        let flights = names("flight").into_iter().map(|name| format!("flight/{name}"));
        let flights = flights.filter(|name| self.root.join(name).join("wrapper.html").exists());
        let mut tasks: Vec<String> = small.chain(flights).collect();
        tasks.sort();
        tasks
    }

    /// The pages that the flight tasks show in a frame, as pages of their own.
    pub fn framed(&self) -> Vec<String> {
        let flights = self.tasks().into_iter().filter(|task| task.starts_with("flight/"));
        let pages = flights
            .flat_map(|task| ["index", "original"].map(|page| format!("{task}/{page}.html")));
        pages.filter(|page| self.root.join(page).exists()).collect()
    }

    pub fn url(&self, task: &str) -> String {
        match task.strip_prefix("flight/") {
            Some(_) => self.site.url(&format!("{task}/wrapper.html")),
            None => self.site.url(&format!("miniwob/{task}.html")),
        }
    }

    /// Gives each item to the next free tab and gathers what comes of it, in the items' order.
    pub async fn each<I, T>(
        self: &Arc<Self>,
        items: Vec<I>,
        work: impl Fn(Arc<Course>, Page, I) -> Work<T> + Clone + Send + Sync + 'static,
    ) -> Vec<T>
    where
        I: Send + 'static,
        T: Send + 'static,
    {
        let queue = Arc::new(Mutex::new(items.into_iter().enumerate()));
        let mut tabs = tokio::task::JoinSet::new();
        for _ in 0..TABS {
            let (course, queue, work) = (self.clone(), queue.clone(), work.clone());
            tabs.spawn(async move {
                let session = course.engine.session(SessionOptions::default());
                let mut done = Vec::new();
                loop {
                    let next = queue.lock().unwrap().next();
                    let Some((place, item)) = next else { break };
                    let page = session.page().await.unwrap();
                    done.push((place, work(course.clone(), page, item).await));
                }
                session.close().await;
                done
            });
        }
        let mut all: Vec<(usize, T)> = tabs.join_all().await.into_iter().flatten().collect();
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, result)| result).collect()
    }

    pub async fn close(&self) {
        self.engine.close().await;
    }
}

/// One task with one seed, under way in a page.
pub struct Episode {
    pub page: Page,
    pub goal: String,
}

/// Some tasks tell their goal together with what was drawn for it.
const GOAL: &str = "(told => told.utterance ?? told)(core.getUtterance())";

impl Episode {
    pub async fn start(page: Page, url: &str, seed: u32) -> Result<Episode, String> {
        let told = |error: legwork_engine::Error| format!("starting: {error}");
        page.navigate(url, PATIENCE).await.map_err(told)?;
        let start = format!(
            "Math.seedrandom('{seed}'); core.EPISODE_MAX_TIME = 1e6; core.startEpisodeReal()"
        );
        page.evaluate(&start, Default::default()).await.map_err(told)?;
        let ready = Condition::Predicate("WOB_TASK_READY".into());
        page.wait(&ready, PATIENCE).await.map_err(told)?;
        let goal = page.evaluate(GOAL, Default::default()).await.map_err(told)?;
        let goal: String = serde_json::from_str(&goal).map_err(|error| error.to_string())?;
        Ok(Episode { page, goal })
    }

    /// The reward as the page itself computed it, with its reason.
    pub async fn reward(&self) -> Result<(f64, String), String> {
        let ask = "[WOB_RAW_REWARD_GLOBAL, String(WOB_REWARD_REASON), WOB_DONE_GLOBAL]";
        let told = self.page.evaluate(ask, Default::default()).await.map_err(|e| e.to_string())?;
        let (reward, reason, done): (f64, String, bool) =
            serde_json::from_str(&told).map_err(|error| format!("{error}: {told}"))?;
        Ok((reward, if done { reason } else { "not done".into() }))
    }
}

fn root() -> PathBuf {
    let root = match std::env::var_os("LEGWORK_MINIWOB") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/miniwob/miniwob/html"),
    };
    assert!(
        root.join("miniwob/click-test.html").exists(),
        "the MiniWoB++ pages are not in {}: run scripts/setup --tests",
        root.display()
    );
    root
}
