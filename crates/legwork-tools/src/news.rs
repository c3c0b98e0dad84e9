//! What happens in the sessions without being asked for, told under their names to whoever listens. All of
//! it passes `told`, so that what must not leave has one place to be kept back.

use legwork_engine::{Download, Event, Progress, Session};
use legwork_protocol::rpc::{BrowserEvent, Saving, SavingState, SessionEvent};
use tokio::sync::broadcast;

/// Events kept for a listener that does not keep up.
const BACKLOG: usize = 256;

/// Where the events of all sessions go.
pub(crate) type News = broadcast::Sender<SessionEvent>;

pub(crate) fn news() -> News {
    broadcast::Sender::new(BACKLOG)
}

/// Passes the events of a session on until it is closed or gone.
pub(crate) fn follow(name: &str, session: &Session, news: &News) {
    let (session_id, news, mut events) = (name.to_owned(), news.clone(), session.events());
    tokio::spawn(async move {
        loop {
            let event = match events.recv().await {
                Ok(event) => told(event),
                Err(broadcast::error::RecvError::Lagged(count)) => BrowserEvent::Missed { count },
                Err(broadcast::error::RecvError::Closed) => return,
            };
            let over = event == BrowserEvent::SessionClosed;
            // Nobody may be listening.
            let _ = news.send(SessionEvent { session_id: session_id.clone(), event });
            if over {
                return;
            }
        }
    });
}

fn told(event: Event) -> BrowserEvent {
    match event {
        Event::Navigated { tab, url } => BrowserEvent::Navigated { tab: tab.number, url },
        Event::TabOpened { tab, url, opener } => {
            let opener = opener.map(|opener| opener.number);
            BrowserEvent::TabOpened { tab: tab.number, url, opener }
        }
        Event::TabClosed { tab } => BrowserEvent::TabClosed { tab: tab.number },
        Event::DialogOpened { tab, dialog } => BrowserEvent::DialogOpened {
            tab: tab.number,
            kind: dialog.kind,
            message: dialog.message,
            default_text: dialog.default_text.filter(|text| !text.is_empty()),
        },
        Event::DialogClosed { tab } => BrowserEvent::DialogClosed { tab: tab.number },
        Event::DownloadBegan(download) => BrowserEvent::DownloadBegan(saving(download)),
        Event::DownloadEnded(download) => BrowserEvent::DownloadEnded(saving(download)),
        Event::PageCrashed { tab } => BrowserEvent::PageCrashed { tab: tab.number },
        Event::BrowserEnded { reason } => BrowserEvent::BrowserEnded { reason },
        Event::SessionClosed => BrowserEvent::SessionClosed,
    }
}

fn saving(download: Download) -> Saving {
    let Download { url, path, received, total, progress, .. } = download;
    let state = match progress {
        Progress::Running => SavingState::Running,
        Progress::Done => SavingState::Done,
        Progress::Canceled => SavingState::Canceled,
    };
    Saving { url, path: path.display().to_string(), received, total, state }
}
