//! The command line as users have it: the real program, a real Chrome, a small site on loopback.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod approve;
mod audit;
mod daemon;
mod demo;
mod documents;
mod household;
mod model;
mod panel;
mod policy;
mod recipe;
mod run;
mod secret;
mod shop;
mod skill;
mod support;
mod trips;
mod window;

use support::{Site, User};

#[test]
fn the_login_workflow_runs_in_the_words_of_its_specification() {
    let (user, site) = (User::new(), Site::start());
    let open = format!(r#"{{"url": "{}", "headless": true}}"#, site.url("/"));
    user.done(&["call", "browser_open", &open]);
    for arguments in [
        r##"{"action": "type", "selector": "#email", "value": "admin@test.com"}"##,
        r##"{"action": "type", "selector": "#password", "value": "password123"}"##,
        r#"{"action": "click", "selector": "button[type='submit']"}"#,
        r#"{"action": "wait_for_selector", "selector": ".dashboard-header"}"#,
    ] {
        user.done(&["call", "browser_act", arguments]);
    }
    let reply = user.json(&["call", "browser_extract", r#"{"format": "screenshot_base64"}"#]);
    assert_eq!(reply["data"]["format"], "screenshot_base64");
    assert!(reply["data"]["content"].as_str().unwrap().starts_with("iVBORw0KGgo"), "no PNG");
}

#[test]
fn the_example_host_finds_the_sidecar_and_signs_in_or_says_how_to_get_one() {
    let (user, site) = (User::new(), Site::start());
    let programs = std::path::Path::new(env!("CARGO_BIN_EXE_legwork")).parent().unwrap();
    let example = programs.join("examples/host");
    assert!(example.exists(), "cargo build -p legwork-protocol --features client --example host");
    let host = |path: &std::ffi::OsStr| {
        let mut command = std::process::Command::new(&example);
        let command = command.arg(site.url("/")).env("PATH", path).env("HOME", user.folder.path());
        support::Ended::of(command.env("LEGWORK_FILES", user.path("files")).output().unwrap())
    };
    let system = std::env::var_os("PATH").unwrap();
    let paths = [programs.to_owned()].into_iter().chain(std::env::split_paths(&system));
    let signed_in = host(&std::env::join_paths(paths).unwrap());
    assert_eq!(signed_in.code, 0, "{}", signed_in.err);
    assert!(signed_in.err.contains("registered browser_open"), "{}", signed_in.err);
    assert!(signed_in.err.contains("a picture of"), "{}", signed_in.err);
    let without = host("/nowhere".as_ref());
    assert_eq!(without.code, 1, "{}", without.err);
    assert!(without.err.contains("sidecar_not_found"), "{}", without.err);
    assert!(!without.err.contains("registered"), "{}", without.err);
}

#[test]
fn the_usage_examples_of_eval_run_in_the_words_of_their_specification() {
    let user = User::new();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/pages/usage.html");
    user.done(&["open", page]);
    let wait = "new Promise(r => {
  const check = () => document.querySelector('.loaded') ? r('ready') : setTimeout(check, 100);
  check();
})";
    for (expression, printed) in [
        ("document.querySelector('#submit-btn').click()", "undefined"),
        ("document.querySelector('.message').textContent", "Sent"),
        ("document.querySelector('#email').value = 'test@example.com'", "test@example.com"),
        (wait, "ready"),
        ("document.querySelector('#section').scrollIntoView()", ""),
        ("scrollY > 2000", "true"),
    ] {
        let said = user.done(&["eval", expression]);
        assert!(said.contains(printed), "{expression}: {said}");
    }
}

#[test]
fn the_login_workflow_takes_two_commands() {
    let (user, site) = (User::new(), Site::start());
    let seen = user.done(&["open", &site.url("/")]);
    assert!(seen.contains("Log in"), "{seen}");
    let done = user.done(&["fill", "Email=admin@test.com", "Password=password123", "--submit"]);
    assert!(done.contains("Welcome, admin"), "{done}");
    assert!(!done.contains("password123"), "{done}");
    let picture = user.path("dashboard.png");
    let said = user.done(&["screenshot", picture.to_str().unwrap()]);
    assert!(said.contains("dashboard.png"), "{said}");
    assert_eq!(&std::fs::read(picture).unwrap()[1..4], b"PNG");
}

#[test]
fn every_exit_code_says_what_it_should() {
    let (user, site) = (User::new(), Site::start());
    user.done(&["open", &site.url("/")]);
    for (arguments, code, said) in [
        (&["click", "Nowhere"][..], 1, "error[not_found]: "),
        (&["find", "Log in", "--in", "#nowhere"], 1, "error[not_found]: "),
        (&["clik", "Log in"], 2, "error: unrecognized subcommand 'clik'"),
        (&["wait"], 2, "error: the following required arguments"),
        (
            &["call", "click", "{}"],
            2,
            "error[invalid_input]: browser_click: missing field `target`",
        ),
        (&["call", "nothing"], 2, "error[unknown_tool]: "),
        (&["fill", "Email"], 2, "error: invalid value 'Email'"),
        (&["wait", "--text", "never", "--timeout", "100ms"], 5, "error[timeout]: "),
    ] {
        let ended = user.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}: {}", ended.err);
        assert!(ended.err.starts_with(said), "{arguments:?}: {}", ended.err);
        assert_eq!(ended.out, "", "{arguments:?}");
    }
    let hint = user.run(&["click", "Nowhere"]).err;
    assert!(hint.contains("\nhint: "), "{hint}");
}

