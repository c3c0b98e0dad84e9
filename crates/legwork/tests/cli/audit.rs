//! The record, what is taken back, and what is stopped, as a user has them.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Ended, Sidecar, Site, User, signal, until_gone};

/// Runs until the test releases the site.
const HELD: &str = "fetch('/held').then(answer => answer.text())";

fn folder(user: &User) -> PathBuf {
    user.path(".local/state/legwork/audit")
}

fn calls(user: &User, arguments: &[&str]) -> Vec<Value> {
    let list = user.json(&[&["audit", "list"], arguments].concat());
    list["calls"].as_array().unwrap().clone()
}

/// Changes the record behind everybody's back.
fn tamper(user: &User, sql: &str) {
    let connection = rusqlite::Connection::open(folder(user).join("audit.db")).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn every_call_is_recorded_listed_shown_and_exported() {
    let (user, site) = (User::new(), Site::start());
    assert!(user.done(&["audit", "list"]).starts_with("nothing is recorded"));
    user.done(&["open", &site.url("/")]);
    user.done(&["type", "Email", "<b>me</b>@test.com"]);
    assert_eq!(user.run(&["click", "Nothing like it"]).code, 1);
    user.done(&["--session", "other", "eval", "1"]);
    let list = user.done(&["audit", "list"]);
    assert_eq!(list.lines().count(), 4, "{list}");
    assert!(list.contains("navigate") && list.contains("not_found"), "{list}");
    assert_eq!(calls(&user, &["--session", "other"]).len(), 1);
    assert_eq!(calls(&user, &["--tool", "type", "--since", "1h"]).len(), 1);
    assert_eq!(calls(&user, &["--ending", "failed"]).len(), 1);
    assert_eq!(calls(&user, &["--limit", "2"]).len(), 2);
    assert_eq!(calls(&user, &["--since", "2999-01-01"]).len(), 0);
    let call = &calls(&user, &["--tool", "browser_type"])[0];
    assert_eq!(call["closed"]["ending"], "answered", "{call}");
    let id = call["id"].to_string();
    let shown = user.done(&["audit", "show", &id]);
    assert!(shown.contains("browser_type (type): allow by"), "{shown}");
    assert!(shown.contains("session: default") && shown.contains(&site.url("/")), "{shown}");
    assert_eq!(user.run(&["audit", "show", "999"]).code, 1);
    let rows = user.done(&["audit", "export"]);
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), 12, "three rows a call");
    assert!(rows.windows(2).all(|pair| pair[1]["previous"] == pair[0]["hash"]));
    let page = user.path("report.html");
    user.done(&["audit", "export", "--format", "html", "--output", page.to_str().unwrap()]);
    assert_eq!(page.metadata().unwrap().mode() & 0o777, 0o600);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<h1>4 calls</h1>") && !page.contains("<b>me"), "{page}");
}

#[test]
fn verify_says_which_row_is_not_what_was_written() {
    let (user, site) = (User::new(), Site::start());
    user.done(&["open", &site.url("/")]);
    let head = user.done(&["audit", "head"]).trim().to_owned();
    user.done(&["eval", "1"]);
    let whole = user.json(&["audit", "verify", "--head", &head]);
    assert_eq!((&whole["whole"], &whole["rows"]), (&Value::Bool(true), &Value::from(6)));
    assert_eq!(user.run(&["audit", "verify", "--head", "12"]).code, 2);
    tamper(&user, "UPDATE event SET body = replace(body, 'allow', 'refuse') WHERE sequence = 2");
    let broken = user.run(&["audit", "verify"]);
    assert_eq!(broken.code, 1);
    assert!(
        broken.err.contains("from row 2 on") && broken.err.contains("was changed"),
        "{}",
        broken.err
    );
    tamper(&user, "UPDATE event SET body = replace(body, 'refuse', 'allow') WHERE sequence = 2");
    user.done(&["audit", "verify"]);
    tamper(&user, "DELETE FROM event WHERE sequence > 2");
    assert_eq!(user.run(&["audit", "verify"]).code, 1, "the head file knows more");
    std::fs::remove_file(folder(&user).join("head")).unwrap();
    assert!(user.done(&["audit", "verify"]).contains("no head is known"));
    let cut = user.run(&["audit", "verify", "--head", &head]);
    assert_eq!(cut.code, 1);
    assert!(cut.err.contains("the end is missing"), "{}", cut.err);
}

