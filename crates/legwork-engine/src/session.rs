//! Sessions: one conversation's browser, apart from all others. The first call starts Chrome, a
//! crashed one is replaced on the next, an idle one is closed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use legwork_cdp::WebSocketOptions;

use crate::activity::{Activity, Closes, watch_idle};
use crate::browser::Browser;
use crate::config::{Config, SessionOptions};
use crate::context::{self, Context, Event};
use crate::download::{placed, tidy};
use crate::error::{Error, Result};
use crate::folders::Folders;
use crate::guard::Fence;
use crate::guard::gate::Gate;
use crate::launch::Launch;
use crate::page::Page;
use crate::refs::Numbers;
use crate::tab::Tab;

mod banner;
mod beside;
mod guarded;
mod phase;
mod watched;

pub use phase::Terms;

/// Starts browsers and hands out sessions in them.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<EngineInner>,
}

struct EngineInner {
    config: Config,
    /// Chromes shared by sessions, by how they were started.
    shared: tokio::sync::Mutex<HashMap<Launch, Arc<Browser>>>,
    sessions: Mutex<Vec<Weak<SessionInner>>>,
}

impl Engine {
    /// An engine; no browser is started before the first call needs one.
    pub fn new(config: Config) -> Engine {
        let (shared, sessions) = Default::default();
        Engine { inner: Arc::new(EngineInner { config, shared, sessions }) }
    }

    /// A new session, isolated from all others.
    pub fn session(&self, options: SessionOptions) -> Session {
        self.begin(SessionInner {
            engine: self.inner.clone(),
            gate: options.guard.clone().map(Gate::new),
            terms: Mutex::new(Terms::of(&options)),
            options,
            beside: None,
            companions: Mutex::default(),
            live: tokio::sync::Mutex::new(None),
            notices: Mutex::new(Vec::new()),
            numbers: Numbers::default(),
            activity: Activity::new(),
            events: context::events(),
            closed: tokio::sync::watch::Sender::new(false),
            recording: AtomicBool::new(false),
            joined: AtomicBool::new(false),
            banner: Mutex::default(),
        })
    }

    fn begin(&self, session: SessionInner) -> Session {
        let session = Arc::new(session);
        let watched = Arc::downgrade(&session);
        self.inner.remember(&session);
        let idle = self.inner.config.idle;
        let ended = session.closed.subscribe();
        tokio::spawn(watch_idle(idle, ended, move || {
            let session = watched.upgrade()?;
            let used = session.activity.last();
            Some((used, Session { inner: session }))
        }));
        Session { inner: session }
    }

    /// Closes every session and ends every browser.
    pub async fn close(&self) {
        let sessions = std::mem::take(&mut *self.inner.sessions());
        for inner in sessions.iter().filter_map(Weak::upgrade) {
            Session { inner }.close().await;
        }
        let browsers: Vec<_> = self.inner.shared.lock().await.drain().collect();
        for (_, browser) in browsers {
            browser.close().await;
        }
    }
}

impl EngineInner {
    fn sessions(&self) -> MutexGuard<'_, Vec<Weak<SessionInner>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, session: &Arc<SessionInner>) {
        let mut sessions = self.sessions();
        sessions.retain(|known| known.strong_count() > 0);
        sessions.push(Arc::downgrade(session));
    }

    /// How the browser of a session is started.
    fn launch(&self, options: &SessionOptions) -> Launch {
        let configured = self.config.launch.clone();
        let user_data_dir = options.user_data_dir.clone().or(configured.user_data_dir.clone());
        let headed = options.headed || configured.headed;
        Launch { headed, user_data_dir, guarded: options.guard.is_some(), ..configured }
    }

    /// Whether the session has a browser to itself: a profile cannot be shared.
    fn is_own(&self, options: &SessionOptions) -> bool {
        options.isolate || self.launch(options).user_data_dir.is_some()
    }

    /// Ends the shared browsers that nobody uses any more, after a while.
    fn retire(self: &Arc<Self>) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (engine, linger) = (Arc::downgrade(self), self.config.linger);
        runtime.spawn(async move {
            tokio::time::sleep(linger).await;
            let Some(engine) = engine.upgrade() else { return };
            let mut shared = engine.shared.lock().await;
            // Browsers are handed out under this lock: one that only the map holds is unused.
            let unused: Vec<_> =
                shared.extract_if(|_, browser| Arc::strong_count(browser) == 1).collect();
            drop(shared);
            for (_, browser) in unused {
                browser.close().await;
            }
        });
    }

    /// Whether the session's browser is somebody else's.
    fn is_attached(&self, options: &SessionOptions) -> bool {
        self.config.attach.is_some() && !self.is_own(options)
    }

    async fn browser(
        &self,
        options: &SessionOptions,
        fence: Option<&Fence>,
    ) -> Result<Arc<Browser>> {
        let launch = self.launch(options);
        let folders = Folders::below(self.config.downloads.as_ref());
        if self.is_own(options) {
            return Browser::launch(&launch, folders, fence).await;
        }
        let mut shared = self.shared.lock().await;
        if let Some(browser) = shared.get(&launch).filter(|browser| browser.is_alive()) {
            return Ok(browser.clone());
        }
        let browser = match &self.config.attach {
            Some(url) => {
                let headers = self.config.attach_headers.clone();
                let options = WebSocketOptions { headers, ..Default::default() };
                Browser::attach(url, &options, folders, launch.guarded).await?
            }
            None => Browser::launch(&launch, folders, fence).await?,
        };
        shared.insert(launch, browser.clone());
        Ok(browser)
    }
}

