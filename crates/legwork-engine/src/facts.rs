//! What is known about an element before anything is done to it.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use crate::act::{Acting, FRAME};
use crate::error::{Error, Obstacle, Result};
use crate::page::{ACTION, Page};
use crate::prepare::{Need, Point};
use crate::target::Target;

/// What is about to be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Intent {
    /// A click, here in the element if said.
    Click(Option<Point>),
    /// Something with the pointer for which it does not matter whether the element is enabled.
    Point,
    /// Text, a choice or a key for a field.
    Field,
    /// Something for which it only has to be there.
    Reach,
}

impl Intent {
    fn need(self) -> Need {
        let need = match self {
            Intent::Click(_) => Need::POINTER,
            Intent::Point => Need { enabled: false, ..Need::POINTER },
            Intent::Field => Need { field: true, ..Need::PRESENT },
            Intent::Reach => Need::PRESENT,
        };
        Need { facts: true, observe: false, ..need }
    }
}

impl Page {
    /// What acting on an element would do. Waits for it as the action itself would, and does nothing.
    pub async fn facts(
        &self,
        target: &Target,
        intent: Intent,
        within: Duration,
    ) -> Result<ElementFacts> {
        let position = match intent {
            Intent::Click(position) => position,
            _ => None,
        };
        let deadline = Instant::now() + within;
        let prepared = self.prepare(target, intent.need(), position, deadline).await?;
        prepared
            .facts
            .map(|facts| *facts)
            .ok_or_else(|| Error::Protocol("the walker told no facts".into()))
    }

    /// Whether something was entered in a form of the page that was not sent. The browser's own error page
    /// has no forms, and need not answer.
    pub async fn has_unsent(&self) -> Result<bool> {
        if self.tab.state().failure().is_some() {
            return Ok(false);
        }
        let deadline = Instant::now() + ACTION;
        for world in self.worlds(deadline).await? {
            let answer: Unsent = self.call(&world, "unsent", &(), deadline).await?;
            if answer.unsent {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same for whatever has the focus; `None` if nothing has.
    pub async fn focused_facts(&self, within: Duration) -> Result<Option<ElementFacts>> {
        let acting = Acting { timeout: within, observe: false, known: false };
        let focused = self.focused(&acting, acting.deadline()).await?;
        if focused.kind == FRAME {
            let target = "the frame that has the focus".to_owned();
            return Err(Error::NotActionable { target, obstacle: Obstacle::Framed });
        }
        let Ok(reference) = focused.reference.parse() else { return Ok(None) };
        self.facts(&Target::Ref(reference), Intent::Reach, within).await.map(Some)
    }
}

#[derive(Deserialize)]
struct Unsent {
    unsent: bool,
}

/// What an element is, and what acting on it would do.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ElementFacts {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its role.
    pub role: String,
    /// Its name, as a person reads it.
    pub name: String,
    /// Role, name and ref, as replies tell them.
    pub description: String,
    /// The kind of field, or the element's own name: `password`, `submit`, `select`, `a` …
    pub kind: String,
    /// It is a field that holds a value by itself; anything else is clicked to choose in it.
    pub holds: bool,
    /// Its value is never shown.
    pub secret: bool,
    /// Where a link leads.
    pub link: Option<String>,
    /// How it asks the server for more than a page, where its attributes say so: `delete`, `post` …
    pub method: String,
    /// What it asks before it does anything, where its attributes say so.
    pub confirm: String,
    /// Acting on it sends the form it belongs to.
    pub submits: bool,
    /// The form it belongs to.
    pub form: Option<FormFacts>,
    /// The title of the dialog or section it stands in.
    pub around: String,
    /// The address of its document.
    pub document: String,
    /// Amounts of money that stand around it.
    pub terms: Vec<String>,
    /// The button that Enter in it presses, by the rules of browsers: its form's first that sends it.
    pub submitter: Option<Box<ElementFacts>>,
    /// Stands for all of the above but the submitter: another element, or the same one changed, has another.
    pub seal: String,
}

impl ElementFacts {
    /// The seal for an Enter in it: it stands for what that presses as well.
    pub fn entered(&self) -> String {
        let presses = self.submitter.as_ref().map_or("", |button| &button.seal);
        format!("{}\n{presses}", self.seal)
    }
}

/// How an element can be found again, by somebody who has never seen the page as it is now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Known {
    /// Its role.
    pub role: String,
    /// Its name, or its text where it has none.
    pub name: String,
    /// The kind of field, if it is one.
    pub kind: String,
    /// It is a field whose value is never told.
    pub secret: bool,
    /// Targets that lead to it, the steadiest first.
    pub find: Vec<String>,
}

/// A form.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FormFacts {
    /// Where it is sent.
    pub action: String,
    /// How it is sent.
    pub method: String,
    /// Its name, as a person reads it.
    pub name: String,
    /// What its fields are for: autocomplete words and kinds, such as `cc-number` or `new-password`.
    pub fields: Vec<String>,
    /// Something was entered that was not sent.
    pub dirty: bool,
}
