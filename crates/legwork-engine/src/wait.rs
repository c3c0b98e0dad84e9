//! Waiting for something to become true, by the events that could make it so.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use crate::download::Progress;
use crate::error::{Error, Result};
use crate::evaluate::Evaluate;
use crate::locate::{Refusal, refused};
use crate::page::Page;
use crate::tab::{Happening, State};
use crate::target::Target;

/// What to wait for.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The element is in the page.
    Attached(Target),
    /// The element can be seen.
    Visible(Target),
    /// The element can be seen and used.
    Enabled(Target),
    /// The element is gone or cannot be seen.
    Gone(Target),
    /// The text can be seen.
    Text(String),
    /// The text cannot be seen.
    TextGone(String),
    /// The address contains the text, or fits it where it has `*`.
    Url(String),
    /// A document is loaded that was not there before the wait.
    Navigation,
    /// No request has been under way for this long.
    NetworkQuiet(Duration),
    /// A download has ended that nobody was told the end of: begun since, under way, or over just now.
    Download,
    /// A JavaScript expression is true.
    Predicate(String),
    /// Time passes.
    Time(Duration),
}

/// How many matches are looked at before the rest is taken to be like them.
const LOOKED_AT: usize = 5000;

#[derive(Deserialize)]
struct Seen {
    #[serde(default)]
    count: usize,
    #[serde(default)]
    items: Vec<SeenItem>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct SeenItem {
    visible: bool,
    enabled: bool,
}

impl Page {
    /// Waits until the condition holds; a time-out names it. Dropping the future ends the wait.
    pub async fn wait(&self, condition: &Condition, timeout: Duration) -> Result<()> {
        let deadline = Instant::now() + timeout;
        let _in_use = self.context()?.activity.begin();
        let met = match condition {
            Condition::Time(time) => {
                tokio::time::sleep((*time).min(timeout)).await;
                (*time <= timeout).then_some(())
            }
            Condition::Url(pattern) => {
                // The browser's error page is at no address.
                let there = |state: &State| state.failure().is_none() && fits(state.url(), pattern);
                self.tab.until(deadline, |state| there(state).then_some(())).await?
            }
            Condition::Navigation => self.wait_navigation(deadline).await?,
            Condition::NetworkQuiet(quiet) => self.wait_network(*quiet, deadline).await?,
            Condition::Download => self.wait_download(deadline).await?,
            _ => self.wait_page(condition, deadline).await?,
        };
        met.ok_or_else(|| Error::Timeout { what: condition.to_string(), after: timeout })
    }

    async fn wait_navigation(&self, deadline: Instant) -> Result<Option<()>> {
        let from = self.tab.state().sequence();
        self.tab
            .until(deadline, |state| {
                let moved = state
                    .since(from)
                    .any(|(_, _, h)| matches!(h, Happening::Navigated { main: true, .. }));
                let there = state.frames.root().is_some_and(|frame| frame.loaded);
                (moved && there).then_some(())
            })
            .await
    }

    async fn wait_network(&self, quiet: Duration, deadline: Instant) -> Result<Option<()>> {
        loop {
            let idle = |state: &mut State| (state.network.under_way() == 0).then_some(());
            if self.tab.until(deadline, idle).await?.is_none() {
                return Ok(None);
            }
            let until = Instant::now() + quiet;
            let busy = |state: &mut State| (state.network.under_way() > 0).then_some(());
            let disturbed = self.tab.until(until.min(deadline), busy).await?;
            if disturbed.is_none() {
                return Ok((until <= deadline).then_some(()));
            }
        }
    }

    async fn wait_download(&self, deadline: Instant) -> Result<Option<()>> {
        self.context()?
            .until(deadline, |inner| {
                let told = &inner.told_downloads;
                let mut news =
                    inner.downloads.values().filter(|d| !told.contains(&d.id)).peekable();
                news.peek()?;
                let all_over = news.all(|d| d.progress != Progress::Running);
                all_over.then(|| inner.told_downloads = inner.downloads.keys().cloned().collect())
            })
            .await
    }

