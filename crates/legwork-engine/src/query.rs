//! Elements as data: how many fit, and what each says of itself; and the page as a document.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::extract::{self, Extract, Mode};
use crate::locate::{Refusal, missing, refused};
use crate::page::Page;
use crate::target::Target;
use crate::walker::World;

/// What a query found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// How many elements fit.
    pub count: usize,
    /// The first of them.
    pub items: Vec<Item>,
    /// The page's window.
    pub window: Option<Window>,
}

/// Where something was found: the row, card or dialog around each match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Around {
    /// The first ones.
    #[serde(default)]
    pub text: String,
    /// More of them, and those that say the words while others are called just that.
    #[serde(default)]
    pub rest: String,
    /// How many are not among the first.
    #[serde(default)]
    pub left: usize,
    /// How many of those there is a text of.
    #[serde(default)]
    pub kept: usize,
}

impl Around {
    fn add(&mut self, other: Around) {
        for (all, more) in [(&mut self.text, other.text), (&mut self.rest, other.rest)] {
            let line_end = if all.is_empty() || more.is_empty() { "" } else { "\n" };
            all.push_str(line_end);
            all.push_str(&more);
        }
        self.left += other.left;
        self.kept += other.kept;
    }
}

/// What is in view, in CSS pixels.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Window {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Scrolled so far to the right.
    pub x: f64,
    /// Scrolled so far down.
    pub y: f64,
    /// How far the document is: `loading`, `interactive` or `complete`.
    pub ready: String,
}

/// One element.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Item {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its tag.
    #[serde(default)]
    pub tag: String,
    /// Its role.
    #[serde(default)]
    pub role: String,
    /// Its accessible name.
    #[serde(default)]
    pub name: String,
    /// Its text; the beginning of it where it is long.
    #[serde(default)]
    pub text: String,
    /// All of its text with its lines, where that was asked for and is more than the text.
    #[serde(default)]
    pub content: Option<String>,
    /// All of its text was asked for and is too long to be told.
    #[serde(default)]
    pub cut: bool,
    /// Its attributes.
    #[serde(default)]
    pub attributes: BTreeMap<String, String>,
    /// Where it is in its frame's window.
    #[serde(rename = "box")]
    pub area: Area,
    /// Whether it is a control, or part of one.
    pub control: bool,
    /// Whether it can be seen.
    pub visible: bool,
    /// Whether it can be used.
    pub enabled: bool,
    /// Whether it is checked, if it can be.
    #[serde(default)]
    pub checked: Option<bool>,
    /// Its value, if it is a field that is not secret.
    #[serde(default)]
    pub value: Option<String>,
    /// What kind of field it is: `text`, `date`, `select`, `checkbox`, …; none if it is no field.
    #[serde(default)]
    pub kind: Option<String>,
    /// The options of a native list.
    #[serde(default)]
    pub options: Vec<String>,
    /// The ref of the button that sends the field's form.
    #[serde(default)]
    pub submit: Option<String>,
}

/// A box in CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct Area {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    count: usize,
    #[serde(default)]
    items: Vec<Item>,
    window: Option<Window>,
    error: Option<Refusal>,
}

/// How long a page may take to be read as a whole.
const READING: Duration = Duration::from_secs(15);

impl Page {
    /// Finds elements in every frame and shadow root; at most `limit` are described.
    pub async fn query(&self, target: &Target, limit: usize) -> Result<Found> {
        self.found(target, limit, false).await
    }

    /// The same with all of what each element says.
    pub async fn query_whole(&self, target: &Target, limit: usize) -> Result<Found> {
        self.found(target, limit, true).await
    }

    async fn found(&self, target: &Target, limit: usize, whole: bool) -> Result<Found> {
        target.check()?;
        let deadline = Instant::now() + Duration::from_secs(10);
        self.reveal(deadline).await?;
        let mut found = Found::default();
        for world in self.worlds(deadline).await? {
            let args =
                serde_json::json!({ "target": target.wire(), "limit": limit, "whole": whole });
            let answer: Answer = self.call(&world, "query", &args, deadline).await?;
            of_syntax(target, answer.error)?;
            found.count += answer.count;
            found.items.extend(answer.items);
            // The page's own document comes first, its frames after it.
            found.window = found.window.or(answer.window);
        }
        found.items.truncate(limit);
        // A ref names one element; when that is gone, "none" would not be the truth.
        if let (Target::Ref(reference), 0) = (target, found.count) {
            return Err(self.lost(*reference, Vec::new()));
        }
        Ok(found)
    }

    /// The texts that words are only mentioned in, where nothing is called so: `paragraph "To log in …" e7`.
    /// None where a control or a text as a whole is called so, and where nothing says them.
    pub async fn mentions(&self, target: &Target) -> Result<Vec<String>> {
        let Target::Words(words) = target else { return Ok(Vec::new()) };
        let mut found = self.query(target, 5).await?;
        if !is_mention(words, &found) {
            return Ok(Vec::new());
        }
        // What listens for clicks is a control, whatever it looks like; it may never have been asked.
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut first = false;
        for world in self.worlds(deadline).await? {
            first |= self.first_listeners(&world).await?;
        }
        if first {
            found = self.query(target, 5).await?;
        }
        let told = |item: &Item| {
            let what = match item.role.as_str() {
                "" | "generic" | "none" => &item.tag,
                role => role,
            };
            let text: String = item.text.chars().take(80).collect();
            format!("{what} {text:?} {}", item.reference)
        };
        Ok(if is_mention(words, &found) { found.items.iter().map(told).collect() } else { vec![] })
    }

