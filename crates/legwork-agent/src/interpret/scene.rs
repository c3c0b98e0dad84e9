//! What an instruction is understood in: the page, what was spoken of last, and what the person likes.

use std::ops::Range;

use legwork_protocol::assistant::{
    Click, Drag, ElementSnapshot, Extract, ExtractAs, Input, Preferences, Scroll, TaskContext,
    Wait, WaitFor, Work,
};

use super::fault::Fault;
use super::phrase::{quoted_name, said};
use super::tasks;
use super::token::Token;

/// How many elements a question offers at most.
const OFFERED: usize = 6;

/// What a clause is read in. Each clause changes it for the next.
#[derive(Debug, Clone)]
pub struct Scene<'a> {
    /// What went before, and the page.
    pub context: &'a TaskContext,
    /// Where the browser will be.
    pub here: String,
    /// The element spoken of last.
    pub last: Option<String>,
    /// Whether it was spoken of in this instruction, so that it has the focus.
    pub focused: bool,
    /// Where the things are that this sentence speaks of.
    pub scope: Option<String>,
    /// Words that only say where, as long as it is not said what to do there.
    pub dangling: Option<Range<usize>>,
    /// How many tasks there are already.
    pub count: usize,
    /// The task that read something last.
    pub read: Option<String>,
    /// What the person likes, with what was said here.
    pub preferences: Preferences,
}

impl<'a> Scene<'a> {
    /// The scene at the beginning of an instruction.
    pub fn new(context: &'a TaskContext) -> Scene<'a> {
        let mut before = context.previous_tasks.iter().rev();
        let last = before.find_map(|done| target_of(&done.task.work).map(str::to_owned));
        Scene {
            context,
            here: context.current_url.clone(),
            last,
            focused: false,
            scope: None,
            dangling: None,
            count: 0,
            read: None,
            preferences: context.user_preferences.clone(),
        }
    }

    /// What a pronoun stands for.
    pub fn antecedent(&self, tokens: &[Token]) -> Result<String, Fault> {
        let asked = || {
            let message = format!("What does \"{}\" stand for?", said(tokens));
            Fault::doubt(tokens, message, self.names(|_| true))
        };
        self.last.clone().ok_or_else(asked)
    }

    /// The names of the elements on the page that are like this, as they could be said.
    pub fn names(&self, wanted: impl Fn(&ElementSnapshot) -> bool) -> Vec<String> {
        let elements = self.context.browser_state.elements.iter();
        let shown = elements.filter(|element| element.visible && wanted(element));
        let mut names: Vec<String> = Vec::new();
        for name in shown.filter_map(name_of).filter_map(quoted_name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.truncate(OFFERED);
        names
    }

    /// The elements on the page with this name.
    pub fn named(&self, name: &str) -> Vec<&ElementSnapshot> {
        let bare = name.trim_matches('"');
        let elements = self.context.browser_state.elements.iter();
        let named = |element: &&ElementSnapshot| {
            name_of(element).is_some_and(|name| name.eq_ignore_ascii_case(bare))
        };
        elements.filter(|element| element.visible).filter(named).collect()
    }

    /// Remembers what a task speaks of.
    pub fn spoken(&mut self, work: &Work) {
        if matches!(work, Work::Extract(extract) if extract.form != ExtractAs::Picture) {
            self.read = Some(tasks::id(self.count));
        }
        self.count += 1;
        if let Some(target) = target_of(work) {
            self.last = Some(target.to_owned());
            self.focused = matches!(work, Work::Click(Click { until: None, .. }) | Work::Input(_));
        }
    }
}

/// Whether something can be written into an element.
pub fn is_field(element: &ElementSnapshot) -> bool {
    let kind = element.attributes.get("type").map_or("text", String::as_str);
    let written = !["button", "submit", "checkbox", "radio", "file", "reset", "image", "hidden"]
        .contains(&kind);
    element.tag_name == "textarea" || element.tag_name == "input" && written
}

/// Whether an element is a box to be ticked.
pub fn is_box(element: &ElementSnapshot) -> bool {
    let kind = element.attributes.get("type").map(String::as_str);
    let role = element.attributes.get("role").map(String::as_str);
    kind == Some("checkbox") || matches!(role, Some("checkbox" | "switch"))
}

/// What an element is called on the page.
fn name_of(element: &ElementSnapshot) -> Option<&str> {
    let attribute = |name: &str| element.attributes.get(name).map(String::as_str);
    let names = [element.text.as_deref(), attribute("aria-label"), attribute("placeholder")];
    names.into_iter().flatten().map(str::trim).find(|name| !name.is_empty() && name.len() < 60)
}

/// What a task is done to.
pub fn target_of(work: &Work) -> Option<&str> {
    match work {
        // What a click was to bring is spoken of last.
        Work::Click(Click { until: Some(WaitFor::Visible(target)), .. }) => Some(target),
        Work::Click(Click { target, .. })
        | Work::Input(Input { target, .. })
        | Work::Scroll(Scroll { target, .. })
        | Work::Extract(Extract { target, .. })
        | Work::Drag(Drag { to: target, .. }) => target.as_deref(),
        Work::Wait(Wait { until: Some(WaitFor::Visible(target)), .. }) => Some(target),
        Work::Wait(_) | Work::Navigate(_) => None,
    }
}

/// The same task done to something else.
pub fn retargeted(work: &Work, new: String) -> Work {
    let mut work = work.clone();
    match &mut work {
        Work::Click(click) if matches!(click.until, Some(WaitFor::Visible(_))) => {
            *click = Click { target: Some(new), ..Default::default() };
        }
        Work::Click(Click { target, .. })
        | Work::Input(Input { target, .. })
        | Work::Scroll(Scroll { target, .. })
        | Work::Extract(Extract { target, .. })
        | Work::Drag(Drag { to: target, .. }) => *target = Some(new),
        Work::Wait(wait) => wait.until = Some(WaitFor::Visible(new)),
        Work::Navigate(_) => {}
    }
    work
}
