//! Properties of runs that need somebody: answers, errors, feedback. In a real Chrome.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use legwork_agent::run::Assistant;
use legwork_protocol::assistant::{
    AssistanceRequest, Feedback, Payload, Reaction, RunStatus, StateUpdate, TaskStatus, Work,
};
use legwork_protocol::{Code, ToolError};
use proptest::prelude::*;

use crate::errand::{
    asked, chain, click, enter, execute, open, outcome, reply_to, settings, statuses,
};
use crate::run_world::{
    BUTTONS, COLOURS, FIELDS, Watcher, World, button, field, holds, nobody, some, typed,
};

/// Things in rows, each with a button of the same name.
const THINGS: &[&str] = &["Oat milk", "Brown rice", "Green tea", "Rye bread", "Dark chocolate"];

fn rows(things: &[&str]) -> String {
    let row = |thing: &&str| {
        format!("<li>{thing} <button onclick=\"hit('{thing}')\">Pick</button></li>\n")
    };
    format!("<ul>{}</ul>", things.iter().map(row).collect::<String>())
}

/// How a person answers which of several is meant.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Choice(usize),
    Ordinal(usize),
    Words(usize),
    Skip,
    DoneMyself,
}

impl Answer {
    fn reaction(self, request: &AssistanceRequest, things: &[&str]) -> Reaction {
        const ORDINALS: [&str; 3] = ["the first one", "second", "3"];
        match self {
            Answer::Choice(at) => Reaction::Said(request.choices[at % things.len()].clone()),
            Answer::Ordinal(at) => Reaction::Said(ORDINALS[at % things.len()].to_owned()),
            Answer::Words(at) => {
                Reaction::Said(format!("the {} one", things[at % things.len()].to_lowercase()))
            }
            Answer::Skip => Reaction::Skip,
            Answer::DoneMyself => Reaction::Done,
        }
    }

    fn chosen(self, things: usize) -> Option<usize> {
        match self {
            Answer::Choice(at) | Answer::Ordinal(at) | Answer::Words(at) => Some(at % things),
            Answer::Skip | Answer::DoneMyself => None,
        }
    }
}

/// **Feature: browser-automation-assistant, Property 7: Execution resumption after assistance.** For any
/// assistance request that receives a user response, task execution should resume from the correct state
/// without losing progress.
#[test]
fn an_answered_run_goes_on_from_where_it_was() {
    let answer = prop_oneof![
        (0..3_usize).prop_map(Answer::Choice),
        (0..3_usize).prop_map(Answer::Ordinal),
        (0..3_usize).prop_map(Answer::Words),
        Just(Answer::Skip),
        Just(Answer::DoneMyself),
    ];
    let case = (some(BUTTONS, 1..4), some(THINGS, 2..4), any::<u8>(), answer, any::<bool>());
    holds(case, |world, (buttons, things, place, answer, leaves)| async move {
        let url = world.page(&(body(&buttons) + &rows(&things)));
        let at = 1 + usize::from(place) % (buttons.len() + 1);
        let mut works: Vec<Work> =
            [open(&url)].into_iter().chain(buttons.iter().map(|it| click(it))).collect();
        works.insert(at, click("Pick"));
        let (mut assistant, _host, folder) = world.assistant(nobody());
        let mut stream = assistant.subscribe();
        let run = assistant.start_tasks(execute("default"), chain(works), "q").unwrap();
        let mut request = asked(&mut stream).await;
        let paused = assistant.runs().unwrap().remove(0);
        let progress = statuses(&paused);
        assert_eq!(paused.status, RunStatus::Waiting);
        assert!(progress[..at].iter().all(|it| *it == TaskStatus::Completed), "{progress:?}");
        assert_eq!(progress[at], TaskStatus::RequiresAssistance);
        assert!(progress[at + 1..].iter().all(|it| *it == TaskStatus::Pending), "{progress:?}");
        if leaves {
            drop(assistant);
            assistant =
                Arc::new(Assistant::new(world.rig.host.clone(), settings(folder.path())).unwrap());
            stream = assistant.subscribe();
            assistant.resume(&run).unwrap();
            request = asked(&mut stream).await;
        }
        assistant.answer(reply_to(&request, answer.reaction(&request, &things))).unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
        for index in (0..progress.len()).filter(|index| *index != at) {
            assert_eq!(statuses(&state)[index], TaskStatus::Completed, "{state:#?}");
        }
        for index in 0..at {
            assert_eq!(
                outcome(&state, index),
                outcome(&paused, index),
                "what was done stays as it was"
            );
        }
        for name in &buttons {
            assert_eq!(world.presses(name).await, 1, "{name}");
        }
        for (index, thing) in things.iter().enumerate() {
            let expected = u64::from(answer.chosen(things.len()) == Some(index));
            assert_eq!(world.presses(thing).await, expected, "{thing}");
        }
    });
}

