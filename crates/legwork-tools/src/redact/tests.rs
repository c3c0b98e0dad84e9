use super::*;
use proptest::prelude::*;
use serde_json::json;

#[path = "../../tests/it/spellings.rs"]
mod spellings;
use spellings::spellings;

fn knowing(value: &str) -> Redactor {
    let redactor = Redactor::default();
    redactor.learn("pw", value, false);
    redactor
}

const VALUE: &str = r#"p+s w&"<é>'/\1%41"#;

#[test]
fn every_spelling_of_a_value_is_masked() {
    let redactor = knowing(VALUE);
    for spelling in spellings(VALUE) {
        let text = format!("before {spelling} behind");
        let masked = redactor.mask(&text);
        assert!(masked.contains("{{secret:pw}}"), "{text} became {masked}");
        assert!(masked.starts_with("before") && masked.ends_with("behind"), "{masked}");
        assert!(masked.len() < text.len() + 16, "{text} became {masked}");
    }
}

#[test]
fn other_texts_stay_as_they_are() {
    let redactor = knowing(VALUE);
    for text in [
        "",
        "p",
        "100 % sure &amp; true",
        "C:\\new\\folder",
        "%zz&nope;\\",
        "é…",
        "\\u12",
        "&#x110000;",
    ] {
        assert_eq!(redactor.mask(text), text);
    }
    assert_eq!(Redactor::default().mask("hunter2"), "hunter2");
}

#[test]
fn a_value_that_was_cut_off_is_masked_as_far_as_it_goes() {
    let redactor = knowing("correct horse battery staple");
    assert_eq!(redactor.mask("value: correct hor… (more)"), "value: {{secret:pw}}… (more)");
    assert_eq!(redactor.mask("value: cor…"), "value: cor…");
    // In the middle of an escape, and in base64.
    for cut in ["%63%6Frrect%20h%6…", "correct h&#x6…", "correct h\\u00…"] {
        assert_eq!(redactor.mask(&format!("?q={cut}")), "?q={{secret:pw}}…", "{cut}");
    }
    assert_eq!(redactor.mask("Basic Y29ycmVjdCBob3JzZ…"), "Basic {{secret:pw}}…");
}

#[test]
fn a_style_that_shows_capitals_hides_nothing() {
    let redactor = knowing("correct horse");
    assert_eq!(redactor.mask("CORRECT  HORSE!"), "{{secret:pw}}!");
}

#[test]
fn masking_twice_is_masking_once() {
    let redactor = knowing("secret");
    let once = redactor.mask("my secret: secret").into_owned();
    assert_eq!(once, "my {{secret:pw}}: {{secret:pw}}");
    assert_eq!(redactor.mask(&once), once);
}

#[test]
fn data_is_masked_in_place_numbers_and_names_too() {
    let redactor = knowing("482913");
    let picture = "AA482913AA".to_owned();
    let images = vec![legwork_protocol::Image::new("image/png", picture.clone())];
    let data = json!({ "code": 482913, "482913": [true, null, "x482913"], "content": picture });
    let reply = redactor.reply(Reply { text: "482913".into(), images, data });
    assert_eq!(reply.text, "{{secret:pw}}");
    let expected = json!({
        "code": "{{secret:pw}}", "{{secret:pw}}": [true, null, "x{{secret:pw}}"], "content": picture,
    });
    assert_eq!(reply.data, expected);
}

#[test]
fn old_codes_are_forgotten_but_not_the_seed() {
    let redactor = Redactor::default();
    redactor.learn("otp", "JBSWY3DPEHPK3PXP", false);
    for code in 100_000..100_020 {
        redactor.learn("otp", &code.to_string(), true);
    }
    assert_eq!(redactor.known.read().unwrap().len(), CODES);
    assert_eq!(redactor.mask("JBSWY3DPEHPK3PXP 100019"), "{{secret:otp}} {{secret:otp}}");
}

#[test]
fn nobody_prints_a_value_by_accident() {
    assert_eq!(format!("{:?}", knowing("hunter2")), "Redactor([\"pw\"])");
}

proptest! {
    #[test]
    fn no_spelling_of_any_value_is_left(
        value in "[ -~éß漢😀]{4,24}",
        around in "[ -~\\n\"é]{0,12}",
        which in any::<prop::sample::Index>(),
    ) {
        // What a reader takes for one space, or cannot see, is no secret.
        prop_assume!(folded(value.as_bytes()).len() >= SHORTEST && !"{{secret:pw}}".contains(value.trim()));
        let spellings = spellings(&value);
        let spelling = &spellings[which.index(spellings.len())];
        prop_assume!(!around.contains(spelling.as_str()));
        let masked = knowing(&value).mask(&format!("{around} {spelling} {around}")).into_owned();
        prop_assert!(!masked.contains(spelling.as_str()), "{value:?} is left as {spelling:?} in {masked:?}");
    }

    #[test]
    fn any_text_is_masked_without_harm(text in any::<String>(), value in "[a-z%&\\\\;+]{4,8}") {
        let masked = knowing(&value).mask(&text).into_owned();
        if !text.is_empty() { prop_assert!(!masked.is_empty()); }
    }
}
