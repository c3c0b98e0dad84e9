//! Going to an address, back, forward and again, with the truth about what came of it.

use std::time::Duration;

use legwork_cdp::{LoaderId, page as cdp};
use tokio::time::Instant;

use crate::address::{address, unreachable};
use crate::download::{Download, Progress};
use crate::error::{Error, Result};
use crate::outcome::{Effect, Outcome, Settled, Verdict};
use crate::page::{Page, QUICK};
use crate::settle::{self, Mark};
use crate::tab::{Happening, State};

/// How long a navigation may take unless told otherwise.
pub const NAVIGATION: Duration = Duration::from_secs(15);

/// How a navigation ended.
enum Arrival {
    Loaded,
    Dialog,
    Download(String),
    StillLoading,
}

/// A navigation that nobody waits for any more is stopped: it would take the page away later, and keeps
/// it from answering until then.
struct Unanswered<'a>(&'a legwork_cdp::Session);

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        self.0.notify(&cdp::StopLoading {});
    }
}

impl Page {
    /// Goes to an address, or to the file at a path that begins with `/`, `./` or `../`, and waits for
    /// the document and its body. [`crate::address`] tells how the text is read.
    pub async fn navigate(&self, url: &str, timeout: Duration) -> Result<Outcome> {
        let (typed, url) = (url, address(url)?);
        if let Some(error) = self.tab.state().dialog_error() {
            return Err(error);
        }
        let mark = Mark::now(&self.tab);
        let Some(reply) = self.begin(&url, &mark, timeout).await? else {
            return self.report(&mark, Arrival::Dialog, Settled::Quiet).await;
        };
        let reply = match reply {
            Err(legwork_cdp::Error::Timeout { .. }) => {
                self.tab.session.notify(&cdp::StopLoading {});
                return self.overdue(timeout).await;
            }
            other => other?,
        };
        if let Some(reason) = reply.error_text {
            let maybe = reply.is_download == Some(true) || reason == "net::ERR_ABORTED";
            let download = if maybe { self.download_after(&mark).await? } else { None };
            let Some(guid) = download else {
                self.error_page(reply.loader_id.as_ref()).await?;
                return Err(self
                    .refused(&mark)
                    .unwrap_or_else(|| unreachable(typed, &url, reason)));
            };
            return self.report(&mark, Arrival::Download(guid), Settled::Quiet).await;
        }
        let Some(loader) = reply.loader_id else {
            self.routed(&mark, &url).await?;
            return self.report(&mark, Arrival::Loaded, Settled::Quiet).await;
        };
        self.loaded(&loader, &mark, timeout).await
    }

    /// Asks for the document. No answer if a dialog opens first; it may keep the answer back.
    async fn begin(
        &self,
        url: &str,
        mark: &Mark,
        timeout: Duration,
    ) -> Result<Option<Result<cdp::NavigateReply, legwork_cdp::Error>>> {
        let command = cdp::Navigate { url: url.to_owned(), ..Default::default() };
        let sent = self.tab.session.send(&command).within(timeout);
        let unanswered = Unanswered(&self.tab.session);
        let answered = tokio::select! {
            reply = sent => Ok(Some(reply)),
            dialog = self.dialog_after(mark, mark.at + timeout) => dialog.map(|()| None),
        };
        std::mem::forget(unanswered);
        answered
    }

    /// Waits for a document that is on its way.
    async fn loaded(&self, loader: &LoaderId, mark: &Mark, timeout: Duration) -> Result<Outcome> {
        let arrival = self.arrive(loader, mark, mark.at + timeout).await?;
        if !matches!(arrival, Arrival::StillLoading) {
            return self.report(mark, arrival, Settled::Quiet).await;
        }
        // One picture that never comes does not make a page unusable.
        if self.is_usable(loader) && self.answers(QUICK).await {
            return self.report(mark, arrival, Settled::AtBound).await;
        }
        self.overdue(timeout).await
    }

    async fn overdue(&self, timeout: Duration) -> Result<Outcome> {
        self.unhang().await?;
        Err(Error::Timeout { what: "page load".into(), after: timeout })
    }

    /// Chrome tells that an address cannot be loaded before it shows its error page. Until that is
    /// there, the old document would be taken for what is shown.
    async fn error_page(&self, loader: Option<&LoaderId>) -> Result<()> {
        let Some(loader) = loader else { return Ok(()) };
        let deadline = Instant::now() + Duration::from_secs(1);
        let shown = self.tab.until(deadline, |state| {
            let root = state.frames.root()?;
            (root.loader.as_ref() == Some(loader) && root.world.is_some()).then_some(())
        });
        shown.await.map(|_| ())
    }

