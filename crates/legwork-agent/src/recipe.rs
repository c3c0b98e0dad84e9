//! Recipes: what was done once is done again without a model. A recipe is a readable file of steps, each
//! with several ways to find its element and with what was seen to come of it.
//!
//! - [`from_run`] makes one of a run, [`from_events`] of what a person did in a recorded session.
//! - [`Recipe::read`] and [`Recipe::write`] are the file.
//! - [`replay`] does it again and verifies each outcome.

mod draft;
mod file;
mod from_person;
mod from_run;
mod heal;
mod parameters;
mod replay;
mod seek;
mod verify;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use file::RecipeError;
pub use from_person::from_events;
pub use from_run::{from_run, from_steps};
pub use parameters::Wanted;
pub use replay::{Difference, End, Healed, Remedy, Replayed, replay};

/// What was done, to be done again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Its name.
    pub name: String,
    /// What it is for, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The version that made it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub made_with: String,
    /// What may be another each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// What is done, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
}

/// Something that may be another each time. Steps name it as `{{name}}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it is if nothing is said; without one, it has to be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Where it was found.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub found: String,
}

/// One thing to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What kind of thing.
    pub tool: Tool,
    /// The address, the text, the option, the key: with `{{name}}` for parameters and `{{secret:NAME}}`
    /// for secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Further arguments of the tool, as the tool takes them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub with: Map<String, Value>,
    /// What it is done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// Where something is dragged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onto: Option<Element>,
    /// What has to come of it.
    #[serde(default, skip_serializing_if = "Expect::is_empty")]
    pub expect: Expect,
}

/// An element, by what lasts longer than a ref.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Element {
    /// Its role. Another one is another element.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Its name, or its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The kind of field, if it is one. Another one is another element.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Targets that lead to it, the steadiest first.
    pub find: Vec<String>,
}

/// What was seen to come of a step, and has to come of it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Where the page is then; `*` stands for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Words that are there then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// What the field holds then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Something changes on the page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub change: bool,
}

impl Recipe {
    /// Whether a step enters a secret.
    pub fn enters_secrets(&self) -> bool {
        let enters = |value: &String| value.contains("{{secret:");
        self.steps.iter().any(|step| step.value.as_ref().is_some_and(enters))
    }

    /// What was wanted as a parameter and stands in no step, with what could be one.
    pub fn unmatched(&self, wanted: &[Wanted]) -> Option<RecipeError> {
        let is_one = |name: &str| self.parameters.iter().any(|one| one.name == name);
        let (name, what) = wanted.iter().find_map(|one| match one {
            Wanted::Value { name, value } => {
                (!is_one(name)).then(|| (name, format!("no step has {value:?}")))
            }
            Wanted::Label(label) => (!is_one(&parameters::name_of(label)))
                .then(|| (label, format!("nothing was entered in a field {label:?}"))),
        })?;
        let entered = self.entered();
        let could = match entered.is_empty() {
            true => "nothing was entered that could be one".to_owned(),
            false => format!("what could be one: {}", entered.join(", ")),
        };
        Some(RecipeError::Unmatched(format!("{name:?} is no parameter: {what}; {could}")))
    }

    /// The values that steps have, as they could be said to become parameters.
    fn entered(&self) -> Vec<String> {
        let steps =
            self.steps.iter().filter(|step| !matches!(step.tool, Tool::Press | Tool::Evaluate));
        let one = |step: &Step| {
            let value = step.value.as_ref().filter(|value| !parameters::is_live(value))?;
            let field = step.element.as_ref().map(|element| element.name.as_str());
            Some(match field.filter(|name| !name.is_empty()) {
                Some(field) => format!("{field:?} ({value:?})"),
                None => format!("{value:?}"),
            })
        };
        steps.filter_map(one).collect()
    }
}

impl Expect {
    fn is_empty(&self) -> bool {
        *self == Expect::default()
    }
}

