//! What a browser does without being asked, as a notification: a dialog, a download, a window, a crash.

use serde::{Deserialize, Serialize};

use super::deed::UserAct;

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEvent {
    /// The session; empty where it is not known, which is only for events that were missed.
    #[serde(default)]
    pub session_id: String,
    /// What happened.
    #[serde(flatten)]
    pub event: BrowserEvent,
}

impl SessionEvent {
    /// The method of the notification that carries it.
    pub const METHOD: &str = "browser.event";
}

/// What happened. A tab is named by its number in `browser_tabs` at that moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum BrowserEvent {
    /// A tab's page is another one, or its address changed without a load.
    Navigated {
        /// The tab.
        tab: usize,
        /// Where it is.
        url: String,
    },
    /// There is a new tab: one that was asked for, or a window that a page opened.
    TabOpened {
        /// The tab.
        tab: usize,
        /// Where it is going; a window without an address has none.
        url: String,
        /// The tab whose page opened it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opener: Option<usize>,
    },
    /// A tab is gone; those after it have a lower number now.
    TabClosed {
        /// The tab.
        tab: usize,
    },
    /// A page waits for an answer, by `browser_handle_dialog`.
    DialogOpened {
        /// The tab.
        tab: usize,
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// Its text.
        message: String,
        /// What a prompt offers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default_text: Option<String>,
    },
    /// The dialog was answered.
    DialogClosed {
        /// The tab.
        tab: usize,
    },
    /// A file began to come.
    DownloadBegan(Saving),
    /// A file is complete, or will not come.
    DownloadEnded(Saving),
    /// The process of a page ended; the next call gets a new tab.
    PageCrashed {
        /// The tab.
        tab: usize,
    },
    /// A person did something in the session's own window. Told only while the session is recorded.
    UserActed(UserAct),
    /// The browser ended unasked; the next call gets a new one.
    BrowserEnded {
        /// Why, as far as it is known.
        reason: String,
    },
    /// The session was closed, by its owner or for being idle.
    SessionClosed,
    /// Whoever listens was too slow and was not told of this many events.
    Missed {
        /// How many.
        count: u64,
    },
    /// Something a newer sidecar tells of.
    #[serde(other)]
    Other,
}

/// A file being saved, or saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saving {
    /// Where it comes from.
    pub url: String,
    /// Where it is, or will be, on disk.
    pub path: String,
    /// Bytes so far.
    pub received: u64,
    /// Bytes in all, where the server said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// How far it is.
    pub state: SavingState,
}

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavingState {
    /// Still coming.
    Running,
    /// Complete, on disk.
    Done,
    /// Ended without a file.
    Canceled,
}

/// What `browser.subscribe` takes; a session may be named beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subscribe {
    /// Only these kinds of events, such as `dialog_opened`; all if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
}

impl BrowserEvent {
    /// The kinds that can be subscribed to.
    pub const KINDS: [&str; 11] = [
        "navigated",
        "tab_opened",
        "tab_closed",
        "dialog_opened",
        "dialog_closed",
        "download_began",
        "download_ended",
        "page_crashed",
        "user_acted",
        "browser_ended",
        "session_closed",
    ];

    /// Its kind, as it is written.
    pub fn kind(&self) -> &'static str {
        match self {
            BrowserEvent::Navigated { .. } => "navigated",
            BrowserEvent::TabOpened { .. } => "tab_opened",
            BrowserEvent::TabClosed { .. } => "tab_closed",
            BrowserEvent::DialogOpened { .. } => "dialog_opened",
            BrowserEvent::DialogClosed { .. } => "dialog_closed",
            BrowserEvent::DownloadBegan(_) => "download_began",
            BrowserEvent::DownloadEnded(_) => "download_ended",
            BrowserEvent::PageCrashed { .. } => "page_crashed",
            BrowserEvent::UserActed(_) => "user_acted",
            BrowserEvent::BrowserEnded { .. } => "browser_ended",
            BrowserEvent::SessionClosed => "session_closed",
            BrowserEvent::Missed { .. } => "missed",
            BrowserEvent::Other => "other",
        }
    }
}