/// One conversation's browser.
#[derive(Clone)]
pub struct Session {
    inner: Arc<SessionInner>,
}

struct SessionInner {
    engine: Arc<EngineInner>,
    options: SessionOptions,
    gate: Option<Arc<Gate>>,
    /// What holds now, of the options that may change.
    terms: Mutex<Terms>,
    /// Whose browser and cookies it shares.
    beside: Option<Session>,
    /// Those that share its own, and end with it.
    companions: Mutex<Vec<Weak<SessionInner>>>,
    live: tokio::sync::Mutex<Option<Live>>,
    notices: Mutex<Vec<String>>,
    /// Ref numbers are the session's, whatever becomes of its tabs and browsers.
    numbers: Numbers,
    activity: Arc<Activity>,
    /// One stream, whatever becomes of browsers.
    events: tokio::sync::broadcast::Sender<Event>,
    closed: tokio::sync::watch::Sender<bool>,
    /// What a person does is told, whatever becomes of browsers.
    recording: AtomicBool,
    /// Its browser is somebody's own, in a window.
    joined: AtomicBool,
    /// What every page says at its top, whatever becomes of browsers.
    banner: Mutex<Option<String>>,
}

#[derive(Clone)]
struct Live {
    browser: Arc<Browser>,
    context: Arc<Context>,
}

impl SessionInner {
    fn notice(&self, text: &str) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.push(text.to_owned());
    }
}

impl Session {
    /// The active page. Starts the browser if there is none, replaces it if it crashed, and opens a
    /// tab if the last one is gone.
    pub async fn page(&self) -> Result<Page> {
        let _in_use = self.inner.activity.begin();
        // Held until there is a tab, so that two who ask at once get the same one.
        let mut slot = self.inner.live.lock().await;
        let (live, tab) = self.live(&mut slot).await?;
        let tab = match tab {
            Some(tab) => tab,
            None => live.browser.open_tab(&live.context).await?,
        };
        Ok(self.page_of(tab))
    }

    fn page_of(&self, tab: Arc<Tab>) -> Page {
        Page::new(tab, self.inner.engine.config.bounds, self.clone())
    }

    /// The browser and context in use, new ones if need be, and the active tab if it can be used.
    async fn live(&self, slot: &mut Option<Live>) -> Result<(Live, Option<Arc<Tab>>)> {
        if *self.inner.closed.borrow() {
            return Err(Error::SessionClosed);
        }
        if let Some(dead) = slot.take_if(|live| !live.browser.is_alive()) {
            self.inner
                .notice("the browser had crashed; this is a new one, signed out and without tabs");
            dead.browser.cleared().await;
            tidy(&dead.context, &dead.browser.folders);
        }
        let current = match slot.as_ref() {
            Some(current) => current.clone(),
            None => {
                let live = self.start().await?;
                self.inner.joined.store(live.browser.is_watched(), Ordering::Relaxed);
                slot.insert(live).clone()
            }
        };
        let mut tab = current.context.active();
        if tab.as_ref().is_some_and(|tab| tab.state().end.is_some()) {
            self.inner.notice("the page had crashed; this is a new tab");
            if let Some(dead) = tab.take() {
                let close = legwork_cdp::target::CloseTarget { target_id: dead.target.clone() };
                current.context.connection.root().notify(&close);
                current.context.dismiss(&dead.target);
            }
        }
        Ok((current, tab))
    }

