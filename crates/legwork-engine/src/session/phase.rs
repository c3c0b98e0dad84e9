//! A session between two phases: what was open is left, other terms hold, cookies stay. Where that cannot be
//! done for certain, the session ends.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use legwork_cdp::{TargetId, service_worker, target};
use tokio::time::Instant;

use super::{Live, Session, SessionInner};
use crate::config::SessionOptions;
use crate::context::Context;
use crate::download::Keeping;
use crate::error::{Error, Result};
use crate::guard::intercept;
use crate::page::ACTION;
use crate::permission::Grant;

/// What of a session's options may change while it lives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// Which downloads are kept.
    pub keeping: Keeping,
    /// What its pages are given that Chrome would ask for; left to Chrome if nothing is said.
    pub permissions: Option<Vec<Grant>>,
}

impl Terms {
    pub(super) fn of(options: &SessionOptions) -> Terms {
        let SessionOptions { keeping, permissions, .. } = options.clone();
        Terms { keeping, permissions }
    }
}

impl SessionInner {
    pub(super) fn terms(&self) -> Terms {
        self.terms.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Session {
    /// Leaves every page and stops every worker: no document of before is there afterwards. What the
    /// browser keeps for sites stays. A session that cannot be emptied is closed.
    pub async fn leave_pages(&self) {
        let left = match self.inner.live.lock().await.as_ref() {
            Some(live) if live.browser.is_alive() => empty(live).await,
            _ => Ok(()),
        };
        self.close_unless(left, "leave its pages").await;
    }

    /// Other terms hold from now on, and every connection that was made before ends. A session that cannot
    /// be held to them is closed.
    pub async fn comply(&self, terms: Terms) {
        let before = self.inner.terms();
        self.inner.terms.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&terms);
        let held = match self.inner.live.lock().await.as_ref() {
            Some(live) if live.browser.is_alive() => hold(live, &before, terms).await,
            _ => Ok(()),
        };
        self.close_unless(held, "be held to other terms").await;
    }

    /// Gives a new context what is the session's own.
    pub(super) fn furnish(&self, context: &Context, keeping: Keeping) {
        let SessionInner { numbers, recording, banner, .. } = &*self.inner;
        let banner = banner.lock().unwrap_or_else(PoisonError::into_inner).clone();
        context.update(|inner| {
            inner.numbers = numbers.clone();
            inner.recording = recording.load(Ordering::Relaxed);
            (inner.keeping, inner.banner) = (keeping, banner);
        });
    }

    async fn close_unless(&self, done: Result<()>, what: &str) {
        if let Err(error) = done {
            tracing::warn!(%error, "a session that cannot {what} is closed");
            self.close().await;
        }
    }
}

async fn hold(live: &Live, before: &Terms, terms: Terms) -> Result<()> {
    let Live { browser, context } = live;
    match &terms.permissions {
        Some(granted) => browser.permit(context, granted).await?,
        None if before.permissions.is_some() => browser.permit_as_usual(context).await?,
        None => {}
    }
    context.update(|inner| inner.keeping = terms.keeping);
    if let Some(proxy) = context.fence.as_ref().and_then(|fence| fence.proxy.as_ref()) {
        proxy.cut().await;
    }
    Ok(())
}

/// Closes every tab. One that is new takes their place first: a browser with a window ends with its last
/// tab. Workers live without tabs, so they are stopped wherever there may be any: those of a session beside
/// another are the other's.
async fn empty(live: &Live) -> Result<()> {
    let Live { browser, context } = live;
    let first = context.inner().tabs.first().map(|tab| tab.target.clone());
    match &first {
        Some(first) => close_but(context, first).await?,
        None if context.companion => return Ok(()),
        None => {}
    }
    let fresh = browser.open_tab(context).await?;
    close_but(context, &fresh.target).await?;
    fresh.session.send(&service_worker::StopAllWorkers {}).await?;
    Ok(())
}

/// Closes all tabs but one, also those that open meanwhile.
async fn close_but(context: &Arc<Context>, kept: &TargetId) -> Result<()> {
    let deadline = Instant::now() + ACTION;
    loop {
        let tabs = context.inner().tabs.clone();
        let others: Vec<_> = tabs.into_iter().filter(|tab| tab.target != *kept).collect();
        if others.is_empty() {
            return Ok(());
        }
        intercept::vacate_all(others.clone()).await;
        for tab in &others {
            let close = target::CloseTarget { target_id: tab.target.clone() };
            context.connection.root().notify(&close);
            // One that crashed is not heard of again.
            if tab.state().end.is_some() {
                context.dismiss(&tab.target);
            }
        }
        let gone = context.until(deadline, |inner| {
            let there = |tab: &_| inner.tabs.iter().any(|one| Arc::ptr_eq(one, tab));
            (!others.iter().any(there)).then_some(())
        });
        gone.await?.ok_or(Error::Timeout { what: "the tabs to close".into(), after: ACTION })?;
    }
}
