//! The rules as a whole: reading them, and judging by them.

mod chromium;
mod decide;
mod file;
mod monotone;

use legwork_engine::ElementFacts;

use super::facts::{Facts, Kind};
use super::rules::Rules;

/// Facts of an action on a page.
fn facts(kind: Kind, page: &str) -> Facts {
    Facts {
        session: "default".into(),
        tool: "browser_click",
        kind,
        page: Some(page.parse().unwrap()),
        frame: None,
        to: None,
        element: None,
        files: Vec::new(),
        secrets: Vec::new(),
        dialog: None,
        profile: None,
        unsaved: false,
        resends: false,
        at: Some(std::time::UNIX_EPOCH),
        meanings: Vec::new(),
    }
}

/// Facts of a click on a button, with what it means.
fn press(name: &str, page: &str) -> Facts {
    let element = ElementFacts { role: "button".into(), name: name.into(), ..Default::default() };
    let facts = Facts { element: Some(element), ..facts(Kind::Click, page) };
    Facts { meanings: super::meanings(&facts), ..facts }
}

fn go(url: &str) -> Facts {
    Facts { to: Some(url.parse().unwrap()), ..facts(Kind::Navigate, "about:blank") }
}

fn rules(text: &str) -> Rules {
    Rules::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
