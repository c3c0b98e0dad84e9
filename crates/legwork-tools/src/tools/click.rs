//! `browser_click`.

use std::time::Duration;

use legwork_engine::{Button, Count, LONGEST_HOLD, Page, Point, keys};
use legwork_protocol::{self as protocol, Click, Code, Reply, Span, ToolError};

use super::{Execute, target};
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Click {
    async fn run(permitted: Permitted<Click>, desk: &Desk) -> Result<Reply, ToolError> {
        let (click, bound) = permitted.into_parts();
        let how = legwork_engine::Click {
            button: button(click.button),
            count: count(click.count)?,
            modifiers: click.modifiers.iter().map(|key| modifier(*key)).collect(),
            position: click.position.map(|at| Point { x: at.x, y: at.y }),
            hold: hold(click.hold)?,
            acting: desk.acting(click.timeout, click.observe),
        };
        let page = bound.page(desk).await?;
        refuse_mention(&page, &click.target).await?;
        let target = bound.target(&click.target)?;
        let outcome = page.click(&target, &how).await.map_err(from_engine)?;
        answer::of(desk, &page, verb(&how), outcome, click.observe).await
    }
}

/// Words that no control is called are not clicked in a sentence that happens to say them: nobody means that.
async fn refuse_mention(page: &Page, written: &str) -> Result<(), ToolError> {
    let mentions = page.mentions(&target(written)?).await.map_err(from_engine)?;
    if mentions.is_empty() {
        return Ok(());
    }
    let told = format!(
        "no control is called {written:?}, only text mentions it; it may be: {}",
        mentions.join("; ")
    );
    let hint = "name a control, or give the ref to click that text";
    Err(ToolError::new(Code::NotFound, told).with_hint(hint))
}

fn verb(how: &legwork_engine::Click) -> &'static str {
    match (how.button, how.count) {
        (Button::Right, _) => "right-clicked",
        (_, Count::Double) => "double-clicked",
        _ if how.hold.is_some() => "long-pressed",
        _ => "clicked",
    }
}

fn button(button: protocol::Button) -> Button {
    match button {
        protocol::Button::Left => Button::Left,
        protocol::Button::Right => Button::Right,
        protocol::Button::Middle => Button::Middle,
    }
}

fn count(count: Option<u32>) -> Result<Count, ToolError> {
    match count {
        None | Some(1) => Ok(Count::Single),
        Some(2) => Ok(Count::Double),
        Some(3) => Ok(Count::Triple),
        Some(other) => Err(ToolError::invalid(format!("count is 1, 2 or 3, not {other}"))),
    }
}

fn hold(hold: Option<Span>) -> Result<Option<Duration>, ToolError> {
    match hold {
        Some(Span(time)) if time > LONGEST_HOLD => {
            Err(ToolError::invalid(format!("hold is at most 30s, not {time:?}")))
        }
        hold => Ok(hold.map(|Span(time)| time)),
    }
}

fn modifier(key: protocol::Modifier) -> keys::Modifier {
    match key {
        protocol::Modifier::Alt => keys::Modifier::Alt,
        protocol::Modifier::Control => keys::Modifier::Control,
        protocol::Modifier::Meta => keys::Modifier::Meta,
        protocol::Modifier::Shift => keys::Modifier::Shift,
    }
}
