//! Pictures of the page: the window, an element, or all of it, with secrets masked first.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use base64::Engine as _;
use legwork_cdp::page as cdp;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::error::{Error, Obstacle, Result};
use crate::page::Page;
use crate::picture::{self, Format, Header, Output};
use crate::prepare::Need;
use crate::query::Area;
use crate::target::{Target, Wire};
use crate::walker::World;

/// What to take a picture of, and how.
#[derive(Debug, Clone)]
pub struct Screenshot {
    /// An element, the window or the whole page.
    pub of: Subject,
    /// The format.
    pub format: Shot,
    /// Longest side in pixels; larger pictures are made smaller.
    pub limit: Option<u32>,
    /// Draws boxes with the refs of what can be acted on.
    pub boxes: bool,
    /// Gives up after this time.
    pub timeout: Duration,
}

/// What is in the picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// What the window shows.
    Window,
    /// One element.
    Element(Target),
    /// The whole page, however long.
    Page,
}

/// Formats a browser can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shot {
    /// Lossless.
    Png,
    /// Small, with a quality from 1 to 100.
    Jpeg(u8),
    /// Smaller and slower to make.
    Webp(u8),
}

impl Default for Screenshot {
    fn default() -> Self {
        Screenshot {
            of: Subject::Window,
            format: Shot::Png,
            limit: None,
            boxes: false,
            timeout: Duration::from_secs(15),
        }
    }
}

/// Says whether what a field shows is not to be seen.
pub type Hides<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// A picture of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The encoded picture.
    pub bytes: Vec<u8>,
    /// What it is encoded as.
    pub format: Format,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// What was meant goes on beyond the picture: a browser pictures no more than 16,000 pixels.
    pub cut: bool,
}

/// Chrome's surfaces end here.
const LONGEST: f64 = 16_000.0;

/// How often closed shadow roots inside closed shadow roots are looked for.
const ROUNDS: usize = 6;

impl Page {
    /// Takes a picture.
    pub async fn screenshot(&self, options: &Screenshot) -> Result<Picture> {
        self.screenshot_hiding(options, None).await
    }

