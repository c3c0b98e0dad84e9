//! Recipes on pages nobody here wrote: one episode of a MiniWoB++ task is recorded with the words of its goal
//! as parameters, and replayed on other seeds. The reward is the page's own, and the rate must not fall.

mod tasks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use legwork_agent::recipe::{self, End, Recipe, Wanted};
use serde_json::{Value, json};

use crate::recipe::hands::Palms;
use crate::support::{Rig, Site};
use tasks::{Script, TASKS};

/// Seeds that were not recorded.
const SEEDS: std::ops::Range<u32> = 101..121;

/// Browsers at work at once.
const WORKERS: usize = 2;

/// The least that was ever solved, of all that was tried.
const RECORD: &str = include_str!("miniwob_replay/record.txt");

/// What became of one task.
struct Score {
    task: &'static str,
    solved: usize,
    tried: usize,
    /// Why some were not solved.
    why: Vec<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_episodes_are_replayed_on_other_seeds() {
    let site = Arc::new(pages().await);
    let only = std::env::var("LEGWORK_MINIWOB_TASK").ok();
    let chosen =
        |task: &str| only.as_deref().is_none_or(|only| only.split(',').any(|one| one == task));
    let tasks: Vec<_> = TASKS.iter().filter(|(task, _)| chosen(task)).collect();
    let queue = Arc::new(Mutex::new(tasks.into_iter()));
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..WORKERS {
        let (site, queue) = (site.clone(), queue.clone());
        workers.spawn(async move {
            let mut scores = Vec::new();
            let mut course = Course { site, palms: Palms::new(Rig::new()) };
            loop {
                let next = queue.lock().unwrap().next();
                let Some((task, script)) = next else { return scores };
                scores.push(course.score(task, *script).await);
            }
        });
    }
    let mut scores: Vec<Score> = workers.join_all().await.into_iter().flatten().collect();
    scores.sort_by_key(|score| score.task);
    for Score { task, solved, tried, why } in &scores {
        println!("{task:24} {solved:2} of {tried:2}  {}", why.join("; "));
    }
    let solved: usize = scores.iter().map(|score| score.solved).sum();
    let tried: usize = scores.iter().map(|score| score.tried).sum();
    let rate = solved as f64 / tried.max(1) as f64;
    println!("replayed {solved} of {tried} episodes ({:.1} %)", rate * 100.0);
    let mut recorded = RECORD.split_whitespace();
    let least: f64 = recorded.next().unwrap().parse().unwrap();
    let episodes: usize = recorded.next().unwrap().parse().unwrap();
    if only.is_none() {
        let some = scores.iter().filter(|score| score.tried > 0).count();
        assert!(some >= 20, "only {some} tasks");
        assert!(tried >= episodes, "{episodes} episodes were tried before");
        assert!(rate * 100.0 >= least, "{least} % was solved before");
    }
}

/// The pages, and a browser that plays.
struct Course {
    site: Arc<Site>,
    palms: Palms,
}

impl Course {
    async fn score(&mut self, task: &'static str, script: Script) -> Score {
        let mut score = Score { task, solved: 0, tried: 0, why: Vec::new() };
        let (recipe, names) = match self.record(task, script).await {
            Ok(recorded) => recorded,
            Err(why) => {
                score.tried = SEEDS.len();
                score.why.push(format!("not recorded: {why}"));
                return score;
            }
        };
        for seed in SEEDS {
            let goal = self.start(task, seed).await;
            let Some((values, _)) = script(&goal) else { continue };
            // A goal with more or fewer words is another errand.
            if values.len() != names {
                continue;
            }
            score.tried += 1;
            match self.replay(&recipe, values).await {
                Ok(()) => score.solved += 1,
                Err(why) if score.why.len() < 2 => score.why.push(format!("seed {seed}: {why}")),
                Err(_) => {}
            }
        }
        score
    }

