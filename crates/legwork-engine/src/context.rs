//! A browser context: the tabs, downloads and viewport of one session, apart from all others.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use legwork_cdp::runtime::TerminateExecution;
use legwork_cdp::{BrowserContextId, Connection, TargetId};
use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;

use crate::activity::Activity;
use crate::download::{Download, Keeping, Progress};
use crate::error::{Error, Result};
use crate::facts::Known;
use crate::guard::Fence;
use crate::person::Deed;
use crate::refs::Numbers;
use crate::tab::{Dialog, End, Happening, Tab};
use crate::workers::Workers;

/// Size of the page's window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Device pixels to a CSS pixel.
    pub scale: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Viewport { width: 1280, height: 720, scale: 1.0 }
    }
}

/// A tab, as events name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabAt {
    /// The browser's name for it, as [`crate::Page::id`] has it.
    pub id: String,
    /// Its place among the session's tabs when it happened, from 1.
    pub number: usize,
}

/// Something that happened in a session, for whoever wants to be told at once.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The page of a tab is another one, or its address changed without a load.
    Navigated {
        /// The tab.
        tab: TabAt,
        /// Where it is.
        url: String,
    },
    /// There is a new tab: one that was asked for, or a window that a page opened.
    TabOpened {
        /// The tab.
        tab: TabAt,
        /// Where it is going.
        url: String,
        /// The tab whose page opened it.
        opener: Option<TabAt>,
    },
    /// A tab is gone; those after it have a lower number now.
    TabClosed {
        /// The tab.
        tab: TabAt,
    },
    /// A page waits for an answer to a dialog.
    DialogOpened {
        /// The tab.
        tab: TabAt,
        /// The dialog.
        dialog: Dialog,
    },
    /// The dialog was answered.
    DialogClosed {
        /// The tab.
        tab: TabAt,
    },
    /// A file began to come.
    DownloadBegan(Download),
    /// A file is complete, or will not come.
    DownloadEnded(Download),
    /// The process of a page ended; the next call gets a new tab.
    PageCrashed {
        /// The tab.
        tab: TabAt,
    },
    /// A person did something, while the session is recorded.
    Acted {
        /// The tab.
        tab: TabAt,
        /// What.
        deed: Deed,
        /// To which element.
        element: Option<Known>,
    },
    /// The browser ended unasked; the next call gets a new one.
    BrowserEnded {
        /// Why, as far as it is known.
        reason: String,
    },
    /// The session was closed, by its owner or for being idle. Nothing comes after it.
    SessionClosed,
}

/// A stream of events for all who listen, made before there is a browser.
pub(crate) fn events() -> broadcast::Sender<Event> {
    broadcast::Sender::new(BACKLOG)
}

/// Events kept for a subscriber that does not keep up.
const BACKLOG: usize = 256;

/// Tabs a session may have; a page that opens more has them closed.
pub(crate) const MOST_TABS: usize = 20;

/// Closed tabs that are remembered.
const CLOSED_TABS: usize = 100;

pub(crate) struct Context {
    /// Absent for the browser's own context, which a lasting profile lives in.
    pub(crate) id: Option<BrowserContextId>,
    pub(crate) connection: Connection,
    pub(crate) downloads_dir: PathBuf,
    pub(crate) workers: Workers,
    pub(crate) activity: Arc<Activity>,
    /// What it may not reach; nothing is kept from it without one.
    pub(crate) fence: Option<Fence>,
    /// It shares the browser's context with the session it was made beside, which came before it.
    pub(crate) companion: bool,
    /// Its browser is one of ours, which runs what a page has to do after a click at once.
    pub(crate) ours: bool,
    /// Those who share a browser's context open tabs one after the other, so that it is known whose a new
    /// one is.
    pub(crate) doorway: Arc<tokio::sync::Mutex<()>>,
    /// Whether its pages and workers are kept off the network.
    pub(crate) offline: AtomicBool,
    opening: AtomicBool,
    events: broadcast::Sender<Event>,
    /// Held by whatever the session's own calls do.
    own: Arc<()>,
    inner: Mutex<Inner>,
    changed: Notify,
}

