//! What a session remembers from one run to the next, and over a restart. In a real Chrome.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_agent::run::Assistant;
use legwork_protocol::assistant::{
    Execute, RunStatus, StateUpdate, TaskContext, TaskStatus, Wait, WaitFor, Work,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::errand::{chain, click, enter, execute, open, read, settings};
use crate::run_world::{BUTTONS, FIELDS, World, button, field, holds, nobody, some, typed};

/// How many tasks a session remembers.
const REMEMBERED: usize = 50;

/// One thing that a person asks of a session.
#[derive(Debug, Clone)]
enum Ask {
    /// Something on a page of its own, in words.
    Errand { buttons: Vec<&'static str>, field: &'static str, text: String },
    /// Something that comes to nothing after its first task.
    Vain,
    /// What was asked for last, once more: in so many words.
    Repeat,
    /// The same, meant by a word.
    Again,
    /// Only what the person likes.
    Prefer(&'static str, &'static str),
    /// More than a session remembers.
    Long,
}

fn ask() -> impl Strategy<Value = Ask> {
    let errand = (some(BUTTONS, 1..3), select(FIELDS), typed())
        .prop_map(|(buttons, field, text)| Ask::Errand { buttons, field, text });
    let topics = select(vec!["size", "colour", "seat", "language"]);
    let values = select(vec!["large", "blue", "window", "German"]);
    prop_oneof![
        6 => errand,
        2 => Just(Ask::Vain),
        4 => Just(Ask::Repeat),
        6 => Just(Ask::Again),
        3 => (topics, values).prop_map(|(topic, value)| Ask::Prefer(topic, value)),
        1 => Just(Ask::Long),
    ]
}

/// What should be remembered, kept beside the assistant.
#[derive(Default)]
struct Memory {
    done: Vec<(String, Work, TaskStatus)>,
    last: Vec<Work>,
    words: String,
    likes: BTreeMap<String, String>,
    url: String,
}

impl Memory {
    /// A run begins with all that was before it.
    fn assert_in(&self, context: &TaskContext) {
        let left_out = self.done.len().saturating_sub(REMEMBERED);
        let past: Vec<_> = context
            .previous_tasks
            .iter()
            .map(|it| (it.instruction.clone(), it.task.work.clone(), it.task.status))
            .collect();
        assert_eq!(past, self.done[left_out..]);
        assert_eq!(context.previous_tasks_left_out as usize, left_out);
        let outcomes = context.previous_tasks.iter().map(|it| it.task.outcome.as_deref());
        assert!(outcomes.into_iter().all(|it| it.is_some_and(|it| !it.is_empty())));
        assert_eq!(context.user_preferences.0, self.likes);
    }

    /// What a run did is part of it from now on.
    fn add(&mut self, state: &StateUpdate) {
        let tasks = &state.tasks.as_ref().unwrap().tasks;
        let over = tasks.iter().filter(|task| task.status.is_final());
        let instruction = &state.instruction;
        self.done.extend(over.map(|it| (instruction.clone(), it.work.clone(), it.status)));
    }
}

/// **Feature: browser-automation-assistant, Property 4: Context preservation across interactions.** For any
/// sequence of task submissions within a session, the task context should accumulate and preserve information
/// from all previous interactions.
#[test]
fn a_session_knows_all_that_was_done_and_said_in_it_also_after_a_restart() {
    let asks = proptest::collection::vec((ask(), any::<bool>()), 2..6);
    holds(asks, |world, asks| async move {
        let (mut assistant, host, folder) = world.assistant(nobody());
        let mut memory = Memory::default();
        for (ask, restart) in asks {
            if restart {
                drop(assistant);
                let again = Assistant::new(host.clone(), settings(folder.path())).unwrap();
                assistant = Arc::new(again);
            }
            if matches!(ask, Ask::Again | Ask::Repeat) && memory.last.is_empty() {
                continue;
            }
            let page = |body: &str| world.page(&format!("{body}<p>Something</p>"));
            let run = begun(&assistant, &ask, &mut memory, page);
            let state = assistant.wait(&run).await.unwrap();
            let list = state.tasks.as_ref().unwrap();
            memory.assert_in(&list.context);
            let works: Vec<Work> = list.tasks.iter().map(|task| task.work.clone()).collect();
            if !matches!(ask, Ask::Prefer(..)) {
                assert_eq!(works, memory.last, "{:?}", state.instruction);
                assert_eq!(list.context.current_url, memory.url, "it knows where it is");
            }
            let failed = memory.last.iter().any(|work| matches!(work, Work::Wait(_)));
            let expected = match failed && !works.is_empty() {
                true => RunStatus::Failed,
                false => RunStatus::Completed,
            };
            assert_eq!(state.status, expected, "{state:#?}");
            memory.add(&state);
            if !works.is_empty() {
                memory.words.clone_from(&state.instruction);
            }
        }
        let stranger = execute("another session");
        let run = assistant.start_tasks(stranger, chain(vec![open(world.page(""))]), "q").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        Memory::default().assert_in(&state.tasks.unwrap().context);
    });
}

/// Begins what is asked for, and notes what it should come to.
fn begun(
    assistant: &Assistant,
    ask: &Ask,
    memory: &mut Memory,
    page: impl Fn(&str) -> String,
) -> String {
    let say = |words: String| Execute { instruction: words, ..execute("default") };
    match ask {
        Ask::Errand { buttons, field: label, text } => {
            let body: String = buttons.iter().map(|name| button(name)).collect();
            memory.url = page(&(body + &field(label)));
            memory.last = vec![open(&memory.url), enter(&quoted(label), text)];
            memory.last.extend(buttons.iter().map(|name| click(&quoted(name))));
            let mut words = format!("go to {}, type \"{text}\" into \"{label}\"", memory.url);
            words.extend(buttons.iter().map(|name| format!(", click \"{name}\"")));
            assistant.start(say(words), "q").unwrap()
        }
        Ask::Vain => {
            memory.url = page("");
            let until = Some(WaitFor::Visible("Nothing of the kind".into()));
            let vain = Work::Wait(Wait { until, timeout: Some("50ms".into()) });
            memory.last = vec![open(&memory.url), vain];
            let words = format!("wait in vain at {}", memory.url);
            assistant.start_tasks(say(words), chain(memory.last.clone()), "q").unwrap()
        }
        Ask::Repeat => {
            let tasks = chain(memory.last.clone());
            assistant.start_tasks(say(memory.words.clone()), tasks, "q").unwrap()
        }
        Ask::Again => assistant.start(say("do the same again".into()), "q").unwrap(),
        Ask::Prefer(topic, value) => {
            memory.likes.insert((*topic).to_owned(), (*value).to_owned());
            assistant.start(say(format!("always use {topic} {value}")), "q").unwrap()
        }
        Ask::Long => {
            memory.url = page("");
            memory.last = vec![open(&memory.url)];
            memory.last.extend((0..REMEMBERED - 5).map(|_| read("#log")));
            let words = format!("read much at {}", memory.url);
            assistant.start_tasks(say(words), chain(memory.last.clone()), "q").unwrap()
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_instruction_means_what_an_earlier_one_did() {
    let world = World::new().await;
    let page = world.page(
        "<ul><li>Oat milk <button onclick=\"hit('oat')\">Remove</button>
        <li>Rice <button onclick=\"hit('rice')\">Remove</button></ul>
        <label>Date <input id=date></label><button onclick=\"hit(date.value)\">Book</button>",
    );
    let (assistant, _, _folder) = world.assistant(nobody());
    for words in [
        format!("go to {page}, click the first Remove"),
        "use the second one".to_owned(),
        "type June 2 into Date, click Book".to_owned(),
        "same as before with June 3".to_owned(),
    ] {
        let said = Execute { instruction: words.clone(), ..execute("default") };
        let run = assistant.start(said, "q").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, RunStatus::Completed, "{words}: {state:#?}");
    }
    for pressed in ["oat", "rice", "June 2", "June 3"] {
        assert_eq!(world.presses(pressed).await, 1, "{pressed}");
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
