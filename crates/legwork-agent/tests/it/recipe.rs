//! Recipes in a real Chrome: what was done once is done again, verified, and for no tokens.

pub mod hands;
mod site;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use legwork_agent::model::ModelError;
use legwork_agent::recipe::{self, End, Recipe, Remedy, Replayed, Tool, Wanted};
use legwork_protocol::assistant::{Extract as Reading, ExtractAs, Reaction, RunStatus, Work};
use legwork_protocol::rpc::BrowserEvent;
use legwork_protocol::{Code, ToolError};
use serde_json::json;

use crate::errand::{assistant, chain, enter, execute, open, read};
use crate::scripted::{Recorder, Scripted, call, done};
use crate::support::{Rig, Site, html};
use hands::{Mute, Palms};
use site::{Shop, shop};

/// Signs in, adds milk, and makes a few mistakes on the way.
async fn errand(site: &Site) -> Palms {
    let mut palms = Palms::new(Rig::new());
    let origin = site.origin();
    palms.does("browser_navigate", json!({ "url": origin })).await;
    palms.does("browser_snapshot", json!({})).await;
    palms.does("browser_click", json!({ "target": "Idle" })).await;
    palms.fails("browser_click", json!({ "target": "Sign up", "timeout": "100ms" })).await;
    palms
        .does("browser_type", json!({ "target": "Email", "text": "ann@x.org", "clear": true }))
        .await;
    palms
        .does("browser_type", json!({ "target": "Email", "text": "bob@x.org", "clear": true }))
        .await;
    palms.does("browser_click", json!({ "target": "Log in" })).await;
    palms.does("browser_click", json!({ "target": "Add in the row with Oat milk" })).await;
    palms.does("browser_fill_form", json!({ "fields": { "Amount": "3", "Gift": true, "Speed": "Fast" }, "submit": "Order" })).await;
    palms.does("browser_wait", json!({ "text": "Thank you" })).await;
    palms.does("browser_extract", json!({ "format": "text" })).await;
    palms
}

fn wanted() -> Vec<Wanted> {
    let value = |name: &str, value: &str| Wanted::Value { name: name.into(), value: value.into() };
    vec![Wanted::Label("Email".into()), value("item", "Oat milk"), value("amount", "3")]
}

