//! Applies the events of a page, of its frames in other processes and of its workers to the tab.

use std::sync::Arc;

use legwork_cdp::{FrameId, RawEvent, Session, network, page, runtime};

use crate::console::Origin;
use crate::context::{Event, TabAt};
use crate::frame::WorldId;
use crate::guard::{Blocked, Fence};
use crate::messages::{console_called, exception, log_event};
use crate::network::http_status;
use crate::person;
use crate::tab::{Dialog, End, Happening, State, Tab};
use crate::walker;

pub(crate) fn apply(tab: &Arc<Tab>, session: &Session, event: RawEvent<'_>) {
    let (domain, _) = event.method.split_once('.').unwrap_or_default();
    match domain {
        "Page" => page_event(tab, session, event),
        "Runtime" => runtime_event(tab, session, event),
        "Network" => network_event(tab, event),
        "Log" => log_event(std::slice::from_ref(tab), event, Origin::Page),
        "Inspector"
            if event.method == "Inspector.targetCrashed" && tab.session.id() == session.id() =>
        {
            tab.update(|state| state.end = Some(End::Crashed));
            tell(tab, |tab| Event::PageCrashed { tab });
        }
        "Input" if event.method == "Input.dragIntercepted" => {
            if let Some(drag) = event.parse::<legwork_cdp::input::DragIntercepted>() {
                tab.update(|state| state.drag = Some(drag.data));
            }
        }
        _ => {}
    }
}

pub(crate) fn apply_worker(
    tabs: &[Arc<Tab>],
    session: &Session,
    event: RawEvent<'_>,
    service: bool,
) {
    let origin = if service { Origin::ServiceWorker } else { Origin::Worker };
    match event.method {
        "Runtime.consoleAPICalled" => {
            if let Some(called) = event.parse::<runtime::ConsoleApiCalled>() {
                for tab in tabs {
                    console_called(tab, session, called.clone(), origin);
                }
            }
        }
        "Runtime.exceptionThrown" => {
            if let Some(thrown) = event.parse::<runtime::ExceptionThrown>() {
                for tab in tabs {
                    exception(tab, &thrown, origin);
                }
            }
        }
        "Log.entryAdded" => log_event(tabs, event, origin),
        _ => {}
    }
}

/// A frame went to another process: same id, new session.
pub(crate) fn frame_moved_out(tab: &Arc<Tab>, session: &Session, id: &str, url: &str) {
    tab.update(|state| {
        let frame = state.frames.enter(FrameId::from(id), None, session);
        frame.url = url.to_owned();
    });
}

/// A page that ran before we came has frames we were not told of.
pub(crate) fn adopt_existing_frames(tab: Arc<Tab>, session: Session) {
    let tree = session.send(&page::GetFrameTree {});
    tokio::spawn(async move {
        let Ok(reply) = tree.await else { return };
        tab.update(|state| adopt_tree(state, &session, reply.frame_tree));
    });
}

fn adopt_tree(state: &mut State, session: &Session, tree: page::FrameTree) {
    let frame = state.frames.enter(tree.frame.id, tree.frame.parent_id, session);
    if frame.url.is_empty() {
        frame.url = tree.frame.url;
        frame.loader = Some(tree.frame.loader_id);
        frame.loaded = true;
        frame.dom_ready = true;
    }
    for child in tree.child_frames.unwrap_or_default() {
        adopt_tree(state, session, child);
    }
}

