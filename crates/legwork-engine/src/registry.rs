//! Routes the browser's events to the tabs and contexts they concern. It runs in the connection's
//! reader: it applies, queues commands, and never waits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use legwork_cdp::{
    BrowserContextId, CloseReason, Connection, FrameId, Handler, RawEvent, Session, SessionId,
    TargetId, browser, emulation, fetch, log, network, page, runtime, service_worker, target,
};

use crate::banner;
use crate::context::Context;
use crate::download;
use crate::error::Error;
use crate::events;
use crate::guard::{Fence, intercept};
use crate::offline;
use crate::person;
use crate::tab::{End, Tab};
use crate::walker;

/// What a protocol session is attached to.
#[derive(Clone)]
pub(crate) enum Route {
    /// A page, or a frame of it in another process.
    Tab(Arc<Tab>),
    /// A dedicated or shared worker of a page.
    Worker(Arc<Tab>),
    /// A service worker, or a shared one in a guarded browser; its messages go to every tab of the context.
    ServiceWorker(Arc<Context>, TargetId),
}

impl Route {
    fn context(&self) -> Option<Arc<Context>> {
        match self {
            Route::Tab(tab) | Route::Worker(tab) => tab.context.upgrade(),
            Route::ServiceWorker(context, _) => Some(context.clone()),
        }
    }
}

#[derive(Default)]
pub(crate) struct Registry {
    connection: OnceLock<Connection>,
    routes: Mutex<HashMap<SessionId, Route>>,
    contexts: Mutex<Vec<Arc<Context>>>,
    /// Whether the browser itself stops every request.
    above: AtomicBool,
}

impl Registry {
    pub(crate) fn connect(&self, connection: &Connection) {
        let _ = self.connection.set(connection.clone());
    }

    /// The browser itself stops every request from now on.
    pub(crate) fn stops_above(&self) {
        self.above.store(true, Ordering::Release);
    }

    pub(crate) fn add(&self, context: &Arc<Context>) {
        self.contexts().push(context.clone());
    }

    pub(crate) fn remove(&self, context: &Arc<Context>) {
        self.contexts().retain(|one| !Arc::ptr_eq(one, context));
        self.routes()
            .retain(|_, route| route.context().is_some_and(|of| !Arc::ptr_eq(&of, context)));
    }

    /// Whatever is attached in a context: pages, frames in processes of their own, workers.
    pub(crate) fn sessions_in(&self, context: &Arc<Context>) -> Vec<Session> {
        let Some(connection) = self.connection.get() else { return Vec::new() };
        let routes = self.routes();
        let within = |route: &Route| route.context().is_some_and(|of| Arc::ptr_eq(&of, context));
        let sessions = routes.iter().filter(|(_, route)| within(route));
        sessions.map(|(id, _)| connection.session(id.clone())).collect()
    }

    fn routes(&self) -> MutexGuard<'_, HashMap<SessionId, Route>> {
        self.routes.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn contexts(&self) -> MutexGuard<'_, Vec<Arc<Context>>> {
        self.contexts.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The context of that id, or the browser's own one where a session lives in it.
    fn context(&self, id: Option<&BrowserContextId>) -> Option<Arc<Context>> {
        let contexts = self.contexts();
        let own = || contexts.iter().find(|context| context.id.is_none());
        contexts.iter().find(|context| context.id.as_ref() == id).or_else(own).cloned()
    }

    /// Whose page it is, where sessions share a context of the browser: the one's that has its opener, else
    /// the one's that is opening a tab, else the first one's.
    fn owner(&self, info: &target::TargetInfo) -> Option<Arc<Context>> {
        let first = self.context(info.browser_context_id.as_ref())?;
        let its = |one: &&Arc<Context>| match &info.opener_id {
            Some(opener) => one.knows(opener),
            None => one.is_opening(),
        };
        let contexts = self.contexts();
        let found = contexts.iter().filter(|one| one.id == first.id).find(its).cloned();
        Some(found.unwrap_or(first))
    }

    /// The tabs of all who share a context of the browser.
    fn tabs_in(&self, context: &Context) -> Vec<Arc<Tab>> {
        let contexts = self.contexts();
        let sharing = contexts.iter().filter(|one| one.id == context.id);
        sharing.flat_map(|one| one.inner().tabs.clone()).collect()
    }

