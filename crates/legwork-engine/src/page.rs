//! A tab as the caller sees it. What can be done with it is in the modules named for it: `navigate`,
//! `snapshot`, `query`, `act`, `field`, `wait`, `evaluate`, `screenshot`.

use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::{RequestId, emulation, page as cdp, runtime};
use tokio::time::Instant;

use crate::console::Entry;
use crate::context::{Context, Viewport};
use crate::download::Download;
use crate::error::{Error, Result};
use crate::guard::intercept;
use crate::network::Request;
use crate::outcome::Outcome;
use crate::registry::metrics;
use crate::session::Session;
use crate::settle::{Bounds, Mark, settle};
use crate::tab::{Dialog, Happening, Tab};
use crate::workers::ServiceWorker;

/// One tab of a session.
#[derive(Clone)]
pub struct Page {
    pub(crate) tab: Arc<Tab>,
    pub(crate) bounds: Bounds,
    /// Held as well: a session lasts as long as a page of it.
    pub(crate) session: Session,
}

/// How long a single action may take unless told otherwise.
pub(crate) const ACTION: Duration = Duration::from_secs(5);

/// How long a page may take to answer after it has taken too long already.
pub(crate) const QUICK: Duration = Duration::from_millis(200);

impl Page {
    pub(crate) fn new(tab: Arc<Tab>, bounds: Bounds, session: Session) -> Page {
        Page { tab, bounds, session }
    }

    /// The address of the main document.
    pub fn url(&self) -> String {
        self.tab.state().url().to_owned()
    }

    /// Whether the document came of sending something, so that loading it again sends that again. A document's
    /// request has its loader's id.
    pub fn was_posted(&self) -> bool {
        let state = self.tab.state();
        let loader = state.frames.root().and_then(|root| root.loader.as_ref());
        loader.is_some_and(|id| state.network.was_posted(&RequestId::from(id.as_str())))
    }

    /// The browser's name for this tab.
    pub fn id(&self) -> &str {
        &self.tab.target
    }

    /// The protocol session of the tab, to send what the engine has no method for.
    pub fn protocol(&self) -> &legwork_cdp::Session {
        &self.tab.session
    }

    /// The dialog that waits for an answer, if one does.
    pub fn dialog(&self) -> Option<Dialog> {
        self.tab.state().dialog.clone()
    }

    /// Whether the tab can still be used.
    pub fn is_open(&self) -> bool {
        self.tab.state().end.is_none()
    }

    pub(crate) fn context(&self) -> Result<Arc<Context>> {
        self.tab.context.upgrade().ok_or(Error::SessionClosed)
    }

    /// Sets the window's size.
    pub async fn resize(&self, viewport: Viewport) -> Result<()> {
        if viewport.width == 0 || viewport.height == 0 {
            return Err(Error::Invalid(
                "Invalid dimensions: width and height must be positive".into(),
            ));
        }
        if viewport.width > 10_000
            || viewport.height > 10_000
            || !(0.1..=8.0).contains(&viewport.scale)
        {
            return Err(Error::Invalid(
                "Invalid dimensions: at most 10000 x 10000 pixels at a scale of 0.1 to 8".into(),
            ));
        }
        self.context()?.update(|inner| inner.viewport = viewport);
        self.tab.unless_blocked(self.tab.session.send(&metrics(viewport))).await?;
        Ok(())
    }

    /// The last console entries, oldest first, with objects by value.
    pub async fn console(&self, limit: usize) -> Result<Vec<Entry>> {
        let deadline = Instant::now() + Duration::from_secs(2);
        let ready = |state: &mut crate::tab::State| state.console.is_complete().then_some(());
        // A tab that has ended still has its console.
        let _ = self.tab.until(deadline, ready).await;
        Ok(self.tab.state().console.recent(limit))
    }

    /// Empties the console and tells how many entries it held.
    pub fn clear_console(&self) -> usize {
        self.tab.state().console.clear()
    }

    /// The last requests, oldest first.
    pub fn requests(&self, limit: usize) -> Vec<Request> {
        self.tab.state().network.recent(limit)
    }

    /// Service workers of the page's origin, and whether one controls this page.
    pub fn service_workers(&self) -> Result<Vec<(ServiceWorker, bool)>> {
        let origin = url::Url::parse(&self.url())
            .map(|url| url.origin().ascii_serialization())
            .unwrap_or_default();
        let workers = self.context()?.workers.of_origin(&origin);
        let controls = |worker: &ServiceWorker| worker.controls_target(&self.tab.target);
        Ok(workers.into_iter().map(|worker| (worker.clone(), controls(&worker))).collect())
    }

