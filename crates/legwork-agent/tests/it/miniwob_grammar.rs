//! MiniWoB++ with the grammar and no model: each task's own words go in as the instruction, and the page
//! itself says whether they were followed. What is not understood is not solved; nothing here knows a task.
#![allow(clippy::print_stdout, reason = "the number that is solved is what this is for")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_agent::interpret::{Understood, by_grammar};
use legwork_agent::run::{Assistant, Settings};
use legwork_protocol::assistant::{Execute, TaskContext};
use legwork_protocol::{ToolCall, ToolHost};
use serde_json::{Value, json};

use crate::support::{Rig, Site};

/// The tasks that were solved with every seed when this was last written down.
const SOLVED: &str = include_str!("../miniwob-grammar.txt");

const SEEDS: [u32; 3] = [1, 2, 3];

/// How many tabs work at once.
const TABS: usize = 3;

/// Nobody answers here, and a page that does not come is given up.
const NOBODY: Duration = Duration::from_millis(1);
const PATIENCE: Duration = Duration::from_secs(40);

/// Some tasks tell their goal together with what was drawn for it.
const GOAL: &str = "(told => told.utterance ?? told)(core.getUtterance())";

#[tokio::test(flavor = "multi_thread")]
async fn instructions_of_pages_nobody_here_wrote_are_followed_alone() {
    let course = Course::open().await;
    let only = std::env::var("LEGWORK_MINIWOB_TASK").ok();
    let chosen =
        |task: &String| only.as_deref().is_none_or(|only| only.split(',').any(|name| name == task));
    let tasks: Vec<String> = tasks().into_iter().filter(chosen).collect();
    assert!(only.is_some() || tasks.len() >= 130, "{} tasks", tasks.len());
    let mut solved = course.play(&tasks).await;
    let before: Vec<String> =
        SOLVED.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let lost = |solved: &Vec<String>| -> Vec<String> {
        before.iter().filter(|task| chosen(task) && !solved.contains(task)).cloned().collect()
    };
    // Some pages move by the clock, and a busy machine may be late for one: those get a second try.
    let again = lost(&solved);
    if !again.is_empty() {
        println!("once more: {again:?}");
        solved.extend(course.play(&again).await);
    }
    println!("{} of {} tasks are solved by grammar with every seed:", solved.len(), tasks.len());
    println!("{}", solved.join("\n"));
    let lost = lost(&solved);
    assert!(lost.is_empty(), "these were solved before: {lost:?}");
}

struct Course {
    rig: Rig,
    site: Site,
    assistant: Assistant,
}

/// What came of a task with one seed.
struct Game {
    task: String,
    solved: bool,
    told: String,
}

impl Course {
    async fn open() -> Arc<Course> {
        let root = root();
        let site = Site::start(move |path| {
            let path = path.split(['?', '#']).next().unwrap_or_default();
            let body = std::fs::read(root.join(path.trim_start_matches('/'))).unwrap_or_default();
            (kind(path), body)
        });
        let (site, rig) = (site.await, Rig::new());
        let settings = Settings {
            assistance_timeout: Some(NOBODY),
            ..Settings::in_folder(rig.folder.path().join("runs"))
        };
        let assistant = Assistant::new(rig.host.clone(), settings).unwrap();
        Arc::new(Course { rig, site, assistant })
    }

    /// The tasks that are solved with every seed.
    async fn play(self: &Arc<Self>, tasks: &[String]) -> Vec<String> {
        let games = tasks.iter().flat_map(|task| SEEDS.map(|seed| (task.clone(), seed)));
        let queue = Arc::new(Mutex::new(games.collect::<Vec<_>>().into_iter()));
        let mut tabs = tokio::task::JoinSet::new();
        for tab in 0..TABS {
            let (course, queue) = (self.clone(), queue.clone());
            tabs.spawn(async move {
                let mut games = Vec::new();
                loop {
                    let next = queue.lock().unwrap().next();
                    let Some((task, seed)) = next else { return games };
                    games.push(course.game(&format!("tab{tab}"), task, seed).await);
                }
            });
        }
        let games: Vec<Game> = tabs.join_all().await.into_iter().flatten().collect();
        let mut all: BTreeMap<&str, bool> = BTreeMap::new();
        for game in &games {
            *all.entry(&game.task).or_insert(true) &= game.solved;
            if !game.solved {
                println!("{}: {}", game.task, game.told);
            }
        }
        all.into_iter().filter(|(_, solved)| *solved).map(|(task, _)| task.to_owned()).collect()
    }