fn page_event(tab: &Arc<Tab>, session: &Session, event: RawEvent<'_>) {
    match event.method {
        "Page.frameAttached" => with(tab, event, |state, e: page::FrameAttached| {
            state.frames.enter(e.frame_id, Some(e.parent_frame_id), session);
        }),
        "Page.frameDetached" => with(tab, event, |state, e: page::FrameDetached| {
            // A swap is a move to another process, not an end.
            if e.reason != "swap" {
                state.frames.leave(&e.frame_id);
            }
        }),
        "Page.frameRequestedNavigation" => with(tab, event, requested_navigation),
        "Page.frameStartedNavigating" => with(tab, event, started_navigating),
        "Page.frameNavigated" => {
            let moved = |e| tab.update(|state| navigated(state, session, e));
            arrived(tab, event.parse().and_then(moved), true);
        }
        "Page.navigatedWithinDocument" => {
            let moved = |e| tab.update(|state| routed(state, e));
            arrived(tab, event.parse().and_then(moved), false);
        }
        "Page.lifecycleEvent" => with(tab, event, lifecycle),
        "Page.frameStoppedLoading" => with(tab, event, |state, e: page::FrameStoppedLoading| {
            if let Some(frame) = state.frames.get_mut(&e.frame_id) {
                frame.loaded = true;
                frame.dom_ready = true;
            }
            if state.frames.is_root(&e.frame_id) {
                state.note(Happening::Loaded);
            }
        }),
        "Page.javascriptDialogOpening" | "Page.javascriptDialogClosed" => dialog_event(tab, event),
        "Page.fileChooserOpened" => with(tab, event, |state, e: page::FileChooserOpened| {
            state.chooser = e.backend_node_id.map(|node| (session.clone(), node));
            state.note(Happening::FileChooser { multiple: e.mode == "selectMultiple" });
        }),
        _ => {}
    }
}

fn dialog_event(tab: &Arc<Tab>, event: RawEvent<'_>) {
    let opening = event.method == "Page.javascriptDialogOpening";
    let opened = opening.then(|| event.parse::<page::JavascriptDialogOpening>()).flatten();
    match opened {
        Some(e) => {
            let (kind, message, default_text) = (e.kind, e.message, e.default_prompt);
            let dialog = Dialog { kind, message, default_text, url: e.url };
            tab.update(|state| {
                state.dialog = Some(dialog.clone());
                state.note(Happening::Dialog(dialog.clone()));
            });
            tell(tab, |tab| Event::DialogOpened { tab, dialog });
        }
        None => {
            tab.update(|state| {
                state.dialog = None;
                state.note(Happening::DialogClosed);
            });
            tell(tab, |tab| Event::DialogClosed { tab });
        }
    }
}

/// The tab's own page is at this address now.
fn arrived(tab: &Arc<Tab>, url: Option<String>, loaded: bool) {
    if let Some(url) = url {
        tell(tab, |tab| Event::Navigated { tab, url });
        person::moved(tab, loaded);
    }
}

/// Tells whoever listens what happened in a tab.
fn tell(tab: &Arc<Tab>, event: impl FnOnce(TabAt) -> Event) {
    let Some(context) = tab.context.upgrade() else { return };
    if let Some(at) = context.tab_at(&tab.target) {
        context.emit(event(at));
    }
}

fn with<E: legwork_cdp::Event>(
    tab: &Arc<Tab>,
    event: RawEvent<'_>,
    change: impl FnOnce(&mut State, E),
) {
    if let Some(event) = event.parse::<E>() {
        tab.update(|state| change(state, event));
    }
}

/// A page wants to go elsewhere; it may still be kept from it.
fn requested_navigation(state: &mut State, event: page::FrameRequestedNavigation) {
    let loads = ["http:", "https:", "about:", "blob:", "data:", "file:"];
    let here = event.disposition == "currentTab";
    if here && loads.iter().any(|scheme| event.url.starts_with(scheme)) {
        state.note(Happening::WantsToNavigate);
    }
}

fn started_navigating(state: &mut State, event: page::FrameStartedNavigating) {
    if event.navigation_type.to_ascii_lowercase().contains("samedocument") {
        return;
    }
    let main = state.frames.is_root(&event.frame_id);
    if let Some(frame) = state.frames.get_mut(&event.frame_id) {
        frame.loaded = false;
    }
    state.note(Happening::Navigating { main });
}

