//! `browser_scroll`.

use legwork_engine::{Acting, Scroll as To};
use legwork_protocol::{Reply, Scroll, ScrollTo, ToolError};

use super::{Execute, target};
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Scroll {
    async fn run(permitted: Permitted<Scroll>, desk: &Desk) -> Result<Reply, ToolError> {
        let scroll = permitted.into_action();
        let to = direction(&scroll)?;
        let page = desk.page().await?;
        let how: Acting = desk.acting(None, scroll.observe);
        let target = scroll.target.as_deref().map(target).transpose()?;
        let outcome = page.scroll(target.as_ref(), to, &how).await.map_err(from_engine)?;
        answer::of(desk, &page, "scrolled", outcome, scroll.observe).await
    }
}

fn direction(scroll: &Scroll) -> Result<To, ToolError> {
    let pixels = scroll.dx.is_some() || scroll.dy.is_some();
    Ok(match (scroll.to, pixels) {
        (Some(_), true) => return Err(ToolError::invalid("give either to, or dx and dy")),
        (Some(ScrollTo::Top), _) => To::Top,
        (Some(ScrollTo::Bottom), _) => To::Bottom,
        (None, true) => To::By(scroll.dx.unwrap_or_default(), scroll.dy.unwrap_or_default()),
        (None, false) if scroll.target.is_some() => To::IntoView,
        (None, false) => {
            let error = ToolError::invalid("where to scroll is not said");
            return Err(error.with_hint("give a target, to (top or bottom), or dy in pixels"));
        }
    })
}