    /// Plays the first seed that the script knows what to do with, and makes a recipe of it.
    async fn record(&mut self, task: &str, script: Script) -> Result<(Recipe, usize), String> {
        let mut last = "the script knows no goal".to_owned();
        for seed in 1..6 {
            let goal = self.start(task, seed).await;
            let Some((values, calls)) = script(&goal) else { continue };
            self.palms.steps.clear();
            for (tool, arguments) in calls {
                let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
                let called =
                    legwork_agent::run::Hands::call(&mut self.palms, tool, arguments).await;
                called.map_err(|error| format!("{goal}: {error}"))?;
            }
            if self.reward().await < 1.0 {
                last = format!("{goal}: no reward");
                continue;
            }
            let wanted = |(name, value): &(String, String)| Wanted::Value {
                name: name.clone(),
                value: value.clone(),
            };
            let wanted: Vec<Wanted> = values.iter().map(wanted).collect();
            let recipe = recipe::from_steps(&self.palms.steps, &wanted)
                .map_err(|error| error.to_string())?;
            let recipe =
                Recipe::parse(&recipe.text().unwrap()).map_err(|error| error.to_string())?;
            return Ok((recipe, values.len()));
        }
        Err(last)
    }

    async fn replay(
        &mut self,
        recipe: &Recipe,
        values: Vec<(String, String)>,
    ) -> Result<(), String> {
        let known = |name: &String| recipe.parameters.iter().any(|one| one.name == *name);
        let values: BTreeMap<String, String> =
            values.into_iter().filter(|(name, _)| known(name)).collect();
        let replayed = recipe::replay(recipe, &values, &mut self.palms, None).await;
        let replayed = replayed.map_err(|error| error.to_string())?;
        if let End::Differs(difference) = &replayed.end {
            return Err(difference.to_string().replace('\n', " ").chars().take(300).collect());
        }
        match (replayed.end, self.reward().await) {
            (End::Finished, reward) if reward >= 1.0 => Ok(()),
            (end, reward) => Err(format!("reward {reward}, {end:?}")),
        }
    }

    /// Starts an episode and gives its goal.
    async fn start(&mut self, task: &str, seed: u32) -> String {
        let url = format!("{}/miniwob/{task}.html", self.site.origin());
        let rig = &self.palms.rig;
        rig.call("browser_navigate", json!({ "url": url, "observe": "none" })).await.unwrap();
        let begin = format!(
            "Math.seedrandom('{seed}'); core.EPISODE_MAX_TIME = 1e6; core.startEpisodeReal()"
        );
        rig.call("browser_eval", json!({ "expression": begin })).await.unwrap();
        let ready = json!({ "expression": "WOB_TASK_READY", "observe": "none" });
        rig.call("browser_wait", ready).await.unwrap();
        let goal = "(told => told.utterance ?? told)(core.getUtterance())";
        self.evaluate(goal).await.as_str().unwrap_or_default().to_owned()
    }

    async fn reward(&self) -> f64 {
        self.evaluate("WOB_RAW_REWARD_GLOBAL").await.as_f64().unwrap_or_default()
    }

    async fn evaluate(&self, expression: &str) -> Value {
        let reply = self.palms.rig.call("browser_eval", json!({ "expression": expression })).await;
        reply.unwrap().data["value"].clone()
    }
}

async fn pages() -> Site {
    let root = match std::env::var_os("LEGWORK_MINIWOB") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/miniwob/miniwob/html"),
    };
    let there = root.join("miniwob/click-test.html").exists();
    assert!(there, "the MiniWoB++ pages are not in {}: run scripts/setup --tests", root.display());
    Site::start(move |path| {
        let name = path.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
        let kind = match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("js") => "Content-Type: text/javascript\r\n",
            Some("css") => "Content-Type: text/css\r\n",
            Some("png") => "Content-Type: image/png\r\n",
            _ => "Content-Type: text/html; charset=utf-8\r\n",
        };
        (kind, std::fs::read(root.join(name)).unwrap_or_default())
    })
    .await
}