    async fn start(&self) -> Result<Live> {
        if let Some(other) = &self.inner.beside {
            return self.start_beside(other).await;
        }
        let SessionInner { engine, options, gate, .. } = &*self.inner;
        let resolver = engine.config.resolver.clone();
        let fence = Fence::raise(gate.clone(), engine.is_attached(options), resolver).await?;
        let browser = engine.browser(options, fence.as_ref()).await?;
        let downloads = browser.folders.make()?;
        let activity = self.inner.activity.clone();
        let (viewport, events) = (options.viewport, self.inner.events.clone());
        let context = browser.context(downloads, viewport, activity, events, fence).await?;
        let Terms { keeping, permissions } = self.inner.terms();
        if let Some(granted) = &permissions {
            browser.permit(&context, granted).await?;
        }
        self.furnish(&context, keeping);
        Ok(Live { browser, context })
    }

    /// What happened behind the caller's back since it last asked: a crashed browser replaced, say.
    pub fn take_notices(&self) -> Vec<String> {
        let mut notices = self.inner.notices.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut notices)
    }

    /// All tabs, in the order they were opened; the active one is [`Session::page`].
    pub async fn tabs(&self) -> Result<Vec<Page>> {
        let _in_use = self.inner.activity.begin();
        let (live, _) = self.live(&mut *self.inner.live.lock().await).await?;
        let tabs = live.context.inner().tabs.clone();
        Ok(tabs.into_iter().map(|tab| self.page_of(tab)).collect())
    }

    /// Opens a tab and makes it the active one.
    pub async fn new_tab(&self) -> Result<Page> {
        let _in_use = self.inner.activity.begin();
        let (live, _) = self.live(&mut *self.inner.live.lock().await).await?;
        let tab = live.browser.open_tab(&live.context).await?;
        Ok(self.page_of(tab))
    }

    /// What happens in every tab from now on, as it happens. Starts no browser, and ends with the session.
    pub fn events(&self) -> tokio::sync::broadcast::Receiver<Event> {
        self.inner.events.subscribe()
    }

    /// The process id of the Chrome this session is in, if we started it.
    pub async fn process_id(&self) -> Option<u32> {
        self.inner.live.lock().await.as_ref().and_then(|live| live.browser.process_id())
    }

    /// The protocol connection of the browser, to send what the engine has no method for.
    pub async fn connection(&self) -> Result<legwork_cdp::Connection> {
        let (live, _) = self.live(&mut *self.inner.live.lock().await).await?;
        Ok(live.browser.connection().clone())
    }

    /// The protocol sessions of whatever there is in it now.
    pub(crate) async fn attached(&self) -> Vec<legwork_cdp::Session> {
        let live = self.inner.live.lock().await.clone();
        live.map(|live| live.browser.attached(&live.context)).unwrap_or_default()
    }

    /// Whether the session was closed, by its owner or for being idle.
    pub fn is_closed(&self) -> bool {
        *self.inner.closed.borrow()
    }

    /// Waits until the session is closed, by its owner or for being idle.
    pub async fn closed(&self) {
        let mut closed = self.inner.closed.subscribe();
        let _ = closed.wait_for(|closed| *closed).await;
    }

    /// Closes the session with all its tabs; a browser of its own ends with it.
    pub async fn close(&self) {
        let closed_before = self.inner.closed.send_replace(true);
        self.close_companions().await;
        if let Some(live) = self.inner.live.lock().await.take() {
            self.leave(live).await;
        }
        if !closed_before {
            let _ = self.inner.events.send(Event::SessionClosed);
        }
    }

    async fn leave(&self, Live { browser, context }: Live) {
        placed(&context).await;
        browser.drop_context(&context).await;
        let shares = self.inner.beside.is_some();
        let own = !shares && self.inner.engine.is_own(&self.inner.options);
        if own {
            browser.close().await;
        }
        tidy(&context, &browser.folders);
        drop(browser);
        if !own && !shares {
            self.inner.engine.retire();
        }
    }
}

impl Drop for SessionInner {
    fn drop(&mut self) {
        if !self.closed.send_replace(true) {
            let _ = self.events.send(Event::SessionClosed);
        }
        let Some(Live { browser, context }) = self.live.get_mut().take() else { return };
        tidy(&context, &browser.folders);
        let engine = self.engine.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                browser.drop_context(&context).await;
                drop(browser);
                engine.retire();
            });
        }
    }
}

impl Closes for Session {
    async fn close(self) {
        tracing::info!("closing a session that was idle");
        Session::close(&self).await;
    }
}
