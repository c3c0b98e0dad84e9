use super::*;

/// A chord in one line: held modifiers, key, code, key code, text, location, modifier bits.
fn show(text: &str) -> String {
    let chord = parse_chord_on(text, Platform::Linux).expect(text);
    let Key { key, code, key_code, text, location, .. } = &chord.key;
    let bits = chord.modifiers();
    format!("{:?} {key:?} {code} {key_code} {text:?} {location} {bits}", chord.held)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(show(text), expected, "{text}");
}

#[test]
fn single_keys_have_the_fields_of_a_us_keyboard() {
    check("a", r#"[] "a" KeyA 65 Some("a") 0 0"#);
    check("A", r#"[] "A" KeyA 65 Some("A") 0 8"#);
    check("1", r#"[] "1" Digit1 49 Some("1") 0 0"#);
    check("!", r#"[] "!" Digit1 49 Some("!") 0 8"#);
    check("+", r#"[] "+" Equal 187 Some("+") 0 8"#);
    check("-", r#"[] "-" Minus 189 Some("-") 0 0"#);
    check(" ", r#"[] " " Space 32 Some(" ") 0 0"#);
    check("Enter", r#"[] "Enter" Enter 13 Some("\r") 0 0"#);
    check("Tab", r#"[] "Tab" Tab 9 None 0 0"#);
    check("ArrowDown", r#"[] "ArrowDown" ArrowDown 40 None 0 0"#);
    check("F5", r#"[] "F5" F5 116 None 0 0"#);
    check("Numpad1", r#"[] "1" Numpad1 97 Some("1") 3 0"#);
    check("NumpadEnter", r#"[] "Enter" NumpadEnter 13 Some("\r") 3 0"#);
    check("Shift", r#"[] "Shift" ShiftLeft 16 None 1 0"#);
    check("MetaRight", r#"[] "Meta" MetaRight 92 None 2 0"#);
    check("KeyQ", r#"[] "q" KeyQ 81 Some("q") 0 0"#);
    check("Semicolon", r#"[] ";" Semicolon 186 Some(";") 0 0"#);
}

#[test]
fn chords_hold_modifiers_and_type_nothing() {
    check("Control+A", r#"[Control] "a" KeyA 65 None 0 2"#);
    check("Control+Shift+T", r#"[Control, Shift] "T" KeyT 84 None 0 10"#);
    check("ControlOrMeta+A", r#"[Control] "a" KeyA 65 None 0 2"#);
    check("Control++", r#"[Control] "+" Equal 187 None 0 10"#);
    check("Control+-", r#"[Control] "-" Minus 189 None 0 2"#);
    check("Alt+ArrowLeft", r#"[Alt] "ArrowLeft" ArrowLeft 37 None 0 1"#);
    check("Control+Enter", r#"[Control] "Enter" Enter 13 None 0 2"#);
    check("Control+Shift", r#"[Control] "Shift" ShiftLeft 16 None 1 2"#);
    check(
        "Alt+Control+Meta+Shift+Delete",
        r#"[Alt, Control, Meta, Shift] "Delete" Delete 46 None 0 15"#,
    );
    check("Ctrl+ctrl+C", r#"[Control] "c" KeyC 67 None 0 2"#);
}

#[test]
fn shift_alone_types_the_upper_variant() {
    check("Shift+a", r#"[Shift] "A" KeyA 65 Some("A") 0 8"#);
    check("Shift+2", r#"[Shift] "@" Digit2 50 Some("@") 0 8"#);
    check("Shift+/", r#"[Shift] "?" Slash 191 Some("?") 0 8"#);
    check("Shift++", r#"[Shift] "+" Equal 187 Some("+") 0 8"#);
    check("Shift+Enter", r#"[Shift] "Enter" Enter 13 Some("\r") 0 8"#);
    check("Shift+Tab", r#"[Shift] "Tab" Tab 9 None 0 8"#);
}

#[test]
fn names_are_read_in_any_case_and_by_other_spellings() {
    let table = [
        ("enter", "Enter"),
        ("RETURN", "Enter"),
        ("Esc", "Escape"),
        ("del", "Delete"),
        ("Space", " "),
        ("spacebar", " "),
        ("Up", "ArrowUp"),
        ("down", "ArrowDown"),
        ("Page_Down", "PageDown"),
        ("page-up", "PageUp"),
        ("BackSpace", "Backspace"),
        ("KP_Enter", "NumpadEnter"),
        ("Menu", "ContextMenu"),
        ("ctrl+c", "Control+C"),
        ("Cmd + Shift + p", "Meta+Shift+P"),
        ("super+d", "Meta+D"),
        ("option+Left", "Alt+ArrowLeft"),
        (" Control + + ", "Control++"),
        ("CmdOrCtrl+s", "ControlOrMeta+S"),
    ];
    for (spelling, name) in table {
        assert_eq!(show(spelling), show(name), "{spelling}");
    }
}

#[test]
fn control_or_meta_is_meta_on_a_mac() {
    let chord = parse_chord_on("ControlOrMeta+A", Platform::MacOs).expect("a chord");
    assert_eq!(chord.held, [Modifier::Meta]);
    let chord = parse_chord_on("ControlOrMeta+A", Platform::Windows).expect("a chord");
    assert_eq!(chord.held, [Modifier::Control]);
}

#[test]
fn unknown_names_are_answered_with_near_ones() {
    let table: [(&str, &[&str]); 6] = [
        ("Entre", &["Enter"]),
        ("ArowDown", &["ArrowDown"]),
        ("Escpe", &["Escape"]),
        ("Contrl+A", &["Control"]),
        ("PageDwn", &["PageDown"]),
        ("Arrow", &["ArrowUp", "ArrowDown", "ArrowLeft"]),
    ];
    for (text, expected) in table {
        let error = parse_chord(text).expect_err(text);
        let KeyError::Unknown { near, .. } = &error else { panic!("{text}: {error}") };
        assert_eq!(near, expected, "{text}");
    }
    let message = parse_chord("Entre").expect_err("no key").to_string();
    assert_eq!(message, "There is no key named `Entre`. Did you mean Enter?");
    let message = parse_chord("hello world").expect_err("no key").to_string();
    assert!(message.ends_with("Write a character, or a name such as Enter, ArrowDown or F5."));
}

#[test]
fn chords_without_a_key_or_with_a_held_letter_are_refused() {
    for text in ["", "   ", "Control+", "+a", "Control++a", "+++"] {
        assert_eq!(parse_chord(text), Err(KeyError::Missing), "{text}");
    }
    let refused = Err(KeyError::NotAModifier { name: "A".to_owned() });
    assert_eq!(parse_chord("A+B"), refused);
    assert_eq!(parse_chord("Control+A+B"), refused);
}

#[test]
fn every_printable_ascii_character_has_a_key_that_types_it() {
    for letter in ' '..='~' {
        let key = for_char(letter).expect("it is on the keyboard");
        assert_eq!(key.text, Some(letter.to_string()));
        assert_eq!(key.key, letter.to_string());
    }
    assert_eq!(for_char('\n').map(|key| key.code), Some("Enter".to_owned()));
    assert_eq!(for_char('\t').map(|key| key.code), Some("Tab".to_owned()));
}

#[test]
fn characters_without_a_key_have_none() {
    for letter in ['é', '€', '中', '🙂', '\u{0}', '\u{7f}'] {
        assert_eq!(for_char(letter), None, "{letter:?}");
    }
    assert!(matches!(parse_chord("é"), Err(KeyError::Unknown { .. })));
}

#[test]
fn modifiers_are_keys_too() {
    for modifier in [Modifier::Alt, Modifier::Control, Modifier::Meta, Modifier::Shift] {
        let key = modifier.key();
        assert_eq!(key.code, format!("{modifier:?}Left"));
        assert_eq!((key.location, key.text), (1, None));
    }
}