fn said(values: &[(&str, &str)]) -> BTreeMap<String, String> {
    values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

async fn replayed(recipe: &Recipe, values: &[(&str, &str)]) -> Replayed {
    let mut palms = Palms::new(Rig::new());
    recipe::replay(recipe, &said(values), &mut palms, None).await.unwrap()
}

async fn recorded() -> (Site, Recipe) {
    let site = shop(Shop::Usual).await;
    let palms = errand(&site).await;
    let recipe = recipe::from_steps(&palms.steps, &wanted()).unwrap();
    (site, recipe)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_becomes_a_recipe_that_repeats_the_errand_for_no_tokens() {
    let (site, recipe) = recorded().await;
    use Tool::*;
    let tools: Vec<Tool> = recipe.steps.iter().map(|step| step.tool).collect();
    assert_eq!(tools, [Navigate, Type, Click, Click, Fill, Fill, Fill, Click, Wait, Extract]);
    let text = recipe.text().unwrap();
    assert!(!text.contains("ann@x.org"), "the first attempt was superseded: {text}");
    assert_eq!(Recipe::parse(&text).unwrap(), recipe, "{text}");
    let again =
        replayed(&recipe, &[("email", "eve@x.org"), ("item", "Bread"), ("amount", "7")]).await;
    assert_eq!(again.end, End::Finished, "{text}");
    assert_eq!((again.done, again.healed.len()), (tools.len(), 0), "{again:?}");
    assert_eq!(again.tokens, Default::default());
    assert!(again.extracted[0].contains("Thank you"), "{again:?}");
    let heard = site.heard.lock().unwrap().join("\n");
    let ordered: Vec<&str> = heard.lines().filter(|line| line.starts_with("/order")).collect();
    assert_eq!(ordered.len(), 2, "{heard}");
    for part in ["item=Bread", "amount=7", "gift=on", "speed=Fast", "eve%2540x.org"] {
        assert!(ordered[1].contains(part), "{part} in {ordered:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_errand_asks_no_model_even_where_one_is_allowed() {
    let (_site, recipe) = recorded().await;
    let mut palms = Palms::new(Rig::new());
    // It panics when it is asked.
    let again = recipe::replay(&recipe, &said(&[]), &mut palms, Some(&Mute(None))).await.unwrap();
    assert_eq!((again.end, again.tokens), (End::Finished, Default::default()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_changed_is_healed_from_its_other_ways_and_the_recipe_learns_it() {
    let (site, mut recipe) = recorded().await;
    let moved = shop(Shop::Renamed).await;
    site::move_to(&mut recipe, &site, &moved);
    let again = replayed(&recipe, &[]).await;
    assert_eq!(again.end, End::Finished, "{again:?}");
    let told: Vec<&str> = again.healed.iter().map(|healed| healed.told.as_str()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("Your email") && told[1].contains("Continue"), "{told:?}");
    assert!(again.healed.iter().all(|one| matches!(one.remedy, Remedy::Element(_))), "{again:?}");
    let learnt = recipe.with_healed(&again);
    let text = learnt.text().unwrap();
    assert!(text.contains("Continue") && text.contains("{{email}}"), "{text}");
    let third = replayed(&learnt, &[]).await;
    assert_eq!((third.end, third.healed.len()), (End::Finished, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_fits_no_more_stops_the_replay_and_shows_what_there_is() {
    let (moved, recipe) = rebuilt().await;
    let again = replayed(&recipe, &[]).await;
    let End::Differs(difference) = &again.end else { panic!("{again:?}") };
    assert_eq!((again.done, difference.step), (2, 3), "{difference}");
    assert!(difference.expected.contains("\"Log in\""), "{difference}");
    assert!(difference.seen.contains("Log in with a link"), "{difference}");
    let heard = moved.heard.lock().unwrap().join("\n");
    assert!(
        !heard.contains("/order") && !heard.contains("/deleted"),
        "nothing else was clicked: {heard}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_that_is_another_one_stops_the_replay() {
    let (site, mut recipe) = recorded().await;
    let moved = shop(Shop::Closed).await;
    site::move_to(&mut recipe, &site, &moved);
    let again = replayed(&recipe, &[]).await;
    let End::Differs(difference) = &again.end else { panic!("{again:?}") };
    assert_eq!(difference.step, 3, "{difference}");
    assert!(difference.expected.contains("the address"), "{difference}");
    assert!(difference.seen.contains("/closed"), "{difference}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_get_there_either_is_told_of() {
    let (_site, recipe) = rebuilt().await;
    let silent = ModelError::Unknown("no such model".into());
    let mut palms = Palms::new(Rig::new());
    let again =
        recipe::replay(&recipe, &said(&[]), &mut palms, Some(&Mute(Some(silent)))).await.unwrap();
    let End::Differs(difference) = &again.end else { panic!("{again:?}") };
    assert!(difference.seen.contains("the model did not get there either"), "{difference}");
}

/// The recipe of the shop, in a shop whose button is gone.
async fn rebuilt() -> (Site, Recipe) {
    let (site, mut recipe) = recorded().await;
    let moved = shop(Shop::Rebuilt).await;
    site::move_to(&mut recipe, &site, &moved);
    (moved, recipe)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_heals_a_step_and_the_recipe_learns_what_it_did() {
    let (_site, recipe) = rebuilt().await;
    let click = call("browser_click", json!({ "target": "Log in with a link" }));
    let model = Scripted::says([click, done("logged in", "Shelf")]).seeing();
    let mut palms = Palms::new(Rig::new());
    palms.does("browser_resize", json!({ "width": 1000, "height": 600 })).await;
    let again = recipe::replay(&recipe, &said(&[]), &mut palms, Some(&model)).await.unwrap();
    assert_eq!((&again.end, again.done), (&End::Finished, recipe.steps.len()), "{again:?}");
    assert_eq!(model.requests.lock().unwrap()[0].viewport, Some((1000, 600)));
    assert!(again.tokens.input > 0 && again.tokens.output > 0, "{again:?}");
    assert_eq!(again.healed.len(), 1, "{again:?}");
    let asked = model.shown();
    let task = asked.lines().find(|line| line.starts_with("Task: ")).unwrap();
    assert!(
        task.starts_with("Task: do step 3 of the recipe \"recipe\": click a button."),
        "{task}"
    );
    assert!(!task.contains("Log in") && asked.contains("recorded: click button \"Log in\""));
    let learnt = recipe.with_healed(&again);
    let step = &learnt.steps[2];
    assert_eq!(step.element.as_ref().unwrap().name, "Log in with a link", "{step:?}");
    assert_eq!(step.expect.address, recipe.steps[2].expect.address);
    let third = replayed(&learnt, &[]).await;
    assert_eq!((third.end, third.healed.len()), (End::Finished, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_changes_nothing_is_told_where_nothing_is_expected() {
    let page = "<button id=dead>Dead</button><button id=live onclick=\"document.body.append('!')\">Live</button>";
    let site = Site::start(|_| html(page)).await;
    let click = |id: &str, expect: &str| {
        format!("[[steps]]\ntool = \"click\"\n{expect}[steps.element]\nfind = [\"css=#{id}\"]\n")
    };
    let text = format!(
        "name = \"x\"\n[[steps]]\ntool = \"navigate\"\nvalue = {:?}\n{}{}{}",
        site.origin(),
        click("live", ""),
        click("dead", ""),
        click("dead", "expect = { address = \"*\" }\n"),
    );
    let again = replayed(&Recipe::parse(&text).unwrap(), &[]).await;
    assert_eq!((&again.end, again.done), (&End::Finished, 4), "{again:?}");
    assert_eq!(again.idle, [3], "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_reads_instead_is_a_result_too() {
    let site = Site::start(|_| html("<p>42 EUR</p>")).await;
    let text = format!(
        "name = \"x\"\n[[steps]]\ntool = \"navigate\"\nvalue = {:?}\n[[steps]]\ntool = \"extract\"\n\
         [steps.element]\nfind = [\"css=#total\"]\n",
        site.origin()
    );
    let recipe = Recipe::parse(&text).unwrap();
    let model = Scripted::says([done("it costs 42 EUR", "42 EUR")]);
    let mut palms = Palms::new(Rig::new());
    let again = recipe::replay(&recipe, &said(&[]), &mut palms, Some(&model)).await.unwrap();
    assert_eq!((&again.end, again.healed.len()), (&End::Finished, 1), "{again:?}");
    assert!(again.extracted[0].contains("it costs 42 EUR"), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_read_is_read_again_and_not_entered_as_it_was() {
    let price = Arc::new(Mutex::new("42 EUR"));
    let now = price.clone();
    let site = Site::start(move |_| {
        let now = now.lock().unwrap();
        html(&format!(
            "<label>Search <input></label><p id=total>{now}</p><ul><li>a {now}</li><li>b</li></ul>"
        ))
    })
    .await;
    let rig = Rig::new();
    let assistant = assistant(rig.host.clone(), rig.folder.path());
    let mut picture = Reading { target: Some("#total".into()), ..Default::default() };
    picture.form = ExtractAs::Picture;
    let works = vec![
        open(site.origin()),
        read("#total"),
        enter("Search", "{{result:t2}}"),
        read("css=li"),
        Work::Extract(picture),
        read("#total"),
    ];
    let run = assistant.start_tasks(execute("default"), chain(works), "q").unwrap();
    let state = assistant.wait(&run).await.unwrap();
    assert_eq!(state.status, RunStatus::Completed, "{state:#?}");
    let steps = assistant.steps(&run).unwrap();
    let recipe = recipe::from_run(&state.tasks.unwrap().tasks, &steps, &[]).unwrap();
    let text = recipe.text().unwrap();
    assert!(!text.contains("EUR"), "{text}");
    use Tool::*;
    let tools: Vec<Tool> = recipe.steps.iter().map(|step| step.tool).collect();
    assert_eq!(tools, [Navigate, Extract, Type, Extract, Screenshot, Extract], "{text}");
    assert_eq!(Recipe::parse(&text).unwrap(), recipe, "{text}");
    *price.lock().unwrap() = "7 EUR";
    let again = replayed(&recipe, &[("search", "7 EUR")]).await;
    assert_eq!(again.end, End::Finished, "{text}");
    assert_eq!(again.extracted, ["7 EUR", "a 7 EUR\nb", "7 EUR"]);
    let mut palms = Palms::new(Rig::new());
    let error = recipe::replay(&recipe, &said(&[]), &mut palms, None).await.unwrap_err();
    assert!(error.to_string().contains("has no value"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_been_done_is_not_handed_to_a_model() {
    let (site, mut recipe) = recorded().await;
    let late = ToolError::new(Code::Timeout, "no answer");
    let rig = Rig::new();
    let mut hands = Recorder::new(&rig.host);
    hands.failing = vec![("browser_click".into(), late)];
    // The model panics when it is asked.
    let again = recipe::replay(&recipe, &said(&[]), &mut hands, Some(&Mute(None))).await.unwrap();
    let End::Differs(difference) = &again.end else { panic!("{again:?}") };
    assert!(difference.step == 3 && difference.may_be_done, "{difference:?}");
    let moved = shop(Shop::Closed).await;
    site::move_to(&mut recipe, &site, &moved);
    let mut palms = Palms::new(Rig::new());
    let again = recipe::replay(&recipe, &said(&[]), &mut palms, Some(&Mute(None))).await.unwrap();
    let End::Differs(difference) = &again.end else { panic!("{again:?}") };
    assert!(difference.seen.contains("/closed") && difference.may_be_done, "{difference:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_the_person_leaves_out_is_not_done() {
    let (_site, mut recipe) = rebuilt().await;
    recipe.steps.truncate(3);
    let ask = json!({ "type": "custom", "message": "Which one?", "choices": ["a", "b"] });
    let model = Scripted::says([call("request_assistance", ask)]);
    let rig = Rig::new();
    let mut hands = Recorder::new(&rig.host).reacting(|_| Reaction::Skip);
    let values = said(&[]);
    let again = recipe::replay(&recipe, &values, &mut hands, Some(&model)).await.unwrap();
    assert_eq!((again.end, again.done, again.skipped), (End::Skipped, 2, vec![3]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_policy_refuses_is_not_handed_to_a_model() {
    let (_site, recipe) = recorded().await;
    let mut palms = Palms::new(Rig::new());
    palms.denies = Some("browser_click");
    let again = recipe::replay(&recipe, &said(&[]), &mut palms, Some(&Mute(None))).await.unwrap();
    let End::Failed { step, error } = &again.end else { panic!("{again:?}") };
    assert_eq!((*step, error.code), (3, Code::Denied));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_did_becomes_a_recipe_without_their_password() {
    let site = shop(Shop::Usual).await;
    let told: Vec<BrowserEvent> = site::told_by_a_person(&site.origin());
    let recipe = recipe::from_events(&told, &[Wanted::Label("Email".into())]).unwrap();
    let text = recipe.text().unwrap();
    use Tool::*;
    let tools: Vec<Tool> = recipe.steps.iter().map(|step| step.tool).collect();
    assert_eq!(tools, [Navigate, Fill, Fill, Click], "{text}");
    assert!(text.contains("{{secret:password}}") && text.contains("{{email}}"), "{text}");
    let mut open = recipe.clone();
    open.steps.remove(2);
    let again = replayed(&open, &[("email", "eve@x.org")]).await;
    assert_eq!(again.end, End::Finished, "{text}");
    assert!(site.heard.lock().unwrap().join("\n").contains("eve%40x.org"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_recipe_in_the_documents_works() {
    let page = include_str!("../../../../docs/recipes.md");
    let text = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let recipe = Recipe::parse(text).unwrap();
    let site = shop(Shop::Usual).await;
    let again = replayed(&recipe, &[("shop", &site.origin()), ("item", "Bread")]).await;
    assert_eq!(again.end, End::Finished, "{again:?}");
    let heard = site.heard.lock().unwrap().join("\n");
    assert!(heard.contains("item=Bread"), "{heard}");
}

#[test]
fn a_damaged_recipe_is_refused_with_its_line_and_a_hint() {
    let good = "name = \"x\"\n\n[[steps]]\ntool = \"click\"\n[steps.element]\nfind = [\"Save\"]\n";
    assert!(Recipe::parse(good).is_ok());
    for (text, line, says) in [
        ("name = \"x\"\nsteps = []\n", 1, "no steps"),
        ("name = \"x\"\nname = \"y\"\n", 2, "duplicate key"),
        (&*good.replace("find", "found"), 6, "unknown field `found`"),
        (&*good.replace("\"click\"", "\"teleport\""), 4, "unknown variant `teleport`"),
        (&*good.replace("[steps.element]\nfind = [\"Save\"]\n", ""), 3, "needs an element"),
        (&*good.replace("[\"Save\"]", "[]"), 3, "no way to find"),
        (&*good.replace("Save", "{{what}}"), 3, "{{what}}, which is no parameter"),
        (&*good.replace("\"click\"", "\"type\""), 3, "needs a value"),
    ] {
        let error = Recipe::parse(text).unwrap_err();
        let told = error.to_string();
        assert!(
            told.contains(says) && told.starts_with(&format!("line {line}:")),
            "{told} in {text}"
        );
        assert_eq!(error.code(), "recipe_syntax");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn a_recipe_is_written_whole_and_parameters_are_checked_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.toml");
    let text = "name = \"x\"\n[[parameters]]\nname = \"a\"\n[[steps]]\ntool = \"navigate\"\nvalue = \"{{a}}\"\n";
    let recipe = Recipe::parse(text).unwrap();
    recipe.write(&path).unwrap();
    recipe.write(&path).unwrap();
    assert_eq!(Recipe::read(&path).unwrap(), recipe);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (values, says) in [
        (said(&[]), "has no value"),
        (said(&[("b", "1")]), "no parameter \"b\""),
        (said(&[("a", "{{secret:pw}}")]), "contains \"{{\""),
    ] {
        let mut palms = Palms::new(Rig::new());
        let replay = recipe::replay(&recipe, &values, &mut palms, None);
        let error = runtime.block_on(replay).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.code(), "recipe_parameter");
        assert!(palms.steps.is_empty(), "nothing was done");
    }
}
