//! `legwork policy`, and what happens to calls when the policy cannot be read.

use crate::support::User;

fn write(user: &User, name: &str, text: &str) -> String {
    let path = user.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn a_policy_file_is_tried_out() {
    let user = User::new();
    write(&user, "good.toml", "preset = \"web\"\n[hosts]\nblock = [\"*.evil.example\"]\n");
    assert_eq!(
        user.done(&["policy", "check", "good.toml"]),
        "ok: good.toml starts from the preset web\n"
    );
    assert_eq!(user.json(&["policy", "check", "good.toml"])["preset"], "web");
    let bad = write(&user, "bad.toml", "preset = \"web\"\n[hosts]\nblok = []\n");
    let ended = user.run(&["policy", "check", "bad.toml"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    let said = format!("error[invalid_policy]: {bad}:3:1: unknown field `blok`");
    assert!(ended.err.starts_with(&said), "{}", ended.err);
    assert!(ended.err.contains("\nhint: docs/policy.md"), "{}", ended.err);
    assert_eq!(user.run(&["policy", "check", "none.toml"]).code, 2);
}

#[test]
fn an_action_is_explained_with_its_rule() {
    let user = User::new();
    let pay = "click \"Pay now\" on https://shop.example/cart";
    let said = user.done(&["policy", "explain", pay, "--policy", "web"]);
    assert!(said.starts_with("ask: this pays or places an order"), "{said}");
    assert!(
        said.contains("\nrule: actions.destructive = \"ask\" (preset web)\nmeans: pay\n"),
        "{said}"
    );
    assert!(said.contains("nobody can be asked: refuse"), "{said}");
    let said = user.json(&["policy", "explain", "open http://2130706433/", "--policy", "web"]);
    assert_eq!(said["verdict"], "refuse");
    assert_eq!(said["rule"], "hosts.private = \"refuse\" (preset web)");
    let said = user.done(&["policy", "explain", "open", "http://localhost:3000"]);
    assert!(said.starts_with("allow: "), "{said}");
    let ended = user.run(&["policy", "explain", "fly to the moon"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("is no kind of action"), "{}", ended.err);
}

#[test]
fn the_rules_in_force_are_shown_with_where_they_come_from() {
    let user = User::new();
    let shown = user.done(&["policy", "show"]);
    assert!(shown.contains("# file: none (default)\npreset = \"open\""), "{shown}");
    let path = write(
        &user,
        ".config/legwork/policy.toml",
        "preset = \"web\"\n[actions]\neval = \"refuse\"\n",
    );
    let shown = user.done(&["policy", "show"]);
    assert!(shown.starts_with(&format!("# file: {path} (default)\npreset = \"web\"")), "{shown}");
    assert!(shown.contains("eval = \"refuse\"                      # the file"), "{shown}");
    assert!(shown.contains("private = \"refuse\"                   # preset web"), "{shown}");
    let user = user.with("LEGWORK_POLICY", "guarded");
    assert_eq!(user.json(&["policy", "show"])["from"], "LEGWORK_POLICY");
    assert_eq!(user.json(&["policy", "show", "--policy", "local"])["preset"], "local");
    assert!(user.done(&["config"]).contains("policy = \"guarded\""));
}

#[test]
fn nothing_is_done_by_a_policy_that_cannot_be_read() {
    let user = User::new();
    write(&user, ".config/legwork/policy.toml", "preset = \"web\"\n[hosts\n");
    for arguments in [&["open", "about:blank"][..], &["snapshot"], &["policy", "show"], &["config"]]
    {
        let ended = user.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains("policy.toml:2:7: "), "{arguments:?}: {}", ended.err);
    }
    for door in [&["sidecar"][..], &["mcp"]] {
        let ended = user.run(door);
        assert_ne!(ended.code, 0, "{door:?}: {}", ended.out);
        assert!(ended.err.contains("policy.toml:2:7: "), "{door:?}: {}", ended.err);
    }
    let ended = user.run(&["open", "about:blank", "--policy", "none.toml"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    let ended = user.run(&["open", "about:blank", "--policy", "strict"]);
    assert!(ended.err.contains("--policy: there is no preset \"strict\""), "{}", ended.err);
}

#[test]
fn what_the_policy_refuses_is_not_done_and_a_changed_policy_counts_at_once() {
    let (user, site) = (User::new(), crate::support::Site::start());
    let path = write(&user, "policy.toml", "preset = \"open\"\n[actions]\neval = \"refuse\"\n");
    let user = user.with("LEGWORK_POLICY", &path);
    let ended = user.run(&["open", "data:text/html,<script>1</script>"]);
    assert!(ended.err.starts_with("error[denied]: such an address holds"), "{}", ended.err);
    user.done(&["open", &site.url("/")]);
    let ended = user.run(&["eval", "1 + 1"]);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.err.starts_with("error[denied]: this runs a script"), "{}", ended.err);
    assert!(ended.err.contains("actions.eval = \"refuse\""), "{}", ended.err);
    write(&user, "policy.toml", "preset = \"open\"\n");
    user.done(&["open", "data:text/html,<h1>Hello</h1>"]);
    assert_eq!(user.done(&["eval", "1 + 1"]), "2\n");
}

#[test]
fn the_guard_in_force_is_told_and_what_it_blocked_is_suggested() {
    let (user, site) = (User::new(), crate::support::Site::start());
    let host = site.url("/").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let policy =
        format!("preset = \"guarded\"\n[hosts]\nallow = [{host:?}]\n[actions]\neval = \"allow\"\n");
    write(&user, "policy.toml", &policy);
    let user = user.with("LEGWORK_POLICY", "./policy.toml");
    user.done(&["open", &site.url("/")]);
    let fetched = "fetch('http://127.0.0.2:8765/').then(() => 'reached', () => 'blocked')";
    assert!(user.done(&["eval", fetched]).contains("blocked"));
    let status = user.done(&["status"]);
    assert!(status.starts_with("policy: preset guarded and /"), "{status}");
    assert!(status.contains("guard: proxy"), "{status}");
    assert_eq!(user.json(&["status"])["policy"]["preset"], "guarded");
    let suggested = user.done(&["policy", "suggest"]);
    assert!(
        suggested.contains("allow = [") && suggested.contains("\"127.0.0.2:8765\","),
        "{suggested}"
    );
}
