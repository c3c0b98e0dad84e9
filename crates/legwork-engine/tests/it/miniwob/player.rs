//! What a player has: the goal, the snapshot's text, and the engine's actions. It cannot run scripts.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use legwork_engine::{
    Acting, Choice, Click, Count, Error, Outcome, Page, Scroll, SnapshotOptions, Target, Verdict,
};

use super::course::Work;
use super::view::{Item, View};

/// How a play ended; the reward is the page's business.
pub type Played = Result<(), String>;

/// One way to solve a task.
pub type Play = fn(Player) -> Work<Played>;

/// What a widget shows only after a while is waited for this long.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct Player {
    pub goal: String,
    page: Page,
    log: Arc<Mutex<Vec<String>>>,
}

impl Player {
    pub fn new(page: Page, goal: String) -> Player {
        Player { goal, page, log: Arc::default() }
    }

    pub async fn look(&self) -> Result<View, String> {
        let snapshot = self.page.snapshot(&SnapshotOptions::default()).await;
        let text = snapshot.map_err(|error| format!("look: {error}"))?.text;
        self.note(format!("look:\n{text}"));
        Ok(View::read(&text))
    }

    /// Clicks; and clicks again when it slid away under the pointer, as a person would.
    pub async fn click(&self, target: &str) -> Played {
        let aim = Target::parse(target);
        let mut outcome = self.page.click(&aim, &Click::default()).await;
        for _ in 0..5 {
            let verdict = outcome.as_ref().map(|outcome| outcome.verdict.clone());
            let Ok(Verdict::Intercepted(receiver)) = verdict else { break };
            self.note(format!("click {target}: {receiver} got it"));
            outcome = self.page.click(&aim, &Click::default()).await;
        }
        self.did("click", target, outcome)
    }

    pub async fn triple_click(&self, target: &Target) -> Played {
        let click = Click { count: Count::Triple, ..Default::default() };
        let outcome = self.page.click(target, &click).await;
        self.did("triple click", &target.to_string(), outcome)
    }

    pub async fn hover(&self, target: &str) -> Played {
        let outcome = self.page.hover(&Target::parse(target), &Acting::default()).await;
        self.did("hover", target, outcome)
    }

    /// Looks until something is there that fits.
    pub async fn find(&self, what: &str, fits: impl Fn(&Item) -> bool) -> Result<Item, String> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(item) = self.look().await?.items.into_iter().find(&fits) {
                return Ok(item);
            }
        }
        Err(format!("no {what} within {PATIENCE:?}"))
    }

    pub async fn fill(&self, target: &str, value: &str) -> Played {
        let outcome = self.page.fill(&Target::parse(target), value, &Acting::default()).await;
        self.did("fill", &format!("{target} with {value:?}"), outcome)
    }

    pub async fn type_text(&self, target: &str, text: &str) -> Played {
        let acting = Acting::default();
        let outcome = self.page.type_text(&Target::parse(target), text, true, &acting).await;
        self.did("type", &format!("{text:?} into {target}"), outcome)
    }

    pub async fn press(&self, target: &str, chord: &str) -> Played {
        let target = Target::parse(target);
        let outcome = self.page.press(Some(&target), chord, &Acting::default()).await;
        self.did("press", &format!("{chord} in {target}"), outcome)
    }

    pub async fn select(&self, target: &str, labels: &[&str]) -> Played {
        let choices: Vec<_> = labels.iter().map(|label| Choice::Label((*label).into())).collect();
        let outcome = self.page.select(&Target::parse(target), &choices, &Acting::default()).await;
        self.did("select", &format!("{labels:?} in {target}"), outcome)
    }

    pub async fn check(&self, target: &str) -> Played {
        let outcome = self.page.check(&Target::parse(target), true, &Acting::default()).await;
        self.did("check", target, outcome)
    }

    pub async fn drag(&self, from: &Target, to: &Target) -> Played {
        let outcome = self.page.drag(from, to, &Acting::default()).await;
        self.did("drag", &format!("{from} onto {to}"), outcome)
    }

    pub async fn scroll(&self, target: &str, scroll: Scroll) -> Played {
        let target = Target::parse(target);
        let outcome = self.page.scroll(Some(&target), scroll, &Acting::default()).await;
        self.did("scroll", &target.to_string(), outcome)
    }

    /// Clicks the control with this name.
    pub async fn click_named(&self, name: &str) -> Played {
        let view = self.look().await?;
        self.click(&view.named(name)?.reference).await
    }

    pub async fn submit(&self) -> Played {
        self.click_named("Submit").await
    }

    /// What was seen and done so far.
    pub fn told(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    fn did(&self, verb: &str, what: &str, outcome: Result<Outcome, Error>) -> Played {
        let outcome =
            outcome.map_err(|error| format!("{verb} {what}: {}: {error}", error.code()))?;
        let Outcome { acted_on, effects, change, verdict, .. } = &outcome;
        let on = acted_on.as_deref().unwrap_or_default();
        self.note(format!("{verb} {what} ({on}): {verdict:?} {effects:?}\n{change}"));
        Ok(())
    }

    fn note(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }
}
