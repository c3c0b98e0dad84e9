//! Pictures of the page: the window, an element, or all of it, with secrets masked first.

use std::time::Duration;

use base64::Engine as _;
use legwork_cdp::page as cdp;
use serde::Deserialize;
use tokio::time::Instant;

use crate::error::{Error, Obstacle, Result};
use crate::page::Page;
use crate::picture::{self, Output};
use crate::prepare::Need;
use crate::query::Area;
use crate::target::Target;
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
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Chrome's surfaces end here.
const LONGEST: f64 = 16_000.0;

impl Page {
    /// Takes a picture.
    pub async fn screenshot(&self, options: &Screenshot) -> Result<Vec<u8>> {
        let deadline = Instant::now() + options.timeout;
        let mut clip = self.clip(&options.of, deadline).await?;
        let worlds = self.worlds(deadline).await?;
        let dressed = self.dress(&worlds, options.boxes, deadline).await?;
        if options.of == Subject::Page {
            clip = Some(self.whole_page().await?);
        }
        let command = cdp::CaptureScreenshot {
            format: Some(options.format.name().into()),
            quality: options.format.quality(),
            clip: clip.map(viewport),
            capture_beyond_viewport: Some(options.of == Subject::Page),
            optimize_for_speed: Some(true),
            ..Default::default()
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let taken = self.tab.unless_blocked(self.tab.session.send(&command).within(left)).await;
        self.undress(&dressed, deadline).await;
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(taken?.data)
            .map_err(|error| Error::Protocol(format!("the picture is damaged: {error}")))?;
        match options.limit {
            Some(limit) => fit(bytes, options.format, limit),
            None => Ok(bytes),
        }
    }

    async fn clip(&self, of: &Subject, deadline: Instant) -> Result<Option<Area>> {
        let Subject::Element(target) = of else { return Ok(None) };
        let need = Need { visible: true, ..Need::PRESENT };
        let prepared = self.prepare(target, need, None, deadline).await?;
        #[derive(Deserialize)]
        struct Boxed {
            #[serde(rename = "box")]
            area: Option<Area>,
        }
        let args = serde_json::json!({ "ref": prepared.reference });
        let boxed: Boxed = self.call(&prepared.world, "boxOf", &args, deadline).await?;
        let Some(mut area) = boxed.area.filter(|area| area.width >= 1.0 && area.height >= 1.0)
        else {
            return Err(Error::NotActionable {
                target: prepared.description,
                obstacle: Obstacle::Hidden("no size".into()),
            });
        };
        let offset = self.frame_offset(&prepared.world, deadline).await?;
        let scroll = self.scroll_offset().await?;
        area.x += offset.0 + scroll.0;
        area.y += offset.1 + scroll.1;
        Ok(Some(area))
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

    async fn scroll_offset(&self) -> Result<(f64, f64)> {
        let asked = self.tab.session.send(&cdp::GetLayoutMetrics {});
        let metrics = self.tab.unless_blocked(asked).await?;
        Ok((metrics.css_visual_viewport.page_x, metrics.css_visual_viewport.page_y))
    }

    async fn whole_page(&self) -> Result<Area> {
        let asked = self.tab.session.send(&cdp::GetLayoutMetrics {});
        let size = self.tab.unless_blocked(asked).await?.css_content_size;
        Ok(Area {
            x: 0.0,
            y: 0.0,
            width: size.width.min(LONGEST),
            height: size.height.min(LONGEST),
        })
    }

    /// Masks secrets and draws boxes; tells which frames have to be restored.
    async fn dress(&self, worlds: &[World], boxes: bool, deadline: Instant) -> Result<Vec<World>> {
        #[derive(Deserialize)]
        struct Dressed {
            dressed: bool,
        }
        let mut changed = Vec::new();
        for world in worlds {
            let args = serde_json::json!({ "boxes": boxes });
            let answer: Dressed = self.call(world, "dress", &args, deadline).await?;
            if answer.dressed {
                changed.push(world.clone());
            }
        }
        Ok(changed)
    }

    async fn undress(&self, worlds: &[World], deadline: Instant) {
        for world in worlds {
            let restored: Result<serde::de::IgnoredAny> =
                self.call(world, "undress", &serde_json::json!({}), deadline).await;
            if let Err(error) = restored {
                tracing::debug!("the page went away before it was restored: {error}");
            }
        }
    }
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

fn viewport(area: Area) -> cdp::Viewport {
    cdp::Viewport { x: area.x, y: area.y, width: area.width, height: area.height, scale: 1.0 }
}

fn fit(bytes: Vec<u8>, format: Shot, limit: u32) -> Result<Vec<u8>> {
    let output = match format {
        Shot::Png => Output::Png,
        // What has to be made smaller leaves as JPEG: it is lossy either way.
        Shot::Jpeg(quality) | Shot::Webp(quality) => Output::Jpeg(quality),
    };
    match picture::header(&bytes) {
        Ok(header) if header.width.max(header.height) <= limit => Ok(bytes),
        _ => picture::fit(&bytes, output, limit)
            .map(|picture| picture.bytes.into_owned())
            .map_err(|error| Error::Invalid(error.to_string())),
    }
}
