//! The page as a model should read it, put together from every frame's walker, and what changed
//! since it was last looked at.

use std::sync::Arc;
use std::time::Duration;

use legwork_cdp::FrameId;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::locate::{Refusal, refused};
use crate::page::Page;
use crate::target::{Target, Wire};
use crate::walker::World;

/// What of the page is wanted.
#[derive(Debug, Clone)]
pub struct SnapshotOptions {
    /// Only this part.
    pub scope: Option<Target>,
    /// Levels below the scope; what is cut is summarised.
    pub depth: Option<u32>,
    /// Only what can be acted on.
    pub interactive: bool,
    /// Where links lead to.
    pub links: bool,
    /// The page behind a modal dialog, too.
    pub behind: bool,
    /// Most bytes of text, which are characters in plain English; the rest is behind
    /// [`Snapshot::more`].
    pub budget: Option<usize>,
    /// Gives up after this time.
    pub timeout: Duration,
}

impl Default for SnapshotOptions {
    fn default() -> Self {
        SnapshotOptions {
            scope: None,
            depth: None,
            interactive: false,
            links: false,
            behind: false,
            budget: None,
            timeout: Duration::from_secs(15),
        }
    }
}

/// The page as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The address of the main document.
    pub url: String,
    /// Its title.
    pub title: String,
    /// One line for each thing, in reading order.
    pub text: String,
    /// A handle to what did not fit the budget.
    pub more: Option<More>,
}

/// The rest of a snapshot that was larger than its budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct More {
    text: Arc<str>,
    from: usize,
}

impl More {
    /// The next part, and what is left after it.
    pub fn next(&self, budget: usize) -> (String, Option<More>) {
        cut(&self.text, self.from, budget)
    }

    /// Characters still to come.
    pub fn remaining(&self) -> usize {
        self.text[self.from..].chars().count()
    }
}

/// What is different from when the page was last looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Lines with `+`, `-` and `~`; empty when nothing observable changed.
    pub text: String,
    /// Dialogs, menus, lists and messages that appeared.
    pub shown: Vec<Shown>,
    /// None of it is the action's doing: it came before, or anyway, like the tick of a clock.
    pub by_itself: bool,
}

/// Something that appeared over the page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Shown {
    /// dialog, menu, listbox, toast or alert.
    pub kind: String,
    /// Its text.
    pub text: String,
}

#[derive(Serialize)]
struct SnapshotArgs<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<Wire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    interactive: bool,
    links: bool,
    behind: bool,
}

#[derive(Deserialize)]
struct FrameSnapshot {
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    frames: Vec<Place>,
    #[serde(default)]
    candidates: usize,
    #[serde(default)]
    stir: u64,
    #[serde(default)]
    error: Option<Refusal>,
}

#[derive(Default, Deserialize)]
pub(crate) struct FrameChange {
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) shown: Vec<Shown>,
    #[serde(default)]
    pub(crate) itself: bool,
    #[serde(default)]
    frames: Vec<Place>,
    #[serde(default)]
    candidates: usize,
    #[serde(default)]
    stir: u64,
}

impl FrameChange {
    /// Whether the text is all there is: no frame's text belongs in it, and nothing in it may hold
    /// more than the walker can see.
    pub(crate) fn is_whole(&self) -> bool {
        self.frames.is_empty() && self.candidates == 0
    }
}

/// The line of a text at which that of a child frame belongs.
#[derive(Debug, Deserialize)]
struct Place {
    line: usize,
    key: u32,
}

impl Page {
    /// Looks at the page.
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<Snapshot> {
        let deadline = Instant::now() + options.timeout;
        let (title, text) = match self.look(options, deadline).await {
            // The document was replaced while it was looked at: the new one is what is there.
            Err(Error::Protocol(_)) => self.look(options, deadline).await?,
            other => other?,
        };
        let (text, more) = match options.budget {
            Some(budget) => cut(&Arc::from(text), 0, budget),
            None => (text, None),
        };
        Ok(Snapshot { url: self.url(), title, text, more })
    }

