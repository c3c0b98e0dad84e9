//! What a run may cost holds before it is paid, and the time it may take is a deadline. Without a browser: the
//! clock stands still but for what is waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork_agent::model::{
    Abilities, Answer, Asking, Delta, Heard, Model, ModelError, Price, Request, Tokens,
};
use legwork_agent::run::{Assistant, Settings};
use legwork_protocol::assistant::{Budget, Click, Execute, RunStatus, StateUpdate, Task, Work};
use legwork_protocol::{Called, Reply, ToolCall, ToolHost};
use serde_json::json;
use tokio::time::Instant;

use crate::errand::{chain, execute, open, outcome, settings};
use crate::scripted::{call, words};

/// A browser whose tools answer with nothing, all but those that never answer.
#[derive(Default)]
struct Hollow {
    stuck: &'static str,
    calls: AtomicUsize,
}

impl ToolHost for Hollow {
    fn call(&self, call: ToolCall) -> Called<'_> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        match call.tool == self.stuck {
            true => Box::pin(std::future::pending()),
            false => Box::pin(async { Ok(Reply::default()) }),
        }
    }

    fn end<'a>(&'a self, _: &'a str) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {})
    }
}

type Plays = fn(&Request, &Heard) -> Option<Result<Answer, ModelError>>;

/// A model that is counted; what it has no answer to it never answers.
struct Counted {
    asked: AtomicUsize,
    plays: Plays,
}

impl Model for Counted {
    fn name(&self) -> &str {
        "test:counted"
    }

    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    fn price(&self) -> Option<Price> {
        Some(Price { input: 1_000_000, cached: 1_000_000, output: 1_000_000 })
    }

    fn ask<'a>(&'a self, request: &'a Request, heard: &'a Heard) -> Asking<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            match (self.plays)(request, heard) {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        })
    }
}

struct Came {
    state: StateUpdate,
    asked: usize,
    calls: usize,
}

impl Came {
    fn told(&self) -> String {
        assert_eq!(self.state.status, RunStatus::Failed, "{:#?}", self.state);
        format!("{:?}", self.state.finished)
    }
}

/// A run of these tasks; without any the model has to plan.
async fn run(host: Hollow, plays: Plays, budget: Budget, tasks: Vec<Task>) -> Came {
    let folder = tempfile::tempdir().unwrap();
    let (host, model) = (Arc::new(host), Arc::new(Counted { asked: 0.into(), plays }));
    let with = Settings { model: Some(model.clone()), ..settings(folder.path()) };
    let assistant = Assistant::new(host.clone(), with).unwrap();
    let instruction = "find me the nicest of all bicycles".to_owned();
    let execute = Execute { budget: Some(budget), instruction, ..execute("default") };
    let run = match tasks.is_empty() {
        true => assistant.start(execute, "q"),
        false => assistant.start_tasks(execute, tasks, "q"),
    };
    let state = assistant.wait(&run.unwrap()).await.unwrap();
    let count = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
    Came { state, asked: count(&model.asked), calls: count(&host.calls) }
}

fn looks(_: &Request, _: &Heard) -> Option<Result<Answer, ModelError>> {
    Some(Ok(call("browser_snapshot", json!({}))))
}

fn never(_: &Request, _: &Heard) -> Option<Result<Answer, ModelError>> {
    None
}