pub(crate) struct Inner {
    pub(crate) tabs: Vec<Arc<Tab>>,
    pub(crate) active: Option<TargetId>,
    pub(crate) downloads: HashMap<String, Download>,
    /// Which of them are kept.
    pub(crate) keeping: Keeping,
    /// Downloads whose end the caller has been told.
    pub(crate) told_downloads: HashSet<String>,
    /// Tabs that closed, and who opened them: Chrome closes one that was opened for a download.
    pub(crate) closed_tabs: VecDeque<(TargetId, Option<TargetId>)>,
    pub(crate) viewport: Viewport,
    pub(crate) numbers: Numbers,
    /// What a person does is told.
    pub(crate) recording: bool,
    /// What every page says at its top.
    pub(crate) banner: Option<String>,
    /// Why nothing more will come of it.
    pub(crate) gone: Option<Error>,
}

impl Inner {
    fn at(&self, target: &TargetId) -> Option<TabAt> {
        let index = self.tabs.iter().position(|tab| tab.target == *target)?;
        Some(TabAt { id: target.to_string(), number: index + 1 })
    }
}

struct Opening<'a>(&'a Context);

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.opening.store(false, Ordering::SeqCst);
    }
}

impl Context {
    pub(crate) fn new(
        id: Option<BrowserContextId>,
        connection: Connection,
        downloads_dir: PathBuf,
        viewport: Viewport,
        activity: Arc<Activity>,
        events: broadcast::Sender<Event>,
        fence: Option<Fence>,
    ) -> Context {
        let inner = Inner {
            tabs: Vec::new(),
            active: None,
            downloads: HashMap::new(),
            keeping: Keeping::default(),
            told_downloads: HashSet::new(),
            closed_tabs: VecDeque::new(),
            viewport,
            numbers: Numbers::default(),
            recording: false,
            banner: None,
            gone: None,
        };
        Context {
            id,
            connection,
            downloads_dir,
            workers: Workers::default(),
            activity,
            fence,
            companion: false,
            ours: false,
            doorway: Arc::default(),
            offline: AtomicBool::new(false),
            opening: AtomicBool::new(false),
            events,
            own: Arc::default(),
            inner: Mutex::new(inner),
            changed: Notify::new(),
        }
    }

    /// Tabs, downloads and viewport of another session in the same context of the browser.
    pub(crate) fn beside(
        &self,
        viewport: Viewport,
        activity: Arc<Activity>,
        events: broadcast::Sender<Event>,
    ) -> Context {
        let (id, connection) = (self.id.clone(), self.connection.clone());
        let (folder, fence) = (self.downloads_dir.clone(), self.fence.clone());
        let own = Context::new(id, connection, folder, viewport, activity, events, fence);
        let doorway = self.doorway.clone();
        Context { companion: true, ours: self.ours, doorway, ..own }
    }

