//! `legwork secret`: says which secrets there are and whether they can be read, never what they are.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::json;

use crate::support::{Site, User, program};

#[test]
fn secrets_are_listed_and_checked_and_never_printed() {
    let user = User::new();
    let (policy, file) = (user.path("policy.toml"), user.path("password"));
    std::fs::write(&file, "hunter2-hunter2\n").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let text = format!(
        "preset = \"web\"\n[secrets.shop]\nfile = {file:?}\norigins = [\"https://shop.example/\"]\n\
         [secrets.code]\ncommand = [\"echo\", \"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\"]\ntotp = true\n\
         origins = [\"https://shop.example\"]\n"
    );
    std::fs::write(&policy, text).unwrap();
    let policy = policy.to_str().unwrap();
    let list = user.done(&["secret", "list", "--policy", policy]);
    assert!(list.contains("shop: from the file"), "{list}");
    assert!(
        list.contains("code: codes, from the command echo, for https://shop.example"),
        "{list}"
    );
    let open = user.run(&["secret", "check", "shop", "--policy", policy]);
    assert_eq!(open.code, 1, "{}", open.err);
    assert!(open.err.contains("chmod 600"), "{}", open.err);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let checked = user.done(&["secret", "check", "shop", "--policy", policy]);
    assert!(checked.contains("a value that can be used"), "{checked}");
    let code = user.done(&["secret", "check", "code", "--policy", policy]);
    assert!(code.contains("6-digit codes"), "{code}");
    let listed = user.json(&["secret", "list", "--policy", policy]);
    assert_eq!(listed["secrets"][1]["origins"][0], "https://shop.example");
    for said in [list, open.err, open.out, checked, code, listed.to_string()] {
        assert!(!said.contains("hunter2") && !said.contains("GEZDGNBV"), "{said}");
    }
    assert_eq!(user.run(&["secret", "check", "other", "--policy", policy]).code, 1);
    assert_eq!(user.run(&["secret", "list", "--policy", "/no/such"]).code, 2);
}

/// Linux asks the keyring by `secret-tool`: a stand-in answers what it should be asked and nothing else.
#[cfg(target_os = "linux")]
#[test]
fn the_keyring_is_asked_by_the_systems_own_program() {
    let user = User::new();
    std::fs::create_dir(user.path("bin")).unwrap();
    let answers = "[ \"$*\" = 'lookup service legwork name shop' ] && echo hunter2-hunter2 && exit 0\n\
                   echo hunter2-hunter2 >&2; exit 1";
    program(&user.path("bin/secret-tool"), answers);
    let path = format!("{}:{}", user.path("bin").display(), std::env::var("PATH").unwrap());
    let user = user.with("PATH", &path);
    let secret = |name: &str| {
        format!("[secrets.{name}]\nkeyring = {name:?}\norigins = [\"https://shop.example\"]\n")
    };
    let policy = user.path("policy.toml");
    let text = format!("preset = \"web\"\n{}{}", secret("shop"), secret("other"));
    std::fs::write(&policy, text).unwrap();
    let policy = policy.to_str().unwrap();
    let checked = user.done(&["secret", "check", "shop", "--policy", policy]);
    assert!(checked.contains("a value that can be used"), "{checked}");
    let missing = user.run(&["secret", "check", "other", "--policy", policy]);
    assert_eq!(missing.code, 1, "{}", missing.out);
    assert!(missing.err.contains("secret-tool store"), "{}", missing.err);
    for said in [checked, missing.err, missing.out] {
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn a_secret_that_is_typed_is_in_no_log_however_much_is_logged() {
    let site = Site::with(&[(
        "/",
        "<label>Pass <input type=password></label><label>User <input></label>",
    )]);
    let user = User::new();
    let file = user.path("password");
    std::fs::write(&file, "hunter2-hunter2\n").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let policy = format!(
        "preset = \"open\"\n[secrets.shop]\nfile = {file:?}\norigins = [{:?}]\n",
        site.url("")
    );
    std::fs::write(user.path("policy.toml"), policy).unwrap();
    let user = user.with("LEGWORK_POLICY", "./policy.toml");
    let calls = [
        ("browser_navigate", json!({ "url": site.url("/") })),
        ("browser_type", json!({ "target": "Pass", "text": "{{secret:shop}}" })),
        ("browser_fill_form", json!({ "fields": { "User": "{{secret:shop}}" } })),
        ("browser_snapshot", json!({})),
        (
            "browser_eval",
            json!({ "expression": "document.querySelectorAll('input')[1].value.length" }),
        ),
    ];
    let log = user.path("log");
    let mut command = user.command(&["--log", "trace", "sidecar"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log).unwrap());
    let mut sidecar = command.spawn().unwrap();
    let mut input = sidecar.stdin.take().unwrap();
    let mut answers = BufReader::new(sidecar.stdout.take().unwrap()).lines();
    let mut said = String::new();
    for (id, (method, params)) in calls.iter().enumerate() {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{request}").unwrap();
        said +=
            &answers.by_ref().map(Result::unwrap).find(|line| line.contains("\"id\":")).unwrap();
    }
    drop(input);
    assert!(sidecar.wait().unwrap().success());
    let log = std::fs::read_to_string(log).unwrap();
    assert!(said.contains("15"), "it was entered: {said}");
    assert!(log.contains("TRACE") && log.len() > 1000, "{log}");
    for told in [said, log] {
        assert!(!told.contains("hunter2"), "{told}");
    }
}
