//! Properties of runs that go well: tools, looks, order and end. In a real Chrome.

use legwork_agent::run::{Step, StepState};
use legwork_protocol::assistant::{
    Payload, RunStatus, StateUpdate, Task, TaskStatus, Wait, WaitFor, Work,
};
use legwork_protocol::find;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::errand::{chain, click, enter, execute, open, read, statuses, wait_for};
use crate::run_world::{BUTTONS, FIELDS, button, field, holds, nobody, some, typed};

/// **Feature: browser-automation-assistant, Property 5: DOM tool availability.** For any automation agent
/// request for DOM manipulation, the corresponding tool should be available and return valid results when
/// called with proper parameters.
#[test]
fn every_tool_of_the_agent_is_there_and_does_what_it_says() {
    let request = prop_oneof![
        Just("get_page_dom"),
        Just("click_element"),
        Just("input_text"),
        Just("scroll_page"),
        Just("drag_element"),
    ];
    let case = (
        some(BUTTONS, 1..4),
        some(FIELDS, 1..3),
        typed(),
        proptest::collection::vec(request, 1..4),
    );
    holds(case, |world, (buttons, fields, text, requests)| async move {
        let mut body: String = buttons.iter().map(|name| button(name)).collect();
        body.extend(fields.iter().map(|label| field(label)));
        body += "<div draggable=true id=card ondragstart=\"event.dataTransfer.setData('text', 'card')\">Card</div>
            <div id=done style=\"height: 60px\" ondragover=\"event.preventDefault()\"
                ondrop=\"this.textContent = 'Dropped ' + event.dataTransfer.getData('text')\">Done pile</div>
            <div style=\"height: 3000px\"></div>";
        let url = world.page(&body);
        world.rig.call("browser_navigate", json!({ "url": url })).await.unwrap();
        for tool in requests {
            assert!(find(tool).is_some(), "{tool} is there");
            let (arguments, look, expected) = match tool {
                "get_page_dom" => (json!({}), "1", json!(1)),
                "click_element" => {
                    world.eval(&format!("counts[{:?}] = 0; 1", buttons[0])).await;
                    let look = format!("counts[{:?}]", buttons[0]);
                    (json!({ "target": buttons[0] }), &*look.leak(), json!(1))
                }
                "input_text" => {
                    let arguments = json!({ "target": fields[0], "text": text, "clear": true });
                    (arguments, "document.querySelector('input').value", json!(text))
                }
                "scroll_page" => (json!({ "to": "bottom" }), "scrollY > 1000", json!(true)),
                _ => {
                    let arguments = json!({ "from": "Card", "to": "#done" });
                    let look = "document.getElementById('done').textContent";
                    (arguments, look, json!("Dropped card"))
                }
            };
            let reply = world.rig.call(tool, arguments).await.unwrap();
            assert!(!reply.text.is_empty() && reply.data.is_object(), "{tool}: {reply:?}");
            if tool == "get_page_dom" {
                for name in buttons.iter().chain(&fields) {
                    assert!(reply.text.contains(name), "{name}: {}", reply.text);
                }
            }
            assert_eq!(world.eval(look).await, expected, "{tool}: {}", reply.text);
        }
    });
}

/// Tasks on one page: its address, and what is done there.
fn on_a_page() -> impl Strategy<Value = (Vec<&'static str>, Vec<&'static str>, String, u8)> {
    (some(BUTTONS, 1..4), some(FIELDS, 0..2), typed(), any::<u8>())
}

fn errand(url: &str, buttons: &[&str], fields: &[&str], text: &str, also: u8) -> Vec<Work> {
    let mut works = vec![open(url)];
    works.extend(fields.iter().map(|label| enter(label, text)));
    works.extend(buttons.iter().map(|name| click(name)));
    if also & 1 == 1 {
        works.push(wait_for("Pressed"));
    }
    if also & 2 == 2 {
        works.push(read("#log"));
    }
    works
}

fn body(buttons: &[&str], fields: &[&str]) -> String {
    fields.iter().map(|it| field(it)).chain(buttons.iter().map(|it| button(it))).collect()
}

/// **Feature: browser-automation-assistant, Property 8: Continuous state assessment.** For any active task
/// execution, the system should continuously call state assessment functions to monitor browser state
/// changes.
#[test]
fn the_page_is_known_before_each_task_and_after_each_action() {
    let second = (some(BUTTONS, 1..2), some(FIELDS, 0..1), typed(), any::<u8>());
    holds((on_a_page(), second), |world, (one, two)| async move {
        let mut works = Vec::new();
        for (buttons, fields, text, also) in [&one, &two] {
            let url = world.page(&body(buttons, fields));
            works.extend(errand(&url, buttons, fields, text, *also));
        }
        let (assistant, _host, _folder) = world.assistant(nobody());
        let mut stream = assistant.subscribe();
        let run = assistant.start_tasks(execute("default"), chain(works), "q").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
        let steps = assistant.steps(&run).unwrap();
        let is_look = |step: &Step| find(&step.tool).unwrap().hints_of(&step.arguments).read_only;
        for (index, act) in steps.iter().enumerate().filter(|(_, step)| !is_look(step)) {
            let since = steps[..index].iter().rev().take_while(|step| is_look(step));
            let seen = since.clone().any(|step| step.data.get("page").is_some());
            let told = index > 0 && steps[index - 1].data.get("page").is_some();
            assert!(seen || told, "the page is known before {act:?}");
            assert_eq!(act.state, StepState::Done);
            assert!(act.data.get("url").is_some_and(Value::is_string), "and after {act:?}");
        }
        // Watchers see the browser move.
        let mut places: Vec<String> = Vec::new();
        while let Ok(message) = stream.try_recv() {
            let Payload::StateUpdate(StateUpdate { tasks: Some(list), .. }) = message.payload
            else {
                continue;
            };
            if places.last() != Some(&list.context.current_url) {
                places.push(list.context.current_url);
            }
        }
        let visited: Vec<&str> =
            steps.iter().filter_map(|step| step.arguments.get("url")?.as_str()).collect();
        assert!(places.ends_with(&[visited[0].to_owned(), visited[1].to_owned()]), "{places:?}");
    });
}

