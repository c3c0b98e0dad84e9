//! How the tasks are done: the words of a goal, and the calls that do it.

use serde_json::{Value, json};

/// The words of the goal with their names, and the calls.
pub type Plan = (Vec<(String, String)>, Vec<(&'static str, Value)>);

/// Reads a goal; `None` if it is of a kind that the script does not know.
pub type Script = fn(&str) -> Option<Plan>;

/// The tasks that are recorded and replayed.
pub const TASKS: &[(&str, Script)] = &[
    ("click-test", |_| plan([], [click("Click Me!")])),
    ("click-test-2", |_| plan([], [click("ONE")])),
    ("click-test-transfer", |_| plan([], [click("ONE")])),
    ("click-button", one_quoted),
    ("click-button-sequence", |_| plan([], [click("ONE"), click("TWO")])),
    ("click-link", one_quoted),
    ("click-dialog", |_| plan([], [click("Close")])),
    ("click-dialog-2", |goal| match &*quoted(goal)?[0] {
        "x" => None,
        name => plan([("button", name)], [click(name)]),
    }),
    ("click-tab", |goal| {
        let tab = between(goal, "Click on ", ".")?;
        plan([("tab", &tab)], [click(&tab)])
    }),
    ("click-option", |goal| {
        let option = between(goal, "Select ", " and click")?;
        plan([("option", &option)], [click(&option), click("Submit")])
    }),
    ("click-checkboxes", |goal| {
        let names = between(goal, "Select ", " and click")?;
        let names: Vec<&str> = names.split(", ").collect();
        let [first, second] = names[..] else { return None };
        plan([("first", first), ("second", second)], [click(first), click(second), click("Submit")])
    }),
    ("click-collapsible-nodelay", |_| plan([], [click("css=#area h3"), click("Submit")])),
    ("choose-list", |goal| {
        let option = between(goal, "Select ", " from the list")?;
        plan([("option", &option)], [choose("css=select", &option), click("Submit")])
    }),
    ("click-scroll-list", |goal| {
        let option = between(goal, "Select ", " from the scroll list")?;
        let single = !option.contains(", ");
        single.then(|| {
            plan([("option", &*option)], [choose("css=select", &option), click("Submit")])
        })?
    }),
    ("enter-text", text),
    ("enter-text-dynamic", text),
    ("enter-date", |goal| {
        let date = between(goal, "Enter ", " as the date")?;
        let parts: Vec<&str> = date.split('/').collect();
        let [month, day, year] = parts[..] else { return None };
        let date = format!("{year}-{month}-{day}");
        plan([("date", &date)], [fill("css=#tt", &date), click("Submit")])
    }),
    ("enter-time", |goal| {
        let time = between(goal, "Enter ", " as the time")?;
        let (clock, half) = time.split_once(' ')?;
        let (hour, minute) = clock.split_once(':')?;
        let hour = hour.parse::<u32>().ok()? % 12 + if half == "PM" { 12 } else { 0 };
        let time = format!("{hour:02}:{minute}");
        plan([("time", &time)], [fill("css=#tt", &time), click("Submit")])
    }),
    ("focus-text", |_| plan([], [click("css=#tt")])),
    ("unicode-test", one_quoted),
    ("multi-orderings", |goal| movie(goal, "Submit")),
    ("multi-layouts", |goal| movie(goal, "Search button")),
    ("choose-date-easy", |goal| {
        let date = between(goal, "Select ", " as the date")?;
        let day = date.split('/').nth(1)?.trim_start_matches('0').to_owned();
        let chosen = click(&format!("role=link[name=\"{day}\" exact]"));
        plan([("day", &day)], [click("css=#datepicker"), chosen, click("Submit")])
    }),
];

fn one_quoted(goal: &str) -> Option<Plan> {
    let name = quoted(goal)?.pop()?;
    plan([("name", &name)], [click(&name)])
}

fn text(goal: &str) -> Option<Plan> {
    let text = quoted(goal)?.remove(0);
    plan([("text", &text)], [typed("css=#tt", &text), click("Submit")])
}

/// `Search for crime movies directed by Campbell from year 1981.`
fn movie(goal: &str, button: &str) -> Option<Plan> {
    let genre = between(goal, "Search for ", " movies")?;
    let director = between(goal, "directed by ", " from")?;
    let year = goal.rsplit(' ').next()?.trim_end_matches('.').to_owned();
    let calls =
        [fill("Director", &director), fill("Genre", &genre), fill("Year", &year), click(button)];
    plan([("genre", &*genre), ("director", &*director), ("year", &*year)], calls)
}

fn plan<const V: usize, const C: usize>(
    values: [(&str, &str); V],
    calls: [(&'static str, Value); C],
) -> Option<Plan> {
    let values = values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    Some((values.collect(), calls.into()))
}

fn click(target: &str) -> (&'static str, Value) {
    ("browser_click", json!({ "target": target }))
}

fn choose(target: &str, option: &str) -> (&'static str, Value) {
    ("browser_select", json!({ "target": target, "option": option }))
}

fn fill(field: &str, value: &str) -> (&'static str, Value) {
    ("browser_fill_form", json!({ "fields": { field: value } }))
}

fn typed(target: &str, text: &str) -> (&'static str, Value) {
    ("browser_type", json!({ "target": target, "text": text, "clear": true }))
}

fn quoted(goal: &str) -> Option<Vec<String>> {
    let all: Vec<String> = goal.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    (!all.is_empty()).then_some(all)
}

fn between(goal: &str, before: &str, after: &str) -> Option<String> {
    let (_, rest) = goal.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found.to_owned())
}
