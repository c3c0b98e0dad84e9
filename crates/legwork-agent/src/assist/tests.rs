use legwork_protocol::assistant::AssistanceKind;

use super::{Seen, is_suspect, recognise};

#[test]
fn the_rules_can_be_read() {
    assert!(super::RULES.rule.len() > 10);
}

#[test]
fn a_solved_box_needs_nobody() {
    let seen = |page| Seen { url: "https://a.test/x?token=1", page, ..Seen::default() };
    let open = recognise(&seen("frame reCAPTCHA:\n [checkbox I'm not a robot e12]")).unwrap();
    assert_eq!(open.kind, AssistanceKind::Captcha);
    assert!(open.message.starts_with("a.test wants"), "{}", open.message);
    assert!(open.context.starts_with("At https://a.test/x: "), "{}", open.context);
    assert_eq!(recognise(&seen("frame:\n [checkbox I'm not a robot e12 checked]")), None);
}

#[test]
fn an_errand_that_signs_in_itself_is_not_interrupted() {
    let page = "# Sign in\n[textbox Email e1] [textbox Password e2] [Sign in e3]";
    for (instruction, expected) in [
        ("order the blue one", Some(AssistanceKind::Login)),
        ("design in blue", Some(AssistanceKind::Login)),
        ("log in as admin and order the blue one", None),
        ("type {{secret:PW}} into Password", None),
    ] {
        let seen = Seen { page, instruction, ..Seen::default() };
        assert_eq!(recognise(&seen).map(|need| need.kind), expected, "{instruction}");
    }
}

#[test]
fn a_change_that_brings_such_a_thing_is_suspect() {
    let riddle = "+ frame hCaptcha:\n+  [checkbox I am human e9]";
    let sign_in = "+ [textbox Password e2] [Log in e3]";
    for (change, instruction, expected) in [
        (riddle, "log in", true),
        (sign_in, "order milk", true),
        (sign_in, "log in and order milk", false),
        ("+ [Add to basket e2]\n- <Sign in e3>", "order milk", false),
    ] {
        assert_eq!(is_suspect(change, instruction), expected, "{change} {instruction}");
    }
}

#[test]
fn a_page_of_which_only_a_part_is_shown_is_not_short() {
    let page = "[textbox User e1] [textbox Password e2] [Log in e3]";
    let seen = |page| recognise(&Seen { page, ..Seen::default() });
    assert!(seen(page).is_some());
    assert_eq!(seen(&format!("{page}\n(… 900 more lines, about 9000 tokens: browser_find)")), None);
}
