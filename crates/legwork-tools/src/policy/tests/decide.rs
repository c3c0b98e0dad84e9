use legwork_engine::{ElementFacts, Wanted};

use super::{facts, go, press, rules};
use crate::policy::facts::{Facts, Kind, Meaning};
use crate::policy::{Rules, Verdict};
use Verdict::{Allow, Ask, Refuse};

#[test]
fn presets_say_where_one_may_go() {
    let urls = [
        // url, open, local, web, guarded
        ("https://example.com/", [Allow, Refuse, Allow, Refuse]),
        ("http://example.com:8080/", [Allow, Refuse, Allow, Refuse]),
        ("http://localhost:3000/", [Allow, Allow, Refuse, Refuse]),
        ("http://app.localhost/", [Allow, Allow, Refuse, Refuse]),
        ("http://127.0.0.1/", [Allow, Allow, Refuse, Refuse]),
        ("http://0x7f.1/", [Allow, Allow, Refuse, Refuse]),
        ("http://2130706433/", [Allow, Allow, Refuse, Refuse]),
        ("http://017700000001/", [Allow, Allow, Refuse, Refuse]),
        ("http://[::1]/", [Allow, Allow, Refuse, Refuse]),
        ("http://[::ffff:127.0.0.1]/", [Allow, Allow, Refuse, Refuse]),
        ("http://0.0.0.0/", [Allow, Allow, Refuse, Refuse]),
        ("http://192.168.1.1/", [Allow, Allow, Refuse, Refuse]),
        ("http://[64:ff9b::192.168.1.1]/", [Allow, Allow, Refuse, Refuse]),
        ("http://169.254.169.254/latest/", [Allow, Refuse, Refuse, Refuse]),
        ("http://metadata.google.internal/", [Allow, Refuse, Refuse, Refuse]),
        ("http://[::ffff:169.254.169.254]/", [Allow, Refuse, Refuse, Refuse]),
        ("file:///etc/passwd", [Allow, Allow, Refuse, Refuse]),
        ("view-source:file:///etc/passwd", [Allow, Allow, Refuse, Refuse]),
        ("view-source:http://localhost/", [Allow, Allow, Refuse, Refuse]),
        ("blob:http://localhost/1", [Allow, Allow, Refuse, Refuse]),
        ("data:text/html,x", [Allow, Allow, Allow, Refuse]),
        ("about:blank", [Allow, Allow, Allow, Allow]),
        ("ftp://example.com/", [Allow, Refuse, Refuse, Refuse]),
        ("javascript:alert(1)", [Allow, Refuse, Refuse, Refuse]),
        ("chrome://settings/", [Allow, Refuse, Refuse, Refuse]),
        ("https://localhost@example.com/", [Allow, Refuse, Allow, Refuse]),
        ("https://example.com@localhost/", [Allow, Allow, Refuse, Refuse]),
    ];
    for (url, expected) in urls {
        for (preset, expected) in ["open", "local", "web", "guarded"].iter().zip(expected) {
            let decision = Rules::preset(preset).unwrap().decide(&go(url));
            assert_eq!(decision.verdict, expected, "{preset} {url}: {decision:?}");
        }
    }
}

#[test]
fn presets_say_what_may_be_done() {
    let page = "https://example.com/";
    let eval = facts(Kind::Eval, page);
    let mut upload = facts(Kind::Upload, page);
    upload.meanings = crate::policy::meanings(&upload);
    for (what, facts, expected) in [
        ("a click", press("More", page), [Allow, Allow]),
        ("paying", press("Pay now", page), [Ask, Ask]),
        ("eval", eval, [Allow, Refuse]),
        ("an upload", upload, [Ask, Ask]),
        ("reading", facts(Kind::Read, page), [Allow, Allow]),
    ] {
        let guarded = "preset = \"guarded\"\n[hosts]\nallow = [\"example.com\"]";
        for (policy, expected) in ["preset = \"web\"", guarded].iter().zip(expected) {
            let decision = rules(policy).decide(&facts);
            assert_eq!(decision.verdict, expected, "{what}, {policy}: {decision:?}");
        }
    }
}