    /// The guard's refusal of the document that was asked for, if that is why it is not there.
    fn refused(&self, mark: &Mark) -> Option<Error> {
        let state = self.tab.state();
        let (url, _) = state.failure()?;
        state.since(mark.sequence).rev().find_map(|(_, _, happening)| match happening {
            Happening::Blocked(blocked) if blocked.url.as_ref() == Some(&url) => {
                Some(Error::Blocked { url: url.clone(), rule: blocked.rule.clone() })
            }
            _ => None,
        })
    }

    /// Whether the document is there, whatever of its body is not.
    fn is_usable(&self, loader: &LoaderId) -> bool {
        let state = self.tab.state();
        state.frames.root().is_some_and(|root| {
            root.loader.as_ref() == Some(loader) && root.dom_ready && root.world.is_some()
        })
    }

    /// Only the fragment is new: the page tells so, a moment later.
    async fn routed(&self, mark: &Mark, url: &str) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(1);
        let from = mark.sequence;
        let told = self.tab.until(deadline, |state| {
            let routed = |h: &Happening| matches!(h, Happening::Routed { .. });
            let moved = state.since(from).any(|(_, _, h)| routed(h));
            (moved || state.url() == url).then_some(())
        });
        told.await.map(|_| ())
    }

    async fn dialog_after(&self, mark: &Mark, deadline: Instant) -> Result<()> {
        let from = mark.sequence;
        let opened = self.tab.until(deadline + Duration::from_secs(60), |state| {
            let dialog = |(_, _, h): &(u64, Instant, Happening)| matches!(h, Happening::Dialog(_));
            (state.dialog.is_some() && state.since(from).any(dialog)).then_some(())
        });
        opened.await.map(|_| ())
    }

    /// Chrome aborts a navigation that turns into a download; the download's event tells them apart.
    async fn download_after(&self, mark: &Mark) -> Result<Option<String>> {
        let deadline = Instant::now() + Duration::from_secs(1);
        let from = mark.sequence;
        self.tab
            .until(deadline, |state| {
                state.since(from).find_map(|(_, _, h)| match h {
                    Happening::Download { guid } => Some(guid.clone()),
                    _ => None,
                })
            })
            .await
    }

    async fn arrive(&self, loader: &LoaderId, mark: &Mark, deadline: Instant) -> Result<Arrival> {
        let from = mark.sequence;
        let arrival = self
            .tab
            .until(deadline, |state| {
                if state.dialog.is_some() {
                    return Some(Arrival::Dialog);
                }
                let download = state.since(from).find_map(|(_, _, h)| match h {
                    Happening::Download { guid } => Some(guid.clone()),
                    _ => None,
                });
                if let Some(guid) = download {
                    return Some(Arrival::Download(guid));
                }
                let root = state.frames.root()?;
                // A page that moves on by itself has another loader by now; its load counts as well.
                let moved = |h: &Happening| matches!(h, Happening::Navigated { main: true });
                let there = root.loader.as_ref() == Some(loader)
                    || state.since(from).any(|(_, _, h)| moved(h));
                (there && root.loaded && root.world.is_some()).then_some(Arrival::Loaded)
            })
            .await?;
        Ok(arrival.unwrap_or(Arrival::StillLoading))
    }

    /// Turns an arrival into an outcome, waiting a moment for what a small download still brings.
    async fn report(&self, mark: &Mark, arrival: Arrival, settled: Settled) -> Result<Outcome> {
        if let Arrival::Download(guid) = &arrival {
            self.download_settled(guid, Duration::from_millis(1500)).await?;
        }
        let mut effects = self.effects_since(mark);
        if effects.is_empty() && matches!(arrival, Arrival::Loaded) {
            let state = self.tab.state();
            let to = state.url().to_owned();
            if to == mark.url && state.frames.root().is_some_and(|frame| frame.loaded) {
                // Same address, same document: only a fragment that was there already.
                effects.push(Effect::Routed { from: mark.url.clone(), to });
            }
        }
        Ok(Outcome { effects, settled, verdict: Verdict::Done, ..Default::default() })
    }

    async fn download_settled(&self, guid: &str, patience: Duration) -> Result<Option<Download>> {
        let deadline = Instant::now() + patience;
        self.context()?
            .until(deadline, |inner| {
                let download = inner.downloads.get(guid)?;
                (download.progress != Progress::Running).then(|| download.clone())
            })
            .await
    }

    /// Loads the page again.
    pub async fn reload(&self, timeout: Duration) -> Result<Outcome> {
        let mark = Mark::now(&self.tab);
        let sent = self.tab.session.send(&cdp::Reload::default()).within(timeout);
        self.tab.unless_blocked(sent).await.map_err(|error| late(error, timeout))?;
        self.moved(mark, timeout).await
    }

    /// Goes back one step in the tab's history.
    pub async fn back(&self, timeout: Duration) -> Result<Outcome> {
        self.step(-1, timeout).await
    }

    /// Goes forward one step in the tab's history.
    pub async fn forward(&self, timeout: Duration) -> Result<Outcome> {
        self.step(1, timeout).await
    }

    async fn step(&self, by: i64, timeout: Duration) -> Result<Outcome> {
        let mark = Mark::now(&self.tab);
        let ask = self.tab.session.send(&cdp::GetNavigationHistory {}).within(timeout);
        let history = self.tab.unless_blocked(ask).await.map_err(|error| late(error, timeout))?;
        let index = usize::try_from(history.current_index + by).ok();
        let Some(entry) = index.and_then(|index| history.entries.get(index)) else {
            let direction = if by < 0 { "back" } else { "forward" };
            return Err(Error::Invalid(format!("there is no page to go {direction} to")));
        };
        let go = cdp::NavigateToHistoryEntry { entry_id: entry.id };
        let left = (mark.at + timeout).saturating_duration_since(Instant::now());
        let sent = self.tab.session.send(&go).within(left);
        self.tab.unless_blocked(sent).await.map_err(|error| late(error, timeout))?;
        self.moved(mark, timeout).await
    }

    /// Waits for a navigation that was asked for to begin and end.
    async fn moved(&self, mark: Mark, timeout: Duration) -> Result<Outcome> {
        let deadline = mark.at + timeout;
        let from = mark.sequence;
        let begun = self.tab.until(deadline, |state| {
            let moves = |h: &Happening| {
                matches!(h, Happening::Navigated { main: true, .. } | Happening::Routed { .. })
                    || matches!(h, Happening::Dialog(_))
            };
            state.since(from).any(|(_, _, h)| moves(h)).then_some(())
        });
        if begun.await?.is_none() {
            return Err(Error::Timeout { what: "page load".into(), after: timeout });
        }
        let bounds = settle::Bounds { load: timeout, ..self.bounds };
        let settled = settle::settle(&self.tab, &mark, &bounds).await?;
        // Asked by itself: what follows asks for the same state, which must not be held then.
        let failure = self.tab.state().failure();
        if let Some((url, reason)) = failure {
            return Err(self.refused(&mark).unwrap_or_else(|| unreachable("", &url, reason)));
        }
        self.report(&mark, Arrival::Loaded, settled).await
    }

    /// What the tab's journal tells since the mark.
    pub(crate) fn effects_since(&self, mark: &Mark) -> Vec<Effect> {
        let context = self.context().ok();
        let state = self.tab.state();
        let mut effects = Vec::new();
        let mut refused: Option<(String, usize)> = None;
        for (_, _, happening) in state.since(mark.sequence) {
            match happening {
                Happening::Navigated { main: true, .. } => {
                    effects.retain(|effect| !is_of_the_address(effect));
                    effects.push(arrived(&state, mark));
                }
                Happening::Routed { to, .. } if state.url() == to => {
                    effects.push(Effect::Routed { from: mark.url.clone(), to: to.clone() });
                }
                Happening::Dialog(dialog) => effects.push(Effect::Dialog(dialog.clone())),
                Happening::Download { guid } => {
                    let known = context.as_ref().and_then(|context| context.tell_download(guid));
                    effects.extend(known.map(Effect::Download));
                }
                Happening::Tab { url, .. } => effects.push(Effect::NewTab { url: url.clone() }),
                Happening::RefusedTab { url } => {
                    let count = refused.take().map_or(1, |(_, count)| count + 1);
                    refused = Some((url.clone(), count));
                }
                Happening::FileChooser { multiple } => {
                    effects.push(Effect::FileChooser { multiple: *multiple });
                }
                Happening::Blocked(blocked) => {
                    let known = |effect: &Effect| matches!(effect, Effect::Blocked(other) if other.host == blocked.host);
                    if !effects.iter().any(known) {
                        effects.push(Effect::Blocked(blocked.clone()));
                    }
                }
                Happening::Errored(text) => effects.push(Effect::ConsoleError(text.clone())),
                _ => {}
            }
        }
        effects.extend(refused.map(|(url, count)| Effect::TabRefused { url, count }));
        effects
    }
}

/// A command that was not answered in time is a load that took too long.
fn late(error: Error, timeout: Duration) -> Error {
    match error {
        Error::Timeout { .. } => Error::Timeout { what: "page load".into(), after: timeout },
        other => other,
    }
}

fn is_of_the_address(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Navigated { .. } | Effect::NavigationFailed { .. } | Effect::Routed { .. }
    )
}

/// The document that is there now, or why there is none.
fn arrived(state: &State, mark: &Mark) -> Effect {
    if let Some((url, reason)) = state.failure() {
        return Effect::NavigationFailed { url, reason };
    }
    let status = state.frames.root().and_then(|frame| frame.status());
    Effect::Navigated { from: mark.url.clone(), to: state.url().to_owned(), status }
}