    /// Downloads of the session, in no particular order.
    pub fn downloads(&self) -> Result<Vec<Download>> {
        Ok(self.context()?.inner().downloads.values().cloned().collect())
    }

    /// Answers the open dialog: accepts or dismisses it, with text for a prompt. The outcome names
    /// the dialog as what was acted on, and has the next one among its effects if one follows.
    pub async fn answer_dialog(&self, accept: bool, text: Option<&str>) -> Result<Outcome> {
        let dialog = self.dialog().ok_or_else(|| Error::Invalid("no dialog is open".into()))?;
        let mark = Mark::now(&self.tab);
        let answer = cdp::HandleJavaScriptDialog { accept, prompt_text: text.map(str::to_owned) };
        self.tab.session.send(&answer).within(ACTION).await?;
        let closed = self.tab.until(mark.at + ACTION, |state| {
            let closed = |h: &Happening| matches!(h, Happening::DialogClosed);
            state.since(mark.sequence).any(|(_, _, h)| closed(h)).then_some(())
        });
        if closed.await?.is_none() {
            return Err(Error::Timeout { what: "the dialog to close".into(), after: ACTION });
        }
        let settled = settle(&self.tab, &mark, &self.bounds).await?;
        let acted_on = Some(format!("{} dialog {:?}", dialog.kind, dialog.message));
        Ok(Outcome { acted_on, effects: self.effects_since(&mark), settled, ..Default::default() })
    }

    /// Whether the page takes a question, which it does not while a script runs without end. A page
    /// that a dialog holds up is not hanging.
    pub(crate) async fn answers(&self, within: Duration) -> bool {
        if self.dialog().is_some() {
            return true;
        }
        let ask = runtime::Evaluate { expression: "0".to_owned(), ..Default::default() };
        let asked = self.tab.session.send(&ask).within(within).await;
        !matches!(asked, Err(legwork_cdp::Error::Timeout { .. }))
    }

    /// Stops scripts that do not end by themselves, so that the page answers again. A page that
    /// answers is left alone: what would be stopped is whatever it does next.
    pub(crate) async fn unhang(&self) -> Result<()> {
        self.unhang_after(QUICK).await
    }

    async fn unhang_after(&self, patience: Duration) -> Result<()> {
        if self.answers(patience).await {
            return Ok(());
        }
        let stop = self.tab.session.send(&runtime::TerminateExecution {});
        let _ = stop.within(Duration::from_secs(2)).await;
        Ok(())
    }

    /// The page without what a call that was given up left running, for whoever has the turn to act on it. A
    /// script of ours was stopped when it was given up ([`crate::running`]); of all else nobody knows whose it
    /// is, and what would be stopped on an idle page is the next script. A page that is only busy, as a heavy
    /// one is at its start, has two seconds; one that a dialog holds up is seen to later.
    pub async fn reclaimed(self) -> Result<Page> {
        if self.dialog().is_none() && self.tab.take_abandoned() {
            self.unhang_after(Duration::from_secs(2)).await?;
        }
        Ok(self)
    }

    /// Makes this the tab in front.
    pub async fn bring_to_front(&self) -> Result<()> {
        self.tab.session.send(&cdp::BringToFront {}).await?;
        let target = self.tab.target.clone();
        self.context()?.update(|inner| inner.active = Some(target));
        Ok(())
    }

    /// Closes the tab.
    pub async fn close(&self) -> Result<()> {
        let close = legwork_cdp::target::CloseTarget { target_id: self.tab.target.clone() };
        let context = self.context()?;
        intercept::vacate(&self.tab).await;
        context.connection.root().send(&close).await?;
        let deadline = Instant::now() + ACTION;
        let target = &self.tab.target;
        let gone = context
            .until(deadline, |inner| {
                (!inner.tabs.iter().any(|tab| tab.target == *target)).then_some(())
            })
            .await?;
        gone.ok_or(Error::Timeout { what: "the tab to close".into(), after: ACTION })
    }

    /// Shows the page as a touch screen would.
    pub async fn emulate_touch(&self, enabled: bool) -> Result<()> {
        let touch = emulation::SetTouchEmulationEnabled { enabled, max_touch_points: None };
        self.tab.session.send(&touch).await?;
        Ok(())
    }
}
