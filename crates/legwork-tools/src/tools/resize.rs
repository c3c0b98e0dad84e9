//! `browser_resize` (P7).

use legwork_engine::Viewport;
use legwork_protocol::{Reply, Resize, ToolError};

use super::{Execute, in_time};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Resize {
    async fn run(permitted: Permitted<Resize>, desk: &Desk) -> Result<Reply, ToolError> {
        let size = permitted.into_action();
        let viewport = viewport(size.width, size.height, size.scale)?;
        let page = desk.page().await?;
        let resizing = async { page.resize(viewport).await.map_err(from_engine) };
        in_time(size.timeout, "the page to take its new size", resizing).await?;
        Ok(Reply::text("done"))
    }
}

/// A window's size, if it can be one.
pub(super) fn viewport(width: i64, height: i64, scale: Option<f64>) -> Result<Viewport, ToolError> {
    let pixels = |side: i64| u32::try_from(side).ok().filter(|side| *side > 0);
    let (Some(width), Some(height)) = (pixels(width), pixels(height)) else {
        return Err(ToolError::invalid("Invalid dimensions: width and height must be positive"));
    };
    Ok(Viewport { width, height, scale: scale.unwrap_or(1.0) })
}
