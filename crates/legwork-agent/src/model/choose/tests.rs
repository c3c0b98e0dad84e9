use super::*;

/// Settings with this environment and no other.
fn with(variables: &[(&str, &str)]) -> ModelSettings {
    let variables: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let environment: Environment = Arc::new(move |name| variables.get(name).cloned());
    ModelSettings { environment, ..ModelSettings::default() }
}

fn error(name: &str, settings: &ModelSettings) -> String {
    choose(name, settings).err().map(|error| error.to_string()).unwrap_or_default()
}

/// Where a model would be asked and with which key.
fn place(name: &str, settings: &ModelSettings) -> (String, Option<String>) {
    use secrecy::ExposeSecret;
    let (provider, _) = provider::named(name).unwrap();
    let (base, paired) = provider.base(settings).unwrap();
    let key = provider.key(name, settings, paired).unwrap();
    (base.into(), key.map(|key| key.value.expose_secret().to_string()))
}

#[test]
fn a_wrong_name_says_what_is_near() {
    let check = |name: &str, expected: &str| {
        let error = error(name, &with(&[]));
        assert!(error.contains(expected), "{name}: {error}");
    };
    check("opnai:gpt-5.4", "did you mean openai?");
    check("antropic:x", "did you mean anthropic?");
    check("gpt-5.4", "say openai:gpt-5.4");
    check("claude-x", "say anthropic:claude-x");
    check("gemini-3", "say gemini:gemini-3");
    check("qwen3", "say ollama:qwen3");
    check("something", "one of openai, anthropic, gemini, chat, ollama, llamacpp, local");
    check("frobnicate:x", "there are openai, anthropic");
    check("openai:", "say openai:NAME");
    check("gemini:../../x", "cannot be a model");
    check("openai:a b", "cannot be a model");
}

#[test]
fn a_missing_key_says_where_it_is_looked_for() {
    let openai = error("openai:gpt-5.4", &with(&[("OPENAI_API_KEY", " ")]));
    assert!(openai.contains("there is no key") && openai.contains("OPENAI_API_KEY"), "{openai}");
    let gemini = error("google:gemini-3", &with(&[]));
    assert!(gemini.contains("GEMINI_API_KEY or GOOGLE_API_KEY"), "{gemini}");
}

#[test]
fn keys_of_the_configuration_come_before_those_of_the_environment() {
    let mut settings = with(&[("OPENAI_API_KEY", "environment")]);
    let openai = "https://api.openai.com/v1".to_string();
    assert_eq!(place("openai:x", &settings), (openai.clone(), Some("environment".into())));
    settings.keys.insert("openai".into(), "configured".into());
    assert_eq!(place("openai:x", &settings), (openai, Some("configured".into())));
    settings.keys.insert("Claude".into(), "other".into());
    assert_eq!(place("anthropic:x", &settings).1, Some("other".into()));
}

#[test]
fn the_key_of_one_server_is_not_sent_to_another() {
    let key = ("OPENAI_API_KEY", "sk-1");
    let gateway = ("OPENAI_BASE_URL", "https://gateway.example/v1");
    assert_eq!(place("chat:x", &with(&[key, gateway])).1, Some("sk-1".into()));
    let elsewhere = ModelSettings {
        base_url: Some("https://elsewhere.example/v1".parse().unwrap()),
        ..with(&[key, gateway])
    };
    assert_eq!(place("chat:x", &elsewhere).1, None);
    assert_eq!(place("ollama:x", &with(&[key])).1, None);
    assert_eq!(place("local:x", &with(&[key])).1, None);
    assert!(error("chat:x", &with(&[key])).contains("OPENAI_BASE_URL"));
}

#[test]
fn the_host_of_ollama_is_completed() {
    let check = |host: &str, expected: &str| {
        assert_eq!(place("ollama:x", &with(&[("OLLAMA_HOST", host)])).0, expected, "{host}");
    };
    check("", "http://127.0.0.1:11434/v1");
    check("0.0.0.0", "http://127.0.0.1:11434/v1");
    check("0.0.0.0:9000", "http://127.0.0.1:9000/v1");
    check("box.local", "http://box.local:11434/v1");
    check("http://box.local:80", "http://box.local/v1");
    check("https://ollama.example", "https://ollama.example/v1");
    check("https://ollama.example/api/v1", "https://ollama.example/api/v1");
}

#[test]
fn a_base_that_is_no_url_says_which_variable_has_it() {
    let error =
        error("openai:x", &with(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "nowhere")]));
    assert!(error.contains("OPENAI_BASE_URL is not a URL"), "{error}");
    let settings = with(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "file:///etc/passwd")]);
    assert!(super::choose("openai:x", &settings).is_err());
}

#[test]
fn a_price_of_the_configuration_comes_before_the_listed_one() {
    let mut settings = with(&[("OPENAI_API_KEY", "k")]);
    let listed = choose("openai:gpt-5.4", &settings).unwrap().price();
    assert!(listed.is_some());
    assert_eq!(choose("ollama:gpt-5.4", &settings).unwrap().price(), None);
    let mine = Price { input: 1, cached: 2, output: 3 };
    settings.prices.insert("gpt-5.4".into(), mine);
    assert_eq!(choose("openai:gpt-5.4", &settings).unwrap().price(), Some(mine));
    assert_eq!(choose("ollama:gpt-5.4", &settings).unwrap().price(), Some(mine));
}

#[test]
fn what_is_particular_about_a_model_stands_behind_its_name() {
    let settings = with(&[]);
    let model = choose("ollama:qwen3:8b?window=32768&vision=yes&price=1/0.5/2", &settings).unwrap();
    assert_eq!(model.name(), "ollama:qwen3:8b");
    let abilities = model.abilities();
    assert_eq!((abilities.window, abilities.vision), (Some(32768), true));
    let price = Price { input: 1_000_000, cached: 500_000, output: 2_000_000 };
    assert_eq!(model.price(), Some(price));
    for (wrong, said) in [
        ("ollama:x?windw=3", "\"windw=3\" is not understood; behind ? a model takes window=TOKENS"),
        ("ollama:x?window=many", "window=many"),
        ("ollama:x?price=1", "price=1"),
        ("ollama:x?price=-1/2", "price=-1/2"),
        ("ollama:x?calls=maybe", "calls=maybe"),
    ] {
        let error = error(wrong, &settings);
        assert!(error.contains(said), "{wrong}: {error}");
    }
}
