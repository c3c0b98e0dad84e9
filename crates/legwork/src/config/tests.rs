use super::*;

fn load(file: Option<&str>, variables: &[(&str, &str)], flags: Flags) -> Result<Config, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let config = file.map(|text| {
        std::fs::write(&path, text).unwrap();
        path.clone()
    });
    let flags = Flags { config: config.or(flags.config), ..flags };
    Config::load_from(&flags, &|name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn mistakes_in_the_file_are_told_with_line_and_column() {
    for (text, place, message) in [
        ("headed = \"yes\"", "1:10", "expected true or false, found the string \"yes\""),
        ("\n  heded = true", "2:3", "there is no key `heded`"),
        ("headed = true\nheaded = false", "2:1", "duplicate key"),
        ("page_tokens = -5", "1:15", "expected a whole number from 1"),
        ("viewport = \"wide\"", "1:12", "such as \"1280x720\""),
        ("# ü\nsession_idle = 5", "2:16", "a time span in quotes"),
        ("daemon_idle = \"1 fortnight\"", "1:15", "such as \"45s\""),
        ("tools = \"many\"", "1:9", "the sets are core"),
        ("browser = ", "1:11", ""),
        ("[browser]\npath = 1", "1:1", "expected a string, found a table"),
    ] {
        let error = load(Some(text), &[], Flags::default()).unwrap_err().to_string();
        let said = error.split("config.toml:").nth(1).unwrap_or(&error);
        assert!(said.starts_with(&format!("{place}: ")), "{text:?}: {error}");
        assert!(said.contains(message), "{text:?}: {error}");
    }
}

#[test]
fn the_environment_is_stronger_than_the_file_and_flags_are_stronger_still() {
    let file = "headed = false\npage_tokens = 2_000\ntools = \"all\"";
    let variables = [("LEGWORK_PAGE_TOKENS", "900"), ("LEGWORK_TOOLS", "devtools")];
    let flags = Flags { headed: true, ..Default::default() };
    let config = load(Some(file), &variables, flags).unwrap();
    assert!(config.values.headed);
    assert_eq!(config.values.page_tokens, 900);
    assert_eq!(config.values.tools.0, "devtools");
    assert_eq!(config.origin("headed"), &Origin::Flag("--headed"));
    assert_eq!(config.origin("page_tokens"), &Origin::Environment("LEGWORK_PAGE_TOKENS"));
    assert_eq!(config.origin("viewport"), &Origin::Default);
    let file = load(Some(file), &[], Flags::default()).unwrap();
    assert!(matches!(file.origin("page_tokens"), Origin::File(_, 2)));
}

#[test]
fn a_wrong_variable_is_named() {
    let error = load(None, &[("LEGWORK_INLINE_BYTES", "lots")], Flags::default()).unwrap_err();
    assert!(
        error.to_string().starts_with("LEGWORK_INLINE_BYTES: expected a whole number"),
        "{error}"
    );
}

#[test]
fn a_file_that_was_named_has_to_be_there() {
    let flags = Flags { config: Some("/nowhere/config.toml".into()), ..Default::default() };
    assert!(matches!(load(None, &[], flags).unwrap_err(), Error::Unreadable { .. }));
    let none = load(None, &[("XDG_CONFIG_HOME", "/nowhere")], Flags::default()).unwrap();
    assert_eq!(none.file, None);
}

#[test]
fn what_is_shown_can_be_read_again() {
    let file = "browser = \"/usr/bin/chromium\"\nviewport = \"800x600\"\nsession_idle = \"90s\"\n\
                daemon_idle = \"8h\"\nfiles = \"out\"\nattach = \"http://127.0.0.1:9222\"\nheaded = true";
    let config = load(Some(file), &[], Flags::default()).unwrap();
    assert!(config.values.files.as_ref().unwrap().is_absolute(), "{:?}", config.values.files);
    let shown: Vec<String> = KEYS
        .iter()
        .map(|key| (key.name, config.values.show(key.name)))
        .filter(|(_, value)| value != "-")
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let again = load(Some(&shown.join("\n")), &[], Flags::default()).unwrap();
    assert_eq!(again.fingerprint(), config.fingerprint());
    let other = load(Some("headed = true"), &[], Flags::default()).unwrap();
    assert_ne!(other.fingerprint(), config.fingerprint());
}

#[test]
fn the_defaults_are_those_of_the_tools() {
    let settings = load(None, &[], Flags::default()).unwrap().settings();
    let tools = Settings::default();
    assert_eq!(settings.inline_bytes, tools.inline_bytes);
    assert_eq!(settings.page_tokens, tools.page_tokens);
    assert_eq!(settings.picture_side, tools.picture_side);
    assert_eq!(settings.engine.idle, tools.engine.idle);
    assert_eq!(settings.session.viewport, tools.session.viewport);
}

#[test]
fn the_place_of_a_key_is_read_and_what_may_be_a_key_is_never_repeated() {
    for (written, shown) in [
        ("env:WORK_KEY", "\"env:WORK_KEY\""),
        ("keyring:openai", "\"keyring:openai\""),
        ("file:/keys/openai", "\"file:/keys/openai\""),
        ("command:pass show 'my key'", "\"command:pass …\""),
    ] {
        let config = load(None, &[("LEGWORK_MODEL_KEY", written)], Flags::default()).unwrap();
        assert_eq!(config.values.show("model_key"), shown);
        assert_eq!(config.origin("model_key"), &Origin::Environment("LEGWORK_MODEL_KEY"));
    }
    for wrong in ["sk-1234", "sk-1234:x", "env:", "command:'sk-1234"] {
        let said = load(None, &[("LEGWORK_MODEL_KEY", wrong)], Flags::default()).unwrap_err();
        let said = said.to_string();
        assert!(said.contains("expected the place of a key"), "{said}");
        assert!(!said.contains("sk-1234"), "{said}");
        let file = format!("model_key = \"{wrong}\"");
        let said = load(Some(&file), &[], Flags::default()).unwrap_err().to_string();
        assert!(said.contains("config.toml:1:13: expected the place"), "{said}");
        assert!(!said.contains("sk-1234"), "{said}");
    }
}

#[test]
fn budgets_are_read_and_another_model_needs_no_other_daemon() {
    let file = "max_turns = 7\ntime_budget = \"90s\"\nmax_cost = \"0.50\"\nmodel = \"ollama:x\"";
    let config = load(Some(file), &[], Flags::default()).unwrap();
    let budget = config.budget();
    assert_eq!((budget.turns, budget.seconds, budget.cost_micros), (7, 90, Some(500_000)));
    assert_eq!(budget.tokens, 2_000_000);
    assert_eq!(config.values.show("max_cost"), "\"0.5\"");
    let usual = load(None, &[], Flags::default()).unwrap();
    assert_eq!(usual.budget(), Default::default());
    assert_eq!(usual.fingerprint(), config.fingerprint());
    for wrong in ["max_cost = \"free\"", "max_cost = 0.5", "max_cost = \"-1\"", "max_turns = 0"] {
        assert!(load(Some(wrong), &[], Flags::default()).is_err(), "{wrong}");
    }
}