    fn attached(&self, event: target::AttachedToTarget, parent: Option<Route>) {
        let Some(connection) = self.connection.get() else { return };
        let session = connection.session(event.session_id.clone());
        let info = event.target_info.clone();
        let context = self.owner(&info);
        let fence = context.as_ref().and_then(|context| context.fence.clone());
        let route = match (info.kind.as_str(), parent, context) {
            ("page", None, Some(context)) => {
                let tab = Tab::new(info.target_id, info.opener_id, session.clone(), &context);
                if !context.admit(&tab, &info.url) {
                    // Its opener waits for it to run, so it has to before it goes. What it asks for
                    // meanwhile is never answered where requests are judged.
                    if context.fence.as_ref().is_some_and(Fence::intercepts) {
                        session.notify(&intercept::everything());
                    }
                    session.notify(&runtime::RunIfWaitingForDebugger {});
                    let target_id = tab.target.clone();
                    connection.root().notify(&target::CloseTarget { target_id });
                    return;
                }
                Some(Route::Tab(tab))
            }
            ("iframe", Some(Route::Tab(tab)), _) => {
                events::frame_moved_out(&tab, &session, info.target_id.as_str(), &info.url);
                Some(Route::Tab(tab))
            }
            ("worker" | "shared_worker", Some(Route::Tab(tab) | Route::Worker(tab)), _) => {
                Some(Route::Worker(tab))
            }
            ("service_worker", _, Some(context)) | ("shared_worker", None, Some(context)) => {
                Some(Route::ServiceWorker(context, info.target_id))
            }
            _ => None,
        };
        // Routed before the first command is sent, so that no event of it is missed.
        if let Some(route) = &route {
            self.routes().insert(event.session_id.clone(), route.clone());
        }
        self.begin(
            &session,
            route,
            &event.target_info.target_id,
            fence,
            event.waiting_for_debugger,
        );
    }

    /// Sends a target what it needs and lets it run.
    fn begin(
        &self,
        session: &Session,
        route: Option<Route>,
        target: &TargetId,
        fence: Option<Fence>,
        waiting: bool,
    ) {
        let above = self.above.load(Ordering::Acquire);
        if let Some(context) = route.as_ref().and_then(Route::context) {
            offline::begin(session, &context);
        }
        match route {
            Some(Route::Tab(tab)) => {
                begin_page(session, &tab, waiting);
                intercept::release(session, fence_of(&tab).as_ref(), &tab.target, above);
            }
            // A page's own worker asks through the page, whose requests are judged already.
            Some(Route::Worker(_)) => {
                begin_worker(session);
                session.notify(&runtime::RunIfWaitingForDebugger {});
            }
            Some(Route::ServiceWorker(..)) => {
                begin_worker(session);
                intercept::release(session, fence.as_ref(), target, above);
            }
            // Of a kind we know nothing of: it does not run where its requests would have to be judged.
            None if fence.as_ref().is_some_and(Fence::intercepts) => {
                let target_id = target.clone();
                session.connection().root().notify(&target::CloseTarget { target_id });
            }
            None => session.notify(&runtime::RunIfWaitingForDebugger {}),
        }
    }

    /// A request waits to be judged. One that cannot be read goes on waiting.
    fn paused(&self, event: RawEvent<'_>, route: Option<Route>) {
        let (Some(connection), Some(paused)) = (self.connection.get(), event.parse()) else {
            return;
        };
        let fetch::RequestPaused { frame_id, .. } = &paused;
        let (session, route) = match event.session {
            Some(id) => (connection.session(SessionId::from(id)), route),
            None => (connection.root(), self.route_of(frame_id)),
        };
        let (contexts, page) = match route {
            Some(Route::Tab(tab) | Route::Worker(tab)) => {
                let page = tab.state().url().to_owned();
                (tab.context.upgrade().into_iter().collect(), Some(page))
            }
            Some(Route::ServiceWorker(context, _)) => (vec![context], None),
            // Whose it was went with its tab: all that are guarded by addresses have to agree.
            None if event.session.is_none() => (self.intercepting(), None),
            None => (Vec::new(), None),
        };
        intercept::judge(&contexts, &session, paused, page.as_deref());
    }

    /// The tab that has a frame, or the worker of that name.
    fn route_of(&self, frame: &FrameId) -> Option<Route> {
        let contexts = self.contexts().clone();
        let mut tabs = contexts.iter().flat_map(|context| context.inner().tabs.clone());
        let tab = tabs.find(|tab| tab.state().frames.get(frame).is_some());
        let named = |route: &&Route| match route {
            Route::ServiceWorker(_, target) => target.as_str() == frame.as_str(),
            _ => false,
        };
        tab.map(Route::Tab).or_else(|| self.routes().values().find(named).cloned())
    }

    fn intercepting(&self) -> Vec<Arc<Context>> {
        let intercepts = |one: &&Arc<Context>| one.fence.as_ref().is_some_and(Fence::intercepts);
        self.contexts().iter().filter(intercepts).cloned().collect()
    }

    fn detached(&self, session: &SessionId) {
        let Some(Route::Tab(tab)) = self.routes().remove(session) else { return };
        if tab.session.id() == Some(session) {
            tab.update(|state| state.end.get_or_insert(End::Closed).clone());
            if let Some(context) = tab.context.upgrade() {
                context.dismiss(&tab.target);
            }
        } else {
            tab.update(|state| {
                let gone: Vec<_> = state
                    .frames
                    .iter()
                    .filter(|frame| frame.session.id() == Some(session))
                    .map(|frame| frame.id.clone())
                    .collect();
                gone.iter().for_each(|id| state.frames.leave(id));
            });
        }
    }

