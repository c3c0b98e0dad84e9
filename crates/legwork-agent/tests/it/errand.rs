//! Runs in tests: tasks written shortly, an assistant over a real Chrome, and a person who answers.
#![allow(dead_code, reason = "each test uses a part")]

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::run::{Assistant, Settings};
use legwork_protocol::ToolHost;
use legwork_protocol::assistant::{
    AssistanceRequest, Click, Execute, Extract, Feedback, Input, InputValue, Message, Navigate,
    Payload, Reaction, StateUpdate, Task, TaskStatus, UserResponse, Wait, WaitFor, Work,
};
use tokio::sync::broadcast::Receiver;

pub fn execute(session: &str) -> Execute {
    Execute {
        instruction: "a made-up errand".into(),
        session_id: Some(session.into()),
        plan_first: false,
        budget: None,
    }
}

pub fn settings(folder: &std::path::Path) -> Settings {
    Settings {
        assistance_timeout: Some(Duration::from_secs(20)),
        ..Settings::in_folder(folder.join("runs"))
    }
}

pub fn assistant(host: Arc<dyn ToolHost>, folder: &std::path::Path) -> Assistant {
    Assistant::new(host, settings(folder)).unwrap()
}

/// Tasks that each depend on the one before.
pub fn chain(works: Vec<Work>) -> Vec<Task> {
    let number = |index: usize| format!("t{index}");
    let one = |(index, work): (usize, Work)| Task {
        id: number(index + 1),
        description: described(&work),
        work,
        status: TaskStatus::Pending,
        dependencies: (index > 0).then(|| number(index)).into_iter().collect(),
        outcome: None,
    };
    works.into_iter().enumerate().map(one).collect()
}

fn described(work: &Work) -> String {
    let text = serde_json::to_value(work).unwrap();
    format!("{} {}", work.kind(), text["parameters"])
}

pub fn open(url: impl Into<String>) -> Work {
    Work::Navigate(Navigate::Url(url.into()))
}

pub fn click(target: &str) -> Work {
    Work::Click(Click { target: Some(target.into()), ..Default::default() })
}

/// A click that is repeated until these words are there.
pub fn click_until(target: &str, words: &str) -> Work {
    let until = Some(WaitFor::Visible(words.into()));
    Work::Click(Click { target: Some(target.into()), until, ..Default::default() })
}

pub fn enter(target: &str, text: &str) -> Work {
    let value = Some(InputValue::Text(text.into()));
    Work::Input(Input { target: Some(target.into()), value, submit: false })
}

pub fn check(target: &str, checked: bool) -> Work {
    let value = Some(InputValue::Checked(checked));
    Work::Input(Input { target: Some(target.into()), value, submit: false })
}

pub fn choose(target: &str, option: &str) -> Work {
    let value = Some(InputValue::Options(vec![option.into()]));
    Work::Input(Input { target: Some(target.into()), value, submit: false })
}

pub fn wait_for(words: &str) -> Work {
    Work::Wait(Wait { until: Some(WaitFor::Visible(words.into())), timeout: Some("5s".into()) })
}

pub fn read(target: &str) -> Work {
    Work::Extract(Extract { target: Some(target.into()), ..Default::default() })
}

/// A part of what an element says.
pub fn extract(what: &str, target: &str) -> Work {
    let (what, target) = (Some(what.into()), Some(target.into()));
    Work::Extract(Extract { what, target, ..Default::default() })
}

pub fn reply_to(request: &AssistanceRequest, reaction: Reaction) -> UserResponse {
    UserResponse {
        request_id: request.id.clone(),
        response: reaction,
        timestamp: "2026-01-01T00:00:00.000Z".into(),
    }
}

/// The next request for help.
pub async fn asked(stream: &mut Receiver<Message>) -> AssistanceRequest {
    loop {
        if let Payload::UserAssistance(Feedback::Request(request)) = told(stream).await {
            return request;
        }
    }
}

pub async fn told(stream: &mut Receiver<Message>) -> Payload {
    let next = tokio::time::timeout(Duration::from_secs(30), stream.recv()).await;
    next.expect("something is told").unwrap().payload
}

pub fn statuses(state: &StateUpdate) -> Vec<TaskStatus> {
    state.tasks.iter().flat_map(|list| &list.tasks).map(|task| task.status).collect()
}

pub fn outcome(state: &StateUpdate, index: usize) -> String {
    state.tasks.as_ref().unwrap().tasks[index].outcome.clone().unwrap_or_default()
}
