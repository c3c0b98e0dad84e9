//! Sees every request whole before it is sent. In a browser of ours the browser itself stops them, above all
//! targets, since with a target would go what stops its last requests. In somebody else's every target does,
//! before it runs; one in which that cannot be switched on never runs, and its page is closed.

use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::{Session, TargetId, fetch, page, runtime, target};

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Fence, Wanted};
use crate::context::Context;
use crate::error::Error;
use crate::tab::Tab;

/// Lets a new target run, once its requests are seen where they have to be; `above` says that the browser
/// itself stops them. `owner` is what is closed otherwise: the page, or the target itself where it has none.
pub(crate) fn release(session: &Session, fence: Option<&Fence>, owner: &TargetId, above: bool) {
    let intercepts = fence.is_some_and(Fence::intercepts);
    if intercepts {
        // A page that is made ready behind the one that is seen is no target of ours before it is shown.
        session.notify(&page::SetPrerenderingAllowed { is_allowed: false });
    }
    if above || !intercepts {
        session.notify(&runtime::RunIfWaitingForDebugger {});
        return;
    }
    let enabled = session.send(&everything());
    let (session, target_id) = (session.clone(), owner.clone());
    tokio::spawn(async move {
        match enabled.await {
            Ok(_) => session.notify(&runtime::RunIfWaitingForDebugger {}),
            Err(error) => {
                tracing::warn!(%error, "requests cannot be intercepted: the page is closed");
                session.connection().root().notify(&target::CloseTarget { target_id });
            }
        }
    });
}

/// How long a document may take to go.
const LEAVING: Duration = Duration::from_secs(1);

/// Takes the document out of a tab that is about to be closed. With the tab goes what stops its requests,
/// before the document's last ones: it should go while they are judged. Chrome promises no order, so that a
/// last request may still get away in somebody else's browser. In one of ours it does not: see [`above`]. The
/// proxy is no help there, since under TLS it sees a host and no path.
pub(crate) async fn vacate(tab: &Tab) {
    let context = tab.context.upgrade();
    let fence = context.as_ref().and_then(|context| context.fence.as_ref());
    if fence.is_some_and(Fence::intercepts) {
        let blank = page::Navigate { url: "about:blank".to_owned(), ..Default::default() };
        let mut going = std::pin::pin!(tab.session.send(&blank).within(LEAVING));
        let going = tokio::select! {
            going = &mut going => going,
            kind = tab.until(Instant::now() + LEAVING, |state| Some(state.dialog.as_ref()?.kind.clone())) => {
                // One that wants to stay was told to go; whatever else is asked gets a no.
                let accept = kind.is_ok_and(|kind| kind.as_deref() == Some("beforeunload"));
                tab.session.notify(&page::HandleJavaScriptDialog { accept, prompt_text: None });
                going.await
            }
        };
        let Ok(going) = going else { return };
        // A tab that is told to close before it is there does not close at all.
        let there = tab.until(Instant::now() + LEAVING, |state| {
            let root = state.frames.root()?;
            (root.loader == going.loader_id && root.loaded).then_some(())
        });
        let _ = there.await;
    }
}

/// Takes the documents out of tabs that are about to be closed.
pub(crate) async fn vacate_all(tabs: Vec<Arc<Tab>>) {
    let mut leaving = JoinSet::new();
    for tab in tabs {
        leaving.spawn(async move { vacate(&tab).await });
    }
    leaving.join_all().await;
}

/// Stops every request until it is judged.
pub(crate) fn everything() -> fetch::Enable {
    let all = fetch::RequestPattern { url_pattern: Some("*".into()), ..Default::default() };
    fetch::Enable { patterns: Some(vec![all]), ..Default::default() }
}

/// Stops every request above all targets, where it has to be; whether it does. What a document sends as its tab
/// closes, a deferred fetch or the last word of a worker, is in the hands of the browser when a target's own
/// interception would be gone with it. Only in a browser of ours: in somebody else's it would stop their own
/// requests.
pub(crate) async fn above(root: &Session, fence: Option<&Fence>) -> Result<bool, Error> {
    let stops = fence.is_some_and(|fence| fence.proxy.is_some() && fence.intercepts());
    if stops {
        root.send(&everything()).await?;
    }
    Ok(stops)
}

/// Judges a request that waits. Whoever has a say has to agree, and somebody has to have one.
pub(crate) fn judge(
    contexts: &[Arc<Context>],
    session: &Session,
    paused: fetch::RequestPaused,
    page: Option<&str>,
) {
    let fetch::RequestPaused { request_id, request, resource_type, .. } = paused;
    let wanted = Wanted { url: &request.url, method: &request.method, kind: &resource_type, page };
    let mut gates = contexts.iter().filter_map(|one| Some(&one.fence.as_ref()?.gate)).peekable();
    if gates.peek().is_some() && gates.all(|gate| gate.request(&wanted).is_ok()) {
        session.notify(&fetch::ContinueRequest { request_id, ..Default::default() });
    } else {
        let error_reason = "BlockedByClient".to_owned();
        session.notify(&fetch::FailRequest { request_id, error_reason });
    }
}

#[cfg(test)]
mod tests;