/// A task that has to be thought of.
fn thought() -> Vec<Task> {
    chain(vec![Work::Click(Click::default())])
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_is_spent_ends_a_run_before_the_model_is_asked_again() {
    let usual = Budget::default();
    // Every answer takes 15 tokens and as many millionths of a dollar.
    for (budget, asked, limit) in [
        (Budget { turns: 0, ..usual }, 0, "0 turns"),
        (Budget { turns: 1, ..usual }, 1, "1 turns"),
        (Budget { turns: 3, ..usual }, 3, "3 turns"),
        (Budget { tokens: 0, ..usual }, 0, "0 tokens"),
        (Budget { tokens: 15, ..usual }, 1, "15 tokens"),
        (Budget { tokens: 16, ..usual }, 2, "16 tokens"),
        (Budget { cost_micros: Some(0), ..usual }, 0, "0.000000 US dollars"),
        (Budget { cost_micros: Some(30), ..usual }, 2, "0.000030 US dollars"),
    ] {
        let came = run(Hollow::default(), looks, budget, thought()).await;
        assert!(came.told().contains(limit), "{limit}: {}", came.told());
        assert_eq!((came.asked, came.state.usage.turns), (asked, asked as u32), "{limit}");
        if budget.turns < usual.turns {
            // Beside four looks at the page, what was paid for is done.
            assert_eq!(came.calls, asked + 4, "{limit}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn planning_is_paid_like_any_answer() {
    let faulty: Plays = |_, _| Some(Ok(words("no plan")));
    let broken: Plays = |request, _| {
        let gone = || ModelError::Key { model: "m".into(), message: "no key".into() };
        Some(if request.turns.len() == 1 { Ok(words("no plan")) } else { Err(gone()) })
    };
    for (plays, turns, asked, paid, says) in [
        (faulty, 0, 0, 0, "0 turns of the model"),
        (faulty, 1, 1, 1, "1 turns of the model"),
        (faulty, 9, 2, 2, "its plan is no plan"),
        (broken, 9, 2, 1, "no key"),
    ] {
        let budget = Budget { turns, ..Budget::default() };
        let came = run(Hollow::default(), plays, budget, Vec::new()).await;
        assert!(came.told().contains(says), "{says}: {}", came.told());
        assert_eq!((came.asked, came.state.usage.turns), (asked, paid), "{says}");
        // The server says nothing of tokens: they are estimated.
        assert_eq!(came.state.usage.input_tokens > 0, paid > 0, "{says}");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_cannot_be_used_are_counted_and_not_asked_for_beyond_the_budget() {
    let wasted: Plays = |_, heard| {
        for _ in 0..2 {
            heard(Delta::Wasted(Tokens { input: 100, cached: 0, output: 20 }));
        }
        heard(Delta::Retrying(Duration::from_secs(1), "malformed".into()));
        None
    };
    let budget = Budget { turns: 2, ..Budget::default() };
    let came = run(Hollow::default(), wasted, budget, thought()).await;
    assert!(came.told().contains("2 turns"), "{}", came.told());
    let usage = came.state.usage;
    assert_eq!((usage.turns, usage.input_tokens, usage.output_tokens), (2, 200, 40));
    assert_eq!(usage.cost_micros, Some(240));
    assert!(usage.elapsed_ms < 1_000, "{usage:?}");
    let garbled: Plays =
        |_, _| Some(Err(ModelError::Garbled { model: "m".into(), message: "cut".into() }));
    let came = run(Hollow::default(), garbled, budget, thought()).await;
    assert_eq!((came.asked, came.state.usage.turns), (2, 2));
    assert!(came.told().contains("2 turns"), "{}", came.told());
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_when_its_time_is_over_whatever_it_waits_for() {
    let budget = Budget { seconds: 2, ..Budget::default() };
    let stuck = |stuck| Hollow { stuck, ..Hollow::default() };
    for (host, tasks) in [
        (stuck(""), Vec::new()),
        (stuck(""), thought()),
        (stuck("browser_snapshot"), thought()),
        (stuck("browser_navigate"), chain(vec![open("http://shop.test/"), open("http://a.test/")])),
    ] {
        let began = Instant::now();
        let came = run(host, never, budget, tasks).await;
        assert!(came.told().contains("2 seconds at work"), "{}", came.told());
        assert_eq!(began.elapsed().as_secs(), 2, "{:#?}", came.state);
        assert!((2_000..2_100).contains(&came.state.usage.elapsed_ms), "{:?}", came.state.usage);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_under_way_when_the_time_was_over_is_told() {
    let budget = Budget { seconds: 2, ..Budget::default() };
    let tasks = chain(vec![open("http://shop.test/"), open("http://a.test/")]);
    let host = Hollow { stuck: "browser_navigate", ..Hollow::default() };
    let came = run(host, never, budget, tasks).await;
    assert!(outcome(&came.state, 0).contains("may have been done in part"), "{:#?}", came.state);
    assert_eq!(outcome(&came.state, 1), "not begun because t1 failed");
}

#[tokio::test(start_paused = true)]
async fn a_request_may_take_no_longer_than_the_run() {
    let hurried: Plays = |request, _| {
        assert!(request.deadline <= Duration::from_secs(2), "{:?}", request.deadline);
        let limit = request.deadline;
        Some(Err(ModelError::TimedOut { model: "m".into(), limit }))
    };
    let budget = Budget { seconds: 2, ..Budget::default() };
    for tasks in [Vec::new(), thought()] {
        let came = run(Hollow::default(), hurried, budget, tasks).await;
        assert!(came.told().contains("no answer within"), "the time was not over: {}", came.told());
        assert_eq!(came.asked, 1);
    }
}