    /// Takes a picture in which fields that hold something of which only the caller knows are masked, too. What
    /// the caller knows stays here: the page is told which of its fields, and not why.
    pub async fn screenshot_hiding(
        &self,
        options: &Screenshot,
        hides: Option<Hides<'_>>,
    ) -> Result<Picture> {
        let deadline = Instant::now() + options.timeout;
        let mut dressed = Dressed::new(self, options, hides);
        let (clip, window) = self.clip(&mut dressed, deadline).await?;
        let beyond = clip.is_some_and(|clip| !within(&clip, &window));
        let shown = clip.map(|clip| Area {
            width: clip.width.min(LONGEST),
            height: clip.height.min(LONGEST),
            ..clip
        });
        let command = cdp::CaptureScreenshot {
            format: Some(options.format.name().into()),
            quality: options.format.quality(),
            clip: self.shrunk(options, shown, &window)?,
            capture_beyond_viewport: Some(beyond),
            optimize_for_speed: Some(true),
            ..Default::default()
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let taken = self.tab.unless_blocked(self.tab.session.send(&command).within(left)).await;
        drop(dressed);
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(taken?.data)
            .map_err(|error| Error::Protocol(format!("the picture is damaged: {error}")))?;
        let picture = fit(bytes, options.format, options.limit).await?;
        Ok(Picture { cut: clip != shown, ..picture })
    }

    /// What is cut out, and how small: a WebP is made small by the browser, which alone can encode it.
    fn shrunk(
        &self,
        options: &Screenshot,
        shown: Option<Area>,
        window: &Area,
    ) -> Result<Option<cdp::Viewport>> {
        let (Shot::Webp(_), Some(limit)) = (options.format, options.limit) else {
            return Ok(shown.map(|area| viewport(area, 1.0)));
        };
        let area = shown.unwrap_or(*window);
        let density = self.context()?.inner().viewport.scale;
        // A quarter below, since it rounds up.
        let scale = (f64::from(limit) - 0.25) / (area.width.max(area.height) * density);
        let clip = (scale < 1.0).then(|| viewport(area, scale));
        Ok(clip.or_else(|| shown.map(|area| viewport(area, 1.0))))
    }

    /// Masks secrets in every frame; what to picture, if not the window, and where the window is.
    async fn clip(
        &self,
        dressed: &mut Dressed<'_>,
        deadline: Instant,
    ) -> Result<(Option<Area>, Area)> {
        let main = self.main_world(deadline).await?;
        let mut worlds = self.worlds(deadline).await?;
        worlds.retain(|world| world.frame != main.frame);
        if let (Subject::Element(target), true) = (&dressed.options.of, worlds.is_empty()) {
            // Most often it is there, in the only frame: then one question is enough.
            let looks = dressed.put_on(&main, Some(Which::Target(target.wire())), deadline).await?;
            if let Some(area) = looks.area.filter(has_size) {
                return Ok((Some(looks.on_page(area)), looks.in_view()));
            }
        }
        let Subject::Element(target) = &dressed.options.of else {
            for world in &worlds {
                dressed.put_on(world, None, deadline).await?;
            }
            let looks = dressed.put_on(&main, None, deadline).await?;
            let whole = Area { x: 0.0, y: 0.0, ..looks.page };
            let clip = (dressed.options.of == Subject::Page).then_some(whole);
            return Ok((clip, looks.in_view()));
        };
        self.clip_element(target, (&main, &worlds), dressed, deadline).await
    }

    /// The same for an element, in whichever frame it is.
    async fn clip_element(
        &self,
        target: &Target,
        (main, others): (&World, &[World]),
        dressed: &mut Dressed<'_>,
        deadline: Instant,
    ) -> Result<(Option<Area>, Area)> {
        let need = Need { visible: true, ..Need::PRESENT };
        let prepared = self.prepare(target, need, None, deadline).await?;
        let mut area = None;
        // The main frame comes last: what is in another one may have to be scrolled to in it.
        for world in others.iter().chain([main]) {
            let own = world.id == prepared.world.id;
            let which = own.then_some(Which::Reference(&prepared.reference));
            let looks = dressed.put_on(world, which, deadline).await?;
            area = if own { looks.area.filter(has_size) } else { area };
            if world.frame != main.frame {
                continue;
            }
            let Some(mut found) = area else { break };
            let offset = self.frame_offset(&prepared.world, deadline).await?;
            found.x += offset.0;
            found.y += offset.1;
            return Ok((Some(looks.on_page(found)), looks.in_view()));
        }
        Err(Error::NotActionable {
            target: prepared.description,
            obstacle: Obstacle::Hidden("no size".into()),
        })
    }

    /// Where a frame's window begins in the page's.
    async fn frame_offset(&self, world: &World, deadline: Instant) -> Result<(f64, f64)> {
        let mut offset = (0.0, 0.0);
        let mut frame = world.frame.clone();
        loop {
            let up = {
                let state = self.tab.state();
                state.frames.get(&frame).and_then(|f| Some((f.parent.clone()?, f.key)))
            };
            let Some((parent, key)) = up else { return Ok(offset) };
            let outer = self.world(&parent, deadline).await?;
            self.adopt_children(&outer).await?;
            let args = serde_json::json!({ "key": key });
            let area: Area = self.call(&outer, "boxOfFrame", &args, deadline).await?;
            offset.0 += area.x;
            offset.1 += area.y;
            frame = parent;
        }
    }
}

/// What a page wears for a picture. It takes it off whatever comes of the picture.
struct Dressed<'a> {
    page: &'a Page,
    options: &'a Screenshot,
    hides: Option<Hides<'a>>,
    token: u32,
    worlds: Vec<World>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Which<'a> {
    Target(Wire<'a>),
    #[serde(rename = "ref")]
    Reference(&'a str),
}

#[derive(Serialize)]
struct DressArgs<'a> {
    token: u32,
    boxes: bool,
    whole: bool,
    /// Whether what fields show is asked for.
    values: bool,
    /// Those of the fields asked for that are to be masked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<usize>,
    #[serde(flatten)]
    which: Option<Which<'a>>,
}

/// Where things are in a frame that is dressed.
#[derive(Deserialize)]
struct Looks {
    #[serde(rename = "box")]
    area: Option<Area>,
    /// Where the window is on the page, and the size of the page.
    page: Area,
    window: Area,
    candidates: usize,
    values: Vec<String>,
}

impl Looks {
    fn on_page(&self, area: Area) -> Area {
        Area { x: area.x + self.page.x, y: area.y + self.page.y, ..area }
    }

