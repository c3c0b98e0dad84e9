//! The same of what an assistant really tells: generated instructions go in, and what its stream says is
//! what is seen.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::run::{Assistant, Settings};
use legwork_protocol::assistant::{Execute, Payload, Reaction, RunStatus, StateUpdate, TaskStatus};
use legwork_protocol::{Called, Reply, ToolCall, ToolHost};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::{Look, Window, changes, clean, ending, request, tasks, whole};
use crate::assistant::answered;

/// A browser in which everything works and nothing is to be seen.
struct Calm;

impl ToolHost for Calm {
    fn call(&self, call: ToolCall) -> Called<'_> {
        let url = call.arguments.get("url").cloned().unwrap_or(json!("http://calm.test/"));
        let reply = Reply::text("done").with_data(json!({ "url": url, "title": "Calm" }));
        Box::pin(async move { Ok(reply) })
    }

    fn end<'a>(&'a self, _: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {})
    }
}

/// Instructions as people give them.
fn instruction() -> impl Strategy<Value = String> {
    let name =
        prop::sample::select(vec!["Email", "Log in", "Search", "Oat milk", "Next page", "Größe"]);
    let value = prop_oneof!["[a-z]{1,9}@[a-z]{2,8}\\.test", "[A-Za-z0-9]{1,14}"];
    let clause = prop_oneof![
        "[a-z]{2,9}".prop_map(|host| format!("go to http://{host}.test")),
        (value, name.clone()).prop_map(|(value, name)| format!("type \"{value}\" into \"{name}\"")),
        name.clone().prop_map(|name| format!("click \"{name}\"")),
        name.clone().prop_map(|name| format!("press \"{name}\"")),
        name.prop_map(|name| format!("wait for \"{name}\"")),
        Just("take a screenshot".to_owned()),
        Just("read the page".to_owned()),
        Just("scroll to the bottom".to_owned()),
    ];
    let joint = prop::sample::select(vec![", ", ", then ", ". "]);
    (prop::collection::vec(clause, 1..7), joint).prop_map(|(clauses, joint)| clauses.join(joint))
}

const WIDE: Look =
    Look { width: 10_000, rows: 1_000, tick: 0, since: Duration::ZERO, window: Window::Shown };

/// Every state that a run told, until it was over; it is agreed to when it asks.
async fn states(assistant: &Assistant, instruction: &str) -> Vec<StateUpdate> {
    let mut told = assistant.subscribe();
    let execute = Execute {
        instruction: instruction.to_owned(),
        session_id: None,
        plan_first: true,
        budget: None,
    };
    let run = assistant.start(execute, "q1").unwrap();
    let mut states: Vec<StateUpdate> = Vec::new();
    let mut answers: HashSet<String> = HashSet::new();
    loop {
        let next = tokio::time::timeout(Duration::from_secs(30), told.recv()).await;
        let Payload::StateUpdate(update) = next.unwrap().unwrap().payload else { continue };
        if update.run_id != run {
            continue;
        }
        if let Some(asked) = update.assistance.as_ref()
            && answers.insert(asked.id.clone())
        {
            let reaction =
                if update.status == RunStatus::Planned { Reaction::Done } else { Reaction::Skip };
            assistant.answer(answered(&asked.id, reaction)).unwrap();
        }
        let over = update.status.is_final();
        states.push(update);
        if over {
            return states;
        }
    }
}

/// What holds of every state that is told: it is what a person sees.
fn shown(states: &[StateUpdate]) -> Result<(), TestCaseError> {
    let mut before: Option<&StateUpdate> = None;
    let mut plain = String::new();
    for update in states {
        let lines: Vec<String> = whole(update, WIDE).into_iter().map(|line| line.text).collect();
        for (at, task) in tasks(update).iter().enumerate() {
            let named = format!(" {}. {}", at + 1, clean(&task.description));
            prop_assert!(lines[at + 1].contains(&named), "{named} in {lines:#?}");
            let mark = match task.status {
                TaskStatus::Pending => "  · ",
                TaskStatus::Executing => "  ⠋ ",
                TaskStatus::Completed => "  ✓ ",
                TaskStatus::Failed => "  ✗ ",
                TaskStatus::RequiresAssistance => "  ! ",
            };
            prop_assert!(lines[at + 1].starts_with(mark), "{mark} in {lines:#?}");
        }
        if let Some(asked) = &update.assistance {
            let own = request(asked, WIDE.width, WIDE.window);
            let last: Vec<String> = own.iter().map(|line| line.text.clone()).collect();
            prop_assert!(lines.ends_with(&last), "{last:#?} in {lines:#?}");
            let message = format!("!! {}", clean(&asked.message));
            prop_assert!(last.contains(&message), "{message} in {last:#?}");
        }
        changes(before, update, Window::Shown)
            .iter()
            .for_each(|line| plain += &format!("{}\n", line.text));
        before = Some(update);
    }
    let last = states.last().expect("there is an end");
    for task in tasks(last).iter().filter(|task| task.status == TaskStatus::Completed) {
        let done = format!(". {}", clean(&task.description));
        prop_assert!(plain.lines().any(|line| line.starts_with("done ") && line.contains(&done)));
    }
    let end = ending(last);
    let counted = end.last().is_some_and(|line| line.text.contains(" done · "));
    prop_assert!(counted, "{end:?}");
    Ok(())
}

/// **Feature: browser-automation-assistant, Property 2: UI reflects task interpretation results**
/// **Feature: browser-automation-assistant, Property 13: Progress visualization**
/// **Feature: browser-automation-assistant, Property 14: Assistance request display**
#[test]
fn what_the_stream_of_a_real_assistant_tells_is_what_is_seen() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::in_folder(folder.path().join("runs"));
    let assistant = Assistant::new(Arc::new(Calm), settings).unwrap();
    let mut cases = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(120)
    });
    let held = cases.run(&instruction(), |text| {
        let states = runtime.block_on(states(&assistant, &text));
        let planned = states.iter().find(|state| state.status == RunStatus::Planned);
        let planned = planned.map_or(0, |state| tasks(state).len());
        prop_assert!(planned > 0, "no tasks were shown for {text:?}: {:?}", states.last());
        shown(&states)
    });
    held.unwrap();
}
