//! What holds of whatever a person is shown, for any run there may be.

use legwork_protocol::assistant::{
    Activity, AssistanceKind, AssistanceRequest, Click, Extract, Input, InputValue, Message,
    Navigate, Payload, TaskList, Wait, WaitFor, Work,
};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use super::*;

/// Words as people, pages and models write them: also long, foreign, empty and hostile ones.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-zA-Z@.:/-]{1,12}( [a-zA-Z0-9\"']{1,9}){0,8}",
        2 => "[äöüß東京日本語ελ 😀]{1,30}",
        1 => "(\\PC){0,60}",
        1 => "(\x1b\\[[0-9;]{0,4}[A-Za-z]|[a-z\n\r\t]){1,40}",
        1 => "[a-z]{100,300}",
    ]
}

fn work() -> impl Strategy<Value = Work> {
    prop_oneof![
        words()
            .prop_map(|target| Work::Click(Click { target: Some(target), ..Default::default() })),
        (words(), words()).prop_map(|(target, text)| {
            let value = Some(InputValue::Text(text));
            Work::Input(Input { target: Some(target), value, submit: false })
        }),
        words().prop_map(|url| Work::Navigate(Navigate::Url(url))),
        words().prop_map(|text| {
            Work::Wait(Wait { until: Some(WaitFor::Visible(text)), timeout: None })
        }),
        Just(Work::Extract(Extract::default())),
    ]
}

fn status() -> impl Strategy<Value = TaskStatus> {
    prop::sample::select(vec![
        TaskStatus::Pending,
        TaskStatus::Executing,
        TaskStatus::Completed,
        TaskStatus::Failed,
        TaskStatus::RequiresAssistance,
    ])
}

fn list() -> impl Strategy<Value = TaskList> {
    let task = (words(), work(), status(), prop::option::of(words()));
    prop::collection::vec(task, 1..25).prop_map(|tasks| TaskList {
        id: "list".to_owned(),
        tasks: tasks
            .into_iter()
            .enumerate()
            .map(|(at, (description, work, status, outcome))| Task {
                id: format!("t{}", at + 1),
                description,
                work,
                status,
                dependencies: (at > 0).then(|| format!("t{at}")).into_iter().collect(),
                outcome,
            })
            .collect(),
        context: Default::default(),
        created_at: "2026-11-16T07:00:00Z".to_owned(),
    })
}

fn usage() -> impl Strategy<Value = Usage> {
    let numbers = (0..99u32, 0..500u32, 0..9_000_000u64, 0..90_000u64, 0..4_000_000u64);
    (numbers, prop::option::of(0..90_000_000u64)).prop_map(|(numbers, cost_micros)| {
        let (turns, actions, input_tokens, output_tokens, elapsed_ms) = numbers;
        let cached_tokens = input_tokens / 2;
        Usage {
            turns,
            actions,
            input_tokens,
            cached_tokens,
            output_tokens,
            cost_micros,
            elapsed_ms,
        }
    })
}

fn help() -> impl Strategy<Value = AssistanceRequest> {
    let kind = prop::sample::select(vec![
        AssistanceKind::Captcha,
        AssistanceKind::Login,
        AssistanceKind::TwoFactor,
        AssistanceKind::Custom,
    ]);
    let choices = prop::collection::vec(words(), 0..5);
    let timeout = prop::option::of(1..7200u64);
    ("[a-z0-9]{4}", kind, words(), words(), choices, timeout).prop_map(
        |(id, kind, message, context, choices, timeout)| AssistanceRequest {
            id,
            kind,
            message,
            context,
            choices,
            timeout,
        },
    )
}

fn run(status: RunStatus) -> impl Strategy<Value = StateUpdate> {
    let activity = prop::option::of(words());
    (words(), list(), activity, usage()).prop_map(move |(instruction, list, doing, usage)| {
        StateUpdate {
            run_id: "run".to_owned(),
            session_id: "default".to_owned(),
            instruction,
            status,
            tasks: Some(list),
            activity: doing.map(|doing| Activity { task_id: None, doing }),
            assistance: None,
            usage,
            finished: None,
        }
    })
}

/// A state as it reaches a person: sent as a message, on one line, and read again.
fn told(update: &StateUpdate) -> StateUpdate {
    let payload = Payload::StateUpdate(update.clone());
    let line = serde_json::to_string(&Message { request_id: "q1".to_owned(), payload }).unwrap();
    assert!(!line.contains('\n'));
    match serde_json::from_str::<Message>(&line).unwrap().payload {
        Payload::StateUpdate(told) => told,
        other => panic!("{other:?}"),
    }
}

const WIDE: Look =
    Look { width: 10_000, rows: 1_000, tick: 3, since: Duration::ZERO, window: Window::Shown };

fn task_lines(lines: &[Line], update: &StateUpdate) -> Vec<String> {
    let tasks = tasks(update).len();
    lines[1..=tasks].iter().map(|line| line.text.clone()).collect()
}

