use std::path::Path;
use std::time::Duration;

use super::rules;
use crate::policy::facts::Kind;
use crate::policy::{PRESETS, Rules, Stance};
use crate::secrets::SecretSource;

#[test]
fn every_preset_is_a_policy() {
    for preset in PRESETS {
        let alone = Rules::preset(preset.name).unwrap();
        let file = rules(&format!("preset = {:?}", preset.name));
        assert_eq!(alone.lines(), file.lines());
        assert_eq!(alone.starts_from(), *preset);
    }
    assert_eq!(Rules::default().starts_from().name, "open");
    assert_eq!(Rules::preset("none"), None);
}

#[test]
fn mistakes_are_told_with_line_and_column() {
    let mut wrong = Vec::new();
    for (text, place, message) in [
        ("", "1:1", "what it starts from: preset = "),
        ("# nothing\n", "1:1", "what it starts from"),
        ("[hosts]\nblock = [\"evil.test\"]", "1:1", "what it starts from"),
        ("preset = \"opne\"", "1:10", "the presets are open, local, web, guarded"),
        ("preset = \"web\"\nallow = []", "2:1", "unknown field `allow`"),
        ("preset = \"web\"\n[hosts]\nalow = []", "3:1", "unknown field `alow`"),
        ("preset = \"web\"\n[hosts]\nblock = [\"a.com\", \"foo*.com\"]", "3:19", "names no host"),
        ("preset = \"web\"\n[hosts]\nblock = \"a.com\"", "3:9", "invalid type"),
        ("preset = \"web\"\n[hosts]\nprivate = \"maybe\"", "3:11", "unknown variant `maybe`"),
        ("preset = \"web\"\n[hosts]\nprivate = true", "3:11", "wanted string"),
        ("preset = \"web\"\n[hosts]\nschemes = [\"blob\"]", "3:12", "judged by what it holds"),
        ("preset = \"web\"\n[paths]\nblock = [\"checkout\"]", "3:10", "is no path"),
        ("preset = \"web\"\n[actions]\nclik = \"ask\"", "3:1", "there is no action \"clik\""),
        ("preset = \"web\"\n[actions]\nclick = \"deny\"", "3:9", "expected allow, ask or refuse"),
        ("preset = \"web\"\n[actions]\nclick = \"ask\"\nclick = \"ask\"", "4:1", "duplicate key"),
        ("preset = \"web\"\n[[target]]\nthen = \"ask\"", "2:1", "a target says what it is"),
        ("preset = \"web\"\n[[target]]\nname = \"x\"", "2:1", "missing field `then`"),
        ("preset = \"web\"\n[[target]]\npath = \"cart\"\nthen = \"ask\"", "3:8", "is no path"),
        ("preset = \"web\"\n[[target]]\nmeaning = \"click\"\nthen = \"ask\"", "3:11", "no meaning"),
        ("preset = \"web\"\n[[site]]\nhosts = []", "3:9", "at least one host"),
        ("preset = \"web\"\n[rate]\nper_minute = 0", "3:14", "at least 1 a minute"),
        ("preset = \"web\"\n[rate]\nper_minute = -1", "3:14", "invalid value"),
        ("preset = \"web\"\n[approvals]\nexpires = \"soon\"", "3:11", "no time span"),
        ("preset = \"web\"\n[approvals]\nunanswered = \"ask\"", "3:14", "unknown variant"),
        ("preset = \"web\"\n[approvals]\nhook = []", "3:8", "a hook is a program"),
        ("preset = \"web\"\n[uploads]\nmax_size = \"big\"", "3:12", "is no size"),
        ("preset = \"web\"\n[secrets.shop]\nenv = \"A\"", "2:1", "missing field `origins`"),
        ("preset = \"web\"\n[secrets.\"a b\"]\nenv = \"A\"", "2:10", "is no name of a secret"),
        (
            "preset = \"web\"\n[hours]\nallow = [\"8-18\"]\nutc = \"+00:00\"",
            "3:10",
            "is no time of day",
        ),
        ("preset = \"web\"\n[hosts", "2:7", ""),
        // A host that is allowed anyway is listed by who wants the others refused.
        ("preset = \"web\"\n[hosts]\nallow = [\"a.com\"]", "3:10", "write public = \"refuse\""),
        (
            "preset = \"open\"\n[hosts]\nallow = [\"localhost\"]",
            "3:10",
            "write private = \"refuse\"",
        ),
    ] {
        let error = Rules::parse(text).unwrap_err().to_string();
        let placed = error.starts_with(&format!("policy:{place}: "));
        if !placed || !error.contains(message) {
            wrong.push(format!("{text:?}: {error}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}",
        wrong.join(
            "
"
        )
    );
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_no_policy() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Rules::read(&folder.path().join("none.toml")).unwrap_err();
    assert!(missing.message.contains("cannot be read"), "{missing}");
    assert!(Rules::read(folder.path()).is_err(), "a folder is no policy");
    let path = folder.path().join("policy.toml");
    for bytes in [&b""[..], b"\xff\xfe\x00", b"preset = \"web\"\n[hosts]\nprivate = ", b"\0\0\0\0"]
    {
        std::fs::write(&path, bytes).unwrap();
        let error = Rules::read(&path).unwrap_err();
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    }
}

const WHOLE: &str = r#"
preset = "guarded"

[hosts]
allow = ["https://shop.example", "*.cdn.example"]
block = ["ads.cdn.example"]
schemes = ["https"]

[paths]
block = ["/checkout"]

[actions]
eval = "ask"

[[target]]
name = "Pay*"
path = "/cart"
meaning = "pay"
then = "refuse"

[[site]]
hosts = ["shop.example"]
actions = { delete = "allow" }
paths = { allow = ["/aisle"] }
per_minute = 30

[downloads]
folder = "in"
max_size = "20MB"
types = ["pdf"]

[uploads]
folders = ["out"]
types = ["png"]

[rate]
per_minute = 5

[approvals]
expires = "2m"
hook = ["ask-me", "--now"]

[secrets.shop]
file = "shop.secret"
origins = ["https://shop.example"]

[hours]
allow = ["08:00-18:00"]
utc = "+02:00"
"#;

#[test]
fn a_file_adds_to_its_preset() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let path = base.join("policy.toml");
    std::fs::write(&path, WHOLE).unwrap();
    let rules = Rules::read(&path).unwrap();
    assert_eq!(rules.file(), Some(path.as_path()));
    assert_eq!(rules.text(), WHOLE);
    assert_eq!(rules.rate("shop.example"), Some(30));
    assert_eq!(rules.rate("other.example"), Some(5));
    assert_eq!(rules.approvals().expires, Duration::from_secs(120));
    assert_eq!(rules.approvals().unanswered, Stance::Refuse);
    assert_eq!(rules.approvals().hook.as_deref(), Some(&["ask-me".into(), "--now".into()][..]));
    assert_eq!(rules.downloads().folder.as_deref(), Some(base.join("in").as_path()));
    assert_eq!(rules.downloads().max_size.unwrap().0, 20_000_000);
    assert!(rules.uploads().folder_allows(&base.join("out/a.png")));
    assert!(!rules.uploads().types.as_ref().unwrap().allow(Path::new("a.pdf")));
    assert_eq!(rules.secrets()["shop"].from, SecretSource::File(base.join("shop.secret")));
}

#[test]
fn what_is_in_force_is_shown_with_who_said_it() {
    let lines = rules(WHOLE).lines();
    let told: Vec<String> = lines
        .iter()
        .map(|line| match line.source {
            Some(source) => format!("{} # {}", line.text, source.told()),
            None => line.text.clone(),
        })
        .collect();
    for expected in [
        "[hosts]",
        "public = \"refuse\" # preset guarded",
        "schemes = [\"https\"] # the file",
        "allow = [\"https://shop.example\", \"*.cdn.example\"] # the file",
        "eval = \"ask\" # the file",
        "destructive = \"ask\" # preset guarded",
        "actions.delete = \"allow\" # the file",
        "paths.allow = [\"/aisle\"] # the file",
        "per_minute = 5 # the file",
        "[secrets.shop]",
    ] {
        assert!(told.iter().any(|line| line == expected), "{expected}:\n{}", told.join("\n"));
    }
}

#[test]
fn rates_are_for_each_site() {
    assert_eq!(Rules::default().rate("example.com"), None);
    assert_eq!(Rules::preset("guarded").unwrap().rate("example.com"), Some(10));
    let rules = rules(
        "preset = \"open\"\n[[site]]\nhosts = [\"*.a.com:8443\"]\nper_minute = 3\n[[site]]\nhosts = [\"b.a.com\"]\n\
         per_minute = 2",
    );
    for (host, rate) in [("a.com", Some(3)), ("b.a.com", Some(2)), ("c.com", None), ("\0", None)] {
        assert_eq!(rules.rate(host), rate, "{host}");
    }
}

#[test]
fn elements_are_only_looked_up_where_a_rule_could_depend_on_them() {
    let careless = rules("preset = \"open\"\n[actions]\ndestructive = \"allow\"");
    let open = Rules::default();
    // What was entered in a page is looked for before it is left.
    for kind in [Kind::Click, Kind::Type, Kind::Press, Kind::Upload, Kind::Navigate, Kind::Session]
    {
        assert!(open.needs_element(kind, true), "{kind:?}");
        assert!(!open.needs_element(kind, false), "{kind:?}: nobody would be asked");
        assert!(!careless.needs_element(kind, true), "{kind:?}");
    }
    for kind in [Kind::Read, Kind::Move, Kind::Eval, Kind::File] {
        assert!(!open.needs_element(kind, true), "{kind:?}");
    }
    let target = "preset = \"open\"\n[actions]\ndestructive = \"allow\"\n[[target]]\nname = \"x\"\nthen = \"ask\"";
    assert!(rules(target).needs_element(Kind::Click, false));
}

#[test]
fn nothing_guards_the_network_where_nothing_is_restricted() {
    assert!(Rules::default().guard().is_none());
    for preset in ["local", "web", "guarded"] {
        let guard = Rules::preset(preset).unwrap().guard().unwrap();
        assert!(!guard.reads_addresses(), "{preset}");
    }
    for (text, reads) in [
        ("preset = \"open\"\n[hosts]\nblock = [\"a.com\"]", false),
        ("preset = \"open\"\n[hosts]\nblock = [\"https://a.com:8443\"]", true),
        ("preset = \"open\"\n[paths]\nblock = [\"/x\"]", true),
        ("preset = \"open\"\n[[site]]\nhosts = [\"a.com\"]\npaths = { block = [\"/x\"] }", true),
    ] {
        assert_eq!(rules(text).guard().unwrap().reads_addresses(), reads, "{text}");
    }
}

#[test]
fn the_documentation_shows_every_preset_and_a_whole_file_as_they_are() {
    let text = include_str!("../../../../../docs/policy.md");
    for preset in PRESETS {
        assert!(text.contains(&format!("`{}`:\n\n```toml\n{}```", preset.name, preset.text)));
    }
    let whole = text.split("```toml\n").nth(1).and_then(|text| text.split("```").next()).unwrap();
    let rules = rules(whole);
    assert_eq!(rules.rate("shop.example"), Some(30));
    assert_eq!(rules.secrets().len(), 2);
}

#[test]
fn an_answer_is_waited_for_a_minute_unless_the_policy_says_otherwise() {
    let expires = |text: &str| rules(text).approvals().expires.as_secs();
    assert_eq!(expires("preset = \"guarded\""), 60);
    assert_eq!(expires("preset = \"guarded\"\n[approvals]\nexpires = \"5s\""), 5);
}
