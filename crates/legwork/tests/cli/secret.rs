//! `legwork secret`: says which secrets there are and whether they can be read, never what they are.

use std::os::unix::fs::PermissionsExt;

use crate::support::User;

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