    fn root_event(&self, event: RawEvent<'_>) {
        match event.method {
            "Browser.downloadWillBegin" => {
                let contexts = self.contexts().clone();
                if let Some(begun) = event.parse::<browser::DownloadWillBegin>() {
                    download::begun(&contexts, begun);
                }
            }
            "Browser.downloadProgress" => {
                let contexts = self.contexts().clone();
                if let Some(progress) = event.parse::<browser::DownloadProgress>() {
                    download::progressed(&contexts, progress);
                }
            }
            _ => {}
        }
    }
}

impl Handler for Registry {
    fn event(&self, event: RawEvent<'_>) {
        let session = event.session.map(SessionId::from);
        let route = session.as_ref().and_then(|id| self.routes().get(id).cloned());
        match event.method {
            "Target.attachedToTarget" => {
                if let Some(attached) = event.parse() {
                    self.attached(attached, route);
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(detached) = event.parse::<target::DetachedFromTarget>() {
                    self.detached(&detached.session_id);
                }
            }
            "Fetch.requestPaused" => self.paused(event, route),
            method if method.starts_with("ServiceWorker.") => {
                if let Some(Route::Tab(tab)) = route
                    && let Some(context) = tab.context.upgrade()
                {
                    context.workers.apply(event);
                }
            }
            _ => match (route, session, self.connection.get()) {
                (Some(Route::Tab(tab)), Some(id), Some(connection)) => {
                    events::apply(&tab, &connection.session(id), event);
                }
                (Some(Route::Worker(tab)), Some(id), Some(connection)) => {
                    events::apply_worker(&[tab], &connection.session(id), event, false);
                }
                (Some(Route::ServiceWorker(context, _)), Some(id), Some(connection)) => {
                    let tabs = self.tabs_in(&context);
                    events::apply_worker(&tabs, &connection.session(id), event, true);
                }
                _ => self.root_event(event),
            },
        }
    }

    fn closed(&self, reason: &CloseReason) {
        let (end, error) = match reason {
            CloseReason::Asked => (End::SessionClosed, Error::SessionClosed),
            other => {
                let text = other.to_string();
                (End::BrowserGone(text.clone()), Error::BrowserCrashed(text))
            }
        };
        for context in self.contexts().iter() {
            context.end(&end, &error);
        }
    }
}

fn fence_of(tab: &Tab) -> Option<Fence> {
    tab.context.upgrade().and_then(|context| context.fence.clone())
}

/// Everything a page needs before it runs, sent in one go.
fn begin_page(session: &Session, tab: &Arc<Tab>, waiting: bool) {
    let whole_page = tab.session.id() == session.id();
    session.notify(&page::Enable::default());
    session.notify(&page::SetLifecycleEventsEnabled { enabled: true });
    session.notify(&runtime::AddBinding {
        name: walker::BINDING.to_owned(),
        execution_context_name: Some(walker::WORLD.to_owned()),
    });
    session.notify(&runtime::Enable {});
    session.notify(&network::Enable::default());
    session.notify(&log::Enable {});
    session.notify(&auto_attach(&["iframe", "worker", "shared_worker"]));
    if whole_page {
        let viewport = tab.context.upgrade().map(|context| context.inner().viewport);
        session.notify(&metrics(viewport.unwrap_or_default()));
        session.notify(&emulation::SetFocusEmulationEnabled { enabled: true });
        let context = tab.context.upgrade();
        let recorded = context.is_some_and(|context| context.inner().recording);
        session.notify(&person::choosing_files(!recorded));
        session.notify(&service_worker::Enable {});
    }
    // Late, since it takes longest: it is read while the tab is on its way to an address already.
    session.notify(&page::AddScriptToEvaluateOnNewDocument {
        source: walker::SOURCE.to_owned(),
        world_name: Some(walker::WORLD.to_owned()),
        run_immediately: Some(true),
        ..Default::default()
    });
    let banner = tab.context.upgrade().and_then(|context| context.inner().banner.clone());
    if let Some(text) = banner.filter(|_| whole_page) {
        tokio::spawn(banner::show(tab, &text));
    }
    if !waiting {
        events::adopt_existing_frames(tab.clone(), session.clone());
    }
}

fn begin_worker(session: &Session) {
    session.notify(&runtime::Enable {});
    session.notify(&log::Enable {});
}

/// Attaches to targets of these kinds, now and later, before they run.
pub(crate) fn auto_attach(kinds: &[&str]) -> target::SetAutoAttach {
    let include =
        |kind: &&str| target::FilterEntry { kind: Some((*kind).to_owned()), exclude: Some(false) };
    target::SetAutoAttach {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: Some(true),
        filter: Some(kinds.iter().map(include).collect()),
    }
}

pub(crate) fn metrics(viewport: crate::context::Viewport) -> emulation::SetDeviceMetricsOverride {
    emulation::SetDeviceMetricsOverride {
        width: viewport.width.into(),
        height: viewport.height.into(),
        device_scale_factor: viewport.scale,
        mobile: false,
        ..Default::default()
    }
}
