//! What happens in the sessions without being asked for, told under their names to whoever listens. All of
//! it passes `told`, so that what must not leave has one place to be kept back.

use legwork_engine::{Download, Event, Known, Progress};
use legwork_protocol::Button;
use legwork_protocol::rpc::{BrowserEvent, Deed, Saving, SavingState, SessionEvent, UserAct};
use tokio::sync::broadcast;

use crate::redact::Redactor;

/// Events kept for a listener that does not keep up.
const BACKLOG: usize = 256;

/// Where the events of all sessions go.
pub(crate) type News = broadcast::Sender<SessionEvent>;

pub(crate) fn news() -> News {
    broadcast::Sender::new(BACKLOG)
}

/// Passes the events of a session on until it is closed or gone.
pub(crate) fn follow(
    name: &str,
    mut events: broadcast::Receiver<Event>,
    news: &News,
    redactor: &Redactor,
) {
    let (session_id, news, redactor) = (name.to_owned(), news.clone(), redactor.clone());
    tokio::spawn(async move {
        loop {
            let event = match events.recv().await {
                Ok(event) => told(event, &redactor),
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

/// An event as it leaves: without secrets.
fn told(event: Event, redactor: &Redactor) -> BrowserEvent {
    let masked = |text: String| redactor.mask(&text).into_owned();
    match event {
        Event::Navigated { tab, url } => {
            BrowserEvent::Navigated { tab: tab.number, url: masked(url) }
        }
        Event::TabOpened { tab, url, opener } => {
            let opener = opener.map(|opener| opener.number);
            BrowserEvent::TabOpened { tab: tab.number, url: masked(url), opener }
        }
        Event::TabClosed { tab } => BrowserEvent::TabClosed { tab: tab.number },
        Event::DialogOpened { tab, dialog } => BrowserEvent::DialogOpened {
            tab: tab.number,
            kind: dialog.kind,
            message: masked(dialog.message),
            default_text: dialog.default_text.filter(|text| !text.is_empty()).map(masked),
        },
        Event::DialogClosed { tab } => BrowserEvent::DialogClosed { tab: tab.number },
        Event::DownloadBegan(download) => BrowserEvent::DownloadBegan(saving(download, &masked)),
        Event::DownloadEnded(download) => BrowserEvent::DownloadEnded(saving(download, &masked)),
        Event::PageCrashed { tab } => BrowserEvent::PageCrashed { tab: tab.number },
        Event::Acted { tab, deed, element } => {
            let (deed, element) = (done(deed, &masked), element.map(|known| seen(known, &masked)));
            BrowserEvent::UserActed(UserAct { tab: tab.number, deed, element })
        }
        Event::BrowserEnded { reason } => BrowserEvent::BrowserEnded { reason: masked(reason) },
        Event::SessionClosed => BrowserEvent::SessionClosed,
    }
}

/// What a person did, without secrets.
fn done(deed: legwork_engine::Deed, masked: &dyn Fn(String) -> String) -> Deed {
    use legwork_engine::Deed as Done;
    let all = |texts: Vec<String>| texts.into_iter().map(masked).collect();
    match deed {
        Done::Clicked { button, count } => Deed::Clicked { button: pressed(button), count },
        Done::Filled { value } => Deed::Filled { value: masked(value) },
        Done::EnteredSecret => Deed::EnteredSecret,
        Done::Checked { on } => Deed::Checked { on },
        Done::Chose { options } => Deed::Chose { options: all(options) },
        Done::Pressed { key } => Deed::Pressed { key },
        Done::GaveFiles { files } => Deed::GaveFiles { files: all(files) },
        Done::WentTo { url } => Deed::WentTo { url: masked(url) },
        Done::WentBack => Deed::WentBack,
        Done::WentForward => Deed::WentForward,
        Done::Reloaded => Deed::Reloaded,
    }
}

fn seen(known: Known, masked: &dyn Fn(String) -> String) -> legwork_protocol::Known {
    let Known { role, name, kind, secret, find } = known;
    let find = find.into_iter().map(masked).collect();
    legwork_protocol::Known { role, name: masked(name), kind, secret, find }
}

fn pressed(button: legwork_engine::Button) -> Button {
    match button {
        legwork_engine::Button::Left => Button::Left,
        legwork_engine::Button::Right => Button::Right,
        legwork_engine::Button::Middle => Button::Middle,
    }
}

fn saving(download: Download, masked: &dyn Fn(String) -> String) -> Saving {
    let Download { url, path, received, total, progress, .. } = download;
    let state = match progress {
        Progress::Running => SavingState::Running,
        Progress::Done => SavingState::Done,
        Progress::Canceled => SavingState::Canceled,
    };
    let (url, path) = (masked(url), masked(path.display().to_string()));
    Saving { url, path, received, total, state }
}

#[cfg(test)]
mod tests {
    use super::*;
    use legwork_engine::{Dialog, TabAt};

    #[test]
    fn no_event_tells_a_secret() {
        let redactor = Redactor::default();
        redactor.learn("pw", "hunter2", false);
        let tab = || TabAt { id: "t".into(), number: 1 };
        let dialog = Dialog {
            kind: "prompt".into(),
            message: "is it hunter2?".into(),
            default_text: Some("hunter2".into()),
            url: "https://a.test/".into(),
        };
        let download = Download {
            id: "g".into(),
            url: "https://a.test/hunter2".into(),
            path: "/d/hunter2.txt".into(),
            received: 0,
            total: None,
            progress: Progress::Running,
            refused: None,
        };
        for event in [
            Event::Navigated { tab: tab(), url: "https://a.test/?q=hunter2".into() },
            Event::TabOpened { tab: tab(), url: "https://a.test/%68unter2".into(), opener: None },
            Event::DialogOpened { tab: tab(), dialog },
            Event::DownloadBegan(download.clone()),
            Event::DownloadEnded(download),
        ] {
            let said = format!("{:?}", told(event, &redactor));
            assert!(said.contains("{{secret:pw}}") && !said.contains("unter2"), "{said}");
        }
    }
}