/// Gives the new address of the tab, if the document is its own.
fn navigated(state: &mut State, session: &Session, event: page::FrameNavigated) -> Option<String> {
    let page::Frame { id, parent_id, loader_id, url, url_fragment, unreachable_url, .. } =
        event.frame;
    let frame = state.frames.enter(id, parent_id, session);
    frame.url = url + url_fragment.as_deref().unwrap_or_default();
    frame.unreachable = unreachable_url;
    if frame.loader.as_ref() != Some(&loader_id) {
        frame.loader = Some(loader_id);
        frame.dom_ready = false;
        frame.loaded = false;
        frame.adopted_by = None;
    }
    let main = frame.parent.is_none();
    if main {
        state.network.forget_in_flight();
    }
    state.note(Happening::Navigated { main });
    main.then(|| state.url().to_owned())
}

fn routed(state: &mut State, event: page::NavigatedWithinDocument) -> Option<String> {
    let main = state.frames.is_root(&event.frame_id);
    let frame = state.frames.get_mut(&event.frame_id)?;
    let from = std::mem::replace(&mut frame.url, event.url.clone());
    if !main || from == event.url {
        return None;
    }
    state.note(Happening::Routed { to: event.url.clone() });
    Some(event.url)
}

fn lifecycle(state: &mut State, event: page::LifecycleEvent) {
    let main = state.frames.is_root(&event.frame_id);
    let Some(frame) = state.frames.get_mut(&event.frame_id) else { return };
    if frame.loader.as_ref().is_some_and(|loader| *loader != event.loader_id) {
        return;
    }
    match event.name.as_str() {
        "DOMContentLoaded" => frame.dom_ready = true,
        "load" => {
            frame.dom_ready = true;
            frame.loaded = true;
            if main {
                state.note(Happening::Loaded);
            }
        }
        _ => {}
    }
}

fn runtime_event(tab: &Arc<Tab>, session: &Session, event: RawEvent<'_>) {
    match event.method {
        "Runtime.executionContextCreated" => {
            let made = event.parse::<runtime::ExecutionContextCreated>();
            let made = made.and_then(|e| tab.update(|state| world_made(state, session, e.context)));
            if let Some(world) = made {
                person::began(tab, session, &world);
            }
        }
        "Runtime.executionContextDestroyed" => {
            with(tab, event, |state, e: runtime::ExecutionContextDestroyed| {
                state.frames.forget_worlds(session, Some(&e.execution_context_unique_id));
            });
        }
        "Runtime.executionContextsCleared" => {
            tab.update(|state| state.frames.forget_worlds(session, None));
        }
        "Runtime.consoleAPICalled" => {
            if let Some(called) = event.parse() {
                console_called(tab, session, called, Origin::Page);
            }
        }
        "Runtime.exceptionThrown" => {
            if let Some(thrown) = event.parse() {
                exception(tab, &thrown, Origin::Page);
            }
        }
        "Runtime.bindingCalled" => {
            let Some(called) = event.parse::<runtime::BindingCalled>() else { return };
            match called.payload.starts_with('{') && called.name == walker::BINDING {
                true => person::acted(tab, &called.payload),
                false => tab.update(|state| pulsed(state, called)),
            }
        }
        _ => {}
    }
}

/// Gives the world, if it is one for the walker.
fn world_made(
    state: &mut State,
    session: &Session,
    made: runtime::ExecutionContextDescription,
) -> Option<String> {
    let data = made.aux_data?;
    let id = data.frame_id?;
    if made.name == walker::WORLD {
        let world = WorldId { unique: made.unique_id, number: made.id };
        let unique = world.unique.clone();
        state.frames.enter(id, None, session).world = Some(world);
        return Some(unique);
    } else if data.is_default == Some(true) {
        state.frames.enter(id, None, session).main = Some(made.unique_id);
    }
    None
}

