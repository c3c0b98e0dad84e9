//! What a person does in a session, told as it is done while the session is recorded. What the session's
//! own calls do is not told, and neither is what a secret field holds.

use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::page::{self, GetNavigationHistory, GetNavigationHistoryReply};
use legwork_cdp::{Session as Wire, runtime};
use serde::Deserialize;
use tokio::time::Instant;

use crate::context::{Context, Event};
use crate::error::Result;
use crate::facts::Known;
use crate::frame::Frame;
use crate::input::Button;
use crate::session::Session;
use crate::tab::Tab;
use crate::walker::World;

/// What a person did.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Deed {
    /// Clicked.
    Clicked {
        /// With this button.
        button: Button,
        /// So often in a row.
        count: u32,
    },
    /// Left a field with this in it.
    Filled {
        /// What it holds now.
        value: String,
    },
    /// Entered something in a field for passwords or codes.
    EnteredSecret,
    /// Checked or unchecked a box.
    Checked {
        /// Whether it is checked now.
        on: bool,
    },
    /// Chose in a list.
    Chose {
        /// What is chosen now, as a person reads it.
        options: Vec<String>,
    },
    /// Pressed a key or chord that writes nothing.
    Pressed {
        /// Which.
        key: String,
    },
    /// Chose files.
    GaveFiles {
        /// Their names; pages are not told where they are.
        files: Vec<String>,
    },
    /// Went to an address that no link led to; also where the recording begins.
    WentTo {
        /// The address.
        url: String,
    },
    /// Went back.
    WentBack,
    /// Went forward.
    WentForward,
    /// Loaded the page again.
    Reloaded,
}

#[derive(Deserialize)]
struct Told {
    #[serde(flatten)]
    deed: Deed,
    element: Option<Known>,
}

/// The history of a tab when it was last looked at.
pub(crate) struct Visited {
    entries: Vec<i64>,
    current: usize,
}

impl Session {
    /// Tells what a person does in the session from now on as [`Event::Acted`], or no more. Starts the
    /// browser if there is none.
    pub async fn record(&self, on: bool) -> Result<()> {
        self.keep_recording(on);
        let page = self.page().await?;
        let context = page.context()?;
        let tabs = context.update(|inner| {
            inner.recording |= on;
            inner.tabs.clone()
        });
        for tab in &tabs {
            switch(tab, on).await;
        }
        // What was entered last was still told.
        context.update(|inner| inner.recording = on);
        let url = page.url();
        if on && url != "about:blank" {
            tell(&page.tab, Deed::WentTo { url }, None);
        }
        Ok(())
    }
}

/// Begins or ends it in a tab that is there.
async fn switch(tab: &Arc<Tab>, on: bool) {
    tab.session.notify(&choosing_files(!on));
    let worlds: Vec<World> = tab.state().frames.iter().filter_map(World::of).collect();
    for world in worlds {
        // The answer is waited for, since what was entered last is told before it.
        let asked = world.session.send(&call(&world.id.unique, on));
        let _ = tab.unless_blocked(asked).await;
    }
    if on && let Ok(history) = tab.session.send(&GetNavigationHistory {}).await {
        tab.update(|state| state.visited = Some(Visited::of(&history)));
    }
}

/// While a person drives, files are chosen in the window that the browser shows for it.
pub(crate) fn choosing_files(intercepted: bool) -> page::SetInterceptFileChooserDialog {
    page::SetInterceptFileChooserDialog { enabled: intercepted, ..Default::default() }
}

fn call(world: &str, on: bool) -> runtime::CallFunctionOn {
    runtime::CallFunctionOn {
        function_declaration: format!("() => legwork.record({on})"),
        unique_context_id: Some(world.to_owned()),
        ..Default::default()
    }
}

/// A document came: it tells as well if the session is recorded.
pub(crate) fn began(tab: &Tab, session: &Wire, world: &str) {
    if recorded(tab).is_some() {
        session.notify(&call(world, true));
    }
}

/// A document told what was done in it.
pub(crate) fn acted(tab: &Arc<Tab>, payload: &str) {
    if recorded(tab).is_some_and(|context| context.is_acting()) {
        return;
    }
    match serde_json::from_str::<Told>(payload) {
        Ok(Told { deed, element }) => tell(tab, deed, element),
        Err(error) => tracing::debug!("what a person did cannot be read: {error}"),
    }
}

/// The tab is somewhere else: by a link, which a click told of already, or by the person alone.
pub(crate) fn moved(tab: &Arc<Tab>, loaded: bool) {
    let Some(context) = recorded(tab) else { return };
    let (tab, own) = (tab.clone(), context.is_acting());
    tokio::spawn(async move {
        let Some(history) = history(&tab).await else { return };
        let before = tab.update(|state| state.visited.replace(Visited::of(&history)));
        if let Some(deed) = way(before.as_ref(), &history, loaded).filter(|_| !own) {
            tell(&tab, deed, None);
        }
    });
}

/// Between two documents Chrome refuses to say; then it is asked again when the new one is there.
async fn history(tab: &Tab) -> Option<GetNavigationHistoryReply> {
    let deadline = Instant::now() + Duration::from_secs(10);
    let arrived = |frame: &Frame| frame.world.is_some();
    let there = |frame: &Frame| frame.dom_ready;
    for is_time in [arrived, there] {
        let come =
            tab.until(deadline, |state| state.frames.root().filter(|f| is_time(f)).map(drop));
        come.await.ok()??;
        if let Ok(history) = tab.session.send(&GetNavigationHistory {}).await {
            return Some(history);
        }
    }
    None
}

fn recorded(tab: &Tab) -> Option<Arc<Context>> {
    tab.context.upgrade().filter(|context| context.inner().recording)
}

fn tell(tab: &Tab, deed: Deed, element: Option<Known>) {
    let Some(context) = recorded(tab) else { return };
    if let Some(at) = context.tab_at(&tab.target) {
        context.emit(Event::Acted { tab: at, deed, element });
    }
}

impl Visited {
    fn of(history: &GetNavigationHistoryReply) -> Visited {
        let entries = history.entries.iter().map(|entry| entry.id).collect();
        Visited { entries, current: usize::try_from(history.current_index).unwrap_or_default() }
    }
}

/// How the person came to where the history says the tab is; `None` if the page led there.
fn way(before: Option<&Visited>, now: &GetNavigationHistoryReply, loaded: bool) -> Option<Deed> {
    let entry = now.entries.get(usize::try_from(now.current_index).ok()?)?;
    let known = |before: &Visited| before.entries.iter().position(|id| *id == entry.id);
    match before.and_then(|before| Some((known(before)?, before.current))) {
        Some((at, current)) if at < current => Some(Deed::WentBack),
        Some((at, current)) if at > current => Some(Deed::WentForward),
        Some(_) => (loaded && entry.transition_type == "reload").then_some(Deed::Reloaded),
        None => {
            let typed = ["typed", "address_bar", "auto_bookmark", "keyword", "generated"];
            let typed = typed.contains(&entry.transition_type.as_str());
            typed.then(|| Deed::WentTo { url: entry.url.clone() })
        }
    }
}