#[test]
fn a_killed_daemon_leaves_a_call_that_the_next_closes_as_interrupted() {
    let (user, site) = (User::new(), Site::start());
    user.done(&["open", &site.url("/")]);
    let call = user.start(&["eval", HELD]);
    site.until_asked();
    assert_eq!(calls(&user, &["--ending", "running"]).len(), 1);
    let daemon = user.daemon();
    signal("-KILL", daemon);
    until_gone(daemon);
    assert_eq!(Ended::of(call.wait_with_output().unwrap()).code, 4);
    site.release();
    user.done(&["eval", "1"]);
    let interrupted = calls(&user, &["--ending", "interrupted"]);
    assert_eq!(interrupted.len(), 1);
    assert_eq!(interrupted[0]["tool"], "browser_eval");
    user.done(&["audit", "verify"]);
}

#[test]
fn what_a_sidecar_runs_is_seen_and_stopped_from_another_terminal() {
    let (user, site) = (User::new(), Site::start());
    let mut sidecar = Sidecar::of(&user);
    sidecar.ask("browser_navigate", json!({ "url": site.url("/") }));
    let status = user.json(&["status"]);
    assert_eq!(status["running"], false, "{status}");
    assert_eq!(status["elsewhere"][0]["sessions"][0]["url"], site.url("/"), "{status}");
    let plain = user.done(&["status"]);
    assert!(plain.contains("sessions of process ") && plain.contains(&site.url("/")), "{plain}");
    let held = sidecar.send("browser_eval", json!({ "expression": HELD, "timeout": "10m" }));
    site.until_asked();
    assert_eq!(user.done(&["stop"]), "nothing was running\n");
    assert_eq!(user.done(&["stop", "--all"]), "stopped 1 call\n");
    let answer = sidecar.answer(held);
    assert_eq!(answer["error"]["data"]["code"], "ERR_CANCELLED", "{answer}");
    site.release();
    signal("-STOP", sidecar.id());
    let ended = user.run(&["stop", "--all"]);
    signal("-CONT", sidecar.id());
    assert_eq!((ended.code, ended.out.as_str()), (4, "stopped 0 calls\n"), "{}", ended.err);
    assert!(ended.err.contains(&sidecar.id().to_string()), "{}", ended.err);
    sidecar.end();
    assert_eq!(user.json(&["status"])["elsewhere"], json!([]));
}

#[test]
fn what_a_sidecar_blocked_is_suggested_also_when_its_session_is_closed() {
    let (user, site) = (User::new(), Site::start());
    let host = site.url("/").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let rules =
        format!("preset = \"guarded\"\n[hosts]\nallow = [{host:?}]\n[actions]\neval = \"allow\"\n");
    std::fs::write(user.path("policy.toml"), rules).unwrap();
    let user = user.with("LEGWORK_POLICY", "./policy.toml");
    assert_eq!(user.done(&["policy", "suggest"]), "nothing was blocked in what runs now\n");
    let fetched = "fetch('http://127.0.0.2:8765/').then(() => 'reached', () => 'blocked')";
    let mut sidecar = Sidecar::of(&user);
    sidecar.ask("browser_navigate", json!({ "url": site.url("/") }));
    sidecar.ask("browser_eval", json!({ "expression": fetched }));
    let suggests = || user.done(&["policy", "suggest"]);
    assert!(suggests().contains("\"127.0.0.2:8765\","), "{}", suggests());
    sidecar.ask("browser_close", json!({}));
    assert!(suggests().contains("\"127.0.0.2:8765\","), "{}", suggests());
    sidecar.end();
    // The daemon is counted once, also when it has no session any more.
    user.done(&["open", &site.url("/")]);
    user.done(&["eval", fetched]);
    user.done(&["close"]);
    assert_eq!(suggests().matches("127.0.0.2:8765").count(), 1, "{}", suggests());
    let blocked = user.json(&["policy", "suggest"]);
    let all = blocked.as_array().unwrap();
    let twice = all.iter().enumerate().find(|(at, one)| all[..*at].contains(one));
    assert_eq!((all.is_empty(), twice), (false, None), "{blocked}");
}

