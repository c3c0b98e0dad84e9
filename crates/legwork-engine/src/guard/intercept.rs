//! Sees every request whole before it is sent, in every target before it runs. A target in which that cannot
//! be switched on never runs, and its page is closed.

use legwork_cdp::{RawEvent, Session, TargetId, fetch, runtime, target};

use super::gate::Gate;
use super::{Fence, Wanted};

/// Lets a new target run, once its requests are seen where they have to be. `owner` is what is closed
/// otherwise: the page, or the target itself where it has none.
pub(crate) fn release(session: &Session, fence: Option<&Fence>, owner: &TargetId) {
    if !fence.is_some_and(Fence::intercepts) {
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

/// Stops every request until it is judged.
pub(crate) fn everything() -> fetch::Enable {
    let all = fetch::RequestPattern { url_pattern: Some("*".into()), ..Default::default() };
    fetch::Enable { patterns: Some(vec![all]), ..Default::default() }
}

/// Judges a request that waits. One that cannot be read goes on waiting.
pub(crate) fn paused(gate: &Gate, session: &Session, event: RawEvent<'_>, page: Option<&str>) {
    let Some(fetch::RequestPaused { request_id, request, resource_type, .. }) = event.parse()
    else {
        return;
    };
    let wanted = Wanted { url: &request.url, method: &request.method, kind: &resource_type, page };
    match gate.request(&wanted) {
        Ok(()) => session.notify(&fetch::ContinueRequest { request_id, ..Default::default() }),
        Err(_) => {
            let error_reason = "BlockedByClient".to_owned();
            session.notify(&fetch::FailRequest { request_id, error_reason });
        }
    }
}