    async fn game(&self, session: &str, task: String, seed: u32) -> Game {
        let played = tokio::time::timeout(PATIENCE, self.followed(session, &task, seed)).await;
        let told = played.unwrap_or_else(|_| Err("out of time".into()));
        Game { solved: told.is_ok(), told: told.err().unwrap_or_default(), task }
    }

    /// Follows the task's own words; an error says what came of them.
    async fn followed(&self, session: &str, task: &str, seed: u32) -> Result<(), String> {
        let goal = self.start(session, task, seed).await?;
        match by_grammar(&goal, &TaskContext::default()) {
            Understood::Tasks(_) => {}
            Understood::Question(asked) => return Err(format!("{goal} ASKS {}", asked.message)),
            Understood::Beyond { part, .. } => return Err(format!("{goal} BEYOND {part}")),
        }
        let session_id = Some(session.to_owned());
        let execute =
            Execute { instruction: goal.clone(), session_id, plan_first: false, budget: None };
        let run = self.assistant.start(execute, "test").map_err(|error| error.to_string())?;
        let ended = self.assistant.wait(&run).await.map_err(|error| error.to_string())?;
        let ask = "[WOB_RAW_REWARD_GLOBAL, String(WOB_REWARD_REASON), WOB_DONE_GLOBAL]";
        let told = self.eval(session, ask).await?;
        match told.get(0).and_then(Value::as_f64) {
            Some(reward) if reward >= 1.0 => Ok(()),
            _ => {
                let tasks = ended.tasks.map(|list| list.tasks).unwrap_or_default();
                let tasks =
                    tasks.iter().map(|task| format!("{} ({:?})", task.description, task.outcome));
                Err(format!("{goal} EARNS {told}: {}", tasks.collect::<Vec<_>>().join("; ")))
            }
        }
    }

    async fn start(&self, session: &str, task: &str, seed: u32) -> Result<String, String> {
        let url = match task.strip_prefix("flight/") {
            Some(_) => format!("{}/{task}/wrapper.html", self.site.origin()),
            None => format!("{}/miniwob/{task}.html", self.site.origin()),
        };
        self.call(session, "browser_navigate", json!({ "url": url, "observe": "none" })).await?;
        let start = format!(
            "Math.seedrandom('{seed}'); core.EPISODE_MAX_TIME = 1e6; core.startEpisodeReal()"
        );
        self.eval(session, &start).await?;
        let ready = json!({ "expression": "WOB_TASK_READY", "observe": "none" });
        self.call(session, "browser_wait", ready).await?;
        let goal = self.eval(session, GOAL).await?;
        goal.as_str().map(str::to_owned).ok_or_else(|| format!("the goal is {goal}"))
    }

    async fn eval(&self, session: &str, expression: &str) -> Result<Value, String> {
        let reply = self.call(session, "browser_eval", json!({ "expression": expression })).await?;
        Ok(reply.get("value").cloned().unwrap_or_default())
    }

    async fn call(&self, session: &str, tool: &str, arguments: Value) -> Result<Value, String> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let call = ToolCall::new(session, tool, arguments);
        self.rig.host.call(call).await.map(|reply| reply.data).map_err(|error| error.to_string())
    }
}

/// The names of all tasks: `click-test`, `flight/AA`.
fn tasks() -> Vec<String> {
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let small = names("miniwob").into_iter();
    let small = small.filter_map(|name| name.strip_suffix(".html").map(str::to_owned));
    let flights = names("flight").into_iter().map(|name| format!("flight/{name}"));
    let flights = flights.filter(|name| root().join(name).join("wrapper.html").exists());
    let mut tasks: Vec<String> = small.chain(flights).collect();
    tasks.sort();
    tasks
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "Content-Type: text/html\r\n",
        Some("js") => "Content-Type: text/javascript\r\n",
        Some("css") => "Content-Type: text/css\r\n",
        Some("png") => "Content-Type: image/png\r\n",
        Some("svg") => "Content-Type: image/svg+xml\r\n",
        _ => "Content-Type: application/octet-stream\r\n",
    }
}

fn root() -> PathBuf {
    let root = match std::env::var_os("LEGWORK_MINIWOB") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/miniwob/miniwob/html"),
    };
    let there = root.join("miniwob/click-test.html").exists();
    assert!(there, "the MiniWoB++ pages are not in {}: run scripts/setup --tests", root.display());
    root
}