#[test]
fn a_decision_names_its_rule_and_what_to_do() {
    let policy = "preset = \"web\"\n[hosts]\nblock = [\"*.evil.example\"]\n[paths]\nblock = [\"/checkout\"]\n\
        [actions]\npay = \"refuse\"\n[[target]]\nrole = \"button\"\nname = \"Launch*\"\nthen = \"ask\"\n\
        [[site]]\nhosts = [\"bank.example\"]\nactions = { type = \"refuse\" }\npaths = { block = [\"/wire\"] }\n\
        [uploads]\nfolders = [\"/srv/out\"]\ntypes = [\"pdf\"]";
    let page = "https://example.com/";
    let upload = |file: &str| Facts { files: vec![file.into()], ..facts(Kind::Upload, page) };
    for (facts, verdict, rule, hint) in [
        (go("https://a.evil.example/"), Refuse, "hosts.block \"*.evil.example\"", "taken out"),
        (
            go("http://10.0.0.1/"),
            Refuse,
            "hosts.private = \"refuse\" (preset web)",
            "add \"10.0.0.1\" to [hosts] allow",
        ),
        (go("file:///x"), Refuse, "hosts.schemes (preset web)", "add \"file\" to schemes"),
        (go("https://example.com/checkout/2"), Refuse, "paths.block \"/checkout\"", "taken out"),
        (
            go("https://bank.example/wire"),
            Refuse,
            "site \"bank.example\" paths.block \"/wire\"",
            "taken out",
        ),
        (
            facts(Kind::Type, "https://bank.example/"),
            Refuse,
            "site \"bank.example\" actions.type = \"refuse\"",
            "[[site]]",
        ),
        (
            press("Pay now", page),
            Refuse,
            "actions.pay = \"refuse\"",
            "pay = \"allow\" under [actions]",
        ),
        (
            press("Delete", page),
            Ask,
            "actions.destructive = \"ask\" (preset web)",
            "destructive = \"allow\"",
        ),
        (
            press("Launch rocket", page),
            Ask,
            "target { role = \"button\", name = \"Launch*\" }",
            "[[target]]",
        ),
        (upload("/etc/passwd"), Refuse, "uploads.folders", "folders under [uploads]"),
        (upload("/srv/out/a.exe"), Refuse, "uploads.types", "types under [uploads]"),
        (press("More", page), Allow, "preset web", "nothing in the policy"),
    ] {
        let decision = rules(policy).decide(&facts);
        assert_eq!(
            (decision.verdict, decision.rule.as_str()),
            (verdict, rule),
            "{}",
            decision.because
        );
        assert!(decision.because.contains(hint), "{rule}: {}", decision.because);
    }
}

#[test]
fn a_site_that_allows_something_is_an_exception_and_only_there() {
    let policy = "preset = \"web\"\n[actions]\neval = \"refuse\"\n[[site]]\nhosts = [\"*.mine.example\"]\n\
        actions = { eval = \"allow\", destructive = \"allow\", pay = \"ask\" }";
    let rules = rules(policy);
    let (mine, other) = ("https://a.mine.example/", "https://other.example/");
    for (facts, verdict) in [
        (facts(Kind::Eval, mine), Allow),
        (facts(Kind::Eval, other), Refuse),
        (press("Delete", mine), Allow),
        (press("Delete", other), Ask),
        (press("Pay now", mine), Ask),
        // A frame of somebody else's in a page of mine is not mine, nor is mine in theirs excepted.
        (Facts { frame: Some(other.parse().unwrap()), ..press("Delete", mine) }, Ask),
        (Facts { frame: Some(mine.parse().unwrap()), ..press("Delete", other) }, Allow),
    ] {
        assert_eq!(rules.decide(&facts).verdict, verdict, "{facts:?}");
    }
}

