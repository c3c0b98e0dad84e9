//! Instructions as people say them, drawn at random, with the tasks that they are.

use legwork_protocol::assistant::{
    Click, Drag, Extract, ExtractAs, Gesture, Input, InputValue, Navigate, Scroll, ScrollBy, Wait,
    WaitFor, Work,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Something to do: how it is said, and what it is.
pub type Said = (String, Work);

pub const NAMES: &[&str] = &[
    "Log in",
    "Save",
    "Add to cart",
    "Terms of service",
    "Next",
    "Email",
    "First name",
    "Last name",
    "Postal code",
    "Continue",
    "My orders",
    "Show all",
    "Newsletter",
    "Größe",
    "検索",
    "Sign up",
];
pub const QUOTED: &[&str] =
    &["Save and close", "x", "Select all", "it", "Next, please", "Press Enter", "O'Brien", "100 %"];
pub const VALUES: &[&str] = &[
    "jane@example.com",
    "hunter2",
    "Oslo",
    "2026-11-16",
    "42",
    "{{secret:SHOP}}",
    "New York",
    "+47 123",
];
const SITES: &[&str] = &[
    "https://example.com",
    "http://localhost:3000",
    "https://shop.example/cart?x=1",
    "http://127.0.0.1:8080/a",
];

/// A name as it is said, and the target it is.
fn target() -> impl Strategy<Value = (String, String)> {
    let plain = select(NAMES).prop_map(|name| (name.to_owned(), name.to_owned()));
    let quoted = select([NAMES, QUOTED].concat());
    let quotes = select(vec![("\"", "\""), ("“", "”"), ("«", "»"), ("'", "'")]);
    let quoted = (quoted, quotes).prop_filter("no quote in a quote", |(name, (open, _))| {
        !(*open == "'" && name.contains('\''))
    });
    let quoted = quoted
        .prop_map(|(name, (open, shut))| (format!("{open}{name}{shut}"), format!("\"{name}\"")));
    let kind = (select(NAMES), select(vec!["button", "link", "field", "tab"]))
        .prop_map(|(name, kind)| (format!("the {name} {kind}"), format!("{name} {kind}")));
    let row = (select(NAMES), select(VALUES)).prop_map(|(name, row)| {
        let said = format!("\"{name}\" in the row with \"{row}\"");
        (said.clone(), said)
    });
    let counted = (select(vec!["second", "3rd", "last"]), select(vec!["Remove", "Edit"]))
        .prop_map(|(which, name)| (format!("the {which} {name}"), format!("{which} {name}")));
    prop_oneof![3 => plain, 3 => quoted, 2 => kind, 1 => row, 1 => counted]
}

fn pointing() -> impl Strategy<Value = Said> {
    let verbs = vec![
        ("click ", Gesture::Click),
        ("Click on ", Gesture::Click),
        ("tap ", Gesture::Click),
        ("double-click ", Gesture::Double),
        ("right click ", Gesture::Right),
        ("hover over ", Gesture::Hover),
    ];
    (select(verbs), target()).prop_map(|((verb, gesture), (said, target))| {
        (format!("{verb}{said}"), Work::Click(Click { target: Some(target), gesture, until: None }))
    })
}

fn entering() -> impl Strategy<Value = Said> {
    (target(), select(VALUES), 0..6_usize).prop_map(|((said, target), value, form)| {
        let text = || InputValue::Text(value.to_owned());
        let option = || InputValue::Options(vec![value.to_owned()]);
        let (said, value) = match form {
            0 => (format!("type {value:?} into {said}"), text()),
            1 => (format!("fill {said} with {value:?}"), text()),
            2 => (format!("set {said} to {value:?}"), text()),
            3 => (format!("select {value:?} from {said}"), option()),
            4 => (format!("tick {said}"), InputValue::Checked(true)),
            _ => (format!("uncheck {said}"), InputValue::Checked(false)),
        };
        (said, Work::Input(Input { target: Some(target), value: Some(value), submit: false }))
    })
}

fn other() -> impl Strategy<Value = Said> {
    let going = select(SITES)
        .prop_map(|url| (format!("go to {url}"), Work::Navigate(Navigate::Url(url.to_owned()))));
    let back = Just(("go back".to_owned(), Work::Navigate(Navigate::Back)));
    let picture = Just((
        "take a screenshot".to_owned(),
        Work::Extract(Extract { form: ExtractAs::Picture, ..Default::default() }),
    ));
    let waiting = target().prop_map(|(said, target)| {
        let until = Some(WaitFor::Visible(target));
        (format!("wait for {said}"), Work::Wait(Wait { until, timeout: None }))
    });
    let pause = (1..60_u32).prop_map(|seconds| {
        let until = Some(WaitFor::Time(format!("{seconds}s")));
        (format!("wait {seconds} seconds"), Work::Wait(Wait { until, timeout: None }))
    });
    let scrolling = target().prop_map(|(said, target)| {
        let scroll = Scroll { target: Some(target), by: ScrollBy::IntoView };
        (format!("scroll down to {said}"), Work::Scroll(scroll))
    });
    let key = select(vec!["Enter", "Escape", "Control+A", "F5"]).prop_map(|key| {
        let value = Some(InputValue::Key(key.to_owned()));
        (format!("press {key}"), Work::Input(Input { value, ..Default::default() }))
    });
    // Without quotes, "drag Add to cart onto Done" has two readings.
    let dragging = (select(NAMES), select(QUOTED)).prop_map(|(a, b)| {
        let (from, to) = (format!("\"{a}\""), format!("\"{b}\""));
        (format!("drag {from} onto {to}"), Work::Drag(Drag { from: Some(from), to: Some(to) }))
    });
    prop_oneof![going, back, picture, waiting, pause, scrolling, key, dragging]
}

pub fn one() -> impl Strategy<Value = Said> {
    prop_oneof![pointing(), entering(), other()]
}

/// Several things to do in one instruction, put together as people do.
pub fn instruction() -> impl Strategy<Value = (String, Vec<Work>)> {
    let joints = vec![
        ", ",
        ", then ",
        " and then ",
        ". ",
        "\n",
        "; ",
        ", and ",
        ". After that, ",
        ". Please ",
    ];
    let part = (one(), select(joints));
    (proptest::collection::vec(part, 1..6), select(vec!["", "Please ", "First, ", "1. ", "- "]))
        .prop_map(|(parts, lead)| {
            let (mut said, mut works) = (lead.to_owned(), Vec::new());
            for (at, ((clause, work), joint)) in parts.iter().enumerate() {
                if at > 0 {
                    said += joint;
                }
                said += clause;
                works.push(work.clone());
            }
            (said, works)
        })
}
