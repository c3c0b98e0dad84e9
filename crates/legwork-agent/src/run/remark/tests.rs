use legwork_protocol::assistant::{Click, Input, InputValue, Task, TaskStatus, Work};

use super::{Heard, apply};

fn task(id: &str, work: Work) -> Task {
    let description = format!("{} of {id}", work.kind());
    let status = TaskStatus::Pending;
    Task { id: id.into(), description, work, status, dependencies: vec![], outcome: None }
}

fn click(target: &str) -> Work {
    Work::Click(Click { target: Some(target.into()), ..Default::default() })
}

fn enter(target: &str, text: &str) -> Work {
    let value = Some(InputValue::Text(text.into()));
    Work::Input(Input { target: Some(target.into()), value, submit: false })
}

/// One task is over, the others are to come.
fn tasks() -> Vec<Task> {
    let mut tasks = vec![
        task("t1", click("red shirt")),
        task("t2", click("Red shirt")),
        task("t3", enter("Delivery city", "Rome")),
        task("t4", enter("Password", "{{secret:Rome}}")),
    ];
    tasks[0].status = TaskStatus::Completed;
    tasks
}

fn targets(tasks: &[Task]) -> Vec<String> {
    let told = |task: &Task| match &task.work {
        Work::Click(click) => click.target.clone().unwrap(),
        Work::Input(Input { value: Some(InputValue::Text(text)), .. }) => text.clone(),
        other => other.kind().to_owned(),
    };
    tasks.iter().map(told).collect()
}

#[test]
fn remarks_change_what_is_to_come_and_nothing_else() {
    for (said, expected) in [
        ("no, the blue one", ["red shirt", "blue shirt", "Rome", "{{secret:Rome}}"]),
        ("Blue!", ["red shirt", "blue shirt", "Rome", "{{secret:Rome}}"]),
        ("use the second one", ["red shirt", "second Red shirt", "Rome", "{{secret:Rome}}"]),
        ("Paris instead of rome", ["red shirt", "Red shirt", "Paris", "{{secret:Rome}}"]),
        ("no, not Rome but Paris", ["red shirt", "Red shirt", "Paris", "{{secret:Rome}}"]),
        ("use Paris, not Rome", ["red shirt", "Red shirt", "Paris", "{{secret:Rome}}"]),
        ("the city should be Oslo", ["red shirt", "Red shirt", "Oslo", "{{secret:Rome}}"]),
        ("change Delivery city to Oslo", ["red shirt", "Red shirt", "Oslo", "{{secret:Rome}}"]),
        (
            "No, type Oslo into Delivery city instead.",
            ["red shirt", "Red shirt", "Oslo", "{{secret:Rome}}"],
        ),
        ("click Blue hat instead", ["red shirt", "Blue hat", "Rome", "{{secret:Rome}}"]),
    ] {
        let mut tasks = tasks();
        let heard = apply(said, &mut tasks);
        assert!(matches!(heard, Heard::Changed(_)), "{said}: {heard:?}");
        assert_eq!(targets(&tasks), expected, "{said}");
    }
}

#[test]
fn what_fits_nothing_to_come_is_kept_and_changes_nothing() {
    for said in [
        "mind the dog",
        "the seventh heaven",
        "the purple-ish one",
        "skip the dessert",
        "Oslo instead of Bergen",
        "do not click Green shirt",
        "go to example.com instead",
        "sing instead",
    ] {
        let mut after = tasks();
        assert_eq!(apply(said, &mut after), Heard::Kept, "{said}");
        assert_eq!(after, tasks(), "{said}");
    }
}

#[test]
fn one_of_a_kind_changes_only_what_it_can_be_meant_for() {
    let both = [task("t1", click("green hat")), task("t2", click("Red shirt"))];
    for said in ["no, the blue one", "blue"] {
        let mut after = both.clone();
        let Heard::Unclear(unclear) = apply(said, &mut after) else { panic!("{said}: {after:?}") };
        let named = unclear.among.iter().map(|(text, other)| [text.as_str(), other.as_str()]);
        assert_eq!(named.collect::<Vec<_>>(), [["green hat", "green"], ["Red shirt", "red"]]);
        assert_eq!(after, both, "{said}");
    }
    let mut twice = [task("t1", click("Red shirt")), task("t2", click("red shirt"))];
    assert!(matches!(apply("the blue one", &mut twice), Heard::Changed(_)));
    assert_eq!(targets(&twice), ["blue shirt", "blue shirt"]);
}

#[test]
fn what_may_be_about_the_task_under_way_is_left_to_who_does_it() {
    let mut begun = tasks();
    begun[1].status = TaskStatus::Executing;
    for said in
        ["skip it", "use the second one", "click Blue hat instead", "do not click Red shirt"]
    {
        let mut after = begun.clone();
        assert_eq!(apply(said, &mut after), Heard::Kept, "{said}");
        assert_eq!(after, begun, "{said}");
    }
    assert_eq!(apply("skip the next one", &mut begun.clone()), Heard::Skip(2));
    assert_eq!(apply("do not type Rome into Delivery city", &mut begun.clone()), Heard::Skip(2));
    let changed = apply("Paris instead of Rome", &mut begun);
    assert!(matches!(changed, Heard::Changed(_)), "{changed:?}");
}

#[test]
fn the_run_is_stopped_and_tasks_are_left_out_by_plain_words() {
    for said in ["stop", "Stop!", "no, stop it", "please cancel", "never mind"] {
        assert_eq!(apply(said, &mut tasks()), Heard::Stop, "{said}");
    }
    assert_eq!(apply("skip that", &mut tasks()), Heard::Skip(1));
    assert_eq!(apply("no, skip the input of t3", &mut tasks()), Heard::Skip(2));
    assert_eq!(apply("skip t4", &mut tasks()), Heard::Skip(3));
    assert_eq!(apply("no, don't click Red shirt", &mut tasks()), Heard::Skip(1));
    assert_eq!(apply("do not type Rome into delivery city", &mut tasks()), Heard::Skip(2));
    assert_eq!(apply("stop the music", &mut tasks()), Heard::Kept);
}
