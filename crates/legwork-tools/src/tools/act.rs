//! `browser_act` (E3): another tool's work in the sidecar's words.

use std::time::Duration;

use legwork_protocol::{
    Act, ActKind, Action, Click, Eval, Observe, Scroll, ScrollTo, Span, TakeScreenshot, ToolError,
    Type, Wait, WaitEvent, WaitState,
};

use crate::desk::Desk;

/// What the sidecar's caller means.
pub(super) fn meaning(act: Act, desk: &Desk) -> Result<Action, ToolError> {
    let observe = act.observe;
    let timeout = act.timeout_ms.map(|ms| Span(Duration::from_millis(ms).min(Span::LONGEST)));
    let needed = |value: &Option<String>, name: &str| {
        let missing = || ToolError::invalid(format!("{:?} needs a {name}", act.action));
        value.clone().ok_or_else(missing)
    };
    let target = |act: &Act| needed(&act.selector, "selector");
    Ok(match act.action {
        ActKind::Click => {
            Action::Click(Click { target: target(&act)?, timeout, observe, ..Default::default() })
        }
        ActKind::Type => Action::Type(Type {
            target: target(&act)?,
            text: needed(&act.value, "value")?,
            clear: true,
            timeout,
            observe,
            ..Default::default()
        }),
        ActKind::Scroll => Action::Scroll(scroll(&act)?),
        ActKind::Screenshot => {
            let target = act.selector.clone();
            Action::TakeScreenshot(TakeScreenshot { target, timeout, ..Default::default() })
        }
        ActKind::Evaluate => Action::Eval(Eval {
            expression: needed(&act.value, "value")?,
            timeout,
            await_promise: None,
        }),
        ActKind::WaitForSelector => Action::Wait(Wait {
            target: Some(target(&act)?),
            state: Some(WaitState::Visible),
            timeout,
            observe,
            ..Default::default()
        }),
        ActKind::WaitForNavigation => Action::Wait(navigation(desk, timeout, observe)),
    })
}

/// Actions wait for the navigation they begin: if the last one led elsewhere, that was it.
fn navigation(desk: &Desk, timeout: Option<Span>, observe: Option<Observe>) -> Wait {
    if desk.has_navigated() {
        let time = Some(Span(Duration::ZERO));
        return Wait { time, observe: observe.or(Some(Observe::None)), ..Default::default() };
    }
    Wait { event: Some(WaitEvent::Navigation), timeout, observe, ..Default::default() }
}

fn scroll(act: &Act) -> Result<Scroll, ToolError> {
    let target = act.selector.clone();
    let plain = Scroll { target: target.clone(), observe: act.observe, ..Default::default() };
    Ok(match act.value.as_deref() {
        None if target.is_some() => plain,
        None => Scroll { dy: Some(600.0), ..plain },
        Some("top") => Scroll { to: Some(ScrollTo::Top), ..plain },
        Some("bottom") => Scroll { to: Some(ScrollTo::Bottom), ..plain },
        Some(pixels) => {
            let wrong = || ToolError::invalid(format!("{pixels:?} is not top, bottom or pixels"));
            Scroll { dy: Some(pixels.parse().map_err(|_| wrong())?), ..plain }
        }
    })
}
