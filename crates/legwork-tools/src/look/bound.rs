//! What was looked at, by the names that a call gave it. What is done is done to that, or not at all.

use std::time::Duration;

use legwork_engine::{Dialog, ElementFacts, Page, Target};
use legwork_protocol::{Code, ToolError};
use url::Url;

use crate::desk::Desk;
use crate::failure::from_engine;
use crate::tools;

/// How long what has the focus may take to be told.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was looked at: the page, and elements of it by the targets that named them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bound {
    /// Somebody looked: what is not in the list was not judged.
    looked: bool,
    /// The page; none if there was none yet.
    page: Option<Seen>,
    list: Vec<Known>,
}

/// A page as it was when it was looked at.
#[derive(Debug, Clone)]
struct Seen {
    id: String,
    origin: String,
    dialog: Option<Dialog>,
}

/// An element by the text that named it; whatever has the focus is named by none.
#[derive(Debug, Clone)]
struct Known {
    text: String,
    target: Target,
    /// The same for an Enter in it.
    entered: Target,
}

impl Bound {
    /// Nothing was looked at yet but the page itself.
    pub(super) fn to(page: Option<&Page>) -> Bound {
        let seen = |page: &Page| Seen {
            id: page.id().to_owned(),
            origin: origin(page),
            dialog: page.dialog(),
        };
        Bound { page: page.map(seen), ..Default::default() }
    }

    /// From now on, what is not looked at counts as not judged.
    pub(super) fn looks(&mut self) {
        self.looked = true;
    }

    pub(super) fn add(&mut self, text: &str, element: &ElementFacts) {
        let Ok(reference) = element.reference.parse() else { return };
        let sealed = |seal: String| match Target::parse(text) {
            Target::Point(at) => Target::Pinned { reference, seal, at },
            _ => Target::Sealed { reference, seal },
        };
        let (target, entered) = (sealed(element.seal.clone()), sealed(element.entered()));
        self.list.push(Known { text: text.to_owned(), target, entered });
    }

    /// The page in front, if it is the one that was judged, on the site where it was.
    pub(crate) async fn page(&self, desk: &Desk) -> Result<Page, ToolError> {
        let page = desk.page().await?;
        match &self.page {
            Some(seen) if seen.id != page.id() => Err(stale("another tab came to the front")),
            Some(seen) if seen.origin != origin(&page) => {
                Err(stale("the page went to another site"))
            }
            _ => Ok(page),
        }
    }

    /// The same where the dialog that is answered is the one that was judged.
    pub(crate) async fn page_that_asks(&self, desk: &Desk) -> Result<Page, ToolError> {
        let page = self.page(desk).await?;
        match &self.page {
            Some(seen) if seen.dialog != page.dialog() => {
                Err(stale("the page asks something else"))
            }
            _ => Ok(page),
        }
    }

    /// The element that was judged under this name; the name itself if nobody had to look.
    pub(crate) fn target(&self, text: &str) -> Result<Target, ToolError> {
        self.named(text, |known| &known.target)
    }

    /// The same for an Enter in it, which presses the button of its form that was judged with it.
    pub(crate) fn entered(&self, text: &str) -> Result<Target, ToolError> {
        self.named(text, |known| &known.entered)
    }

    fn named(
        &self,
        text: &str,
        which: impl FnOnce(&Known) -> &Target,
    ) -> Result<Target, ToolError> {
        match self.known(text) {
            Some(known) => Ok(which(known).clone()),
            None if self.looked => {
                let message = format!("{text} is not what was looked at; nothing was done to it");
                Err(ToolError::new(Code::StaleRef, message)
                    .with_hint("look again, then call again"))
            }
            None => tools::target(text),
        }
    }

    /// What has the focus. Somebody who looked saw what that is, or that it is nothing, and it still is; what
    /// else has it now is only asked for where it is needed as a target.
    pub(crate) async fn focus_on(&self, page: &Page) -> Result<Option<Target>, ToolError> {
        match self.focus(page, |known| &known.target).await? {
            None if !self.looked => focused(page).await,
            known => Ok(known),
        }
    }

    /// The same for an Enter there, or nothing where nobody looked: then the key goes wherever the focus is.
    pub(crate) async fn enter_on(&self, page: &Page) -> Result<Option<Target>, ToolError> {
        self.focus(page, |known| &known.entered).await
    }

    async fn focus(
        &self,
        page: &Page,
        which: impl FnOnce(&Known) -> &Target,
    ) -> Result<Option<Target>, ToolError> {
        match self.known("") {
            Some(known) => Ok(Some(which(known).clone())),
            None if self.looked && focused(page).await?.is_some() => {
                Err(stale("something got the focus that had not got it"))
            }
            None => Ok(None),
        }
    }

    fn known(&self, text: &str) -> Option<&Known> {
        self.list.iter().find(|known| known.text == text)
    }
}

async fn focused(page: &Page) -> Result<Option<Target>, ToolError> {
    let focused = page.focused_facts(PATIENCE).await.map_err(from_engine)?;
    Ok(focused.and_then(|element| element.reference.parse().ok()).map(Target::Ref))
}

/// The origin of the page. Those without one are of one kind.
fn origin(page: &Page) -> String {
    Url::parse(&page.url()).map_or(String::new(), |url| url.origin().ascii_serialization())
}

fn stale(what: &str) -> ToolError {
    let message = format!("{what} after this was judged; nothing was done");
    ToolError::new(Code::StaleRef, message).with_hint("look again, then call again")
}