#[test]
fn a_site_can_be_stricter_but_asking_does_not_soften_a_refusal() {
    let policy = "preset = \"web\"\n[actions]\neval = \"refuse\"\n[[site]]\nhosts = [\"a.example\"]\n\
        actions = { eval = \"ask\", click = \"refuse\" }";
    let rules = rules(policy);
    assert_eq!(rules.decide(&facts(Kind::Eval, "https://a.example/")).verdict, Refuse);
    assert_eq!(rules.decide(&facts(Kind::Click, "https://a.example/")).verdict, Refuse);
    let framed = Facts {
        frame: Some("https://b.example/".parse().unwrap()),
        ..facts(Kind::Click, "https://a.example/")
    };
    assert_eq!(rules.decide(&framed).verdict, Refuse, "the page around it counts as well");
}

#[test]
fn a_target_that_is_allowed_is_not_asked_about() {
    let policy = "preset = \"web\"\n[[target]]\nname = \"Delete draft\"\nhost = \"mail.example\"\nthen = \"allow\"";
    let rules = rules(policy);
    assert_eq!(rules.decide(&press("Delete draft", "https://mail.example/")).verdict, Allow);
    assert_eq!(rules.decide(&press("Delete draft", "https://evil.example/")).verdict, Ask);
    assert_eq!(rules.decide(&press("Delete", "https://mail.example/")).verdict, Ask);
}

#[test]
fn a_target_is_allowed_on_a_path_and_for_a_meaning_alone() {
    let rules = rules(
        "preset = \"guarded\"\n[hosts]\nallow = [\"shop.example\"]\n[actions]\ndestructive = \"refuse\"\n\
         [[target]]\nname = \"Delete*\"\npath = \"https://shop.example/cart\"\nmeaning = \"delete\"\n\
         then = \"allow\"",
    );
    for (name, page, verdict) in [
        ("Delete", "https://shop.example/cart", Allow),
        ("Delete Oat Milk", "https://shop.example/cart?page=2", Allow),
        ("Delete", "https://shop.example/account", Refuse),
        ("Cancel order", "https://shop.example/cart", Refuse),
        ("Pay now", "https://shop.example/cart", Refuse),
    ] {
        let decision = rules.decide(&press(name, page));
        assert_eq!(decision.verdict, verdict, "{name} on {page}: {decision:?}");
    }
    let pays = Facts {
        meanings: vec![Meaning::Pay, Meaning::Delete],
        ..press("Delete", "https://shop.example/cart")
    };
    assert_eq!(rules.decide(&pays).verdict, Refuse, "it pays as well");
    let framed = Facts {
        frame: Some("https://shop.example/other".parse().unwrap()),
        ..press("Delete", "https://shop.example/cart")
    };
    assert_eq!(rules.decide(&framed).verdict, Refuse, "the frame is another document");
}

#[test]
fn pages_that_are_forbidden_are_neither_read_nor_acted_on_but_may_be_left() {
    let rules = Rules::preset("web").unwrap();
    let here = "http://localhost/";
    for kind in [Kind::Read, Kind::Click, Kind::Type, Kind::Eval, Kind::Press] {
        assert_eq!(rules.decide(&facts(kind, here)).verdict, Refuse, "{kind:?}");
    }
    let away = Facts { page: Some(here.parse().unwrap()), ..go("https://example.com/") };
    assert_eq!(rules.decide(&away).verdict, Allow);
    assert_eq!(rules.decide(&facts(Kind::Session, here)).verdict, Allow);
    let framed =
        Facts { frame: Some(here.parse().unwrap()), ..facts(Kind::Click, "https://example.com/") };
    assert_eq!(rules.decide(&framed).verdict, Refuse);
}

