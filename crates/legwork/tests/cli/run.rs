//! `legwork run`, `chat` and `runs`: plain language at the real program, in a real Chrome.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Site, User, at_terminal, at_terminal_seeing, signal};

/// The states that a run told, as they stand in its messages.
pub fn states(out: &str) -> Vec<Value> {
    let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let states = lines.filter(|message| message["type"] == "STATE_UPDATE");
    states.map(|mut message| message["payload"].take()).collect()
}

fn log_in(site: &Site) -> String {
    let url = site.url("/");
    format!(
        "go to {url}, type admin@test.com into Email, press Log in, wait for Welcome, take a screenshot"
    )
}

#[test]
fn an_instruction_in_plain_language_is_done_without_a_model() {
    let (user, site) = (User::new(), Site::start());
    let ended = user.run(&["run", &log_in(&site), "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let states = states(&ended.out);
    let last = states.last().unwrap();
    assert_eq!(last["status"], "completed", "{last}");
    assert_eq!(last["usage"]["turns"], 0, "no model was asked");
    let tasks = last["tasks"]["tasks"].as_array().unwrap();
    let kinds: Vec<&str> = tasks.iter().map(|task| task["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["navigate", "input", "click", "wait", "extract"]);
    assert!(tasks.iter().all(|task| task["status"] == "completed"), "{last}");
    let picture = last["finished"]["results"][0].as_str().unwrap();
    let path = picture.split("saved as ").nth(1).unwrap().trim_end_matches(')');
    assert_eq!(&std::fs::read(path).unwrap()[1..4], b"PNG");
    // The other commands are in the same session.
    assert!(user.done(&["eval", "document.title"]).contains("Dashboard"));
    let runs = user.json(&["runs"]);
    assert_eq!(runs["runs"][0]["runId"], last["runId"]);
    let one = user.done(&["runs", last["runId"].as_str().unwrap()]);
    assert!(one.contains("browser_click"), "{one}");
}

#[test]
fn plain_lines_tell_each_change_and_the_result_stands_alone() {
    let (user, site) = (User::new(), Site::start());
    let text = format!("go to {}\nread the page", site.url("/dashboard"));
    let ended = user.fed(&["run", "-"], &text);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("Welcome, admin"), "{}", ended.out);
    assert!(!ended.err.contains('\x1b'), "no colours: {}", ended.err);
    for said in ["to do 1. ", "doing 1. ", "done 1. ", "done 2. ", "completed · 2 of 2 done"] {
        assert_eq!(ended.err.matches(said).count(), 1, "{said}: {}", ended.err);
    }
}

#[test]
fn what_is_not_understood_is_said_and_nothing_is_done() {
    let user = User::new();
    for (arguments, code, said) in [
        (&["run", "frobnicate the gizmo"][..], 1, "error[needs_person]: "),
        (&["run", " "], 2, "error[invalid_input]: the instruction is empty"),
        (&["run"], 2, "error: the following required arguments"),
        (&["run", "--resume", "r0"], 2, "error[not_found]: there is no run \"r0\""),
        (&["run", "--resume"], 2, "error[invalid_input]: there is no run to go on with"),
        (&["run", "--model", "nobody:x", "look"], 2, "error[invalid_input]: "),
        (&["run", "--max-cost", "free", "look"], 2, "error: invalid value 'free'"),
        (&["run", "--time-budget", "0s", "look"], 2, "error: invalid value '0s'"),
        (&["--session", "s2", "run", "--resume"], 2, "no run to go on with in session \"s2\""),
        (&["run", "tell me the delivery date"], 1, "hint: --model PROVIDER:NAME asks a model"),
        (&["runs", "--limit", "0"], 2, "error: invalid value '0'"),
        (&["runs", "r0"], 2, "error[not_found]: "),
    ] {
        // In this order there is no run yet when one is to be resumed.
        let fresh = User::new();
        let ended = if arguments.contains(&"--resume") { &fresh } else { &user }.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
    }
    let without = User::new().with("LEGWORK_BROWSER", "/nowhere/chrome");
    let ended = without.run(&["run", "go to http://localhost:1"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("error[browser_not_found]: "), "{}", ended.err);
}

/// A server that is asked once, and refuses; gives the head of what it was asked.
fn refusing() -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = std::thread::spawn(move || {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let (mut head, mut line) = (String::new(), String::new());
        while stream.read_line(&mut line).unwrap() > 2 {
            head += &line;
            line.clear();
        }
        let body = r#"{"error": {"message": "this key is not known here"}}"#;
        let length = body.len();
        let head_of_answer = format!(
            "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.get_mut().write_all(format!("{head_of_answer}{body}").as_bytes()).unwrap();
        head
    });
    (url, asked)
}

#[test]
fn the_configured_model_is_asked_with_its_key_which_is_never_printed() {
    let (url, asked) = refusing();
    let user = User::new()
        .with("LEGWORK_MODEL", "openai:gpt-5.4")
        .with("LEGWORK_MODEL_KEY", "env:WORK_KEY")
        .with("LEGWORK_MODEL_URL", &url)
        .with("WORK_KEY", "sk-very-secret");
    let config = user.done(&["config"]);
    assert!(config.contains("model_key = \"env:WORK_KEY\""), "{config}");
    let ended = user.run(&["run", "find me something nice", "--max-turns", "1"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("this key is not known here (401)"), "{}", ended.err);
    assert!(!ended.err.contains("--resume"), "nothing was done: {}", ended.err);
    let head = asked.join().unwrap();
    assert!(head.to_ascii_lowercase().contains("authorization: bearer sk-very-secret"), "{head}");
    let runs = user.done(&["runs", "--json"]);
    for said in [config, ended.err, ended.out, runs] {
        assert!(!said.contains("sk-very-secret"), "{said}");
    }
    let without = user.with("LEGWORK_MODEL_KEY", "env:NOT_THERE").run(&["run", "look around"]);
    assert_eq!(without.code, 2, "{}", without.err);
    assert!(without.err.contains("the variable NOT_THERE is not set"), "{}", without.err);
}

#[test]
#[cfg(target_os = "linux")]
fn a_key_in_the_keyring_is_got_from_the_system_s_own_program() {
    use std::os::unix::fs::PermissionsExt as _;
    let (url, asked) = refusing();
    let user = User::new();
    // A stand-in for the program: a keyring needs a desktop. What it is asked is what it knows.
    let program = user.path("secret-tool");
    let script =
        "#!/bin/sh\n[ \"$*\" = 'lookup service legwork name work' ] && echo sk-in-a-ring\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", user.folder.path().display(), std::env::var("PATH").unwrap());
    let user = user
        .with("PATH", &path)
        .with("LEGWORK_MODEL", "openai:gpt-5.4")
        .with("LEGWORK_MODEL_KEY", "keyring:work")
        .with("LEGWORK_MODEL_URL", &url);
    let ended = user.run(&["run", "find me something nice", "--max-turns", "1"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    let head = asked.join().unwrap();
    assert!(head.to_ascii_lowercase().contains("authorization: bearer sk-in-a-ring"), "{head}");
    assert!(!ended.err.contains("sk-in-a-ring") && !ended.out.contains("sk-in-a-ring"));
    let other = user.with("LEGWORK_MODEL_KEY", "keyring:other").run(&["run", "look around"]);
    assert_eq!(other.code, 2, "{}", other.err);
    assert!(other.err.contains("secret-tool store --label legwork service legwork name other"));
}

/// The message that answers a request for help.
pub fn answer(request: &Value, response: Value) -> Value {
    let response = json!({
        "requestId": request, "response": response, "timestamp": "2026-11-16T00:00:00Z",
    });
    json!({ "requestId": "a", "type": "USER_ASSISTANCE", "payload": { "response": response } })
}

/// Waits for a state in the messages of a run.
pub fn until(lines: &mut BufReader<ChildStdout>, wanted: impl Fn(&Value) -> bool) -> Value {
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 {
        let mut message: Value = serde_json::from_str(&line).unwrap();
        if message["type"] == "STATE_UPDATE" && wanted(&message["payload"]) {
            return message["payload"].take();
        }
        line.clear();
    }
    panic!("the run ended before");
}

/// Interrupts a run, which ends within 200 ms, and gives what it said.
fn interrupted(mut run: Child) -> String {
    let began = Instant::now();
    signal("-INT", run.id());
    let status = run.wait().unwrap();
    let took = began.elapsed();
    let mut said = String::new();
    run.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(took < Duration::from_millis(200), "it took {took:?}");
    said
}

/// What an interrupted run says: so much was done, so much was not, and how it goes on.
fn tells(said: &str, done: usize, not_done: usize) {
    let lines = |mark: &str| said.lines().filter(|line| line.starts_with(mark)).count();
    assert_eq!((lines("done: "), lines("not done: ")), (done, not_done), "{said}");
    assert!(said.contains("error[cancelled]: interrupted"), "{said}");
    assert!(said.contains("legwork run --resume r"), "{said}");
}

#[test]
fn an_interrupt_stops_within_200_ms_and_tells_what_was_done_alone() {
    let (user, site) = (User::new(), Site::start());
    let text = format!("go to {}, go to {}, read the page", site.url("/"), site.url("/held"));
    let run = user.start(&["run", &text]);
    site.until_asked();
    tells(&interrupted(run), 1, 2);
    // The browser lives, and the run goes on from there. Who looks before the page is answered finds it as it was.
    assert!(user.done(&["eval", "document.title"]).contains("Login"));
    // Once for the page that was asked for, and once if it is asked for again.
    site.release();
    site.release();
    let resumed = user.run(&["run", "--resume"]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    assert!(resumed.out.contains("released"), "{}", resumed.out);
}

#[test]
fn an_interrupt_is_heard_while_the_model_thinks_alone() {
    let model = TcpListener::bind("127.0.0.1:0").unwrap();
    let user = User::new()
        .with("LEGWORK_MODEL", "openai:gpt-5.4")
        .with("LEGWORK_MODEL_KEY", "env:WORK_KEY")
        .with("LEGWORK_MODEL_URL", &format!("http://{}", model.local_addr().unwrap()))
        .with("WORK_KEY", "sk-very-secret");
    let site = Site::start();
    let text = format!("go to {}, click \"Unicorn\", read the page", site.url("/dashboard"));
    let run = user.start(&["run", &text]);
    // It is asked what to do about the unicorn, and never answers.
    let _asked = model.accept().unwrap();
    tells(&interrupted(run), 1, 2);
    assert!(user.done(&["eval", "document.title"]).contains("Dashboard"));
}

#[test]
fn an_interrupt_is_heard_while_a_person_is_waited_for() {
    let user = User::new().with("NO_COLOR", "1");
    let site = Site::with(&[("/shop", "<title>Shop</title><a href=/>Members</a>")]);
    let text = format!("run 'go to {}, click Members, read the page'", site.url("/shop"));
    let ended = at_terminal(&user, &text, &[("You are needed: a sign-in", "\x03")]);
    assert_eq!(ended.code, 130, "{}", ended.out);
    // What was drawn, and the keys that were struck, are wiped away first.
    let (drawn, said) = ended.out.rsplit_once("\x1b[J").unwrap();
    assert!(drawn.contains("You are needed: a sign-in"), "{drawn}");
    tells(said, 2, 1);
    assert_eq!(user.json(&["runs"])["runs"][0]["status"], "stopped");
}

#[test]
fn a_killed_run_leaves_the_browser_and_is_resumed() {
    let (user, site) = (User::new(), Site::start());
    let text = format!(
        "go to {}, scroll to the bottom, go to {}, read the page",
        site.url("/dashboard"),
        site.url("/held")
    );
    let mut run = user.start(&["run", &text]);
    site.until_asked();
    let daemon = user.daemon();
    assert!(user.done(&["runs"]).contains("  running     go to "));
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(user.done(&["runs"]).contains("  interrupted go to "));
    // Once for the page that was asked for, and once if it is asked for again.
    site.release();
    site.release();
    let resumed = user.run(&["run", "--resume", "--json"]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    let states = states(&resumed.out);
    let last = states.last().unwrap();
    assert_eq!(last["status"], "completed", "{last}");
    assert!(last["finished"]["results"][0].as_str().unwrap().contains("released"), "{last}");
    assert_eq!(user.daemon(), daemon, "the same browser");
    let done = states[0]["tasks"]["tasks"].as_array().unwrap();
    assert_eq!(done[1]["status"], "completed", "what was done stays done: {}", states[0]);
}

const TWO: &str =
    "<title>Two</title><ul><li>Milk <button>Add</button><li>Rye <button>Add</button></ul>";

#[test]
fn without_a_person_a_question_ends_the_run_and_a_program_can_answer() {
    let user = User::new();
    std::fs::write(user.path("two.html"), TWO).unwrap();
    user.done(&["open", "./two.html"]);
    let ended = user.run(&["run", "click Add"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains("error[needs_person]: "), "{}", ended.err);
    assert!(ended.err.contains("!! You are needed"), "{}", ended.err);
    assert!(!ended.err.contains("It waits for"), "{}", ended.err);

    let mut command = user.command(&["run", "click Add", "--json"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut run = command.spawn().unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap());
    let waiting = until(&mut lines, |state| !state["assistance"].is_null());
    let asked = &waiting["assistance"];
    assert_eq!(asked["choices"].as_array().unwrap().len(), 2, "{asked}");
    let message = answer(&asked["id"], json!({ "said": "2" }));
    writeln!(run.stdin.as_mut().unwrap(), "{message}").unwrap();
    let last = until(&mut lines, |state| state["status"] == "completed");
    assert!(last["tasks"]["tasks"][0]["outcome"].as_str().unwrap().contains("Rye"), "{last}");
    drop(run.stdin.take());
    assert_eq!(run.wait().unwrap().code(), Some(0));
}

#[test]
fn at_a_terminal_the_run_is_drawn_and_its_questions_are_answered() {
    let user = User::new();
    std::fs::write(user.path("two.html"), TWO).unwrap();
    user.done(&["open", "./two.html"]);
    let ended = at_terminal(
        &user,
        "run --plan 'click Add'",
        &[("Begin with", "1\n"), ("Which one", "2\n")],
    );
    assert_eq!(ended.code, 0, "{}", ended.out);
    assert!(ended.out.contains("\x1b[32m  ✓ 1. "), "{}", ended.out);
    assert!(ended.out.contains("!! You are needed: a question"), "{}", ended.out);
    let user = user.with("NO_COLOR", "1");
    let plain = at_terminal(&user, "run 'read the page'", &[]);
    assert!(plain.out.contains("  ✓ 1. "), "{}", plain.out);
    assert!(!plain.out.contains("\x1b[32m"), "{}", plain.out);
}

#[test]
fn nobody_is_sent_to_a_window_that_is_not_there() {
    let (user, site) = (User::new(), Site::start());
    user.done(&["open", &site.url("/")]);
    assert_eq!(user.json(&["sessions"])["sessions"][0]["headless"], true);
    let ended = at_terminal(&user, "run 'read the page'", &[("--headed shows one", "/stop\n")]);
    assert_eq!(ended.code, 130, "{}", ended.out);
    assert!(ended.out.contains("You are needed: a sign-in"), "{}", ended.out);
    assert!(!ended.out.contains("the browser's window"), "{}", ended.out);
}

#[test]
fn what_the_policy_wants_asked_is_asked_at_the_terminal_of_the_run() {
    let user = User::new();
    let policy =
        "preset = \"open\"\n[actions]\nclick = \"ask\"\n[approvals]\nunanswered = \"refuse\"\n";
    std::fs::write(user.path("policy.toml"), policy).unwrap();
    let page = "<title>Shop</title><button onclick='document.title = \"paid\"'>Pay now</button>";
    std::fs::write(user.path("shop.html"), page).unwrap();
    let user = user.with("LEGWORK_POLICY", "./policy.toml");
    user.done(&["open", "./shop.html"]);
    let ended = at_terminal(&user, "run 'click Pay now'", &[("Approve?", "y\n")]);
    assert_eq!(ended.code, 0, "{}", ended.out);
    assert!(ended.out.contains("approved: "), "{}", ended.out);
    assert!(user.done(&["eval", "document.title"]).contains("paid"));
    user.done(&["reload"]);
    let refused =
        at_terminal(&user, "run 'click Pay now'", &[("Approve?", "n\n"), ("Approve?", "n\n")]);
    assert_eq!(refused.code, 1, "{}", refused.out);
    assert!(user.done(&["eval", "document.title"]).contains("Shop"));
}

#[test]
fn a_conversation_goes_on_in_one_session() {
    let (user, site) = (User::new(), Site::start());
    let text =
        format!("go to {}\nnonsense\n/plan\n/plan\nread the page\n/quit\n", site.url("/dashboard"));
    let ended = user.fed(&["chat"], &text);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains("error[step_failed]: 1 instruction was not done"), "{}", ended.err);
    assert!(ended.out.contains("Welcome, admin"), "{}", ended.out);
    assert!(ended.err.contains("error[needs_person]: "), "{}", ended.err);
    assert_eq!(ended.err.matches("completed · ").count(), 2, "{}", ended.err);
    assert_eq!(user.json(&["runs"])["runs"].as_array().unwrap().len(), 3);
}

#[test]
fn what_is_typed_while_it_works_is_heard() {
    let (user, site) = (User::new(), Site::start());
    let instruction = format!("go to {}, read the page\n", site.url("/held"));
    let ended = at_terminal(
        &user,
        "chat",
        &[
            ("> ", instruction.as_str()),
            ("opening", "/skip\n"),
            ("Nothing is asked now", "/bogus\n"),
            ("There is no such command", "/stop\n"),
            ("Stopped: ", "/save\n"),
            ("/save wants a file", "/quit\n"),
        ],
    );
    assert_eq!(ended.code, 0, "{}", ended.out);
    assert!(ended.out.contains("not done: t2 Read the page"), "{}", ended.out);
    assert_eq!(user.json(&["runs"])["runs"][0]["status"], "stopped");
}

#[test]
fn what_is_said_while_it_works_changes_what_follows() {
    let (user, site) = (User::new(), Site::start());
    let shirt = |colour: &str| {
        format!("<button onclick=\"document.title += ' {colour}'\">{colour} shirt</button>")
    };
    let page = format!("<title>Shirts:</title>{}{}", shirt("red"), shirt("blue"));
    std::fs::write(user.path("shirts.html"), page).unwrap();
    user.done(&["open", "./shirts.html"]);
    let instruction = format!("run 'go to {}, go back, click red shirt'", site.url("/held"));
    let answers = [("opening", "no, the blue one\n"), ("Heard.", "")];
    let ended = at_terminal_seeing(&user, &instruction, &answers, &|seen| {
        if seen == "Heard." {
            site.release();
        }
    });
    assert_eq!(ended.code, 0, "{}", ended.out);
    assert!(ended.out.contains("blue shirt"), "{}", ended.out);
    let title = user.done(&["eval", "document.title"]);
    assert!(title.contains("blue") && !title.contains("red"), "{title}");
}

#[test]
fn runs_are_deleted_by_name_or_but_for_the_latest() {
    let user = User::new();
    let page = "<title>A</title><h1>A</h1>";
    std::fs::write(user.path("a.html"), page).unwrap();
    user.done(&["open", "./a.html"]);
    for _ in 0..3 {
        assert_eq!(user.done(&["run", "read the heading"]).trim(), "A");
    }
    let ids = || -> Vec<String> {
        let runs = user.json(&["runs"]);
        let runs = runs["runs"].as_array().unwrap().iter();
        runs.map(|run| run["runId"].as_str().unwrap().to_owned()).collect()
    };
    let before = ids();
    assert_eq!(user.done(&["runs", "delete", &before[0]]).trim(), "1 run deleted");
    let again = user.run(&["runs", "delete", &before[0]]);
    assert_eq!(again.code, 2, "{}", again.err);
    assert!(again.err.contains("error[not_found]: there is no run"), "{}", again.err);
    assert_eq!(user.json(&["runs", "prune", "--keep", "1"]), json!({ "deleted": 1 }));
    assert_eq!(ids(), [before[1].clone()]);
}