fn body(buttons: &[&str]) -> String {
    buttons.iter().map(|it| button(it)).collect()
}

/// What goes wrong with a click, so many times.
fn fault() -> impl Strategy<Value = (Code, &'static str, u32)> {
    let kinds = prop_oneof![
        Just((Code::NotFound, "it is not found")),
        Just((Code::NotFound, "it is not found; similar: button \"Other thing\"")),
        Just((Code::StaleRef, "e5 is gone, the page changed")),
        Just((
            Code::Ambiguous,
            "it matches 2 elements: button \"Other thing\"; button \"Third thing\""
        )),
        Just((Code::NotActionable, "did not act: it is not visible (outside)")),
        Just((Code::NotActionable, "did not act: it is disabled")),
        Just((Code::NotActionable, "did not act: it is covered by a banner")),
        Just((Code::Intercepted, "a banner received it")),
        Just((Code::Timeout, "Timeout after 5s")),
        Just((Code::BrowserCrashed, "the browser crashed")),
        Just((Code::SidecarFailed, "the line is dead")),
        Just((Code::Denied, "the policy says no")),
        Just((Code::ScriptError, "boom at line 1")),
    ];
    (kinds, 1..4_u32).prop_map(|((code, message), times)| (code, message, times))
}

/// Answers every request with what is true: nothing was done. Elsewhere with the first choice.
fn answering(assistant: &Arc<Assistant>) -> (tokio::task::JoinHandle<()>, Arc<Mutex<u32>>) {
    let (assistant, mut stream) = (Arc::downgrade(assistant), assistant.subscribe());
    let count: Arc<Mutex<u32>> = Arc::default();
    let counted = count.clone();
    let task = tokio::spawn(async move {
        while let Ok(message) = stream.recv().await {
            let Payload::UserAssistance(Feedback::Request(request)) = message.payload else {
                continue;
            };
            *counted.lock().unwrap() += 1;
            let again = request.choices.iter().find(|choice| *choice == "Do it again");
            let said = again.or(request.choices.first()).cloned().unwrap_or_default();
            let Some(assistant) = assistant.upgrade() else { return };
            assistant.answer(reply_to(&request, Reaction::Said(said))).unwrap();
        }
    });
    (task, count)
}