    fn in_view(&self) -> Area {
        self.on_page(self.window)
    }
}

impl<'a> Dressed<'a> {
    fn new(page: &'a Page, options: &'a Screenshot, hides: Option<Hides<'a>>) -> Self {
        static TOKENS: AtomicU32 = AtomicU32::new(1);
        let token = TOKENS.fetch_add(1, Ordering::Relaxed);
        Dressed { page, options, hides, token, worlds: Vec::new() }
    }

    /// Masks the secrets of a frame and draws its boxes, in closed shadow roots, too.
    async fn put_on(
        &mut self,
        world: &World,
        which: Option<Which<'_>>,
        deadline: Instant,
    ) -> Result<Looks> {
        self.worlds.push(world.clone());
        let whole = self.options.of == Subject::Page;
        let (boxes, values, hidden) = (self.options.boxes, self.hides.is_some(), Vec::new());
        let mut args = DressArgs { token: self.token, boxes, whole, values, hidden, which };
        let mut looks: Looks = self.page.call(world, "dress", &args, deadline).await?;
        for _ in 0..ROUNDS {
            if looks.candidates == 0 || !self.page.adopt_closed_roots(world).await? {
                break;
            }
            looks = self.page.call(world, "dress", &args, deadline).await?;
        }
        if let Some(hides) = self.hides {
            let shown = looks.values.iter().enumerate();
            args.hidden = shown.filter(|(_, value)| hides(value)).map(|(at, _)| at).collect();
            if !args.hidden.is_empty() {
                looks = self.page.call(world, "dress", &args, deadline).await?;
            }
        }
        Ok(looks)
    }
}

impl Drop for Dressed<'_> {
    fn drop(&mut self) {
        for world in &self.worlds {
            self.page.give(world, "(token) => legwork.undress(token)", &[], Some(self.token));
        }
    }
}

fn has_size(area: &Area) -> bool {
    area.width >= 1.0 && area.height >= 1.0
}

fn within(inner: &Area, outer: &Area) -> bool {
    inner.x >= outer.x
        && inner.y >= outer.y
        && inner.x + inner.width <= outer.x + outer.width
        && inner.y + inner.height <= outer.y + outer.height
}

impl Shot {
    fn name(self) -> &'static str {
        match self {
            Shot::Png => "png",
            Shot::Jpeg(_) => "jpeg",
            Shot::Webp(_) => "webp",
        }
    }

    fn quality(self) -> Option<i64> {
        match self {
            Shot::Png => None,
            Shot::Jpeg(quality) | Shot::Webp(quality) => Some(quality.clamp(1, 100).into()),
        }
    }
}

fn viewport(area: Area, scale: f64) -> cdp::Viewport {
    cdp::Viewport { x: area.x, y: area.y, width: area.width, height: area.height, scale }
}

/// The picture, made smaller if need be: away from the other tasks, for it takes a while.
async fn fit(bytes: Vec<u8>, format: Shot, limit: Option<u32>) -> Result<Picture> {
    let damaged = |error: picture::PictureError| Error::Protocol(error.to_string());
    let Header { format: encoded, width, height } = picture::header(&bytes).map_err(damaged)?;
    let Some(limit) = limit.filter(|limit| width.max(height) > *limit) else {
        return Ok(Picture { bytes, format: encoded, width, height, cut: false });
    };
    let output = match format {
        Shot::Png => Output::Png,
        // The browser made a WebP small enough; were it not, it would leave as what is lossy, too.
        Shot::Jpeg(quality) | Shot::Webp(quality) => Output::Jpeg(quality),
    };
    let smaller = tokio::task::spawn_blocking(move || {
        let made = picture::fit(&bytes, output, limit)?;
        let picture::Picture { format, width, height, .. } = made;
        Ok(Picture { bytes: made.bytes.into_owned(), format, width, height, cut: false })
    });
    let made = smaller.await.map_err(|error| Error::Protocol(format!("resizing: {error}")))?;
    made.map_err(|error: picture::PictureError| Error::Invalid(error.to_string()))
}