#[test]
fn without_a_browser_the_exit_code_is_3_and_doctor_names_the_cure() {
    let user = User::new().with("LEGWORK_BROWSER", "/nowhere/chrome");
    let ended = user.run(&["open", "http://localhost:1"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.starts_with("error[browser_not_found]: "), "{}", ended.err);
    let doctor = user.run(&["doctor"]);
    assert_eq!(doctor.code, 3, "{}", doctor.err);
    assert!(doctor.out.contains("wrong browser"), "{}", doctor.out);
    assert!(doctor.err.contains("hint: legwork install"), "{}", doctor.err);
}

/// What `install` may run is a shell command: none runs here, and none is found to ask.
#[test]
fn install_runs_nothing_unless_it_is_told_to() {
    let user = User::new();
    let there = user.done(&["install"]);
    assert!(there.starts_with("there is a browser already: /"), "{there}");
    assert_eq!(user.done(&["install", "--yes"]), there, "there is nothing to do");
    let command = user.done(&["install", "--print"]);
    assert_eq!(command.lines().count(), 1, "{command}");
    assert!(command.contains("install"), "{command}");
    assert_eq!(user.run(&["install", "--print", "--yes"]).code, 2, "one or the other");
    let without = User::new().with("LEGWORK_BROWSER", "/nowhere/chrome");
    let ended = without.run(&["install"]);
    assert_eq!((ended.code, ended.out.as_str()), (3, ""), "{}", ended.err);
    assert!(ended.err.contains("error[browser_not_found]: "), "{}", ended.err);
    assert!(ended.err.contains("hint: "), "{}", ended.err);
    assert!(ended.err.contains(command.trim()), "the same command: {}", ended.err);
}

/// The package manager that this system has, made up, and what it does; and `sudo`.
fn with_manager(user: User, does: &str) -> User {
    let (command, fakes) = (user.done(&["install", "--print"]), user.path("fakes"));
    let mut words = command.split_whitespace().filter(|word| *word != "sudo");
    std::fs::create_dir(&fakes).unwrap();
    for (name, script) in [("sudo", "exec \"$@\""), (words.next().unwrap(), does)] {
        support::program(&fakes.join(name), script);
    }
    let path = format!("{}:{}", fakes.display(), std::env::var("PATH").unwrap());
    let chrome = user.path("chrome").display().to_string();
    user.with("PATH", &path).with("LEGWORK_BROWSER", &chrome)
}

#[test]
fn install_runs_the_package_manager_and_says_what_came_of_it() {
    let makes = "echo '#!/bin/sh' > \"$LEGWORK_BROWSER\" && chmod +x \"$LEGWORK_BROWSER\"";
    let user = with_manager(User::new(), makes);
    let chrome = user.path("chrome");
    assert!(!chrome.exists());
    assert_eq!(user.done(&["install", "--yes"]), format!("installed: {}\n", chrome.display()));
    let there = user.done(&["install", "--yes"]);
    assert_eq!(there, format!("there is a browser already: {}\n", chrome.display()));
    for (does, said) in [("exit 100", "` failed"), ("exit 0", "chrome")] {
        let ended = with_manager(User::new(), does).run(&["install", "--yes"]);
        assert_eq!((ended.code, ended.out.as_str()), (3, ""), "{}", ended.err);
        assert!(ended.err.contains("error[browser_not_found]: "), "{}", ended.err);
        assert!(ended.err.contains(said), "{}", ended.err);
        assert_eq!(
            ended.err.contains("hint: mend what it says"),
            does == "exit 100",
            "{}",
            ended.err
        );
    }
}

#[test]
fn doctor_starts_the_browser_and_no_daemon() {
    let user = User::new();
    let said = user.done(&["doctor"]);
    assert!(said.contains("ok    page: started and loaded a page"), "{said}");
    assert!(said.contains("daemon: not running"), "{said}");
    assert_eq!(user.json(&["daemon", "status"])["running"], false);
}

#[test]
fn json_is_the_whole_reply_and_pictures_are_inside_only_when_asked_for() {
    let (user, site) = (User::new(), Site::start());
    let opened = user.json(&["open", &site.url("/")]);
    assert!(opened["text"].as_str().unwrap().contains("Log in"), "{opened}");
    assert_eq!(user.json(&["eval", "6 * 7"])["data"]["value"], 42);
    let picture = user.json(&["screenshot"]);
    assert_eq!(picture["images"][0]["media_type"], "image/png");
    assert!(picture["images"][0].get("data").is_none());
    assert!(std::path::Path::new(picture["data"]["path"].as_str().unwrap()).exists());
    let whole = user.json(&["screenshot", "--pictures"]);
    assert!(whole["images"][0]["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    let failed = user.run(&["click", "Nowhere", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&failed.err).unwrap();
    assert_eq!(error["error"]["code"], "not_found");
}

#[test]
fn a_batch_of_commands_comes_from_standard_input() {
    let (user, site) = (User::new(), Site::start());
    let steps = format!(
        "# sign in\nopen {}\ntype '#email' admin@test.com\ntype '#password' 'a b'\nclick 'button[type=submit]'\n",
        site.url("/")
    );
    let ended = user.fed(&["batch"], &steps);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("Welcome, admin"), "{}", ended.out);
    let wrong = user.fed(&["batch", "-"], "snapshot\nclik e1\n");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("line 2 of the batch"), "{}", wrong.err);
    let script = user.fed(&["eval", "-"], "1 +\n1");
    assert!(script.out.contains('2'), "{}", script.out);
}

#[test]
fn mistakes_in_the_configuration_have_a_line_and_a_column() {
    let user = User::new();
    std::fs::write(user.path("mine.toml"), "viewport = \"800x600\"\nheded = true\n").unwrap();
    let ended = user.run(&["--config", "mine.toml", "snapshot"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.err.starts_with("error[invalid_config]: mine.toml:2:1: there is no key `heded`"),
        "{}",
        ended.err
    );
    std::fs::write(user.path("mine.toml"), "viewport = \"800x600\"\n").unwrap();
    let shown = user.done(&["--config", "mine.toml", "config"]);
    assert!(shown.contains("viewport = \"800x600\""), "{shown}");
    assert!(shown.contains("# mine.toml:1"), "{shown}");
    let size = user.json(&["--config", "mine.toml", "eval", "innerWidth + 'x' + innerHeight"]);
    assert_eq!(size["data"]["value"], "800x600");
}

#[test]
fn completions_are_made_for_every_shell() {
    let user = User::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = user.done(&["completions", shell]);
        for word in
            ["legwork", "screenshot", "authenticate", "with-credentials", "dry-run", "no-ask"]
        {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn the_help_of_every_command_has_an_example_and_the_manual_has_them_all() {
    let user = User::new();
    let manual = include_str!("../../../../docs/cli.md");
    let mut seen = 0;
    let mut left: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(path) = left.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = user.done(&arguments);
        assert!(help.contains("Example:\n  "), "{path:?}: {help}");
        seen += 1;
        let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let commands = commands.take_while(|line| !line.is_empty());
        // What is indented more goes on with the line before it.
        let commands = commands.filter(|line| !line.starts_with("   "));
        let names = commands.filter_map(|line| line.split_whitespace().next());
        for name in names.filter(|name| *name != "help") {
            let documented = [' ', '`'].iter().any(|end| manual.contains(&format!("`{name}{end}")));
            assert!(documented || !path.is_empty(), "docs/cli.md does not have {name}");
            left.push(path.iter().cloned().chain([name.to_owned()]).collect());
        }
    }
    assert!(seen > 40, "only {seen} commands");
}

#[test]
fn tools_are_listed_and_described() {
    let user = User::new();
    let all = user.done(&["tools"]);
    assert!(all.lines().count() > 30, "{all}");
    let click = user.done(&["tools", "click"]);
    assert!(click.starts_with("browser_click: ") && click.contains("target "), "{click}");
    assert_eq!(user.run(&["tools", "nothing"]).code, 2);
}