    async fn look(&self, options: &SnapshotOptions, deadline: Instant) -> Result<(String, String)> {
        let world = match &options.scope {
            Some(target) => self.locate(target, deadline).await?.0,
            None => self.main_world(deadline).await?,
        };
        self.frame_text(&world, options, deadline, 0).await
    }

    /// One frame's text with its children's in the places they have in it.
    pub(crate) async fn frame_text(
        &self,
        world: &World,
        options: &SnapshotOptions,
        deadline: Instant,
        depth: usize,
    ) -> Result<(String, String)> {
        let (_, first) = tokio::try_join!(self.adopt_children(world), self.first_listeners(world))?;
        let args = SnapshotArgs {
            scope: options.scope.as_ref().filter(|_| depth == 0).map(Target::wire),
            depth: options.depth,
            interactive: options.interactive,
            links: options.links,
            behind: options.behind,
        };
        let mut own = self.walk(world, &args, first, deadline).await?;
        for _ in 0..ROUNDS {
            if !self.learn(world, own.candidates, own.stir).await? {
                break;
            }
            own = self.call(world, "snapshot", &args, deadline).await?;
        }
        if let (Some(refusal), Some(scope)) = (own.error, &options.scope) {
            return Err(refused(scope, refusal, Vec::new()));
        }
        if let Some(notice) = self.error_notice(world) {
            own.text = format!("{notice}\n{}", own.text).trim_end().to_owned();
            own.frames.iter_mut().for_each(|place| place.line += 1);
        }
        let url = self.url();
        self.tab.state().refs.showed(&world.id.unique, &url, Arc::from(own.text.as_str()));
        let text =
            self.with_children(&own.text, &own.frames, world, options, deadline, depth).await?;
        Ok((own.title, text))
    }

    /// One walk of a document. Listeners come without a word of the document: they are asked for on the
    /// way, unless they just were, and seldom is there a new one that makes a second walk worth it.
    async fn walk(
        &self,
        world: &World,
        args: &SnapshotArgs<'_>,
        first: bool,
        deadline: Instant,
    ) -> Result<FrameSnapshot> {
        let look = self.call(world, "snapshot", args, deadline);
        if first {
            return look.await;
        }
        match tokio::try_join!(self.mark_listeners(world, None), look)? {
            (true, _) => self.call(world, "snapshot", args, deadline).await,
            (false, own) => Ok(own),
        }
    }

    /// What the browser's own error page is about, in a line; it may not say so itself.
    fn error_notice(&self, world: &World) -> Option<String> {
        let state = self.tab.state();
        let (url, reason) = state.failure_in(state.frames.get(&world.frame)?)?;
        Some(format!("(the browser's error page: {url} could not be loaded, {reason})"))
    }

    /// Finds out what only the browser knows of a document that changed; true if there was news.
    async fn learn(&self, world: &World, candidates: usize, stir: u64) -> Result<bool> {
        let roots = candidates > 0 && self.adopt_closed_roots(world).await?;
        Ok(self.mark_listeners(world, Some(stir)).await? || roots)
    }