#[test]
fn scripts_in_addresses_are_scripts_of_whoever_wrote_them() {
    let page = "https://example.com/";
    let to = Some("javascript:void(0)".parse().unwrap());
    let link = Facts { to: to.clone(), ..facts(Kind::Click, page) };
    assert_eq!(Rules::preset("web").unwrap().decide(&link).verdict, Allow, "the page's own");
    let open = rules("preset = \"open\"\n[actions]\neval = \"refuse\"");
    let own = Facts { to, ..facts(Kind::Navigate, page) };
    assert_eq!(open.decide(&own).rule, "actions.eval = \"refuse\"");
    let page_of_own =
        go("data:text/html,<form id=f action=https://example.com/pay><script>f.submit()</script>");
    assert_eq!(open.decide(&page_of_own).rule, "actions.eval = \"refuse\"");
}

#[test]
fn a_dialog_is_asked_about_where_it_would_be_accepted() {
    let guarded = rules("preset = \"guarded\"\n[hosts]\nallow = [\"example.com\"]");
    let no = facts(Kind::Dialog, "https://example.com/");
    assert_eq!(guarded.decide(&no).verdict, Allow);
    let yes = Facts { dialog: Some("Stay signed in?".into()), ..no };
    assert_eq!(guarded.decide(&yes).verdict, Ask);
    let leaving = Facts { unsaved: true, meanings: vec![Meaning::Leave], ..yes };
    assert_eq!(guarded.decide(&leaving).verdict, Ask);
    let may_leave = rules(
        "preset = \"guarded\"\n[hosts]\nallow = [\"example.com\"]\n[actions]\ndialog = \"refuse\"\n\
         leave = \"allow\"",
    );
    assert_eq!(may_leave.decide(&leaving).verdict, Allow);
    assert_eq!(guarded.decide(&facts(Kind::File, "https://example.com/")).verdict, Ask);
}

#[test]
fn a_scheme_binds_pages_as_well_as_their_callers() {
    let reads = |hosts: &str| {
        let rules = rules(&format!("preset = \"guarded\"\n[hosts]\n{hosts}"));
        rules.guard().unwrap().reads_addresses()
    };
    assert!(!reads("allow = [\"a.example:8443\"]"));
    assert!(reads("allow = [\"https://a.example\"]"));
    assert!(reads("block = [\"http://a.example\"]"));
    assert!(reads("schemes = [\"https\"]"));
    assert!(!reads("schemes = [\"https\", \"http\"]"));
}

#[test]
fn secrets_are_typed_where_they_belong() {
    let policy =
        "preset = \"open\"\n[secrets.shop]\nenv = \"A\"\norigins = [\"https://shop.example\"]";
    let rules = rules(policy);
    let typed = |page: &str| Facts { secrets: vec!["shop".into()], ..facts(Kind::Type, page) };
    let shop = "https://shop.example/login";
    let inside = |document: &str| {
        let document = document.to_owned();
        Facts { element: Some(ElementFacts { document, ..Default::default() }), ..typed(shop) }
    };
    let framed = |frame: &str| Facts { frame: Some(frame.parse().unwrap()), ..typed(shop) };
    for (facts, verdict) in [
        (typed(shop), Allow),
        (typed("https://evil.example/"), Refuse),
        (typed("http://shop.example/"), Refuse),
        (framed("https://evil.example/"), Refuse),
        (framed("about:blank"), Refuse),
        (inside(shop), Allow),
        (inside("https://evil.example/"), Refuse),
        (inside("nonsense"), Refuse),
        (Facts { kind: Kind::Dialog, ..typed(shop) }, Allow),
        (Facts { kind: Kind::Press, ..typed(shop) }, Allow),
        (Facts { kind: Kind::Click, ..typed("https://evil.example/") }, Refuse),
        (Facts { kind: Kind::Eval, ..typed(shop) }, Refuse),
        (Facts { kind: Kind::Navigate, ..typed(shop) }, Refuse),
        (Facts { page: None, ..typed(shop) }, Refuse),
        (Facts { secrets: vec!["other".into()], ..typed(shop) }, Refuse),
        (Facts { secrets: vec!["shop".into(), "other".into()], ..typed(shop) }, Refuse),
    ] {
        let decision = rules.decide(&facts);
        assert_eq!(decision.verdict, verdict, "{facts:?}: {decision:?}");
    }
}