    /// Looks, and looks again after every change of the page.
    async fn wait_page(&self, condition: &Condition, deadline: Instant) -> Result<Option<()>> {
        loop {
            match self.looks(condition, deadline).await {
                Ok(true) => return Ok(Some(())),
                Ok(false) => {}
                // The document is being replaced; the next one is looked at.
                Err(Error::Protocol(_)) => {}
                Err(Error::Timeout { .. }) if Instant::now() >= deadline => return Ok(None),
                Err(error) => return Err(error),
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            self.next_change(deadline).await?;
        }
    }

    /// Looks also into what is closed: what is in there is neither absent nor gone.
    async fn looks(&self, condition: &Condition, deadline: Instant) -> Result<bool> {
        if !matches!(condition, Condition::Predicate(_)) {
            self.reveal(deadline).await?;
        }
        self.holds(condition, deadline).await
    }

    async fn holds(&self, condition: &Condition, deadline: Instant) -> Result<bool> {
        match condition {
            Condition::Attached(target) => Ok(self.seen(target, deadline).await?.0 > 0),
            Condition::Visible(target) => {
                Ok(self.seen(target, deadline).await?.1.iter().any(|item| item.visible))
            }
            Condition::Enabled(target) => {
                let items = self.seen(target, deadline).await?.1;
                Ok(items.iter().any(|item| item.visible && item.enabled))
            }
            Condition::Gone(target) => {
                let seen = self.seen(target, deadline).await?.1;
                Ok(self.has_all_documents() && !seen.iter().any(|item| item.visible))
            }
            Condition::Text(text) => self.shows(text, deadline).await,
            Condition::TextGone(text) => {
                Ok(!self.shows(text, deadline).await? && self.has_all_documents())
            }
            Condition::Predicate(script) => {
                let left = deadline.saturating_duration_since(Instant::now());
                let options =
                    Evaluate { timeout: left.max(Duration::from_millis(50)), await_promise: true };
                let truth = format!("Promise.resolve({script}\n).then(Boolean)");
                let value = self.evaluate(&truth, options).await?;
                Ok(value == "true")
            }
            _ => Ok(true),
        }
    }

    /// Whether every frame can be looked into: what is in one that is still loading is not gone.
    fn has_all_documents(&self) -> bool {
        self.tab.state().frames.iter().all(|frame| frame.world.is_some() || frame.loaded)
    }

    async fn seen(&self, target: &Target, deadline: Instant) -> Result<(usize, Vec<SeenItem>)> {
        let mut count = 0;
        let mut items = Vec::new();
        for world in self.worlds(deadline).await? {
            if let Target::Ref(reference) = target {
                let owner = self.tab.state().refs.world_of(*reference).map(str::to_owned);
                if owner.as_deref() != Some(world.id.unique.as_str()) {
                    continue;
                }
            }
            let args = serde_json::json!({ "target": target.wire(), "limit": LOOKED_AT });
            let seen: Seen = self.call(&world, "query", &args, deadline).await?;
            match seen.error {
                Some(refusal) if refusal.is_of_syntax() => {
                    return Err(refused(target, refusal, Vec::new()));
                }
                Some(_) => {}
                None => {
                    count += seen.count;
                    items.extend(seen.items);
                }
            }
        }
        Ok((count, items))
    }

    async fn shows(&self, text: &str, deadline: Instant) -> Result<bool> {
        #[derive(Deserialize)]
        struct Shows {
            shows: bool,
        }
        for world in self.worlds(deadline).await? {
            let args = serde_json::json!({ "text": text });
            let answer: Shows = self.call(&world, "showsText", &args, deadline).await?;
            if answer.shows {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A part of the address, or the whole of it with `*` for anything.
fn fits(url: &str, pattern: &str) -> bool {
    if !pattern.contains('*') {
        return url.contains(pattern);
    }
    let mut rest = url;
    let parts: Vec<&str> = pattern.split('*').collect();
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        if index == 0 {
            let Some(after) = rest.strip_prefix(part) else { return false };
            rest = after;
        } else if last {
            return rest.ends_with(part);
        } else {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
    }
    true
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Condition::Attached(target) => write!(f, "{target} to appear"),
            Condition::Visible(target) => write!(f, "{target} to become visible"),
            Condition::Enabled(target) => write!(f, "{target} to become enabled"),
            Condition::Gone(target) => write!(f, "{target} to go"),
            Condition::Text(text) => write!(f, "the text {text:?}"),
            Condition::TextGone(text) => write!(f, "the text {text:?} to go"),
            Condition::Url(pattern) => write!(f, "the address {pattern:?}"),
            Condition::Navigation => write!(f, "a navigation"),
            Condition::NetworkQuiet(_) => write!(f, "the network to go quiet"),
            Condition::Download => write!(f, "a download to end"),
            Condition::Predicate(script) => write!(f, "{script} to be true"),
            Condition::Time(_) => write!(f, "time to pass"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_matched_in_part_or_with_stars() {
        let url = "https://shop.example/cart?x=1";
        for (pattern, expected) in [
            ("/cart", true),
            ("https://*/cart*", true),
            ("*x=1", true),
            ("*x=2", false),
            ("http://*", false),
            ("https://shop.example/*=1", true),
        ] {
            assert_eq!(fits(url, pattern), expected, "{pattern}");
        }
    }
}