/// A list whose tasks depend on some of those before them.
fn list(
    world: &crate::run_world::World,
    case: &(Vec<&'static str>, Vec<&'static str>, String, u8),
    links: &[u8],
) -> Vec<Task> {
    let (buttons, fields, text, also) = case;
    let url = world.page(&body(buttons, fields));
    let mut tasks = chain(errand(&url, buttons, fields, text, *also));
    for (index, task) in tasks.iter_mut().enumerate().skip(1) {
        let seed = usize::from(*links.get(index % links.len()).unwrap_or(&0));
        let mut on = vec!["t1".to_owned(), format!("t{}", seed % index + 1)];
        on.dedup();
        task.dependencies = on;
    }
    tasks
}

/// **Feature: browser-automation-assistant, Property 10: Task completion and progression.** For any
/// successfully completed task, the task status should be marked as 'completed' and execution should proceed
/// to the next pending task in the list.
#[test]
fn a_completed_task_is_marked_and_the_next_one_begins() {
    let case = (on_a_page(), proptest::collection::vec(any::<u8>(), 1..6));
    holds(case, |world, (page, links)| async move {
        let tasks = list(&world, &page, &links);
        let count = tasks.len();
        let (assistant, _host, _folder) = world.assistant(nobody());
        let mut stream = assistant.subscribe();
        let run = assistant.start_tasks(execute("default"), tasks, "q").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        let mut order: Vec<(String, TaskStatus)> = Vec::new();
        let mut before = vec![TaskStatus::Pending; count];
        while let Ok(message) = stream.try_recv() {
            let Payload::StateUpdate(update) = message.payload else { continue };
            let now = statuses(&update);
            let under_way = now.iter().filter(|it| **it == TaskStatus::Executing).count();
            assert!(under_way <= 1, "one after the other: {now:?}");
            for (index, (was, is)) in before.iter().zip(&now).enumerate() {
                if was != is {
                    order.push((format!("t{}", index + 1), *is));
                }
            }
            before = now;
        }
        let expected: Vec<(String, TaskStatus)> = (1..=count)
            .flat_map(|n| {
                [TaskStatus::Executing, TaskStatus::Completed].map(|it| (format!("t{n}"), it))
            })
            .collect();
        assert_eq!(order, expected);
        assert!(statuses(&state).iter().all(|it| *it == TaskStatus::Completed), "{state:#?}");
        let outcomes = state.tasks.unwrap().tasks.into_iter().map(|task| task.outcome);
        assert!(outcomes.into_iter().all(|it| it.is_some_and(|it| !it.is_empty())));
        for name in &page.0 {
            assert_eq!(world.presses(name).await, 1, "{name}");
        }
    });
}

/// **Feature: browser-automation-assistant, Property 11: Workflow completion notification.** For any task
/// list where all tasks have status 'completed', the system should generate a completion notification to the
/// user.
#[test]
fn a_completed_list_is_told_once_with_what_was_read() {
    holds((on_a_page(), any::<bool>()), |world, (page, fails)| async move {
        let (buttons, fields, text, also) = &page;
        let url = world.page(&body(buttons, fields));
        let mut works = errand(&url, buttons, fields, text, *also);
        if fails {
            let until = Some(WaitFor::Visible("Something else".into()));
            works.push(Work::Wait(Wait { until, timeout: Some("50ms".into()) }));
        }
        let (count, reads) = (works.len(), also & 2 == 2);
        let (assistant, _host, _folder) = world.assistant(nobody());
        let mut stream = assistant.subscribe();
        let run = assistant.start_tasks(execute("default"), chain(works), "request 7").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        let mut told = Vec::new();
        while let Ok(message) = stream.try_recv() {
            assert_eq!(message.request_id, "request 7");
            if let Payload::StateUpdate(update) = message.payload {
                told.push(update);
            }
        }
        let (last, before) = told.split_last().unwrap();
        assert_eq!(*last, state);
        assert!(before.iter().all(|it| !it.status.is_final() && it.finished.is_none()));
        let finished = last.finished.as_ref().unwrap();
        let all = statuses(last).iter().all(|it| *it == TaskStatus::Completed);
        assert_eq!(all, !fails);
        let (status, done) = match fails {
            true => (RunStatus::Failed, count - 1),
            false => (RunStatus::Completed, count),
        };
        assert_eq!(last.status, status);
        assert!(finished.summary.contains(&format!("{done} of {count}")), "{finished:?}");
        assert_eq!(finished.results.len(), usize::from(reads), "{finished:?}");
        assert_eq!(finished.undone.len(), count - done, "{finished:?}");
    });
}