fn all_on_one_row(lines: &[Line], width: usize) -> Result<(), TestCaseError> {
    for line in lines {
        prop_assert!(line.text.width() <= width.max(20), "{:?} in {width}", line.text);
        prop_assert!(!line.text.chars().any(char::is_control), "{:?}", line.text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// **Feature: browser-automation-assistant, Property 2: UI reflects task interpretation results**
    #[test]
    fn a_list_of_tasks_that_was_understood_is_shown_whole_and_in_order(
        update in run(RunStatus::Planned),
    ) {
        let update = told(&update);
        let shown = task_lines(&whole(&update, WIDE), &update);
        let plain = changes(None, &update, Window::Shown);
        for (at, task) in tasks(&update).iter().enumerate() {
            let description = clean(&task.description);
            let numbered = format!(" {}. {description}", at + 1);
            prop_assert!(shown[at].contains(&numbered), "{:?} in {:?}", numbered, shown[at]);
            prop_assert!(plain[at + 1].text.contains(numbered.trim_end()), "{:?}", plain[at + 1]);
        }
    }

    /// **Feature: browser-automation-assistant, Property 13: Progress visualization**
    #[test]
    fn every_status_has_its_mark_and_the_counts_add_up(
        update in run(RunStatus::Running), width in 10usize..200, rows in 4usize..60, tick in 0usize..99,
    ) {
        let update = told(&update);
        let spinner = SPINNER[WIDE.tick % SPINNER.len()];
        for (line, task) in task_lines(&whole(&update, WIDE), &update).iter().zip(tasks(&update)) {
            let begin = format!("  {} ", mark(task.status, spinner));
            prop_assert!(line.starts_with(&begin), "{line:?} does not begin with {begin:?}");
        }
        let all = tasks(&update);
        let counted = format!("running · {} of {} done · ", done(all), all.len());
        let lines = whole(&update, WIDE);
        prop_assert!(lines.last().unwrap().text.starts_with(&counted), "{:?}", lines.last());
        let small = whole(&update, Look { width, rows, tick, ..WIDE });
        all_on_one_row(&small, width)?;
        prop_assert!(small.len() < rows.max(2), "{} lines on {rows} rows", small.len());
    }

    /// **Feature: browser-automation-assistant, Property 13: Progress visualization**
    #[test]
    fn plain_lines_tell_each_change_of_a_status_once(
        update in run(RunStatus::Running), next in prop::collection::vec(status(), 25),
    ) {
        let (before, mut after) = (told(&update), told(&update));
        let list = after.tasks.as_mut().unwrap();
        for (task, status) in list.tasks.iter_mut().zip(next) {
            task.status = status;
        }
        let lines = changes(Some(&before), &after, Window::Shown);
        let changed = tasks(&before).iter().zip(tasks(&after)).enumerate();
        let changed: Vec<usize> =
            changed.filter(|(_, (old, new))| old.status != new.status).map(|(at, _)| at).collect();
        prop_assert_eq!(lines.len(), changed.len());
        for (line, at) in lines.iter().zip(changed) {
            let named = format!(" {}. ", at + 1);
            prop_assert!(format!("{} ", line.text).contains(&named), "{:?}", line);
            prop_assert_eq!(line.tone, tone(tasks(&after)[at].status));
        }
    }

    /// **Feature: browser-automation-assistant, Property 14: Assistance request display**
    #[test]
    fn a_request_for_help_is_shown_whole_last_and_with_what_to_do(
        update in run(RunStatus::Waiting), help in help(), width in 20usize..150, tick in 0usize..9,
    ) {
        let update = told(&StateUpdate { assistance: Some(help.clone()), ..update });
        let own = request(&help, width, Window::Shown);
        let shown = whole(&update, Look { width, tick, ..WIDE });
        prop_assert_eq!(&shown[shown.len() - own.len()..], &own[..], "it stands last");
        all_on_one_row(&shown, width)?;
        prop_assert!(own[0].text.starts_with("!! You are needed"), "{:?}", own[0]);
        prop_assert_eq!(own[0].tone, Tone::Attention);
        // Broken into lines or not, every letter of it is there.
        let letters = |text: &str| -> String { text.chars().filter(|one| *one != ' ').collect() };
        let all = |mark: &str| -> String {
            let lines = own[1..].iter().filter_map(|line| line.text.strip_prefix(mark));
            letters(&lines.collect::<String>())
        };
        prop_assert!(all("!! ").contains(&letters(&clean(&help.message))));
        prop_assert!(all("   ").contains(&letters(&clean(&help.context))));
        for choice in &help.choices {
            prop_assert!(all("   ").contains(&letters(&clean(choice))));
        }
        prop_assert!(all("-> ").contains("/skip") && all("-> ").contains("/stop"));
        // As plain lines it is told once, and not again while it waits.
        let without = StateUpdate { assistance: None, ..update.clone() };
        let plain = changes(Some(&without), &update, Window::Shown);
        prop_assert!(plain.iter().any(|line| line.text.starts_with("!! ")));
        prop_assert_eq!(changes(Some(&update), &update, Window::Shown), vec![]);
    }
}
