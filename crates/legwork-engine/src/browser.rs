//! One Chrome: its process if we started it, its connection, and the contexts that live in it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_cdp::{CloseReason, Connection, Transport, WebSocketOptions, browser, target};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;

use crate::activity::Activity;
use crate::context::{Context, Event, MOST_TABS, Viewport};
use crate::error::{Error, Result};
use crate::extensions;
use crate::folders::Folders;
use crate::guard::{Fence, flags, intercept};
use crate::launch::{self, Launch, Process};
use crate::registry::{Registry, auto_attach};
use crate::tab::{End, Tab};

/// Chrome that does not come up in this time will not.
const START: Duration = Duration::from_secs(20);

pub(crate) struct Browser {
    connection: Connection,
    registry: Arc<Registry>,
    process: Arc<Mutex<Option<Process>>>,
    /// The whole browser is one session's own, with the profile's cookies.
    own_context: bool,
    process_id: Option<u32>,
    /// Somebody else's, in a window that they may be watching.
    watched: AtomicBool,
    /// Where its sessions save files.
    pub(crate) folders: Folders,
    /// True once the browser has ended and nothing of it is left.
    cleared: watch::Sender<bool>,
}

impl Browser {
    /// Starts a Chrome of our own.
    pub(crate) async fn launch(
        options: &Launch,
        folders: Folders,
        fence: Option<&Fence>,
    ) -> Result<Arc<Browser>> {
        if let Some(arg) = flags::leads_around(options) {
            let reason = format!("the argument {arg} would lead around the guard of the session");
            return Err(Error::Invalid(reason));
        }
        let options = &flags::behind(options, fence);
        let (process, transport) = launch::start(options, &folders).await?;
        let own_context = options.user_data_dir.is_some();
        let browser = Browser::connect(transport, Some(process), own_context, folders);
        let attach = browser.connection.root().send(&auto_attach(kinds(options.guarded)));
        let attached = match attach.within(START).await {
            Ok(_) => extensions::load(&browser.connection, &options.args).await,
            Err(error) => Err(error.into()),
        };
        match attached {
            Ok(()) => {
                let (process, cleared) = (browser.process.clone(), browser.cleared.clone());
                tokio::spawn(look_after(browser.connection.clone(), process, cleared));
                Ok(browser)
            }
            Err(error) => {
                let process = take(&browser.process);
                browser.connection.close();
                let Some(mut process) = process else { return Err(error) };
                process.kill();
                process.end(Duration::from_secs(2)).await;
                Err(process.failure(&error.to_string()).await)
            }
        }
    }

    /// Joins a Chrome somebody else started, by `ws://` or `http://host:port`.
    pub(crate) async fn attach(
        url: &str,
        options: &WebSocketOptions,
        folders: Folders,
        guarded: bool,
    ) -> Result<Arc<Browser>> {
        let transport = Transport::websocket(url, options).await;
        let transport = transport.map_err(|error| Error::Attach(error.to_string()))?;
        let browser = Browser::connect(transport, None, false, folders);
        let root = browser.connection.root();
        root.send(&auto_attach(kinds(guarded))).within(START).await?;
        let version = root.send(&browser::GetVersion {}).within(START).await?;
        browser.watched.store(has_window(&version), Ordering::Relaxed);
        Ok(browser)
    }

    fn connect(
        transport: Transport,
        process: Option<Process>,
        own_context: bool,
        folders: Folders,
    ) -> Arc<Browser> {
        let registry = Arc::new(Registry::default());
        let connection = Connection::open(transport, registry.clone());
        registry.connect(&connection);
        let process_id = process.as_ref().and_then(Process::id);
        Arc::new(Browser {
            connection,
            registry,
            process: Arc::new(Mutex::new(process)),
            own_context,
            process_id,
            watched: AtomicBool::new(false),
            folders,
            cleared: watch::Sender::new(false),
        })
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.connection.is_closed()
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whatever is attached in a context: pages, frames in processes of their own, workers.
    pub(crate) fn attached(&self, context: &Arc<Context>) -> Vec<legwork_cdp::Session> {
        self.registry.sessions_in(context)
    }

    /// Whether it was joined, and has a window: its owner may be watching.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    pub(crate) fn process_id(&self) -> Option<u32> {
        self.process_id
    }