/// **Feature: browser-automation-assistant, Property 9: Error handling and recovery.** For any task execution
/// error, the system should either attempt automatic recovery or create an assistance request, never leaving
/// tasks in an undefined state.
#[test]
fn after_any_error_every_task_is_done_or_says_why_not() {
    let case = (some(BUTTONS, 2..4), any::<u8>(), fault());
    holds(case, |world, (buttons, victim, (code, message, times))| async move {
        let victim = usize::from(victim) % buttons.len();
        let name = buttons[victim];
        let others = button("Other thing") + &button("Third thing");
        let url = world.page(&(body(&buttons) + &others));
        let works = [open(&url)].into_iter().chain(buttons.iter().map(|it| click(it))).collect();
        let mut tasks = chain(works);
        for task in &mut tasks[1..] {
            task.dependencies = vec!["t1".into()];
        }
        let mut left = times;
        let watcher: Watcher = Box::new(move |call, _| {
            let own = call.tool == "browser_click" && call.arguments["target"] == name;
            if !own || left == 0 {
                return None;
            }
            left -= 1;
            Some(Err(ToolError::new(code, message)))
        });
        let (assistant, _host, _folder) = world.assistant(watcher);
        let (answers, questions) = answering(&assistant);
        let run = assistant.start_tasks(execute("default"), tasks, "q").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        answers.abort();
        let ends = statuses(&state);
        assert!(state.status.is_final() && ends.iter().all(|it| it.is_final()), "{state:#?}");
        for (index, other) in buttons.iter().enumerate().filter(|(index, _)| *index != victim) {
            assert_eq!(ends[index + 1], TaskStatus::Completed, "{state:#?}");
            assert_eq!(world.presses(other).await, 1, "{other} is independent");
        }
        let end = ends[victim + 1];
        let instead = world.presses("Other thing").await;
        let presses = world.presses(name).await + instead;
        assert_eq!(presses, u64::from(end == TaskStatus::Completed), "{state:#?}");
        if end == TaskStatus::Failed {
            assert!(!outcome(&state, victim + 1).is_empty(), "{state:#?}");
        }
        let passes = matches!(
            code,
            Code::NotFound | Code::StaleRef | Code::NotActionable | Code::Intercepted
        );
        if passes && times == 1 {
            assert_eq!(end, TaskStatus::Completed, "what passes is got around: {state:#?}");
        }
        let told = *questions.lock().unwrap();
        if code == Code::Intercepted {
            assert_eq!(end, TaskStatus::Completed, "{state:#?}");
            assert_eq!(told, times - 1, "once unasked, then each time the person looked again");
        }
        let steps = assistant.steps(&run).unwrap();
        let tried = steps.iter().filter(|step| step.task == format!("t{}", victim + 2)).count();
        // What the policy forbids and what the page's own script throws is an answer and no obstacle: it is the
        // same the next time, and nobody could get around it unless they changed the policy or the page.
        let settled = matches!(code, Code::Denied | Code::ScriptError);
        assert!(settled || told > 0 || tried > 2, "recovery or a question: {steps:#?}");
        if matches!(code, Code::Timeout | Code::BrowserCrashed | Code::SidecarFailed) {
            assert!(told > 0, "what may have been done is asked about");
        }
    });
}