    /// Puts the text of child frames at their places.
    async fn with_children(
        &self,
        text: &str,
        places: &[Place],
        world: &World,
        options: &SnapshotOptions,
        deadline: Instant,
        depth: usize,
    ) -> Result<String> {
        if places.is_empty() {
            return Ok(text.to_owned());
        }
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let Some(place) = places.iter().find(|place| place.line == number) else {
                lines.push(line.to_owned());
                continue;
            };
            // A frame that goes away while it is read is not worth the whole page.
            let nested = match self.child_world(world, place.key) {
                Some(child) => {
                    Box::pin(self.frame_text(&child, options, deadline, depth + 1)).await.ok()
                }
                None => None,
            };
            let Some((title, inner)) = nested else {
                lines.push(line.to_owned());
                continue;
            };
            let name = if title.is_empty() { String::new() } else { format!(" {title}") };
            lines.push(format!("{line}{name}:"));
            let margin = margin(line);
            lines.extend(inner.lines().map(|line| format!("{margin} {line}")));
        }
        Ok(lines.join("\n"))
    }

    pub(crate) fn child_world(&self, parent: &World, key: u32) -> Option<World> {
        let state = self.tab.state();
        let children = state.frames.children(&parent.frame);
        children.into_iter().find(|frame| frame.key == key).and_then(World::of)
    }

    /// What changed since the last look, in the given frames.
    pub(crate) async fn change_in(&self, frames: &[FrameId], deadline: Instant) -> Result<Change> {
        let mut whole = Change::default();
        let mut by_itself = true;
        let options = SnapshotOptions::default();
        for frame in frames {
            let Ok(world) = self.world(frame, deadline).await else { continue };
            self.adopt_children(&world).await?;
            let own = self.whole_change(&world, deadline).await?;
            let text =
                self.with_children(&own.text, &own.frames, &world, &options, deadline, 0).await?;
            by_itself &= own.itself || text.is_empty();
            for line in text.lines() {
                whole.text.push_str(line);
                whole.text.push('\n');
            }
            whole.shown.extend(own.shown);
        }
        whole.text.truncate(whole.text.trim_end().len());
        whole.by_itself = by_itself && !whole.text.is_empty();
        Ok(whole)
    }

    /// What changed in a document, asked again where only the browser knew what more there is: it is told
    /// once, not as a change and what was learnt after it.
    async fn whole_change(&self, world: &World, deadline: Instant) -> Result<FrameChange> {
        let root = self.tab.state().frames.root().map(|frame| frame.id.clone());
        let inner = root.is_some_and(|root| root != world.frame);
        let mut round = 0;
        loop {
            let args = serde_json::json!({ "again": round > 0, "inner": inner });
            let own: FrameChange = self.call(world, "change", &args, deadline).await?;
            round += 1;
            if own.candidates == 0
                || round == ROUNDS
                || !self.learn(world, own.candidates, own.stir).await?
            {
                return Ok(own);
            }
        }
    }

    /// What changed since the page was last looked at or acted on.
    pub async fn change(&self, timeout: Duration) -> Result<Change> {
        let deadline = Instant::now() + timeout;
        let frames: Vec<FrameId> =
            self.worlds(deadline).await?.into_iter().map(|world| world.frame).collect();
        self.change_in(&frames, deadline).await
    }
}

/// How often a page may have more to show after what only the browser knew of it was found out:
/// closed shadow roots inside closed shadow roots.
pub(crate) const ROUNDS: usize = 6;

/// What the lines of a frame begin with, below the line at which it stands: the sign of a change,
/// and spaces.
pub(crate) fn margin(line: &str) -> String {
    let before = line.strip_suffix("frame").unwrap_or_default();
    let mut margin = " ".repeat(before.chars().count());
    if before.starts_with('+') {
        margin.replace_range(..1, "+");
    }
    margin
}

/// The next part of a text within a budget, cut between lines.
pub(crate) fn cut(text: &Arc<str>, from: usize, budget: usize) -> (String, Option<More>) {
    let rest = &text[from..];
    if rest.len() <= budget {
        return (rest.to_owned(), None);
    }
    let limit = rest.floor_char_boundary(budget.max(1));
    let end = rest[..limit].rfind('\n').map_or(limit, |newline| newline + 1).max(1);
    let end = rest.ceil_char_boundary(end);
    let more = More { text: text.clone(), from: from + end };
    (rest[..end].trim_end_matches('\n').to_owned(), Some(more))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_over_budget_comes_in_parts_that_add_up() {
        let whole: Arc<str> = "first line\nsecond line\nthird ünïcödé line\nend".into();
        for budget in [1, 5, 12, 30, 100] {
            let (mut got, mut more) = cut(&whole, 0, budget);
            while let Some(rest) = more {
                let (part, next) = rest.next(budget);
                got = format!("{got}\n{part}");
                more = next;
            }
            let letters = |text: &str| text.replace('\n', "");
            assert_eq!(letters(&got), letters(&whole), "budget {budget}");
        }
        let (_, more) = cut(&whole, 0, 30);
        assert_eq!(more.unwrap().remaining(), "third ünïcödé line\nend".chars().count());
    }
}
