use super::*;

#[test]
fn a_name_tells_what_a_model_can_do() {
    let check = |name: &str, dialect: Option<Dialect>, pictures_inside: bool| {
        assert_eq!(Family::of(name), Family { dialect, pictures_inside }, "{name}");
    };
    check("gemini-2.5-computer-use-preview-10-2025", Some(Dialect::Legacy), true);
    check("gemini-3-flash-preview", Some(Dialect::Legacy), true);
    check("gemini-3.1-pro-preview", Some(Dialect::Legacy), true);
    check("gemini-3.5-flash", Some(Dialect::Current), true);
    check("models/gemini-4-pro", Some(Dialect::Current), true);
    check("gemini-3.5-flash-image", None, true);
    check("gemini-2.5-pro", None, false);
    check("gemma-4-27b", None, true);
}
