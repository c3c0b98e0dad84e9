//! Exact tasks, done without a model in a real Chrome.

use legwork_agent::run::{LOOK_AGAIN, StepState};
use legwork_protocol::assistant::{Reaction, RunStatus, TaskStatus};

use crate::errand::{
    asked, assistant, chain, check, choose, click, click_until, enter, execute, extract, open,
    outcome, read, reply_to, statuses, wait_for,
};
use crate::support::{Rig, Site, html};

const SIGN_UP: &str = r#"<title>Sign up</title><form action="/welcome">
    <label>Email <input name="email"></label>
    <label>Plan <select name="plan"><option>Basic</option><option>Large</option></select></label>
    <label><input type="checkbox" name="terms"> I agree</label>
    <button>Create account</button></form>"#;

#[tokio::test(flavor = "multi_thread")]
async fn exact_tasks_are_done_and_each_says_what_was_seen() {
    let site = Site::start(|path| match path.starts_with("/welcome") {
        true => html(&format!("<title>Welcome</title><h1>Welcome</h1><p id=how>{path}</p>")),
        false => html(SIGN_UP),
    })
    .await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let tasks = chain(vec![
        open(site.origin()),
        enter("the \"Email\" field", "ada@example.com"),
        choose("Plan", "Large"),
        check("I agree", true),
        click("the 'Create account' button"),
        wait_for("Welcome"),
        read("#how"),
    ]);
    let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    let read = "/welcome?email=ada%40example.com&plan=Large&terms=on";
    assert_eq!(state.finished.unwrap().results, [read]);
    let steps = assistant.steps(&run).unwrap();
    assert!(steps.iter().all(|step| step.state == StepState::Done), "{steps:#?}");
    assert_eq!(steps.iter().filter(|step| step.task == "t5").count(), 2, "a look and a click");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_several_things_fit_is_asked_and_the_chosen_one_is_done() {
    let rows = "<script>function hit(it) { document.title = it }</script>
        <ul><li>Oat milk <button onclick=\"hit('oat')\">Add</button></li>
        <li>Rice <button onclick=\"hit('rice')\">Add</button></li></ul>";
    let site = Site::start(move |_| html(rows)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut stream = assistant.subscribe();
    let tasks = chain(vec![open(site.origin()), click("Add")]);
    let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
    let request = asked(&mut stream).await;
    assert_eq!(request.choices.len(), 2, "{request:?}");
    let waiting = assistant.runs().unwrap().remove(0);
    assert_eq!(waiting.status, RunStatus::Waiting);
    assert_eq!(statuses(&waiting)[1], TaskStatus::RequiresAssistance);
    assistant.answer(reply_to(&request, Reaction::Said("the rice one".into()))).unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    let page = assistant.page("s").await.unwrap();
    assert_eq!(page.title, "rice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_that_only_mentions_the_words_is_not_clicked_unless_the_person_says_so() {
    let page = "<title>Untouched</title>
        <p id=sentence>To log in, call us.</p><p><span id=whole>Opening hours</span></p>
        <script>document.addEventListener('click', it => { document.title = it.target.id })</script>";
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    for (target, answer, title) in [
        ("Log in", Some(Reaction::Skip), "Untouched"),
        ("Log in", Some(Reaction::Said("1".into())), "sentence"),
        ("Opening hours", None, "whole"),
    ] {
        let mut stream = assistant.subscribe();
        let tasks = chain(vec![open(site.origin()), click(target)]);
        let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
        if let Some(answer) = answer {
            let request = asked(&mut stream).await;
            assert!(request.choices[0].contains("To log in, call us."), "{request:?}");
            assistant.answer(reply_to(&request, answer)).unwrap();
        }
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(assistant.page("s").await.unwrap().title, title, "{state:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missed_is_looked_for_again_when_the_person_has_done_something() {
    let site = Site::start(|_| html("<p>To log in, call us.</p>")).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut stream = assistant.subscribe();
    let tasks = chain(vec![open(site.origin()), click("Log in")]);
    let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
    for answer in [Reaction::Done, Reaction::Said("2".into()), Reaction::Skip] {
        let request = asked(&mut stream).await;
        assert_eq!(request.choices[1..], [LOOK_AGAIN], "{request:?}");
        assistant.answer(reply_to(&request, answer)).unwrap();
    }
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(outcome(&state, 1), "left out, as you said");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_changes_nothing_says_so_and_is_tried_a_third_time_only_if_the_person_wants() {
    let site = Site::start(|_| html("<button>Nothing</button><button>Other</button>")).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    for (answer, expected, clicks) in [
        (Reaction::Said("no".into()), "not tried a third time", 2),
        (Reaction::Said("2".into()), "nothing observable changed", 3),
        (Reaction::Said("1".into()), "done by you", 2),
        (Reaction::Done, "done by you", 2),
        (Reaction::Skip, "left out, as you said", 2),
    ] {
        let mut tasks =
            chain(vec![open(site.origin()), click("Nothing"), click("Nothing"), click("Nothing")]);
        for task in &mut tasks[1..] {
            task.dependencies = vec!["t1".into()];
        }
        let mut stream = assistant.subscribe();
        let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
        let request = asked(&mut stream).await;
        assert!(request.message.contains("changed nothing twice"), "{request:?}");
        assistant.answer(reply_to(&request, answer)).unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert!(outcome(&state, 1).contains("nothing observable changed"), "{state:#?}");
        assert!(outcome(&state, 3).contains(expected), "{state:#?}");
        let steps = assistant.steps(&run).unwrap();
        assert_eq!(steps.iter().filter(|step| step.tool == "browser_click").count(), clicks);
        let finished = state.finished.unwrap();
        assert!(finished.summary.contains("nothing observable"), "{finished:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_is_repeated_until_what_it_is_to_bring_is_there_and_not_in_vain() {
    let page = "<p id=city>Bern</p><p id=count>0</p><button>Idle</button>
        <button onclick=\"city.textContent = ['Rome', 'Oslo', 'Lima'][count.textContent++]\">Next</button>";
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    for (target, words, clicks, expected) in [
        ("Next", "Oslo", 2, "\"Oslo\" is there after 2 clicks"),
        ("Next", "Bern", 0, "\"Bern\" is there after 0 clicks"),
        (
            "Idle",
            "Oslo",
            1,
            "\"Oslo\" did not appear after 1 click, the last of which changed nothing",
        ),
    ] {
        let tasks = chain(vec![open(site.origin()), click_until(target, words)]);
        let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(outcome(&state, 1), expected, "{state:#?}");
        let steps = assistant.steps(&run).unwrap();
        let made = steps.iter().filter(|step| step.tool == "browser_click").count();
        assert_eq!(made, clicks, "{steps:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_task_stops_only_what_depends_on_it() {
    let site =
        Site::start(|_| html("<button onclick=\"this.textContent='Pressed'\">Go</button>")).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut tasks = chain(vec![open(site.origin()), click("Zebra"), click("Giraffe"), click("Go")]);
    tasks[3].dependencies = vec!["t1".into()];
    let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    use TaskStatus::{Completed, Failed};
    assert_eq!(statuses(&state), [Completed, Failed, Failed, Completed], "{state:#?}");
    assert_eq!(outcome(&state, 2), "not begun because t2 failed");
    assert_eq!(state.status, RunStatus::Failed);
    assert_eq!(state.finished.unwrap().undone.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_that_blocks_the_page_is_answered_as_the_person_says() {
    let page = "<p id=log>Nothing yet</p>
        <button onclick=\"log.textContent = confirm('Delete it?') ? 'Deleted' : 'Kept'\">Delete</button>
        <button onclick=\"log.textContent += ', then saved'\">Save</button>";
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    for (answer, expected) in [("OK", "Deleted, then saved"), ("Cancel", "Kept, then saved")] {
        let mut stream = assistant.subscribe();
        let tasks = chain(vec![open(site.origin()), click("Delete"), click("Save"), read("#log")]);
        let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
        let request = asked(&mut stream).await;
        assert!(request.message.contains("Delete it?"), "{request:?}");
        assert_eq!(request.choices, ["OK", "Cancel"]);
        assistant.answer(reply_to(&request, Reaction::Said(answer.into()))).unwrap();
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
        assert_eq!(state.finished.unwrap().results, [expected]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_late_and_what_is_named_in_other_words_is_found() {
    let page = "<button onclick=\"setTimeout(() => document.body.insertAdjacentHTML('beforeend',
            '<p><a href=#x onclick=&quot;document.title=1&quot;>Check out</a></p>'), 1500)\">Start</button>";
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let tasks = chain(vec![open(site.origin()), click("Start"), click("the \"Check-out\" button")]);
    let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    assert_eq!(assistant.page("s").await.unwrap().title, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_of_an_element_is_all_of_it_that_can_be_seen() {
    let terms: Vec<String> = (1..=200).map(|number| format!("{number}. Be kind.")).collect();
    let page = format!(
        "<p id=terms>{}</p><table id=plans><tr><th>Plan<th>Price<tr><td>Basic<td>5<tr><td>Large<td>9</table>
        <ul><li>Oat milk<li hidden>Ghost<li>Rice</ul><label>Note <input value='By hand'></label>",
        terms.join("<br>")
    );
    let site = Site::start(move |_| html(&page)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let tasks = ["#terms", "#plans", "li", "Note"].map(read);
    let tasks = chain([open(site.origin())].into_iter().chain(tasks).collect());
    let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    let plans = "Plan\tPrice\nBasic\t5\nLarge\t9";
    let expected = [&terms.join("\n"), plans, "Oat milk\nRice", "By hand"];
    assert_eq!(state.finished.unwrap().results, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_what_an_element_says_is_not_taken_for_all_of_it() {
    let site = Site::start(|_| html("<p id=plans>Basic 5, Large 9</p>")).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let tasks = chain(vec![open(site.origin()), extract("the prices", "#plans")]);
    let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(statuses(&state)[1], TaskStatus::Failed, "{state:#?}");
    assert!(outcome(&state, 1).contains("there is no model to find out"), "{state:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_read_is_asked_where_the_words_fit_several_things() {
    let page = "<p>Total: 30</p><p>Total: 45</p><p hidden>Total: 60</p>";
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut stream = assistant.subscribe();
    let tasks = chain(vec![open(site.origin()), read("Total")]);
    let run = assistant.start_tasks(execute("s"), tasks, "q1").unwrap();
    let request = asked(&mut stream).await;
    assert_eq!(request.message, "Which one is meant by \"Total\"?");
    assert_eq!(request.choices.len(), 2, "{request:?}");
    assistant.answer(reply_to(&request, Reaction::Said("the second one".into()))).unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.finished.unwrap().results, ["Total: 45"]);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn runs_are_kept_where_nobody_else_can_look() {
    use std::os::unix::fs::PermissionsExt as _;
    let rig = Rig::new();
    let folder = rig.folder.path().join("runs");
    drop(assistant(rig.host.clone(), rig.folder.path()));
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("runs.db"))), (0o700, 0o600));
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let host = rig.host.clone();
    let refused =
        legwork_agent::run::Assistant::new(host, crate::errand::settings(rig.folder.path()));
    let why = refused.err().expect("a folder that others can look into is refused").to_string();
    assert!(why.contains("others can look into it"), "{why}");
}