#[test]
fn outside_of_the_hours_nothing_is_done() {
    let rules = rules("preset = \"open\"\n[hours]\nallow = [\"00:00-01:00\"]\nutc = \"+00:00\"");
    let page = "https://example.com/";
    assert_eq!(rules.decide(&facts(Kind::Read, page)).verdict, Allow);
    let later = std::time::UNIX_EPOCH + std::time::Duration::from_secs(3600);
    let late = Facts { at: Some(later), ..facts(Kind::Read, page) };
    assert_eq!(rules.decide(&late).rule, "hours");
    assert_eq!(rules.decide(&Facts { at: None, ..facts(Kind::Read, page) }).verdict, Refuse);
}

#[test]
fn the_guard_answers_by_the_same_rules() {
    let rules = rules(
        "preset = \"guarded\"\n[hosts]\nallow = [\"https://shop.example\", \"*.cdn.example\"]\nblock = [\"ads.cdn.example\"]\n\
         [paths]\nblock = [\"/checkout\"]\nallow = [\"shop.example/aisle\"]",
    );
    let guard = rules.guard().unwrap();
    for (host, port, allowed) in [
        ("shop.example", 443, true),
        ("SHOP.example.", 443, true),
        ("shop.example", 80, false),
        ("a.cdn.example", 8080, true),
        ("ads.cdn.example", 443, false),
        ("evil.example", 443, false),
        ("127.0.0.1", 443, false),
        ("[::1]", 443, false),
        ("::1", 443, false),
        ("", 443, false),
        ("a b", 443, false),
    ] {
        assert_eq!(guard.host(host, port).is_ok(), allowed, "{host}:{port}");
    }
    let public = "93.184.216.34".parse().unwrap();
    let loopback = "127.0.0.1".parse().unwrap();
    assert!(guard.address("shop.example", public, 443).is_ok());
    assert_eq!(
        guard.address("shop.example", loopback, 443).unwrap_err().rule,
        "hosts.private = \"refuse\" (preset guarded)"
    );
    assert!(guard.address("evil.example", public, 443).is_err());
    for (url, kind, allowed) in [
        ("https://shop.example/aisle/1", "Document", true),
        ("https://shop.example/admin", "Document", false),
        ("https://shop.example/app.js", "Script", true),
        ("https://shop.example/checkout", "Fetch", false),
        ("https://a.cdn.example/x", "Document", true),
        ("wss://a.cdn.example/x", "WebSocket", true),
        ("https://evil.example/", "Image", false),
        ("http://shop.example/aisle", "Document", false),
        ("data:image/png,x", "Image", true),
        ("file:///etc/passwd", "Document", false),
        ("nonsense", "Fetch", false),
    ] {
        let wanted = Wanted { url, method: "GET", kind, page: None };
        assert_eq!(guard.request(&wanted).is_ok(), allowed, "{kind} {url}");
    }
}

#[test]
fn what_is_acted_on_and_not_known_may_be_what_is_forbidden() {
    let rules = rules(
        "preset = \"open\"\n[[target]]\nname = \"Launch\"\nhost = \"a.example\"\nthen = \"refuse\"\n\
         [[target]]\nname = \"More\"\nthen = \"allow\"",
    );
    for (kind, page, verdict) in [
        (Kind::Click, "https://a.example/", Refuse),
        (Kind::Type, "https://a.example/", Refuse),
        (Kind::Press, "https://a.example/", Allow),
        (Kind::Read, "https://a.example/", Allow),
        (Kind::Click, "https://b.example/", Allow),
    ] {
        assert_eq!(rules.decide(&facts(kind, page)).verdict, verdict, "{kind:?} {page}");
    }
    assert_eq!(rules.decide(&press("Other", "https://a.example/")).verdict, Allow);
}
