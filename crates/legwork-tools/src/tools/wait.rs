//! `browser_wait` (W1).

use std::time::Duration;

use legwork_engine::{Condition, Outcome};
use legwork_protocol::{Observe, Reply, ToolError, Wait, WaitEvent, WaitState};

use super::{Execute, patience, target};
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

/// How long a network without requests counts as quiet.
const QUIET: Duration = Duration::from_millis(500);

impl Execute for Wait {
    async fn run(permitted: Permitted<Wait>, desk: &Desk) -> Result<Reply, ToolError> {
        let wait = permitted.into_action();
        let condition = condition(&wait)?;
        let timeout = match &condition {
            Condition::Time(time) => *time,
            _ => patience(wait.timeout),
        };
        let page = desk.page().await?;
        let before = page.url();
        page.wait(&condition, timeout).await.map_err(from_engine)?;
        // A wait may end on another page, or in front of another tab.
        let page = desk.page().await?;
        let mut outcome = Outcome::default();
        if wait.observe.unwrap_or_default() == Observe::Change && page.dialog().is_none() {
            outcome.change = page.change(QUIET * 10).await.map_err(from_engine)?.text;
        }
        let arrived = page.url() != before;
        let verb = match arrived {
            true => format!("done\n→ {}", answer::shortened(&page.url(), answer::URL)),
            false => "done".to_owned(),
        };
        answer::of(desk, &page, &verb, outcome, wait.observe).await
    }
}

/// The one thing that is waited for.
fn condition(wait: &Wait) -> Result<Condition, ToolError> {
    if wait.state.is_some() && wait.target.is_none() {
        return Err(ToolError::invalid("state needs a target"));
    }
    let given = [
        wait.target
            .as_deref()
            .map(|target| element(target, wait.state.unwrap_or_default()))
            .transpose()?,
        wait.text.clone().map(Condition::Text),
        wait.text_gone.clone().map(Condition::TextGone),
        wait.url.clone().map(Condition::Url),
        wait.expression.clone().map(Condition::Predicate),
        wait.time.map(|time| Condition::Time(time.0)),
        wait.event.map(|event| match event {
            WaitEvent::Navigation => Condition::Navigation,
            WaitEvent::NetworkQuiet => Condition::NetworkQuiet(QUIET),
            WaitEvent::Download => Condition::Download,
        }),
    ];
    let mut given = given.into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(condition), None) => Ok(condition),
        (None, _) => Err(ToolError::invalid("what to wait for is not said")
            .with_hint("give one of target, text, text_gone, url, event, expression, time")),
        (Some(_), Some(_)) => Err(ToolError::invalid("only one thing can be waited for")
            .with_hint("wait for one after the other, in a browser_batch if you like")),
    }
}

fn element(named: &str, state: WaitState) -> Result<Condition, ToolError> {
    let target = target(named)?;
    Ok(match state {
        WaitState::Visible => Condition::Visible(target),
        WaitState::Hidden => Condition::Gone(target),
        WaitState::Enabled => Condition::Enabled(target),
        WaitState::Attached => Condition::Attached(target),
    })
}
