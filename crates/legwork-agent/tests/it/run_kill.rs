//! A run in a process of its own is killed at random moments of every phase and resumed. The browser and the
//! site live on, and the site counts: whatever was sent was sent once, and the end is the same as without a
//! kill.

mod far;
mod keeper;
mod moment;
mod shop;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::run::{Step, StepState};
use legwork_protocol::assistant::{RunStatus, StateUpdate, Task, TaskStatus};
use legwork_protocol::{ToolCall, find};
use serde_json::{Map, Value};
use tokio::net::UnixListener;
use tokio::process::{Child, Command};

use crate::errand::statuses;
use crate::support::{Rig, Site};
use far::Orders;
use keeper::Keeper;
use moment::{Counts, Dice, Moment};

/// How often a run is killed at the least.
const KILLS: usize = 30;

/// Runs after which it is clear that some phase is never hit.
const MOST: usize = 90;

fn start(orders: &Orders) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "run_kill::far::the_process_that_runs", "--ignored", "--nocapture"])
        .env("LEGWORK_ORDERS", serde_json::to_string(orders).unwrap())
        .stdout(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// A run as a killed process left it.
struct Left {
    moment: Moment,
    state: Option<StateUpdate>,
    steps: usize,
}

impl Left {
    fn tasks(&self) -> &[Task] {
        let list = self.state.as_ref().and_then(|state| state.tasks.as_ref());
        list.map(|list| list.tasks.as_slice()).unwrap_or_default()
    }

    /// The question that was open.
    fn open(&self) -> Option<&str> {
        let asked = self.state.as_ref().and_then(|state| state.assistance.as_ref());
        asked.map(|request| request.message.as_str())
    }
}

struct Ended {
    sent: Vec<String>,
    page: Value,
    past: Vec<Task>,
    state: StateUpdate,
    steps: Vec<Step>,
    asked: Vec<String>,
    kills: Vec<Left>,
}

/// Runs the errand once, killed at these moments one after the other, and gives what came of it.
async fn run(keeper: &Arc<Keeper>, socket: &Path, case: &str, moments: &[Moment]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    *keeper.case.lock().unwrap() = (case.to_owned(), folder.path().to_owned());
    keeper.asked.lock().unwrap().clear();
    let orders = Orders {
        socket: socket.to_owned(),
        folder: folder.path().to_owned(),
        session: case.to_owned(),
        instruction: shop::instruction(&keeper.site.origin(), case),
    };
    let mut kills = Vec::new();
    for moment in moments.iter().copied().map(Some).chain([None]) {
        let kill = keeper.expect(moment);
        let mut child = start(&orders);
        let over = tokio::select! {
            status = child.wait() => Some(status.unwrap()),
            () = kill.notified() => None,
            () = tokio::time::sleep(Duration::from_secs(60)) => panic!("{case} does not end, {moments:?}"),
        };
        match (over, moment) {
            (None, Some(moment)) => {
                child.kill().await.unwrap();
                let (state, steps) = (keeper.state(), keeper.steps().len());
                kills.push(Left { moment, state, steps });
            }
            (status, _) => {
                assert!(status.is_some_and(|status| status.success()), "{case}, {moments:?}");
                break;
            }
        }
        // Killed after its last step: nothing is left to be resumed.
        if keeper.state().is_some_and(|state| state.status == RunStatus::Completed) {
            break;
        }
    }
    let look = ToolCall::new(case, "browser_snapshot", Map::new());
    let page = keeper.host.call(look).await.unwrap().data["page"].clone();
    let past = keeper.past().await;
    keeper.host.end(case).await;
    let (state, sent) = (keeper.state().unwrap(), shop::sent(&keeper.site, case));
    let asked = keeper.asked.lock().unwrap().clone();
    Ended { sent, page, past, state, steps: keeper.steps(), asked, kills }
}

impl Ended {
    /// For a person who reads why it failed.
    fn told(&self) -> String {
        let line = |step: &Step| {
            let first = step.told.lines().next().unwrap_or_default();
            let arguments = Value::from(step.arguments.clone());
            let Step { number, task, tool, state, .. } = step;
            format!("{number} {task} {tool} {arguments} {state:?}: {first}\n")
        };
        let steps: String = self.steps.iter().map(line).collect();
        let kill = |left: &Left| format!("{:?} after step {}\n", left.moment, left.steps);
        let kills: String = self.kills.iter().map(kill).collect();
        format!("{kills}{steps}asked: {:?}\n{:#?}", self.asked, self.state.finished)
    }

    /// It ended as the one that was not killed.
    fn is_as(&self, whole: &Ended, about: &str) {
        assert_eq!(self.sent, whole.sent, "what was sent, {about}");
        assert_eq!(self.page, whole.page, "the page, {about}");
        assert_eq!(self.state.status, RunStatus::Completed, "{about}");
        assert_eq!(statuses(&self.state), statuses(&whole.state), "{about}");
        let results = |ended: &Ended| ended.state.finished.as_ref().unwrap().results.clone();
        assert_eq!(results(self), results(whole), "what was read, {about}");
        let tasks = self.state.tasks.as_ref().map(|list| &list.tasks);
        assert_eq!(Some(&self.past), tasks, "what is remembered, {about}");
    }

    /// After each kill it went on from where it was: the tasks are the same, of those that were completed
    /// nothing was done again, and of the others no call that had been answered.
    fn goes_on(&self, about: &str) {
        let list = self.state.tasks.as_ref().unwrap();
        for left in &self.kills {
            let was = left.state.as_ref().and_then(|state| state.tasks.as_ref());
            assert!(was.is_none_or(|was| was.id == list.id), "understood twice, {about}");
            for task in left.tasks().iter().filter(|it| it.status == TaskStatus::Completed) {
                assert!(list.tasks.contains(task), "{task:?} was not kept, {about}");
                let again = self.steps[left.steps..].iter().find(|step| step.task == task.id);
                assert!(again.is_none(), "{again:?} was done for what was completed, {about}");
            }
        }
        let looks = |step: &&Step| find(&step.tool).unwrap().hints_of(&step.arguments).read_only;
        let mut done = BTreeSet::new();
        for step in self.steps.iter().filter(|it| it.state == StepState::Done && !looks(it)) {
            let call =
                format!("{} {} {}", step.task, step.tool, Value::from(step.arguments.clone()));
            assert!(done.insert(call.clone()), "{call} was done twice, {about}");
        }
    }

    /// What was answered is not asked again, and about what may have been done once for each kill at most.
    fn asks_no_more(&self, about: &str) {
        for question in shop::QUESTIONS {
            let asked = self.asked.iter().filter(|it| *it == question).count();
            let open = self.kills.iter().filter(|left| left.open() == Some(question)).count();
            assert!((1..=1 + open).contains(&asked), "{question} was asked {asked} times, {about}");
        }
        let unsure = self.asked.iter().filter(|it| !shop::QUESTIONS.contains(&it.as_str())).count();
        assert!(unsure <= self.kills.len(), "asked {unsure} times whether it was done, {about}");
    }
}

/// The run that nobody kills, and how many events it has in each phase.
async fn whole(keeper: &Arc<Keeper>, socket: &Path) -> (Ended, Counts) {
    let whole = run(keeper, socket, "whole", &[]).await;
    let told = whole.told();
    assert_eq!(whole.state.status, RunStatus::Completed, "{told}");
    let paths: Vec<&str> = whole.sent.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(paths, shop::SENT.map(|(path, ..)| path), "{told}");
    assert_eq!(whole.asked, shop::QUESTIONS, "{told}");
    whole.is_as(&whole, &told);
    whole.goes_on(&told);
    (whole, keeper.seen())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_ends_as_if_it_was_not_killed_and_does_nothing_twice() {
    let site = Arc::new(Site::start(shop::page).await);
    let rig = Rig::new();
    let socket = rig.folder.path().join("socket");
    let keeper = Arc::new(Keeper::new(rig.host.clone(), site));
    let listener = UnixListener::bind(&socket).unwrap();
    let listening = tokio::spawn(keeper.clone().listen(listener));
    let (whole, counts) = whole(&keeper, &socket).await;
    let mut dice = Dice::new();
    println!("LEGWORK_SEED={}; events {counts:?}; sent {:?}", dice.seed, whole.sent);
    let (mut killed, mut runs, mut questions) = (0, 0, 0);
    while killed < KILLS || dice.least() == 0 {
        runs += 1;
        assert!(runs < MOST, "LEGWORK_SEED={}: {killed} kills in {runs} runs", dice.seed);
        let moments: Vec<Moment> = (0..=dice.up_to(2)).map(|_| dice.moment(&counts)).collect();
        let ended = run(&keeper, &socket, &format!("case{runs}"), &moments).await;
        let about = format!("LEGWORK_SEED={} case {runs}\n{}", dice.seed, ended.told());
        ended.is_as(&whole, &about);
        ended.goes_on(&about);
        ended.asks_no_more(&about);
        ended.kills.iter().for_each(|left| dice.hit(left.moment));
        killed += ended.kills.len();
        questions += ended.asked.len() - shop::QUESTIONS.len();
    }
    let hits = dice.hits();
    println!("{killed} kills in {runs} runs: {hits:?}; {questions} more questions to the person");
    listening.abort();
}