#[test]
fn what_runs_is_stopped_from_another_terminal_and_both_ways_are_recorded() {
    let (user, site) = (User::new(), Site::start());
    assert_eq!(user.done(&["stop"]), "nothing was running\n");
    user.done(&["open", &site.url("/")]);
    let call = user.start(&["eval", HELD, "--timeout", "10m"]);
    site.until_asked();
    assert_eq!(user.done(&["stop", "--session", "other"]), "nothing was running\n");
    assert_eq!(user.done(&["stop"]), "stopped 1 call\n");
    let ended = Ended::of(call.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{}", ended.err);
    assert!(ended.err.contains("stopped"), "{}", ended.err);
    site.release();
    let call = user.start(&["eval", HELD, "--timeout", "10m"]);
    site.until_asked();
    signal("-INT", call.id());
    assert_eq!(Ended::of(call.wait_with_output().unwrap()).code, 130);
    // The next call has its turn when the last has ended, which the site did not make it do.
    let title = user.json(&["eval", "document.title"]);
    assert_eq!(title["data"]["value"], "Login");
    assert_eq!(calls(&user, &["--ending", "stopped"]).len(), 1);
    assert_eq!(calls(&user, &["--ending", "cancelled"]).len(), 1);
    site.release();
}

#[test]
fn the_last_actions_are_taken_back() {
    let (user, site) = (User::new(), Site::start());
    user.done(&["open", &site.url("/")]);
    user.done(&["type", "Email", "first@test.com"]);
    user.done(&["type", "Email", "second@test.com"]);
    user.done(&["fill", "Password=secret"]);
    let history = user.done(&["history"]);
    assert_eq!(history.lines().count(), 4, "{history}");
    assert!(history.ends_with("filled Password\n"), "{history}");
    assert!(!history.contains("secret") && !history.contains("test.com"), "{history}");
    let undone = user.done(&["undo", "2"]);
    assert_eq!(undone.lines().filter(|line| line.starts_with("undone: ")).count(), 2, "{undone}");
    let held = user.json(&["eval", "email.value + password.value"]);
    assert_eq!(held["data"]["value"], "first@test.com");
    assert_eq!(user.run(&["undo", "0"]).code, 2);
    user.done(&["fill", "Email=admin@test.com", "Password=x", "--submit"]);
    let refused = user.run(&["undo"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("the form was sent"), "{}", refused.err);
    assert!(user.done(&["audit", "list", "--tool", "legwork.undo"]).lines().count() == 2);
}

#[test]
fn nothing_is_recorded_where_that_was_asked_for_and_nothing_done_where_it_cannot_be() {
    let user = User::new().with("LEGWORK_AUDIT", "off");
    user.done(&["eval", "1"]);
    assert!(!folder(&user).exists());
    assert!(user.run(&["audit", "list"]).err.contains("audit is off"));
    drop(user);
    let user = User::new().with("LEGWORK_AUDIT", "/proc/nowhere");
    let ended = user.run(&["eval", "1"]);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("cannot be recorded, so it was not done"), "{}", ended.err);
    let there = user.path("there");
    let there = there.to_str().unwrap();
    user.done(&["--audit", there, "eval", "1"]);
    assert_eq!(
        user.json(&["--audit", there, "audit", "list"])["calls"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn pictures_are_kept_under_their_hash_by_who_asks_for_it() {
    for (kept, count) in [("false", 0), ("true", 1)] {
        let (user, site) = (User::new().with("LEGWORK_AUDIT_PICTURES", kept), Site::start());
        user.done(&["open", &site.url("/")]);
        user.done(&["screenshot"]);
        let call = &calls(&user, &["--tool", "take_screenshot"])[0];
        let shown = user.done(&["audit", "show", &call["id"].to_string()]);
        assert_eq!(shown.matches("picture: image/").count(), count, "{shown}");
        let files: Vec<_> = std::fs::read_dir(folder(&user).join("pictures"))
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap())
            .collect();
        assert_eq!(files.len(), count);
        for file in files {
            assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
            let name = file.file_name().into_string().unwrap();
            let hash = name.split('.').next().unwrap();
            assert!(shown.contains(hash), "{name}: {shown}");
            let sum = std::process::Command::new("sha256sum").arg(file.path()).output().unwrap();
            assert!(String::from_utf8(sum.stdout).unwrap().starts_with(hash), "{name}");
        }
    }
}