/// The walker says that something is moving, what it has to tell of an action, or the key of its frame: there,
/// something changed.
fn pulsed(state: &mut State, event: runtime::BindingCalled) {
    let said = event.payload;
    if event.name != walker::BINDING {
        return;
    }
    if let Some(outcome) = said.strip_prefix("told ") {
        state.told = Some(outcome.to_owned());
    } else if let Some(key) = said.strip_prefix("moving ") {
        if let Some(frame) = state.frames.with_key(key) {
            state.note(Happening::Moving { frame });
        }
    } else if let Some(frame) = state.frames.with_key(&said) {
        state.note(Happening::Pulsed { frame });
    }
}

fn network_event(tab: &Arc<Tab>, event: RawEvent<'_>) {
    match event.method {
        "Network.requestWillBeSent" => with(tab, event, |state, e: network::RequestWillBeSent| {
            let sequence = state.sequence() + 1;
            if state.network.begin(e, sequence) {
                state.note(Happening::RequestBegan);
            }
        }),
        "Network.responseReceived" => with(tab, event, |state, e: network::ResponseReceived| {
            let document = e.kind == "Document";
            if let (true, Some(id)) = (document, e.frame_id.as_ref())
                && let Some(frame) = state.frames.get_mut(id)
            {
                frame.answer = http_status(&e.response).map(|status| (e.loader_id.clone(), status));
            }
            state.network.respond(e);
        }),
        "Network.requestServedFromCache" => {
            with(tab, event, |state, e: network::RequestServedFromCache| {
                state.network.served_from_memory(&e.request_id);
            });
        }
        "Network.loadingFinished" => with(tab, event, |state, e: network::LoadingFinished| {
            if state.network.finish(&e.request_id, Some(e.encoded_data_length), e.timestamp) {
                state.note(Happening::RequestEnded);
            }
        }),
        "Network.webSocketCreated" => with(tab, event, |state, e: network::WebSocketCreated| {
            state.network.socket(e.request_id, e.url);
        }),
        "Network.webSocketClosed" => with(tab, event, |state, e| socket_closed(tab, state, e)),
        "Network.loadingFailed" => with(tab, event, |state, e| loading_failed(tab, state, e)),
        _ => {}
    }
}

/// A socket that was refused tells no more than that it closed.
fn socket_closed(tab: &Tab, state: &mut State, event: network::WebSocketClosed) {
    let Some(url) = state.network.socket_closed(&event.request_id) else { return };
    let context = tab.context.upgrade();
    let fence = context.as_ref().and_then(|context| context.fence.as_ref());
    let blocked = fence.and_then(|fence| fence.gate.blame(&url, "WebSocket", state.url()));
    if let Some(blocked) = blocked {
        state.note(Happening::Blocked(blocked));
    }
}

fn loading_failed(tab: &Tab, state: &mut State, event: network::LoadingFailed) {
    let blocked = refusal(tab, state, &event);
    let reason = match &blocked {
        Some(blocked) => format!("blocked by the rule {}", blocked.rule),
        None => event.blocked_reason.unwrap_or(event.error_text),
    };
    if let Some(blocked) = blocked {
        state.note(Happening::Blocked(blocked));
    }
    if state.network.fail(&event.request_id, reason, event.timestamp) {
        state.note(Happening::RequestEnded);
    }
}

/// The guard's refusal that made a request fail, if one did.
fn refusal(tab: &Tab, state: &State, failed: &network::LoadingFailed) -> Option<Blocked> {
    let context = tab.context.upgrade()?;
    let Fence { gate, .. } = context.fence.as_ref()?;
    // Chrome has reasons of its own, such as a content policy; ours it calls `inspector` or nothing.
    let ours = matches!(failed.blocked_reason.as_deref(), None | Some("inspector" | "other"));
    let (url, kind) = state.network.asked(&failed.request_id).filter(|_| ours)?;
    gate.blame(url, kind, state.url())
}
