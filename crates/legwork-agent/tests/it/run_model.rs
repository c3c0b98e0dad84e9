//! Runs with a model: what is not exact is thought of, what fails directly is tried otherwise, and an
//! interrupted thought goes on. In a real Chrome, with a model by script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use legwork_agent::model::{Abilities, Answer, Asking, Heard, Model, Request};
use legwork_agent::run::{Assistant, Settings};
use legwork_protocol::assistant::{Click, Extract, Reaction, RunStatus, Work};
use serde_json::json;
use tokio::sync::Notify;

use crate::errand::{asked, chain, click, execute, extract, open, outcome, reply_to, settings};
use crate::scripted::{Scripted, call, done};
use crate::support::{Rig, Site, html};

const PAGE: &str = "<title>Counter</title><p id=log role=status>Nothing yet</p>
    <button onclick=\"log.textContent = 'Saved ' + (this.n = (this.n ?? 0) + 1)\">Save</button>";

fn thoughtful(rig: &Rig, model: Arc<dyn Model>) -> Assistant {
    let with = Settings { model: Some(model), ..settings(rig.folder.path()) };
    Assistant::new(rig.host.clone(), with).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_exact_or_fails_directly_is_done_by_the_model() {
    let site = Site::start(|_| html(PAGE)).await;
    for work in [Work::Click(Click::default()), click("Zebra")] {
        let rig = Rig::new();
        let model = Arc::new(Scripted::says([
            call("browser_click", json!({ "target": "Save" })),
            done("it is saved", "Saved 1"),
        ]));
        let assistant = thoughtful(&rig, model.clone());
        let exact = work.is_exact();
        let tasks = chain(vec![open(site.origin()), work]);
        let run = assistant.start_tasks(execute("s"), tasks, "q").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
        assert!(outcome(&state, 1).contains("it is saved"), "{state:#?}");
        assert_eq!((state.usage.turns, state.usage.input_tokens), (2, 20), "{:?}", state.usage);
        let shown = model.shown();
        assert_eq!(shown.contains("It was tried directly"), exact, "{shown}");
        assert!(shown.contains("Tasks that are over"), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_changed_nothing_is_for_the_model_to_judge() {
    let page = "<p id=log role=status>Nothing yet</p><button>Save</button>
        <button onclick=\"log.textContent = 'Saved'\">Save all</button>";
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    let model = Arc::new(Scripted::says([
        call("browser_click", json!({ "target": "Save all" })),
        done("it is saved", "Saved"),
    ]));
    let assistant = thoughtful(&rig, model.clone());
    let tasks = chain(vec![open(site.origin()), click("button \"Save\"")]);
    let run = assistant.start_tasks(execute("s"), tasks, "q").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    assert!(outcome(&state, 1).contains("it is saved"), "{state:#?}");
    assert!(model.shown().contains("nothing observable changed"), "{}", model.shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_wanted_part_of_an_element_is_found_by_the_model() {
    let site = Site::start(|_| html("<p id=plans>Basic 5, Large 9</p>")).await;
    let rig = Rig::new();
    let model = Arc::new(Scripted::says([done("5 and 9", "Basic 5, Large 9")]));
    let assistant = thoughtful(&rig, model.clone());
    let tasks = chain(vec![open(site.origin()), extract("the prices", "#plans")]);
    let run = assistant.start_tasks(execute("s"), tasks, "q").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert!(outcome(&state, 1).contains("5 and 9"), "{state:#?}");
}

/// Gives these answers, then never answers again.
struct Interrupted {
    answers: Mutex<VecDeque<Answer>>,
    stuck: Notify,
}

impl Interrupted {
    fn after(answers: impl IntoIterator<Item = Answer>) -> Arc<Interrupted> {
        let answers = Mutex::new(answers.into_iter().collect());
        Arc::new(Interrupted { answers, stuck: Notify::new() })
    }
}

impl Model for Interrupted {
    fn name(&self) -> &str {
        "test:interrupted"
    }

    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    fn ask<'a>(&'a self, _: &'a Request, _: &'a Heard) -> Asking<'a> {
        Box::pin(async move {
            let next = self.answers.lock().unwrap().pop_front();
            if let Some(answer) = next {
                return Ok(answer);
            }
            self.stuck.notify_one();
            std::future::pending().await
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_while_its_model_thinks_ends_at_once() {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    let model = Interrupted::after([call("browser_click", json!({ "target": "Save" }))]);
    let assistant = thoughtful(&rig, model.clone());
    let tasks = chain(vec![open(site.origin()), Work::Click(Click::default())]);
    let run = assistant.start_tasks(execute("default"), tasks, "q").unwrap();
    model.stuck.notified().await;
    assistant.stop(&run).unwrap();
    let over = tokio::time::timeout(Duration::from_secs(5), assistant.wait(&run)).await;
    assert_eq!(over.unwrap().unwrap().status, RunStatus::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_thought_goes_on_with_what_it_had_done() {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    let question = json!({ "type": "custom", "message": "As a draft?" });
    let first = Interrupted::after([
        call("note", json!({ "text": "there is one button" })),
        call("request_assistance", question),
        call("browser_click", json!({ "target": "Save" })),
    ]);
    let assistant = thoughtful(&rig, first.clone());
    let mut stream = assistant.subscribe();
    let tasks = chain(vec![open(site.origin()), Work::Click(Click::default())]);
    let run = assistant.start_tasks(execute("default"), tasks, "q").unwrap();
    let request = asked(&mut stream).await;
    assistant.answer(reply_to(&request, Reaction::Said("no, for good".into()))).unwrap();
    first.stuck.notified().await;
    drop(assistant);
    let second = Arc::new(Scripted::says([done("it is saved", "Saved 1")]));
    let assistant = thoughtful(&rig, second.clone());
    assistant.resume(&run).unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    let shown = second.shown();
    assert!(shown.contains("clicked button"), "{shown}");
    let told = ["there is one button", "As a draft?", "The person says: no, for good\n"];
    let found: Vec<usize> = told.iter().map(|part| shown.find(part).expect(part)).collect();
    assert!(found.is_sorted(), "{shown}");
    assert_eq!(state.usage.turns, 4, "what was spent before counts");
    let seen = rig.call("browser_snapshot", json!({})).await.unwrap();
    assert!(seen.text.contains("Saved 1"), "pressed once: {}", seen.text);
}

/// The model is asked once and answers only when the person has spoken.
fn overhearing(go: mpsc::Receiver<()>, begun: mpsc::Sender<()>) -> Arc<Scripted> {
    let (mut turn, go) = (0, Mutex::new(go));
    Arc::new(Scripted::by(move |_| {
        turn += 1;
        if turn == 1 {
            begun.send(()).unwrap();
            go.lock().unwrap().recv_timeout(Duration::from_secs(20)).unwrap();
            return Ok(call("browser_snapshot", json!({})));
        }
        Ok(done("on Monday", "Nothing yet"))
    }))
}

/// Also of Property 12: what is said while a model works at one task changes the exact ones that follow.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_while_a_model_thinks_changes_the_tasks_that_follow() {
    let press =
        |name: &str| format!("<button onclick=\"log.textContent += ' {name}'\">{name}</button>");
    let page = format!("<p id=log role=status>Nothing yet</p>{}{}", press("Order"), press("Keep"));
    let site = Site::start(move |_| html(&page)).await;
    for (said, pressed, told) in [
        ("do not click Order", "", true),
        ("skip Order", "", true),
        ("use Keep instead of Order", " Keep", true),
        ("click Keep instead", " Keep", true),
        // The model need not do what has become a task.
        ("also click Keep", " Order Keep", false),
        ("the second one", " Order", true),
    ] {
        let rig = Rig::new();
        let ((go, wait), (begins, begun)) = (mpsc::channel(), mpsc::channel());
        let model = overhearing(wait, begins);
        let assistant = thoughtful(&rig, model.clone());
        let vague = Work::Extract(Extract { what: Some("the date".into()), ..Default::default() });
        let mut tasks = chain(vec![open(site.origin()), vague, click("Order")]);
        tasks[2].description = "click Order".into();
        let run = assistant.start_tasks(execute("default"), tasks, "q").unwrap();
        begun.recv_timeout(Duration::from_secs(20)).unwrap();
        assistant.remark(&run, said).unwrap();
        go.send(()).unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, RunStatus::Completed, "{said}: {state:#?}");
        let seen = rig.call("browser_eval", json!({ "expression": "log.textContent" })).await;
        let seen = seen.unwrap().text;
        assert!(seen.contains(&format!("Nothing yet{pressed}\"")), "{said}: {seen}");
        let heard = model.shown().contains(&format!("The person says: {said}"));
        assert_eq!(heard, told, "{said}: {}", model.shown());
    }
}
