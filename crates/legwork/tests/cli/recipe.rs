//! Recipes at the real program: saved after a run, recorded, replayed, healed.

use serde_json::json;

use crate::support::{Site, User};

fn saved(user: &User, site: &Site) -> String {
    let text = format!(
        "go to {}, type admin@test.com into Email, press Log in, wait for Welcome, read the page",
        site.url("/")
    );
    let ended = user.run(&["run", &text, "--save-recipe", "log-in.toml", "--parameter", "Email"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("saved: log-in.toml (5 steps)"), "{}", ended.err);
    std::fs::read_to_string(user.path("log-in.toml")).unwrap()
}

#[test]
fn a_run_becomes_a_recipe_that_costs_nothing_to_repeat() {
    let (user, site) = (User::new(), Site::start());
    let recipe = saved(&user, &site);
    assert!(recipe.starts_with("name = \"log-in\"\n"), "{recipe}");
    assert!(recipe.contains("name = \"email\""), "{recipe}");
    let reply = user.json(&["replay", "log-in.toml", "email=bob@test.com"]);
    assert_eq!(reply["done"], 5, "{reply}");
    assert_eq!((&reply["tokens"], &reply["healed"]), (&json!(0), &json!([])));
    assert!(reply["extracted"][0].as_str().unwrap().contains("Welcome, admin"), "{reply}");
    let plain = user.run(&["replay", "log-in.toml"]);
    assert_eq!(plain.code, 0, "{}", plain.err);
    assert!(plain.out.contains("Welcome, admin") && !plain.out.contains("steps"), "{}", plain.out);
    assert!(plain.err.contains("5 of 5 steps done, 0 healed, 0 tokens"), "{}", plain.err);
}

#[test]
fn a_step_that_no_longer_fits_is_healed_or_stops_with_the_difference() {
    let (user, site) = (User::new(), Site::start());
    let recipe = saved(&user, &site);
    // The ways that are tried first lead nowhere any more.
    let moved = recipe.replace("name=\"Log in\" exact", "name=\"Sign in\" exact");
    std::fs::write(user.path("moved.toml"), &moved).unwrap();
    let ended = user.run(&["replay", "moved.toml", "--update"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("\nhealed 3: button \"Log in\""), "{}", ended.err);
    let again = user.json(&["replay", "moved.toml"]);
    assert_eq!(again["healed"], json!([]), "the recipe has learnt it: {again}");
    let wrong = recipe.replace("Welcome", "Farewell");
    std::fs::write(user.path("wrong.toml"), &wrong).unwrap();
    let ended = user.run(&["replay", "wrong.toml"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains("error[step_failed]: step "), "{}", ended.err);
    assert_eq!(std::fs::read_to_string(user.path("wrong.toml")).unwrap(), wrong);
    for (arguments, said) in [
        (&["replay", "nowhere.toml"][..], "error[file_error]: "),
        (&["replay", "log-in.toml", "colour=red"], "error[recipe_parameter]: "),
        (&["replay", "log-in.toml", "--heal"], "error[invalid_input]: --heal needs a model"),
        (&["replay", "log-in.toml", "red"], "error: invalid value 'red'"),
    ] {
        let ended = user.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn a_recording_begins_where_it_was_begun_and_ends_with_a_line() {
    let (user, site) = (User::new(), Site::start());
    let url = site.url("/dashboard");
    let ended = user.fed(&["record", "seen.toml", &url, "--as-is"], "\n");
    assert_eq!(ended.code, 0, "{}", ended.err);
    let recipe = std::fs::read_to_string(user.path("seen.toml")).unwrap();
    assert!(recipe.contains(&format!("value = \"{url}\"")), "{recipe}");
    user.done(&["open", "about:blank"]);
    assert_eq!(user.json(&["replay", "seen.toml"])["done"], 1);
    assert!(user.done(&["eval", "document.title"]).contains("Dashboard"));
}
