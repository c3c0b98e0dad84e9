//! A recipe of what a person did in a recorded session.

use legwork_protocol::Button;
use legwork_protocol::Known;
use legwork_protocol::rpc::{BrowserEvent, Deed, UserAct};
use serde_json::{Map, Value, json};

use super::draft::{self, Draft};
use super::parameters::Wanted;
use super::{Expect, Recipe, RecipeError, Tool};

/// Makes a recipe of what a session told while it was recorded. What was `wanted` becomes parameters; of
/// passwords and codes, only the name of a secret is written.
pub fn from_events(events: &[BrowserEvent], wanted: &[Wanted]) -> Result<Recipe, RecipeError> {
    let mut person = Watched::default();
    for event in events {
        person.see(event);
    }
    person.drafts.retain(|draft| !draft.idle);
    draft::recipe(person.drafts, wanted)
}

/// What was seen so far.
#[derive(Default)]
struct Watched {
    drafts: Vec<Draft>,
    /// The tab that was acted in last.
    tab: Option<usize>,
    /// Addresses since the last deed.
    moves: usize,
}

impl Watched {
    fn see(&mut self, event: &BrowserEvent) {
        // Something came of what was done last.
        if !matches!(event, BrowserEvent::UserActed(_))
            && let Some(last) = self.drafts.last_mut()
        {
            last.idle = false;
        }
        match event {
            BrowserEvent::Navigated { tab, url } if Some(*tab) == self.tab => self.arrived(url),
            // A window that a page opened is in front; the replay's is as well.
            BrowserEvent::TabOpened { tab, opener: Some(_), .. } => self.tab = Some(*tab),
            BrowserEvent::UserActed(act) => self.acted(act),
            _ => {}
        }
    }

    /// An address that what was done last led to.
    fn arrived(&mut self, url: &str) {
        self.moves += 1;
        if let Some(last) = self.drafts.last_mut() {
            last.moved = last.tool != Tool::Navigate;
            last.expect.address = Some(draft::pattern(url));
            last.expect.value = None;
        }
    }

    fn acted(&mut self, act: &UserAct) {
        let UserAct { tab, deed, element } = act;
        // A script that goes back is told as both: the click that ran it, and where it led.
        let by_page = matches!(deed, Deed::WentBack | Deed::WentForward)
            && self.moves == 1
            && self.drafts.last().is_some_and(|last| last.element.is_some());
        if by_page {
            return;
        }
        if let Deed::WentTo { url } = deed {
            self.go(*tab, url);
            return;
        }
        let Some(draft) = draft_of(deed, element.as_ref()) else { return };
        if self.tab.is_some_and(|before| before != *tab) {
            self.drafts.push(tabs(json!({ "action": "select", "tab": tab })));
        }
        self.tab = Some(*tab);
        self.moves = 0;
        self.drafts.push(draft);
    }

    fn go(&mut self, tab: usize, url: &str) {
        let first = self.tab.is_none();
        let expect = Expect { address: Some(draft::pattern(url)), ..Default::default() };
        self.drafts.push(match first || self.tab == Some(tab) {
            true => Draft {
                tool: Tool::Navigate,
                value: Some(url.to_owned()),
                expect,
                ..Draft::default()
            },
            false => tabs(json!({ "action": "new", "url": url })),
        });
        self.tab = Some(tab);
        self.moves = 0;
    }
}

fn tabs(with: Value) -> Draft {
    let with = with.as_object().cloned().unwrap_or_default();
    Draft { tool: Tool::Tabs, with, ..Draft::default() }
}

fn draft_of(deed: &Deed, element: Option<&Known>) -> Option<Draft> {
    let known = element.cloned();
    let done = |tool: Tool, value: Option<String>| Draft {
        tool,
        value,
        element: known.clone(),
        ..Draft::default()
    };
    // What nothing leads to cannot be done again.
    let found = known.as_ref().is_some_and(|known| !known.find.is_empty());
    Some(match deed {
        Deed::Clicked { button, count } if found => {
            let idle = known.as_ref().is_some_and(is_blank);
            Draft { with: clicking(*button, *count), idle, ..done(Tool::Click, None) }
        }
        Deed::Filled { value } if found => {
            let expect = Expect { value: Some(value.clone()), ..Default::default() };
            Draft { expect, ..done(Tool::Fill, Some(value.clone())) }
        }
        // The draft of a secret field writes the secret's name, whatever is here.
        Deed::EnteredSecret if found => {
            let secret = known.clone().map(|known| Known { secret: true, ..known });
            Draft { element: secret, ..done(Tool::Fill, Some(String::new())) }
        }
        Deed::Checked { on } if found => done(Tool::Fill, Some(on.to_string())),
        Deed::Chose { options } if found => choosing(done(Tool::Choose, None), options),
        Deed::GaveFiles { .. } if found => done(Tool::Upload, None),
        Deed::Pressed { key } => {
            let element = known.clone().filter(|_| found);
            Draft { element, ..done(Tool::Press, Some(key.clone())) }
        }
        Deed::WentBack => done(Tool::Back, None),
        Deed::WentForward => done(Tool::Forward, None),
        Deed::Reloaded => done(Tool::Reload, None),
        _ => return None,
    })
}

/// Whether it is the page itself, where nothing in particular is. The middle of it is another thing each time.
fn is_blank(known: &Known) -> bool {
    let page = ["css=html", "css=body", "xpath=/html", "xpath=/html/body"];
    known.find.iter().any(|way| page.contains(&way.as_str()))
}

/// What is said of a click that is not the usual one.
fn clicking(button: Button, count: u32) -> Map<String, Value> {
    let said = [
        ("button", (button != Button::Left).then(|| json!(button))),
        ("count", (count > 1).then(|| json!(count))),
    ];
    let said = said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    said.collect()
}

/// One option is the step's value; several are an argument.
fn choosing(draft: Draft, options: &[String]) -> Draft {
    match options {
        [one] => Draft { value: Some(one.clone()), ..draft },
        many => Draft { with: Map::from_iter([("option".to_owned(), json!(many))]), ..draft },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_on_the_blank_page_is_left_out_unless_something_came_of_it() {
        let click = |ways: &[&str]| {
            let find = ways.iter().map(|way| (*way).to_owned()).collect();
            let element = Some(Known { role: "generic".into(), find, ..Default::default() });
            let deed = Deed::Clicked { button: Button::Left, count: 1 };
            BrowserEvent::UserActed(UserAct { tab: 1, deed, element })
        };
        let opened = || BrowserEvent::TabClosed { tab: 2 };
        let page = || click(&["text=Welcome", "css=html", "xpath=/html"]);
        for (events, kept) in [
            (vec![page(), click(&["css=#card"]), page()], 1),
            (vec![click(&["css=body", "xpath=/html/body"]), opened(), click(&["css=#card"])], 2),
            (vec![click(&["css=main"])], 1),
        ] {
            let recipe = from_events(&events, &[]).unwrap();
            assert_eq!(recipe.steps.len(), kept, "{events:?}");
        }
        assert!(matches!(from_events(&[page()], &[]), Err(RecipeError::Nothing)));
    }
}
