//! Sessions: one conversation's browser, apart from all others. The first call starts Chrome, a
//! crashed one is replaced on the next, an idle one is closed.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use legwork_cdp::WebSocketOptions;
use tokio::time::Instant;

use crate::browser::Browser;
use crate::context::{Context, Viewport};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::page::Page;
use crate::settle::Bounds;
use crate::tab::Tab;

/// How sessions behave unless told otherwise.
#[derive(Debug, Clone)]
pub struct Config {
    /// How the shared Chrome is started.
    pub launch: Launch,
    /// A Chrome somebody else started, by `ws://` or `http://host:port`.
    pub attach: Option<String>,
    /// Headers for that connection, as grids want them.
    pub attach_headers: Vec<(String, String)>,
    /// Closes a session that nobody used for this long.
    pub idle: Duration,
    /// Bounds for settling.
    pub bounds: Bounds,
    /// Parent of the sessions' download folders.
    pub downloads: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            launch: Launch::default(),
            attach: None,
            attach_headers: Vec::new(),
            idle: Duration::from_secs(30 * 60),
            bounds: Bounds::default(),
            downloads: None,
        }
    }
}

/// What one session wants for itself.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// Shows a window.
    pub headed: bool,
    /// A profile directory that outlives the session. Holds cookies and passwords.
    pub user_data_dir: Option<PathBuf>,
    /// A Chrome process of its own.
    pub isolate: bool,
    /// Size of the window.
    pub viewport: Viewport,
}

/// Starts browsers and hands out sessions in them.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<EngineInner>,
}

struct EngineInner {
    config: Config,
    /// Chromes shared by sessions, by how they were started.
    shared: tokio::sync::Mutex<HashMap<Launch, Arc<Browser>>>,
}

impl Engine {
    /// An engine; no browser is started before the first call needs one.
    pub fn new(config: Config) -> Engine {
        Engine { inner: Arc::new(EngineInner { config, shared: Default::default() }) }
    }

    /// A new session, isolated from all others.
    pub fn session(&self, options: SessionOptions) -> Session {
        let session = Arc::new(SessionInner {
            engine: self.inner.clone(),
            options,
            live: tokio::sync::Mutex::new(None),
            notices: Mutex::new(Vec::new()),
            used: Mutex::new(Instant::now()),
            closed: tokio::sync::watch::Sender::new(false),
        });
        let watched = Arc::downgrade(&session);
        let idle = self.inner.config.idle;
        let ended = session.closed.subscribe();
        tokio::spawn(watch_idle(idle, ended, move || {
            let session = watched.upgrade()?;
            let used = *session.used();
            Some((used, Session { inner: session }))
        }));
        Session { inner: session }
    }

    /// Ends every shared browser.
    pub async fn close(&self) {
        let browsers: Vec<_> = self.inner.shared.lock().await.drain().collect();
        for (_, browser) in browsers {
            browser.close().await;
        }
    }
}

impl EngineInner {
    async fn browser(&self, options: &SessionOptions) -> Result<Arc<Browser>> {
        let launch = Launch {
            headed: options.headed || self.config.launch.headed,
            user_data_dir: options.user_data_dir.clone(),
            ..self.config.launch.clone()
        };
        if options.isolate || options.user_data_dir.is_some() {
            return Browser::launch(&launch).await;
        }
        let mut shared = self.shared.lock().await;
        if let Some(browser) = shared.get(&launch).filter(|browser| browser.is_alive()) {
            return Ok(browser.clone());
        }
        let browser = match &self.config.attach {
            Some(url) => {
                let headers = self.config.attach_headers.clone();
                let options = WebSocketOptions { headers, ..Default::default() };
                Browser::attach(url, &options).await?
            }
            None => Browser::launch(&launch).await?,
        };
        shared.insert(launch, browser.clone());
        Ok(browser)
    }

    fn downloads(&self) -> Result<PathBuf> {
        let parent = self
            .config
            .downloads
            .clone()
            .unwrap_or_else(|| std::env::temp_dir().join("legwork-downloads"));
        let failed =
            |e: std::io::Error| Error::File { path: parent.clone(), reason: e.to_string() };
        std::fs::create_dir_all(&parent).map_err(failed)?;
        let own =
            tempfile::Builder::new().prefix("session-").tempdir_in(&parent).map_err(failed)?;
        Ok(own.keep())
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
    live: tokio::sync::Mutex<Option<Live>>,
    notices: Mutex<Vec<String>>,
    used: Mutex<Instant>,
    closed: tokio::sync::watch::Sender<bool>,
}

#[derive(Clone)]
struct Live {
    browser: Arc<Browser>,
    context: Arc<Context>,
}

impl SessionInner {
    fn used(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn notice(&self, text: &str) {
        let mut notices = self.notices.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        notices.push(text.to_owned());
    }
}

impl Session {
    /// The active page. Starts the browser if there is none, replaces it if it crashed, and opens a
    /// tab if the last one is gone.
    pub async fn page(&self) -> Result<Page> {
        let (live, tab) = self.live().await?;
        let tab = match tab {
            Some(tab) => tab,
            None => live.browser.open_tab(&live.context).await?,
        };
        Ok(Page::new(tab, self.inner.engine.config.bounds))
    }