/// The kinds of things that a recipe does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Goes to an address.
    #[default]
    Navigate,
    /// Clicks.
    Click,
    /// Types with keys.
    Type,
    /// Gives a field of any kind its value.
    Fill,
    /// Chooses in a list.
    Choose,
    /// Presses a key.
    Press,
    /// Moves the pointer over something.
    Hover,
    /// Scrolls.
    Scroll,
    /// Drags.
    Drag,
    /// Gives files.
    Upload,
    /// Waits.
    Wait,
    /// Reads the page, or an element of it.
    Extract,
    /// Takes a picture.
    Screenshot,
    /// Runs JavaScript.
    Evaluate,
    /// Goes back.
    Back,
    /// Goes forward.
    Forward,
    /// Loads again.
    Reload,
    /// Opens, closes or changes tabs.
    Tabs,
    /// Answers a dialog.
    Dialog,
}

impl Tool {
    /// Whether it is done to an element.
    fn needs_element(self) -> bool {
        use Tool::*;
        matches!(self, Click | Type | Fill | Choose | Hover | Drag | Upload)
    }

    /// Whether it needs a value.
    fn needs_value(self) -> bool {
        use Tool::*;
        matches!(self, Navigate | Type | Fill | Press | Evaluate)
    }

    /// The tool that does it, and which of its arguments the step's value is.
    fn call(self) -> (&'static str, &'static str) {
        match self {
            Tool::Navigate => ("browser_navigate", "url"),
            Tool::Click => ("browser_click", ""),
            Tool::Type => ("browser_type", "text"),
            Tool::Fill => ("browser_fill_form", ""),
            Tool::Choose => ("browser_select", "option"),
            Tool::Press => ("browser_press_key", "key"),
            Tool::Hover => ("browser_hover", ""),
            Tool::Scroll => ("browser_scroll", ""),
            Tool::Drag => ("browser_drag", ""),
            Tool::Upload => ("browser_upload", "paths"),
            Tool::Wait => ("browser_wait", ""),
            Tool::Extract => ("browser_extract", ""),
            Tool::Screenshot => ("browser_take_screenshot", ""),
            Tool::Evaluate => ("browser_eval", "expression"),
            Tool::Back => ("browser_back", ""),
            Tool::Forward => ("browser_forward", ""),
            Tool::Reload => ("browser_reload", ""),
            Tool::Tabs => ("browser_tabs", ""),
            Tool::Dialog => ("browser_handle_dialog", "text"),
        }
    }

    /// What it is called in a sentence.
    fn verb(self) -> &'static str {
        match self {
            Tool::Navigate => "go to",
            Tool::Click => "click",
            Tool::Type => "type into",
            Tool::Fill => "fill",
            Tool::Choose => "choose in",
            Tool::Press => "press a key in",
            Tool::Hover => "point at",
            Tool::Scroll => "scroll",
            Tool::Drag => "drag",
            Tool::Upload => "give files to",
            Tool::Wait => "wait",
            Tool::Extract => "read",
            Tool::Screenshot => "take a picture",
            Tool::Evaluate => "run a script",
            Tool::Back => "go back",
            Tool::Forward => "go forward",
            Tool::Reload => "load the page again",
            Tool::Tabs => "use the tabs",
            Tool::Dialog => "answer the dialog",
        }
    }
}

impl Step {
    /// In words: `click button "Log in"`.
    pub fn told(&self) -> String {
        let mut told = self.tool.verb().to_owned();
        match (&self.element, self.tool) {
            (Some(element), _) => told += &format!(" {}", element.told()),
            (None, Tool::Extract) => {
                let many = self.with.get("target").and_then(Value::as_str);
                told += &format!(" {}", many.unwrap_or("the page"));
            }
            _ => {}
        }
        if let Some(onto) = &self.onto {
            told += &format!(" onto {}", onto.told());
        }
        match &self.value {
            Some(value) if self.element.is_some() => told += &format!(": {value:?}"),
            Some(value) => told += &format!(" {value}"),
            None => {}
        }
        told
    }
}

impl Element {
    /// In words: `button "Log in"`.
    pub fn told(&self) -> String {
        let role = if self.role.is_empty() { "element" } else { &self.role };
        match self.name.is_empty() {
            true => format!("{role} ({})", self.find.first().map_or("", String::as_str)),
            false => format!("{role} {:?}", self.name),
        }
    }
}