/// What a person says, and what is to come of it.
#[derive(Debug, Clone)]
enum Says {
    Instead(&'static str, &'static str),
    Value(&'static str, String),
    Colour(&'static str, &'static str),
    Second,
    Which(usize),
    Skip(&'static str),
    Stop,
}

fn says() -> impl Strategy<Value = Says> {
    let colours = some(COLOURS, 2..3);
    prop_oneof![
        some(BUTTONS, 2..3).prop_map(|it| Says::Instead(it[0], it[1])),
        (proptest::sample::select(FIELDS), typed())
            .prop_map(|(label, text)| Says::Value(label, text.trim().to_owned())),
        colours.prop_map(|it| Says::Colour(it[0], it[1])),
        Just(Says::Second),
        (0..3_usize).prop_map(Says::Which),
        proptest::sample::select(BUTTONS).prop_map(Says::Skip),
        Just(Says::Stop),
    ]
}

impl Says {
    fn words(&self, lead: &str, things: &[&str]) -> String {
        match self {
            Says::Instead(old, new) => format!("{lead}use {new} instead of {old}"),
            Says::Value(label, value) => format!("the {label} should be {value}"),
            Says::Colour(_, new) => format!("{lead}the {new} one"),
            Says::Second => format!("{lead}use the second one"),
            Says::Which(at) => format!("{lead}the {} one", things[*at].to_lowercase()),
            Says::Skip(name) => format!("{lead}skip {name}"),
            Says::Stop => "stop".to_owned(),
        }
    }

    /// The page's part that it is about, and the task as it was given.
    fn about(&self, things: &[&str]) -> (String, Work) {
        match self {
            Says::Instead(old, new) => (button(old) + &button(new), click(old)),
            Says::Value(label, _) => (field(label), enter(label, "as it was")),
            Says::Colour(old, new) => {
                let shirts = [old, new].map(|it| button(&format!("{it} shirt")));
                (shirts.concat(), click(&format!("{old} shirt")))
            }
            Says::Second | Says::Which(_) => (rows(things), click("Pick")),
            Says::Skip(name) => (button(name), click(name)),
            Says::Stop => (button("Last thing"), click("Last thing")),
        }
    }

    async fn check(&self, world: &World, state: &StateUpdate, things: &[&str]) {
        let (done, not): (Vec<String>, Vec<String>) = match self {
            Says::Instead(old, new) => (vec![new.to_string()], vec![old.to_string()]),
            Says::Value(_, value) => {
                let is = world.eval("document.querySelector('input').value").await;
                return assert_eq!(is, value.as_str(), "{state:#?}");
            }
            Says::Colour(old, new) => (vec![format!("{new} shirt")], vec![format!("{old} shirt")]),
            Says::Second => (vec![things[1].into()], vec![things[0].into(), things[2].into()]),
            Says::Which(at) => {
                let rest = (0..3).filter(|it| it != at).map(|it| things[it].to_owned());
                (vec![things[*at].into()], rest.collect())
            }
            Says::Skip(name) => (vec![], vec![name.to_string()]),
            Says::Stop => (vec![], vec!["Last thing".into()]),
        };
        for name in done {
            assert_eq!(world.presses(&name).await, 1, "{name}: {state:#?}");
        }
        for name in not {
            assert_eq!(world.presses(&name).await, 0, "{name}: {state:#?}");
        }
    }
}

/// **Feature: browser-automation-assistant, Property 12: Feedback incorporation.** For any user feedback
/// provided during task execution, the system should adjust subsequent task execution to incorporate the
/// feedback.
#[test]
fn what_is_said_meanwhile_changes_what_follows() {
    let lead = proptest::sample::select(&["", "no, ", "please "][..]);
    let case = (says(), lead, some(THINGS, 3..4));
    holds(case, |world, (says, lead, things)| async move {
        let (part, work) = says.about(&things);
        let url = world.page(&(part + &button("Begin") + &button("Finish")));
        let tasks = chain(vec![open(&url), click("Begin"), work, click("Finish")]);
        // The first click waits until the person has spoken.
        let ((go, wait), (begins, begun)) = (mpsc::channel::<()>(), mpsc::channel::<()>());
        let watcher: Watcher = Box::new(move |call, _| {
            if call.tool == "browser_click" && call.arguments["target"] == "Begin" {
                begins.send(()).unwrap();
                wait.recv_timeout(Duration::from_secs(20)).unwrap();
            }
            None
        });
        let (assistant, _host, _folder) = world.assistant(watcher);
        let run = assistant.start_tasks(execute("default"), tasks, "q").unwrap();
        begun.recv_timeout(Duration::from_secs(20)).unwrap();
        assistant.remark(&run, &says.words(lead, &things)).unwrap();
        go.send(()).unwrap();
        let state = assistant.wait(&run).await.unwrap();
        let stops = matches!(says, Says::Stop);
        let expected = if stops { RunStatus::Stopped } else { RunStatus::Completed };
        assert_eq!(state.status, expected, "{state:#?}");
        if !stops || world.eval("typeof counts").await == "object" {
            says.check(&world, &state, &things).await;
        }
        if !stops {
            assert_eq!(world.presses("Begin").await, 1);
            assert_eq!(world.presses("Finish").await, 1, "{state:#?}");
        }
    });
}