    /// An isolated context, or the profile's own one.
    pub(crate) async fn context(
        &self,
        downloads_dir: PathBuf,
        viewport: Viewport,
        activity: Arc<Activity>,
        events: broadcast::Sender<Event>,
        fence: Option<Fence>,
    ) -> Result<Arc<Context>> {
        let root = self.connection.root();
        if intercept::above(&root, fence.as_ref()).await? {
            self.registry.stops_above();
        }
        let id = if self.own_context {
            None
        } else {
            let proxy_server = fence.as_ref().and_then(Fence::proxy_server);
            let make = target::CreateBrowserContext {
                dispose_on_detach: Some(true),
                proxy_bypass_list: proxy_server.as_ref().map(|_| flags::NO_BYPASS.to_owned()),
                proxy_server,
                ..Default::default()
            };
            Some(root.send(&make).await?.browser_context_id)
        };
        let (connection, folder) = (self.connection.clone(), downloads_dir.clone());
        let mut context =
            Context::new(id.clone(), connection, folder, viewport, activity, events, fence);
        context.ours = self.process_id.is_some();
        let context = Arc::new(context);
        self.registry.add(&context);
        let keeps_downloads = root.send(&browser::SetDownloadBehavior {
            behavior: "allowAndName".into(),
            browser_context_id: id.clone(),
            download_path: Some(downloads_dir.display().to_string()),
            events_enabled: Some(true),
        });
        // Where something is forbidden, no file may be saved where nobody looks at it.
        if context.fence.is_some()
            && let Err(error) = keeps_downloads.within(START).await
        {
            self.registry.remove(&context);
            if let Some(id) = id {
                root.notify(&target::DisposeBrowserContext { browser_context_id: id });
            }
            let told = format!("downloads cannot be kept in their folder ({error})");
            return Err(Error::Protocol(told));
        }
        Ok(context)
    }

    /// A place for another session in a context that is there.
    pub(crate) fn context_beside(
        &self,
        other: &Context,
        viewport: Viewport,
        activity: Arc<Activity>,
        events: broadcast::Sender<Event>,
    ) -> Arc<Context> {
        let context = Arc::new(other.beside(viewport, activity, events));
        self.registry.add(&context);
        context
    }

    /// Opens a tab and makes it the active one. Its first document may still be getting ready: what is asked
    /// of it waits for that, and where the tab goes at once nobody has to.
    pub(crate) async fn open_tab(&self, context: &Arc<Context>) -> Result<Arc<Tab>> {
        if context.inner().tabs.len() >= MOST_TABS {
            let limit = format!("a session may have {MOST_TABS} tabs: close one first");
            return Err(Error::Invalid(limit));
        }
        let create = target::CreateTarget {
            url: "about:blank".into(),
            browser_context_id: context.id.clone(),
            // Sessions side by side are seen side by side, where there are windows.
            new_window: context.companion.then_some(true),
            ..Default::default()
        };
        let _turn = context.doorway.lock().await;
        let _opening = context.opening();
        let target = self.connection.root().send(&create).await?.target_id;
        let deadline = Instant::now() + START;
        let tab = context
            .until(deadline, |inner| inner.tabs.iter().find(|tab| tab.target == target).cloned())
            .await?
            .ok_or_else(|| Error::Timeout { what: "a new tab".into(), after: START })?;
        let ready = tab.until(deadline, |state| state.frames.root()?.main.clone()).await?;
        ready.ok_or_else(|| Error::Timeout { what: "a new tab".into(), after: START })?;
        context.update(|inner| inner.active = Some(tab.target.clone()));
        Ok(tab)
    }

