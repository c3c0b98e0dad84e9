//! A task in words, as a person reads it, and as the grammar would read it again.

use legwork_protocol::assistant::{
    Click, Drag, Extract, ExtractAs, Gesture, Input, InputValue, Navigate, Scroll, ScrollBy, Wait,
    WaitFor, Work,
};

use super::gap::ordinal;
use super::phrase::{kind, quoted};

/// A task in words.
pub fn describe(work: &Work) -> String {
    match work {
        Work::Click(click) => clicking(click),
        Work::Input(input) => entering(input),
        Work::Scroll(scroll) => scrolling(scroll),
        Work::Navigate(to) => going(to),
        Work::Wait(wait) => waiting(wait),
        Work::Extract(extract) => reading(extract),
        Work::Drag(Drag { from, to }) => format!("Drag {} onto {}", end(from), end(to)),
    }
}

/// Several tasks in one sentence.
pub fn describe_all(works: &[Work]) -> String {
    let all: Vec<String> = works.iter().map(|work| small(&describe(work))).collect();
    all.join(", then ")
}

fn small(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// A target as it can be said; a selector with spaces in it needs backticks.
fn target(target: &Option<String>) -> String {
    let target = target.as_deref().unwrap_or("it");
    let selector = ["css=", "xpath=", "//", "(//", "#", ".", "[", "role=", "text="];
    let spaced = target.contains(' ') && selector.iter().any(|start| target.starts_with(start));
    if spaced { format!("`{target}`") } else { target.to_owned() }
}

/// An end of a drag: a name in which "to" or "on" may stand needs quotes there.
fn end(name: &Option<String>) -> String {
    let said = target(name);
    let last = said.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let first = said.split(' ').next().unwrap_or_default().to_lowercase();
    let joined = said.split(' ').any(|word| matches!(word, "to" | "onto" | "into" | "on" | "over"));
    let plain = !said.contains(['"', '`', '“']) && first != "the" && ordinal(&first).is_none();
    if joined && plain && kind(&last).is_none() { quoted(&said) } else { said }
}

fn clicking(click: &Click) -> String {
    let verb = match click.gesture {
        Gesture::Click => "Click",
        Gesture::Double => "Double-click",
        Gesture::Right => "Right-click",
        Gesture::Hover => "Hover over",
    };
    let until = click.until.as_ref().map_or(String::new(), |until| format!(" until {}", so(until)));
    format!("{verb} {}{until}", target(&click.target))
}

/// What is waited for, as it is said behind "until".
fn so(until: &WaitFor) -> String {
    match until {
        WaitFor::Visible(what) => format!("{} appears", target(&Some(what.clone()))),
        WaitFor::Gone(what) => format!("{} disappears", target(&Some(what.clone()))),
        WaitFor::Url(part) => format!("the address contains {}", quoted(part)),
        WaitFor::Quiet => "the page is loaded".into(),
        WaitFor::Time(span) => format!("{span} have passed"),
    }
}

fn entering(input: &Input) -> String {
    let field = target(&input.target);
    let said = match &input.value {
        None => format!("Fill {field}"),
        Some(InputValue::Text(text)) if text.is_empty() => format!("Clear {field}"),
        Some(InputValue::Text(text)) => format!("Type {} into {field}", quoted(text)),
        Some(InputValue::Options(options)) => {
            let options: Vec<String> = options.iter().map(|option| quoted(option)).collect();
            format!("Select {} from {field}", options.join(", "))
        }
        Some(InputValue::Checked(true)) => format!("Tick {field}"),
        Some(InputValue::Checked(false)) => format!("Untick {field}"),
        Some(InputValue::Files(files)) => {
            let files: Vec<String> = files.iter().map(|file| quoted(file)).collect();
            format!("Upload {} to {field}", files.join(", "))
        }
        Some(InputValue::Key(key)) => match &input.target {
            Some(_) => format!("Press the {key} key in {field}"),
            None => format!("Press the {key} key"),
        },
    };
    if input.submit { format!("{said} and press Enter") } else { said }
}

fn scrolling(scroll: &Scroll) -> String {
    let what = target(&scroll.target);
    match (scroll.by, &scroll.target) {
        (ScrollBy::IntoView, _) => format!("Scroll to {what}"),
        (ScrollBy::Top, None) => "Scroll to the top".into(),
        (ScrollBy::Bottom, None) => "Scroll to the bottom".into(),
        (ScrollBy::Top, Some(_)) => format!("Scroll {what} to the top"),
        (ScrollBy::Bottom, Some(_)) => format!("Scroll {what} to the bottom"),
        (ScrollBy::Pixels(by), _) if by < 0 => format!("Scroll up by {} pixels", -i64::from(by)),
        (ScrollBy::Pixels(by), _) => format!("Scroll down by {by} pixels"),
    }
}

fn going(to: &Navigate) -> String {
    match to {
        Navigate::Url(url) => format!("Go to {url}"),
        Navigate::Back => "Go back".into(),
        Navigate::Forward => "Go forward".into(),
        Navigate::Reload => "Reload the page".into(),
        Navigate::Tab(number) => format!("Switch to tab {number}"),
        Navigate::Open => "Find the page to go to".into(),
    }
}

fn waiting(wait: &Wait) -> String {
    let limit = wait.timeout.as_ref().map_or(String::new(), |limit| format!("up to {limit} "));
    match &wait.until {
        None => "Wait until the page is ready for what follows".into(),
        Some(WaitFor::Visible(what)) => format!("Wait {limit}for {}", target(&Some(what.clone()))),
        Some(WaitFor::Time(span)) => format!("Wait {span}"),
        Some(until) => format!("Wait until {}", so(until)),
    }
}

fn reading(extract: &Extract) -> String {
    let from = extract.target.as_ref().map(|_| target(&extract.target));
    match (extract.form, &extract.what, from) {
        (ExtractAs::Picture, _, None) => "Take a screenshot".into(),
        (ExtractAs::Picture, _, Some(from)) => format!("Take a screenshot of {from}"),
        (_, Some(what), Some(from)) => format!("Extract {what} from {from}"),
        (_, Some(what), None) => format!("Tell me {what}"),
        (ExtractAs::Markdown, None, None) => "Read the page as markdown".into(),
        (_, None, None) => "Read the page".into(),
        (_, None, Some(from)) => format!("Read {from}"),
    }
}