    /// The browser and context in use, new ones if need be, and the active tab if it can be used.
    async fn live(&self) -> Result<(Live, Option<Arc<Tab>>)> {
        if *self.inner.closed.borrow() {
            return Err(Error::SessionClosed);
        }
        *self.inner.used() = Instant::now();
        let mut live = self.inner.live.lock().await;
        if live.as_ref().is_some_and(|live| !live.browser.is_alive()) {
            self.inner
                .notice("the browser had crashed; this is a new one, signed out and without tabs");
            *live = None;
        }
        let current = match live.as_ref() {
            Some(current) => current.clone(),
            None => live.insert(self.start().await?).clone(),
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
        let browser = self.inner.engine.browser(&self.inner.options).await?;
        let downloads = self.inner.engine.downloads()?;
        let context = browser.context(downloads, self.inner.options.viewport).await?;
        Ok(Live { browser, context })
    }

    /// What happened behind the caller's back since it last asked: a crashed browser replaced, say.
    pub fn take_notices(&self) -> Vec<String> {
        let mut notices =
            self.inner.notices.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::take(&mut notices)
    }

    /// All tabs, in the order they were opened; the active one is [`Session::page`].
    pub async fn tabs(&self) -> Result<Vec<Page>> {
        let (live, _) = self.live().await?;
        let tabs = live.context.inner().tabs.clone();
        let bounds = self.inner.engine.config.bounds;
        Ok(tabs.into_iter().map(|tab| Page::new(tab, bounds)).collect())
    }

    /// Opens a tab and makes it the active one.
    pub async fn new_tab(&self) -> Result<Page> {
        let (live, _) = self.live().await?;
        let tab = live.browser.open_tab(&live.context).await?;
        Ok(Page::new(tab, self.inner.engine.config.bounds))
    }

    /// The process id of the Chrome this session is in, if we started it.
    pub async fn process_id(&self) -> Option<u32> {
        self.inner.live.lock().await.as_ref().and_then(|live| live.browser.process_id())
    }

    /// The protocol connection of the browser, to send what the engine has no method for.
    pub async fn connection(&self) -> Result<legwork_cdp::Connection> {
        Ok(self.live().await?.0.browser.connection().clone())
    }

    /// Whether the session was closed, by its owner or for being idle.
    pub fn is_closed(&self) -> bool {
        *self.inner.closed.borrow()
    }

    /// Closes the session with all its tabs; a browser of its own ends with it.
    pub async fn close(&self) {
        self.inner.closed.send_replace(true);
        let Some(live) = self.inner.live.lock().await.take() else { return };
        let own = self.inner.options.isolate || self.inner.options.user_data_dir.is_some();
        live.browser.drop_context(&live.context).await;
        if own {
            live.browser.close().await;
        }
        // Files stay; an empty folder does not.
        let _ = std::fs::remove_dir(&live.context.downloads_dir);
    }
}

impl Drop for SessionInner {
    fn drop(&mut self) {
        self.closed.send_replace(true);
        if let Some(live) = self.live.get_mut().take() {
            let _ = std::fs::remove_dir(&live.context.downloads_dir);
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move { live.browser.drop_context(&live.context).await });
            }
        }
    }
}

/// Something that is closed when nobody has used it for a while.
pub(crate) trait Closes {
    fn close(self) -> impl Future<Output = ()> + Send;
}

impl Closes for Session {
    async fn close(self) {
        tracing::info!("closing a session that was idle");
        Session::close(&self).await;
    }
}

/// Closes what `last_used` gives once it has been idle; ends when it is closed or gone.
async fn watch_idle<T: Closes>(
    idle: Duration,
    mut ended: tokio::sync::watch::Receiver<bool>,
    last_used: impl Fn() -> Option<(Instant, T)>,
) {
    loop {
        let Some((used, session)) = last_used() else { return };
        let expires = used + idle;
        if Instant::now() >= expires {
            session.close().await;
            return;
        }
        drop(session);
        tokio::select! {
            () = tokio::time::sleep_until(expires) => {}
            // Closed by its owner, or dropped.
            _ = ended.wait_for(|closed| *closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Fake(Arc<AtomicBool>);

    impl Closes for Fake {
        async fn close(self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_closes_after_thirty_idle_minutes_and_not_before() {
        let closed = Arc::new(AtomicBool::new(false));
        let used = Arc::new(Mutex::new(Instant::now()));
        let (ending, ended) = tokio::sync::watch::channel(false);
        let (seen, last) = (closed.clone(), used.clone());
        let idle = Config::default().idle;
        let watch = tokio::spawn(watch_idle(idle, ended, move || {
            Some((*last.lock().unwrap(), Fake(seen.clone())))
        }));
        tokio::time::sleep(Duration::from_secs(20 * 60)).await;
        *used.lock().unwrap() = Instant::now();
        tokio::time::sleep(Duration::from_secs(29 * 60)).await;
        assert!(!closed.load(Ordering::SeqCst));
        tokio::time::sleep(Duration::from_secs(2 * 60)).await;
        assert!(closed.load(Ordering::SeqCst));
        watch.await.unwrap();
        drop(ending);
    }
}