    /// Closes a context with all its tabs.
    pub(crate) async fn drop_context(&self, context: &Arc<Context>) {
        if self.is_alive() {
            let tabs = context.inner().tabs.clone();
            intercept::vacate_all(tabs).await;
        }
        context.end(&End::SessionClosed, &Error::SessionClosed);
        if context.companion {
            for tab in &context.inner().tabs {
                let close = target::CloseTarget { target_id: tab.target.clone() };
                self.connection.root().notify(&close);
            }
        } else if let Some(id) = context.id.clone() {
            let dispose = target::DisposeBrowserContext { browser_context_id: id };
            let _ = self.connection.root().send(&dispose).within(Duration::from_secs(5)).await;
        }
        self.registry.remove(context);
    }

    /// Waits until nothing is left of a browser of ours that has ended.
    pub(crate) async fn cleared(&self) {
        if self.process_id.is_some() {
            let mut cleared = self.cleared.subscribe();
            let gone = cleared.wait_for(|cleared| *cleared);
            let _ = tokio::time::timeout(Duration::from_secs(15), gone).await;
        }
    }

    /// Ends the browser if it is ours, leaves it if it is somebody else's.
    pub(crate) async fn close(&self) {
        let Some(mut process) = take(&self.process) else {
            self.connection.close();
            return;
        };
        let asked = self.connection.root().send(&browser::Close {});
        let _ = asked.within(Duration::from_secs(2)).await;
        self.connection.close();
        process.end(Duration::from_secs(3)).await;
    }
}

impl Drop for Browser {
    /// Closing the pipe is enough: Chrome ends, and its supervisor clears up.
    fn drop(&mut self) {
        self.connection.close();
    }
}

/// How often a browser is asked whether it is still there, and how long it may take to say so.
const ASKED: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(8);

/// Ends a browser that stopped answering, so that what waits for it fails and the next call gets a new
/// one; and clears up after one that ended unasked. The task ends with the connection.
async fn look_after(
    connection: Connection,
    process: Arc<Mutex<Option<Process>>>,
    cleared: watch::Sender<bool>,
) {
    let silent = loop {
        match tokio::time::timeout(ASKED, connection.closed()).await {
            Ok(reason) => break reason == CloseReason::Silent,
            Err(_) if !answers(&connection, PATIENCE).await => break true,
            Err(_) => {}
        }
    };
    if silent {
        tracing::warn!("the browser stopped answering and is ended");
        if let Some(process) = &*lock(&process) {
            process.kill();
        }
    }
    if let Some(mut process) = take(&process) {
        connection.close();
        process.end(Duration::from_secs(5)).await;
    }
    cleared.send_replace(true);
}

/// Whether the browser says something within that time. One that does not is given up, so that all who wait for
/// it are told.
pub(crate) async fn answers(connection: &Connection, within: Duration) -> bool {
    let asked = connection.root().send(&browser::GetVersion {}).within(within);
    let silent = matches!(asked.await, Err(legwork_cdp::Error::Timeout { .. }));
    if silent {
        connection.give_up();
    }
    !silent
}

/// What the browser itself attaches us to. A shared worker is no page's, so it is attached to here where its
/// requests may have to be judged.
fn kinds(guarded: bool) -> &'static [&'static str] {
    if guarded { &["page", "service_worker", "shared_worker"] } else { &["page", "service_worker"] }
}

/// A browser without a window says so in its name, or in that of its user agent.
fn has_window(version: &browser::GetVersionReply) -> bool {
    !version.product.contains("Headless") && !version.user_agent.contains("Headless")
}

fn lock(process: &Mutex<Option<Process>>) -> std::sync::MutexGuard<'_, Option<Process>> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take(process: &Mutex<Option<Process>>) -> Option<Process> {
    lock(process).take()
}
