//! A run from the outside: instruction to end, plans, stops, time-outs, messages, limits. In a real Chrome.

use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork_agent::model::{Abilities, Asking, Heard, Model, Price, Request, Tokens};
use legwork_agent::run::{Assistant, RunError, Settings};
use legwork_protocol::Code;
use legwork_protocol::assistant::{
    AssistanceKind, Budget, Execute, Feedback, GetDom, Message, Payload, Reaction, RunStatus,
    TaskStatus,
};
use serde_json::json;

use crate::errand::{
    asked, assistant, chain, click, execute, open, outcome, read, reply_to, settings, statuses,
    told,
};
use crate::support::{Rig, Site, html};

fn instruction(text: String) -> Execute {
    Execute { instruction: text, ..execute("s") }
}

const PAGE: &str = "<title>Counter</title><p id=log>Nothing yet</p>
    <button onclick=\"log.textContent = 'Saved ' + (this.n = (this.n ?? 0) + 1)\">Save</button>
    <button onclick=\"log.textContent = 'Sent'\">Send</button>";

#[tokio::test(flavor = "multi_thread")]
async fn an_instruction_in_plain_words_is_done_without_a_model() {
    let site = Site::start(|path| match path {
        "/" => html(
            "<form action=/home><label>Email <input name=email></label><button>Log in</button></form>",
        ),
        path => html(&format!("<h1>Dashboard</h1><p>{path}</p>")),
    })
    .await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let words = format!(
        "go to {}, type admin@test.com into Email, press Log in, wait for Dashboard, take a screenshot",
        site.origin()
    );
    let run = assistant.start(instruction(words), "q").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    let finished = state.finished.unwrap();
    assert!(finished.results[0].contains("Screenshot"), "{finished:?}");
    let page = assistant.page("s").await.unwrap();
    assert!(page.url.ends_with("/home?email=admin%40test.com"), "{page:?}");
    let next = assistant.start(instruction("scroll to the bottom".into()), "q2").unwrap();
    let state = assistant.wait(&next).await.unwrap();
    let context = state.tasks.unwrap().context;
    assert_eq!(context.previous_tasks.len(), 5, "the session remembers");
    assert_eq!(context.previous_tasks[2].task.status, TaskStatus::Completed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_says_how_many_tasks_the_session_no_longer_remembers() {
    let site = Site::start(|_| html("<p id=log>Nothing yet</p>")).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut tasks = vec![open(site.origin())];
    tasks.extend((0..51).map(|_| read("#log")));
    let run = assistant.start_tasks(execute("s"), chain(tasks), "q1").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    for (session, remembered, left_out) in [("s", 50, 2), ("other", 0, 0)] {
        let run = assistant.start_tasks(execute(session), chain(vec![open(site.origin())]), "q2");
        let state = assistant.wait(&run.unwrap()).await.unwrap();
        let told = serde_json::to_value(&state).unwrap();
        let context = &told["tasks"]["context"];
        assert_eq!(context["previousTasks"].as_array().unwrap().len(), remembered, "{context}");
        assert_eq!(context["previousTasksLeftOut"], left_out, "{context}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_drops_its_call_at_once_and_says_what_was_not_done() {
    // A server that never answers.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let tasks = chain(vec![open(site.origin()), open(address), click("Save")]);
    let run = assistant.start_tasks(execute("s"), tasks, "q").unwrap();
    let connection = silent.accept().await.unwrap();
    let began = Instant::now();
    assistant.stop(&run).unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(200), "{:?}", began.elapsed());
    drop(connection);
    assert_eq!(state.status, RunStatus::Stopped);
    let finished = state.finished.unwrap();
    assert!(finished.summary.contains("1 of 3"), "{finished:?}");
    assert!(finished.undone[0].contains("under way when it ended"), "{finished:?}");
    assert!(finished.undone[1].contains("not begun"), "{finished:?}");
    assert_eq!(assistant.stop(&run), Err(RunError::Idle(run.clone())));
    assert_eq!(assistant.stop("r0"), Err(RunError::Unknown("r0".into())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_too_quick_for_a_site_waits_and_says_so() {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::with(Default::default());
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut stream = assistant.subscribe();
    let mut tasks = vec![open(site.origin())];
    tasks.extend((0..10).map(|_| click("Save")));
    let run = assistant.start_tasks(execute("s"), chain(tasks), "q").unwrap();
    let waiting = loop {
        let Payload::StateUpdate(state) = stream.recv().await.unwrap().payload else { continue };
        assert!(!state.status.is_final(), "{state:#?}");
        let doing = state.activity.map(|one| one.doing).unwrap_or_default();
        if doing.starts_with("waiting ") {
            break doing;
        }
    };
    assert!(waiting.ends_with(" s: 10 actions a minute on 127.0.0.1"), "{waiting}");
    assistant.stop(&run).unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert!(state.finished.unwrap().summary.contains("10 of 11"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_shown_first_and_begins_when_it_is_agreed_to() {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    for (answer, expected) in [("2", RunStatus::Stopped), ("Go ahead", RunStatus::Completed)] {
        let mut stream = assistant.subscribe();
        let planned = Execute { plan_first: true, ..execute("s") };
        let tasks = chain(vec![open(site.origin()), click("Save")]);
        let run = assistant.start_tasks(planned, tasks, "q").unwrap();
        let request = asked(&mut stream).await;
        assert_eq!(request.choices, ["Go ahead", "Cancel"]);
        let state = assistant.runs().unwrap().remove(0);
        assert_eq!(state.status, RunStatus::Planned);
        assert!(statuses(&state).iter().all(|it| *it == TaskStatus::Pending));
        // What is said of a plan changes it, and it is shown again.
        assistant
            .answer(reply_to(&request, Reaction::Said("Send instead of Save".into())))
            .unwrap();
        let again = asked(&mut stream).await;
        assistant.answer(reply_to(&again, Reaction::Said(answer.into()))).unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, expected, "{state:#?}");
    }
    let page = rig.host.clone();
    let look = legwork_protocol::ToolCall::new("s", "browser_snapshot", Default::default());
    let seen = legwork_protocol::ToolHost::call(page.as_ref(), look).await.unwrap();
    assert!(seen.text.contains("Sent") && !seen.text.contains("Saved"), "{}", seen.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_blue_one_is_asked_about_where_it_may_be_said_of_several_tasks() {
    let names = ["Green hat", "Red shirt", "Blue shirt"];
    let press =
        |name: &&str| format!("<button onclick='document.title += \"{name},\"'>{name}</button>");
    let page: String = names.iter().map(press).collect();
    let site = Site::start(move |_| html(&page)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut stream = assistant.subscribe();
    let planned = Execute { plan_first: true, ..execute("s") };
    let tasks = chain(vec![open(site.origin()), click("Green hat"), click("Red shirt")]);
    let run = assistant.start_tasks(planned, tasks, "q").unwrap();
    for (choices, answer) in [
        (["Go ahead", "Cancel"], "no, the blue one"),
        (["Green hat", "Red shirt"], "the shirt"),
        (["Go ahead", "Cancel"], "1"),
    ] {
        let request = asked(&mut stream).await;
        assert_eq!(request.choices, choices, "{request:?}");
        assistant.answer(reply_to(&request, Reaction::Said(answer.into()))).unwrap();
    }
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    let title = assistant.page("s").await.unwrap().title;
    assert_eq!(title.to_lowercase(), "green hat,blue shirt,");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_nobody_answers_is_put_aside_and_can_be_resumed_by_one_only() {
    let site = Site::start(|_| html("<button>Pick</button><button>Pick</button>")).await;
    let rig = Rig::new();
    let short = Settings {
        assistance_timeout: Some(Duration::from_millis(50)),
        ..settings(rig.folder.path())
    };
    let impatient = Assistant::new(rig.host.clone(), short).unwrap();
    let tasks = chain(vec![open(site.origin()), click("Pick")]);
    let run = impatient.start_tasks(execute("s"), tasks, "q").unwrap();
    let state = impatient.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Waiting);
    let late = state.assistance.unwrap();
    let unasked = impatient.answer(reply_to(&late, Reaction::Done)).unwrap_err();
    assert_eq!(unasked, RunError::Unasked(late.id.clone()));
    // Another assistant goes on with it; while it does, nobody else can.
    let patient = assistant(rig.host.clone(), rig.folder.path());
    let mut stream = patient.subscribe();
    patient.resume(&run).unwrap();
    let request = asked(&mut stream).await;
    let process = std::process::id();
    assert_eq!(impatient.resume(&run), Err(RunError::Held { run: run.clone(), process }));
    patient.answer(reply_to(&request, Reaction::Skip)).unwrap();
    let state = patient.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed);
    assert_eq!(outcome(&state, 1), "left out, as you said");
    assert_eq!(patient.resume(&run), Err(RunError::Completed(run)));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_told_that_a_run_is_put_aside_can_resume_it_at_once() {
    let rig = Rig::new();
    let short = Settings {
        assistance_timeout: Some(Duration::from_millis(20)),
        ..settings(rig.folder.path())
    };
    let assistant = Assistant::new(rig.host.clone(), short).unwrap();
    let mut stream = assistant.subscribe();
    let run_id = assistant.start(instruction("frobnicate the gizmo".into()), "q").unwrap();
    let payload = Payload::UserAssistance(Feedback::Resume { run_id });
    for _ in 0..5 {
        asked(&mut stream).await;
        while !matches!(told(&mut stream).await, Payload::StateUpdate(_)) {}
        assistant.receive(Message { request_id: "q2".into(), payload: payload.clone() }).await;
    }
    asked(&mut stream).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_answered_through_the_stream() {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut stream = assistant.subscribe();
    let send = |request_id: &str, payload: Payload| {
        assistant.receive(Message { request_id: request_id.into(), payload })
    };
    let words = format!("go to {}, press Save", site.origin());
    send("q1", Payload::ExecuteTask(instruction(words))).await;
    let run_id = loop {
        if let Payload::StateUpdate(state) = told(&mut stream).await
            && state.status == RunStatus::Completed
        {
            break state.run_id;
        }
    };
    send("q2", Payload::GetDom(GetDom::Wanted { session_id: "s".into() })).await;
    let Payload::GetDom(GetDom::Page(page)) = told(&mut stream).await else { panic!("a page") };
    assert_eq!(page.title, "Counter");
    let names: Vec<&str> = page.elements.iter().filter_map(|it| it.text.as_deref()).collect();
    assert_eq!(names, ["Save", "Send"]);
    let first = &page.elements[0];
    assert_eq!(first.tag_name, "button");
    assert!(first.visible && first.bounding_box.width > 10.0 && page.viewport.width > 100.0);
    for refused in [
        Payload::UserAssistance(Feedback::Stop { run_id: run_id.clone() }),
        Payload::UserAssistance(Feedback::Remark { run_id: "r0".into(), text: "hm".into() }),
        Payload::ExecuteTask(instruction("  ".into())),
        Payload::GetDom(GetDom::Page(page)),
    ] {
        send("q3", refused).await;
        let Payload::Error(error) = told(&mut stream).await else { panic!("an error") };
        assert!(matches!(error.code, Code::InvalidInput | Code::NotFound), "{error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gone_browser_is_brought_back_or_said_to_be_gone() {
    let site = Site::start(|_| html(&(PAGE.to_owned() + "<i>x</i><button>Save</button>"))).await;
    let rig = Rig::new();
    for acts in [false, true] {
        let assistant = assistant(rig.host.clone(), rig.folder.path());
        let mut stream = assistant.subscribe();
        let mut works = vec![open(site.origin()), click("Save"), click("Send")];
        if acts {
            works.insert(1, click("Send"));
        }
        let run = assistant.start_tasks(execute("s"), chain(works), "q").unwrap();
        asked(&mut stream).await;
        drop((assistant, stream));
        legwork_protocol::ToolHost::end(rig.host.as_ref(), "s").await;
        let assistant = crate::errand::assistant(rig.host.clone(), rig.folder.path());
        let mut stream = assistant.subscribe();
        assistant.resume(&run).unwrap();
        let mut request = asked(&mut stream).await;
        if acts {
            assert!(request.message.contains("browser of this run is gone"), "{request:?}");
            let go_on = Reaction::Said(request.choices[0].clone());
            assistant.answer(reply_to(&request, go_on)).unwrap();
            request = asked(&mut stream).await;
        }
        assert!(request.message.contains("Which one"), "{request:?}");
        assistant.answer(reply_to(&request, Reaction::Said("first".into()))).unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_for_people_is_put_to_the_person_and_looked_at_again() {
    let wall = "<title>Sign in</title><h1>Sign in to continue</h1><form>
        <label>Email <input type=email></label><label>Password <input type=password></label>
        <button>Sign in</button></form>";
    let site = Site::start(move |path| html(if path == "/wall" { wall } else { PAGE })).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut stream = assistant.subscribe();
    let tasks = chain(vec![open(format!("{}/wall", site.origin())), click("Save")]);
    let run = assistant.start_tasks(execute("default"), tasks, "q").unwrap();
    let request = asked(&mut stream).await;
    assert_eq!(request.kind, AssistanceKind::Login, "{request:?}");
    // The person signs in, in the browser.
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    assistant.answer(reply_to(&request, Reaction::Done)).unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
}

/// A model that has nothing to say, and is paid for it.
struct Costly;

impl Model for Costly {
    fn name(&self) -> &str {
        "test:costly"
    }

    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    fn price(&self) -> Option<Price> {
        Some(Price { input: 1_000_000, cached: 100_000, output: 5_000_000 })
    }

    fn ask<'a>(&'a self, _: &'a Request, _: &'a Heard) -> Asking<'a> {
        let usage = Tokens { input: 1_000, cached: 500, output: 100 };
        let text =
            r#"{"tasks": [{"id": "t1", "description": "look", "type": "extract"}]}"#.to_owned();
        let answer = legwork_agent::model::Answer { text, usage, ..Default::default() };
        Box::pin(async move { Ok(answer) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_where_it_may_not_cost_more_and_says_so() {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    let usual = Budget::default();
    for (budget, limit) in [
        (Budget { seconds: 0, ..usual }, "0 seconds at work"),
        (Budget { tokens: 100, ..usual }, "100 tokens"),
        (Budget { turns: 0, ..usual }, "0 turns"),
        (Budget { cost_micros: Some(10), ..usual }, "0.000010 US dollars"),
    ] {
        let with = Settings { model: Some(Arc::new(Costly)), ..settings(rig.folder.path()) };
        let assistant = Assistant::new(rig.host.clone(), with).unwrap();
        let words = match budget.seconds {
            0 => format!("go to {}", site.origin()),
            _ => "find me the nicest of all bicycles".to_owned(),
        };
        let execute = Execute { budget: Some(budget), ..instruction(words) };
        let run = assistant.start(execute, "q").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, RunStatus::Failed, "{state:#?}");
        let all = format!("{:?}", state.finished);
        assert!(all.contains(limit), "{limit}: {all}");
        if budget.cost_micros.is_some() {
            // 500 tokens for 1 dollar a million, 500 for 0.1, 100 for 5.
            let cost = state.usage.cost_micros.unwrap();
            assert!(cost > 0 && cost % 1_050 == 0, "{:?}", state.usage);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_are_over_can_be_deleted_and_those_that_wait_stay() {
    let site = Site::start(|_| html("<button>Pick</button><button>Pick</button>")).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut done = Vec::new();
    for _ in 0..3 {
        let tasks = chain(vec![open(site.origin())]);
        let run = assistant.start_tasks(execute("s"), tasks, "q").unwrap();
        assistant.wait(&run).await.unwrap();
        done.push(run);
    }
    let mut stream = assistant.subscribe();
    let tasks = chain(vec![open(site.origin()), click("Pick")]);
    let waiting = assistant.start_tasks(execute("s"), tasks, "q").unwrap();
    asked(&mut stream).await;
    assert!(matches!(assistant.delete(&waiting), Err(RunError::Held { .. })));
    assistant.delete(&done[2]).unwrap();
    assert_eq!(assistant.delete(&done[2]), Err(RunError::Unknown(done[2].clone())));
    assert_eq!(assistant.steps(&done[2]), Err(RunError::Unknown(done[2].clone())));
    assert_eq!(assistant.prune(2), Ok(1), "the oldest");
    let left = || -> Vec<String> {
        assistant.runs().unwrap().into_iter().map(|state| state.run_id).collect()
    };
    assert_eq!(left(), [waiting.clone(), done[1].clone()]);
    assert!(!assistant.steps(&done[1]).unwrap().is_empty());
    assert_eq!(assistant.prune(0), Ok(1), "what waits for somebody stays");
    assert_eq!(left(), [waiting]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_read_is_the_one_shown_and_not_one_to_choose_from() {
    let page = "<select><option>Small<option>Large</select><h1>Basket</h1>
        <ul><li>Oat milk</li><li>Rice</li></ul>";
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let words = format!("go to {}, read the list", site.origin());
    let run = assistant.start(instruction(words), "q").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    let read = state.finished.unwrap().results.remove(0);
    assert!(
        read.contains("Oat milk") && read.contains("Rice") && !read.contains("Small"),
        "{read}"
    );
}