    /// The row, card or dialog around what the words name, once, with its controls; anywhere, or only in
    /// what is within another element of the same document.
    pub async fn find(&self, target: &Target, within: Option<&Target>) -> Result<Around> {
        #[derive(Deserialize)]
        struct Here {
            #[serde(flatten)]
            around: Around,
            #[serde(default)]
            near: Vec<String>,
            error: Option<Refusal>,
        }
        target.check()?;
        if let Some(within) = within
            && self.query(within, 1).await?.count == 0
        {
            return Err(self.offering(within, missing(within, Vec::new())).await);
        }
        let deadline = Instant::now() + Duration::from_secs(10);
        self.reveal(deadline).await?;
        let mut all = Around::default();
        let mut near = Vec::new();
        for world in self.worlds(deadline).await? {
            let within = within.map(Target::wire);
            let args = serde_json::json!({ "target": target.wire(), "within": within });
            let Here { around, near: nearby, error } =
                self.call(&world, "find", &args, deadline).await?;
            of_syntax(target, error)?;
            near.extend(nearby);
            all.add(around);
        }
        if all.text.is_empty() {
            return Err(self.offering(target, missing(target, near)).await);
        }
        Ok(all)
    }

    /// The page's HTML as it is now, without what secret fields hold.
    pub async fn html(&self) -> Result<String> {
        let deadline = Instant::now() + READING;
        let world = self.main_world(deadline).await?;
        self.copy(&world, false, deadline).await
    }

    /// A copy of a document, with or without what cannot be seen.
    async fn copy(&self, world: &World, visible: bool, deadline: Instant) -> Result<String> {
        #[derive(Deserialize)]
        struct Copy {
            html: String,
        }
        let args = serde_json::json!({ "visible": visible });
        Ok(self.call::<_, Copy>(world, "copyDocument", &args, deadline).await?.html)
    }

    /// What can be seen of the page as Markdown: its article, or all of it and then of its frames.
    pub async fn markdown(&self, mode: Mode) -> Result<Extract> {
        let deadline = Instant::now() + READING;
        let world = self.main_world(deadline).await?;
        let html = self.copy(&world, true, deadline).await?;
        let base = url::Url::parse(&self.url())
            .map_err(|error| Error::Invalid(format!("the page has no address: {error}")))?;
        let mut whole = extract::markdown(&html, &base, mode);
        if whole.mode == Mode::Article {
            return Ok(whole);
        }
        for frame in self.shown_frames(&world, deadline).await? {
            // One that goes away while it is read is not worth the whole page.
            let Ok(html) = self.copy(&frame, true, deadline).await else { continue };
            let at = self.tab.state().frames.get(&frame.frame).map(|frame| frame.url.clone());
            let base = at.and_then(|at| url::Url::parse(&at).ok()).unwrap_or_else(|| base.clone());
            whole.append(&extract::markdown(&html, &base, Mode::Whole).markdown);
        }
        Ok(whole)
    }

    /// The page's text as a person reads it who scrolls through all of it, and then that of its frames.
    pub async fn text(&self) -> Result<String> {
        let deadline = Instant::now() + READING;
        let world = self.main_world(deadline).await?;
        let mut whole = self.text_of(&world, deadline).await?;
        for frame in self.shown_frames(&world, deadline).await? {
            let Ok(text) = self.text_of(&frame, deadline).await else { continue };
            if !text.is_empty() {
                whole.push_str("\n\n");
                whole.push_str(&text);
            }
        }
        Ok(whole)
    }

    async fn text_of(&self, world: &World, deadline: Instant) -> Result<String> {
        #[derive(Deserialize)]
        struct Read {
            text: String,
        }
        let nothing = serde_json::json!({});
        Ok(self.call::<_, Read>(world, "pageText", &nothing, deadline).await?.text)
    }

    /// The documents of the frames that can be seen in a document, each followed by those in it.
    async fn shown_frames(&self, world: &World, deadline: Instant) -> Result<Vec<World>> {
        #[derive(Deserialize)]
        struct Seen {
            seen: bool,
        }
        self.adopt_children(world).await?;
        let keys: Vec<u32> = {
            let state = self.tab.state();
            state.frames.children(&world.frame).iter().map(|frame| frame.key).collect()
        };
        let mut shown = Vec::new();
        for key in keys {
            let args = serde_json::json!({ "key": key });
            let seen: Seen = self.call(world, "seesFrame", &args, deadline).await?;
            let inner = self.child_world(world, key).filter(|_| seen.seen);
            let Some(inner) = inner else { continue };
            let nested = Box::pin(self.shown_frames(&inner, deadline)).await.unwrap_or_default();
            shown.push(inner);
            shown.extend(nested);
        }
        Ok(shown)
    }
}

/// Whether all that was found are texts that say more than the words.
fn is_mention(words: &str, found: &Found) -> bool {
    let words = words.to_lowercase();
    let says_more =
        |item: &Item| !item.control && !words.contains(item.text.to_lowercase().as_str());
    !found.items.is_empty() && found.items.iter().all(says_more)
}

/// A selector that no document could answer is an error; anything else may be found elsewhere.
fn of_syntax(target: &Target, refusal: Option<Refusal>) -> Result<()> {
    match refusal {
        Some(refusal) if refusal.is_of_syntax() => Err(refused(target, refusal, Vec::new())),
        _ => Ok(()),
    }
}