    /// A tab that appears in the browser's context without an opener is its own, as long as this is held.
    pub(crate) fn opening(&self) -> impl Drop + use<'_> {
        self.opening.store(true, Ordering::SeqCst);
        Opening(self)
    }

    pub(crate) fn is_opening(&self) -> bool {
        self.opening.load(Ordering::SeqCst)
    }

    /// Whether a tab is its own, or was.
    pub(crate) fn knows(&self, target: &TargetId) -> bool {
        let inner = self.inner();
        inner.tabs.iter().any(|tab| tab.target == *target)
            || inner.closed_tabs.iter().any(|(closed, _)| closed == target)
    }

    /// What has this is done by the session itself, not by a person.
    pub(crate) fn own(&self) -> Arc<()> {
        self.own.clone()
    }

    /// Whether the session itself does something just now.
    pub(crate) fn is_acting(&self) -> bool {
        Arc::strong_count(&self.own) > 1
    }

    /// Tells whoever listens, if anybody does.
    pub(crate) fn emit(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// The tab as events name it, if it is one of ours.
    pub(crate) fn tab_at(&self, target: &TargetId) -> Option<TabAt> {
        self.inner().at(target)
    }

    pub(crate) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> T {
        let result = change(&mut self.inner());
        self.changed.notify_waiters();
        result
    }

    /// Takes in a new tab, unless there are too many; the opener is told either way.
    pub(crate) fn admit(&self, tab: &Arc<Tab>, url: &str) -> bool {
        let opener = self.tab(tab.opener.as_ref());
        let full = self.inner().tabs.len() >= MOST_TABS;
        if let Some(opener) = opener {
            if full {
                // A script that opens windows without end is stopped, not waited for.
                opener.session.notify(&TerminateExecution {});
            }
            let url = url.to_owned();
            opener.update(|state| {
                state.note(if full {
                    Happening::RefusedTab { url }
                } else {
                    Happening::Tab { url }
                })
            });
        }
        if !full {
            self.update(|inner| {
                inner.tabs.push(tab.clone());
                let opener = tab.opener.as_ref().and_then(|opener| inner.at(opener));
                let at = TabAt { id: tab.target.to_string(), number: inner.tabs.len() };
                self.emit(Event::TabOpened { tab: at, url: url.to_owned(), opener });
            });
        }
        !full
    }

    /// Drops a closed tab; the one before it becomes the active one.
    pub(crate) fn dismiss(&self, target: &TargetId) {
        self.update(|inner| {
            if let Some(tab) = inner.at(target) {
                let index = tab.number - 1;
                self.emit(Event::TabClosed { tab });
                let closed = inner.tabs.remove(index);
                inner.closed_tabs.truncate(CLOSED_TABS - 1);
                inner.closed_tabs.push_front((closed.target.clone(), closed.opener.clone()));
            }
            if inner.active.as_ref() == Some(target) {
                inner.active = inner.tabs.last().map(|tab| tab.target.clone());
            }
        });
    }

    /// Nothing more comes of the context or its tabs; whoever waits for them is told why.
    pub(crate) fn end(&self, end: &End, error: &Error) {
        let tabs = self.update(|inner| {
            if let (None, End::BrowserGone(reason)) = (&inner.gone, end) {
                self.emit(Event::BrowserEnded { reason: reason.clone() });
            }
            inner.gone.get_or_insert_with(|| error.clone());
            inner.tabs.clone()
        });
        for tab in tabs {
            tab.update(|state| {
                state.end.get_or_insert_with(|| end.clone());
            });
        }
    }

    /// A download as it is now; if it is over, the caller knows it from here on.
    pub(crate) fn tell_download(&self, guid: &str) -> Option<Download> {
        let mut inner = self.inner();
        let download = inner.downloads.get(guid)?.clone();
        if download.progress != Progress::Running {
            inner.told_downloads.insert(guid.to_owned());
        }
        Some(download)
    }

    pub(crate) fn tab(&self, target: Option<&TargetId>) -> Option<Arc<Tab>> {
        let target = target?;
        self.inner().tabs.iter().find(|tab| tab.target == *target).cloned()
    }

    pub(crate) fn active(&self) -> Option<Arc<Tab>> {
        let active = self.inner().active.clone();
        self.tab(active.as_ref())
    }

    /// Waits until `check` finds what it looks for; `None` at the deadline.
    pub(crate) async fn until<T>(
        &self,
        deadline: Instant,
        mut check: impl FnMut(&mut Inner) -> Option<T>,
    ) -> Result<Option<T>> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut inner = self.inner();
                if let Some(found) = check(&mut inner) {
                    return Ok(Some(found));
                }
                if let Some(error) = &inner.gone {
                    return Err(error.clone());
                }
            }
            if tokio::time::timeout_at(deadline, changed).await.is_err() {
                return Ok(None);
            }
        }
    }
}
