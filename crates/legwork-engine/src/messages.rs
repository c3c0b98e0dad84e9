//! Takes what a page and its workers say into the console of their tab, objects by value.

use std::sync::{Arc, Weak};
use std::time::Duration;

use legwork_cdp::{RawEvent, Session, log, runtime};
use tokio::sync::mpsc;

use crate::console::{Entry, Origin, Reading};
use crate::tab::{Happening, Tab};
use crate::walker;

pub(crate) fn log_event(tabs: &[Arc<Tab>], event: RawEvent<'_>, origin: Origin) {
    let Some(added) = event.parse::<log::EntryAdded>() else { return };
    let entry = added.entry;
    // Console messages of workers arrive here too and are already told by Runtime.
    if entry.source == "worker" || entry.source == "console-api" {
        return;
    }
    let mut line = Entry::new(&entry.level, vec![quoted(&entry.text)], entry.timestamp, origin);
    line.location = entry.url;
    for tab in tabs {
        tab.update(|state| state.console.push(line.clone()));
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

pub(crate) fn exception(tab: &Arc<Tab>, event: &runtime::ExceptionThrown, origin: Origin) {
    let details = &event.exception_details;
    let text = details
        .exception
        .as_ref()
        .and_then(|exception| exception.description.clone())
        .unwrap_or_else(|| details.text.clone());
    let first = text.lines().next().unwrap_or_default().to_owned();
    let mut entry = Entry::new("exception", vec![quoted(&text)], event.timestamp, origin);
    entry.location = details.url.as_ref().map(|url| format!("{url}:{}", details.line_number + 1));
    tab.update(|state| {
        state.console.push(entry);
        state.note(Happening::Errored(first));
    });
}

pub(crate) fn console_called(
    tab: &Arc<Tab>,
    session: &Session,
    event: runtime::ConsoleApiCalled,
    origin: Origin,
) {
    let args = event.args.iter().map(shown).collect();
    let mut entry = Entry::new(&event.kind, args, event.timestamp, origin);
    entry.location = event.stack_trace.and_then(|stack| {
        let frame = stack.call_frames.into_iter().next()?;
        Some(format!("{}:{}", frame.url, frame.line_number + 1))
    });
    let id = tab.update(|state| {
        if entry.is_error() {
            state.note(Happening::Errored(entry.text()));
        }
        state.console.push(entry)
    });
    for (argument, arg) in event.args.into_iter().enumerate().take(READ_ARGUMENTS) {
        if let Some(object) = arg.object_id {
            read_object(tab, Reading { session: session.clone(), object, entry: id, argument });
        }
    }
}

/// How many arguments of an entry are shown by value.
const READ_ARGUMENTS: usize = 10;
/// How much of an argument is kept, in bytes.
const LONGEST_ARGUMENT: usize = 10_000;

/// What can be said of a console argument at once.
fn shown(arg: &runtime::RemoteObject) -> String {
    let value = arg.value.as_ref().map(|value| value.get());
    let described = || arg.unserializable_value.as_deref().or(arg.description.as_deref());
    let text = value.or_else(described).unwrap_or(&arg.kind);
    if text.len() <= LONGEST_ARGUMENT {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(LONGEST_ARGUMENT)])
}

/// Has an object in the console replaced by its value as JSON, once the browser has told it.
fn read_object(tab: &Arc<Tab>, reading: Reading) {
    let reader = Arc::downgrade(tab);
    let start = |queue| {
        tokio::spawn(read_objects(reader, queue));
    };
    let refused = tab.state().console.read(reading, start);
    if let Err(Reading { session, object, .. }) = refused {
        session.notify(&runtime::ReleaseObject { object_id: object });
    }
}

/// Reads one object after the other. The task ends with the tab, which holds the other end.
async fn read_objects(tab: Weak<Tab>, mut queue: mpsc::Receiver<Reading>) {
    while let Some(reading) = queue.recv().await {
        let Some(tab) = tab.upgrade() else { return };
        let Reading { session, object, entry, argument } = reading;
        let call = session.send(&runtime::CallFunctionOn {
            function_declaration: walker::BY_VALUE.to_owned(),
            object_id: Some(object.clone()),
            return_by_value: Some(true),
            silent: Some(true),
            ..Default::default()
        });
        let reply = call.within(Duration::from_secs(2)).await;
        session.notify(&runtime::ReleaseObject { object_id: object });
        let hangs = matches!(reply, Err(legwork_cdp::Error::Timeout { .. }));
        let value = reply
            .ok()
            .and_then(|reply| reply.result.value)
            .and_then(|value| serde_json::from_str::<String>(value.get()).ok());
        tab.update(|state| state.console.finish_reading(entry, argument, value));
        // A page that does not answer is not asked once for every object.
        while hangs && let Ok(Reading { session, object, entry, argument }) = queue.try_recv() {
            session.notify(&runtime::ReleaseObject { object_id: object });
            tab.update(|state| state.console.finish_reading(entry, argument, None));
        }
    }
}
